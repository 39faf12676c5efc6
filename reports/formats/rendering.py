"""An audit in each of the report formats: the one place where they are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import AuditRecord, Location

if TYPE_CHECKING:
    from dpverify.reports.gates.gate import Gate


class Format(NamedTuple):
    """A report format: its option on the command line is `name`, its files end in `suffix`, and `what` says what it is.

    `renderer` is the function that turns an audit into text, as MODULE:FUNCTION below `reports`, which is loaded
    when the first report of the format is written; where it is `for_gates` it also takes what a gate says, and the
    functions that have no claim and are to have one, and where it is `timed` how long each claim took.
    """

    name: str
    suffix: str
    what: str
    renderer: str
    for_gates: bool = False
    timed: bool = False


FORMATS: Final = (
    Format("json", ".json", "JSON", "audits.json_form:to_json"),
    Format("markdown", ".md", "Markdown", "formats.markdown:to_markdown", for_gates=True),
    Format("html", ".html", "one HTML page that opens offline", "formats.html:to_html", for_gates=True),
    Format("sarif", ".sarif", "SARIF 2.1.0 for code scanning", "formats.sarif:to_sarif", for_gates=True),
    Format(
        "junit", ".xml", "JUnit XML for the test reports of CI", "formats.junit:to_junit", for_gates=True, timed=True
    ),
)

SUFFIXES: Final = tuple(form.suffix for form in FORMATS)


def suffix_of(name: str) -> str:
    """The suffix of the format that a file of this name is of; empty where it is of none."""
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")


def render(
    audit: AuditRecord,
    suffix: str,
    gated: Gate | None = None,
    uncovered: Sequence[Location] = (),
    seconds: Mapping[str, float] | None = None,
) -> str:
    """The audit as the file type `suffix` has it, such as .json. Raises `InputError` for an unknown one.

    `gated` is what a gate says of it, `uncovered` are functions that fail it since no claim reaches them, and `seconds`
    are how long claims took, by their ids. JSON is of the audit alone.

    >>> render(audit([]), ".md").splitlines()[0]
    '# dpverify audit'
    """
    form = {form.suffix: form for form in FORMATS}.get(suffix)
    if form is None:
        raise InputError(bad_input.NONE_OF, f"the report format {shown(suffix)}", ", ".join(SUFFIXES))
    module, _, function = form.renderer.partition(":")
    given: tuple[Any, ...] = (gated, uncovered) if form.for_gates else ()
    given = (*given, seconds) if form.timed else given
    text: str = getattr(import_module(f"dpverify.reports.{module}"), function)(audit, *given)
    return text
