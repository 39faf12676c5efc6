"""What was found of utility claims: plain data, JSON, lines for a terminal, and a page with the table of sharpness."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import msgspec

from dpverify.reports.curves import bars_svg
from dpverify.reports.markdown import cell, code, rows_not_decided
from dpverify.reports.record import OPEN_VERDICTS, NotDecided, Status, json_of, no_truth_value
from dpverify.reports.summary import headline_of


class FailingInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input in words, its exact probability of failure (≈ where that is long), that and β as decimals."""

    case: str
    failure: str
    failure_decimal: str
    beta: str


class UtilityMutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weakened mechanism, its verdict, and the input that refutes it, or why none does."""

    name: str
    status: Status
    shown: str


class SharpnessResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a theorem asks for, and the least that is enough on the family tried; None where the theorem's is not.

    `ours`: the constants are not the paper's, which states an order alone, or a bound that had to be corrected.
    `half_epsilon` is what becomes of the claim at `smallest` with half the ε; None where there is no ε, and where
    nothing smaller fails, so that the claim is not sharp there.
    """

    what: str
    paper: int
    smallest: int | None
    ours: bool
    half_epsilon: Status | None


class Sampled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a claim was audited: so many samples of each population, on each of which the coins are summed.

    On the worst population the probability of failure lies in [low, high], with the confidence that is stated for all
    of them together; all three are rounded outward. `seed` is what the samples were drawn with.
    """

    samples: int
    seed: int
    confidence: str
    low: str
    high: str


class UtilityResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A utility claim's verdict, the inputs that it rests on, and the one that comes nearest to β.

    `ratio` is failure/β there; None where it is infinite. Where the claim is `sampled`, and not exact, the failures are
    the means of what the samples gave.
    """

    id: str
    source: str
    statement: str
    mechanism: str
    expected: Status
    verdict: Status
    reason: str
    enumerated: bool
    inputs: int
    rejected: int
    worst: FailingInput | None
    ratio: float | None
    corners: dict[str, int]
    witness: FailingInput | None
    mutant: UtilityMutant
    sharpness: SharpnessResult | None
    sampled: Sampled | None
    """None where nothing is."""

    def __bool__(self) -> bool:
        return no_truth_value("the result of a utility claim", "result.verdict is Status.PROVED, or result.as_expected")

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, and the weakened mechanisms are refuted."""
        return self.verdict is self.expected and self.weakenings_are_refuted

    @property
    def left_open(self) -> bool:
        """Whether it is no worse than open."""
        open_or_expected = self.verdict in OPEN_VERDICTS or self.verdict is self.expected
        return open_or_expected and self.mutant.status is Status.REFUTED and self._halved is not Status.PROVED

    @property
    def weakenings_are_refuted(self) -> bool:
        """Whether the mutant is, and half the ε where the claim is sharp: whether the check can fail."""
        return self.mutant.status is Status.REFUTED and self._halved in (None, Status.REFUTED)

    @property
    def _halved(self) -> Status | None:
        return None if self.sharpness is None else self.sharpness.half_epsilon


def utility_json(results: Sequence[UtilityResult], not_decided: Sequence[NotDecided] = ()) -> str:
    """The results as JSON, and what is not decided, if anything is not."""
    return json_of("utility", results, not_decided)


def utility_lines(result: UtilityResult, width: int = 0, *, verbose: bool = False) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what refutes it, and with `verbose` all the rest."""
    how = "all" if result.enumerated else "tried" if result.sampled is None else "sampled"
    expected = "  (expected)" if result.verdict is Status.REFUTED and result.as_expected else ""
    lines = [
        f"{result.verdict.value:<10} {result.id:<{width}}  {result.inputs:>6,} inputs, {how:<7}  "
        f"largest failure/β {_ratio(result):<9}".rstrip()
        + expected
    ]
    below = [result.reason] if result.reason else []
    if result.sampled is not None:
        below.append(_audited(result.sampled))
    if result.witness is not None:
        below += [result.witness.case, _fails(result, result.witness)]
    if result.sharpness is not None:
        below.append(_sharp(result.sharpness))
    if verbose:
        below += [result.statement, result.source]
        if result.worst is not None and result.witness is None:
            how = "fails with probability" if result.sampled is None else "the mean of its samples is"
            below += [f"nearest: {result.worst.case}", f"{how} {result.worst.failure_decimal}"]
        if result.corners:
            below.append("corners: " + ", ".join(f"{name} {hits} times" for name, hits in result.corners.items()))
        below.append(f"weakened, {result.mutant.name}: {result.mutant.status.value}, {result.mutant.shown}")
    mutant, sharp = result.mutant, result.sharpness
    if result.verdict is not result.expected or mutant.status is not Status.REFUTED:
        below.append(
            f"not as expected: that would be {result.expected}, and REFUTED of {mutant.name}, which is {mutant.status}"
        )
    if sharp is not None and sharp.half_epsilon not in (None, Status.REFUTED):
        below.append(f"not as expected: with half the ε it is {sharp.half_epsilon} at {sharp.smallest}")
    return [*lines, *(f"    {text}" for text in below)]


def utility_markdown(results: Sequence[UtilityResult], not_decided: Sequence[NotDecided] = ()) -> str:
    """The page: verdicts, how sharp the statements are, what is refuted, and the weakened mechanisms."""
    lines = [
        "# Utility",
        "",
        "The probability of failure is summed from the exact law of the mechanism on each input, and compared with β",
        "exactly. PROVED: on all inputs of the space enumerated. FUZZED: on those that Hypothesis tried, which is no",
        "proof. INCONCLUSIVE: samples of each input, a population, do not refute it, with the coins summed on each.",
        "",
        headline_of(results, "utility claim", len(not_decided)) + ".",
        "",
        "| claim | verdict | inputs | largest failure/β |",
        "| --- | --- | --- | --- |",
    ]
    for result in results:
        verdict = result.verdict.value if result.verdict is not Status.REFUTED else f"**{result.verdict.value}**"
        cells = [
            f"{code(result.id)}: {result.statement}. {result.source}",
            verdict,
            f"{result.inputs:,}",
            _ratio(result),
        ]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    lines += [
        "",
        "## How sharp",
        "",
        "The least with which the claim holds on a family of inputs, beside what is asked for: by the paper, or, as",
        "said, by constants of ours, where it states an order alone or its bound had to be corrected. Other inputs may",
        "need more. Where a claim is sharp there is no room left: with half the ε it is to be refuted there.",
        "",
    ]
    lines += [
        "![how sharp](sharpness.svg)",
        "",
        "| claim | of what | asked for | enough | ratio | there with half the ε |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for result in results:
        sharp = result.sharpness
        if sharp is not None:
            enough = "more" if sharp.smallest is None else f"{sharp.smallest:,}"
            asked = f"{sharp.paper:,}{' (ours)' if sharp.ours else ''}"
            ratio = "" if not sharp.smallest else f"{sharp.paper / sharp.smallest:.3g}"
            halved = "" if sharp.half_epsilon is None else sharp.half_epsilon.value
            lines.append(f"| {code(result.id)} | {cell(sharp.what)} | {asked} | {enough} | {ratio} | {halved} |")
    lines += ["", "## Refuted", ""]
    for result in results:
        if result.witness is not None:
            lines.append(f"- {code(result.id)}: {cell(result.witness.case)}: {_fails(result, result.witness)}.")
    lines += ["", "## Weakened mechanisms, refuted on the same inputs", ""]
    lines += [f"- {code(result.id)}: {result.mutant.name}, by {cell(result.mutant.shown)}" for result in results]
    return "\n".join([*lines, "", *rows_not_decided(not_decided)])


def sharpness_svg(results: Sequence[UtilityResult]) -> str:
    """By how many times a theorem asks for more than is enough, on a scale of powers of ten."""
    ratios = {
        result.id.replace(".utility.", " "): log10(result.sharpness.paper / result.sharpness.smallest)
        for result in results
        if result.sharpness is not None and result.sharpness.smallest
    }
    return bars_svg("What is asked for, over what is enough, on a logarithmic scale", ratios, _times)


def _times(power: float) -> str:
    ratio = 10**power
    if not power:
        return "just enough"
    return f"{ratio:.3g} times" if ratio < 100 else f"{round(ratio):,} times"


def _fails(result: UtilityResult, shown: FailingInput) -> str:
    if result.sampled is not None:
        low, sure = result.sampled.low, result.sampled.confidence
        return f"fails with probability at least {low} > β = {shown.beta}, with confidence {sure}"
    return f"fails with probability {shown.failure_decimal} > β = {shown.beta}"


def _audited(sampled: Sampled) -> str:
    return (
        f"{sampled.samples} samples of each: on the worst the probability of failure is in [{sampled.low}, "
        f"{sampled.high}], with confidence {sampled.confidence} in all (seed {sampled.seed})"
    )


def _ratio(result: UtilityResult) -> str:
    if result.ratio == 0 and result.worst is not None and result.worst.failure != "0":
        return "< 1e-308"  # what no float can hold
    return "∞" if result.ratio is None else f"{result.ratio:.3g}"


def _sharp(sharp: SharpnessResult) -> str:
    if sharp.smallest is None:
        return f"{sharp.what}: the {sharp.paper:,} that are asked for are not enough"
    who = "our constants ask" if sharp.ours else "the paper asks"
    return f"{sharp.what}: {who} for {sharp.paper:,}; {sharp.smallest:,} are enough on the inputs tried"
