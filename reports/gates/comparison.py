"""The difference of two audits."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.audits.json_form import RENEW, conflict, refuse_other_versions, result_from_json, to_json
from dpverify.reports.audits.summary import badge
from dpverify.reports.former_fields import FORMER_VERSION, claim_now
from dpverify.reports.kinds import kind_of
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, ClaimResult

_ADDED_BY_THE_RUN: Final = frozenset({"cached", "origin", "strict", "location", "mechanism_location", "language"}) | {
    "rounding",  # which other processors measure otherwise
    "whole_runs",
}
"""Fields on how a record came about and where what is written, and not on claims and results."""

_MEASURED: Final = frozenset({"headroom", "loose", "noise_multipliers", "never_run"})
"""Fields that an audit measures if it is asked to: where one of two has not, they do not differ in it."""

_LOOKED_AT: Final = frozenset({"line_runs"})
"""The fields that a record has only where somebody looked: where one of two has it not, they do not differ in it."""

_DRAWN: Final = frozenset({"witness.distributions"})
"""Fields that are there to be drawn, and follow from the rest."""

_LONGEST: Final = 100
"""Characters of a value in a difference."""

_BEFORE: Final = 30
"""Characters of a long value that are shown before it differs from another."""


@dataclass(frozen=True)
class Audit:
    """The answers of an audit on each claim, by its id, as plain data."""

    claims: Mapping[str, Mapping[str, Any]]
    not_decided: Mapping[str, str]
    """Id → why."""


@dataclass(frozen=True)
class Difference:
    """The differences between two audits."""

    changed: Mapping[str, list[str]]
    """Id → lines such as `verdict: PROVED → REFUTED`."""
    vanished: list[str]
    appeared: list[str]
    same: int
    rows: list[str]
    """Part that one of them has not decided, where the other does not say so, in words."""

    @property
    def is_none(self) -> bool:
        """True where both say the same of the same claims."""
        return not (self.changed or self.vanished or self.appeared or self.rows)


def read_loosely(text: str | bytes, renew: str = RENEW) -> Audit:
    """The audit of a JSON form, of which fields that are not known are kept. Raises `InputError` for anything else.

    Of another version it says by which command to `renew` it.
    """
    try:
        content = msgspec.json.decode(text.encode() if isinstance(text, str) else text.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(conflict(text) or reasons.NO_JSON_REPORT.text(why=error, renew=renew)) from None
    if not isinstance(content, dict):
        raise InputError(reasons.NO_JSON_REPORT.text(why="no object", renew=renew))
    if "schema" not in content:
        raise InputError(reasons.NO_JSON_REPORT.text(why="it has no version, schema", renew=renew))
    refuse_other_versions(content["schema"], renew)
    claims = content.get("claims")
    if not isinstance(claims, list) or any(not isinstance(claim, dict) or "id" not in claim for claim in claims):
        raise InputError(reasons.NO_JSON_REPORT.text(why="claims is no list of claims", renew=renew))
    rows = content.get("not_decided", [])
    if not isinstance(rows, list) or any(not isinstance(row, dict) or "id" not in row for row in rows):
        raise InputError(reasons.NO_JSON_REPORT.text(why="not_decided is no list of rows", renew=renew))
    is_former = content["schema"] == FORMER_VERSION
    by_id = {str(claim["id"]): claim_now(claim) if is_former else claim for claim in claims}
    if len(by_id) < len(claims):
        raise InputError(reasons.NO_JSON_REPORT.text(why="two claims have one id", renew=renew))
    return Audit(by_id, {str(row["id"]): str(row.get("reason", "")) for row in rows})


def compare(old: AuditRecord, new: AuditRecord) -> Difference:
    """The differences between `old` and `new`, claim by claim, but for how it came about and where it is written.

    >>> def leaks(draw, rows):
    ...     return rows
    >>> domain = Tuples((0, 1), size=1)
    >>> claims = [Claim(id="lib.leaks", mechanism=leaks, domain=domain, epsilon=epsilon) for epsilon in (1, 2)]
    >>> before, after = (audit([claim], recheck=False) for claim in claims)
    >>> compare(before, after).changed["lib.leaks"][0]
    'epsilon.decimal: 1 → 2'
    """
    return difference(read_loosely(to_json(old)), read_loosely(to_json(new)))


def difference(old: Audit, new: Audit) -> Difference:
    """The differences between `old` and `new`."""
    common = [name for name in old.claims if name in new.claims]
    lines = {name: list(_lines(old, new, name)) for name in common}
    return Difference(
        changed={name: result for name, result in lines.items() if result},
        vanished=[name for name in old.claims if name not in new.claims],
        appeared=[name for name in new.claims if name not in old.claims],
        same=sum(not result for result in lines.values()),
        rows=[
            *(f"{name} was not decided in the first alone" for name in old.not_decided if name not in new.not_decided),
            *(f"{name} is not decided in the second" for name in new.not_decided if name not in old.not_decided),
        ],
    )


def _lines(old: Audit, new: Audit, name: str) -> Iterator[str]:
    before, after = old.claims[name], new.claims[name]
    for field in (*before, *(field for field in after if field not in before)):
        if field in _ADDED_BY_THE_RUN:
            continue
        if field in _MEASURED and not (_is_measured(before) and _is_measured(after)):
            continue
        if field in _LOOKED_AT and not (field in before and field in after):
            continue
        yield from _differing(field, before.get(field), after.get(field))


def record_of_claim(claim: Mapping[str, Any]) -> ClaimResult | None:
    """The record of a claim; None where it has another form."""
    try:
        return result_from_json(msgspec.json.encode(claim))
    except msgspec.ValidationError:
        return None


def claim_in_short(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str] | None:
    """Answers to a person's questions on a changed claim: claimed value and result, scope, and the counterexample.

    None where they are of different kinds, or have another form.
    """
    one, other = record_of_claim(before), record_of_claim(after)
    if one is None or other is None or one.kind != other.kind:
        return None
    headroom_too = None not in (one.headroom, other.headroom)
    both = zip(_asked_of(one), _asked_of(other), strict=True)
    pairs = [pair for pair in both if headroom_too or pair[0][0] not in _MEASURED]
    return [f"{what}: {_shown(old, new)} → {_shown(new, old)}" for (what, old), (_, new) in pairs if old != new]


def _asked_of(claim: ClaimResult) -> list[tuple[str, str | None]]:
    kind = kind_of(claim)
    witness = [" ".join(line.split()) for line in kind.witness(claim) if not line.startswith(("python -c ", "("))]
    return [
        ("verdict", str(claim.verdict)),
        ("expected", str(claim.expected)),
        ("refuted is", badge(claim)),
        ("statement", claim.statement),
        ("source", claim.source),
        ("mechanism", claim.mechanism),
        ("claimed", kind.claimed(claim)),
        ("result", kind.found(claim)),
        ("of", (kind.size or kind.extent)(claim)),
        ("scope", {"all": "all sizes", "finite": "finite"}[claim.scope.extent]),
        ("recomputation", claim.scope.recomputation),
        ("headroom", claim.headroom),
        ("loose", str(claim.loose)),
        ("counterexample", "; ".join(witness) or None),
    ]


def _is_measured(claim: Mapping[str, Any]) -> bool:
    return claim.get("headroom") is not None


def _differing(path: str, before: Any, after: Any) -> Iterator[str]:
    """The places where two values differ, part by part."""
    if path in _DRAWN:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in (*before, *(name for name in after if name not in before)):
            yield from _differing(f"{path}.{name}", before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (one, other) in enumerate(zip(before, after, strict=True), 1):
            yield from _differing(f"{path}.{i}", one, other)
    elif before != after or type(before) is not type(after):
        yield f"{path}: {_shown(before, after)} → {_shown(after, before)}"


def _shown(value: Any, other: Any) -> str:
    """A value for people, where it is long from a little before it differs from the other."""
    text, beside = _text(value), _text(other)
    same = next((i for i, (one, two) in enumerate(zip(text, beside, strict=False)) if one != two), 0)
    begin = max(0, same - _BEFORE) if max(len(text), len(beside)) > _LONGEST else 0
    return ("…" if begin else "") + cut(text[begin:], _LONGEST)


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    return one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def comparison_in_lines(found: Difference, old: Audit, new: Audit, *, whole: bool = True) -> list[str]:
    """A difference in lines: each claim that changed, what vanished and what is new, and a summary.

    Of a claim all fields that differ, or, where that is not to be the `whole` of it, what a person asks, and how many.
    """
    lines: list[str] = []
    for name, changes in found.changed.items():
        short = None if whole else claim_in_short(old.claims[name], new.claims[name])
        lines += [one_line(name), *(f"    {one_line(line)}" for line in (changes if short is None else short))]
        if short is not None and len(short) < len(changes):
            lines.append(f"    {counted(len(changes), 'field')} of the record in all: --all shows them")
    for name in found.vanished:
        reason = one_line(new.not_decided.get(name, ""))
        said = f": not decided in the second, {reason}" if reason else ""
        lines.append(f"{one_line(name)} is only in the first{said}")
    for name in found.appeared:
        lines.append(f"{one_line(name)} is only in the second: {one_line(str(new.claims[name].get('verdict')))}")
    lines += map(one_line, found.rows)
    counts = [
        f"{found.same} the same",
        f"{len(found.changed)} changed",
        f"{len(found.vanished)} only in the first",
        f"{len(found.appeared)} only in the second",
    ]
    which = [name for name, one in (("first", old), ("second", new)) if one.not_decided]
    partial = f"; partial: the {' and the '.join(which)}" if which else ""
    return [*lines, *([""] if lines else []), f"claims: {', '.join(counts)}{partial}"]
