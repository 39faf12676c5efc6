"""Curves as an SVG file: for results that people would rather look at than read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log2
from typing import Final

_WIDTH: Final = 420
_HEIGHT: Final = 220
_MARGIN: Final = 48
_COLOURS: Final = ("#1f6fb2", "#c0362c", "#1a7f4b", "#9a6700", "#6b4fa0")
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "4 2")


def curves_svg(title: str, x: Sequence[int], curves: Mapping[str, Sequence[float]], x_label: str, y_label: str) -> str:
    """Curves over whole x ≥ 1 on a doubling scale, with values in [0, 1], a legend, and labels; nothing is loaded."""
    width, height = _WIDTH + 2 * _MARGIN + 150, _HEIGHT + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_MARGIN}" y="24" font-size="14">{escape(title)}</text>',
        f'<path d="M{_MARGIN} {_MARGIN}v{_HEIGHT}h{_WIDTH}" fill="none" stroke="#888"/>',
        f'<text x="{_MARGIN + _WIDTH}" y="{height - 12}" text-anchor="end">{escape(x_label)}</text>',
        f'<text x="{_MARGIN - 6}" y="{_MARGIN - 8}" text-anchor="start">{escape(y_label)}</text>',
    ]
    for tick in (0, 0.5, 1):
        lines.append(f'<text x="{_MARGIN - 8}" y="{_y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    for value in x:
        lines.append(f'<text x="{_x(value, x)}" y="{_MARGIN + _HEIGHT + 16}" text-anchor="middle">{value}</text>')
    for i, (name, values) in enumerate(curves.items()):
        colour, dash = _COLOURS[i % len(_COLOURS)], _DASHES[i % len(_DASHES)]
        points = " ".join(f"{_x(at, x)},{_y(value)}" for at, value in zip(x, values, strict=True))
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        lines.append(f'<polyline points="{points}" {style}/>')
        y = _MARGIN + 14 + 20 * i
        left = _MARGIN + _WIDTH + 14
        lines.append(f'<path d="M{left} {y - 4}h26" {style}/>')
        lines.append(f'<text x="{left + 32}" y="{y}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _x(value: int, x: Sequence[int]) -> float:
    low, high = log2(x[0]), log2(x[-1])
    return round(_MARGIN + (log2(value) - low) / (high - low) * _WIDTH, 1)


def _y(value: float) -> float:
    return round(_MARGIN + (1 - value) * _HEIGHT, 1)
