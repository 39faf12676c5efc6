"""The hint beside PROVED: what a mechanism draws guarantees less than the claim, which a small domain does not show."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import bernoulli, exponential, exponential_noise, laplace
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.selection import exponential_mechanism, max_of_laplaces
from dpverify.reports.record import Status
from dpverify.verifiers import (
    Multisets,
    Proved,
    ScoreSpace,
    Tuples,
    Verdict,
    add_or_remove_one,
    check_privacy,
    scores_l1,
    scores_linf,
)

HALF = Fraction(1, 2)
TWO = "what it draws guarantees ε = 2: try three candidates"
LARGER = "what it draws guarantees ε = 2: try a larger domain"


def columns(candidates: int) -> Tuples:
    """Databases of one row, with a bit for each candidate."""
    return Tuples(list(product((0, 1), repeat=candidates)), size=1)


def votes(rows: Any) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def chosen(draw: Draw, rows: Any, *, epsilon: Any, share: Any) -> Any:
    return draw(exponential(votes(rows), epsilon / share))


def chosen_by_mechanism(draw: Draw, rows: Any, *, epsilon: Any, share: Any) -> Any:
    return draw(exponential_mechanism, dict(enumerate(votes(rows))), epsilon=epsilon / share)


def chosen_of_fractions(draw: Draw, rows: Any, *, epsilon: Any, share: Any) -> Any:
    thirds = [Fraction(vote, 3) for vote in votes(rows)]
    return draw(exponential(thirds, epsilon / share, sensitivity=Fraction(1, 3)))


def noisy_max(draw: Draw, rows: Any, *, epsilon: Any, share: Any) -> Any:
    return draw(max_of_laplaces, votes(rows), epsilon=epsilon / share)


def noisy_max_by_hand(draw: Draw, scores: Any, *, epsilon: Any, share: Any) -> Any:
    noisy = [score + draw(laplace(2 * share / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def decided(mechanism: Mechanism, domain: Any, neighbours: Any = None, **parameters: Any) -> Verdict:
    given = {} if neighbours is None else {"neighbours": neighbours}
    return check_privacy(mechanism, domain, epsilon=1, parameters=parameters, recheck=False, **given)


def hint(verdict: Verdict) -> str:
    assert isinstance(verdict, Proved), verdict
    return verdict.hint


CHOICES = [chosen, chosen_by_mechanism, chosen_of_fractions, noisy_max]


@pytest.mark.parametrize("mechanism", CHOICES)
def test_half_the_noise_is_proved_of_two_candidates_with_a_hint_and_refuted_of_three(mechanism: Mechanism) -> None:
    verdict = decided(mechanism, columns(2), share=HALF)
    assert hint(verdict) == TWO
    assert str(verdict).startswith(
        f"PROVED on this domain (n = 1, rows from {{(0, 0), (0, 1), (1, 0), (1, 1)}}); {TWO}: "
    ) or (str(verdict).startswith(f"PROVED on this domain (n = 1, rows from 4 values); {TWO}: "))
    assert decided(mechanism, columns(3), share=HALF).status is Status.REFUTED
    for candidates in (2, 3):
        assert hint(decided(mechanism, columns(candidates), share=Fraction(1))) == ""


@pytest.mark.parametrize("scales", [(1, 2), (2, 1)])
def test_of_noises_of_several_scales_no_theorem_speaks(scales: tuple[int, int]) -> None:
    """By the scale of one of them the hint was that ε = 2 is guaranteed."""

    def uneven(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        noisy = [vote + draw(laplace(scale / epsilon)) for vote, scale in zip(votes(rows), scales, strict=True)]
        return noisy[0] < noisy[1]

    assert hint(decided(uneven, columns(2))) == ""


def on_scores(draw: Draw, scores: Any, *, epsilon: Any, share: Any) -> Any:
    return draw(exponential(scores, epsilon / share))


def of_counts(draw: Draw, rows: Any, *, epsilon: Any, share: Any) -> Any:
    return draw(exponential([rows.count(x) for x in range(3)], epsilon / share))


def test_what_scores_move_is_seen_on_the_domain() -> None:
    two = ScoreSpace(range(2), solutions=2)
    assert hint(decided(on_scores, two, scores_linf, share=HALF)) == TWO
    assert hint(decided(noisy_max_by_hand, two, scores_linf, share=HALF)) == TWO
    assert hint(decided(noisy_max_by_hand, two, scores_linf, share=Fraction(1))) == ""
    assert hint(decided(on_scores, two, scores_l1, share=HALF)) == ""  # one score moves, so that half of it is enough
    assert hint(decided(of_counts, Multisets(range(3), sizes=range(3)), add_or_remove_one, share=HALF)) == ""
    assert hint(decided(of_counts, Multisets(range(3), size=1), share=HALF)) == LARGER
    assert decided(of_counts, Multisets(range(3), size=3), share=HALF).status is Status.REFUTED


def three_choices(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return tuple(draw(exponential([rows.count(x) for x in range(2)], epsilon / 3)) for _ in range(3))


def choice_and_count(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    best = draw(exponential([rows.count(x) for x in range(2)], epsilon / 2))
    return best, rows.count(best) + draw(laplace(2 / epsilon))


def histogram(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return tuple(rows.count(x) + draw(laplace(2 / epsilon)) for x in range(3))


def most_of_histogram(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    noisy = [rows.count(x) + draw(laplace(1 / epsilon)) for x in range(2)]
    return noisy.index(max(noisy)), max(noisy)


def above_noisy_threshold(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon)) > 1 + draw(laplace(1 / epsilon))


def first_above(draw: Draw, scores: Any, *, epsilon: Any) -> Any:
    threshold = draw(laplace(2 / epsilon))
    for i, score in enumerate(scores):
        if score + draw(laplace(4 / epsilon)) > threshold:
            return i
    return None


def on_one_part(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    """One choice for each half of the rows: a row is in one of them."""
    return tuple(draw(exponential([half.count(x) for x in range(2)], epsilon)) for half in (rows[:1], rows[1:]))


def loops(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    draw(exponential([rows.count(x) for x in range(2)], epsilon))
    return draw.until(_coin, bool)


def _coin(draw: Draw) -> Any:
    return draw(bernoulli("1/2"))


BITS = Tuples((0, 1), size=2)


@in_one(
    "mechanism, domain, neighbours",
    [
        (three_choices, BITS, None),
        (choice_and_count, BITS, None),
        (histogram, Multisets(range(3), size=2), None),
        (most_of_histogram, Multisets(range(2), sizes=range(2)), add_or_remove_one),
        (above_noisy_threshold, BITS, None),
        (first_above, ScoreSpace(range(-1, 2), solutions=2), scores_linf),
        (on_one_part, BITS, None),
        (loops, BITS, None),
    ],
)
def test_right_programs_have_none(mechanism: Mechanism, domain: Any, neighbours: Any) -> None:
    assert hint(decided(mechanism, domain, neighbours)) == ""


def test_a_claim_of_delta_and_one_of_every_epsilon_have_none() -> None:
    paid = check_privacy(chosen, columns(2), epsilon=1, delta="1/100", parameters={"share": HALF}, recheck=False)
    assert hint(paid) == ""
    exact = check_privacy(chosen, columns(2), epsilon=2, parameters={"share": Fraction(1)}, recheck=False)
    assert hint(exact) == ""  # it claims what is guaranteed


def exponential_max(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    noisy = [vote + draw(exponential_noise(2 / epsilon)) for vote in votes(rows)]
    return noisy.index(max(noisy))


def test_permute_and_flip_has_none() -> None:
    assert hint(decided(exponential_max, columns(2))) == ""
