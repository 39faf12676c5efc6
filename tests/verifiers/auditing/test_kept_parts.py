"""An audit that was interrupted within a claim goes on from the parts that were done, with the same bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.verifiers.auditing.origins import but_for_origins
from tests.verifiers.divergence.finite.test_pairs_shared_out import in_parts_of
from tests.verifiers.divergence.finite.test_scanning import compared
from tests.verifiers.divergence.parallel.sharing_cases import said
from tests.verifiers.divergence.parallel.test_sharing import InThisProcess
from tests.verifiers.problems.questions.sharing_mechanisms import ROWS, most_common

from dpverify.mechanisms import Distribution, Draw, exact
from dpverify.verifiers import Claim, Multisets, add_or_remove_one, audit
from dpverify.verifiers.auditing.cache import cached_parts as kept_parts
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings
from dpverify.verifiers.auditing.cache.cached_parts import CachedParts, forget, forget_all
from dpverify.verifiers.auditing.cache.journal import Journal
from dpverify.verifiers.divergence.finite.scanned_in_parts import Scanning
from dpverify.verifiers.divergence.parallel import sharing
from dpverify.verifiers.locations import Reference
from dpverify.verifiers.problems.neighbours.pairs import _Counting
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.workplace import Workplace


class Named:
    """Work that counts how often it is done."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.times = 0

    def prepare(self) -> None: ...

    def done(self, part: range) -> bytes:
        self.times += 1
        return f"{self.name} {part}".encode()


PARTS = [range(2), range(2, 3), range(3, 9)]


@pytest.fixture
def at_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_parts, "_OFTEN", 0.0)
        yield


@pytest.fixture
def kept(tmp_path: Path, at_once: None) -> Callable[..., CachedParts]:
    def made(surroundings: str = "these", changed: bool = False) -> CachedParts:
        return CachedParts(tmp_path / "folder" / "parts", surroundings, lambda: changed)

    return made


def times(work: Named, where: CachedParts) -> int:
    """How many parts are done."""
    before = work.times
    assert list(Workplace(kept=where).done(work, PARTS)) == [Named(work.name).done(part) for part in PARTS]
    return work.times - before


def test_parts_that_were_done_are_not_done_again(kept: Callable[..., CachedParts], tmp_path: Path) -> None:
    work = Named("work")
    assert times(work, kept()) == 3
    assert times(work, kept()) == 0
    assert times(Named("other"), kept()) == 3
    assert times(work, kept("others")) == 3
    file = tmp_path / "folder" / "parts"
    lines = file.read_bytes().split()
    file.write_bytes(b"\n".join([lines[1], b"{}", b"null", b"\xff", lines[2][:-20]]))
    assert times(work, kept()) == 2
    assert times(work, kept()) == 0, "what was half written costs itself alone"
    first, second = (msgspec.json.decode(line) for line in lines[:2])
    file.write_bytes(msgspec.json.encode({**first, "content": second["content"]}) + b"\n" + lines[1])
    assert times(work, kept()) == 2, "one that has another content is not whole"
    forget(file)
    forget(file)
    assert times(work, kept()) == 3


def test_what_changes_meanwhile_is_not_written(kept: Callable[..., CachedParts], tmp_path: Path) -> None:
    assert times(Named("work"), kept(changed=True)) == 3
    assert not (tmp_path / "folder").exists()


def test_a_single_part_is_not_written(kept: Callable[..., CachedParts], tmp_path: Path) -> None:
    assert list(Workplace(kept=kept()).done(Named("work"), PARTS[:1])) == [b"work range(0, 2)"]
    assert not (tmp_path / "folder").exists()


def test_a_folder_that_is_gone_costs_nothing(tmp_path: Path) -> None:
    assert times(Named("work"), CachedParts(tmp_path / "gone" / "folder" / "parts", "these", lambda: False)) == 3
    (tmp_path / "file").touch()
    assert times(Named("work"), CachedParts(tmp_path / "file" / "parts", "these", lambda: False)) == 3


def test_nothing_of_others_is_removed(tmp_path: Path) -> None:
    for name in ("0" * 64, "ab" * 32, "0" * 63, "mine"):
        (tmp_path / name).touch()
    forget_all(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0" * 63, "mine"]
    forget_all(tmp_path / "gone")


def test_other_laws_have_other_names() -> None:
    """Each with the same numbers in the same order."""
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1)]
    one, two, three = (Distribution(dict(enumerate(weights))) for weights in ((1, 1, 2), (2, 1, 1), (1, 2, 1)))
    cases = [[one, two, one], [one, two, two], [one, three, one], [one, three, three]]
    names = {Scanning(*compared(laws, pairs), PrivacyGuarantee(exact(1), exact(0))).name for laws in (*cases, *cases)}
    assert len(names) == 4


# --- Of checks


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """The parts that are done in this process; there are many."""
    in_parts_of(monkeypatch, 150)
    noted: list[range] = []
    for kind in (Scanning, _Counting):

        def noting(self: Any, part: range, of_kind: Any = kind.done) -> Any:
            noted.append(part)
            return of_kind(self, part)

        monkeypatch.setattr(kind, "done", noting)
    return noted


def more_common(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(most_common, rows, epsilon=2 * epsilon)


def test_a_check_goes_on_from_its_parts(kept: Callable[..., CachedParts], done: list[range]) -> None:
    parts = kept()
    whole = said(most_common, ROWS, None, parts)
    every = len(done)
    assert every > 8
    assert said(most_common, ROWS, None, parts) == whole
    assert len(done) == every
    broken = said(more_common, ROWS, None, parts)
    assert len(done) > every, "other laws have other parts"
    assert broken == said(more_common, ROWS, None) != whole


@pytest.mark.parametrize("other", [{"epsilon": "1/2"}, {"delta": "1/10"}, {"neighbours": add_or_remove_one}])
def test_another_claim_on_the_same_laws_has_other_parts(
    kept: Callable[..., CachedParts], done: list[range], other: dict[str, Any]
) -> None:
    domain, given, parts = Multisets(range(3), sizes=range(2, 5)), {"epsilon": 1}, kept()
    alone = said(most_common, domain, None, parameters=given, **other)
    said(most_common, domain, None, parts, parameters=given)
    assert said(most_common, domain, None, parts, parameters=given, **other) == alone


def test_parts_are_known_again_whoever_found_the_laws(
    kept: Callable[..., CachedParts], done: list[range], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laws that others find are of numbers that were made in another order."""
    alone = said(most_common, ROWS, None, kept())
    every = len(done)
    monkeypatch.setattr(sharing, "_is_worth_it", lambda helpers, begun, count, done: done >= 2)
    assert said(most_common, ROWS, InThisProcess(), kept()) == alone
    assert len(done) == every


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is kept where nothing is forked")
def test_a_journal_has_the_parts_of_claims_that_are_not_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: None, done: list[range]
) -> None:
    def journal() -> Journal:
        return Journal(tmp_path / "journal", lambda: Surroundings(2**80, tmp_path / "package"))

    claims = [
        Claim(id="a", mechanism=most_common, domain=ROWS, epsilon=1, source="test"),
        Claim(id="b", mechanism=most_common, domain=ROWS, epsilon=1, delta="1/10", source="test"),
    ]
    for each in claims:
        each.stands_at(Reference("/claims_of_a_journal.py", each.id))
    whole = audit(claims, recheck=False)
    noted = Scanning.done

    def dies(self: Scanning, part: range) -> bytes:
        if part.start > 6 and self._given[-1].delta == 0:
            os._exit(7)
        (tmp_path / f"done {self._given[-1].delta == 0} {part.start}").touch()
        return noted(self, part)

    with monkeypatch.context() as patch:
        patch.setattr(Scanning, "done", dies)
        record = audit(claims, recheck=False, cache=journal())
        assert "ended with status 7" in record.not_decided[0].reason
    before = {path.name for path in tmp_path.glob("done *")}
    assert len(before) > 1

    def again(self: Scanning, part: range) -> bytes:
        (tmp_path / f"again {self._given[-1].delta == 0} {part.start}").touch()
        return noted(self, part)

    monkeypatch.setattr(Scanning, "done", again)
    assert len(list((tmp_path / "journal.parts").iterdir())) == 1, "of the claim that is not decided"
    resumed = audit(claims, recheck=False, cache=journal())
    assert but_for_origins(resumed) == whole
    # that of the first was decided now, from parts that were taken
    assert [(claim.origin, claim.cached) for claim in resumed.claims] == [("journal", False), ("journal", True)]
    after = {path.name.replace("again", "done") for path in tmp_path.glob("again *")}
    assert after and not after & before
    assert not (tmp_path / "journal.parts").exists()
