"""Independent parts: their laws, what is refused of them, and that sampler, enumerator and inlining agree."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Limits,
    MechanismError,
    Undecided,
    bernoulli,
    discrete_laplace,
    distribution,
    laplace,
    run,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.drawing.caching import expanded
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.errors import LimitMet
from dpverify.mechanisms.outputs import Anything, AtLeast, OneOf
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def told(draw: Draw, bit: int, *, p: Any = THIRD) -> int:
    """The bit, but with probability p the other one."""
    return 1 - bit if draw(bernoulli(p)) else bit


def all_told(draw: Draw, rows: tuple[int, ...], **given: Any) -> tuple[int, ...]:
    """Every bit, apart."""
    return draw.each(told, rows, **given)


def one_by_one(draw: Draw, rows: tuple[int, ...], **given: Any) -> tuple[int, ...]:
    """Every bit, one after the other."""
    return tuple(draw(told, row, **given) for row in rows)


def in_parts(mechanism: Callable[..., Any], database: Any) -> Distribution[Any]:
    """The law as the enumerator has it, nothing put in full."""
    return Enumeration(Limits()).law(mechanism, (database,), {})


# --- Laws
@given(st.lists(st.integers(0, 1), max_size=4))
@settings(max_examples=10)
def test_parts_have_the_law_of_draws_one_after_the_other(rows: list[int]) -> None:
    assert distribution(all_told, tuple(rows), p=Fraction(1, 5)) == distribution(one_by_one, tuple(rows), p="0.2")


def nested(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Parts on their own, in tuples, in a sub-mechanism, and made of parts themselves."""
    first, *others = draw.each(told, rows)
    return "all", (first, (tuple(others),)), draw(all_told, rows), draw.each(all_told, (rows, rows[:1]))


def nested_one_by_one(draw: Draw, rows: tuple[int, ...]) -> Any:
    """`nested` without parts."""
    first, *others = draw(one_by_one, rows)
    return (
        "all",
        (first, (tuple(others),)),
        draw(one_by_one, rows),
        (draw(one_by_one, rows), draw(one_by_one, rows[:1])),
    )


def test_nested_parts() -> None:
    assert distribution(nested, (0, 1)) == distribution(nested_one_by_one, (0, 1))
    law = in_parts(nested, (0, 1))
    assert isinstance(law, ReleasedDistribution) and law.size == 1 and len(law.parts) == 7


def test_many_parts_are_as_many_small_laws() -> None:
    law = distribution(all_told, (0,) * 200)
    assert isinstance(law, ReleasedDistribution)
    assert law.probability((0,) * 200) == Fraction(2, 3) ** 200
    assert law.probability((1, *[Anything()] * 198, OneOf((0, 1)))) == THIRD
    assert law.probability((0,) * 199) == 0 == law.probability((2, *[Anything()] * 199))
    with pytest.raises(InputError, match="too many outcomes of independent parts"):
        law.probabilities  # noqa: B018  # asking for it is what raises


def a_mixture(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Parts, or their plain outcomes, or other parts: one outcome may come from all of them."""
    way = draw(Distribution({"parts": 1, "others": 2, "plain": 3}))
    if way == "plain":
        return rows
    return draw.each(told, rows, p=HALF if way == "parts" else THIRD)


def a_mixture_one_by_one(draw: Draw, rows: tuple[int, ...]) -> Any:
    """`a_mixture` without parts."""
    way = draw(Distribution({"parts": 1, "others": 2, "plain": 3}))
    return rows if way == "plain" else draw(one_by_one, rows, p=HALF if way == "parts" else THIRD)


def test_what_comes_about_in_several_ways_is_added_up() -> None:
    full, parts = distribution(a_mixture_one_by_one, (0, 1)), in_parts(a_mixture, (0, 1))
    assert distribution(a_mixture, (0, 1)) == full
    assert all(parts.probability(outcome) == p for outcome, p in full.probabilities.items())


def through(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A mixture of parts as part of another mechanism, and as an independent part."""
    return draw(a_mixture, rows), draw.each(a_mixture, (rows,))


def through_one_by_one(draw: Draw, rows: tuple[int, ...]) -> Any:
    """`through` without parts."""
    return draw(a_mixture_one_by_one, rows), (draw(a_mixture_one_by_one, rows),)


def test_nested_and_inlined_give_one_law() -> None:
    full = distribution(through_one_by_one, (0, 1))
    assert distribution(through, (0, 1)) == full
    law = Enumeration(Limits()).law(through, ((0, 1),), {})
    inlined = Enumeration(Limits(), inlined=lambda _: True).law(through, ((0, 1),), {})
    assert same_distribution(law, inlined)
    assert all(inlined.probability(outcome) == p for outcome, p in full.probabilities.items())


@pytest.mark.parametrize("bits", [1, 4, 7])
def test_inlined_parts_have_as_many_paths_as_the_product_of_theirs(bits: int) -> None:
    enough = Enumeration(Limits(), inlined=lambda _: True, most=2**bits)
    assert enough.law(all_told, ((0,) * bits,), {}).size == 2**bits == enough.runs
    too_few = Enumeration(Limits(), inlined=lambda _: True, most=2**bits - 1)
    with pytest.raises(LimitMet, match=f"more than {2**bits - 1} paths"):
        too_few.law(all_told, ((0,) * bits,), {})
    assert too_few.runs <= 1  # it is seen on the first path that there are too many


def test_parts_that_choose_several_times_are_inlined_with_just_as_many_paths_as_they_have() -> None:
    enough = Enumeration(Limits(), inlined=lambda _: True, most=81)
    assert same_distribution(enough.law(through, ((0, 1),), {}), distribution(through, (0, 1)))
    assert enough.runs == 81
    with pytest.raises(LimitMet, match="more than 80 paths"):
        Enumeration(Limits(), inlined=lambda _: True, most=80).law(through, ((0, 1),), {})


def test_laws_in_parts_survive_a_journey() -> None:
    law = in_parts(nested, (0, 1))
    again = pickle.loads(pickle.dumps(law))
    assert same_distribution(law, again)
    assert not same_distribution(law, in_parts(nested, (0, 0)))


def test_the_sampler_draws_from_the_law() -> None:
    law = distribution(through, (0, 1))
    found = Counter(run(through, (0, 1), seed=seed) for seed in range(400))
    assert set(found) <= set(law)
    squares = sum(
        (found[outcome] - 400 * float(Fraction(str(p)))) ** 2 / (400 * float(Fraction(str(p))))
        for outcome, p in law.probabilities.items()
    )
    assert squares < 45  # of 15 degrees of freedom; the seeds are fixed


# --- What is refused
def compared(draw: Draw, rows: tuple[int, ...]) -> Any:
    a, b = draw.each(told, rows)
    return a == b


def less(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(told, rows)[0] < 1


def asked(draw: Draw, rows: tuple[int, ...]) -> Any:
    return 1 if draw.each(told, rows)[0] else 0


def added(draw: Draw, rows: tuple[int, ...]) -> Any:
    return sum(draw.each(told, rows))


def hashed(draw: Draw, rows: tuple[int, ...]) -> Any:
    return frozenset(draw.each(told, rows))


def read(draw: Draw, rows: tuple[int, ...]) -> Any:
    return str(draw.each(told, rows)[0])


def formatted(draw: Draw, rows: tuple[int, ...]) -> Any:
    return f"{draw.each(told, rows)[0]:>3}"


def taken_apart(draw: Draw, rows: tuple[int, ...]) -> Any:
    (part,) = draw.each(all_told, (rows,))
    return tuple(part)


def handed_on(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(told, draw.each(told, rows)[0])


def handed_on_apart(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw.each(told, draw.each(told, rows))


def handed_on_in_a_tuple(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(lambda _, parts: parts, draw.each(told, rows))


def returned_twice(draw: Draw, rows: tuple[int, ...]) -> Any:
    part, _ = draw.each(told, rows)
    return part, (part,)


def copied(draw: Draw, rows: tuple[int, ...]) -> Any:
    return copy.copy(draw.each(told, rows)[0])


def indexing(draw: Draw, rows: tuple[int, ...]) -> Any:
    return rows[draw.each(told, rows)[0]]


REFUSED = {
    compared: "compared",
    less: "compared",
    asked: "truth value",
    added: "arithmetic",
    hashed: "hashed",
    read: "turned into text",
    formatted: "turned into text",
    taken_apart: "taken apart",
    handed_on: "handed to a sub-mechanism",
    handed_on_apart: "handed to a sub-mechanism",
    handed_on_in_a_tuple: "drawn in another call",
    returned_twice: "twice",
    copied: "copied",
    indexing: "plain number",
}


def not_inlined(_: Any) -> bool:
    return False


@in_one("mechanism", REFUSED)
def test_a_part_can_only_be_returned(mechanism: Callable[..., Any]) -> None:
    for inlined in (not_inlined, lambda _: True):
        with pytest.raises(MechanismError, match=REFUSED[mechanism]):
            Enumeration(Limits(), inlined=inlined).law(mechanism, ((0, 1),), {})
    with debugging(), pytest.raises(MechanismError, match=REFUSED[mechanism]):
        run(mechanism, (0, 1), seed=1)


# where the error comes after the mechanism has returned, there is nothing to catch
@in_one("mechanism", [m for m in REFUSED if m not in (returned_twice, hashed, handed_on_in_a_tuple)])
def test_who_catches_the_error_is_refused_all_the_same(mechanism: Callable[..., Any]) -> None:
    def catching(draw: Draw, rows: tuple[int, ...]) -> Any:
        try:
            return mechanism(draw, rows)
        except Exception:  # as a careless mechanism does
            return None

    with pytest.raises(MechanismError, match=REFUSED[mechanism]):
        distribution(catching, (0, 1))
    with debugging(), pytest.raises(MechanismError, match=REFUSED[mechanism]):
        run(catching, (0, 1), seed=1)


def test_what_is_no_mechanism_or_no_items() -> None:
    for mechanism, said in (
        (lambda draw, _: draw.each(bernoulli(HALF), (1, 2)), r"Fraction\(1, 2\)\}\), …\) has a wrong argument"),
        (lambda draw, _: draw.each(told, 3), r"is not a list of items"),
        (lambda draw, _: draw.each(told, "01"), r"is not a list of items"),
    ):
        with pytest.raises(MechanismError, match=said):
            distribution(mechanism, 0)
        with debugging(), pytest.raises(MechanismError, match=said):
            run(mechanism, 0, seed=1)


# --- Parts with noise
def cut_noise(draw: Draw, row: int) -> Any:
    """A count with noise, but never below 0: noise on one path, and a plain number on the other."""
    return max(0, row + draw(discrete_laplace(1)))


def many_noises(draw: Draw, rows: tuple[int, ...]) -> Any:
    """Released noise of all kinds, by parts, beside parts without noise, and released noise that is no part."""
    noisy = draw.each(lambda draw, row: row + draw(laplace(1)), rows)
    sums = draw.each(shared_noise, rows)
    return noisy, draw.each(cut_noise, rows), draw.each(told, rows), draw(laplace(2)), sums, draw(discrete_laplace(2))


def many_noises_one_by_one(draw: Draw, rows: tuple[int, ...]) -> Any:
    """`many_noises` without parts: in the order in which the numbers stand."""
    noisy = tuple(row + draw(laplace(1)) for row in rows)
    cut = tuple(cut_noise(draw, row) for row in rows)
    plain = tuple(told(draw, row) for row in rows)
    return (
        noisy,
        cut,
        plain,
        draw(laplace(2)),
        tuple(shared_noise(draw, row) for row in rows),
        draw(discrete_laplace(2)),
    )


def shared_noise(draw: Draw, row: int) -> Any:
    """Three numbers with two noises."""
    first, second = draw(laplace(1)), draw(laplace(3))
    return row + first, (first + 2 * second, 3 * first - second + row)


def test_parts_with_noise_have_the_law_of_noise_in_a_row() -> None:
    for rows in ((0,), (1, 0)):
        found = in_parts(many_noises, rows)
        assert isinstance(found, ReleasedDistribution) and found.has_parts
        assert same_distribution(expanded(found), in_parts(many_noises_one_by_one, rows))
        inlined = Enumeration(Limits(), inlined=lambda _: True).law(many_noises, (rows,), {})
        assert same_distribution(found, inlined)


def tied_in_parts(draw: Draw, rows: tuple[int, ...]) -> Any:
    """A sparse vector with two answers, twice."""
    return draw.each(sparse, rows)


def tied_in_a_row(draw: Draw, rows: tuple[int, ...]) -> Any:
    return tuple(sparse(draw, row) for row in rows)


def sparse(draw: Draw, row: int) -> Any:
    """Two numbers, where they are above one noisy threshold."""
    threshold = draw(laplace(1))
    noisy = [row + draw(laplace(2)), draw(laplace(2))]
    return tuple(x if x >= threshold else None for x in noisy)


def test_parts_with_tied_numbers_have_the_law_of_those_in_a_row() -> None:
    assert same_distribution(expanded(in_parts(tied_in_parts, (0, 1))), in_parts(tied_in_a_row, (0, 1)))


def test_a_law_of_noisy_parts_knows_its_events() -> None:
    law = distribution(lambda draw, rows: draw.each(cut_noise, rows), (0,) * 40)
    at_most_0 = distribution(lambda draw, _: max(0, draw(discrete_laplace(1))), 0).probability(0)
    assert law.probability((0,) * 40) == at_most_0**40
    assert law.probability((AtLeast(1), OneOf((0, 1)), *[Anything()] * 38)) == (1 - at_most_0) * law.probability(
        (OneOf((0, 1)), *[Anything()] * 39)
    )


def test_noise_is_a_part_under_the_sampler_too() -> None:
    draws = [run(many_noises, (0, 1), seed=seed) for seed in range(200)]
    for noisy, cut, plain, alone, sums, whole in draws:
        assert all(type(number) is float for number in (*noisy, alone, sums[0][0], *sums[1][1]))
        assert all(type(number) is int and number >= 0 for number in cut) and set(plain) <= {0, 1}
        assert type(whole) is int
        first, (second, third) = sums[0]
        assert third == pytest.approx(3 * first - (second - first) / 2)
    assert len({noisy[0] for noisy, *_ in draws}) == 200


def test_noise_of_a_part_can_only_be_returned() -> None:
    def looked_at(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw.each(cut_noise, rows)[0] > 0

    def returned_twice(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw.each(lambda draw, row: (noise := draw(discrete_laplace(1)), noise), rows)

    for mechanism, said in ((looked_at, "compared"), (returned_twice, "one noise twice")):
        for inlined in (not_inlined, lambda _: True):
            with pytest.raises(MechanismError, match=said):
                Enumeration(Limits(), inlined=inlined).law(mechanism, ((0, 1),), {})
    with debugging(), pytest.raises(MechanismError, match="compared"):
        run(looked_at, (0, 1), seed=1)
    first, second = run(returned_twice, (0, 1), seed=1)
    assert first[0] == first[1] and second[0] == second[1], "of which the law alone is not known"


def test_a_part_of_another_run_is_refused() -> None:
    kept: list[Any] = []

    def leaking(draw: Draw, rows: tuple[int, ...]) -> Any:
        kept.extend(draw.each(told, rows))
        return 0

    def using(draw: Draw, rows: tuple[int, ...]) -> Any:
        kept.clear()
        return draw(leaking, rows), kept[0], draw.each(told, rows)

    for inlined in (not_inlined, lambda _: True):
        with pytest.raises(MechanismError, match="drawn in another call"):
            Enumeration(Limits(), inlined=inlined).law(using, ((0, 1),), {})
    with debugging(), pytest.raises(MechanismError, match="drawn in another call"):
        run(using, (0, 1), seed=1)


def test_the_limit_of_paths_names_draw_each() -> None:
    def in_a_loop(draw: Draw, rows: tuple[int, ...]) -> Any:
        found = [told(draw, row) for row in rows]
        return tuple(found), found[0]

    with pytest.raises(Undecided, match=r"draw\.each\(mechanism, items\)"):
        distribution(in_a_loop, (0,) * 10, limits=Limits(paths=100))
