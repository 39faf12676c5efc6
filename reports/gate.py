"""A gate: what an audit says worse than the one before, and what it says better, of each claim and each mechanism."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal

import msgspec

from dpverify.mechanisms.exact.shown import cut, one_line
from dpverify.reports.comparison import Audit, result_of
from dpverify.reports.kind import Measured
from dpverify.reports.kinds import kind_of
from dpverify.reports.record import NOT_RECHECKED, ClaimResult, Location, Status

Mark = Literal["WORSE", "GONE", "LOST", "NEW", "BETTER", "KNOWN", "NOT DECIDED"]

FAILING: Final[Collection[Mark]] = ("WORSE", "GONE", "LOST", "NOT DECIDED")
"""What a gate does not let through; of what is new, what is not as expected is WORSE."""

_HOLDS: Final = {Status.PROVED: 3, Status.FUZZED: 2, Status.REFUTED: 0}
"""How much a verdict holds of a claim; those that leave it open, and VACUOUS, hold 1."""


@dataclass(frozen=True)
class Change:
    """A part of what is said of a claim, before and after."""

    what: str
    before: str
    after: str
    worse: bool

    @property
    def in_words(self) -> str:
        """On one line."""
        return f"{self.what}: {cut(one_line(self.before))} → {cut(one_line(self.after))}"


@dataclass(frozen=True)
class Row:
    """What a gate says of a claim, or of a mechanism that has lost its claims."""

    mark: Mark
    name: str
    changes: Sequence[Change] = ()
    said: Sequence[str] = ()
    """What else there is to say, in sentences."""
    witness: Sequence[str] = ()
    claim_at: Location | None = None
    mechanism_at: Location | None = None
    left_open: bool = False
    """Whether it is no worse than a verdict that leaves the claim open."""

    @property
    def fails(self) -> bool:
        """Whether the gate does not let it through."""
        return self.mark in FAILING

    @property
    def in_lines(self) -> list[str]:
        """What is said of it, and what changed."""
        return [*self.said, *(change.in_words for change in self.changes)]

    @property
    def place(self) -> Location | None:
        """Where to look: the mechanism, or, where it has no file, the claim."""
        mechanism = self.mechanism_at
        return mechanism if mechanism is not None and (mechanism.file or self.claim_at is None) else self.claim_at


@dataclass(frozen=True)
class Gate:
    """What an audit says otherwise than a baseline, worst first, and of how many claims it says the same."""

    rows: Sequence[Row] = ()
    same: int = 0
    left_out: Sequence[str] = ()
    """Ids of the baseline that nobody asked for."""
    before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False, repr=False)
    """The claims of the baseline, by their ids."""

    @property
    def failing(self) -> list[Row]:
        """What it does not let through."""
        return [row for row in self.rows if row.fails]

    @property
    def asks_for_update(self) -> bool:
        """Whether nothing is worse, and the baseline says less than is known now."""
        return not self.failing and any(row.mark in ("BETTER", "NEW") for row in self.rows)

    def marked(self, *marks: Mark) -> list[Row]:
        """The rows with these marks."""
        return [row for row in self.rows if row.mark in marks]

    @property
    def of_claims(self) -> dict[str, Row]:
        """The rows by the ids of their claims: all but those of mechanisms."""
        return {row.name: row for row in self.rows if row.mark != "LOST"}

    def earlier(self, name: str) -> ClaimResult | None:
        """What the baseline says of a claim; None where it has none, or one of a version that has another form."""
        return result_of(self.before[name]) if name in self.before else None


def gate(old: Audit, new: Audit, left_out: Collection[str] = ()) -> Gate:
    """What `new` says worse and better than `old`; claims of `old` that are `left_out` were not asked for."""
    found: dict[str, Row] = {}
    same = 0
    for name, claim in new.claims.items():
        row = _compared(name, old.claims[name], claim) if name in old.claims else _appeared(name, claim)
        if row is None:
            same += 1
        else:
            found[name] = row
    for name, claim in old.claims.items():
        if name not in new.claims and name not in left_out:
            found[name] = _gone(name, claim, new)
    rows = [*found.values(), *_lost(old, new, found, left_out)]
    order: dict[Mark, int] = {mark: i for i, mark in enumerate((*FAILING, "NEW", "BETTER", "KNOWN"))}
    return Gate(
        tuple(sorted(rows, key=lambda row: order[row.mark])),
        same,
        tuple(name for name in old.claims if name in left_out),
        old.claims,
    )


def _compared(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Row | None:
    """What is said of a claim that both have; None where that is the same, and nobody has to know of it."""
    result = result_of(after)
    changes = list(_changes(before, after))
    surprise, known = _surprise(after), _surprise(before)
    said = []
    if surprise and not known:
        said.append(f"not as expected, which it was: {surprise}")
    worse = bool(said) or any(change.worse for change in changes)
    refuted = after.get("verdict") == Status.REFUTED.value
    if surprise and known:
        said.append(f"not as expected, and known: {surprise}")
    if worse:
        mark: Mark = "WORSE"
        said += (
            ["refuted and new" if before.get("verdict") != Status.REFUTED.value else "refuted before"]
            if refuted
            else []
        )
    elif changes:
        mark = "BETTER"
    elif surprise or refuted:
        mark = "KNOWN"
        said += ["refuted and known"] if refuted else []
    else:
        return None
    return Row(
        mark,
        name,
        [change for change in changes if change.worse] or changes if mark == "WORSE" else changes,
        said,
        kind_of(result).witness(result) if result is not None and mark != "KNOWN" else [],
        _location(after, "location"),
        _location(after, "mechanism_location"),
        result is not None and result.left_open and all(change.what == "verdict" for change in changes if change.worse),
    )


def _appeared(name: str, claim: Mapping[str, Any]) -> Row:
    """What is said of a claim that was not there."""
    result, surprise = result_of(claim), _surprise(claim)
    verdict = str(claim.get("verdict"))
    said = [f"not in the baseline: {verdict}", *([f"not as expected: {surprise}"] if surprise else [])]
    said += ["refuted and new"] if verdict == Status.REFUTED.value else []
    return Row(
        "WORSE" if surprise else "NEW",
        name,
        (),
        said,
        kind_of(result).witness(result) if result is not None and surprise else [],
        _location(claim, "location"),
        _location(claim, "mechanism_location"),
        result is not None and result.left_open,
    )


def _gone(name: str, claim: Mapping[str, Any], new: Audit) -> Row:
    """What is said of a claim that is not there any more."""
    at = _location(claim, "location"), _location(claim, "mechanism_location")
    if name in new.not_decided:
        change = Change("verdict", str(claim.get("verdict")), "not decided", worse=True)
        return Row("NOT DECIDED", name, [change], [one_line(new.not_decided[name])], (), *at)
    return Row("GONE", name, (), [f"it was {claim.get('verdict')}, and is no claim any more"], (), *at)


def _lost(old: Audit, new: Audit, found: Mapping[str, Row], left_out: Collection[str]) -> Iterator[Row]:
    """The mechanisms that a claim spoke of, and none does any more."""
    kept = {_mechanism(claim) for claim in new.claims.values()}
    kept |= {_mechanism(old.claims[name]) for name in left_out if name in old.claims}
    kept |= {_mechanism(old.claims[name]) for name in new.not_decided if name in old.claims}
    spoke: dict[str, list[str]] = {}
    for name, claim in old.claims.items():
        spoke.setdefault(_mechanism(claim), []).append(name)
    for function, names in spoke.items():
        if function and function not in kept:
            at = _location(old.claims[names[0]], "mechanism_location")
            changed = [name for name in names if name in new.claims]
            said = f"no claim speaks of it any more; {', '.join(names)} did"
            now = sorted({_mechanism(new.claims[name]) for name in changed} - {""})
            yield Row("LOST", function, (), [said + (f", and now of {', '.join(now)}" if now else "")], (), None, at)


def _mechanism(claim: Mapping[str, Any]) -> str:
    at = _location(claim, "mechanism_location")
    return "" if at is None else at.function


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """What is worse or better of a claim; what one of two versions of the record does not have is not compared."""
    yield from _of_verdict(before, after)
    one, other = before.get("scope") or {}, after.get("scope") or {}
    proved = after.get("verdict") == before.get("verdict")
    if proved and {one.get("reach"), other.get("reach")} == {"all", "finite"}:
        words = {"all": "all sizes", "finite": "finite"}
        yield Change("scope", words[one["reach"]], words[other["reach"]], other["reach"] == "finite")
    rechecks = one.get("recheck"), other.get("recheck")
    if proved and None not in rechecks and (rechecks[0] == NOT_RECHECKED) != (rechecks[1] == NOT_RECHECKED):
        yield Change("recheck", str(rechecks[0]), str(rechecks[1]), rechecks[1] == NOT_RECHECKED)
    if None not in (before.get("weak"), after.get("weak")) and before["weak"] != after["weak"]:
        earned = {True: "earned with far less noise, too", False: "earned by its noise"}
        yield Change("weak", earned[before["weak"]], earned[after["weak"]], bool(after["weak"]))
    if None not in (before.get("slack"), after.get("slack")) and before["slack"] != after["slack"]:
        less = Fraction(after["slack"]) < Fraction(before["slack"])
        yield Change("holds with a share of its noise of", before["slack"], after["slack"], less)
    if _has_mutant(before) and not _has_mutant(after):
        yield Change("mutant", "refuted", "none: nobody knows whether the check can fail", worse=True)
    if after.get("neighbours_agree") and before.get("neighbours_agree") is False:
        yield Change("laws of neighbours", "different", "one and the same: nothing is put to the test", worse=True)
    if Status.UNDECIDED.value in (before.get("verdict"), after.get("verdict")):
        return
    earlier, later = result_of(before), result_of(after)
    if earlier is not None and later is not None and earlier.kind == later.kind:
        yield from _of_measures(kind_of(earlier).measures(earlier), kind_of(later).measures(later))


def _of_verdict(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    old, new = str(before.get("verdict")), str(after.get("verdict"))
    if old != new:
        yield Change("verdict", old, new, _holds(new) < _holds(old) or (_is_open(new) and not _better_open(old, new)))


def _holds(verdict: str) -> int:
    return _HOLDS.get(Status(verdict), 1) if verdict in Status.__members__ else 1


def _is_open(verdict: str) -> bool:
    """Whether a verdict says neither that a claim holds nor that it does not; what was refuted could hide so."""
    return _holds(verdict) == 1


def _better_open(old: str, new: str) -> bool:
    return _is_open(old) and new != Status.VACUOUS.value


def _of_measures(before: Sequence[Measured], after: Sequence[Measured]) -> Iterator[Change]:
    later = {one.what: one for one in after}
    for one in before:
        other = later.get(one.what)
        if other is None:
            continue
        grown, shrunk = other.low > one.high, other.high < one.low
        if grown or shrunk:
            yield Change(one.what, one.shown, other.shown, grown == one.less_is_better)


def _has_mutant(claim: Mapping[str, Any]) -> bool:
    return bool(claim.get("mutant") or claim.get("mutants"))


def _surprise(claim: Mapping[str, Any]) -> str:
    """Why a claim is not as expected; empty where it is."""
    result = result_of(claim)
    if result is not None:
        return result.surprise
    expected = claim.get("expected")
    return "" if expected in (None, claim.get("verdict")) else f"expected {expected}"


def _location(claim: Mapping[str, Any], name: str) -> Location | None:
    try:
        return None if claim.get(name) is None else msgspec.convert(claim[name], Location)
    except msgspec.ValidationError:
        return None


def in_lines(found: Gate, update: str = "", *, judged: bool = True) -> list[str]:
    """What a gate says, and the summary, with whether it passes; `update` says what to do where things got better."""
    lines = [line for row in found.rows for line in _row_lines(row)]
    counts = [f"{len(found.marked(mark))} {words}" for mark, words in _IN_WORDS if found.marked(mark)]
    said = f"gate: {', '.join([*counts, f'{found.same} the same'])}"
    said += f"; {len(found.left_out)} of the baseline not asked for" if found.left_out else ""
    verdict = ": it does not pass" if found.failing else ": it passes"
    lines += [f"{said}{verdict if judged else ''}"]
    return [*lines, *([update] if update and found.asks_for_update else [])]


_IN_WORDS: Final[Sequence[tuple[Mark, str]]] = (
    ("WORSE", "worse"),
    ("GONE", "gone"),
    ("LOST", "without a claim"),
    ("NOT DECIDED", "not decided"),
    ("NEW", "new"),
    ("BETTER", "better"),
    ("KNOWN", "known"),
)


def _row_lines(row: Row) -> list[str]:
    first = f"{row.mark:<12} {one_line(row.name)}" + (f"  {one_line(place_in_words(row))}" if row.place else "")
    if row.mark == "KNOWN":  # there may be many, and nobody has to do anything
        return [f"{first}  {one_line('; '.join(row.said))}"]
    return [
        first,
        *(f"    {one_line(text)}" for text in row.in_lines),
        *(f"        {one_line(line)}" for line in row.witness),
    ]


def place_in_words(row: Row) -> str:
    """File and line, and the function where that says more; empty where neither is known."""
    place = row.place
    if place is None or row.mark == "LOST":
        return "" if place is None or not place.file else f"({place.in_words})"
    return f"({place.in_words}{f' {place.name}' if place is row.mechanism_at and place.file else ''})"
