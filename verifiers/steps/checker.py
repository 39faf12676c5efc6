"""Deciding steps: boxes are certified, found outside of the hypotheses, or split; points are tried on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from typing import Final

from flint import arb, ctx

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.kinds.step import StepPoint, StepResult
from dpverify.reports.record import NOT_RECHECKED, BrokenVariant, Scope, Status
from dpverify.verifiers.steps.evaluation import ParameterBox
from dpverify.verifiers.steps.question import PRECISIONS, StepForm, point_in_words
from dpverify.verifiers.steps.ranges import Range
from dpverify.verifiers.steps.statement import StepStatement
from dpverify.verifiers.steps.subdivision import halves, inside, nonnegative, to_split
from dpverify.verifiers.steps.terms import greek

_MOST_POINTS: Final = 729
"""Points of a grid that are tried before boxes are split."""


@dataclass
class _Result:
    """The finding on a question, so far."""

    certified: int = 0
    excluded: int = 0
    open_box: ParameterBox | None = None
    counterexample: Mapping[str, Fraction] | None = None
    nearest: Mapping[str, Fraction] | None = None
    ratio: arb = field(default_factory=arb)


def check_step(step: StepStatement) -> StepResult:
    """The verdict on a step, and on its mutants. Raises `InputError` where no parameters meet the hypotheses."""
    question = step.question
    search = _decided(question)
    status, reason = _status(search, question)
    if not search.certified and search.excluded and search.open_box is None and search.counterexample is None:
        raise InputError(bad_input.NEEDS, step.id, "parameters that meet the hypotheses", "give other ranges")
    return StepResult(
        id=step.id,
        source=step.source,
        statement=step.statement,
        mechanism="",
        expected=step.verdict_expected,
        verdict=status,
        reason=reason,
        refutation=step.refuted_as(status),
        scope=_scope(status, search),
        ranges=question.ranges_in_words,
        conditions=list(map(str, question.given)),
        says=str(question.says),
        certified=search.certified,
        excluded=search.excluded,
        open_box="" if search.open_box is None else _box_in_words(search.open_box, question),
        nearest=_shown(question, search.nearest),
        counterexample=_shown(question, search.counterexample),
        mends=step.mends,
        mutants=[_broken(mutant.change, step.broken(mutant)) for mutant in step.mutants],
    )


def _broken(change: str, step: StepStatement) -> BrokenVariant:
    question = step.question
    search = _decided(question)
    status, reason = _status(search, question)
    point = _shown(question, search.counterexample)
    evidence = (
        f"{point.parameters}: left {point.left}, right {point.right}" if point is not None else reason or "it holds"
    )
    return BrokenVariant(change, status, evidence)


def _decided(question: StepForm) -> _Result:
    """Boxes, the least split first, until none is left, one has to stay open, or a point refutes the step."""
    search = _Result()
    if any(_try(values, question, search) for values in question.tries):
        return search
    if not _holds(question.box, question) and any(_try(values, question, search) for values in _grid(question)):
        return search
    waiting: deque[tuple[ParameterBox, Mapping[str, int]]] = deque([(question.box, {})])
    names = [name for name in question.parameters if name in _named(question)]
    for _ in range(question.boxes):
        if not waiting:
            return search
        box, tried = waiting.popleft()
        if _is_outside(box, question):
            search.excluded += 1
            continue
        if _holds(box, question):
            search.certified += 1
            if search.nearest is None:
                _try_within(box, question, search)
            continue
        if _try_within(box, question, search):
            return search
        name = to_split(box, names, question.whole, tried)
        if name is None:
            search.open_box = box
            return search
        further = {**tried, name: tried.get(name, 0) + 1}
        waiting.extend((half, further) for half in halves(box, name, name in question.whole))
    if waiting:
        search.open_box = waiting[0][0]
    return search


def _named(question: StepForm) -> frozenset[str]:
    """The parameters that the conclusion or a hypothesis depends on."""
    excesses = [one for differences, _ in question.excesses for one in differences]
    return frozenset().union(*(one.form.names for one in (*question.gaps, *question.dependent, *excesses)))


def _is_outside(box: ParameterBox, question: StepForm) -> bool:
    return _ends_are_positive(box, question) and any(
        nonnegative(forms, box, question.space, strict=strict) for forms, strict in question.excesses
    )


def _holds(box: ParameterBox, question: StepForm) -> bool:
    return _ends_are_positive(box, question) and nonnegative(
        question.gaps, box, question.space, strict=question.says.strict
    )


def _ends_are_positive(box: ParameterBox, question: StepForm) -> bool:
    """True where shares of 1 and more of each end that is an expression are all that lies beyond it."""
    return all(nonnegative([end], box, question.space, strict=True) for end in question.dependent)


def _grid(question: StepForm) -> Iterator[Mapping[str, Fraction]]:
    """Points near the ends of the ranges, and between."""
    named = _named(question)
    lines = [
        tried_numbers(range_, is_whole=name in question.whole)[: _MOST_POINTS if name in named else 1]
        for name, range_ in question.parameters.items()
    ]
    for point in islice(product(*lines), _MOST_POINTS):
        values = question.point(dict(zip(question.parameters, point, strict=True)))
        if values is not None:
            yield values


def tried_numbers(range_: Range, *, is_whole: bool) -> list[Fraction]:
    """Numbers in a range, or shares of an end that is an expression: near its ends, and between."""
    low, high = range_.ends
    if range_.is_dependent:
        return [Fraction(1)]
    if low is None and high is None:
        return [Fraction(0), Fraction(-8), Fraction(8)]
    if low is None or high is None:
        end = low if low is not None else high
        assert end is not None
        away = 1 if high is None else -1
        own = [] if range_.low_open or range_.high_open else [end]
        return [*own, end + away, end + 1000 * away][:3]
    if is_whole:
        return list(dict.fromkeys([low, high, Fraction((low + high) // 2)]))
    near = (high - low) / 1000
    ends = (low + near if range_.low_open else low, high - near if range_.high_open else high)
    return list(dict.fromkeys([*ends, (low + high) / 2]))


def _try_within(box: ParameterBox, question: StepForm, found: _Result) -> bool:
    values = question.point({name: inside(ends, name in question.whole) for name, ends in box.items()})
    return values is not None and _try(values, question, found)


def _try(values: Mapping[str, Fraction], question: StepForm, found: _Result) -> bool:
    """True where a point refutes the step; if not, it may be the nearest so far."""
    if not question.admits(values):
        return False
    if question.fails(values):
        found.counterexample = values
        return True
    with ctx.workprec(64):
        left, right = question.sides(values)
        if not (left.is_finite() and right.is_finite()):  # of such a point the step says nothing
            return False
        ratio = left / right if right > 0 else arb(0)
        if found.nearest is None or ratio > found.ratio:
            found.nearest, found.ratio = values, ratio
    return False


def _status(found: _Result, question: StepForm) -> tuple[Status, str]:
    if found.counterexample is not None:
        return Status.REFUTED, ""
    if found.open_box is not None:
        return Status.UNDECIDED, f"open after so many boxes: {_box_in_words(found.open_box, question)}"
    if found.nearest is None:
        return Status.UNDECIDED, "no point was found that meets the hypotheses: give one in tries="
    return Status.PROVED, ""


def _scope(status: Status, found: _Result) -> Scope:
    if status is Status.REFUTED:
        first, second = PRECISIONS
        text = f"one rational point, evaluated to {first} and to {second} bits"
        return Scope("finite", "a point", "higher precision", text)
    many = found.certified + found.excluded
    boxes = "1 box" if many == 1 else f"{many:,} boxes"
    if status is Status.PROVED:
        text = f"all parameters in the ranges at which both sides are defined: {boxes}, each certified"
        return Scope("all", "", NOT_RECHECKED, text)
    return Scope("finite", "a box is open", NOT_RECHECKED, f"{boxes} certified, and others open")


def _shown(question: StepForm, values: Mapping[str, Fraction] | None) -> StepPoint | None:
    if values is None:
        return None
    left, right = question.sides(values)
    return StepPoint(point_in_words(values), _decimal(left), _decimal(right))


def _decimal(number: arb) -> str:
    if not number.is_finite():
        return "not defined"
    text: str = number.str(12, radius=False)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _box_in_words(box: ParameterBox, question: StepForm) -> str:
    return ", ".join(
        f"{greek(name)}{'/end' if name in question.ends else ''} from {_end(low, '−∞')} to {_end(high, '∞')}"
        for name, (low, high) in box.items()
    )


def _end(end: Fraction | None, infinite: str) -> str:
    return infinite if end is None else str(end)
