"""Outcomes with released noise as finitely many cells: what may be told apart, and what is refused."""

import re
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.examples import few

from dpverify.mechanisms import (
    Draw,
    Exact,
    InputError,
    bernoulli,
    discrete_laplace,
    distribution,
    exact,
    geometric,
    log,
)
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import LimitMet
from dpverify.mechanisms.numbers.exact_numbers import total
from dpverify.mechanisms.outputs import AtLeast, AtMost
from dpverify.mechanisms.outputs.templates import Slot
from dpverify.verifiers.divergence.output_tables.lumping import lumped
from dpverify.verifiers.divergence.output_tables.tails import without_parts

UNITS = [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(2, 3)]


@st.composite
def slots(draw: st.DrawFn) -> Slot:
    unit = draw(st.sampled_from(UNITS))
    return Slot(draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])) % unit, unit)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Hashable, Hashable]:
    """Two templates, mostly of one shape and alike but in one place; both have a slot."""

    def parts() -> tuple[Hashable, Hashable]:
        slot, label, number = draw(slots()), draw(st.sampled_from("ab")), draw(st.sampled_from([1, Fraction(1, 2)]))
        return draw(st.sampled_from([("a", "a"), ("a", label), (slot, draw(slots())), (slot, number), (number, slot)]))

    (a, b), (c, d) = parts(), parts()
    same, other = draw(slots()), draw(slots())
    shapes: list[tuple[Hashable, Hashable]] = [
        (same, other),
        ((a, same), (b, same)),
        ((a, c, same), (b, d, other)),
        ((same, (a,)), (other, (b,))),
        ((a, same), (same,)),
        (("a", same), same),
    ]
    return draw(st.sampled_from(shapes))


def outcomes(template: Hashable) -> set[Hashable]:
    """Those of small numbers: two lattices that meet at all do so there."""
    if isinstance(template, Slot):
        return {template.value(m) for m in range(-12, 13)}
    if isinstance(template, tuple):
        return set(product(*map(outcomes, template)))
    return {template}


def on_two_lattices(left: Hashable, right: Hashable) -> bool:
    """Whether in some place both have slots, with other numbers."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return any(map(on_two_lattices, left, right))
    return isinstance(left, Slot) and isinstance(right, Slot) and left != right


SAME = Slot(Fraction(0), Fraction(1))


@given(pairs())
@example((("a", SAME), ("a", Slot(Fraction(0), Fraction(1, 2)))))
@example((Slot(Fraction(1, 3), Fraction(1, 2)), Slot(Fraction(1, 2), Fraction(2, 3))))
@example((Slot(Fraction(1, 4), Fraction(1, 2)), Slot(Fraction(0), Fraction(1))))
@example(((1, SAME), (SAME, SAME)))
@example(((Fraction(1, 2), SAME), (SAME, SAME)))
def test_templates_that_share_an_outcome_on_two_lattices_are_refused_and_no_others(
    case: tuple[Hashable, Hashable],
) -> None:
    left, right = case

    def filled(draw: Draw, template: Hashable) -> Any:
        if isinstance(template, Slot):
            return template.offset + template.unit * draw(discrete_laplace(1 / log(2)))
        return tuple(filled(draw, part) for part in template) if isinstance(template, tuple) else template

    def mechanism(draw: Draw, database: int) -> Any:
        return filled(draw, left) if draw(bernoulli("0.5")) else filled(draw, right)

    laws = [distribution(mechanism, 0)]
    if left == right or outcomes(left).isdisjoint(outcomes(right)) or not on_two_lattices(left, right):
        (found,) = lumped(laws, Limits(), beyond=None)
        assert total(found.probabilities.values()) == 1
        for outcome, probability in found.probabilities.items():
            assert laws[0].probability(outcome) == probability
    else:
        with pytest.raises(InputError, match="two kinds of outcome"):
            lumped(laws, Limits(), beyond=None)


@pytest.mark.parametrize("beyond", [None, 1])
def test_as_many_cells_as_the_limit_are_made(beyond: int | None) -> None:
    """Of which one more or fewer is told by the message, which counts them."""

    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(1))
        return noise if beyond is None or noise >= draw(discrete_laplace(1)) else "less"

    laws = [distribution(mechanism, 0)]
    with pytest.raises(LimitMet, match=r"makes [0-9]+ probabilities of cells") as met:
        lumped(laws, Limits(cells=1), beyond=beyond)
    count = int(re.findall("makes ([0-9]+) ", str(met.value))[0])
    with pytest.raises(LimitMet):
        lumped(laws, Limits(cells=count - 1), beyond=beyond)
    if beyond is None:
        assert len(lumped(laws, Limits(cells=count), beyond=beyond)) == 1


def largest_and_excess(laws: list[Any], factor: Exact) -> tuple[Exact, Exact]:
    """The largest p/q and Σ max(0, p − factor·q) over all cells."""
    p, q = laws
    sides = [(p.probability(cell), q.probability(cell)) for cell in p.probabilities]
    return max(a / b for a, b in sides), total(max(exact(0), a - factor * b) for a, b in sides)


@few(6, deep=120)
@given(
    st.lists(st.integers(-7, 7), min_size=2, max_size=2),
    st.integers(-9, 9),
    st.sampled_from([0, 1]),
    st.integers(-4, 4),
)
@example([6, 7], 0, 1, 0)
@example([-4, 7], 2, 1, -4)
def test_numbers_that_fall_off_alike_are_one_cell_with_nothing_lost(
    counts: list[int], cut: int, kind: int, power: int
) -> None:
    """Of counts that are cut, also where one count lies on either side: each number a cell of its own is the oracle."""

    def mechanism(draw: Draw, n: int) -> Any:
        noisy = n + draw(discrete_laplace(1 / log(2)) if kind else geometric(1 / log(2)))
        return cut if noisy < cut else noisy

    laws = [distribution(mechanism, n) for n in counts]
    few_cells, all_cells = (lumped(laws, Limits(), beyond=None, in_stretches=way) for way in (True, False))
    assert len(few_cells[0].probabilities) <= len(all_cells[0].probabilities)
    for law, found in zip(laws, few_cells, strict=True):
        assert total(found.probabilities.values()) == 1
        for cell, probability in found.probabilities.items():
            assert law.probability(cell) == probability
    if kind:
        factor = exact(Fraction(2) ** power)
        assert largest_and_excess(few_cells, factor) == largest_and_excess(all_cells, factor)


@few(6, deep=120)
@given(st.integers(-9, 9), st.integers(-3, 3), st.sampled_from([(2, 2), (2, 3), (3, 2)]), st.sampled_from([1, -1]))
@example(6, 0, (2, 2), 1)
def test_cells_and_tails_have_the_probabilities_of_the_law(
    threshold: int, database: int, bases: tuple[int, int], way: int
) -> None:
    """Of a number that was compared with other noise, whose density changes where that is, far from its centre or not."""

    def mechanism(draw: Draw, database: int) -> Any:
        first, second = (draw(discrete_laplace(1 / log(base))) for base in bases)
        return way * first + database if first - second >= -threshold else "other"

    laws = [distribution(mechanism, database), distribution(mechanism, 0)]
    for law, found in zip(laws, lumped(laws, Limits(), beyond=1), strict=True):
        whole: dict[Hashable, list[Exact]] = {}
        for outcome, probability in found.probabilities.items():
            whole.setdefault(without_parts(outcome), []).append(probability)
        assert {type(outcome) for outcome in whole} == {str, int, AtLeast, AtMost}
        assert total(found.probabilities.values()) == 1
        for outcome, parts in whole.items():
            assert total(parts) == law.probability(outcome)
            assert all(part >= 0 for part in parts)
