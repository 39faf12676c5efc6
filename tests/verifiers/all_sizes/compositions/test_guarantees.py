"""The worst δ of adaptive compositions, against the law of the hardest mechanisms and against all ways to go on."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import exact, exp, log
from dpverify.mechanisms.selection.composition import hardest_composition
from dpverify.verifiers import check_privacy, replace_one
from dpverify.verifiers.all_sizes.compositions.guarantees import GuaranteePath, GuaranteeTree, guarantee_tree
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

HALF = Fraction(1, 2)


def of(epsilon: Any, delta: Any = 0) -> PrivacyGuarantee:
    return PrivacyGuarantee(exact(epsilon), exact(delta))


@pytest.mark.parametrize(
    ("times", "epsilon", "delta", "at"), [(3, 1, 0, 1), (2, HALF, Fraction(1, 10), HALF), (4, 1, 0, 3)]
)
def test_of_equal_parts_it_is_the_hardest_composition(times: int, epsilon: Any, delta: Any, at: Any) -> None:
    tree = guarantee_tree([[of(epsilon, delta)] * times])
    given = {"times": times, "epsilon": epsilon, "delta": delta}
    verdict = check_privacy(_of_bit, [(0,), (1,)], replace_one, epsilon=at, parameters=given, recheck=False)
    assert verdict.delta is not None
    assert verdict.delta.exact == tree.delta_at(exact(at))


def _of_bit(draw: Any, row: tuple[int], **given: Any) -> Any:
    return draw(hardest_composition, row[0], **given)


Law = dict[tuple[Any, ...], tuple[Fraction, Fraction]]
"""Outcome → its probability for the bit 0, and for the bit 1."""


def responses(odds: int, delta: Fraction) -> Law:
    """Randomized response at ε = ln(odds) that leaks with probability δ."""
    kept = 1 - delta
    truth, lie = kept * Fraction(odds, 1 + odds), kept * Fraction(1, 1 + odds)
    return {
        ("leak", 0): (delta, Fraction(0)),
        ("leak", 1): (Fraction(0), delta),
        (0,): (truth, lie),
        (1,): (lie, truth),
    }


def worst_by_hand(tree: GuaranteeTree, odds: dict[Any, int], bound: Fraction) -> Fraction:
    """Σ (p − bound·q)⁺ of the worst strategy: of all ways to go on after each outcome, tried one by one."""

    def laws(tree: GuaranteeTree) -> list[Law]:
        found: list[Law] = [{(): (Fraction(1), Fraction(1))}] if tree.may_end else []
        for guarantee, further in tree.next:
            first = responses(odds[guarantee.epsilon], Fraction(str(guarantee.delta)))
            for chosen in product(laws(further), repeat=len(first)):
                law: Law = {}
                for (outcome, (p, q)), rest in zip(first.items(), chosen, strict=True):
                    for after, (r, s) in rest.items():
                        law[(*outcome, *after)] = (p * r, q * s)
                found.append(law)
        return found

    return max(sum((max(Fraction(0), p - bound * q) for p, q in law.values()), Fraction(0)) for law in laws(tree))


TWO, THREE = of(log(2)), of(log(3), Fraction(1, 10))
ODDS = {TWO.epsilon: 2, THREE.epsilon: 3}
TREES: list[list[GuaranteePath]] = [
    [[TWO, THREE]],
    [[TWO, TWO], [TWO, THREE]],
    [[TWO], [TWO, THREE]],
    [[TWO, THREE], [THREE]],
    [[], [THREE, TWO]],
]


@in_one("paths", TREES)
@in_one("bound", [1, 2, 3, Fraction(1, 2)])
def test_what_is_adaptive_is_as_bad_as_the_worst_way_to_go_on(paths: list[GuaranteePath], bound: Any) -> None:
    tree = guarantee_tree(paths)
    assert tree.delta_at(log(bound)) == worst_by_hand(tree, ODDS, Fraction(bound))


def test_the_worst_path_alone_does_not_bound_it() -> None:
    """After a lie little is lost with one part, after the truth with another: to choose is worse than either path."""
    small, large = of(log(2)), of(log(5))
    paths = [[large, small], [large, large]]
    at = log(7)
    chosen = guarantee_tree(paths).delta_at(at)
    assert all(guarantee_tree([path]).delta_at(at) <= chosen for path in paths)
    early, late = [of(log(3)), of(0, HALF)], [of(log(3)), of(log(9))]
    both = guarantee_tree([early, late]).delta_at(log(4))
    assert both > max(guarantee_tree([early]).delta_at(log(4)), guarantee_tree([late]).delta_at(log(4)))


def test_sums_bound_it() -> None:
    tree = guarantee_tree([[TWO, THREE], [TWO, TWO, TWO]])
    assert tree.most_epsilon == log(8)
    assert tree.most_leaked == Fraction(1, 10)
    assert tree.delta_at(tree.most_epsilon) <= tree.most_leaked
    assert guarantee_tree([[THREE, THREE]]).most_leaked == Fraction(19, 100)
    assert guarantee_tree([[THREE, THREE]]).delta_at(log(9)) == Fraction(19, 100)


def test_nothing_is_needed_without_parts() -> None:
    tree = guarantee_tree([[]])
    assert tree.delta_at(exact(0)) == 0
    assert tree.most_epsilon == 0
    assert tree.delta_at(log(HALF)) == HALF
    assert exp(tree.most_epsilon) == 1
