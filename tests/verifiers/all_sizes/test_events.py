"""The worst event at δ > 0: of outcomes that exceed each other by turns, those that do at one point."""

import re
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, total
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.positivity.positivity import Abandoned
from dpverify.mechanisms.numbers.roots.substitution import PointSubstitution
from dpverify.verifiers.all_sizes import decision
from dpverify.verifiers.all_sizes.decision import violated
from dpverify.verifiers.all_sizes.regions.released import DistributionOnRegion

_DECAY = exp(-coordinate(0))
_OTHER = exp(-coordinate(1) / 2)


def test_outcomes_that_exceed_by_turns() -> None:
    """One has 1/4 more where the score is 0 and the other far out, and together they never have more."""
    quarter = exact(Fraction(1, 4))
    p = DistributionOnRegion({"near": _DECAY / 2, "far": (1 - _DECAY) / 2, "rest": exact(Fraction(1, 2))}, {})
    q = DistributionOnRegion({"near": quarter, "far": quarter, "rest": exact(Fraction(1, 2))}, {})
    assert violated(p, q, ONE, exact(Fraction(1, 5))) is not None
    assert violated(p, q, ONE, quarter) is None


def test_outcomes_that_always_exceed_count_as_well() -> None:
    p = DistributionOnRegion({"always": 1 + _DECAY, "sometimes": _OTHER}, {})
    q = DistributionOnRegion({"always": ONE / 2, "sometimes": ONE / 2}, {})
    assert violated(p, q, ONE, exact(Fraction(19, 10))) is not None
    assert violated(p, q, ONE, exact(2)) is None


_SOME = [ZERO, ONE, exact(Fraction(1, 2)), _DECAY, 1 - _DECAY, _OTHER, _DECAY * _OTHER, _DECAY / 3]
_NUMBERS = st.integers(0, len(_SOME) - 1).map(_SOME.__getitem__)


@few(20, deep=400)
@given(st.lists(st.tuples(_NUMBERS, _NUMBERS), min_size=1, max_size=3), st.integers(1, 12))
def test_it_is_what_the_points_say(pairs: list[tuple[Exact, Exact]], twelfths: int) -> None:
    delta = exact(Fraction(twelfths, 6))
    p = DistributionOnRegion({i: above for i, (above, _) in enumerate(pairs)}, {})
    q = DistributionOnRegion({i: below for i, (_, below) in enumerate(pairs)}, {})

    def excess(point: tuple[int, ...]) -> Exact:
        at = PointSubstitution(dict(enumerate(point)))
        differences = [at(above - below) for above, below in pairs]
        return total(difference for difference in differences if difference > 0)

    try:
        found = violated(p, q, ONE, delta)
    except Undecided:
        return
    if found is None:
        assert all(excess(point) <= delta for point in product(range(6), repeat=2))
    else:
        assert excess((found.get(0, 0), found.get(1, 0))) > delta


@pytest.mark.parametrize(("delta", "event"), [(ZERO, "{'near'}"), (ONE / 9, "{'near', 'far'}")])
def test_what_is_not_found_names_its_event(delta: Exact, event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "decide_nowhere_positive", lambda f: Abandoned("numbers are too large"))
    law = DistributionOnRegion({"near": _DECAY / 2, "far": (1 - _DECAY) / 2}, {})
    with pytest.raises(Undecided, match=re.escape(f"whether the event {event} is too probable is not known: numbers")):
        violated(law, law, ONE, delta)


def test_too_many_events_are_not_tried() -> None:
    names = range(12)
    p = DistributionOnRegion({i: exp(-coordinate(0) * (i + 1)) for i in names}, {})
    q = DistributionOnRegion(dict.fromkeys(names, ONE / 2), {})
    with pytest.raises(Undecided, match="12 outcomes"):
        violated(p, q, ONE, ONE / 3)
