"""Released numbers that a threshold ties: laws and largest ratios against floats on a grid, and what is refuted."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import exp as float_exp
from math import log as ln
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.mechanisms import Draw, Undecided, bernoulli, distribution, exact, exp, laplace, run
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.outputs import AnyReal, AtLeast, AtMost
from dpverify.mechanisms.outputs.tied_reals import StarLeaf, TiedReals
from dpverify.verifiers import Status, check_privacy, privacy_profile
from dpverify.verifiers.divergence.densities.cells import RatioBound
from dpverify.verifiers.divergence.densities.tied import _direction

Floats = NDArray[np.float64]
GRID = np.arange(-300, 301) / 10
STEP = 1 / 10


def twice(draw: Draw, scores: tuple[int, ...], *, scale: int = 2) -> Any:
    """The first two scores above a noisy threshold, with their values: one noise is compared and released."""
    threshold = 1 + draw(laplace(2))
    answers: list[Any] = []
    left = 2
    for score in scores:
        noisy = score + draw(laplace(scale))
        if noisy >= threshold:
            answers.append(noisy)
            left -= 1
        else:
            answers.append(None)
        if not left:
            break
    return tuple(answers)


def _density(x: Floats, scale: float) -> Floats:
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def _below(x: Floats, scale: float) -> Floats:
    return np.where(x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2)


def _joint(scores: tuple[int, ...], shape: tuple[bool, ...], scale: float) -> Floats:
    """The joint density of two released numbers on the grid: ∏ f(y - score)·Pr[threshold below both, others below it]."""
    hub = _density(GRID - 1, 2.0)
    released = []
    for score, is_released in zip(scores, shape, strict=False):
        if is_released:
            released.append(_density(GRID - score, scale))
        else:
            hub = hub * _below(GRID - score, scale)
    mass = np.cumsum(hub) * STEP
    at = np.arange(len(GRID))
    found: Floats = released[0][:, None] * released[1][None, :] * mass[np.minimum(at[:, None], at[None, :])]
    return found


SHAPES = [(True, True), (True, False, True), (False, True, True)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_probabilities_of_boxes(shape: tuple[bool, ...]) -> None:
    scores = (1, 0, 2)
    law = distribution(twice, scores)
    joint = _joint(scores, shape, 2.0)
    for cells, rows, columns in (
        ((AnyReal(), AnyReal()), GRID == GRID, GRID == GRID),
        ((AtLeast(1), AtMost(2)), GRID >= 1, GRID <= 2),
    ):
        released = iter(cells)
        outcome = tuple(next(released) if is_released else None for is_released in shape)
        by_hand = joint[np.ix_(rows, columns)].sum() * STEP**2
        assert float(enclosure(law.probability(outcome))) == pytest.approx(by_hand, abs=1e-2)


def test_numbers_below_a_threshold_are_the_mirror_image_of_those_above() -> None:
    def mirrored(draw: Draw, scores: tuple[int, ...]) -> Any:
        threshold = -1 + draw(laplace(2))
        first, second = (draw(laplace(2)) - score for score in scores)
        return (first, second) if first <= threshold and second <= threshold else None

    mine, theirs = distribution(mirrored, (1, 0)), distribution(twice, (1, 0))
    assert mine.probability((AnyReal(), AnyReal())) == theirs.probability((AnyReal(), AnyReal()))
    assert mine.probability((AtMost(-1), AtLeast(-2))) == theirs.probability((AtLeast(1), AtMost(2)))


def test_groups_are_equal_where_all_of_them_is() -> None:
    tied = TiedReals(laplace(2).density, tuple(StarLeaf(laplace(i).density, exact(i), True) for i in (1, 2)))
    first, second = tied.arms
    others = [
        replace(tied, hub=laplace(1).density),
        replace(tied, arms=(first,)),
        *(replace(tied, arms=(second, arm)) for arm in tied.arms),
        *(
            replace(tied, arms=arms)
            for change in ({"density": tied.hub.scaled(exact(2))}, {"bound": exact(3)}, {"is_above_hub": False})
            for arms in ((replace(first, **change), second), (first, replace(second, **change)))
        ),
    ]
    assert tied == replace(tied, arms=(replace(first, density=first.density.scaled(exact(1))), replace(second)))
    assert tied != 1
    assert all(tied != other and other != tied for other in others)


def test_runs_follow_the_law() -> None:
    law = distribution(twice, (1, 0, 2))
    count = 600
    shapes = Counter(tuple(value is not None for value in run(twice, (1, 0, 2), seed=seed)) for seed in range(count))
    for shape in SHAPES:
        p = float(enclosure(law.probability(tuple(AnyReal() if is_released else None for is_released in shape))))
        assert abs(shapes[shape] / count - p) < 5 * (p / count) ** 0.5


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("p", "q"), [((1, 0, 1), (0, 1, 0)), ((1, 1, 1), (0, 0, 0)), ((0, 0, 0), (1, 0, 0)), ((0, 1, 1), (1, 0, 1))]
)
@pytest.mark.parametrize("scale", [2, 3])
def test_the_largest_ratio(p: tuple[int, ...], q: tuple[int, ...], scale: int) -> None:
    verdict = check_privacy(
        twice, [p, q], lambda d: [q if d == p else p], epsilon=3, parameters={"scale": scale}, recheck=False
    )
    assert verdict.status is Status.PROVED, verdict.reason
    assert verdict.epsilon is not None
    largest = 0.0
    for shape in SHAPES:
        ratios = _joint(p, shape, scale) / _joint(q, shape, scale)
        largest = max(largest, float(ln(ratios.max())), -float(ln(ratios.min())))
    # outcomes with one number or none count less on these pairs; far from the scores a ratio is the same everywhere
    assert float(verdict.epsilon.lower) == pytest.approx(largest, abs=1e-9)


def test_what_is_refuted_by_a_box() -> None:
    p, q = (1, 1, 1), (0, 0, 0)
    verdict = check_privacy(twice, [p, q], lambda d: [q if d == p else p], epsilon="3/4", delta="1/100")
    assert verdict.status is Status.REFUTED
    assert verdict.delta is None  # of what is not in boxes nothing is known
    witness = verdict.witness
    assert witness is not None
    assert witness.p - exp("3/4") * witness.q > witness.delta
    assert float(enclosure(witness.p)) > float_exp(0.75) * float(enclosure(witness.q))


def test_beside_a_cut_number_its_masses_count_on_either_side() -> None:
    """Three numbers are released, two of them tied and the third only from 1 on, which has mass 1/2 or 1/(2·√e)."""

    def beside(draw: Draw, x: int) -> Any:
        threshold = 1 + draw(laplace(2))
        first, second, alone = (x + draw(laplace(2)) for _ in range(3))
        return (first, second, alone) if first >= threshold and second >= threshold and alone >= 1 else None

    witness = check_privacy(beside, [0, 1], lambda d: [1 - d], epsilon="1/2", delta="1/100", recheck=False).witness
    assert witness is not None
    (cells,) = witness.event
    assert cells == (AtLeast(1), AtLeast(1), AnyReal())
    assert (witness.left, witness.right) == (1, 0)
    for x, found in ((1, witness.p), (0, witness.q)):
        joint = _joint((x, x), (True, True), 2.0)[np.ix_(GRID >= 1, GRID >= 1)].sum() * STEP**2
        alone = 0.5 if x == 1 else 0.5 * float_exp(-0.5)
        assert float(enclosure(found)) == pytest.approx(joint * alone, abs=1e-2)
    assert witness.p == Fraction(1, 12), "the threshold lies below both half as often as it is the first of three"


def test_what_is_not_decided() -> None:
    p, q = (1, 1, 1), (0, 0, 0)
    verdict = check_privacy(twice, [p, q], lambda d: [q if d == p else p], epsilon="3/4", delta="1/2")
    assert verdict.status is Status.UNDECIDED
    assert "tied to each other" in verdict.reason
    assert privacy_profile(twice, [p, q], lambda d: [q if d == p else p], recheck=False).epsilon() is not None


NEEDS_MOST, NEEDS_LESS = ((1, 1, 1), (0, 0, 0)), ((0, 0, 0), (1, 0, 0))


def among(*pairs: tuple[tuple[int, ...], tuple[int, ...]], **claim: Any) -> Any:
    """The verdict on these pairs, both ways."""
    databases = list(dict.fromkeys(x for pair in pairs for x in pair))
    both = [*pairs, *((right, left) for left, right in pairs)]
    return check_privacy(twice, databases, lambda d: [b for a, b in both if a == d], recheck=False, **claim)


@pytest.mark.deep
def test_an_exact_epsilon_beside_an_undecided_pair_is_proved_of_that_pair_too() -> None:
    """How much δ some pair needs may be open where its largest ratio is known: the exact ε is the largest of all."""
    alone = [among(pair, epsilon=3) for pair in (NEEDS_MOST, NEEDS_LESS)]
    exactly = [verdict.epsilon.exact for verdict in alone]
    assert exactly[0] > exactly[1]
    claim = {"epsilon": "1/5", "delta": "1/10"}
    by_itself = [among(pair, **claim) for pair in (NEEDS_MOST, NEEDS_LESS)]
    assert [verdict.status for verdict in by_itself] == [Status.REFUTED, Status.UNDECIDED]
    together = among(NEEDS_MOST, NEEDS_LESS, **claim)
    assert together.status is Status.REFUTED
    assert together.epsilon.exact == exactly[0]
    assert together.delta is None
    assert among(NEEDS_LESS, **claim).epsilon is None


def test_where_the_largest_ratio_of_a_pair_is_not_known_no_epsilon_is_said_of_all() -> None:
    def on_both_sides(draw: Draw, x: int) -> Any:
        if x > 1:
            return draw(bernoulli(Fraction(x, 5)))
        threshold, first, second = draw(laplace(2)), x + draw(laplace(2)), draw(laplace(2))
        return (first, second) if first >= threshold >= second else None

    refuted = check_privacy(on_both_sides, [2, 3], lambda d: [5 - d], epsilon="1/10")
    assert (refuted.status, refuted.epsilon is None) == (Status.REFUTED, False)
    verdict = check_privacy(on_both_sides, range(4), lambda d: [d ^ 1], epsilon="1/10")
    assert verdict.status is Status.UNDECIDED
    assert "from both sides" in verdict.reason
    assert verdict.epsilon is None


def test_a_largest_ratio_without_a_closed_form_proves_what_is_above_all_that_it_may_be() -> None:
    ratio = RatioBound(exact(2), exact(1), Fraction(1, 4))
    assert ratio.is_at_most(exact(3))
    assert ratio.is_at_most(exact("5/2"))
    assert not ratio.is_at_most(exact("249/100"))
    assert not ratio.is_at_most(exact(2)), "it may be larger"
    assert RatioBound(exact(2), exact(1)).is_at_most(exact(2))
    assert not RatioBound(exact(2), exact(1)).is_at_most(exact("199/100"))


def test_which_way_a_ratio_goes_is_seen_on_all_stretches() -> None:
    narrow, wide = laplace(1).density, laplace(2).density
    moved = narrow.composed(exact(1), exact(-1))
    assert [_direction(*pair) for pair in ((narrow, moved), (moved, narrow), (narrow, narrow))] == [-1, 1, 0]
    for pair in ((narrow, wide), (wide, narrow)):
        with pytest.raises(Undecided, match="scales that depend on the data"):
            _direction(*pair)


def test_two_groups_of_one_law_are_two() -> None:
    def both(draw: Draw, scores: tuple[int, ...]) -> Any:
        return draw(twice, scores), draw(twice, scores)

    one, two = distribution(twice, (1, 1)), distribution(both, (1, 1))
    released = (AtLeast(1), AtLeast(2))
    assert two.probability((released, released)) == one.probability(released) ** 2
