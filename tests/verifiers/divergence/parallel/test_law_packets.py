"""Laws on their way, many at a time: they arrive as the same numbers, or are not sent."""

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Distribution, Draw, discrete_laplace, distribution, exact, exp, exponential, log, sqrt
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.numbers.exact_numbers import ONE, reciprocal_of_nonzero
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.divergence.parallel.distribution_packets import DoesNotTravel, packed_distributions, unpacked
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


def law_of(weights: dict[Any, Any]) -> AnyDistribution:
    """A law as the enumerator gives it."""
    probabilities = Distribution(dict(enumerate(weights.values()))).probabilities.values()
    return Distribution.of_blocks(
        [((outcome,), p) for outcome, p in zip(weights, probabilities, strict=True)], total_weight=ONE
    )


fractions = st.fractions(min_value=0, max_value=5, max_denominator=7).filter(bool)
numbers = st.recursive(
    fractions.map(exact),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(sum),
        st.tuples(inner, inner).map(lambda two: two[0] * two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] / two[1]),
        fractions.map(exp),
        fractions.map(sqrt),
        fractions.map(lambda q: 1 + exp(-q)),
        fractions.map(lambda q: log(1 + q)),
    ),
    max_leaves=4,
)
outcomes = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 2),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=1),
        fractions,
        st.binary(max_size=1),
    ),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=2)),
    max_leaves=4,
)


@settings(max_examples=12)
@given(st.lists(st.dictionaries(outcomes, numbers, min_size=1, max_size=3), max_size=3))
def test_numbers_arrive_as_the_same_ones(of_each: list[dict[Any, Any]]) -> None:
    laws = [law_of(weights) for weights in of_each]
    arrived = unpacked(packed_distributions(laws))
    assert len(arrived) == len(laws)
    for law, again in zip(laws, arrived, strict=True):
        mine, others = list(law.probabilities.items()), list(again.probabilities.items())
        assert [outcome for outcome, _ in mine] == [outcome for outcome, _ in others]
        assert all(map(same, (x for x, _ in mine), (x for x, _ in others)))
        assert all(p is q for (_, p), (_, q) in zip(mine, others, strict=True))


def test_what_is_equal_and_not_the_same_stays_so() -> None:
    laws = [law_of({1: 1}), law_of({True: 1}), law_of({(1, 0): 1}), law_of({(True, 0): 1}), law_of({Fraction(1): 1})]
    found = [next(iter(law)) for law in unpacked(packed_distributions(laws))]
    assert [repr(outcome) for outcome in found] == ["1", "True", "(1, 0)", "(True, 0)", "Fraction(1, 1)"]


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: int


@dataclass(frozen=True)
class Forgetful:
    x: int

    def __reduce__(self) -> Any:
        return Forgetful, (self.x + 1,)


class Pair(NamedTuple):
    left: int
    right: int


class Plain:
    """Equal to itself alone."""


@pytest.mark.parametrize("outcome", [Colour.RED, Point(3), (Point(3), Colour.RED), exact("1/3") * exp(1)])
def test_outcomes_that_travel(outcome: Any) -> None:
    (law,) = unpacked(packed_distributions([law_of({outcome: 1})]))
    (found,) = law
    assert (type(found), found) == (type(outcome), outcome)


@in_one("outcome", [Forgetful(1), Plain(), (1, Plain()), Pair(1, 2), 0.5, lambda: 1])
def test_outcomes_that_do_not(outcome: Any) -> None:
    with pytest.raises(DoesNotTravel):
        packed_distributions([law_of({outcome: 1})])


def noise(draw: Draw, n: int) -> Any:
    return n, n + draw(discrete_laplace(2))


def compared(draw: Draw, n: int) -> Any:
    return max(n + draw(discrete_laplace(2)), draw(discrete_laplace(2)))


def test_released_noise() -> None:
    laws = [distribution(noise, 3), law_of({"a": 1}), distribution(noise, 4)]
    assert all(map(same_distribution, laws, unpacked(packed_distributions(laws))))
    with pytest.raises(DoesNotTravel, match="compared"):
        packed_distributions([distribution(compared, 1)])


def test_in_another_process(tmp_path: Path) -> None:
    """Serial numbers, which sort the parts of numbers, are of one process: those of another are met in another order."""
    laws = [distribution(most, (i, 3, 1)) for i in range(6)]
    (tmp_path / "laws").write_bytes(packed_distributions(laws))
    code = (
        "import sys; from pathlib import Path; from dpverify.mechanisms import exp\n"
        "kept = [exp(-k) + 1 for k in range(5)]\n"
        "from dpverify.verifiers.divergence.parallel.distribution_packets import packed_distributions, unpacked\n"
        "file = Path(sys.argv[1]); file.write_bytes(packed_distributions(unpacked(file.read_bytes())[::-1]))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "laws")], check=True)
    for law, again in zip(laws, unpacked((tmp_path / "laws").read_bytes())[::-1], strict=True):
        assert all(again.probabilities[x] is p for x, p in law.probabilities.items())


def most(draw: Draw, scores: tuple[int, ...]) -> Any:
    return draw(exponential(dict(enumerate(scores)), 1)), draw(exponential(dict(enumerate(scores[1:])), 2))


def test_a_law_takes_few_bytes() -> None:
    laws = [distribution(most, (i, j, k)) for i in range(8) for j in range(8) for k in range(8)]
    assert len(packed_distributions(laws)) < 40 * len(laws)


def test_a_number_in_a_number_in_a_number() -> None:
    """Parts stand first, so that nothing is sent within something else: a thousand times that is too deep."""
    number = exp(1) + 1
    for _ in range(1_000):
        number = 1 + reciprocal_of_nonzero(number)
    law: AnyDistribution = Distribution.of_blocks([((0,), number)], total_weight=ONE)
    (again,) = unpacked(packed_distributions([law]))
    assert again.probabilities[0] is number
