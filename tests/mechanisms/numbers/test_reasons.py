"""The registry of reasons: short sentences in the field's words, examples that meet them, and what is not in it yet."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from docs.pages.errors_page import PARTS, made_of, said_of

from dpverify.mechanisms.numbers.reasons import FLOAT_USED, MOST_WORDS, Reason, all_reasons

ROOT = Path(__file__).parents[3]

OUTSIDE = 860
"""Raises of a refusal, or of what is undecided, that name no row of the registry. It may only fall."""

RAISED = ("InputError", "MechanismError", "Undecided", "LimitMet")

AVOIDED = re.compile(
    r"\b(laws?|quality|whole noise|real noise|cut noise|chart|arm|slack|weak|bites|kept|given|told|found|asked for|"
    r"anew|else|of which|room|floor|house|roof|orthants?|bands?|strata|forced|lifted)\b"
)
"""Words for which the field has another one."""


@pytest.mark.parametrize("reason", all_reasons(), ids=lambda reason: reason.id)
def test_a_reason_is_one_short_sentence_in_the_words_of_the_field(reason: Reason) -> None:
    assert len(reason.sentence.split()) <= MOST_WORDS
    assert not reason.sentence.endswith(".")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", reason.id)
    assert not AVOIDED.findall(f"{reason.sentence} {reason.instead}")


def test_no_two_reasons_have_one_id_or_one_sentence() -> None:
    rows = all_reasons()
    assert len(rows) > 30
    assert len({row.id for row in rows}) == len(rows)


def test_each_reason_is_on_the_page_of_errors() -> None:
    on_the_page = [row for rows in PARTS.values() for row in rows if isinstance(row, Reason)]
    assert sorted(row.id for row in on_the_page) == sorted(row.id for row in all_reasons())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("reason", all_reasons(), ids=lambda reason: reason.id)
def test_the_example_of_a_reason_meets_it(tmp_path: Path, reason: Reason) -> None:
    assert said_of(made_of(reason), tmp_path).endswith(f" [{reason.id}]")


def test_a_value_that_is_not_given_is_an_error() -> None:
    assert FLOAT_USED.text(value="0.5", instead="write 1").endswith("not exact: write 1 [float-used]")
    with pytest.raises(KeyError):
        FLOAT_USED.text()


def test_fewer_and_fewer_raises_name_no_reason() -> None:
    calls = [call for room in ("mechanisms", "verifiers", "reports") for call in _raised(ROOT / room)]
    named = [call for call in calls if "reasons." in ast.unparse(call)]
    assert len(named) >= 39
    assert len(calls) - len(named) <= OUTSIDE


def _raised(folder: Path) -> list[ast.Call]:
    """The calls by which refusals, and what is undecided, are made."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in nodes if ast.unparse(node.func).rpartition(".")[2] in RAISED]
