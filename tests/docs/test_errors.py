"""The page of errors by message says what is said: each mistake on it is made anew."""

from collections import Counter
from pathlib import Path

import pytest
from docs.pages.errors_page import PAGE, PARTS, Mistake, made_of, page, said_of
from tests.internal_names import internal_names

MISTAKES = [made_of(row) for rows in PARTS.values() for row in rows]


def test_the_page_has_each_message_as_it_is_given() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m docs.pages.errors_page"


def test_no_two_mistakes_are_one() -> None:
    assert max(Counter(mistake.written for mistake in MISTAKES).values()) == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mistake", MISTAKES, ids=range(len(MISTAKES)))
def test_a_message_is_one_line_and_names_no_file_of_dpverify(tmp_path: Path, mistake: Mistake) -> None:
    said = said_of(mistake, tmp_path)
    assert said and "\n" not in said
    assert "site-packages" not in said
    assert "internal error" not in said
    assert str(tmp_path) not in said
    assert not internal_names(said)


def test_what_is_no_mistake_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="nothing is said of"):
        said_of(Mistake("def f(draw, rows):\n    return sum(rows) + draw(laplace(1))", ""), tmp_path)
    with pytest.raises(AssertionError, match="status 0"):
        said_of(Mistake("dpverify check mylib.py:f --domain '[(0,), (1,)]' --epsilon 0", ""), tmp_path)
