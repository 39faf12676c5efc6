"""A mutant on the pairs where its claim comes nearest to failing."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, bernoulli, exp, exponential, laplace, symbolic
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Refuted, Tuples
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result, verdict_on_claim
from dpverify.verifiers.profiles.nearby import nearest_pairs, refuted_nearby, refuted_on, violating_pair

DOMAIN = Tuples((0, 1), size=3)


def counts(draw: Draw, rows: Sequence[int], epsilon: Any) -> Any:
    return draw(exponential((sum(rows), 3 - sum(rows)), epsilon=epsilon))


def counts_twice(draw: Draw, rows: Sequence[int], epsilon: Any) -> Any:
    return draw(exponential((2 * sum(rows), 6 - 2 * sum(rows)), epsilon=epsilon))


def counts_all_but_ones(draw: Draw, rows: Sequence[int], epsilon: Any) -> Any:
    return "ones" if rows == (1, 1, 1) else counts(draw, rows, epsilon)


def raises_everywhere(draw: Draw, rows: Sequence[int], epsilon: Any) -> Any:
    raise ValueError("no value")


def reveals_at_times(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0] if draw(bernoulli(Fraction(1, 8))) else None


def reveals_more(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0] if draw(bernoulli(Fraction(1, 4))) else None


def claim(mutant: Mechanism | None, **changed: Any) -> Claim:
    given: dict[str, Any] = {"id": "c", "mechanism": counts, "domain": DOMAIN, "epsilon": 1, "mutant": mutant}
    return Claim(**{**given, **changed})


def nearby(one: Claim) -> bool:
    assert one.mutant is not None
    verdict = verdict_on_claim(one, recheck=False)
    return refuted_nearby(replace(one.question, mechanism=one.mutant), verdict)


@pytest.mark.parametrize("epsilon", [1, symbolic], ids=str)
def test_what_the_pairs_refute_is_refuted_for_one_epsilon_and_for_all(epsilon: ExactLike) -> None:
    assert nearby(claim(counts_twice, epsilon=epsilon))
    assert not nearby(claim(counts, epsilon=epsilon))


def test_a_claim_of_delta_is_tried_on_its_worst_pair() -> None:
    for mutant, refuted in ((reveals_more, True), (reveals_at_times, False)):
        assert nearby(claim(mutant, mechanism=reveals_at_times, epsilon=0, delta=Fraction(1, 8))) is refuted


def test_real_numbers_are_tried_where_their_densities_are_furthest_apart() -> None:
    places = (0, 1, 3, 4)

    def near_its_place(draw: Draw, database: int) -> Any:
        return places[database] + draw(laplace(1))

    one = claim(None, mechanism=near_its_place, domain=range(4), neighbours=lambda i: [i + 1], epsilon=2)
    verdict = verdict_on_claim(one, recheck=False)
    experiment = verdict.basis.experiment
    assert experiment is not None
    assert experiment.of_pairs(nearest_pairs(experiment, verdict)).databases == [1, 2]


def test_pairs_that_are_all_there_are_are_not_decided_twice() -> None:
    """Two databases have one pair, in both directions; of three bits there are others."""
    for size, is_refuted in ((1, False), (3, True)):
        verdict = verdict_on_claim(
            claim(None, mechanism=counts_twice, domain=Tuples((0, 1), size=size), epsilon=Fraction(1, 4)), recheck=False
        )
        experiment = verdict.basis.experiment
        assert isinstance(verdict, Refuted) and experiment is not None
        assert refuted_on(experiment, nearest_pairs(experiment, verdict)) is is_refuted
        assert refuted_on(experiment, (violating_pair(experiment, verdict),)) is is_refuted


@pytest.mark.usefixtures("nothing_is_watched")
def test_only_a_few_databases_are_run() -> None:
    run: list[Sequence[int]] = []

    def noting(draw: Draw, rows: Sequence[int], epsilon: Any) -> Any:
        run.append(rows)
        return counts_twice(draw, rows, epsilon)

    assert nearby(claim(noting, domain=Tuples((0, 1), size=6)))
    assert len(set(run)) <= 4


@pytest.mark.parametrize(
    ("mutant", "status"),
    [
        (counts_all_but_ones, Status.REFUTED),  # far from the pair that is tried first
        (counts_twice, Status.REFUTED),
        (counts, Status.PROVED),
    ],
)
def test_a_record_says_what_the_whole_domain_says(mutant: Mechanism, status: Status) -> None:
    found = privacy_result(claim(mutant), How(recheck=False)).mutant
    assert found is not None
    assert found.status is status is verdict_on_claim(claim(mutant), mutant).status


def test_a_mutant_that_raises_is_reported_as_on_the_whole_domain() -> None:
    assert not nearby(claim(raises_everywhere))
    with pytest.raises(Exception, match=r"^c: raises_everywhere on \(0, 0, 0\)"):
        privacy_result(claim(raises_everywhere), How(recheck=False))


def test_where_every_pair_has_one_law_some_are_tried_all_the_same() -> None:
    same = claim(counts_twice, mechanism=lambda draw, rows, epsilon: exp(0))
    assert nearby(same)
