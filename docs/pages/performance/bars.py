"""Horizontal bars as an SVG file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpverify.reports.curves import escape


def bars_svg(title: str, values: Mapping[str, float], shown: Callable[[float], str]) -> str:
    """Horizontal bars from 0, one under the other, each with its name and its value as `shown`; values are ≥ 0."""
    row, left, width = 22, 300, 300
    most = max(values.values(), default=0.0) or 1.0
    height = 60 + row * len(values)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 130}" height="{height}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="{left + width + 130}" height="{height}" fill="white"/>',
        f'<text x="12" y="24" font-size="14">{escape(title)}</text>',
    ]
    for i, (name, value) in enumerate(values.items()):
        y = 44 + row * i
        length = round(width * max(value, 0.0) / most, 1)
        lines.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        lines.append(f'<rect x="{left}" y="{y}" width="{length}" height="{row - 6}" fill="#1f6fb2"/>')
        lines.append(f'<text x="{left + length + 6}" y="{y + 12}">{escape(shown(value))}</text>')
    return "\n".join([*lines, "</svg>", ""])
