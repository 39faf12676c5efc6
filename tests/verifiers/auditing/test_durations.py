"""How long claims took: remembered by their ids, and the longest begun first, with the same record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, bernoulli
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, audit
from dpverify.verifiers.auditing import auditing
from dpverify.verifiers.auditing.attempts import Attempts, Schedule
from dpverify.verifiers.auditing.cache import durations
from dpverify.verifiers.auditing.cache.durations import Durations, longest_first, usual_durations
from dpverify.verifiers.claims import Depth


def coin(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli("1/2"))


def fails(draw: Draw, rows: Any) -> Any:
    raise RuntimeError


def claim(name: str, depth: Depth = "quick", mechanism: Any = coin) -> Claim:
    return Claim(id=name, mechanism=mechanism, domain=[(0,), (1,)], epsilon=1, source="test", depth=depth)


CLAIMS = [claim("a"), claim("b"), claim("c", "full"), claim("d", "report"), claim("e")]


@in_one(
    "known, order",
    [
        ({}, "cdabe"),
        ({"a": 1.0, "b": 3.0, "c": 2.0, "d": 0.5, "e": 4.0}, "ebcad"),
        ({"b": 3.0}, "cdabe"),
        ({"a": 1.0, "b": 3.0, "e": 0.5}, "cdbae"),
        ({"c": 9.0, "a": 1.0, "b": 3.0}, "cdbea"),
        ({"gone": 50.0, "e": 1.0, "a": 1.0, "b": 1.0}, "cdabe"),
    ],
)
def test_the_longest_are_begun_first(known: dict[str, float], order: str) -> None:
    """One that nobody knows is taken to be as long as the longest of those that are left to no higher depth."""
    assert "".join(CLAIMS[i].id for i in longest_first(CLAIMS, known)) == order


def test_durations_are_remembered_beside_those_of_other_claims(tmp_path: Path) -> None:
    file = tmp_path / "own" / "durations.json"
    first = Durations(file)
    assert first.known() == {}
    first.write()
    assert not file.exists()
    first.note(claim("a"), 1.00049)
    first.note(claim("b"), 2.0)
    first.write()
    second = Durations(file)
    assert second.known() == {"a": 1.0, "b": 2.0}
    second.note(claim("a"), 3.0)
    second.write()
    assert list(Durations(file).known().items()) == [("b", 2.0), ("a", 3.0)]


def test_those_that_were_decided_longest_ago_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durations, "_MOST", 2)
    for name in "abca":
        one = Durations(tmp_path / "durations.json")
        one.note(claim(name), 1.0)
        one.write()
    assert list(Durations(tmp_path / "durations.json").known()) == ["c", "a"]


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"a": "b"}', "null", "\udcff"])
def test_what_is_no_such_file_is_as_if_it_were_not_there(tmp_path: Path, content: str) -> None:
    file = tmp_path / "durations.json"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    one = Durations(file)
    assert one.known() == {}
    one.note(claim("a"), 1.0)
    one.write()
    assert one.known() == {"a": 1.0}


def test_what_is_no_duration_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "durations.json").write_text('{"a": -1, "c": 2}')
    assert Durations(tmp_path / "durations.json").known() == {"c": 2.0}


def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "durations.json").write_text('{"a": 1}')
    tmp_path.chmod(0o777)
    one = Durations(tmp_path / "durations.json")
    assert one.known() == {}
    one.note(claim("b"), 1.0)
    one.write()
    assert (tmp_path / "durations.json").read_text() == '{"a": 1}'


def test_an_audit_remembers_them_and_begins_the_longest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[Sequence[int] | None] = []

    class Noted(Attempts[Any]):
        def __init__(self, claims: Any, work: Any, read: Any, schedule: Schedule) -> None:
            orders.append(schedule.order)
            super().__init__(claims, work, read, schedule)

    monkeypatch.setattr(auditing, "Attempts", Noted)
    ticks = count(0.0, 2.5)
    monkeypatch.setattr(auditing, "cpu_seconds", lambda: next(ticks))
    claims = [claim("a"), claim("b"), claim("c", mechanism=fails), claim("d")]
    alone = render(audit(claims, recheck=False), ".json")
    one = Durations(tmp_path / "durations.json")
    assert render(audit(claims, recheck=False, durations=one), ".json") == alone
    assert one.known() == {"a": 2.5, "b": 2.5, "d": 2.5}, "how long it took to fail is not known"
    (tmp_path / "durations.json").write_text('{"a": 1, "b": 0.5, "d": 7}')
    again = Durations(tmp_path / "durations.json")
    assert render(audit(claims, recheck=False, jobs=4, durations=again), ".json") == alone
    assert orders == [None, None, [2, 3, 0, 1]]


def test_they_lie_in_the_folder_of_the_users_caches(tmp_path: Path) -> None:
    found = usual_durations({"XDG_CACHE_HOME": str(tmp_path)})
    assert found is not None
    found.note(claim("a"), 1.0)
    found.write()
    assert (tmp_path / "dpverify" / "durations.json").is_file()
