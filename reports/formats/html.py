"""An audit as one HTML page that needs nothing else: no network, the same bytes for the same audit.

Everything on it works without a script; its own one adds a search, and opens what a link leads to.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpverify.reports import numbers
from dpverify.reports.audits import summary
from dpverify.reports.bars import BAR_WIDTH
from dpverify.reports.formats import contents
from dpverify.reports.gates.gate import Gate
from dpverify.reports.gates.gate_page import gate_page
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.record import AuditRecord, ClaimResult, Location, storable, storable_audit

SCRIPT: Final = "page.js"
STYLE: Final = "page.css"


def to_html(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> str:
    """The page: what is not as expected, what is refuted, and what is weak; then each claim, by paper or file.

    With a gate it begins with what that says, and is of its colour: so it does with functions that are `uncovered`.

    What is shown of a claim is in the page of its kind, `templates/<kind>.html`: macros `picture` and `body`. Nothing
    is loaded, and no script runs but the page's own.
    """
    environment = _environment()
    audit = storable_audit(audit)
    occurring = {claim.kind for claim in audit.claims}
    shown = [kind for name, kind in kinds().items() if name in occurring]
    script = environment.get_template(SCRIPT).render()
    return environment.get_template("audit.html").render(
        audit=audit,
        gate=None if gated is None else gate_page(gated),
        uncovered=[storable(place) for place in uncovered],
        chapters=contents.chapters(audit),
        surprises=contents.surprises(audit),
        known=contents.known(audit),
        weak=contents.weak(audit),
        verdicts=summary.counts(audit.claims),
        sources={claim_id: source.text for source in audit.sources for claim_id in source.claims},
        kinds=shown,
        tables=[
            table for kind in shown for table in kind.tables([one for one in audit.claims if one.kind == kind.name])
        ],
        pages={name: environment.get_template(f"{kinds()[name].file_name}.html").module for name in occurring},
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )


def row_of(claim: ClaimResult) -> str:
    """A result by itself, as a part of another page, such as a notebook: its row, its witness and its picture."""
    environment = _environment()
    page: Any = environment.get_template(f"{kind_of(claim).file_name}.html").module
    return environment.get_template("row.html").render(claim=claim, kind=kind_of(claim), page=page)


@cache
def _environment() -> Environment:
    """Where the templates are, each of which is compiled when it is first asked for."""
    environment = Environment(
        loader=PackageLoader("dpverify.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(summary=summary, numbers=numbers, kind_of=kind_of, bar_width=BAR_WIDTH)
    return environment
