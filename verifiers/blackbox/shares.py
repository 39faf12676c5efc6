"""The shares that a report draws: of the event that says most on both databases, or of all cells of one of a model."""

from collections.abc import Sequence
from fractions import Fraction

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.reports.sampled_record import SampledShare
from dpverify.verifiers.blackbox.agreement import Deviation
from dpverify.verifiers.blackbox.privacy_audit import AuditDesign, CountedTest
from dpverify.verifiers.blackbox.sampling.cells import DistributionCells
from dpverify.verifiers.utility.binomial_interval import lower_end

_DIGITS = 6


def shares_of_event(one: CountedTest, asked: AuditDesign) -> list[SampledShare]:
    """Those of an event on both databases; beside the left one what the upper end of the right one allows."""
    tally = one.tally
    if not tally.draws:
        return []
    error = asked.each / 2
    ends = [
        (lower_end(seen, tally.draws, error), 1 - lower_end(tally.draws - seen, tally.draws, error))
        for seen in (tally.left, tally.right)
    ]
    allowed = min(bounds(exp(asked.epsilon) * exact(ends[1][1]) + asked.delta)[1], Fraction(1))
    return [
        _share(one.left, Fraction(tally.left, tally.draws), *ends[0], allowed),
        _share(one.right, Fraction(tally.right, tally.draws), *ends[1], None),
    ]


def shares_of_cells(deviations: Sequence[Deviation], law: DistributionCells, draws: int) -> list[SampledShare]:
    """Those of all cells of the distribution, in its order, on the database of the deviation that comes first."""
    mine = {one.event: one for one in deviations if one.database == deviations[0].database}
    cells = [(name, mine[f"outcome {name}"]) for name in law.names if f"outcome {name}" in mine]
    return [
        _share(name, Fraction(one.seen, draws), one.low, one.high, bounds(one.probability)[0]) for name, one in cells
    ]


def _share(name: str, share: Fraction, low: Fraction, high: Fraction, beside: Fraction | None) -> SampledShare:
    texts = [decimal_of_fraction(number, _DIGITS) for number in (share, low, high)]
    return SampledShare(
        name, texts[0], texts[1], texts[2], "" if beside is None else decimal_of_fraction(beside, _DIGITS)
    )
