"""The tables of Section 1.3 of Bun, Nissim & Stemmer: the page is current, and each cell has claims or is cited."""

from docs.pages.papers.multi_learning_table import PAGE, TABLES, Bound, page
from tests.examples import in_one

from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import catalogue

CLAIMS = {claim.id: claim for claim in catalogue()}
CELLS = [bound for cells in TABLES.values() for bound in cells]


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.papers.multi_learning_table"


def test_no_cell_stands_twice() -> None:
    for cells in TABLES.values():
        assert len({(bound.concepts, bound.learners, bound.order) for bound in cells}) == len(cells)


@in_one("bound", CELLS)
def test_a_cell_has_claims_that_are_there_or_is_cited(bound: Bound) -> None:
    assert bound.ids or "cited" in bound.cited
    assert set(bound.ids) <= CLAIMS.keys()


def test_a_claim_that_is_refuted_stands_beside_one_that_holds() -> None:
    for bound in CELLS:
        verdicts = {CLAIMS[name].verdict_expected for name in bound.ids}
        assert Status.REFUTED not in verdicts or Status.PROVED in verdicts, bound


def test_the_lower_bounds_rest_on_claims_of_lower_bounds_or_of_codes() -> None:
    needed = [name for name in TABLES if name.endswith("needed")]
    assert len(needed) == 2
    for name in needed:
        for bound in TABLES[name]:
            rows = {claim.partition(".")[0] + "." + claim.split(".")[1] for claim in bound.ids}
            assert rows <= {
                "BuNS-4.3",
                "BuNS-4.6",
                "BuNS-4.9",
                "BuNS-4.10",
                "BuNS-4.11",
                "BuNS-5.1",
                "BuNS-5.2",
                "BuNS-5.3",
                "BuNS-5.4",
                "BNS-J-5.7",
            }
