"""Outcomes with released noise as finitely many cells: what may be told apart, and what is refused."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, distribution, log
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.released import Slot
from dpverify.verifiers.privacy.lumping import lumped

UNITS = [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(2, 3)]


@st.composite
def slots(draw: st.DrawFn) -> Slot:
    unit = draw(st.sampled_from(UNITS))
    return Slot(draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])) % unit, unit)


PARTS = st.one_of(slots(), slots(), st.sampled_from(["a", "b", 1, Fraction(1, 2)]))
TEMPLATES = st.one_of(slots(), st.tuples(PARTS, PARTS), st.tuples(PARTS, st.tuples(PARTS)), st.tuples(slots()))


def outcomes(template: Hashable) -> set[Hashable]:
    """Those of small numbers: two lattices that meet at all do so there."""
    if isinstance(template, Slot):
        return {template.value(m) for m in range(-12, 13)}
    if isinstance(template, tuple):
        return set(product(*map(outcomes, template)))
    return {template}


@given(TEMPLATES, TEMPLATES)
def test_templates_that_share_an_outcome_are_refused_and_no_others(left: Hashable, right: Hashable) -> None:
    def mechanism(draw: Draw, database: int) -> Any:
        def filled(template: Hashable) -> Any:
            if isinstance(template, Slot):
                return template.offset + template.unit * draw(discrete_laplace(1 / log(2)))
            return tuple(map(filled, template)) if isinstance(template, tuple) else template

        return filled(left) if draw(bernoulli("0.5")) else filled(right)

    laws = [distribution(mechanism, 0)]
    if left == right or outcomes(left).isdisjoint(outcomes(right)):
        (found,) = lumped(laws, Limits(), beyond=None)
        assert sum(found.probabilities.values()) == 1
    elif any(isinstance(part, Slot) for part in _parts(left)) and any(isinstance(part, Slot) for part in _parts(right)):
        with pytest.raises(InputError, match="two kinds of outcome"):
            lumped(laws, Limits(), beyond=None)


def _parts(template: Hashable) -> list[Hashable]:
    return [found for part in template for found in _parts(part)] if isinstance(template, tuple) else [template]
