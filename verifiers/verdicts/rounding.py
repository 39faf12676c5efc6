"""A measurement of what rounding adds to a verdict over the real numbers, where that is shown: no part of it."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.drawing.rounding import SEED, Rounding, measured_rounding
from dpverify.mechanisms.numbers.errors import Overtime
from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.rounding import RoundingRecord
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.processes.stopwatch import stopwatch

_SECONDS: Final = 5
"""A program of floats may run without end where the exact one does not: `while x != 1: x += 0.1`."""

_LONGEST_REASON: Final = 200


def rounding_of(experiment: Experiment | None) -> RoundingRecord | None:
    """The measurement on databases of an experiment; None where there are none, or the mechanism reads no floats."""
    if experiment is None or experiment.in_whole_runs:
        return None
    question = experiment.question
    if question.symbol is not None:
        return None
    try:
        with stopwatch(question.mechanism, _SECONDS) as restart:
            restart(())
            found = measured_rounding(question.mechanism, question.arguments, experiment.run_on)
    except Overtime:
        found = Rounding(reason=f"a run had not ended after {_SECONDS} seconds")
    if found is None:
        return None
    return RoundingRecord(
        databases=found.databases,
        draws=found.draws,
        seed=SEED,
        largest_difference=_rounded_up(found.largest),
        other_outcomes=found.other_outcomes,
        drawn_otherwise=found.drawn_otherwise,
        not_measured=cut(one_line(found.reason), _LONGEST_REASON).rstrip("."),
    )


def _rounded_up(number: Fraction) -> str:
    up = Context(prec=2, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{up.normalize()}".lower()
