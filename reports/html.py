"""An audit as one HTML page that needs nothing else: no script, no network, the same bytes for the same audit."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpverify.reports import profile_plot as plots
from dpverify.reports import summary
from dpverify.reports.record import AuditRecord, ClaimResult

WIDTH = 160
"""Pixels of a bar; the claimed budget ends in its middle."""


class Bar(NamedTuple):
    """A bar that shows which part of the claimed budget is used, and its caption."""

    length: float
    over: bool
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
    return environment.get_template("audit.html").render(
        audit=audit, summary=summary, groups=summary.groups(audit), bar=bar, plots=plots, width=WIDTH
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
