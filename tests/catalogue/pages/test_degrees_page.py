"""The page of degrees is what is computed, and each claim that it names is of the catalogue."""

import re

from docs.pages.papers.degrees_table import PAGE, line, page

from dpverify.verifiers.catalogue import catalogue


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.papers.degrees_table"


def test_the_claims_that_it_names_exist() -> None:
    named = set(re.findall(r"`(HRS-[\w.-]+)`", page()))
    assert len(named) == 14
    assert named <= {claim.id for claim in catalogue()}


def test_what_says_nothing_stands_in_brackets() -> None:
    assert line(64, 100) == "| 64 | 100 | 23 | 22.9 | (72) |"
    assert line(2, 1) == "| 2 | 1 | 1 | 1.8 | (4) |"
    assert line(16, 2) == "| 16 | 2 | 5 | 6.4 | 12 |"
