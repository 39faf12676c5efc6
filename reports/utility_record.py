"""What was found of utility claims: plain data, JSON, lines for a terminal, and a page with the table of sharpness."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import msgspec

from dpverify.reports.curves import bars_svg
from dpverify.reports.markdown import cell
from dpverify.reports.record import OPEN_VERDICTS, Status
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
    """

    what: str
    paper: int
    smallest: int | None
    ours: bool = False


class UtilityResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A utility claim's verdict, the inputs that it rests on, and the one that comes nearest to β.

    `ratio` is failure/β there; None where it is infinite.
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

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, and the mutant is refuted."""
        return self.verdict is self.expected and self.mutant.status is Status.REFUTED

    @property
    def left_open(self) -> bool:
        """Whether it is no worse than open."""
        return self.verdict in OPEN_VERDICTS and self.mutant.status is Status.REFUTED


def utility_json(results: Sequence[UtilityResult]) -> str:
    """The results as JSON."""
    return msgspec.json.format(msgspec.json.encode({"utility": list(results)}), indent=2).decode() + "\n"


def utility_lines(result: UtilityResult, width: int = 0, *, verbose: bool = False) -> list[str]:
    """A claim in a line, its id padded to `width`, and below it what refutes it, and with `verbose` all the rest."""
    how = "all" if result.enumerated else "tried"
    expected = "  (expected)" if result.verdict is Status.REFUTED and result.as_expected else ""
    lines = [
        f"{result.verdict.value:<10} {result.id:<{width}}  {result.inputs:>6,} inputs, {how:<5}  "
        f"largest failure/β {_ratio(result):<9}" + expected
    ]
    below = [result.reason] if result.reason else []
    if result.witness is not None:
        below += [result.witness.case, _fails(result.witness)]
    if result.sharpness is not None:
        below.append(_sharp(result.sharpness))
    if verbose:
        below += [result.statement, result.source]
        if result.worst is not None and result.witness is None:
            below += [f"nearest: {result.worst.case}", f"fails with probability {result.worst.failure_decimal}"]
        if result.corners:
            below.append("corners: " + ", ".join(f"{name} {hits} times" for name, hits in result.corners.items()))
        below.append(f"weakened, {result.mutant.name}: {result.mutant.status.value}, {result.mutant.shown}")
    if not result.as_expected:
        mutant = result.mutant
        below.append(
            f"not as expected: {result.expected.value} is, and {mutant.name} REFUTED; that is {mutant.status.value}"
        )
    return [*lines, *(f"    {text}" for text in below)]


def utility_markdown(results: Sequence[UtilityResult]) -> str:
    """The page: verdicts, how sharp the statements are, what is refuted, and the weakened mechanisms."""
    lines = [
        "# Utility",
        "",
        "The probability of failure is summed from the exact law of the mechanism on each input, and compared with β",
        "exactly. PROVED: on all inputs of the space enumerated. FUZZED: on those that Hypothesis tried, which is no",
        "proof.",
        "",
        headline_of(results, "utility claim") + ".",
        "",
        "| claim | verdict | inputs | largest failure/β |",
        "| --- | --- | --- | --- |",
    ]
    for result in results:
        verdict = result.verdict.value if result.verdict is not Status.REFUTED else f"**{result.verdict.value}**"
        cells = [
            f"`{result.id}`: {result.statement}. {result.source}",
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
        "need more.",
        "",
    ]
    lines += [
        "![how sharp](sharpness.svg)",
        "",
        "| claim | of what | asked for | enough | ratio |",
        "| --- | --- | --- | --- | --- |",
    ]
    for result in results:
        sharp = result.sharpness
        if sharp is not None:
            enough = "more" if sharp.smallest is None else f"{sharp.smallest:,}"
            asked = f"{sharp.paper:,}{' (ours)' if sharp.ours else ''}"
            ratio = "" if not sharp.smallest else f"{sharp.paper / sharp.smallest:.3g}"
            lines.append(f"| `{result.id}` | {cell(sharp.what)} | {asked} | {enough} | {ratio} |")
    lines += ["", "## Refuted", ""]
    for result in results:
        if result.witness is not None:
            lines.append(f"- `{result.id}`: {cell(result.witness.case)}: {_fails(result.witness)}.")
    lines += ["", "## Weakened mechanisms, refuted on the same inputs", ""]
    lines += [f"- `{result.id}`: {result.mutant.name}, by {cell(result.mutant.shown)}" for result in results]
    return "\n".join([*lines, ""])


def sharpness_svg(results: Sequence[UtilityResult]) -> str:
    """By how many times a theorem asks for more than is enough, on a scale of powers of ten."""
    ratios = {
        result.id: log10(result.sharpness.paper / result.sharpness.smallest)
        for result in results
        if result.sharpness is not None and result.sharpness.smallest
    }
    return bars_svg("What is asked for, over what is enough, on a logarithmic scale", ratios, _times)


def _times(power: float) -> str:
    ratio = 10**power
    return f"{ratio:.3g} times" if ratio < 100 else f"{round(ratio):,} times"


def _fails(shown: FailingInput) -> str:
    return f"fails with probability {shown.failure_decimal} > β = {shown.beta}"


def _ratio(result: UtilityResult) -> str:
    return "∞" if result.ratio is None else f"{result.ratio:.3g}"


def _sharp(sharp: SharpnessResult) -> str:
    if sharp.smallest is None:
        return f"{sharp.what}: the {sharp.paper:,} that are asked for are not enough"
    who = "our constants ask" if sharp.ours else "the paper asks"
    return f"{sharp.what}: {who} for {sharp.paper:,}; {sharp.smallest:,} are enough on the inputs tried"
