"""The claim that an inequality of a proof holds for all parameters that meet its hypotheses, and how it is decided."""

from dataclasses import dataclass

from dpverify.reports.kinds.step import StepResult
from dpverify.verifiers.claims import AS_USUAL, Explanation, How, explained
from dpverify.verifiers.steps.checker import check_step
from dpverify.verifiers.steps.statement import StepStatement


@dataclass(frozen=True, kw_only=True)
class Step(StepStatement):
    """The claim that `says` holds for all `parameters` in their ranges for which each of `given` holds.

    `says` and `given` are relations between `terms.parameters`, or functions that give one and take those of the
    parameters that their signatures name. An end of a range may be a function of
    parameters that stand before, such as the least number of rows. `tries` are points to look at first, of a witness,
    or of hypotheses that few points meet. `mends` says, of a step that fails, which constant mends it. `boxes` is how
    many boxes are looked at before it is left open. `mutants` must be refuted. Raises `InputError` for functions whose
    arguments are no parameters, for what gives no relation, and for a step that is to hold and has no mutants; on
    deciding for hypotheses that no parameters meet.

    >>> from dpverify.verifiers.steps import BrokenStep
    >>> from dpverify.verifiers.steps.ranges import at_least
    >>> from dpverify.verifiers.steps.terms import exp as exp_of
    >>> step = Step(
    ...     id="lib.tangent",
    ...     parameters={"x": at_least(0)},
    ...     says=lambda x: 1 + x <= exp_of(x),
    ...     mutants=[BrokenStep("1 + 2x", says=lambda x: 1 + 2 * x <= exp_of(x))],
    ... )
    >>> audit([step]).claims[0].verdict
    <Status.PROVED: 'PROVED'>
    """

    def decide(self, how: How = AS_USUAL) -> StepResult:
        """The record of its verdict, and its mutants'. Raises `InputError` where no parameters meet the hypotheses."""
        return check_step(self)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        question = self.question
        lines = [f"for all {', '.join(question.ranges_in_words)}", *map(str, question.given), f"then {question.says}"]
        return explained(self, how, [("step", "".join(f"\n    {line}" for line in lines))])
