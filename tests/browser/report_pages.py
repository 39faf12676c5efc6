"""The pages of the committed record, written anew with what the gate says of the committed baseline: `make report-pages`."""

from collections.abc import Mapping
from pathlib import Path

from tests.catalogue.committed import RESULTS, accepted, committed_audit

from dpverify.reports.formats.rendering import render
from dpverify.reports.gates.gate import answers, gate
from dpverify.verifiers.commands.containing import shown_of


def report_pages() -> Mapping[Path, str]:
    """The texts of the pages that `make report` writes of a record, by their files."""
    record = committed_audit()
    gated = gate(accepted(), answers(record), {row.id: row.reason for row in record.not_decided}, shown=shown_of(()))
    return {RESULTS / f"audit{suffix}": render(record, suffix, gated) for suffix in (".html", ".md")}


if __name__ == "__main__":
    for file, text in report_pages().items():
        file.write_text(text, encoding="utf-8")
