"""Mutants in reports, as `audit --mutants` and `pytest --dp-mutants` take them from a run of `mutate`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from msgspec import UNSET
from tests.verifiers.commands.command_runs import dpverify

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.mutants_tried import MutantsTried, UnnoticedMutant
from dpverify.verifiers.auditing.mutation.record import (
    FATES,
    MUTANTS_SCHEMA_VERSION,
    ClaimMutants,
    Figures,
    MutantOutcome,
    MutantRecord,
    MutationRecord,
    mutation_json,
    read_mutation,
)
from dpverify.verifiers.auditing.mutation.unnoticed import read_mutants

LIBRARY = """
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim

def flip(draw, row):
    return 1 - row if draw(bernoulli("1/3")) else row

flips = Claim(id="flips", mechanism=flip, domain=[0, 1], neighbours=lambda row: [1 - row], epsilon=1)
"""


def of_claim(name: str) -> ClaimMutants:
    mutants = [
        MutantRecord(
            operator="off by one",
            file="claims_flip.py",
            line=6,
            function="flip",
            before='return 1 - row if draw(bernoulli("1/3")) else row',
            after=f"return {fate}",
            outcome=MutantOutcome(fate=fate),
        )
        for fate in FATES
    ]
    return ClaimMutants(
        id=name,
        claimed="",
        functions=[],
        mutants_in_all=9,
        mutants=mutants,
        tight_over_claimed=None,
        smallest_delta=None,
        noise_multipliers=[],
        headroom=None,
        least=None,
        loose=None,
        loose_because="",
    )


def written(path: Path, *, schema: str = MUTANTS_SCHEMA_VERSION) -> Path:
    record = MutationRecord(
        schema=schema,
        dpverify="0",
        seed=1,
        limit=9,
        depth="quick",
        beyond=None,
        figures=Figures(killed_by_own=1, refuted_anywhere=1, survived=1, harmless=1, unreached=1, invalid=1),
        claims=[of_claim("flips"), of_claim("of another file")],
        not_decided=[],
        left_out=[],
    )
    path.write_text(mutation_json(record), encoding="utf-8")
    return path


def unnoticed(fate: Literal["missed", "survived"]) -> UnnoticedMutant:
    (found,) = (one for one in of_claim("flips").mutants if one.outcome.fate == fate)
    return UnnoticedMutant(
        found.file, found.line, found.function, found.operator, found.before, found.after, fate, is_less_private=False
    )


@pytest.mark.deep
def test_what_is_missed_or_survives_is_shown_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims_flip.py").write_text(LIBRARY)
    written(tmp_path / "m.json")
    outputs = ("--json", "a.json", "--html", "a.html")
    done = dpverify("audit", "claims_flip.py", "--no-cache", "--no-recheck", "--mutants", "m.json", "--lines", *outputs)
    assert done.exit_code == 0
    record = read_audit((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert record.mutants == [MutantsTried("flips", len(FATES), 1, [unnoticed("missed"), unnoticed("survived")])]
    assert record.claims[0].line_runs is not UNSET
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<ins>return survived</ins>" in page and "killed</ins>" not in page and "Of other functions" not in page


def test_mutants_of_the_schema_before_are_read_by_their_former_names(tmp_path: Path) -> None:
    now, former = written(tmp_path / "now.json"), tmp_path / "former.json"
    text = now.read_text(encoding="utf-8").replace(f'"schema": "{MUTANTS_SCHEMA_VERSION}"', '"schema": "4"')
    names = {"tight_over_claimed": "tightness", "smallest_delta": "exact_delta", "noise_multipliers": "noise_shares"}
    for name, one in {**names, "headroom": "slack", "loose": "weak", "loose_because": "weak_because"}.items():
        assert f'"{name}"' in text
        text = text.replace(f'"{name}"', f'"{one}"')
    former.write_text(text, encoding="utf-8")
    assert read_mutation(former, again="") == read_mutation(now, again="")


def test_a_file_that_holds_no_mutants_is_refused_before_anything_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="of schema 0, is not of schema"):
        read_mutants(written(tmp_path / "old.json", schema="0"))
    (tmp_path / "bad.json").write_text("{}")
    for name, words in (("bad.json", "bad.json holds no mutants"), ("none.json", "none.json cannot be read")):
        done = dpverify("audit", "claims_flip.py", "--mutants", name)
        assert done.exit_code == 2 and words in done.stderr and "dpverify mutate … --json FILE" in done.stderr
