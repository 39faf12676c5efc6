"""The claim that an inequality of a proof holds for all parameters in ranges that meet its hypotheses, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import shown
from dpverify.reports.kinds.step import StepResult
from dpverify.reports.record import Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How, explained
from dpverify.verifiers.steps.checker import check_step
from dpverify.verifiers.steps.question import Question
from dpverify.verifiers.steps.ranges import Range
from dpverify.verifiers.steps.terms import Relation, Term, parameter

Says: TypeAlias = Callable[..., Relation]
"""Parameters, by their names → a relation between expressions in them."""

Point: TypeAlias = Mapping[str, int | Fraction]
"""Parameter → its value."""


@dataclass(frozen=True)
class BrokenStep:
    """A step broken on purpose, to be refuted: what was changed, in words, and the fields as they are then."""

    change: str
    says: Says | None = None
    given: Sequence[Says] | None = None
    parameters: Mapping[str, Range] | None = None
    tries: Sequence[Point] | None = None


@dataclass(frozen=True, kw_only=True)
class Step(AnyClaim):
    """The claim that `says` holds for all `parameters` in their ranges for which each of `given` holds.

    `says` and `given` take those of the parameters that their signatures name. An end of a range may be a function of
    parameters that stand before, such as the least number of rows. `tries` are points to look at first, of a witness,
    or of hypotheses that few points meet. `mends` says, of a step that fails, which constant mends it. `boxes` is how
    many boxes are looked at before it is left open. `mutants` must be refuted. Raises `InputError` for functions whose
    arguments are no parameters, for what gives no relation, and for a step that is to hold and has no mutants; on
    deciding for hypotheses that no parameters meet.
    """

    parameters: Mapping[str, Range]
    says: Says
    given: Sequence[Says] = ()
    mutants: Sequence[BrokenStep] = ()
    tries: Sequence[Point] = ()
    mends: str = ""
    boxes: int = 1000

    kind: ClassVar[str] = "step"

    @property
    def claimed(self) -> str:
        """Of which parameters it is claimed."""
        return f"for all {', '.join(self.question.ranges_in_words)}"

    @property
    def question(self) -> Question:
        """The step as expressions. Raises `InputError` as the class says."""
        names = list(self.parameters)
        ends: dict[str, Term] = {}
        for i, (name, range_) in enumerate(self.parameters.items()):
            if range_.expression is not None:
                found = self._called(range_.expression, names[:i], f"the end of the range of {name}")
                if not isinstance(found, Term):
                    raise InputError(f"{self.id}: the end of the range of {name} gave {shown(found)}, no expression")
                ends[name] = found
        return Question(
            parameters=dict(self.parameters),
            ends=ends,
            given=tuple(self._relation(one, names, "given") for one in self.given),
            says=self._relation(self.says, names, "says"),
            tries=tuple({name: Fraction(value) for name, value in point.items()} for point in self.tries),
            boxes=self.boxes,
        )

    def broken(self, mutant: BrokenStep) -> Step:
        """The step as the mutant has it."""
        changed = {name: getattr(mutant, name) for name in ("says", "given", "parameters", "tries")}
        given = {name: value for name, value in changed.items() if value is not None}
        if mutant.parameters is not None and mutant.tries is None:
            given["tries"] = ()
        return replace(self, mutants=(), mends="", expected=Status.REFUTED, refutation=None, **given)

    def decide(self, how: How = AS_USUAL) -> StepResult:
        """The record of its verdict, and its mutants'. Raises `InputError` where no parameters meet the hypotheses."""
        return check_step(self)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        """See `AnyClaim`."""
        question = self.question
        told = [f"for all {', '.join(question.ranges_in_words)}", *map(str, question.given), f"then {question.says}"]
        return explained(self, how, [("step", "".join(f"\n    {line}" for line in told))])

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("says")
        if not isinstance(self.parameters, Mapping) or not self.parameters:
            raise InputError(f"{self.id}: parameters={shown(self.parameters)}: write {{'alpha': between(0, 1), …}}")
        for name, range_ in self.parameters.items():
            if not isinstance(range_, Range):
                raise InputError(f"{self.id}: {name}={shown(range_)} is no range: write between(0, 1) or whole(1)")
        if self.verdict_expected is Status.PROVED and not self.mutants:
            raise InputError(f"{self.id}: a step that holds has mutants, which must be refuted")
        for mutant in self.mutants:
            if not isinstance(mutant, BrokenStep):
                raise InputError(f"{self.id}: {shown(mutant)} is no mutant: write BrokenStep('half of it', says=…)")
        for point in self.tries:
            if not isinstance(point, Mapping) or set(point) != set(self.parameters):
                raise InputError(f"{self.id}: tries={shown(point)} is no point: it gives each parameter a number")
        self.question  # noqa: B018  # what is wrong with it is said at once

    def _relation(self, says: Says, names: Sequence[str], what: str) -> Relation:
        found = self._called(says, names, what)
        if not isinstance(found, Relation):
            raise InputError(f"{self.id}: {what} gave {shown(found)}, no relation: compare expressions by <= or <")
        return found

    def _called(self, function: Callable[..., Any], names: Sequence[str], what: str) -> Any:
        if not callable(function):
            raise InputError(f"{self.id}: {what}={shown(function)} is not a function")
        asked = list(inspect.signature(function).parameters)
        if unknown := [name for name in asked if name not in names]:
            raise InputError(f"{self.id}: {what} asks for {unknown[0]!r}, and the parameters are {', '.join(names)}")
        return function(**{name: parameter(name) for name in asked})
