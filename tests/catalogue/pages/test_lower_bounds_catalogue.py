"""The lower bounds of the catalogue: as expected, with optima that a second way finds, and the page that tells of them.

Each is decided, and compared with the committed audit, in `claims_catalogue.py` and `test_on_fewer_inputs.py`.
"""

from fractions import Fraction

from docs.pages.papers import lower_bounds_table
from tests.catalogue.committed import committed
from tests.examples import in_one

from dpverify.mechanisms import exp
from dpverify.mechanisms.numbers.exact_numbers import exact, total
from dpverify.reports.kinds.lower_bound import LowerBoundResult
from dpverify.verifiers import Status
from dpverify.verifiers.catalogue import lower_bounds
from dpverify.verifiers.readable import shown_case

BY_ID = {claim.id: claim for claim in lower_bounds()}
TEXT = lower_bounds_table.PAGE.read_text(encoding="utf-8") if lower_bounds_table.PAGE.exists() else ""


def decided(name: str) -> LowerBoundResult:
    result = committed()[name]
    assert isinstance(result, LowerBoundResult)
    return result


@in_one("name", BY_ID)
def test_it_is_as_expected_and_the_page_says_so(name: str) -> None:
    result = decided(name)
    assert result.surprise == ""
    assert lower_bounds_table.section(result) in TEXT


def test_the_page_has_all_and_no_others() -> None:
    assert [line.removeprefix("## ") for line in TEXT.splitlines() if line.startswith("## ")] == list(BY_ID)


@in_one("name", BY_ID)
def test_the_optimum_is_that_of_decay_where_answers_are_good_for_one(name: str) -> None:
    """With e^(−dε) of the best chance on each database at distance d, and row sums that are equal, nothing is better.

    1 ≥ Σ_j Pr[A(S_i) in G_j] ≥ s·Σ_j e^(−ε·d(i, j)); and d is a metric, so that decay is private.
    """
    claim = BY_ID[name]
    known = {row.case: row for row in decided(name).rows}
    for case in claim.cases[:2]:
        instance = claim.instance(case)
        if instance is None or len(instance.databases) > 12 or exact(claim.delta(case)) != 0:
            continue
        good = {o: [rows for rows in instance.databases if instance.succeeds(rows, o)] for o in instance.outcomes}
        if any(len(rows) > 1 for rows in good.values()):
            continue
        epsilon = exact(claim.epsilon(case))
        sums = [
            total(exp(-epsilon * (instance.distance(a, b) or 0)) for b in instance.databases)
            for a in instance.databases
        ]
        assert all(each == sums[0] for each in sums)
        forced = exact(claim.forced(case))
        if claim.verdict_expected is Status.PROVED:
            assert 1 / sums[0] <= forced
        if shown_case(case) in known:
            found = known[shown_case(case)].at_most
            assert found is not None
            assert abs(exact(Fraction(found.decimal)) - 1 / sums[0]) < Fraction(1, 10**10)
