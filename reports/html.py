"""An audit as one HTML page that needs nothing else: no script, no network, the same bytes for the same audit."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpverify.reports import numbers, summary
from dpverify.reports.bars import BAR_WIDTH
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.record import AuditRecord, storable_audit


def to_html(audit: AuditRecord) -> str:
    """The page: the headline, then each claim with its verdict, a picture, its scope and its witness.

    What is shown of a claim is in the page of its kind, `templates/<kind>.html`: macros `picture` and `body`.
    """
    environment = Environment(
        loader=PackageLoader("dpverify.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(summary=summary, numbers=numbers, kind_of=kind_of, bar_width=BAR_WIDTH)
    audit = storable_audit(audit)
    occurring = {claim.kind for claim in audit.claims}
    return environment.get_template("audit.html").render(
        audit=audit,
        groups=summary.groups(audit),
        kinds=[kind for name, kind in kinds().items() if name in occurring],
        pages={name: environment.get_template(f"{kinds()[name].file_name}.html").module for name in occurring},
    )
