"""Numbers that are 0 in disguise, or hard to name; and mutants of the checker that nothing else caught."""

import random
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from tests.verifiers.privacy.mechanisms_to_check import BITS, check_privacy, fine, true_answer

from dpverify.mechanisms import Distribution, Draw, InputError, bernoulli, discrete_laplace, exp, log, sqrt
from dpverify.verifiers import Multisets, Status, Tuples
from dpverify.verifiers.readable import shown_parameter


def test_a_claim_or_a_probability_that_is_0_in_disguise() -> None:
    nothing = (exp(1) + 1) * (exp(1) - 1) - exp(2) + 1

    def mechanism(draw: Draw, database: int) -> Any:
        return Distribution({"a": 1, "b": nothing, database: 1})

    verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=nothing, delta=nothing)
    assert verdict.status is Status.REFUTED
    assert verdict.delta is not None
    assert verdict.delta.exact == Fraction(1, 2)
    assert verdict.epsilon is None
    assert check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0, delta="0.5").status is Status.PROVED


def test_a_claim_whose_sign_is_unknown_is_bad_input() -> None:
    hidden = exp(sqrt(2)) * exp(-sqrt(2)) - 1
    for claim in ({"epsilon": hidden}, {"epsilon": 1, "delta": hidden}):
        with pytest.raises(InputError, match=r"or claim a slightly larger ε \[sign-unknown\]"):
            check_privacy(true_answer, BITS, **claim)


def test_an_exact_epsilon_that_cannot_be_factored_is_given_all_the_same() -> None:
    p, q = (Fraction(2**607 - 1 - k, 10**190) * (2**20 - 3) for k in (0, 58))

    verdict = check_privacy(lambda draw, database: bernoulli((p, q)[database]), [0, 1], lambda x: [1 - x], epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert 0 < verdict.epsilon.upper < Fraction(1, 10**170)


def test_numbers_with_very_many_digits_are_reported() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        return bernoulli(Fraction(rows[0] + 1, 10**5000))

    verdict = check_privacy(mechanism, Tuples(range(2), size=1), epsilon="1e-9")
    assert verdict.status is Status.REFUTED
    assert "Pr[event | left]" in str(verdict.witness)
    with pytest.raises(InputError, match=r"epsilon=e\^10000000 is beyond"):
        check_privacy(mechanism, Tuples(range(2), size=1), epsilon=exp(10**7))


def test_a_parameter_called_limits() -> None:
    def between(draw: Draw, rows: tuple[int, ...], *, limits: tuple[int, int]) -> int:
        return min(max(sum(rows), limits[0]), limits[1])

    verdict = check_privacy(between, BITS, epsilon=1, parameters={"limits": (0, 2)})
    assert verdict.status is Status.REFUTED


def test_a_claim_that_is_met_up_to_an_undecided_number_is_undecided() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else Fraction(1, 4))

    verdict = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0, delta=plain - Fraction(1, 4))
    assert verdict.status is Status.UNDECIDED
    assert verdict.epsilon is None


def test_an_undecided_delta_is_bounds_without_an_exact_form() -> None:
    hidden, plain = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(hidden if database else plain)

    delta = check_privacy(mechanism, [0, 1], lambda x: [1 - x], epsilon=0).delta
    assert delta is not None
    assert delta.exact is None
    assert delta.upper > 0


HIDDEN, PLAIN = sqrt(7 + 4 * sqrt(3)) / 8, (2 + sqrt(3)) / 8
"""One number in two forms, of which nobody here can tell that they are one."""


def one_of(*probabilities: Any, **claim: Any) -> Any:
    """The verdict where each of these is the probability of 1 on a database, and each has the first as a neighbour."""

    def mechanism(draw: Draw, database: int) -> Any:
        return bernoulli(probabilities[database])

    others = list(range(1, len(probabilities)))
    return check_privacy(mechanism, [0, *others], lambda x: [0] if x else others, **claim)


@pytest.mark.parametrize("epsilon", [0, 3])
def test_what_two_pairs_need_is_exact_only_where_one_of_them_is_known_to_need_most(epsilon: int) -> None:
    both, known = one_of("1/4", HIDDEN, PLAIN, epsilon=epsilon), one_of("1/4", PLAIN, PLAIN, epsilon=epsilon)
    assert both.status is known.status is (Status.PROVED if epsilon else Status.REFUTED)
    assert known.epsilon.exact == log(4 * PLAIN)
    assert both.epsilon.exact is None
    assert both.epsilon.lower <= known.epsilon.lower
    assert known.epsilon.upper < both.epsilon.upper < known.epsilon.upper + Fraction(1, 10**200)
    if not epsilon:
        assert known.delta.exact == PLAIN - Fraction(1, 4)
        assert both.delta.exact is None
        assert known.delta.upper < both.delta.upper < known.delta.upper + Fraction(1, 10**200)
    # a pair that needs more for certain takes the doubt away
    more = one_of("1/4", HIDDEN, PLAIN, "24/25", epsilon=epsilon)
    assert more.epsilon.exact == log(Fraction(75, 4))
    assert epsilon or more.delta.exact == Fraction(71, 100)


def test_no_epsilon_is_0_for_want_of_a_digit() -> None:
    verdict = one_of(HIDDEN, PLAIN, epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon.exact is None
    assert verdict.epsilon.lower == 0 < verdict.epsilon.upper


def test_the_witness_is_the_pair_whose_later_database_comes_first() -> None:

    pairs = {0: [3], 3: [0], 1: [2], 2: [1]}
    witness = check_privacy(lambda draw, database: database, [0, 1, 2, 3], lambda x: pairs[x], epsilon=1).witness
    assert witness is not None
    assert {witness.left, witness.right} == {1, 2}


def test_released_noise_that_depends_on_the_order_of_rows() -> None:

    with pytest.raises(InputError, match="depends on the order of the rows"):
        check_privacy(lambda draw, rows: rows[0] + draw(discrete_laplace(1)), Multisets((0, 1), size=2), epsilon=1)


@pytest.mark.usefixtures("nothing_is_watched")
def test_the_witness_is_computed_again_before_it_is_shown() -> None:
    """A mechanism that is found out by nothing but that: it changes after as many calls as the check makes."""
    calls = 0
    last = 10**9

    def changes(draw: Draw, database: int) -> int:
        nonlocal calls
        calls += 1
        return database if calls <= last else 0

    check_privacy(changes, [0, 1], lambda x: [1 - x], epsilon=1)
    last, calls = calls - 2, 0
    with pytest.raises(InputError, match="has another probability when computed again"):
        check_privacy(changes, [0, 1], lambda x: [1 - x], epsilon=1)


def test_own_randomness_is_found_out_on_small_domains() -> None:
    generator = random.Random(0)

    for _ in range(3):
        with pytest.raises(InputError, match="chance came from a Random that is held, whose state has changed"):
            check_privacy(lambda draw, database: generator.getrandbits(1), [0, 1], lambda x: [1 - x], epsilon=1)


def test_limits_hold_before_lists_are_made() -> None:
    def far_apart(draw: Draw, database: int) -> Any:
        return database * 10**12 + draw(discrete_laplace(1))

    verdict = check_privacy(far_apart, [0, 1], lambda x: [1 - x], epsilon=1)
    assert verdict.status is Status.UNDECIDED
    assert "probabilities of cells to compare" in verdict.reason


def test_parameters_read_well_in_a_scope() -> None:
    nested = ((fine, {"epsilon": Fraction(1, 2)}), [log(2), "x"])
    assert shown_parameter(nested) == "((fine, {'epsilon': 1/2}), [ln 2, 'x'])"
    assert shown_parameter((1,)) == "(1,)"
    assert (
        shown_parameter(partial(max, 3, key=fine, default=Fraction(1, 2))) == "partial(max, 3, key=fine, default=1/2)"
    )
