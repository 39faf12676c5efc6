"""The lines of proofs: the page is current, claims and misprints that they name are there, and no proof is left out."""

import re
from itertools import pairwise

from docs.pages.papers.misprints.extended_abstract import EXTENDED_ABSTRACT
from docs.pages.papers.misprints.journal import JOURNAL
from docs.pages.papers.misprints.large_margin import LARGE_MARGIN
from docs.pages.papers.misprints.many_concepts import MANY_CONCEPTS
from docs.pages.papers.misprints.release import RELEASE
from docs.pages.papers.numbered_items import ITEMS, TITLES
from docs.pages.papers.proofs.lines import Kind, papers
from docs.pages.papers.proofs.lines_table import PAGE, page

from dpverify.verifiers.catalogue import catalogue

PAPERS = papers()
PLACES = {"BNS-X": EXTENDED_ABSTRACT, "BNS-J": JOURNAL, "BuNS": MANY_CONCEPTS, "HRS": RELEASE, "CHS": LARGE_MARGIN}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.papers.proofs.lines_table"


def test_each_is_of_a_paper_and_says_what_it_is_about() -> None:
    assert set(PAPERS) <= set(TITLES)
    for several in PAPERS.values():
        assert all(line.item and line.subject and line.note for line in several)
        assert len({(line.item, line.subject) for line in several}) == len(several)


def test_items_stand_together() -> None:
    for several in PAPERS.values():
        items = [line.item for line in several]
        changes = sum(one != other for one, other in pairwise(items))
        assert changes + 1 == len(set(items))


def test_claims_are_there() -> None:
    ids = {claim.id for claim in catalogue()}
    assert [name for several in PAPERS.values() for line in several for name in line.ids if name not in ids] == []


def test_claims_in_words_are_there() -> None:
    """Such as HRS-4.10.privacy.*, of which one is enough."""
    ids = {claim.id for claim in catalogue()}
    for several in PAPERS.values():
        for line in several:
            for name in re.findall(r"\b(?:BNS-[JX]|BuNS|HRS|CHS)-[\w.-]*\w", line.note):
                assert any(one.startswith(name) for one in ids), line


def test_misprints_stand_on_their_page_and_each_is_a_line() -> None:
    for paper, several in PAPERS.items():
        places = {one.place for one in PLACES[paper]}
        named = {line.note for line in several if line.kind is Kind.MISPRINT}
        assert named <= places, paper
        assert places <= named, paper


def test_no_step_of_the_catalogue_is_left_out() -> None:
    """A step that carries an id of the paper stands in a line of it, or is a proof of ours of what it cites."""
    for paper, several in PAPERS.items():
        named = {name for line in several for name in line.ids}
        steps = {claim.id for claim in catalogue() if claim.kind == "step" and claim.id.startswith(f"{paper}-")}
        assert steps <= named, paper


def test_no_item_is_left_out() -> None:
    """Definitions stand where they are used, and figures and remarks where they are argued about."""
    for paper, several in PAPERS.items():
        items = [line.item for line in several]
        for kind in ("Theorem", "Lemma", "Claim", "Proposition", "Corollar"):
            numbers = ITEMS[paper].get("Corollary" if kind == "Corollar" else kind, "").split()
            missing = [number for number in numbers if not any(re.search(_of(kind, number), item) for item in items)]
            assert missing == [], f"{paper}, {kind}"


def _of(kind: str, number: str) -> str:
    """What the item of a line is that is about one of this kind, alone or among others of the kind."""
    return rf"\b{kind}\w* (.*[ ,])?{re.escape(number)}(?![\d.]*\d)"
