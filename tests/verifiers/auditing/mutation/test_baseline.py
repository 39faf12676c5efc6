"""Figures of mutants against those of an earlier run: what is worse, and what cannot be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers.auditing.mutation.baseline import (
    figures_to_json,
    read_figures,
    refuse_another_run,
    worse_than,
)
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan
from dpverify.verifiers.auditing.mutation.record import MUTANTS_SCHEMA_VERSION, Figures, MutationRecord, mutation_json


def record(killed: int, anywhere: int, **given: Any) -> MutationRecord:
    figures = Figures(killed_by_own=killed, refuted_anywhere=anywhere, survived=1, harmless=2, unreached=3, invalid=4)
    same = {"schema": MUTANTS_SCHEMA_VERSION, "dpverify": "0", "seed": 1, "limit": 3, "depth": "quick", "beyond": None}
    claims: dict[str, Any] = {"claims": [], "not_decided": [], "left_out": []}
    return MutationRecord(**{**same, **claims, **given}, figures=figures)


def kept(path: Path, text: MutationRecord) -> Path:
    path.write_text(figures_to_json(text), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("killed", "anywhere", "words"),
    [
        (8, 10, ""),
        (9, 10, ""),
        (8, 12, ""),  # the rate falls with the number risen
        (9, 9, "fewer mutants are refuted: own claims kill 9 of 9 that are refuted anywhere (100 %); before, own"),
        (7, 10, "WORSE: own claims kill 7 of 10 that are refuted anywhere (70 %); before, own claims kill 8 of 10"),
        (0, 0, "fewer mutants"),
    ],
)
def test_the_number_may_not_fall_and_the_rate_with_more_alone(
    tmp_path: Path, killed: int, anywhere: int, words: str
) -> None:
    before = read_figures(kept(tmp_path / "f.json", record(8, 10)))
    worse = worse_than(before, record(killed, anywhere))
    assert bool(worse) == bool(words)
    assert all(words in line for line in worse)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 2}, "the baseline was made with --seed 1, and this run with 2: give the same"),
        ({"limit": 30}, "--limit 3, and this run with 30"),
        ({"depth": "full"}, "--depth quick, and this run with full"),
        ({"beyond": "report"}, "--beyond none, and this run with report"),
    ],
)
def test_runs_that_are_not_alike_are_not_compared(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    before = read_figures(kept(tmp_path / "f.json", record(8, 10)))
    plan = MutantPlan(seed=1, limit=3)
    refuse_another_run(before, plan)
    with pytest.raises(InputError, match=words):
        refuse_another_run(before, replace(plan, **given))


def test_a_whole_record_is_a_baseline_as_well(tmp_path: Path) -> None:
    path = tmp_path / "whole.json"
    path.write_text(mutation_json(record(8, 10, left_out=["a"])), encoding="utf-8")
    assert worse_than(read_figures(path), record(7, 10)) and read_figures(path).left_out == ["a"]
    assert read_figures(kept(path, read_figures(path))).left_out == []


@pytest.mark.parametrize("text", ["", "{}", "no", '{"schema": 2}'])
def test_what_holds_no_figures_is_refused_with_the_way_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"f.json holds no figures of mutants .*: write it with --update-baseline"):
        read_figures(path)


def test_a_file_that_is_not_there_or_of_another_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file or directory; write it with"):
        read_figures(tmp_path / "none.json")
    earlier = kept(tmp_path / "f.json", record(1, 1))
    text = f'"schema": "{MUTANTS_SCHEMA_VERSION}"'
    earlier.write_text(earlier.read_text(encoding="utf-8").replace(text, '"schema": "1"'), encoding="utf-8")
    with pytest.raises(InputError, match=f"of schema 1, is not of schema {MUTANTS_SCHEMA_VERSION}"):
        read_figures(earlier)


def test_the_page_says_what_the_committed_figures_are() -> None:
    root = Path(__file__).parents[4]
    figures = read_figures(root / "reports" / "results" / "mutants.json").figures
    killed, anywhere = figures.killed_by_own, figures.refuted_anywhere
    out_of_time = " or out of time" if figures.out_of_time is None else f" and {figures.out_of_time} out of time"
    said = (
        f"own claims kill {killed} of {anywhere}, and {killed} of {figures.killable} with what survived; "
        f"{figures.survived} survived, {figures.harmless} are harmless, {figures.unreached} unreached and "
        f"{figures.invalid} invalid{out_of_time}"
    )
    assert said in " ".join((root / "docs" / "command-line.md").read_text("utf-8").split())
