"""An audit as one HTML page that needs nothing else: no network, the same bytes for the same audit.

Everything on it can be read without a script; its own one sorts the table, and narrows it.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpverify.reports import numbers
from dpverify.reports.audits import summary
from dpverify.reports.bars import ABOVE_WIDTH, BAR_WIDTH
from dpverify.reports.formats import contents
from dpverify.reports.formats.first_screen import first_sentence, one_sentence, strength
from dpverify.reports.formats.source_lines import seldom_run, source_lines, sources_once
from dpverify.reports.gates.gate import Gate
from dpverify.reports.gates.gate_page import gate_page
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.privacy_pictures import SIZE as PROFILE_SIZE
from dpverify.reports.privacy_pictures import plot_of
from dpverify.reports.privacy_record import CurvePoint, ProfilePiece
from dpverify.reports.record import AuditRecord, ClaimResult, Location, storable, storable_audit

SCRIPT: Final = "page.js"


def to_html(audit: AuditRecord, gated: Gate | None = None, uncovered: Sequence[Location] = ()) -> str:
    """The page: one sentence, what the gate says, claims that are not as expected, and all others by paper or file.

    Many claims are folded, and a claim opens in its place. The gate fails for functions that are `uncovered`, too.

    What is shown of a claim is in the page of its kind, `templates/<kind>.html`: macros `picture` and `body`, and,
    where its witness can be drawn, `witness`. Nothing is loaded, and no script runs but the page's own.
    """
    environment = _environment()
    audit = storable_audit(audit)
    occurring = {claim.kind for claim in audit.claims}
    shown = [kind for name, kind in kinds().items() if name in occurring]
    script = environment.get_template(SCRIPT).render()
    said = None if gated is None else gate_page(gated)
    surprises, known = contents.surprises(audit), contents.known(audit)
    is_red = bool(uncovered) or (said is not None and not said.passes)
    page = environment.get_template("audit.html").render(
        audit=audit,
        gate=said,
        is_red=is_red,
        title="dpverify audit" if audit.provenance is None else audit.provenance.title,
        sentence=first_sentence(audit),
        strength=strength(audit),
        legend=contents.LEGEND,
        uncovered=[storable(place) for place in uncovered],
        chapters=contents.chapters(audit),
        decided={claim.id for claim in audit.claims},
        surprises=surprises,
        left=contents.left_by_reason(audit),
        known=known,
        known_count=sum(len(one.claims) for one in known),
        loose=contents.loose(audit),
        unreached=contents.unreached_claims(audit),
        verdicts=summary.counts(audit.claims),
        sources={claim_id: source.text for source in audit.sources for claim_id in source.claims},
        source_at=sources_once(audit),
        kinds=shown,
        tables=[
            table for kind in shown for table in kind.tables([one for one in audit.claims if one.kind == kind.name])
        ],
        pages={name: environment.get_template(f"{kinds()[name].file_name}.html").module for name in occurring},
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )
    return _TEXT.sub(_as_short, page)


_TEXT: Final = re.compile(r">[^<]*")
"""The end of a tag and the text behind it: templates and what is escaped have no `>` within a tag."""


def _as_short(text: re.Match[str]) -> str:
    """The same text with quotes as themselves, which need no escape out of a tag, and nothing for empty lines."""
    if text[0][1:].isspace():
        return ">" + (" " if "\n" not in text[0] else "\n")
    return text[0].replace("&#34;", '"').replace("&#39;", "'")


def row_of(claim: ClaimResult) -> str:
    """A result by itself, as a part of another page, such as a notebook: its row, its witness and its picture."""
    environment = _environment()
    page: Any = environment.get_template(f"{kind_of(claim).file_name}.html").module
    return environment.get_template("row.html").render(claim=claim, kind=kind_of(claim), page=page)


def profile_in_notebook(pieces: list[ProfilePiece], points: list[CurvePoint]) -> str:
    """A profile by itself, as a part of another page, such as a notebook; empty where it is 0 from ε = 0 on."""
    plot = plot_of(pieces, points, None)
    if plot is None:
        return ""
    return _environment().get_template("notebook_profile.html").render(plot=plot, size=PROFILE_SIZE)


MOST_ROWS: Final = 40
"""Claims of an audit that a notebook shows."""


def audit_in_notebook(audit: AuditRecord) -> str:
    """An audit as a part of another page, such as a notebook: what it says in a line, and claims, what fails first."""
    audit = storable_audit(audit)
    claims = sorted(audit.claims, key=lambda one: one.as_expected)[:MOST_ROWS]
    left = len(audit.claims) - len(claims) + max(0, len(audit.not_decided) - MOST_ROWS)
    page = _environment().get_template("notebook_audit.html")
    return page.render(
        audit=audit, claims=claims, left=left, most=MOST_ROWS, first_sentence=first_sentence, one_sentence=one_sentence
    )


@cache
def _environment() -> Environment:
    """The environment of the templates, each of which is compiled when it is first asked for."""
    environment = Environment(
        loader=PackageLoader("dpverify.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        summary=summary,
        numbers=numbers,
        kind_of=kind_of,
        bar_width=BAR_WIDTH,
        above_width=ABOVE_WIDTH,
        source_lines=source_lines,
        seldom_run=seldom_run,
    )
    return environment
