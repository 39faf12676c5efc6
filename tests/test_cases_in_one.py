"""Cases that are tried in one test: each is, and the one that fails is named."""

import inspect

import pytest
from tests.examples import in_one


def test_each_case_is_tried_beside_fixtures_and_the_first_that_fails_is_named() -> None:
    seen: list[tuple[int, int, str]] = []

    @in_one("a, b", [(1, 2), (3, 4), (4, 3), (5, 6)])
    def rises(a: int, b: int, fixture: str) -> None:
        seen.append((a, b, fixture))
        assert a < b

    assert list(inspect.signature(rises).parameters) == ["fixture"]
    with pytest.raises(AssertionError) as failed:
        rises(fixture="f")
    assert seen == [(1, 2, "f"), (3, 4, "f"), (4, 3, "f")]
    assert failed.value.__notes__ == ["a, b: (4, 3)"]


def test_a_list_of_no_cases_is_no_test() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        in_one("a", [])
