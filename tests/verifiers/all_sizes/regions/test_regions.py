"""The regions of domains without end hold every pair of neighbours that a finite domain has."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers import (
    AtLeast,
    Histograms,
    Multisets,
    Scores,
    ScoreSpace,
    add_or_remove_one,
    change_one_label,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.all_sizes.regions.domains import Endless, as_endless
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps


def _pairs_of_regions(domain: Endless, relation: Any, end: int) -> Counter[frozenset[Hashable]]:
    """How often each unordered pair stands in a region, at coordinates below `end`."""
    found: Counter[frozenset[Hashable]] = Counter()
    for region in domain.regions(relation):
        for point in product(range(end), repeat=region.chart.dimension):
            if min(region.needed.at(point), default=0) >= 0:
                pair = frozenset((domain.whole(region.left.at(point)), domain.whole(region.right.at(point))))
                found[pair] += len(pair) > 1
    return found


def _pairs(
    databases: Iterable[Hashable], relation: Callable[[Hashable], Iterable[Hashable]]
) -> set[frozenset[Hashable]]:
    databases = list(databases)
    return {
        frozenset((one, other)) for one in databases for other in relation(one) if other in databases and other != one
    }


def _named(value: Any) -> str:
    return str(getattr(value, "__name__", value))


_SCORES = ScoreSpace(range(-2, 4), solutions=2)
_ROWS = Multisets("ab", sizes=range(5))
_FROM_TWO = Multisets("ab", sizes=range(2, 5))
_LABELLED = ((0, 0), (0, 1), (1, 0))
_GAPS = ScoreGaps(3, solutions=3)


@pytest.mark.parametrize(
    ("endless", "finite", "relation"),
    [
        (Scores(solutions=2), _SCORES, scores_linf),
        (Scores(solutions=2), _SCORES, scores_l1),
        (Scores(solutions=1), ScoreSpace(range(-4, 4), solutions=1), scores_linf),
        (Histograms("ab"), _ROWS, replace_one),
        (Histograms("ab"), _ROWS, add_or_remove_one),
        (Histograms("ab", sizes=OrMore(2)), _FROM_TWO, replace_one),
        (Histograms("ab", sizes=OrMore(2)), _FROM_TWO, add_or_remove_one),
        (Histograms(_LABELLED), Multisets(_LABELLED, sizes=range(4)), change_one_label),
        (ScoreGaps(solutions=3), _GAPS, gaps_linf),
    ],
    ids=_named,
)
def test_every_pair_of_neighbours_stands_in_a_region(endless: Any, finite: Any, relation: Any) -> None:
    domain = as_endless(endless)
    assert domain is not None
    found = _pairs_of_regions(domain, relation, 5 if relation is change_one_label else 8)
    expected = _pairs(finite, lambda database: relation(database, finite))
    assert expected <= set(found)
    inside = set(finite)
    of_finite = {pair: count for pair, count in found.items() if count and pair <= inside}
    assert set(of_finite) == expected, "and no other one does"
    if not isinstance(endless, ScoreGaps):
        assert set(of_finite.values()) == {1}


@pytest.mark.parametrize(("solutions", "growth"), [(2, 1), (2, 2), (3, 2)])
def test_growth_has_the_pairs_of_every_number_of_rows(solutions: int, growth: int) -> None:
    domain = as_endless(BoundedGrowth(rows=OrMore(2), solutions=solutions, growth=growth))
    assert domain is not None
    found: dict[int, set[frozenset[Hashable]]] = {}
    for region in domain.regions(bounded_growth):
        for point in product(range(4), repeat=region.chart.dimension):
            if min(region.needed.at(point)) >= 0:
                left, right = region.left.at(point), region.right.at(point)
                assert left[-1] == right[-1], "both databases have as many rows"
                found.setdefault(left[-1], set()).add(frozenset((domain.whole(left), domain.whole(right))))
    for rows in (2, 3, 4):
        finite = BoundedGrowth(rows=rows, solutions=solutions, growth=growth)
        assert found[rows] == _pairs(finite, lambda scores, finite=finite: bounded_growth(scores, finite))  # type: ignore[misc]


def test_what_has_no_end_says_so() -> None:
    for domain, instead in (
        (Scores(solutions=2), "ScoreSpace"),
        (ScoreGaps(solutions=2), "ScoreGaps"),
        (Histograms("ab"), "Multisets"),
        (BoundedGrowth(rows=OrMore(2), solutions=2, growth=1), "BoundedGrowth"),
    ):
        with pytest.raises(InputError, match=f"no end.*{instead}"):
            list(domain)


def test_bad_domains_are_refused() -> None:
    with pytest.raises(InputError, match="solutions=0"):
        Scores(solutions=0)
    with pytest.raises(InputError, match="of released numbers, is not a number of candidates"):
        Scores(solutions=AtLeast(3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"sizes=3 .* OrMore"):
        Histograms("ab", sizes=3)  # type: ignore[arg-type]  # as somebody may write
    with pytest.raises(InputError, match="universe is empty"):
        Histograms("")
    with pytest.raises(InputError, match="holds a row twice"):
        Histograms("aa")
    with pytest.raises(InputError, match="write solutions=2"):
        Scores(2)  # type: ignore[arg-type]  # as somebody may write
    with pytest.raises(InputError, match="rows=0"):
        BoundedGrowth(rows=OrMore(0), solutions=2, growth=1)


@pytest.mark.parametrize(
    ("endless", "relation"),
    [
        (Scores(solutions=2), replace_one),
        (Histograms("ab"), scores_linf),
        (ScoreGaps(solutions=2), scores_linf),
        (BoundedGrowth(rows=OrMore(2), solutions=2, growth=1), replace_one),
    ],
    ids=_named,
)
def test_other_relations_are_refused(endless: Any, relation: Any) -> None:
    domain = as_endless(endless)
    assert domain is not None
    with pytest.raises(InputError, match="has neighbours by"):
        list(domain.regions(relation))


def test_labels_change_on_rows_that_have_one() -> None:
    with pytest.raises(InputError, match=r"change_one_label: 'a' is not a row \(x, y\)"):
        list(Histograms("ab").regions(change_one_label))
