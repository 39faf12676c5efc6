"""An audit in each of the report formats: the one place where they are listed."""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

from dpverify.reports.record import AuditRecord


class Format(NamedTuple):
    """A report format: its option on the command line is `name`, its files end in `suffix`, and `what` says what it is.

    `renderer` is the function that turns an audit into text, as MODULE:FUNCTION below this package, which is loaded
    when the first report of the format is written.
    """

    name: str
    suffix: str
    what: str
    renderer: str


FORMATS: Final = (
    Format("json", ".json", "JSON", "json_form:to_json"),
    Format("markdown", ".md", "Markdown", "markdown:to_markdown"),
    Format("html", ".html", "one HTML page that opens offline", "html:to_html"),
    Format("sarif", ".sarif", "SARIF 2.1.0 for code scanning", "sarif:to_sarif"),
    Format("junit", ".xml", "JUnit XML for the test reports of CI", "junit:to_junit"),
    Format("svg", ".svg", "a plot of how sharp the utility claims are", "sharpness:to_svg"),
)

SUFFIXES: Final = tuple(form.suffix for form in FORMATS)


def render(audit: AuditRecord, suffix: str) -> str:
    """The audit as the file type `suffix` has it, such as .json. Raises `KeyError` for an unknown one."""
    module, _, function = {form.suffix: form.renderer for form in FORMATS}[suffix].partition(":")
    text: str = getattr(import_module(f"{__package__}.{module}"), function)(audit)
    return text
