"""The ends of ranges: each row has twelve answers, and claims that an answer names are there with its verdict."""

from collections import Counter

from docs.pages.papers.ends.ends_table import ENDS, PAGE, Kind, answers, page, rows

from dpverify.verifiers import Status
from dpverify.verifiers.catalogue import catalogue

VERDICTS = {claim.id: claim.verdict_expected for claim in catalogue()}
EVERY = [(name, one) for name, several in answers().items() for one in several]


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.papers.ends.ends_table"


def test_every_row_is_answered_once_at_each_of_twelve_ends() -> None:
    assert len(ENDS) == 12
    asked = Counter((row.ids[0], end) for row in rows() for end in ENDS)
    assert Counter((name, end) for name, one in EVERY for end in one.ends) == asked


def test_claims_have_the_verdict_that_the_answer_says() -> None:
    """What holds is PROVED, and what fails REFUTED; all else names no claim but in its words, and says why."""
    wanted = {Kind.HOLDS: Status.PROVED, Kind.FAILS: Status.REFUTED}
    for name, one in EVERY:
        assert {VERDICTS[claim] for claim in one.ids} <= {wanted.get(one.kind)}, (name, one)
        assert one.ids or (one.words and one.kind is not Kind.FAILS), (name, one)


def test_claims_in_words_are_there_and_each_refuted_end_is_a_row() -> None:
    """What is new of these claims is an answer somewhere."""
    named = {claim for _, one in EVERY for claim in one.ids if one.kind is Kind.FAILS}
    ends = ("near-one", "large-epsilon", "finer-than-a-row", "one-point", "one-row", "half")
    assert {c for c, v in VERDICTS.items() if v is Status.REFUTED and c.endswith(tuple(f".{e}" for e in ends))} <= named
