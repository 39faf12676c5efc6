"""Curves as an SVG file: for results that people would rather look at than read."""

import re
from collections.abc import Mapping, Sequence
from html import escape as html_escape
from math import log2
from typing import Final

_WIDTH: Final = 420
_HEIGHT: Final = 220
_MARGIN: Final = 48
_COLOURS: Final = ("#1f6fb2", "#c0362c", "#1a7f4b", "#9a6700", "#6b4fa0", "#333333", "#0f7f86")
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 3", "12 4")


def curves_svg(title: str, x: Sequence[int], curves: Mapping[str, Sequence[float]], x_label: str, y_label: str) -> str:
    """Curves over whole x ≥ 1 on a doubling scale, with values in [0, 1]; see `plot_svg`."""
    low, high = log2(x[0]), log2(x[-1])
    places = [(log2(value) - low) / (high - low) for value in x]
    ticks = [(place, str(value)) for place, value in zip(places, x, strict=True)]
    points = {name: list(zip(places, values, strict=True)) for name, values in curves.items()}
    return plot_svg(title, points, ticks, x_label, y_label)


def plot_svg(
    title: str,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    ticks: Sequence[tuple[float, str]],
    x_label: str,
    y_label: str,
) -> str:
    """Curves through points of [0, 1]×[0, 1], with a legend, labels, and ticks on the x axis; nothing is loaded."""
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
    for place, label in ticks:
        lines.append(f'<text x="{_x(place)}" y="{_MARGIN + _HEIGHT + 16}" text-anchor="middle">{escape(label)}</text>')
    for i, (name, points_of_curve) in enumerate(curves.items()):
        colour, dash = _COLOURS[i % len(_COLOURS)], _DASHES[i % len(_DASHES)]
        points = " ".join(f"{_x(place)},{_y(value)}" for place, value in points_of_curve)
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        lines.append(f'<polyline points="{points}" {style}/>')
        y = _MARGIN + 14 + 20 * i
        left = _MARGIN + _WIDTH + 14
        lines.append(f'<path d="M{left} {y - 4}h26" {style}/>')
        lines.append(f'<text x="{left + 32}" y="{y}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def escape(text: str) -> str:
    """The text for XML, with ? for what XML cannot hold."""
    return html_escape(re.sub(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text))


def _x(place: float) -> float:
    return round(_MARGIN + place * _WIDTH, 1)


def _y(value: float) -> float:
    return round(_MARGIN + (1 - value) * _HEIGHT, 1)
