"""Samplers that cannot be looked into: what so many draws refute at a confidence, and how it is told."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.numbers.shown import decimal_of_fraction
from dpverify.reports.kind import Detail, Kind, Table, origin, scope_and_reason, why_found
from dpverify.reports.record import Status
from dpverify.reports.sampled_picture import shares_picture
from dpverify.reports.sampled_record import SampledResult, SampledTest
from dpverify.reports.witness_picture import WITNESS_SIZE


def found(result: SampledResult) -> str:
    """The ε that is ruled out, or how well the library agrees with its model."""
    if result.model:
        about = f"model {result.model_verdict}"
        if result.verdict is Status.REFUTED and result.model_verdict is not Status.REFUTED:
            return f"{about}; library differs"
        return about if result.agrees_to is None else f"{about}; library agrees to ± {result.agrees_to}"
    return f"ε < {result.ruled_out} ruled out" if result.ruled_out is not None else "no ε ruled out"


def extent(result: SampledResult) -> str:
    """The number of draws, and of databases."""
    return f"{result.draws:,} draws of each of {result.databases}"


def prose(result: SampledResult, detail: Detail) -> list[str]:
    """The difference that would have been seen."""
    return [*scope_and_reason(result, detail), _seen(result)]


def _seen(result: SampledResult) -> str:
    return (
        f"{result.smallest_in_words}, or more, would have been refuted with probability ≥ 9/10; what is true is "
        f"refuted with probability ≤ {false_alarm(result.confidence)}"
    )


def false_alarm(confidence: str) -> str:
    """1 − confidence, as a decimal."""
    return decimal_of_fraction(1 - Fraction(confidence))


def witness(result: SampledResult) -> list[str]:
    """The event that refutes it, with the counts."""
    refuting = [test for test in result.tests if test.refutes]
    if not refuting and result.verdict is Status.REFUTED:
        refuting = result.tests[:1]  # all cells together refute a model: that one is furthest off
    return [line for test in refuting for line in _told(test)]


def _told(test: SampledTest) -> list[str]:
    times = f"seen {test.seen:,} times"
    if not test.right:
        return [f"on {test.left}", f"{test.event}: {times} in {test.draws:,} draws, {test.allowed}"]
    against = f"{test.seen_right:,} times in {test.draws:,} draws of each"
    return [f"{test.left}  and  {test.right}", f"{test.event}: {times} and {against}, {test.allowed}"]


def background(result: SampledResult) -> list[str]:
    """All that is known of a claim, in sentences."""
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    seed = "no seed" if result.seed is None else f"seed {result.seed}"
    mutant = result.mutant
    return [
        *origin(result),
        f"Sampler: {result.mechanism} ({versions}), {seed}.",
        f"Scope: {result.scope.text}.",
        *why_found(result),
        f"Draws: {result.draws:,} of {result.planned:,} planned, of each of {result.databases} databases, and "
        f"{result.pilot:,} of a pilot that chose what was tested.",
        *([f"Counts: kept in {result.counts_file}."] if result.counts_file else []),
        *(f"Tested: {'; '.join(_told(test))}." for test in result.tests if not test.refutes),
        f"Power: {_seen(result)}.",
        *([] if mutant is None else [f"Broken on purpose, {mutant.name}: {mutant.status}, {mutant.shown}."]),
    ]


def false_alarm_anywhere(results: Sequence[SampledResult]) -> str:
    """The chance that some claim errs, as a decimal: the sum of what each may."""
    alarm = sum((1 - Fraction(one.confidence) for one in results), start=Fraction(0))
    return decimal_of_fraction(min(alarm, Fraction(1)))


def errors_together(results: Sequence[SampledResult]) -> list[str]:
    """A line on the error of several claims; none where one has said it already."""
    if len(results) < _SEVERAL:
        return []
    alarm = false_alarm_anywhere(results)
    return [f"a false alarm anywhere, among {len(results)} claims by samples: probability ≤ {alarm}"]


_SEVERAL: Final = 2


def error_tables(results: Sequence[SampledResult]) -> list[Table]:
    """The chance that some of them errs, as a table."""
    alarm = false_alarm_anywhere(results)
    says = (
        f"A false alarm anywhere in this audit, one of its {len(results)} claims by samples refuted although it is "
        f"true, has a probability of at most {alarm}. The same seeds, and counts that are kept, "
        "decide the same again. INCONCLUSIVE says that these draws have seen nothing, and the last column what they "
        "would have seen; nothing here is proved."
    )
    rows = [
        (
            one.id,
            str(one.verdict),
            found(one),
            f"{one.draws:,}",
            "none" if one.seed is None else str(one.seed),
            false_alarm(one.confidence),
            one.smallest_in_words,
        )
        for one in results
    ]
    return [
        Table(
            "By samples", says, ("claim", "verdict", "found", "draws", "seed", "false alarm", "would have seen"), rows
        )
    ]


KIND: Final = Kind(
    name="sampled",
    rank=7,
    result=SampledResult,
    claimed=lambda result: result.claimed,
    found=found,
    extent=extent,
    prose=prose,
    background=background,
    witness=witness,
    tables=error_tables,
    together=errors_together,
    page={"told": _told, "seen": _seen, "shares_picture": shares_picture, "size": WITNESS_SIZE},
)
