"""An audit as one HTML page that needs nothing else: no script, no network, the same bytes for the same audit."""

from __future__ import annotations

from math import exp, inf
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpverify.reports import profile_plot as plots
from dpverify.reports import summary
from dpverify.reports.record import AuditRecord, ClaimResult, storable

WIDTH = 160
"""Pixels of a bar; the claimed budget ends in its middle."""


class Bar(NamedTuple):
    """A bar that shows which part of the claimed budget is used, and its caption."""

    length: float
    over: bool
    caption: str


class EpsilonLine(NamedTuple):
    """All ε > 0 on one line, at 1 − e^(-ε) of its width, with (place, length) of where a claim fails, and a caption."""

    failing: list[tuple[float, float]]
    caption: str


def to_html(audit: AuditRecord) -> str:
    """The page: the headline, then each claim with its verdict, a bar, its scope and its witness."""
    environment = Environment(
        loader=PackageLoader("dpverify.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    audit = storable(audit)
    return environment.get_template("audit.html").render(
        audit=audit,
        summary=summary,
        groups=summary.groups(audit),
        bar=bar,
        epsilon_line=epsilon_line,
        plots=plots,
        width=WIDTH,
    )


def bar(claim: ClaimResult) -> Bar | None:
    """The bar of a claim, None where nothing is known of it."""
    used = summary.used(claim)
    if used is None:
        return None
    if used == inf:
        return Bar(WIDTH, True, "not bounded by the claim at all")
    what = "ε" if summary.is_pure(claim) else "δ"
    return Bar(round(min(used / 2, 1.0) * WIDTH, 1), used > 1, f"{used:.3g} of the claimed {what}")


def epsilon_line(claim: ClaimResult) -> EpsilonLine | None:
    """The line of a claim for all ε, None for another or where nothing is known of it."""
    if claim.for_all_epsilon is None or claim.for_all_epsilon.fails_at is None:
        return None
    ranges = claim.for_all_epsilon.fails_at
    ends = [
        (_place(float(values.low.decimal)), WIDTH if values.high is None else _place(float(values.high.decimal)))
        for values in ranges
    ]
    caption = f"fails for {summary.ranges_in_short(ranges)}" if ranges else "holds for all ε"
    return EpsilonLine([(low, round(max(high - low, 1.0), 1)) for low, high in ends], caption)


def _place(epsilon: float) -> float:
    return round((1 - exp(-epsilon)) * WIDTH, 1)
