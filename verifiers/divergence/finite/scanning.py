"""A scan of all pairs of distributions of a case, block by block: which violates it, and the worst δ and ε."""

from fractions import Fraction
from typing import NamedTuple

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.verifiers.divergence.finite.excesses import Excesses
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.ratios import LargestRatio
from dpverify.verifiers.divergence.finite.scanned import Databases, looked_at
from dpverify.verifiers.divergence.finite.scanned_in_parts import merged_parts
from dpverify.verifiers.divergence.finite.scanned_in_parts import parts_of as parts_of_pairs
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionTable, Missing
from dpverify.verifiers.divergence.output_tables.parts import pairs_in_parts
from dpverify.verifiers.problems.neighbours.compared import AnyCompared, Compared
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.workplace import HERE, Workplace


class Scanned(NamedTuple):
    """The finding on all pairs at one ε and δ, and the first pairs in the domain's order of which that is so."""

    worst: Exact
    """The largest divergence."""
    attaining: Databases | None
    """Neighbours that attain it; None where it is 0."""
    violating: Databases | None
    """Neighbours whose divergence is above δ."""
    is_undecided: bool
    """True where that is undecided for others."""
    ratio: tuple[Exact, Exact] | None
    """The largest ratio of probabilities of one outcome; None where it is infinite, and of densities."""
    doubts: list[str]
    most_gaps: int
    is_partial: bool
    """As of `HockeyStick`."""
    ratio_slack: Fraction = Fraction(0)
    """As of `LargestRatio.slack`."""
    is_worst_in_doubt: bool = False
    """As of `HockeyStick`."""


def scan(
    table: DistributionTable,
    compared: AnyCompared,
    claim: PrivacyGuarantee,
    missing: Missing | None = None,
    where: Workplace = HERE,
) -> Scanned:
    """The pairs of distributions that are compared, at one ε and δ; `missing` is what the table leaves out of each."""
    if missing is None and isinstance(compared, Compared) and len(parts := parts_of_pairs(table, compared)) > 1:
        result = merged_parts(table, compared, claim, parts, where)
        first = result.attaining.pair, result.violating.pair
        return Scanned(
            result.worst,
            *first,
            result.is_undecided,
            result.ratio,
            result.doubts,
            0,
            False,
            result.ratio_slack,
            result.is_worst_in_doubt,
        )
    excesses = Excesses(table, claim.epsilon, _entries(table, compared), seeks_ratio=missing is None)
    seen = looked_at(compared.blocks(), compared, excesses, claim, missing)
    ratio = excesses.largest_ratio() if missing is None else None
    return Scanned(
        seen.worst,
        seen.attaining.pair,
        seen.violating.pair,
        seen.is_undecided,
        None if ratio is None else ratio.found,
        excesses.doubts,
        seen.most_gaps,
        seen.is_partial,
        Fraction(0) if ratio is None else ratio.slack,
        seen.is_worst_in_doubt,
    )


def is_settled(table: DistributionTable, compared: AnyCompared, epsilon: Exact) -> bool:
    """True where the parts of tails stand for the tails: for the events that violate most, and for the largest ratio.

    Raises `Undecided` where a sign is.
    """
    excesses = Excesses(table, epsilon, _entries(table, compared))
    anywhere, in_parts = LargestRatio(table), LargestRatio(table)
    for _, left, right in compared.blocks():
        if not HockeyStick(table, left, right, epsilon, None, excesses).settles(table.blocks):
            return False
        for part in pairs_in_parts(table, left, right):
            anywhere.add_part(part)
            in_parts.add_part(part, table.blocks)
    ratio, attained = anywhere.found, in_parts.found
    if ratio is None or attained is None:
        return ratio is attained
    return ratio == attained or bool(attained[0] * ratio[1] == ratio[0] * attained[1])


def _entries(table: DistributionTable, compared: AnyCompared) -> int:
    """About how many numbers p and q are compared."""
    return compared.at_most * len(table.outcomes)
