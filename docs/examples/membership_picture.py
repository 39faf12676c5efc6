"""The picture of membership.py: the scores of members and of outsiders, and how many members are accused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpverify.reports.curves import escape

_MEMBER: Final = "#c0362c"
_OUTSIDER: Final = "#1f6fb2"
_WIDTH: Final = 360
_HIGH: Final = 120
_LEFT: Final = 40
_BINS: Final = 48


@dataclass(frozen=True)
class Panel:
    """Scores of people for one release, and from which on one is accused."""

    name: str
    members: NDArray[np.float64]
    outsiders: NDArray[np.float64]
    limit: float


def picture(
    title: str,
    panels: Sequence[Panel],
    rates: Mapping[str, Sequence[tuple[int, float]]],
    levels: Mapping[str, float],
) -> str:
    """An SVG: a histogram of scores for each release on the left, and the rates by number of members on the right."""
    height = 70 + len(panels) * (_HIGH + 50)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="900" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="24" font-size="14">{escape(title)}</text>',
        f'<text x="{_LEFT}" y="44" fill="{_MEMBER}">members</text>',
        f'<text x="{_LEFT + 70}" y="44" fill="{_OUTSIDER}">outsiders</text>',
    ]
    ends = [
        float(end) for panel in panels for one in (panel.members, panel.outsiders) for end in (one.min(), one.max())
    ]
    for i, panel in enumerate(panels):
        lines += _histogram(panel, 60 + i * (_HIGH + 50), min(ends), max(ends))
    lines += _rates(rates, levels, height - 110)
    return "\n".join([*lines, "</svg>", ""])


def _histogram(panel: Panel, top: int, low: float, high: float) -> list[str]:
    """Shares of the people, those of outsiders above the line and those of members in front of them."""
    edges = np.linspace(low, high if high > low else low + 1, _BINS + 1)
    heights = {
        colour: np.histogram(scores, bins=edges)[0] / len(scores)
        for colour, scores in ((_OUTSIDER, panel.outsiders), (_MEMBER, panel.members))
    }
    most = max(float(shares.max()) for shares in heights.values())
    base, step = top + _HIGH, _WIDTH / _BINS
    lines = [f'<text x="{_LEFT}" y="{top + 12}">{escape(panel.name)}</text>']
    for colour, shares in heights.items():
        bars = "".join(
            f"M{_LEFT + j * step:.1f} {base}v{-share / most * (_HIGH - 20):.1f}h{step:.1f}V{base}z"
            for j, share in enumerate(shares.tolist())
            if share
        )
        lines.append(f'<path d="{bars}" fill="{colour}" fill-opacity="0.6"/>')
    lines.append(f'<path d="M{_LEFT} {base}h{_WIDTH}" stroke="#888"/>')
    if low <= panel.limit <= high:
        x = _LEFT + (panel.limit - low) / (high - low or 1) * _WIDTH
        lines.append(f'<path d="M{x:.1f} {base}v{-_HIGH + 14}" stroke="#222" stroke-dasharray="4 3"/>')
        lines.append(f'<text x="{x + 4:.1f}" y="{top + 26}">accused</text>')
    lines.append(f'<text x="{_LEFT + _WIDTH}" y="{base + 16}" text-anchor="end">score of a person</text>')
    return lines


def _rates(rates: Mapping[str, Sequence[tuple[int, float]]], levels: Mapping[str, float], high: int) -> list[str]:
    """The share of the members that is accused, by their number on a logarithmic scale."""
    left, top, width = 480, 60, 300
    sizes = [size for size, _ in next(iter(rates.values()))]
    first, last = log10(sizes[0]), log10(sizes[-1])

    def x(size: int) -> float:
        return round(left + (log10(size) - first) / ((last - first) or 1) * width, 1)

    def y(share: float) -> float:
        return round(top + (1 - share) * high, 1)

    lines = [f'<path d="M{left} {top}v{high}h{width}" fill="none" stroke="#888"/>']
    lines += [f'<text x="{left - 6}" y="{y(s) + 4}" text-anchor="end">{s:.0%}</text>' for s in (0.0, 0.5, 1.0)]
    lines += [f'<text x="{x(s)}" y="{top + high + 16}" text-anchor="middle">{s}</text>' for s in sizes[::2]]
    lines.append(f'<text x="{left + width}" y="{top + high + 34}" text-anchor="end">members of the study</text>')
    lines.append(f'<text x="{left}" y="{top - 8}">members accused</text>')
    for (name, points), (colour, dash) in zip(rates.items(), ((_MEMBER, ""), ("#1a7f4b", "7 3")), strict=False):
        path = " ".join(f"{x(size)},{y(share)}" for size, share in points)
        lines.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        size, share = points[len(points) // 2]
        lines.append(f'<text x="{x(size) + 6}" y="{y(share) - 8}" fill="{colour}">{escape(name)}</text>')
    for name, level in levels.items():
        lines.append(f'<path d="M{left} {y(level)}h{width}" stroke="#6b4fa0" stroke-dasharray="2 3"/>')
        lines.append(f'<text x="{left + width + 6}" y="{y(level) + 4}" fill="#6b4fa0">{escape(name)}</text>')
    return lines
