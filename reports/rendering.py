"""An audit in each of the report formats."""

from __future__ import annotations

from dpverify.reports.json_form import to_json
from dpverify.reports.record import AuditRecord


def render(audit: AuditRecord, suffix: str) -> str:
    """The audit as the file type `suffix` has it: .json, .md or .html. Raises `KeyError` for another."""
    # The renderers load their libraries where they are used.
    if suffix == ".json":
        return to_json(audit)
    if suffix == ".md":
        from dpverify.reports.markdown import to_markdown

        return to_markdown(audit)
    if suffix == ".html":
        from dpverify.reports.html import to_html

        return to_html(audit)
    raise KeyError(suffix)
