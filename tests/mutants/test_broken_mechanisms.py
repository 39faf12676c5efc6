"""Mechanisms broken by hand, as people err: each is noticed by an own claim, or there is a reason why none can.

`broken_mechanisms.json` has the text that is replaced, in which file, and a claim that notices; or else one that does
not, and why. `python -m tests.mutants.broken` asks all own quick claims.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.mutants.broken import BROKEN, ROOT, Broken, copy_of_the_tree, decided_of, own_claims

from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.claims import reaches

QUICK: Final = ("lap: scale by data",)
"""Which is decided in each run of the tests; the others take minutes together."""

EACH: Final = pytest.mark.parametrize(
    "broken",
    [pytest.param(broken, id=broken.what, marks=() if broken.what in QUICK else pytest.mark.deep) for broken in BROKEN],
)


def test_each_is_where_it_was_and_has_its_claim_or_a_reason() -> None:
    assert set(QUICK) < {broken.what for broken in BROKEN}
    assert len({broken.what for broken in BROKEN}) == len({(each.file, each.old, each.new) for each in BROKEN})
    for broken in BROKEN:
        text = (ROOT / broken.file).read_text(encoding="utf-8")
        compile(broken.of(text), broken.file, "exec")
        assert bool(broken.killed_by) is not bool(broken.keeps) and bool(broken.keeps) is bool(broken.because)
        (claim,) = selected([broken.killed_by or broken.keeps])
        assert reaches(broken.depth, claim.depth), claim.id


def test_a_text_that_occurs_twice_or_not_at_all_is_refused() -> None:
    broken = Broken("a change", "file.py", "one", "two")
    assert broken.of("one, three") == "two, three"
    for text in ("three", "one, one"):
        with pytest.raises(ValueError, match="not once"):
            broken.of(text)


def test_own_claims_are_of_the_mechanism_that_is_changed() -> None:
    own = own_claims("mechanisms/release/threshold_oracle.py")
    assert "HRS-Fig1.privacy.three-times-its-bound" in own
    assert not [name for name in own if name.startswith("LSL-")]


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    with copy_of_the_tree() as copy:
        yield copy


@EACH
def test_what_is_said_of_it_is_so(broken: Broken, tree: Path) -> None:
    before = (tree / "dpverify" / broken.file).read_bytes()
    (decided,) = decided_of(broken, tree, [broken.killed_by or broken.keeps], broken.depth)
    assert bool(decided.surprise) is bool(broken.killed_by), decided
    assert (tree / "dpverify" / broken.file).read_bytes() == before
