"""Utility: what is found of a claim that a mechanism fails with probability at most β, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, Protocol

import msgspec

from dpverify.reports.bars import Above, Bar, bar_of, bars_above
from dpverify.reports.kind import Detail, Kind, Table, origin, scope_and_reason, what_is_expected, why_found
from dpverify.reports.numbers import counted
from dpverify.reports.record import OPEN_VERDICTS, ClaimResult, Quantity, Status


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
    """A theorem's requirement, and the least that is enough on the family tried; None where the theorem's is not.

    `ours`: the constants are not the paper's, which states an order alone, or a bound that had to be corrected.
    `half_epsilon` is what becomes of the claim at `smallest` with half the ε; None where there is no ε, and where
    nothing smaller fails, so that the claim is not sharp there.
    """

    what: str
    paper: int
    smallest: int | None
    ours: bool
    half_epsilon: Status | None
    is_least: bool = False
    """True where it fails at one less than `smallest`, and is not proved there with half the ε."""


class MoreNoise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verdict of the claim where the mechanism has so many times its noise, and all else stays as it is."""

    times: int
    verdict: Status | None
    """FUZZED where some cases were tried, those nearest to β; null where it cannot be decided so."""
    ratio: float | None
    """The largest failure/β, as far as was tried; null where it is infinite or not known."""
    reason: str
    """Reason why it is not decided."""


class BestPossibleResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The worst success of a mechanism beside that of the best (ε,δ)-private one on the databases of its cases."""

    parameters: str
    """Those of the cases, in words."""
    databases: int
    outside: int
    """Neighbours outside these databases: of them nothing was asked, and the optimum can only be smaller with them."""
    epsilon: str
    delta: str
    achieved: Quantity
    optimal: Quantity
    ratio: float
    """achieved/optimal, for people; of bounds on the optimum the smaller ratio."""
    is_impossible: bool
    """True where it achieves more than any private mechanism: then it is not private."""


class UtilityResult(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="utility"):
    """The inputs that a verdict on utility rests on, and the one that comes nearest to β.

    `ratio` is failure/β there; null where it is infinite.
    """

    enumerated: bool
    inputs: int
    rejected: int
    worst: FailingInput | None
    ratio: float | None
    corners: dict[str, int]
    witness: FailingInput | None
    mutant: UtilityMutant
    sharpness: SharpnessResult | None
    more_noise: list[MoreNoise] | None = None
    """By rising noise, up to the first that makes it fail; empty where it draws no noise of a scale, null where nothing
    was measured. `headroom` is 1 over the most times the noise with which it holds."""
    loose_because: str = ""
    """Reason to keep a claim that a far worse mechanism earns, too; empty where nobody says so."""
    sharp_in: str = ""
    """The claim that no far worse mechanism earns; empty where none is named."""
    optimal: list[BestPossibleResult] = msgspec.field(default_factory=list)
    """For each set of parameters, the best possible; empty where the claim does not ask."""
    no_optimal: str = ""
    """Reason why that is not known, where it asks."""

    @property
    def surprise(self) -> str:
        """Reason why it is not as expected: another verdict, or a weakened mechanism that is not refuted."""
        if self.verdict is not self.expected:
            return f"expected {self.expected}"
        if self.mutant.status is not Status.REFUTED:
            return f"its mutant {self.mutant.name} is {self.mutant.status}: on these inputs the check cannot fail"
        if self.sharpness is not None and self._halved not in (None, Status.REFUTED):
            return f"with half the ε it is {self._halved} at {self.sharpness.smallest}"
        if any(one.is_impossible for one in self.optimal):
            return "it achieves more than any private mechanism can"
        return ""

    @property
    def left_open(self) -> bool:
        """True where it is no worse than open."""
        open_or_expected = self.verdict in OPEN_VERDICTS or self.verdict is self.expected
        return open_or_expected and self.mutant.status is Status.REFUTED and self._halved is not Status.PROVED

    @property
    def _halved(self) -> Status | None:
        return None if self.sharpness is None else self.sharpness.half_epsilon


def nearest(result: UtilityResult) -> str:
    """The nearness to β of the worst input."""
    return "nothing" if result.worst is None else f"largest failure/β {_ratio(result)}"


def bar(result: UtilityResult) -> Bar | None:
    """Its bar, None where no input was judged."""
    if result.worst is None:
        return None
    return bar_of(inf if result.ratio is None else result.ratio, "of the claimed β")


def failing(result: UtilityResult) -> Above | None:
    """The probability of failure beside β, of the input that refutes it; None where none does."""
    shown = result.witness
    if shown is None:
        return None
    caption = (
        f"It fails with probability {shown.failure_decimal} (the bar), and β = {shown.beta} is allowed (the line)."
    )
    return bars_above(float(shown.failure_decimal), float(shown.beta), caption)


def prose(result: UtilityResult, detail: Detail) -> list[str]:
    """Reason why there is no verdict, and the sharpness of the claim."""
    said = scope_and_reason(result, detail)
    said += [] if result.sharpness is None else [sharp(result.sharpness)]
    said += [f"best possible: not known, {result.no_optimal}"] if result.no_optimal else []
    return said + [beside_the_best(one) for one in result.optimal]


def background(result: UtilityResult) -> list[str]:
    """All that is known of a claim, in sentences."""
    corners = ", ".join(f"{name} {hits} times" for name, hits in result.corners.items())
    near = result.worst
    return [
        *origin(result),
        f"Mechanism: {result.mechanism}.",
        f"Scope: {result.scope.text}.",
        *why_found(result),
        *([] if near is None or result.witness else [f"Nearest: {near.case}, {near.failure_decimal}."]),
        *([f"Corners: {corners}."] if corners else []),
        *([] if result.sharpness is None else [f"Sharp: {sharp(result.sharpness)}."]),
        *_strength(result),
        *(f"Best possible: {beside_the_best(one)}." for one in result.optimal),
        f"Weakened, {result.mutant.name}: {result.mutant.status}, {result.mutant.shown}.",
        *what_is_expected(result),
    ]


def _strength(result: UtilityResult) -> list[str]:
    """Amount of further noise with which it holds, and the reason to keep it if a far worse mechanism earns it."""
    said = []
    if result.more_noise:
        told = ", ".join(f"{one.times} times {_of_more(one)}" for one in result.more_noise)
        said.append(f"Headroom: {result.headroom}. With more noise {told}.")
    elif result.more_noise is not None:
        said.append("Headroom: none is measured, as nothing that it draws is noise of a scale.")
    if result.loose:
        where = f"; none satisfies {result.sharp_in}" if result.sharp_in else ""
        why = f": {result.loose_because.rstrip('.')}" if result.loose_because else ""
        said.append(f"Loose: a far worse mechanism also satisfies this claim{where}{why}.")
    return said


def _of_more(one: MoreNoise) -> str:
    if one.verdict is None:
        return f"not decided ({one.reason})"
    return f"{one.verdict}" + ("" if one.ratio is None else f" (failure/β {one.ratio:.3g})")


def witness(result: UtilityResult) -> list[str]:
    """The input on which it fails more often than β, and how often."""
    shown = result.witness
    if shown is None:
        return []
    return [shown.case, f"fails with probability {shown.failure_decimal} > β = {shown.beta}"]


def extent_of(result: UtilityResult) -> str:
    """The inputs: all, up to the first that fails, or those tried."""
    if not result.enumerated:
        return "tried"
    return "all" if result.witness is None else "up to a failing one"


def _ratio(result: UtilityResult) -> str:
    if result.ratio == 0 and result.worst is not None and result.worst.failure != "0":
        return "< 1e-308"  # what no float can hold
    if result.ratio is None:
        return "∞"
    shown = f"{result.ratio:.3g}"
    return "just above 1" if shown == "1" and result.witness is not None else shown  # β itself is no failure


def sharp(sharpness: SharpnessResult) -> str:
    """The size that is asked for, and the one that is enough."""
    if sharpness.smallest is None:
        return f"{sharpness.what}: the {sharpness.paper:,} that are asked for are not enough"
    who = "our constants ask" if sharpness.ours else "the paper asks"
    return f"{sharpness.what}: {who} for {sharpness.paper:,}; {sharpness.smallest:,} are enough on the inputs tried"


def beside_the_best(one: BestPossibleResult) -> str:
    """The success that is achieved, and that of the best private mechanism."""
    where = f" with {one.parameters}" if one.parameters else ""
    said = (
        f"worst success achieved {_number(one.achieved)} / optimal {_number(one.optimal)} = {one.ratio:.4g}, of "
        f"({one.epsilon}, {one.delta})-private mechanisms on {counted(one.databases, 'database')}{where}"
    )
    if one.is_impossible:
        said += ": MORE THAN POSSIBLE, so it is not private"
    return said + (f"; {one.outside:,} neighbours outside these left out" if one.outside else "")


def _number(quantity: Quantity) -> str:
    """A short exact form, or decimals."""
    form = quantity.exact
    if form is None:
        return f"≈ {quantity.decimal}"
    return form if len(form) <= _SHORT else f"≈ {quantity.decimal}"


_SHORT: Final = 24


def sharpness_tables(results: Sequence[UtilityResult]) -> list[Table]:
    """The sharpness of claims, and how far from optimal they are; those that no claim has a row of are left out."""
    return [table for table in (table_of_sharpness("How sharp", results), _of_optima(results)) if table.rows]


class _Sharp(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def sharpness(self) -> SharpnessResult | None: ...


def table_of_sharpness(title: str, results: Sequence[_Sharp]) -> Table:
    """The sizes that theorems ask for, beside those that are enough."""
    says = (
        "The least with which a claim holds on a family of inputs, beside what is asked for: by the paper, or, as "
        "said, by constants of ours, where it states an order alone or its bound had to be corrected. Other inputs may "
        "need more. Where a claim is sharp there is no room left: with half the ε it is to be refuted there."
    )
    rows = []
    for result in results:
        if (one := result.sharpness) is not None:
            enough = "more" if one.smallest is None else f"{one.smallest:,}"
            text = f"{one.paper:,}{' (ours)' if one.ours else ''}"
            ratio = "" if not one.smallest else f"{one.paper / one.smallest:.3g}"
            halved = "" if one.half_epsilon is None else one.half_epsilon.value
            rows.append((result.id, one.what, text, enough, ratio, halved))
    columns = ("claim", "of what", "asked for", "enough", "ratio", "there with half the ε")
    return Table(title, says, columns, rows)


def _of_optima(results: Sequence[UtilityResult]) -> Table:
    """The success of mechanisms, beside that of the best private ones."""
    says = (
        "The worst success of a mechanism on its cases, beside that of the best private mechanism on the same "
        "databases, found by a linear program, exactly. On more databases the optimum can only be smaller."
    )
    rows = []
    for result in results:
        for one in result.optimal:
            numbers = (_number(one.achieved), _number(one.optimal), f"{one.ratio:.4g}")
            asked = f"ε = {one.epsilon}, δ = {one.delta}" + (f"; {one.parameters}" if one.parameters else "")
            rows.append((result.id, asked, str(one.databases), *numbers))
    columns = ("claim", "with", "databases", "achieved", "optimal", "achieved/optimal")
    return Table("How far from optimal", says, columns, rows)


KIND: Final = Kind(
    name="utility",
    rank=2,
    result=UtilityResult,
    claimed=lambda _: "failure ≤ β",
    found=nearest,
    extent=lambda result: f"{counted(result.inputs, 'input')}, {extent_of(result)}",
    prose=prose,
    background=background,
    witness=witness,
    tables=sharpness_tables,
    page={"bar": bar, "failing": failing},
)
