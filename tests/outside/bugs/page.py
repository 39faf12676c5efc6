"""The page of published bugs, docs/published-bugs.md: each with its source, the claim, verdicts, values and CPU time.

`python -m tests.outside.bugs.page` decides every program five times, a minute of CPU, and writes it.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from typing import Any, Final

from tests.outside.bugs.forms import BUGS, Bug, Form
from tests.outside.bugs.listed import KINDS, NO_VALUE, count, of_kind, outcome

from dpverify.mechanisms import exact
from dpverify.mechanisms.numbers.enclosure import decimal_of_fraction
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.verifiers import Verdict
from dpverify.verifiers.tables.enclosed import Enclosed

PAGE: Final = Path(__file__).parents[3] / "docs" / "published-bugs.md"

TIMES: Final = 5


def decided(form: Form) -> tuple[Verdict, float]:
    """The verdict, and the median of the CPU seconds that it took."""
    seconds = []
    for _ in range(TIMES):
        before = _cpu()
        verdict = form.decide()
        seconds.append(_cpu() - before)
    return verdict, median(seconds)


def _cpu() -> float:
    return sum(used.ru_utime + used.ru_stime for used in (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)))


def cell(form: Form, verdict: Verdict) -> str:
    """What is printed of a program: the verdict, and the tight ε or the smallest δ."""
    if form.status == "UNDECIDED":
        return f"UNDECIDED: {form.shown} (the value is {form.true})"
    sign, value = outcome(form, verdict)
    any_number = ", for any number of rows" if verdict.basis.for_all_sizes else ""
    if sign == NO_VALUE:
        return f"{verdict.status.name}{any_number}"
    return f"{verdict.status.name}, {_quantity(form)} {_value(sign, value)}{any_number}"


def _quantity(form: Form) -> str:
    return "δ" if exact(form.delta) != 0 else "ε"


def _value(sign: str, value: Enclosed | None) -> str:
    if value is None:
        return f"{sign} ∞"
    short = None if value.exact is None else readable_within(value.exact, 20)
    if short is not None and "normal" not in short:
        return f"{sign} {short}"
    return f"{'≈' if sign == '=' else sign} {decimal_of_fraction((value.lower + value.upper) / 2, 6)}"


def _claim(claim: Mapping[str, Any]) -> str:
    """(ε, δ) on the domain, under the neighbour relation."""
    relation = claim["neighbours"].__name__
    return f"({exact(claim['epsilon'])}, {claim['delta']}) on `{claim['domain']!r}`, {relation.replace('_', ' ')}"


def _another_claim(bug: Bug, form: Form) -> str:
    """The claim of a form, where it is not that of the others."""
    own = _claim(form._asdict())
    return "" if own == _claim(bug.claim) else f" [{own}]"


def row(bug: Bug, verdicts: Mapping[str, Verdict], seconds: float | None) -> str:
    """The row of a bug in a table; without verdicts, the status that each form is known to have."""

    def cells(is_buggy: bool) -> str:
        forms = [form for form in bug.forms if form.is_buggy is is_buggy]
        said = [
            (cell(form, verdicts[form.mechanism.__name__]) if form.mechanism.__name__ in verdicts else form.status)
            + _another_claim(bug, form)
            for form in forms
        ]
        return "; ".join(said) or "–"

    time = "" if seconds is None else f"{1000 * seconds:.0f}"
    return f"| {bug.name} | {bug.source} | {_claim(bug.claim)} | {cells(True)} | {cells(False)} | {time} |"


def _known(bug: Bug) -> str:
    said = [
        f"`{form.mechanism.__name__}` {'∞' if form.true is None else form.true} ({form.known})" for form in bug.forms
    ]
    return f"- **{bug.name}**: {bug.wrong}. Known: {', '.join(said)}."


def page() -> str:
    """The page, with verdicts and times of now."""
    found = {form.mechanism.__name__: decided(form) for bug in BUGS for form in bug.forms}
    verdicts = {name: verdict for name, (verdict, _) in found.items()}
    parts = []
    for title, module in KINDS.items():
        bugs = of_kind(module)
        rows = [row(bug, verdicts, median(found[form.mechanism.__name__][1] for form in bug.forms)) for bug in bugs]
        parts.append(
            f"## {title}\n\n"
            "| bug | source | claim | buggy | fixed | CPU ms |\n| --- | --- | --- | --- | --- | ---: |\n"
            + "\n".join(rows)
            + "\n\n"
            + "\n".join(map(_known, bugs))
        )
    times = [seconds for _, seconds in found.values()]
    processor = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"""# Published bugs, rewritten as small programs

{count()}.
`python -m tests.outside.bugs.listed` prints this count. This page is generated: `python -m tests.outside.bugs.page` decides
all programs and writes it.

Each bug is reported in a public tracker (repository and number) or in a paper (authors and year). The programs in
`tests/outside/bugs/` are written from the text of the report: a few lines on a domain that is small enough to know the
value by other means. What is decided is this model of the bug. It says that dpverify sees a bug of this kind, and nothing
about the library today; some reports are about documentation, and one was no bug.

How to read a row: *claim* is (ε, δ), the domain and the neighbour relation; the claim of a form that has another one
stands in brackets behind its verdict. *buggy* and *fixed* give the verdict with the tight ε on this domain, or the smallest
δ where δ > 0 is claimed. PROVED is for this domain alone unless it says "for any number of rows". Below each table stands
what is wrong, and how each value is known without dpverify. The tests compare verdict and value, and compute again in
floats, from formulas and grids, every value that is known as digits. Of 43 programs that only add Laplace noise to numbers
they also compute ε from the numbers of all neighbours.

Two numbers with continuous noise in a random order are UNDECIDED.

CPU ms is the median over the forms of a row, of {TIMES} runs each, with the independent recomputation: {processor}.
The median of all forms is {1000 * median(times):.0f} ms, the largest {1000 * max(times):.0f} ms.

{(chr(10) * 2).join(parts)}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
