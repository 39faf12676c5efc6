"""The beam search for worst pairs of longer inputs: against all pairs, and what separates what leaks from what does not."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, exact, laplace, log
from dpverify.mechanisms.selection import svt1, svt3, svt4
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, ScoreSpace, Status, audit, check_privacy, scores_linf
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.profiles import LongerInputs, worst_pairs
from dpverify.verifiers.profiles.longer_inputs import WorstPair, trend

BITS = (0, 1)


def numbers(found: Sequence[WorstPair]) -> list[Any]:
    return [None if pair.found is None else pair.found.exact for pair in found]


def told_apart(draw: Draw, word: tuple[int, ...], *, epsilon: Any) -> Any:
    """An automaton that leaks: it says at which of the last two letters it stands, each time with a coin."""
    state = 0
    for letter in word:
        state = (2 * state + letter) % 4 if draw(bernoulli(Fraction(2, 3))) else state
    return state


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mechanism", [svt1, svt3, svt4, told_apart], ids=lambda m: m.__name__)
def test_a_wide_beam_finds_the_worst_of_all_pairs(mechanism: Any) -> None:
    parameters = {} if mechanism is told_apart else {"noise": discrete_laplace}
    found = worst_pairs(mechanism, LongerInputs(BITS, range(1, 4), beam=4**3), epsilon=1, parameters=parameters)
    assert found
    for pair in found:
        everything = check_privacy(
            mechanism,
            ScoreSpace(BITS, solutions=pair.length),
            scores_linf,
            epsilon=1,
            parameters=parameters,
            recheck=False,
        )
        assert everything.status in (Status.PROVED, Status.REFUTED)
        assert numbers([pair]) == [None if everything.epsilon is None else everything.epsilon.exact]


def told_before(draw: Draw, word: tuple[int, ...], *, epsilon: Any) -> Any:
    """Each letter is told with probability 1/4, and one before a 2 with 3/4."""
    chances = [Fraction(3, 4) if after == 2 else Fraction(1, 4) for after in (*word[1:], None)]
    return tuple(letter if draw(bernoulli(chance)) else None for letter, chance in zip(word, chances, strict=True))


def told_behind(draw: Draw, word: tuple[int, ...], *, epsilon: Any) -> Any:
    return told_before(draw, word[::-1], epsilon=epsilon)


@pytest.mark.parametrize("mechanism", [told_before, told_behind], ids=lambda m: m.__name__)
def test_the_narrowest_beam_tries_each_pair_of_letters_before_and_behind(mechanism: Any) -> None:
    inputs = LongerInputs((0, 1, 2), [1, 2, 3], lambda a, b: a == b or 2 not in (a, b), beam=1)
    found = worst_pairs(mechanism, inputs, epsilon=1, delta=Fraction(1, 2))
    # 0 and 1 are told apart with probability 1/4, and beside a 2 with 3/4
    assert numbers(found[:2]) == [Fraction(1, 4), Fraction(3, 4)]
    one, other = found[1].left, found[1].right
    assert {one, other} == ({(0, 2), (1, 2)} if mechanism is told_before else {(2, 0), (2, 1)})
    # another letter, told with 1/4: one of the two is told but with 3/4·1/4
    assert numbers(found[2:]) == [Fraction(13, 16)]


def test_a_narrow_beam_finds_those_of_sparse_vector() -> None:
    """The worst pair that is known: all below, then one above, beside what is the other way round."""
    last = worst_pairs(svt1, LongerInputs(BITS, [6]), epsilon=1)[0]
    assert {last.left, last.right} == {(0,) * 5 + (1,), (1,) * 5 + (0,)}


def with_real_noise(draw: Draw, word: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(word) + draw(laplace(1 / epsilon))


@pytest.mark.parametrize(
    ("mechanism", "lengths", "parameters"),
    [
        (svt3, (2,), {"epsilon": 1, "noise": discrete_laplace}),
        (told_apart, (2, 3), {"epsilon": 1}),
        (with_real_noise, (1, 2), {"epsilon": 1}),
    ],
    ids=["svt3", "told_apart", "with_real_noise"],
)
def test_delta_is_what_is_looked_at_where_one_is_claimed(
    mechanism: Any, lengths: tuple[int, ...], parameters: dict[str, Any]
) -> None:
    half = Fraction(1, 2)
    claim: dict[str, Any] = {"epsilon": half, "delta": half, "parameters": parameters}
    found = worst_pairs(mechanism, LongerInputs(BITS, lengths), **claim)
    assert [pair.length for pair in found] == [*lengths]
    for pair in found:
        domain = ScoreSpace(BITS, solutions=pair.length)
        everything = check_privacy(mechanism, domain, scores_linf, recheck=False, **claim)
        assert everything.delta is not None
        assert numbers([pair]) == [everything.delta.exact]


def test_steps_tell_what_leaks_on_from_what_does_not() -> None:
    sound = numbers(worst_pairs(svt1, LongerInputs(BITS, range(1, 7)), epsilon=1))
    leaking = numbers(
        worst_pairs(svt3, LongerInputs(BITS, range(1, 4)), epsilon=1, parameters={"noise": discrete_laplace})
    )
    assert all(after > before for found in (sound, leaking) for before, after in pairwise(found)), "both grow"
    assert (trend(sound), trend(leaking)) == ("shrinking", "constant")
    assert leaking == [Fraction(n, 2) for n in range(1, 4)]


def test_letters_are_paired_as_they_may_differ() -> None:
    def released(draw: Draw, word: tuple[int, ...]) -> Any:
        return sum(word) + draw(discrete_laplace(1))

    for apart in (1, 2):
        inputs = LongerInputs((0, 1, 2), (1, 2), may_differ=lambda a, b, most=apart: abs(a - b) <= most)  # type: ignore[misc]
        assert numbers(worst_pairs(released, inputs, epsilon=1)) == [apart, 2 * apart]


def test_what_is_told_without_noise_costs_without_end() -> None:
    found = worst_pairs(lambda draw, word: word[0], LongerInputs(BITS, (1, 2)), epsilon=1)
    assert numbers(found) == [None, None]
    assert trend(numbers(found)) == "infinite"


@in_one(
    "found, expected",
    [
        ([1], ""),
        ([1, 2], ""),
        ([1, 2, 3], "constant"),
        ([1, 2, Fraction(59, 20)], "constant"),
        ([2, 2, 2], "none"),
        ([1, 2, Fraction(5, 2), Fraction(11, 4)], "shrinking"),
        ([1, 2, 4, 8], "growing"),
        ([1, 2, 4, 5], "uneven"),
        ([0, 9, 10, 11, 12], "constant"),
        ([3, 2, 1], "constant"),
        ([log(2), 2 * log(2), 3 * log(2)], "constant"),
        ([1, None], "infinite"),
    ],
)
def test_trends(found: list[Any], expected: str) -> None:
    assert trend([None if number is None else exact(number) for number in found]) == expected


@given(st.lists(st.fractions(1, 9, max_denominator=9), min_size=3, max_size=6), st.fractions(1, 9, max_denominator=9))
def test_a_trend_does_not_depend_on_the_unit(found: list[Fraction], unit: Fraction) -> None:
    assert trend([exact(number) for number in found]) == trend([exact(number * unit) for number in found])


@pytest.mark.usefixtures("decided_here")
def test_what_a_claim_says_of_longer_inputs() -> None:
    claim = Claim(
        id="c",
        mechanism=svt1,
        domain=ScoreSpace(BITS, solutions=2),
        neighbours=scores_linf,
        epsilon=1,
        sweep=LongerInputs(BITS, range(1, 6)),
    )
    found = privacy_result(claim)
    assert [point.size for point in found.sweep] == [1, 2, 3, 4, 5]
    assert {tuple(point.pair or []) for point in found.sweep} >= {("(0,)", "(1,)")}
    assert (found.verdict, found.trend) == (Status.PROVED, "shrinking")
    text = " ".join(render(audit([claim]), ".md").split())
    assert "Measured on the worst pairs that a search found" in text
    assert "the last steps shrink. It is no verdict on other sizes." in text


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"letters": ()}, "letters is empty"),
        ({"lengths": ()}, r"a member of lengths=\(\) is not a whole number ≥ 1"),
        ({"lengths": (0, 1)}, r"member of lengths=\(0, 1\) is not a whole number ≥ 1"),
        ({"beam": 0}, "beam=0 is not a whole number ≥ 1"),
    ],
)
def test_what_is_refused(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LongerInputs(**{"letters": BITS, "lengths": (1, 2), **given_})


def test_every_pair_of_letters_is_made_use_of() -> None:
    inputs = LongerInputs((0, 1, 2), (1,))
    assert inputs.pairs_of_letters == [(a, b) for a, b in product((0, 1, 2), repeat=2) if abs(a - b) <= 1]
