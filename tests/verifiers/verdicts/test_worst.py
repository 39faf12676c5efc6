"""The worst counterexample beside the smallest one, and how the exact ε grows with the size."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pytest

from dpverify.mechanisms import Distribution, Draw, Exact, distribution, exact, exp, exponential, laplace, symbolic
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers import (
    Claim,
    Histograms,
    Multisets,
    Refuted,
    Tuples,
    Verdict,
    audit,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.deciding import one_epsilon
from dpverify.verifiers.verdicts.growth import growth_by_size


def most_common(draw: Draw, rows: Any, *, times: Any) -> Any:
    return draw(exponential([rows.count(x) for x in range(3)], times))


def told_once_in_a_while(draw: Draw, rows: Any) -> Any:
    """The first violation is of (0,) and (1,), and by one outcome; the worst of (2,) and (0,), by two."""
    return draw(Distribution(dict(enumerate([(7, 2, 1), (6, 2, 2), (4, 3, 3)][rows[0]]))))


def refuted(verdict: Verdict) -> Refuted:
    assert isinstance(verdict, Refuted), verdict
    return verdict


def all_excesses(mechanism: Any, domain: Any, epsilon: Any) -> Iterator[Exact]:
    """p − e^ε·q of every event, of every pair of databases that differ in one row."""
    laws = {rows: distribution(mechanism, rows) for rows in domain}
    for left, right in ((one, other) for one in laws for other in laws):
        if len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1:
            outcomes = list(laws[left].probabilities)
            for event in chain.from_iterable(combinations(outcomes, k) for k in range(1, len(outcomes) + 1)):
                yield exact(laws[left].probability(*event)) - exp(epsilon) * exact(laws[right].probability(*event))


@pytest.mark.parametrize("delta", [0, Fraction(1, 100)])
def test_the_worst_is_the_largest_of_all_pairs_and_events(delta: Any) -> None:
    domain = Tuples((0, 1, 2), size=1)
    epsilon = Fraction(1, 10)
    verdict = refuted(check_privacy(told_once_in_a_while, domain, epsilon=epsilon, delta=delta))
    largest = max(all_excesses(told_once_in_a_while, domain, epsilon))
    assert verdict.worst is not None and verdict.delta is not None
    assert verdict.worst.difference == largest == verdict.delta.exact
    assert (verdict.worst.left, verdict.worst.right) == verdict.basis.worst
    assert (verdict.witness.left, verdict.witness.right) == ((0,), (1,))
    assert verdict.witness.difference < largest and set(verdict.worst.event) == {1, 2}
    assert verdict.worst.reproduce is not None
    lines = str(verdict).splitlines()
    assert sum("worst: δ ≥ " in line for line in lines) == 1
    assert f"worst: δ ≥ {verdict.worst.record.difference.decimal} for left (" in str(verdict)


def test_where_the_smallest_is_the_worst_there_is_one() -> None:
    def flips(draw: Draw, rows: Any) -> Any:
        return draw(Distribution({rows[0]: 3, 1 - rows[0]: 1}))

    verdict = refuted(check_privacy(flips, Tuples((0, 1), size=1), epsilon=1))
    assert verdict.worst is verdict.witness
    assert "worst: " not in str(verdict)
    assert audit([_claim(flips, Tuples((0, 1), size=1))], recheck=False).claims[0].worst is None  # type: ignore[attr-defined]


def _claim(mechanism: Any, domain: Any, **more: Any) -> Claim:
    return Claim(id="lib.claim", mechanism=mechanism, domain=domain, **{"epsilon": 1, **more})


def noisy_sum(draw: Draw, rows: Any) -> Any:
    return sum(rows) + draw(laplace(Fraction(1, 2)))


def test_of_released_numbers_the_worst_is_within_a_hundredth() -> None:
    verdict = refuted(check_privacy(noisy_sum, Tuples((0, 1, 2), size=1), epsilon=1))
    assert verdict.worst is not None and verdict.delta is not None
    assert (verdict.worst.left, verdict.worst.right) == ((0,), (2,))
    found = verdict.worst.record.difference
    assert verdict.delta.lower * Fraction(99, 100) <= Fraction(found.lower) <= verdict.delta.upper
    assert verdict.worst.difference > verdict.witness.difference


def test_the_worst_is_searched_for_where_somebody_asks_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def counted(*given: Any) -> Any:
        asked.append(given)
        return search(*given)

    search = one_epsilon._worst_at
    monkeypatch.setattr(one_epsilon, "_worst_at", counted)
    verdict = refuted(check_privacy(noisy_sum, Tuples((0, 1, 2), size=1), epsilon=1))
    assert not asked
    assert verdict.worst is verdict.worst and str(verdict)
    assert len(asked) == 1


def test_a_claim_of_every_epsilon_has_no_worst() -> None:
    domain = Multisets(range(3), size=2)
    verdict = refuted(check_privacy(most_common, domain, epsilon=symbolic, parameters={"times": 2 * symbolic}))
    assert verdict.worst is None


def result(claim: Claim) -> PrivacyResult:
    (found,) = audit([claim], recheck=False).claims
    assert isinstance(found, PrivacyResult)
    return found


def test_the_exact_epsilon_is_said_by_size_where_it_grows() -> None:
    sizes = Multisets(range(3), sizes=range(1, 4))
    found = result(_claim(most_common, sizes, parameters={"times": 1}))
    each = [
        check_privacy(most_common, Multisets(range(3), size=n), epsilon=1, parameters={"times": 1}) for n in (1, 2, 3)
    ]
    one, two, three = (float(verdict.epsilon.lower) for verdict in each if verdict.epsilon is not None)
    assert found.growth == f"ε = 1/2 at n = 1, ≈ {two:.6} at n = 2, {three:.6} at n = 3" and one == 0.5 < two < three


def test_at_queries_it_is_said_by_their_number() -> None:
    def answers(draw: Draw, scores: Any) -> Any:
        return tuple(draw(exponential([score, 0], Fraction(1, 2))) for score in scores)

    vectors = [(0,), (1,), (0, 0), (1, 0), (0, 1), (1, 1)]
    verdict = check_privacy(answers, vectors, scores_linf, epsilon=1)
    assert growth_by_size(verdict).endswith(" at 2 scores") and " at 1 scores, " in growth_by_size(verdict)


def constant(draw: Draw, rows: Any) -> Any:
    return draw(Distribution({rows[0]: 2, 1 - rows[0]: 1}))


def test_what_does_not_grow_or_is_not_proved_is_not_said() -> None:
    assert growth_by_size(check_privacy(constant, Tuples((0, 1), sizes=(1, 2)), epsilon=1)) == ""
    assert growth_by_size(check_privacy(constant, Tuples((0, 1), sizes=(1, 2)), epsilon=Fraction(1, 2))) == ""
    one_size = check_privacy(most_common, Multisets(range(3), size=2), epsilon=1, parameters={"times": 1})
    assert growth_by_size(one_size) == ""
    grows = Multisets(range(3), sizes=range(1, 3))
    assert growth_by_size(check_privacy(most_common, grows, epsilon=1, parameters={"times": 1})) != ""
    assert growth_by_size(check_privacy(most_common, grows, epsilon=1, parameters={"times": 3})) == ""


def count(draw: Draw, rows: Any) -> Any:
    return rows.count(1) + draw(laplace(1))


def test_what_it_is_proved_for_is_read_on_a_verdict() -> None:
    assert check_privacy(count, Tuples((0, 1), size=2), replace_one, epsilon=1).proved_for == "n = 2, rows from {0, 1}"
    assert check_privacy(count, [(0,), (1,)], epsilon=1).proved_for == "these 2 databases"
    assert check_privacy(count, Histograms((0, 1)), epsilon=1).proved_for == "every n, rows from {0, 1}"
    assert check_privacy(count, Tuples((0, 1), size=2), epsilon=Fraction(1, 2)).proved_for == ""


def test_a_claim_that_is_proved_for_all_sizes_as_well_says_so() -> None:
    finite = Multisets((0, 1), size=2)
    assert result(_claim(count, finite)).proved_for == "n = 2, rows from {0, 1}"
    everywhere = result(_claim(count, finite, all_sizes=Histograms((0, 1))))
    assert everywhere.scope.extent == "all" and everywhere.proved_for == "every n, rows from {0, 1}"
