"""The sampler: exactly the law, on every path, from whatever bits it is given."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from tests.mechanisms.drawn import assert_drawn_from_the_law

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    bernoulli,
    clamp,
    discrete_laplace,
    exp,
    exponential,
    laplace,
    log,
    run,
    truncated_laplace,
    uniform,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.sampler import SamplingDraw, _Session
from dpverify.mechanisms.noise import truncated_discrete_laplace


def scripted(*words: int) -> SamplingDraw:
    """A sampler whose random words of 64 bits are given."""
    supply: Iterator[int] = iter(words)

    def bits(k: int) -> int:
        return next(supply) >> (64 - k)

    session = _Session(bits)
    sampler = SamplingDraw(session)
    session.running.append(sampler)
    return sampler


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_a_word_falls_into_the_interval_of_its_outcome(weights: list[int]) -> None:
    """Inversion, at the boundaries: on either side of 2^64·F the outcome changes; on it more bits are asked for."""
    law = Distribution(dict(enumerate(weights)))
    running = 0
    for i, weight in enumerate(weights[:-1]):
        running += weight
        boundary = Fraction(running, sum(weights)) * 2**64
        below, above = int(boundary) - 2, int(boundary) + 2
        assert scripted(below).draw(law) == i
        assert scripted(above).draw(law) == i + 1
        if boundary.denominator > 1:
            # The word that holds the boundary does not decide: what follows does.
            inside = (boundary - int(boundary)) * 2**64
            assert scripted(int(boundary), int(inside) - 2).draw(law) == i
            assert scripted(int(boundary), int(inside) + 2).draw(law) == i + 1


def test_irrational_boundaries_ask_for_more_bits_too() -> None:
    law = Distribution({"a": 1, "b": exp(1)})
    p = 1 / (1 + exp(1))
    scaled = p * 2**64
    word = scaled.__floor__()
    rest = ((scaled - word) * 2**64).__floor__()
    assert scripted(word - 1).draw(law) == "a"
    assert scripted(word + 1).draw(law) == "b"
    assert scripted(word, rest - 1).draw(law) == "a"
    assert scripted(word, rest + 1).draw(law) == "b"


def test_uniform_draws_reject_rather_than_bias() -> None:
    law = uniform(range(3))
    assert scripted(0b11 << 62, 0b10 << 62).draw(law) == 2


def test_a_long_range_is_sampled_without_being_listed() -> None:
    drawn = run(lambda draw, database: draw(uniform(range(2**70))), 0, seed=1)
    assert 0 <= drawn < 2**70
    many = run(lambda draw, database: draw(exponential({i: i % 7 for i in range(100_000)}, 2)), 0, seed=3)
    assert 0 <= many < 100_000


def noisy_gap(draw: Draw, gap: int, *, epsilon: Fraction) -> str:
    return "large" if gap + draw(laplace(1 / epsilon)) >= 2 / epsilon * log(3) else "small"


def bins(draw: Draw, value: int, *, epsilon: Fraction) -> int:
    noisy = value + draw(laplace(1 / epsilon))
    return next((t for t in range(5) if noisy < t), 5)


def noisy_count(draw: Draw, value: int, *, epsilon: Fraction) -> Any:
    return value + draw(discrete_laplace(1 / epsilon))


def clamped(draw: Draw, value: int, *, epsilon: Fraction) -> Any:
    return clamp(value + draw(discrete_laplace(1 / epsilon)), 0, 4)


def truncated(draw: Draw, value: int, *, epsilon: Fraction) -> Any:
    return value + draw(truncated_discrete_laplace(2 / epsilon, 3))


def truncated_continuous(draw: Draw, value: int, *, epsilon: Fraction) -> int:
    noisy = value + draw(truncated_laplace(2 / epsilon, 2))
    return next((t for t in range(-2, 5) if noisy < t), 5)


def choose(draw: Draw, value: int, *, epsilon: Fraction) -> Any:
    return exponential([value, 1, 0, 2], epsilon)


def nested(draw: Draw, value: int, *, epsilon: Fraction) -> Any:
    return draw(choose, draw(bernoulli("0.3")) + value, epsilon=epsilon), draw(noisy_gap, value, epsilon=epsilon)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "mechanism", [noisy_gap, bins, noisy_count, clamped, truncated, truncated_continuous, choose, nested]
)
@pytest.mark.parametrize("epsilon", ["0.8", log(2)])
def test_frequencies_fit_the_exact_law(mechanism: Callable[..., Any], epsilon: Any) -> None:
    assert_drawn_from_the_law(mechanism, 2, 600, epsilon=epsilon)


def test_noise_in_the_sampler_is_one_value() -> None:
    """Answers about one noise never contradict each other."""

    def consistent(draw: Draw, database: Callable[[int], Any]) -> bool:
        noise = draw(database(3))
        bound = next(t for t in range(-200, 200) if noise < t)
        assert noise >= bound - 1
        assert (2 * noise - 1 < 2 * bound - 1) == (-noise > -bound) == (noise - bound < 0)
        return bool(noise > 0)

    for law in (laplace, discrete_laplace):
        assert {run(consistent, law, seed=seed) for seed in range(50)} == {True, False}


def test_discrete_noise_is_the_same_number_in_every_use() -> None:
    """Whatever the enumerator supports gives one number: compared, clamped and released."""

    def mechanism(draw: Draw, database: int) -> Any:
        noise = draw(discrete_laplace(2))
        value = next(k for k in range(-500, 500) if noise == k)
        assert clamp(database + noise, -1000, 1000) == database + value
        assert clamp(noise / 2, 0, 1) == min(max(Fraction(value, 2), 0), 1)
        return value, (3 - noise / 2, "label")

    for seed in range(50):
        value, (released, label) = run(mechanism, 5, seed=seed)
        assert released == 3 - Fraction(value, 2)
        assert label == "label"
        assert type(released) is (int if value % 2 == 0 else Fraction)


def test_continuous_noise_is_revealed_as_far_as_the_answer_needs() -> None:
    """With all words 2^63 the uniform number is just above ½, so the noise just above 0, by 2^-64 and less."""
    sampler = scripted(*[1 << 63], *[0] * 20, 1)
    noise = sampler.draw(laplace(1))
    assert noise > -1
    assert noise < Fraction(1, 2**60)
    assert noise < Fraction(1, 2**500)
    assert noise > 0


def test_seeds_repeat_and_differ() -> None:
    def long(draw: Draw, database: int) -> Any:
        return tuple(draw(uniform(range(1000))) for _ in range(4))

    assert run(long, 0, seed=5) == run(long, 0, seed=5)
    assert run(long, 0, seed=5) != run(long, 0, seed=6)


def test_without_a_seed_the_source_is_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def randbits(k: int) -> int:
        asked.append(k)
        return 0

    monkeypatch.setattr("secrets.randbits", randbits)
    assert run(lambda draw, database: draw(bernoulli("0.5")), 0) is True
    assert asked == [64]


FLOAT: Any = float("0.5")  # which no source gives as a literal


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (lambda draw, database: draw("coin"), "draw from a Distribution"),
        (lambda draw, database: draw(laplace(1)) >= FLOAT, "is a float"),
    ],
)
def test_what_is_refused(mechanism: Callable[..., Any], message: str) -> None:
    with debugging(), pytest.raises(InputError, match=message):
        run(mechanism, 0, seed=1)


def test_the_uniform_ball_contains_exactly_what_is_known() -> None:
    sampler = scripted(12345, 678)
    noise = sampler.draw(laplace(1))
    variable = noise.parts[0][0]
    uniform_number = sampler._noise[variable]
    assert not isinstance(uniform_number, int)
    uniform_number.reveal()
    assert uniform_number.known == (12345 << 64) + 678
    from flint import ctx

    with ctx.workprec(256):
        ball, quarters = uniform_number.ball(), 4 * uniform_number.known
        assert [ball.contains(arb((quarters + i, -130))) for i in (-1, 0, 4, 5)] == [False, True, True, False]
