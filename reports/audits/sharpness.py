"""A plot of how sharp the utility claims of an audit are."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from dpverify.reports.curves import bars_svg
from dpverify.reports.kinds.utility import UtilityResult
from dpverify.reports.record import AuditRecord


def to_svg(audit: AuditRecord) -> str:
    """The plot of an audit's utility claims; without bars where it has none that say what they ask for."""
    return sharpness_svg([claim for claim in audit.claims if isinstance(claim, UtilityResult)])


def sharpness_svg(results: Sequence[UtilityResult]) -> str:
    """Factor by which a theorem asks for more than is enough, on a scale of powers of ten."""
    ratios = {
        result.id.replace(".utility.", " "): log10(result.sharpness.paper / result.sharpness.smallest)
        for result in results
        if result.sharpness is not None and result.sharpness.smallest
    }
    return bars_svg("What is asked for, over what is enough, on a logarithmic scale", ratios, _times)


def _times(power: float) -> str:
    ratio = 10**power
    if not power:
        return "just enough"
    return f"{ratio:.3g} times" if ratio < 100 else f"{round(ratio):,} times"
