"""A step as expressions: its ranges, hypotheses and conclusion, at points and as forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from flint import arb, ctx

from dpverify.verifiers.steps.evaluation import ParameterBox
from dpverify.verifiers.steps.form import MonomialSum, form_of_term, log_of
from dpverify.verifiers.steps.ranges import Range
from dpverify.verifiers.steps.subdivision import FormDifference, Space
from dpverify.verifiers.steps.terms import Expression, Relation, greek

PRECISIONS: Final = (128, 1024)
"""Bits to which both sides are evaluated at a point: first these, and then, to make sure, those."""

_MOST: Final = 1 << 1024
"""Beyond which no numbers are tried."""

_GRID: Final = 1 << 20
"""Numbers at an end that is an expression are rounded inwards to this part of 1."""


@dataclass(frozen=True, kw_only=True)
class StepForm:
    """A step as expressions. `ends` are the ends of ranges that are expressions, by parameter."""

    parameters: Mapping[str, Range]
    ends: Mapping[str, Expression]
    given: Sequence[Relation]
    says: Relation
    tries: Sequence[Mapping[str, Fraction]]
    boxes: int

    @property
    def ranges_in_words(self) -> list[str]:
        """The ranges of all parameters."""
        return [range_.text(name, str(self.ends.get(name, ""))) for name, range_ in self.parameters.items()]

    @cached_property
    def positive(self) -> frozenset[str]:
        """The parameters that are above 0 throughout."""
        return frozenset(name for name, range_ in self.parameters.items() if range_.is_positive)

    @cached_property
    def space(self) -> Space:
        """All that is known of all boxes."""
        excluded = {
            (name, end)
            for name, range_ in self.parameters.items()
            for end, is_open in zip(range_.ends, (range_.low_open, range_.high_open), strict=True)
            if end is not None and is_open and not range_.is_dependent
        }
        return Space(self.positive, frozenset(excluded))

    @cached_property
    def whole(self) -> frozenset[str]:
        """The parameters that are enumerated in part: whole ones whose ends are numbers."""
        return frozenset(
            name for name, range_ in self.parameters.items() if range_.is_whole and not range_.is_dependent
        )

    @property
    def box(self) -> ParameterBox:
        """All parameters; of one with an end that is an expression, its quotient by it."""
        return {name: range_.ends for name, range_ in self.parameters.items()}

    def form(self, term: Expression) -> MonomialSum:
        """The normal form of an expression, in what is subdivided."""
        return form_of_term(term, self.positive, self.ends)

    @cached_property
    def gaps(self) -> list[FormDifference]:
        """Forms of which one has to be ≥ 0, or > 0: right − left, and of products that of their logarithms."""
        return self._differences(self.says.right, self.says.left)

    @cached_property
    def excesses(self) -> list[tuple[list[FormDifference], bool]]:
        """Of each hypothesis forms of which one is > 0, or with False ≥ 0, only where the hypothesis is false."""
        return [(self._differences(one.left, one.right), not one.strict) for one in self.given]

    def _differences(self, more: Expression, less: Expression) -> list[FormDifference]:
        """Forms each of which tells, where it is ≥ 0 or > 0, that one expression is at least another, or greater."""
        difference = FormDifference(self.form(more) + -self.form(less))
        if "product" not in (_shape(more), _shape(less)):
            return [difference]
        (first, its), (second, others) = (log_of(side, self.positive, self.ends) for side in (more, less))
        return [FormDifference(first + -second, (*its, *others)), difference]

    @cached_property
    def dependent(self) -> list[FormDifference]:
        """The differences that have to be positive: the ends that are expressions."""
        return [FormDifference(self.form(end)) for end in self.ends.values()]

    def point(self, coordinates: Mapping[str, Fraction]) -> dict[str, Fraction] | None:
        """The parameters at a point of the box: of an end that is an expression, a rational number inside of it."""
        values: dict[str, Fraction] = {}
        for name, range_ in self.parameters.items():
            if name not in self.ends:
                values[name] = coordinates[name]
                continue
            grid = 1 if range_.is_whole else _GRID
            with ctx.workprec(PRECISIONS[0]):
                end = self.ends[name].at(values) * Expression("number", value=coordinates[name] * grid).at({})
                rounded = end.upper().ceil() if range_.begins_with_expression else end.lower().floor()
            whole = rounded.unique_fmpz() if abs(rounded) < _MOST else None
            if whole is None:
                return None
            values[name] = Fraction(int(whole), grid)
        return values

    def admits(self, values: Mapping[str, Fraction]) -> bool:
        """True where a point lies in all ranges, and meets all hypotheses, for certain."""
        if not all(range_.holds(values[name]) for name, range_ in self.parameters.items()):
            return False
        with ctx.workprec(PRECISIONS[0]):
            return all(one.certainly(values) for one in (*self._of_ranges, *self.given))

    def fails(self, values: Mapping[str, Fraction]) -> bool:
        """True where a point meets all hypotheses and the conclusion is false, for certain, to both precisions."""
        for precision in PRECISIONS:
            with ctx.workprec(precision):
                if self.says.certainly(values) is not False:
                    return False
                if not all(one.certainly(values) for one in (*self._of_ranges, *self.given)):
                    return False
        return self.admits(values)

    @cached_property
    def _of_ranges(self) -> list[Relation]:
        relations = []
        for name, end in self.ends.items():
            own, range_ = Expression("parameter", name=name), self.parameters[name]
            sides = (end, own, range_.low_open) if range_.begins_with_expression else (own, end, range_.high_open)
            relations.append(Relation(*sides))
        return relations

    def sides(self, values: Mapping[str, Fraction]) -> tuple[arb, arb]:
        """Both sides at a point."""
        with ctx.workprec(PRECISIONS[0]):
            return self.says.left.at(values), self.says.right.at(values)


def _shape(term: Expression) -> str:
    return "product" if term.operation in ("*", "/", "^", "exp", "sqrt") else "other"


def point_in_words(values: Mapping[str, Fraction]) -> str:
    """A point for people."""
    return ", ".join(f"{greek(name)} = {_readable(value)}" for name, value in values.items())


def _readable(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:40]}… ({len(text)} digits)"
