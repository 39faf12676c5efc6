"""The page from papers to code and claims: nothing numbered is left out without a reason."""

import pytest
from docs.pages.papers.coverage_table import claims_by_row, row_of
from docs.pages.papers.items_table import PAGE, claims_of, page, reason, row_for
from docs.pages.papers.numbered_items import PLACED, WITHOUT, Item, items

from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim

ALL = tuple(items())


@pytest.fixture(scope="module")
def claims() -> list[AnyClaim]:
    return list(catalogue())


def test_the_page_is_as_written(claims: list[AnyClaim]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(claims), "run python -m docs.pages.papers.items_table"


def test_each_item_has_claims_or_a_reason(claims: list[AnyClaim]) -> None:
    by_row = claims_by_row(claims)
    assert len(ALL) > 200
    for item in ALL:
        row = row_for(item)
        assert claims_of(item, claims, by_row) or reason(item) or (row is not None and row.without), item


def test_reasons_and_places_are_of_items_that_are_there_and_needed(claims: list[AnyClaim]) -> None:
    names = {str(item): item for item in ALL}
    ids = {row_of(claim.id) for claim in claims}
    assert set(WITHOUT) <= set(names) and set(PLACED) <= set(names)
    assert not [name for name in WITHOUT if row_for(names[name]) is not None]
    assert not [name for name, place in PLACED.items() if names[name].ids[0] in ids or place not in ids]


def test_an_item_that_nobody_knows_has_neither() -> None:
    unknown = Item("BNS-J", "Theorem", "9.9")
    assert row_for(unknown) is None and not reason(unknown)
