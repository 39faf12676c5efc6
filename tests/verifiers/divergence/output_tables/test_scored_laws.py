"""Laws that are choices by scores: what is found of all at once against the laws in full, and where it is not so."""

import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, distribution, exp, exponential, laplace
from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, MechanismError
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.scored import Chooser, Scored, _choosers
from dpverify.reports.record import Status
from dpverify.verifiers import Multisets, Tuples, Verdict, check_privacy, replace_one
from dpverify.verifiers.divergence.output_tables.distribution_arrays import (
    ScoredDistributions,
    as_distribution_array,
    held_distributions,
)
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionArray, DistributionTable

Rows = tuple[int, ...]
Scoring = Callable[[Rows], Any]

KINDS = 3
DOMAIN = Multisets(range(KINDS), size=3)


def by_count(rows: Rows) -> Any:
    return {x: rows.count(x) for x in range(KINDS)}


def listed_twice(rows: Rows) -> Any:
    """Sensitivity 2, of which nothing is said."""
    return [2 * rows.count(x) for x in range(KINDS)]


def in_halves(rows: Rows) -> Any:
    return {x: Fraction(rows.count(x), 2) for x in range(KINDS)}


def in_another_order(rows: Rows) -> Any:
    """Whoever occurs comes first."""
    return {x: rows.count(x) for x in sorted(range(KINDS), key=lambda x: -rows.count(x))}


def of_who_is_there(rows: Rows) -> Any:
    """Other solutions on other databases, so that some are impossible on some."""
    return {x: rows.count(x) for x in sorted(set(rows))}


def of_equal_names(rows: Rows) -> Any:
    """Tuples that are made anew in each run."""
    return {("kind", x): rows.count(x) ** 2 for x in range(KINDS)}


SCORINGS = (by_count, listed_twice, in_halves, in_another_order, of_who_is_there, of_equal_names)


def returns(scoring: Scoring) -> Any:
    def mechanism(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
        return exponential(scoring(rows), epsilon)

    return mechanism


def draws_last(scoring: Scoring) -> Any:
    def mechanism(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
        return draw(exponential(scoring(rows), epsilon))

    return mechanism


def in_full(scoring: Scoring) -> Any:
    """The same by its probabilities: no choice by scores."""

    def mechanism(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
        return Distribution(exponential(scoring(rows), epsilon).probabilities)

    return mechanism


def decided(mechanism: Any, domain: Any = DOMAIN) -> Verdict:
    return check_privacy(mechanism, domain, replace_one, epsilon=Fraction(1), delta=0, recheck=False)


def told(verdict: Verdict) -> tuple[Any, ...]:
    assert verdict.delta is not None
    witness = verdict.witness
    pair = None if witness is None else (witness.left, witness.right, witness.event, witness.p, witness.q)
    return verdict.status, verdict.delta.exact, verdict.epsilon, verdict.pairs, pair


@pytest.mark.parametrize("form", [returns, draws_last])
@pytest.mark.parametrize("scoring", SCORINGS)
def test_verdicts_are_those_of_the_laws_in_full(scoring: Scoring, form: Callable[[Scoring], Any]) -> None:
    assert told(decided(form(scoring))) == told(decided(in_full(scoring)))


def test_some_of_these_claims_hold_and_others_are_refuted() -> None:
    found = [decided(draws_last(scoring)).status for scoring in SCORINGS]
    assert found[:2] == [Status.PROVED, Status.REFUTED]
    assert set(found[2:]) == {Status.PROVED, Status.REFUTED}


def found_one_by_one(mechanism: Any, databases: Sequence[Any]) -> list[Distribution[Any]]:
    enumeration = Enumeration(Limits())
    return [enumeration.law(mechanism, (rows,), {"epsilon": Fraction(1)}) for rows in databases]


@pytest.mark.parametrize("scoring", SCORINGS)
def test_the_table_of_all_at_once_is_the_table_of_laws_one_by_one(scoring: Scoring) -> None:
    """The very same numbers, and outcomes and laws in the same order."""
    databases = list(DOMAIN)
    laws = found_one_by_one(draws_last(scoring), databases)
    mine, others = (
        DistributionTable(as_distribution_array(held_distributions(laws))),
        DistributionTable(found_one_by_one(in_full(scoring), databases)),
    )
    assert mine.outcomes == others.outcomes
    assert mine.law_of.tolist() == others.law_of.tolist()
    assert [list(row) for row in mine.rows] == [list(row) for row in others.rows]
    assert all(one is other or one == other for one, other in zip(mine.numbers, others.numbers, strict=True))


def test_whole_scores_of_the_same_solutions_are_found_at_once_and_others_one_by_one() -> None:
    databases = list(DOMAIN)
    kinds = {
        scoring: type(as_distribution_array(held_distributions(found_one_by_one(returns(scoring), databases))))
        for scoring in SCORINGS
    }
    assert [kinds[scoring] for scoring in SCORINGS] == [DistributionArray, DistributionArray, list, list, list, list]
    laws = held_distributions(found_one_by_one(returns(by_count), databases))
    assert isinstance(laws, ScoredDistributions) and held_distributions(laws) is laws
    assert all(
        law == distribution(in_full(by_count), rows, epsilon=1) for law, rows in zip(laws, databases, strict=True)
    )
    assert held_distributions([]) == []


def at_another_rate(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    """Whether two rows are 0 shows in the rate, and not in the scores."""
    return draw(exponential({0: 1, 1: 0}, epsilon * (9 if rows.count(0) >= 2 else 1)))


def test_choices_at_other_rates_are_told_apart() -> None:
    verdict = decided(at_another_rate)
    assert verdict.status is Status.REFUTED and verdict.witness is not None
    p, q = ((1 + exp(Fraction(rate, 2))) ** -1 for rate in (1, 9))
    assert {verdict.witness.p, verdict.witness.q} == {p, q}


def test_solutions_that_are_equal_and_not_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="which are equal and not the same, and so one outcome"):
        decided(lambda draw, rows, *, epsilon: draw(exponential({True if 1 in rows else 1: 1, 2: 0}, epsilon)))


def by_order(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    return draw(exponential([int(rows[0] == x) for x in range(KINDS)], epsilon))


def test_other_orders_of_rows_are_compared() -> None:
    with pytest.raises(MechanismError, match="depends on the order of the rows"):
        decided(by_order)
    assert decided(by_order, Tuples(range(KINDS), size=2)).status is Status.PROVED


def swaps(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    """It changes the law that it was given, and returns it."""
    law: Any = exponential({0: rows.count(0), 1: 0}, epsilon)
    law.probabilities[0], law.probabilities[1] = law.probabilities[1], law.probabilities[0]
    return law


def test_a_law_that_a_mechanism_has_changed_is_the_changed_one_and_no_other() -> None:
    changed = distribution(swaps, (0, 0), epsilon=1)
    plain = exponential({0: 2, 1: 0}, 1)
    assert [changed.probability(x) for x in (0, 1)] == [plain.probability(x) for x in (1, 0)]
    assert not isinstance(changed, ScoredDistribution)


def test_a_choice_is_itself_a_second_time_whoever_changes_the_first() -> None:
    first: Any = exponential({0: 2, 1: 0}, 1)
    first.probabilities[0] = first.probabilities[1]
    again, law = exponential({0: 2, 1: 0}, 1), distribution(lambda draw, rows: exponential({0: rows, 1: 0}, 1), 2)
    assert again.probability(0) > again.probability(1)
    law_changed: Any = law.once_more()
    law_changed.probabilities.clear()
    assert law.probability(0) == again.probability(0) == law.once_more().probability(0)


def test_a_law_that_is_found_has_no_noise_left_to_be_scaled() -> None:
    law = distribution(returns(by_count), (0, 0, 1), epsilon=1)
    assert isinstance(law, ScoredDistribution) and law.at_share is None
    choice = exponential(by_count((0, 0, 1)), 1)
    assert isinstance(choice, Scored) and choice.at_share is not None
    assert choice.at_share(Fraction(1, 2)) == exponential(by_count((0, 0, 1)), 2)
    assert Enumeration(Limits(), share=Fraction(1, 2)).law(returns(by_count), ((0, 0, 1),), {"epsilon": 1}) == (
        exponential(by_count((0, 0, 1)), 2)
    )
    assert law.blocks == tuple(((x,), p) for x, p in law.probabilities.items()) and law.size == len(law) == KINDS


def drawn_in_the_middle(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    first = draw(exponential(by_count(rows), epsilon / 2))
    return first, draw(exponential(by_count(rows), epsilon / 2))


def test_two_draws_of_one_choice_are_independent() -> None:
    law = distribution(drawn_in_the_middle, (0, 0, 1), epsilon=1)
    one = exponential(by_count((0, 0, 1)), Fraction(1, 2))
    assert all(law.probability((x, y)) == one.probability(x) * one.probability(y) for x in range(3) for y in range(3))


def test_a_law_by_scores_has_to_add_up_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    law = distribution(returns(by_count), (0, 0, 1), epsilon=1)
    wrong = Distribution.of_probabilities({x: p for x, p in law.once_more().probabilities.items() if x})
    monkeypatch.setattr(type(law.chooser), "choice", lambda *_: wrong)  # type: ignore[attr-defined]
    with pytest.raises(MechanismError, match="adds up to"):
        _ = law.probabilities


class FirstCountsTwice(Chooser):
    """No chooser, as its first solution has twice the weight."""

    def choice(self, scores: Sequence[int | Fraction]) -> Distribution[Any]:
        weights = {x: Fraction(2) ** int(score) for x, score in zip(self.solutions, scores, strict=True)}
        return Distribution({**weights, self.solutions[0]: 2 * weights[self.solutions[0]]})

    def at_share(self, scores: Sequence[int | Fraction], share: Fraction) -> Distribution[Any]:
        return self.choice(scores)

    def among(self, solutions: Sequence[Any]) -> Chooser:
        return FirstCountsTwice(solutions)


def test_who_goes_by_more_than_differences_is_taken_one_by_one() -> None:
    chooser = FirstCountsTwice(range(KINDS))
    laws = held_distributions(ScoredDistribution(chooser, tuple(by_count(rows).values())) for rows in DOMAIN)  # type: ignore[arg-type]
    assert isinstance(laws, ScoredDistributions)
    one_by_one = as_distribution_array(laws)
    assert not isinstance(one_by_one, DistributionArray)
    assert all(law == chooser.choice(scores) for law, scores in zip(one_by_one, laws.scores, strict=True))


def left_for_others(chooser: Any, row: int) -> None:
    """A row, left where another run has the same chooser."""
    chooser.seen = row


def other_solutions(chooser: Any, row: int) -> None:
    """A row, in the place of a solution."""
    chooser.solutions = (row, 2)


@pytest.mark.parametrize("change", [left_for_others, other_solutions])
def test_a_chooser_that_many_runs_have_keeps_nothing_of_a_row(change: Callable[[Any, int], None]) -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        change(exponential({0: 0, 1: 0}, 1).chooser, rows[0])  # type: ignore[attr-defined]
        noise = draw(laplace(1))
        return draw.release(noise, then=lambda x: (x, exponential({0: 0, 1: 0}, 1).chooser.seen))  # type: ignore[attr-defined]

    with pytest.raises(MechanismError, match="not to be changed"):
        check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1, delta=0, recheck=False)


def test_what_a_chooser_gives_is_of_who_asks() -> None:
    law: Any = exponential({0: 0, 1: 1}, 1)
    law.chooser.choice(law.scores).seen = 1
    law.chooser.choice(law.scores).probabilities.clear()
    assert not hasattr(law.chooser.choice(law.scores), "seen") and len(law.probabilities) == 2
    with pytest.raises(AttributeError, match="not to be changed"):
        law.scores = (5, 0)
    sent = pickle.loads(pickle.dumps(law))
    assert type(sent) is Scored and sent == law


def test_what_is_applied_to_a_release_reaches_nothing_that_choices_have_in_common() -> None:
    def mechanism(draw: Draw, rows: Rows) -> Any:
        chooser = exponential({0: 0, 1: 0}, 1).chooser  # type: ignore[attr-defined]
        object.__setattr__(chooser, "solutions", (rows[0], 2))
        noise = draw(laplace(1))
        return draw.release(noise, then=lambda x: (x, exponential({0: 0, 1: 0}, 1).chooser.solutions[0]))  # type: ignore[attr-defined]

    try:
        verdict = check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1, delta=0, recheck=False)
    finally:
        _choosers.cache_clear()
    assert verdict.status is Status.UNDECIDED
