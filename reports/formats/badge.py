"""An audit as a badge: a word and a colour for a README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from dpverify.reports.curves import escape
from dpverify.reports.gates.gate import Gate
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, Location

_NAME: Final = "dpverify"

_LETTER: Final = 6.6
"""Pixels of a letter, about; `textLength` sets them so, whatever letters there are."""

_GOOD: Final = "#17724a"
_BAD: Final = "#b92f25"
_OPEN: Final = "#835700"


class Said(NamedTuple):
    """The text that a badge says, and in which colour."""

    text: str
    colour: str


def to_badge(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> str:
    """The badge as SVG: red where something is not as expected, or a gate does not let it through."""
    said = _said(audit, gated, uncovered)
    left, right = (round(len(text) * _LETTER + 12) for text in (_NAME, said.text))
    label = escape(f"{_NAME}: {said.text}")
    texts = ((_NAME, 0, left), (said.text, left, right))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
            f'aria-label="{label}"><title>{label}</title>',
            f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
            f'<rect width="{left}" height="20" fill="#444b55"/>'
            f'<rect x="{left}" width="{right}" height="20" fill="{said.colour}"/></g>',
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
            *(
                f'<text x="{start + width / 2}" y="14" textLength="{width - 12}">{escape(text)}</text>'
                for text, start, width in texts
            ),
            "</g></svg>",
            "",
        ]
    )


def _said(audit: AuditRecord, gated: Gate | None, uncovered: Sequence[Location]) -> Said:
    failed = sum(not claim.as_expected for claim in audit.claims)
    if gated is not None and gated.failing:
        return Said(f"{counted(len(gated.failing), 'finding')} of the gate", _BAD)
    if uncovered:
        return Said(f"{counted(len(uncovered), 'function')} without a claim", _BAD)
    if failed and gated is None:
        return Said(f"{failed:,} of {counted(len(audit.claims), 'claim')} not as expected", _BAD)
    if audit.partial:
        return Said(f"partial: {len(audit.not_decided):,} not decided", _OPEN)
    if not audit.claims:
        return Said("no claims", _OPEN)
    return Said("the gate passes" if failed else f"{counted(len(audit.claims), 'claim')} as expected", _GOOD)
