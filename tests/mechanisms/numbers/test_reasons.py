"""The registry of reasons: short sentences in the field's words, examples that meet them, and raises that name a row."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from docs.pages.errors_page import PARTS, made_of, said_of
from tests.examples import in_one

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Undecided
from dpverify.mechanisms.numbers.reasons import FLOAT_USED, all_reasons
from dpverify.mechanisms.reasons import bad_input, bad_mechanism, not_known
from dpverify.mechanisms.reasons.reason import MOST_WORDS, Reason

ROOT = Path(__file__).parents[3]

OUTSIDE = 0
"""Raises of a refusal, or of what is undecided, that say something in words of their own."""

RAISED = ("InputError", "MechanismError", "Undecided", "LimitMet", "NoClosedForm", "SeesTooMuch", "Inseparable")

MODULES = {"reasons": reasons, "bad_input": bad_input, "bad_mechanism": bad_mechanism, "not_known": not_known}

AVOIDED = re.compile(
    r"\b(laws?|quality|whole noise|real noise|cut noise|chart|arm|slack|weak|bites|kept|given|told|found|asked for|"
    r"anew|else|of which|room|floor|house|roof|orthants?|bands?|strata|forced|lifted)\b"
)
"""Words for which the field has another one."""


@in_one("reason", all_reasons())
def test_a_reason_is_one_short_sentence_in_the_words_of_the_field(reason: Reason) -> None:
    assert len(reason.sentence.split()) <= MOST_WORDS
    assert not reason.sentence.endswith(".")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", reason.id)
    assert reason.instead
    assert not AVOIDED.findall(re.sub("`.*?`", "", f"{reason.sentence} {reason.instead}"))


def test_no_two_reasons_have_one_id() -> None:
    rows = all_reasons()
    assert len(rows) > 200
    assert len({row.id for row in rows}) == len(rows)


def test_each_reason_with_an_example_is_on_the_page_of_errors() -> None:
    on_the_page = [row for rows in PARTS.values() for row in rows if isinstance(row, Reason)]
    assert sorted(row.id for row in on_the_page) == sorted(row.id for row in all_reasons() if row.example)


@pytest.mark.one_in(3)
@in_one("reason", [row for row in all_reasons() if row.example])
def test_the_example_of_a_reason_meets_it(tmp_path: Path, reason: Reason) -> None:
    assert said_of(made_of(reason), tmp_path).endswith(f" [{reason.id}]")


def test_a_value_that_is_not_given_is_an_error() -> None:
    assert FLOAT_USED.text(value="0.5", instead="write 1").endswith("not exact: write 1 [float-used]")
    with pytest.raises(KeyError):
        FLOAT_USED.text()
    with pytest.raises(IndexError):
        bad_input.RANGE.text("x")


def test_an_error_has_the_id_of_its_reason_also_where_another_one_says_more() -> None:
    error = InputError(bad_input.RANGE, "delta=2", "between 0 and 1")
    assert str(error) == "delta=2 must be between 0 and 1: choose such a value [out-of-range]"
    assert error.id == "out-of-range"
    assert MechanismError(f"f on (0,): {error} (mylib.py, line 3)").id == "out-of-range"
    assert Undecided(not_known.TWO_EPSILONS, is_large=True).id == "two-symbolic-epsilons"
    assert InputError("a [list] of texts").id == ""


def test_fewer_and_fewer_raises_say_something_in_words_of_their_own() -> None:
    calls = [call for package in ("mechanisms", "verifiers", "reports") for call in _raised(ROOT / package)]
    own = [ast.unparse(call) for call in calls if not [*_rows_in(call)] and _says_something(call)]
    assert len(calls) > 800
    assert len(own) <= OUTSIDE, "\n".join(own)


def test_each_row_is_raised_and_has_all_its_values() -> None:
    raised = set()
    for package in ("mechanisms", "verifiers", "reports"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for row, values in _rows_in(node):
                    raised.add(row.id)
                    assert values is None or len(values) == _values_of(row), f"{path}: {ast.unparse(node)}"
    assert {row.id for row in all_reasons()} - raised == set()


def _raised(folder: Path) -> Iterator[ast.Call]:
    """The calls by which refusals, and what is undecided, are made."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in RAISED:
                yield node


def _rows_in(node: ast.AST) -> Iterator[tuple[Reason, list[ast.expr] | None]]:
    """The rows that a call names, with the values that it gives them; None for values that have names."""
    if isinstance(node, ast.Call):
        for i, argument in enumerate(node.args):
            if (row := _row(argument)) is not None:
                yield row, node.args[i + 1 :]
        if isinstance(node.func, ast.Attribute) and (row := _row(node.func.value)) is not None:
            yield row, None if node.keywords else node.args
        yield from (found for argument in node.args for found in _rows_in(argument) if _raises(node))


def _raises(node: ast.Call) -> bool:
    return ast.unparse(node.func).rpartition(".")[2] in RAISED


def _row(node: ast.expr) -> Reason | None:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id not in MODULES:
        return None
    row = getattr(MODULES[node.value.id], node.attr, None)
    return row if isinstance(row, Reason) else None


def _values_of(row: Reason) -> int:
    places = [field for text in (row.sentence, row.instead) for _, field, _, _ in Formatter().parse(text) if field]
    return max((int(place) + 1 for place in places if place.isdecimal()), default=0)


def _says_something(call: ast.Call) -> bool:
    """True where a call has several words of its own: `f"{claim.id}: {error}"` passes on what another one says.

    So does `failed`, which has the row of a function that raised an error.
    """
    if isinstance(call.args[0] if call.args else None, ast.Call) and ast.unparse(call.args[0]).startswith("failed("):
        return False
    texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return sum(len(re.findall(r"[^\W\d_]{2,}", text)) for text in texts) > 3
