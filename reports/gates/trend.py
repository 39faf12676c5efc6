"""Several records of the same claims, oldest first: how many were as expected in each, and what became of which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.gates.comparison import Audit, record_of_claim
from dpverify.reports.numbers import counted
from dpverify.reports.record import OPEN_VERDICTS

_OPEN: Final = frozenset(map(str, OPEN_VERDICTS))

_MEASURED: Final = ("slack", "weak")
"""Fields that an audit measures if it is asked to."""

ABSENT: Final = "not there"
NOT_DECIDED: Final = "not decided"


@dataclass(frozen=True)
class AuditPoint:
    """A record, in numbers."""

    name: str
    held: int
    """As expected, and not refuted."""
    refuted: int
    """Refuted, and expected to be."""
    left_open: int
    """Open, and expected to be."""
    failed: int
    """Not as expected."""
    not_decided: int
    weak: int

    @property
    def claims(self) -> int:
        """Decided ones."""
        return self.held + self.refuted + self.left_open + self.failed

    @property
    def asked(self) -> int:
        """All rows."""
        return self.claims + self.not_decided


@dataclass(frozen=True)
class State:
    """The state of a claim in some records in a row."""

    verdict: str
    """Or that it is not there, or not decided."""
    remarks: Sequence[str]
    failed: bool
    first: str
    """The name of the first of these records."""


@dataclass(frozen=True)
class Story:
    """A claim of which not all records say the same."""

    name: str
    states: Sequence[State]

    @property
    def fails_now(self) -> bool:
        """True where the last record does not have it as expected."""
        return self.states[-1].failed

    @property
    def only_appeared(self) -> bool:
        """True where all that became of it is that it is there."""
        return len(self.states) == 2 and self.states[0].verdict == ABSENT and not self.fails_now


@dataclass(frozen=True)
class Trend:
    """The course of claims over several records."""

    points: Sequence[AuditPoint]
    stories: Sequence[Story]
    """Claims that fail now first, then those that changed last."""
    appeared: Sequence[Story]
    """Of claims that are there since some record, and nothing else."""
    same: int
    """Claims of which all records say the same."""


def trend_of_audits(audits: Mapping[str, Audit]) -> Trend:
    """The trend of audits by their names, oldest first."""
    names = list(audits)
    ids = dict.fromkeys(one for audit in audits.values() for one in (*audit.claims, *audit.not_decided))
    stories = [_story(claim_id, audits) for claim_id in ids]
    changed = [story for story in stories if len(story.states) > 1]
    changed.sort(key=lambda story: (not story.fails_now, -names.index(story.states[-1].first)))
    points = [_point(name, audit) for name, audit in audits.items()]
    appeared = [story for story in changed if story.only_appeared]
    return Trend(points, [story for story in changed if not story.only_appeared], appeared, len(stories) - len(changed))


def _point(name: str, audit: Audit) -> AuditPoint:
    failed = [_fails(claim) for claim in audit.claims.values()]
    fine = [claim for claim, fails in zip(audit.claims.values(), failed, strict=True) if not fails]
    refuted = sum(claim.get("verdict") == "REFUTED" for claim in fine)
    left_open = sum(claim.get("verdict") in _OPEN for claim in fine)
    weak = sum(claim.get("weak") is True for claim in audit.claims.values())
    held = len(fine) - refuted - left_open
    return AuditPoint(name, held, refuted, left_open, sum(failed), len(audit.not_decided), weak)


def _fails(claim: Mapping[str, Any]) -> bool:
    """True where it is not as expected, also in what a record of another version says of it."""
    result = record_of_claim(claim)
    return claim.get("verdict") != claim.get("expected") if result is None else not result.as_expected


def _story(claim_id: str, audits: Mapping[str, Audit]) -> Story:
    states: list[State] = []
    said = [audit.claims[claim_id] for audit in audits.values() if claim_id in audit.claims]
    measured = {field: claim[field] for field in _MEASURED for claim in reversed(said) if claim.get(field) is not None}
    for name, audit in audits.items():
        state = _state(claim_id, audit, name, measured)
        if not states or _told(states[-1]) != _told(state):
            states.append(state)
    return Story(claim_id, states)


def _told(state: State) -> tuple[str, Sequence[str], bool]:
    return state.verdict, state.remarks, state.failed


def _state(claim_id: str, audit: Audit, name: str, measured: dict[str, Any]) -> State:
    """The results of an audit; `measured` was measured before, or first, and stands where this one has not measured."""
    claim = audit.claims.get(claim_id)
    if claim is None:
        return State(NOT_DECIDED if claim_id in audit.not_decided else ABSENT, (), False, name)
    measured.update((field, claim[field]) for field in _MEASURED if claim.get(field) is not None)
    fails = _fails(claim)
    remarks = [
        *([f"expected {claim.get('expected')}"] if claim.get("verdict") != claim.get("expected") else []),
        *(["not as expected"] if fails and claim.get("verdict") == claim.get("expected") else []),
        *([f"headroom {measured['slack']}"] if measured.get("slack") is not None else []),
        *(["loose"] if measured.get("weak") else []),
    ]
    return State(str(claim.get("verdict")), remarks, fails, name)


def story_in_words(story: Story) -> str:
    """A claim and what became of it, in a line."""
    told = (f"{_in_words(state)} (from {one_line(state.first)})" for state in story.states[1:])
    return f"{one_line(story.name)}: {' → '.join([_in_words(story.states[0]), *told])}"


def _in_words(state: State) -> str:
    return ", ".join([state.verdict, *state.remarks])


def in_lines(found: Trend) -> list[str]:
    """The trend in lines: each record, what changed, and how much did not."""
    lines = [
        f"{one_line(point.name)}: {counted(point.claims, 'claim')}, {point.failed} not as expected"
        + (f", {point.weak} loose" if point.weak else "")
        + (f", {point.not_decided} not decided" if point.not_decided else "")
        for point in found.points
    ]
    appeared = [f"{counted(len(found.appeared), 'claim')} appeared"] if found.appeared else []
    last = ", ".join([*appeared, f"{counted(found.same, 'claim')} the same in all"])
    return [*lines, "", *map(story_in_words, found.stories), last]


@dataclass(frozen=True)
class Column:
    """A record as a column of a picture: parts from the bottom up, as (name of a colour, place, height)."""

    point: AuditPoint
    x: float
    width: float
    parts: Sequence[tuple[str, float, float]]


TREND_HEIGHT: Final = 160
TREND_WIDTH: Final = 640
"""Pixels of the picture, without its labels."""


def columns(found: Trend) -> list[Column]:
    """The records as columns, all to one scale."""
    most = max((point.asked for point in found.points), default=0) or 1
    step = TREND_WIDTH / max(len(found.points), 1)
    drawn = []
    for i, point in enumerate(found.points):
        counts = (
            ("good", point.held),
            ("soft", point.refuted),
            ("open", point.left_open + point.not_decided),
            ("bad", point.failed),
        )
        ends = [0]
        for _, count in counts:
            ends.append(ends[-1] + count)
        parts = [
            (colour, round((1 - end / most) * TREND_HEIGHT, 1), round((end - begin) / most * TREND_HEIGHT, 1))
            for (colour, count), (begin, end) in zip(counts, pairwise(ends), strict=True)
            if count
        ]
        drawn.append(Column(point, round(i * step, 1), round(0.8 * step, 1), parts))
    return drawn
