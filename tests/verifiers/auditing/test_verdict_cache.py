"""The folder of verdicts: what is kept there, what is taken from it, and what is as if it were not there."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.verifiers.auditing.origins import but_for_origins, origins

from dpverify.mechanisms import Limits, bernoulli
from dpverify.reports.audits.json_form import read_audit, result_from_json, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.rendering import render
from dpverify.reports.record import AuditRecord, NotDecided, OutsideConstruct, Status
from dpverify.verifiers import Claim, audit
from dpverify.verifiers.auditing import auditing
from dpverify.verifiers.auditing.auditing import AuditStopped
from dpverify.verifiers.auditing.cache import verdict_cache
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings
from dpverify.verifiers.auditing.cache.private_files import NoKey, cache_folder
from dpverify.verifiers.auditing.cache.verdict_cache import VerdictCache, usual_cache
from dpverify.verifiers.claims import How
from dpverify.verifiers.locations import Reference

NEVER = 2**80
DATABASES = [(0,), (1,)]

HERE = pytest.mark.usefixtures("decided_here")
"""For what does not depend on where claims are decided."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is kept where nothing is forked")


def constant(draw: Any, rows: Any) -> int:
    return 0


def coin(draw: Any, rows: Any) -> Any:
    return draw(bernoulli("0.5"))


def reveals(draw: Any, rows: Any) -> Any:
    return rows


def raises(draw: Any, rows: Any) -> Any:
    raise ValueError("no")


def dies(draw: Any, rows: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def many(draw: Any, rows: Any) -> Any:
    return [draw(bernoulli("0.5")) for _ in range(10)].count(1)


def claim(mechanism: Any, **given: Any) -> Claim:
    named = {"id": f"a.{mechanism.__name__}", "epsilon": 1, "domain": DATABASES, "neighbours_agree": True, **given}
    made = Claim(mechanism=mechanism, **named)
    made.stands_at(Reference("/claims_a.py", named["id"]))
    return made


def at_its_place(claim: Claim, **changed: Any) -> Claim:
    """A changed copy, which stands where the claim does."""
    copy = replace(claim, **changed)
    copy.stands_at(claim.reference)
    return copy


CLAIMS = [
    claim(coin),
    claim(reveals, expected=Status.REFUTED, neighbours_agree=False),
    claim(reveals, id="a.surprise"),
    claim(coin, id="a.mutant", mutant=reveals),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "dpverify" / "verdicts"


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled file that is as young as its source is another thing that a verdict depends on."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.fixture
def cache(folder: Path, tmp_path: Path) -> VerdictCache:
    """A cache of claims that stand in a file of their own, in a package that is empty."""
    return VerdictCache(folder, lambda: Surroundings(NEVER, tmp_path / "package"))


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def cached(record: AuditRecord) -> list[bool]:
    return [result.cached for result in record.claims]


def decide(claims: list[Claim], cache: VerdictCache | None, **how: Any) -> AuditRecord:
    return audit(claims, recheck=False, cache=cache, **how)


@HERE
def test_what_was_decided_is_not_decided_again_and_says_so(cache: VerdictCache, folder: Path) -> None:
    first, second = decide(CLAIMS, cache), decide(CLAIMS, cache)
    assert cached(first) == [False] * 4
    assert cached(second) == [True] * 4
    assert len(kept(folder)) == 4
    assert but_for_origins(second) == first
    assert (origins(first), origins(second)) == (["decided"] * 4, ["cache"] * 4)
    assert [result.verdict for result in second.claims] == [
        Status.PROVED,
        Status.REFUTED,
        Status.REFUTED,
        Status.PROVED,
    ]
    assert [result.as_expected for result in second.claims] == [True, True, False, True]


def test_rows_stay_in_order_whichever_were_decided_earlier(cache: VerdictCache) -> None:
    decide([CLAIMS[1], CLAIMS[3]], cache)
    seen: list[tuple[int, str, bool]] = []

    def on_result(n: int, row: Any) -> None:
        seen.append((n, row.id, isinstance(row, NotDecided) or row.cached))

    mixed = [claim(raises), *CLAIMS[:2], claim(raises, id="a.again"), *CLAIMS[2:]]
    record = decide(mixed, cache, on_result=on_result, jobs=2)
    assert [id for _, id, _ in seen] == [claim.id for claim in mixed]
    assert [n for n, _, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert [earlier for _, _, earlier in seen] == [True, False, True, True, False, True]
    assert [row.id for row in record.not_decided] == ["a.raises", "a.again"]


@HERE
def test_nothing_is_made_ready_for_what_was_decided_earlier(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(CLAIMS, cache)
    ready: list[int] = []
    monkeypatch.setattr(auditing, "make_ready", lambda claims, how: ready.append(len(claims)))
    decide([*CLAIMS, claim(constant)], cache)
    assert ready == [1]


@HERE
def test_all_reports_say_so(cache: VerdictCache) -> None:
    decide(CLAIMS[:2], cache)
    record = decide([*CLAIMS[:2], claim(constant)], cache)
    assert headline(record).endswith("all as expected (2 decided earlier)")
    assert to_table(record).count("decided earlier") == 3
    assert "(expected, decided earlier)" in to_table(record)
    for suffix in (".md", ".html"):
        assert render(record, suffix).count("decided earlier") == 3
    assert "**REFUTED** (expected, decided earlier)" in render(record, ".md")
    assert [found["cached"] for found in json.loads(to_json(record))["claims"]] == [True, True, False]
    assert cached(read_audit(to_json(record))) == [True, True, False]
    earlier = [msgspec.structs.replace(result, origin="decided") for result in record.claims]
    before_there_were_origins = msgspec.structs.replace(record, claims=earlier)
    assert to_table(before_there_were_origins) == to_table(record)
    fresh = decide([claim(constant, id="a.other")], None)
    assert "earlier" not in "".join([headline(fresh), to_table(fresh), render(fresh, ".md"), render(fresh, ".html")])


@HERE
def test_another_way_of_deciding_decides_anew(cache: VerdictCache) -> None:
    """A claim that was not rechecked is a surprise where that is asked for."""
    decide(CLAIMS, cache)
    assert not any(cached(decide(CLAIMS, cache, strict=True)))
    assert all(cached(decide(CLAIMS, cache, strict=True)))


@HERE
def test_a_deep_search_is_new_each_time(cache: VerdictCache) -> None:
    decide(CLAIMS, cache)
    for _ in range(2):
        assert not any(cached(decide(CLAIMS, cache, search="deep")))


@HERE
def test_other_limits_decide_anew(cache: VerdictCache) -> None:
    decide(CLAIMS, cache)
    assert not any(cached(decide([at_its_place(claim, limits=Limits(draws=5)) for claim in CLAIMS], cache)))
    assert all(cached(decide([at_its_place(claim) for claim in CLAIMS], cache)))


def test_what_is_not_decided_for_good_is_not_kept(cache: VerdictCache, folder: Path) -> None:
    limits = Limits(paths=4)
    of_a_module = replace(claim(coin), id="a.module")
    of_a_module.stands_at(Reference(None, "m:coin"))
    claims = [
        claim(raises),
        claim(dies),
        claim(many, limits=limits),
        claim(many, id="a.known", limits=limits, expected=Status.UNDECIDED),
        claim(coin, id="a.mutant.undecided", limits=limits, mutant=many),
        replace(claim(coin), id="a.copy"),  # a changed copy stands nowhere
        of_a_module,
    ]
    record = decide(claims, cache)
    assert [row.id for row in record.not_decided] == ["a.raises", "a.dies"]
    assert "ended by signal 9, twice" in record.not_decided[1].reason
    assert [result.verdict for result in record.claims] == [Status.UNDECIDED] * 2 + [Status.PROVED] * 3
    assert kept(folder) == []


@pytest.mark.parametrize(
    ("mode", "recheck", "outside", "is_kept"),
    [
        ("another interpreter", True, True, True),
        ("another solver", True, False, True),
        ("a forked process", True, False, True),  # code inside the language has no hash seed
        ("a forked process", True, True, False),
        ("one process", True, True, False),
        ("none", False, True, True),
    ],
)
@HERE
def test_what_was_to_be_rechecked_and_was_not_is_not_kept(
    cache: VerdictCache, folder: Path, mode: str, recheck: bool, outside: bool, is_kept: bool
) -> None:
    (result,) = decide(CLAIMS[:1], None).claims
    places = [OutsideConstruct("lib.py", 1, 1, "hash(…)", "")] if outside else "inside"
    scope = msgspec.structs.replace(result.scope, recomputation=mode)
    result = msgspec.structs.replace(result, scope=scope, language=places)
    cache.begin()
    cache.note(CLAIMS[0], How(recheck=recheck), result, "")
    cache.end()
    assert len(kept(folder)) == is_kept


@HERE
def test_a_limit_that_any_part_of_it_met_is_enough(cache: VerdictCache, folder: Path) -> None:
    (result,) = decide(CLAIMS[:1], None).claims
    cache.begin()
    cache.note(CLAIMS[0], How(), msgspec.structs.replace(result, reason="raise the limit with …"), "")
    cache.note(CLAIMS[0], How(), result, "it has looked outside")
    cache.note(CLAIMS[1], How(), result, "")
    cache.end()
    assert kept(folder) == [], "met a limit, looked outside, is of another claim"


def test_an_interrupted_audit_keeps_nothing(cache: VerdictCache, folder: Path) -> None:
    def interrupt(n: int, row: Any) -> None:
        if n == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(AuditStopped):
        decide([*CLAIMS, claim(constant)], cache, on_result=interrupt)
    assert kept(folder) == []
    decide([*CLAIMS, claim(constant)], cache)
    assert len(kept(folder)) == 5


@HERE
def test_what_has_no_key_is_neither_kept_nor_found(folder: Path) -> None:
    def refuse() -> Surroundings:
        raise NoKey("it opens a file")

    cache = VerdictCache(folder, refuse)
    assert not any(cached(decide(CLAIMS, cache)))
    assert kept(folder) == []


@HERE
def test_what_changed_while_it_was_decided_is_not_kept(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mechanisms").mkdir()
    file = tmp_path / "mechanisms" / "a.py"
    file.write_text("x = 1\n")
    cache = VerdictCache(folder, lambda: Surroundings(NEVER, tmp_path))

    def change(n: int, row: Any) -> None:
        file.write_text(f"x = {n}\n")

    decide(CLAIMS, cache, on_result=change)
    assert kept(folder) == []
    decide(CLAIMS, cache)
    assert len(kept(folder)) == 4


def overwritten(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def to(file: Path) -> None:
        content = json.loads(file.read_bytes())
        change(content)
        file.write_text(json.dumps(content, separators=(",", ":")))

    return to


def another_verdict(content: dict[str, Any]) -> None:
    content["result"]["verdict"] = "REFUTED" if content["result"]["verdict"] == "PROVED" else "PROVED"


def replaced(make: Callable[[Path], Any]) -> Callable[[Path], None]:
    def by(file: Path) -> None:
        file.rename(file.with_suffix(".other"))
        make(file)

    return by


SPOILED: dict[str, Callable[[Path], Any]] = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-10]),
    "no JSON": lambda file: file.write_bytes(b"\xff{"),
    "nested": lambda file: file.write_bytes(b"[" * 100_000),
    "another form": lambda file: file.write_text('{"verdict": "PROVED"}'),
    "another field": overwritten(lambda content: content.update(more=1)),
    "another hash": overwritten(lambda content: content.update(digest="0" * 64)),
    "another verdict": overwritten(another_verdict),
    "another kind": overwritten(lambda content: content["result"].update(kind="lower bound")),
    "a folder": replaced(Path.mkdir),
    "a pipe": replaced(os.mkfifo),
    "a link": replaced(lambda file: file.symlink_to(file.with_suffix(".other"))),
    "gone": lambda file: file.unlink(),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SPOILED)
@HERE
def test_a_file_that_is_not_as_it_was_written_is_passed_over(cache: VerdictCache, folder: Path, name: str) -> None:
    first = decide(CLAIMS[:2], cache)
    for file in kept(folder):
        SPOILED[name](file)
    assert decide(CLAIMS[:2], cache) == first
    assert not list(folder.glob(".*")), "no part of a file is left behind"


@HERE
def test_the_result_of_another_claim_is_passed_over(cache: VerdictCache, folder: Path) -> None:
    """As if two claims had one key."""
    decide(CLAIMS[:1], cache)
    (file,) = kept(folder)
    content = msgspec.json.decode(file.read_bytes(), type=verdict_cache._Kept)
    for change in ({"id": "a.other"}, {"expected": Status.REFUTED}):
        other = msgspec.structs.replace(result_from_json(bytes(content.result)), **change)
        text = msgspec.json.encode(other)
        digest = verdict_cache.digest_of(file.stem, text)
        file.write_bytes(msgspec.json.encode(verdict_cache._Kept(digest, msgspec.Raw(text))))
        assert cached(decide(CLAIMS[:1], cache)) == [False]
        assert cached(decide(CLAIMS[:1], cache)) == [True]


@HERE
@pytest.mark.parametrize("said", ["decided", "journal", "another worker"])
def test_what_is_taken_from_here_says_so_whatever_it_says_of_itself(
    cache: VerdictCache, folder: Path, said: Any
) -> None:
    """A file in the folder can be written by whoever can write there: by the record one can tell."""
    decide(CLAIMS[1:2], cache)
    (file,) = kept(folder)
    forged = {"verdict": Status.PROVED, "expected": Status.REFUTED, "cached": False, "origin": said}
    content = msgspec.json.decode(file.read_bytes(), type=verdict_cache._Kept)
    text = msgspec.json.encode(msgspec.structs.replace(result_from_json(bytes(content.result)), **forged))
    file.write_bytes(
        msgspec.json.encode(verdict_cache._Kept(verdict_cache.digest_of(file.stem, text), msgspec.Raw(text)))
    )
    (found,) = decide(CLAIMS[1:2], cache).claims
    assert (found.verdict, found.cached, found.origin) == (Status.PROVED, True, "cache")


@HERE
def test_the_file_of_another_key_is_passed_over(cache: VerdictCache, folder: Path) -> None:
    decide(CLAIMS[:1], cache)
    (file,) = kept(folder)
    content = file.read_bytes()
    decide(CLAIMS[:1], cache, strict=True)
    for other in kept(folder):
        other.write_bytes(content)
    assert cached(decide(CLAIMS[:1], cache, strict=True)) == [False]
    assert cached(decide(CLAIMS[:1], cache)) == [True]


@HERE
def test_what_belongs_to_somebody_else_is_passed_over(
    cache: VerdictCache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(CLAIMS, cache)
    files = kept(folder)
    with monkeypatch.context() as other:
        other.setattr(os, "getuid", lambda: -1)
        assert not any(cached(decide(CLAIMS, cache)))
    monkeypatch.setattr(verdict_cache, "is_private", lambda folder: True)
    assert all(cached(decide(CLAIMS, cache)))
    with monkeypatch.context() as other:
        other.setattr(os, "getuid", lambda: -1)
        cache.begin()
        assert cache.earlier(CLAIMS[0], How(recheck=False)) is None
    assert kept(folder) == files


@HERE
def test_a_folder_that_others_can_write_to_is_passed_over(cache: VerdictCache, folder: Path) -> None:
    decide(CLAIMS, cache)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert not any(cached(decide(CLAIMS, cache)))
    folder.chmod(0o700)
    moved = folder.rename(folder.with_name("moved"))
    folder.symlink_to(moved)
    assert not any(cached(decide(CLAIMS, cache)))


@HERE
def test_without_a_folder_all_is_decided(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = VerdictCache(tmp_path / "file" / "folder", lambda: Surroundings(NEVER, tmp_path))
    for _ in range(2):
        assert cached(decide(CLAIMS, cache)) == [False] * 4


def test_the_oldest_go(tmp_path: Path) -> None:
    for i in range(10):
        (tmp_path / f"{i}.json").touch()
        os.utime(tmp_path / f"{i}.json", (1000 - i, 1000 - i))
    verdict_cache.forget_the_oldest(tmp_path, most=10, kept=7)
    assert len(kept(tmp_path)) == 10
    verdict_cache.forget_the_oldest(tmp_path, most=9, kept=7)
    assert [file.stem for file in kept(tmp_path)] == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize(
    ("ci", "there_is_one"),
    [
        (None, True),
        ("", True),
        ("0", True),
        ("false", True),
        ("False", True),
        ("true", False),
        ("1", False),
        ("x", False),
    ],
)
def test_there_is_none_where_ci_is_set(tmp_path: Path, ci: str | None, there_is_one: bool) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path), **({} if ci is None else {"CI": ci})}
    assert (usual_cache(environment) is not None) == there_is_one


def test_the_folder_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder({"XDG_CACHE_HOME": "/caches"}, "linux") == Path("/caches")
    assert cache_folder({"XDG_CACHE_HOME": "relative"}, "linux") == Path("/home/me/.cache")
    assert cache_folder({}, "linux") == Path("/home/me/.cache")
    assert cache_folder({"XDG_CACHE_HOME": "/caches"}, "darwin") == Path("/home/me/Library/Caches")
    assert cache_folder({"LOCALAPPDATA": "/local"}, "win32") == Path("/local")
    assert cache_folder({}, "win32") is None
