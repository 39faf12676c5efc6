"""Published bugs, rewritten as small programs: each is decided as it is known to be, by verdict and by value."""

from fractions import Fraction
from typing import Final

import pytest
from docs.pages.published_bugs_page import PAGE, cell, row
from tests.outside.bugs.forms import BUGS, Bug, Form
from tests.outside.bugs.listed import KINDS, NO_VALUE, count, of_kind, outcome
from tests.outside.bugs.recomputed import BY_NUMBERS, NotAddedError, loss_of_added_noise

from dpverify.mechanisms import exp
from dpverify.verifiers import Multisets, Status, Tuples
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed

FORMS: Final = [(bug, form) for bug in BUGS for form in bug.forms]
SLOW: Final = {"others_as_they_are", "others_zero"}
"""Half a second each."""
CASES: Final = [
    pytest.param(
        *each, id=each[1].mechanism.__name__, marks=[pytest.mark.deep] if each[1].mechanism.__name__ in SLOW else []
    )
    for each in FORMS
]
DIGITS: Final = [form for _, form in FORMS if isinstance(form.true, str) and form.shown != NO_VALUE]
TEXT: Final = PAGE.read_text(encoding="utf-8")


def last_digit(digits: str) -> Fraction:
    return Fraction(1, 10 ** len(digits.partition(".")[2]))


def agrees(found: Enclosed | None, true: object) -> bool:
    """Whether the value is the one that is known; of digits, to a unit of the last."""
    if found is None or true is None:
        return found is None and true is None
    if isinstance(true, str):
        return abs((found.lower + found.upper) / 2 - Fraction(true)) <= last_digit(true)
    return found.exact is not None and found.exact == true


@pytest.mark.parametrize(("bug", "form"), CASES)
def test_a_program_is_decided_as_it_is_known_to_be(bug: Bug, form: Form) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith(f"| {bug.name} |"))
    verdict = form.decide()
    assert verdict.status.name == form.status
    assert cell(form, verdict) in line
    if verdict.status is Status.UNDECIDED:
        assert form.shown in verdict.reason
        return
    sign, value = outcome(form, verdict)
    assert sign == (form.shown or "=")
    # a bound for any number of rows may be no more than that of the pair that is shown
    assert sign == NO_VALUE or agrees(value, form.true) or (sign == "≥" and form.true is None)
    if form.is_buggy:
        witness = verdict.witness
        assert witness is not None
        assert witness.p > exp(form.epsilon) * witness.q + Fraction(form.delta)


@pytest.mark.parametrize("form", DIGITS, ids=lambda form: form.mechanism.__name__)
def test_digits_are_those_of_formulas_and_grids(form: Form) -> None:
    assert isinstance(form.true, str)
    found = BY_NUMBERS[form.mechanism.__name__]()
    assert abs(Fraction(found) - Fraction(form.true)) <= last_digit(form.true)


def test_what_only_adds_laplace_noise_loses_what_its_numbers_move() -> None:
    compared = []
    for _, form in FORMS:
        try:
            if form.delta == 0 and isinstance(form.domain, (Multisets, Tuples)):
                assert loss_of_added_noise(form) == form.true, form.mechanism.__name__
                compared.append(form)
        except NotAddedError:
            continue
    assert len(compared) == 43


def test_every_report_has_a_buggy_form_but_for_one_that_was_no_bug() -> None:
    assert [bug.name for bug in BUGS if not any(form.is_buggy for form in bug.forms)] == [
        "a query is chosen again until it is a new one (no bug)"
    ]
    assert {form.status for _, form in FORMS if not form.is_buggy} == {"PROVED"}
    assert {form.status for _, form in FORMS if form.is_buggy} == {"REFUTED", "UNDECIDED"}
    assert len({form.mechanism for _, form in FORMS}) == len(FORMS)


def test_the_page_has_all_of_them_and_counts_them() -> None:
    assert sum(len(of_kind(module)) for module in KINDS.values()) == len(BUGS)
    assert f"{count()}." in " ".join(TEXT.split())
    assert TEXT.count("\n| ") == len(BUGS) + 2 * len(KINDS)
    for bug in BUGS:
        assert bug.source in TEXT
        assert f"- **{bug.name}**: {bug.wrong}." in TEXT
    assert row(BUGS[0], {}, None).startswith(f"| {BUGS[0].name} | {BUGS[0].source} | ")
