"""Claims that an inequality holds for all parameters that meet its hypotheses: what the checker is handed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import Status
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.steps.question import StepForm
from dpverify.verifiers.steps.ranges import Range
from dpverify.verifiers.steps.terms import Expression, Relation, parameter

Says: TypeAlias = Callable[..., Relation] | Relation
"""A relation between expressions in parameters, or a function that gives one for parameters by their names."""

_Point: TypeAlias = Mapping[str, int | Fraction]
"""Parameter → its value."""


@dataclass(frozen=True)
class BrokenStep:
    """A step broken on purpose, to be refuted: what was changed, in words, and the fields as they are then."""

    change: str
    says: Says | None = None
    given: Sequence[Says] | None = None
    parameters: Mapping[str, Range] | None = None
    tries: Sequence[_Point] | None = None


@dataclass(frozen=True, kw_only=True)
class StepStatement(AnyClaim):
    """The statement of a `Step`, with everything that is asked of it."""

    parameters: Mapping[str, Range]
    says: Says
    given: Sequence[Says] = ()
    mutants: Sequence[BrokenStep] = ()
    tries: Sequence[_Point] = ()
    mends: str = ""
    boxes: int = 1000

    kind: ClassVar[str] = "step"

    @property
    def claimed(self) -> str:
        """Parameters for which it is claimed."""
        return f"for all {', '.join(self.question.ranges_in_words)}"

    @property
    def question(self) -> StepForm:
        """The step as expressions. Raises `InputError` as the class says."""
        names = list(self.parameters)
        ends: dict[str, Expression] = {}
        for i, (name, range_) in enumerate(self.parameters.items()):
            if range_.expression is not None:
                end = self._called(range_.expression, names[:i], f"the end of the range of {name}")
                if not isinstance(end, Expression):
                    raise InputError(
                        bad_input.GAVE,
                        f"{self.id}: the end of the range of {name}",
                        shown(end),
                        "no expression",
                        "return an expression",
                    )
                ends[name] = end
        return StepForm(
            parameters=dict(self.parameters),
            ends=ends,
            given=tuple(self._relation(one, names, "given") for one in self.given),
            says=self._relation(self.says, names, "says"),
            tries=tuple({name: Fraction(value) for name, value in point.items()} for point in self.tries),
            boxes=self.boxes,
        )

    def broken(self, mutant: BrokenStep) -> Self:
        """The step as the mutant has it."""
        changed = {name: getattr(mutant, name) for name in ("says", "given", "parameters", "tries")}
        fields = {name: value for name, value in changed.items() if value is not None}
        if mutant.parameters is not None and mutant.tries is None:
            fields["tries"] = ()
        return replace(self, mutants=(), mends="", expected=Status.REFUTED, refutation=None, **fields)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.parameters, Mapping) or not self.parameters:
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: parameters={shown(self.parameters)}",
                "a mapping of ranges",
                "write {name: …}",
            )
        for name, range_ in self.parameters.items():
            if not isinstance(range_, Range):
                raise InputError(
                    bad_input.WRONG, f"{self.id}: {name}={shown(range_)}", "a range", "write between(0, 1) or whole(1)"
                )
        if self.verdict_expected is Status.PROVED and not self.mutants:
            raise InputError(
                bad_input.NEEDS, f"{self.id}: a step that holds", "mutants, which must be refuted", "give BrokenStep(…)"
            )
        for mutant in self.mutants:
            if not isinstance(mutant, BrokenStep):
                raise InputError(
                    bad_input.WRONG, f"{self.id}: {shown(mutant)}", "a mutant", "write BrokenStep('half of it', says=…)"
                )
        for point in self.tries:
            if not isinstance(point, Mapping) or set(point) != set(self.parameters):
                raise InputError(
                    bad_input.WRONG, f"{self.id}: tries={shown(point)}", "a point", "give each parameter a number"
                )
        self.question  # noqa: B018  # what is wrong with it is said at once

    def _relation(self, says: Says, names: Sequence[str], what: str) -> Relation:
        relation = self._called(says, names, what)
        if not isinstance(relation, Relation):
            raise InputError(
                bad_input.GAVE, f"{self.id}: {what}", shown(relation), "no relation", "compare expressions by <= or <"
            )
        return relation

    def _called(self, function: Any, names: Sequence[str], what: str) -> Any:
        is_made = isinstance(function, Expression | Relation)
        if not is_made and not callable(function):
            raise InputError(f"{self.id}: {what}={shown(function)} is not a function")
        wanted = sorted(function.names) if is_made else list(inspect.signature(function).parameters)
        if unknown := [name for name in wanted if name not in names]:
            raise InputError(
                bad_input.NONE_OF,
                f"{self.id}: {shown(unknown[0])} in {what}",
                f"the parameters ({', '.join(names) or 'there are none'})",
            )
        return function if is_made else function(**{name: parameter(name) for name in wanted})
