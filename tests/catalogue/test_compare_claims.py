"""The comparison of the catalogue of two commits finds what differs, and fails where it compared nothing."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from tests.catalogue.compare_claims import differences, main, own_node

CLAIM = {"id": "a", "kind": "step", "says": "x ≤ 1", "mutants": [{"change": "2"}], "location": {"line": 1}}


def compared(folder: Path, old: object, new: object) -> int:
    for name, data in (("old", old), ("new", new)):
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return main(["compare", str(folder / "old"), str(folder / "new")])


def test_a_difference_is_printed_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = {**CLAIM, "mutants": [{"change": "3"}]}
    assert compared(tmp_path, {"a": CLAIM}, {"a": other}) == 1
    assert 'a mutants[0] change:\n    - "2"\n    + "3"\n1 claims compared, 1 differences' in capsys.readouterr().out


def test_places_alone_do_not_differ_and_records_are_compared_as_well(tmp_path: Path) -> None:
    moved = {**CLAIM, "location": {"line": 2}}
    assert compared(tmp_path, {"a": CLAIM}, {"a": moved}) == 0
    assert compared(tmp_path, {"claims": [CLAIM]}, {"claims": [moved]}) == 0
    assert compared(tmp_path, {"claims": [CLAIM]}, {"claims": [{**moved, "says": "x < 1"}]}) == 1


def test_a_claim_that_is_gone_or_new_differs_and_nothing_to_compare_fails(tmp_path: Path) -> None:
    assert compared(tmp_path, {"a": CLAIM, "b": CLAIM}, {"a": CLAIM}) == 1
    assert compared(tmp_path, {"a": CLAIM}, {"a": CLAIM, "b": CLAIM}) == 1
    assert compared(tmp_path, {}, {}) == 1
    assert compared(tmp_path, {"claims": []}, {"claims": []}) == 1


def test_values_of_two_types_differ() -> None:
    assert list(differences({"a": 1}, {"a": True})) == ["a:\n    - 1\n    + true"]
    assert len(list(differences({"a": [1, 2]}, {"a": [1]}))) == 1
    assert len(list(differences({"a": None}, {}))) == 1


def test_functions_that_begin_on_one_line_are_told_apart() -> None:
    pair, outer = [lambda x: x + 1, lambda x: x + 2], lambda x: (lambda y: y * x)(2)  # noqa: PLC3002
    inner = next(part for part in outer.__code__.co_consts if hasattr(part, "co_code"))
    found = [own_node(code) for code in (*(one.__code__ for one in pair), outer.__code__, inner)]
    assert [[ast.unparse(node) for node in nodes] for nodes in found] == [
        ["lambda x: x + 1"],
        ["lambda x: x + 2"],
        ["lambda x: (lambda y: y * x)(2)"],
        ["lambda y: y * x"],
    ]
