"""The plain enumerator beside brute force, programs that are known by hand, and the enumerator of special forms."""

import random
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import comb
from typing import Any

import pytest
from tests.adversary.checking import compare_law, subjects
from tests.adversary.oracles import noise_texts, part_texts
from tests.adversary.oracles.paths import compiled
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import FINITE, LUMPED, PAIRS, RELEASED, TRUNCATED
from tests.adversary.random_programs.trials import OF_DPVERIFY
from tests.adversary.tally import Tally, deep, programs, seed

from dpverify.mechanisms import (
    Distribution,
    InputError,
    Limits,
    MechanismError,
    Undecided,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    folded,
    laplace,
    log,
)
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.mechanism import exact_parameters
from dpverify.verifiers.catalogue import privacy_claims
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.questions.domains import listed_databases
from dpverify.verifiers.problems.questions.question import Question


def plain_distribution(mechanism: Any, rows: Any, *, limits: Limits | None = None, **parameters: Any) -> Any:
    return PlainEnumerator(limits or Limits()).distribution(mechanism, (rows,), exact_parameters(parameters))


STYLES = {"finite": FINITE, "truncated": TRUNCATED, "lumped": LUMPED, "released": RELEASED, "pairs": PAIRS}
FEW_PATHS = Limits(paths=12)


@pytest.mark.parametrize("style", STYLES)
def test_distributions_are_those_of_brute_force(style: str, tally: Tally) -> None:
    for name, subject, expected in subjects(f"plain:{style}", STYLES[style], programs(4), tally):
        mechanism = function_of(subject.program)
        for rows, law in zip(subject.domain, expected, strict=True):
            try:
                found = plain_distribution(mechanism, rows, epsilon=log(subject.chance.base))
            except (InputError, Undecided):
                tally.counts["refused"] += 1
                with pytest.raises((InputError, Undecided)):  # what is refused has no other way either
                    distribution(mechanism, rows, epsilon=log(subject.chance.base))
                continue
            compare_law(tally, subject, rows, law, found)
            assert same_distribution(found, distribution(mechanism, rows, epsilon=log(subject.chance.base))), name
    tally.demand({"laws": programs(4)})


TEXTS: dict[str, Callable[[random.Random], str]] = {
    **{kind: partial(noise_texts.source, kind=kind) for kind in noise_texts.KINDS},
    "nested": part_texts.nested,
    "drawn apart": part_texts.drawn_apart,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_programs_with_sub_mechanisms_and_noise_have_one_distribution(kind: str) -> None:
    compared = 0
    for i in range(programs(6)):
        rng = random.Random(f"{seed()}:plain:{kind}:{i}")
        mechanism = compiled(TEXTS[kind](rng), OF_DPVERIFY)
        epsilon = log(rng.choice(part_texts.BASES))
        for rows in ((0,), (1,)):
            plain, quick = (_found(find, mechanism, rows, epsilon) for find in (plain_distribution, distribution))
            if plain is not None and quick is not None:
                compared += 1
                assert same_distribution(plain, quick), (kind, i, rows)
    assert compared >= programs(6)


def _found(find: Any, mechanism: Any, rows: tuple[int, ...], epsilon: Any) -> Any:
    try:
        return find(mechanism, rows, limits=Limits(paths=600), epsilon=epsilon)
    except (InputError, Undecided):
        return None


def _small_claims() -> Iterator[tuple[Question, Hashable]]:
    """Questions of the catalogue at one ε, one of each mechanism, each with one of its first databases."""
    known = set()
    for claim in privacy_claims():
        if isinstance(claim, Claim) and claim.question.mechanism not in known:
            question = claim.question
            known.add(question.mechanism)
            try:
                if question.symbol is None and not question.of_every_delta:
                    *_, database = islice(listed_databases(question.domain, question.limits.databases), 2)
                    yield question, database
            except InputError:  # a domain without end
                continue


def test_claims_of_the_catalogue_have_one_distribution() -> None:
    """Of one in three each time: where a claim is decided, its laws are computed again by whole runs, too."""
    compared, every = 0, 1 if deep() else 3
    for question, database in islice(_small_claims(), 0, None, every):
        try:
            plain = PlainEnumerator(FEW_PATHS).distribution(question.mechanism, (database,), question.arguments)
        except Undecided:  # more paths than are run here
            continue
        compared += 1
        quick = question.enumeration().law(question.mechanism, (database,), question.arguments)
        assert same_distribution(plain, quick), question.mechanism
    assert compared > 40 // every


# --- Programs that are known by hand
THIRD = Fraction(1, 3)
LN2 = log(2)


def in_full(found: Distribution[Any]) -> dict[Any, Fraction]:
    return {outcome: Fraction(str(p)) for outcome, p in found.probabilities.items()}


def randomized(draw: Any, row: int) -> int:
    return 1 - row if draw(bernoulli("1/3")) else row


def test_a_sum_of_randomized_bits_is_binomial() -> None:
    found = plain_distribution(lambda draw, rows: sum(draw(randomized, row) for row in rows), (0, 0, 0))
    assert in_full(found) == {k: comb(3, k) * THIRD**k * (1 - THIRD) ** (3 - k) for k in range(4)}


def test_independent_parts_are_expanded() -> None:
    found = plain_distribution(lambda draw, rows: ("bits", draw.each(randomized, rows)), (0, 1))
    flips = {(a, b): (THIRD if a else 1 - THIRD) * (THIRD if b else 1 - THIRD) for a, b in product((0, 1), repeat=2)}
    assert in_full(found) == {("bits", (a, 1 - b)): p for (a, b), p in flips.items()}


def test_rounds_have_the_distribution_of_an_accepted_one() -> None:
    found = plain_distribution(lambda draw, _: draw.until(two_dice, lambda total: total != 1) + draw(bit), ())
    assert in_full(found) == {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 4), 3: Fraction(1, 4)}


def bit(draw: Any) -> int:
    return 1 if draw(bernoulli("1/2")) else 0


def two_dice(draw: Any) -> Any:
    return draw(bit) + draw(bit)


def test_noise_against_a_threshold_is_a_tail() -> None:
    """Pr[N ≥ k] = z^k/(1 + z) of discrete Laplace noise of scale 1/ln 2, z = 1/2."""
    z = Fraction(1, 2)
    found = plain_distribution(lambda draw, n: n + draw(discrete_laplace(1 / LN2)) >= 3, 1)
    assert in_full(found) == {True: z**2 / (1 + z), False: 1 - z**2 / (1 + z)}


def largest_of_three(draw: Any, scores: tuple[int, ...]) -> int:
    noisy = [score + draw(laplace(1)) for score in scores]
    return noisy.index(max(noisy))


def rounded_and_released(draw: Any, rows: tuple[int, ...]) -> Any:
    noise = draw(laplace(2))
    return ("low", sum(rows)) if noise < -1 else (round(sum(rows) + noise), draw(discrete_laplace(1)))


def clamped_and_folded(draw: Any, rows: tuple[int, ...]) -> Any:
    n = sum(rows)
    return clamp(n + draw(discrete_laplace(1)), 0, 2), folded(n + draw(discrete_laplace(2)), 0, 3)


def folded_reals(draw: Any, rows: tuple[int, ...]) -> Any:
    return folded(sum(rows) + draw(laplace(1)), 0, 3)


def folded_after_a_comparison(draw: Any, rows: tuple[int, ...]) -> Any:
    noise = draw(laplace(1))
    return folded(sum(rows) + noise, 0, 3) if noise > 1 else "small"


def in_a_circle(draw: Any, rows: tuple[int, ...]) -> Any:
    one, two, three = (draw(laplace(1)) + row for row in rows)
    if one > two and two > three:
        return "never" if three > one else "falling"
    return "other"


def noise_of_a_sub_mechanism(draw: Any, rows: tuple[int, ...]) -> Any:
    noisy, parts = draw(with_parts, rows)
    return noisy + 1 if noisy > 2 else parts


def with_parts(draw: Any, rows: tuple[int, ...]) -> Any:
    return sum(rows) + draw(laplace(1)), draw.each(randomized, rows)


def until_it_is_large(draw: Any, rows: tuple[int, ...]) -> Any:
    return sum(rows) + draw.until(lambda inner: inner(laplace(1)), lambda noise: noise > -1)


def a_distribution(draw: Any, rows: tuple[int, ...]) -> Any:
    return Distribution({0: 1, 1: 2}) if draw(bernoulli("1/3")) else draw(lambda draw: Distribution({0: 3, 2: 1}))


@pytest.mark.parametrize(
    "mechanism",
    [
        *(largest_of_three, rounded_and_released, clamped_and_folded, folded_reals, folded_after_a_comparison),
        *(in_a_circle, noise_of_a_sub_mechanism, until_it_is_large, a_distribution),
    ],
)
def test_it_agrees_with_the_enumerator_of_special_forms(mechanism: Any) -> None:
    for rows in ((0, 1, 1), (2, 0, 0)):
        assert same_distribution(plain_distribution(mechanism, rows), distribution(mechanism, rows))


def endless(draw: Any, rows: Any) -> int:
    while not draw(bernoulli("1/2")):
        pass
    return 1


def swallowed(draw: Any, rows: Any) -> Any:
    try:
        return draw(0.5)
    except Exception:
        return 0


RUNS: list[int] = []


def another_draw_each_time(draw: Any, rows: Any) -> Any:
    RUNS.append(1)
    return draw(bernoulli(Fraction(1, 1 + len(RUNS))))


def draws_less_and_less(draw: Any, rows: Any) -> Any:
    RUNS.append(1)
    return [draw(bernoulli("1/2")) for _ in range(20 - len(RUNS))]


@pytest.mark.parametrize(
    ("mechanism", "error", "words"),
    [
        (endless, Undecided, "draw.until"),
        (lambda draw, rows: draw.release(sum(rows) + draw(laplace(1)), then=abs), MechanismError, "post-processed"),
        (lambda draw, rows: draw(laplace(1)) / (2 + abs(draw(laplace(1)))), MechanismError, "closed form"),
        (lambda draw, rows: draw(lambda _: draw(bernoulli("1/2"))), MechanismError, "call"),
        (swallowed, MechanismError, "draw"),
        (another_draw_each_time, MechanismError, "not deterministic"),
        (draws_less_and_less, MechanismError, "not deterministic"),
    ],
)
def test_it_refuses_what_it_cannot_follow(mechanism: Any, error: type[Exception], words: str) -> None:
    RUNS.clear()
    with pytest.raises(error, match=words):
        plain_distribution(mechanism, (0, 1), limits=Limits(draws=50))


def test_limits_are_met_with_the_progress() -> None:
    with pytest.raises(Undecided, match=r"10 paths.*a probability of 0.313"):
        plain_distribution(lambda draw, _: tuple(draw(bit) for _ in range(5)), (), limits=Limits(paths=10))
    with pytest.raises(Undecided, match="3 outcomes"):
        plain_distribution(lambda draw, _: tuple(draw(bit) for _ in range(5)), (), limits=Limits(outcomes=3))


def test_a_mechanism_that_raised_can_be_run_again() -> None:
    with pytest.raises(MechanismError):
        plain_distribution(swallowed, ())
    assert in_full(plain_distribution(lambda draw, _: draw(bit), ())) == {0: Fraction(1, 2), 1: Fraction(1, 2)}
