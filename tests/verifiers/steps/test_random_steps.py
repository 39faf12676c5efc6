"""Random steps against points: whatever is proved holds at all points that are tried, by another evaluation."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import ctx

from dpverify.mechanisms import InputError
from dpverify.verifiers import Status, Step
from dpverify.verifiers.steps import BrokenStep
from dpverify.verifiers.steps.ranges import Range, above, above_zero, at_least, between, from_to, whole_from
from dpverify.verifiers.steps.terms import Expression, Relation, ceil, exp, log, maximum, parameter, sqrt, term

FALSE = (BrokenStep("a falsehood", says=lambda: term(1) <= 0),)
RANGES = (
    between(0, 1),
    above_zero(),
    above_zero(2),
    from_to(Fraction(1, 2), 3),
    at_least(1),
    whole_from(1),
    Range(-1, 1),
    Range(None, 2),
    at_least(0),
    Range(),
    whole_from(-2, 3),
)
EXPONENTS: tuple[int | Fraction, ...] = (2, 3, -1, -2, Fraction(1, 2), Fraction(3, 2))


def expression(chance: random.Random, names: list[str], depth: int) -> Expression:
    if depth == 0 or chance.random() < 0.15:
        number = term(Fraction(chance.randint(1, 6), chance.randint(1, 3)))
        return parameter(chance.choice(names)) if chance.random() < 0.7 else number
    one = expression(chance, names, depth - 1)
    other = expression(chance, names, depth - 1)
    makers: list[Callable[[], Expression]] = [
        lambda: one + other,
        lambda: one - other,
        lambda: one * other,
        lambda: one / other,
        lambda: one ** chance.choice(EXPONENTS),
        lambda: one ** parameter(names[0]),
        lambda: exp(one),
        lambda: exp(-one),
        lambda: log(one),
        lambda: sqrt(one),
        lambda: maximum(one, other),
        lambda: ceil(one),
        lambda: 1 - one,
    ]
    return chance.choice(makers)()


def random_step(chance: random.Random) -> Step:
    names = ["x", "y"][: chance.choice([1, 2, 2])]
    ranges = {name: chance.choice(RANGES) for name in names}
    if len(names) == 2 and chance.random() < 0.3:
        end = expression(chance, ["x"], 2)
        makers: list[Callable[[Callable[..., Expression]], Range]] = [at_least, above, above_zero]
        ranges["y"] = chance.choice(makers)(lambda x: end)
    says = Relation(expression(chance, names, 3), expression(chance, names, 2), strict=chance.random() < 0.4)
    return Step(id="a.step", parameters=ranges, says=lambda: says, boxes=12, mutants=FALSE)


def points(chance: random.Random, step: Step, many: int) -> list[dict[str, Fraction]]:
    found = []
    for _ in range(many):
        values = {}
        for name, range_ in step.parameters.items():
            low, high = (None, None) if range_.is_dependent else range_.ends
            size = Fraction(10 ** chance.uniform(-4, 2)).limit_denominator(10**6)
            value = low + size if low is not None else high - size if high is not None else size
            value = chance.choice([value, -size if low is None and high is None else value, low or value])
            values[name] = Fraction(round(value)) if range_.is_whole else value
        found.append(values)
    return found


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(n, marks=pytest.mark.deep) for n in range(3, 40))])
def test_what_is_proved_holds_at_points(seed: int) -> None:
    chance = random.Random(seed)
    proved = 0
    for _ in range(30):
        step = random_step(chance)
        try:
            result = step.decide()
        except InputError:
            continue
        if result.verdict is not Status.PROVED:
            continue
        proved += 1
        for values in points(chance, step, 40):
            if step.question.admits(values):
                with ctx.workprec(128):
                    assert step.question.says.certainly(values) is not False, (result.ranges, result.says, values)
    assert proved or seed > 2


@pytest.mark.parametrize(
    "step",
    [
        Step(id="a", parameters={"x": Range(-1, 1)}, says=lambda x: x * exp(-9) <= x, mutants=FALSE),
        Step(
            id="b",
            parameters={"x": whole_from(-2, 3)},
            says=lambda x: x**3 <= Fraction(5, 2) * x * x * x,
            mutants=FALSE,
        ),
        Step(id="c", parameters={"x": above_zero(2)}, says=lambda x: (x - 1) * 2 <= (x - 1) * 3, mutants=FALSE),
    ],
    ids=lambda step: step.id,
)
def test_a_factor_that_may_be_negative_does_not_cancel(step: Step) -> None:
    assert step.decide().verdict is Status.REFUTED


WORSE = [BrokenStep("nothing else", says=lambda: term(1) <= 0)]


@pytest.mark.parametrize(
    ("parameters", "given", "says"),
    [
        (
            {"n": whole_from(1), "m": at_least(lambda n: log(n))},  # noqa: PLW0108  # by its name
            lambda m: m >= Fraction(1, 2),
            lambda n, m: n >= 2,
        ),
        ({"x": Range(0, 1, is_whole=True), "m": at_least(lambda x: 2 * x)}, lambda m: m > 0, lambda x, m: m >= x + 1),
        (
            {"e": Range(0, 9, low_open=True, is_whole=True), "m": at_least(lambda e: log(4 / e))},
            lambda m: m >= 1,
            lambda e, m: e <= 4,
        ),
    ],
    ids=["n = 1, m = 5", "x = 0, m = 1/2", "e = 8, m = 2"],
)
def test_an_end_that_may_be_negative_excludes_nothing(parameters: Any, given: Any, says: Any) -> None:
    found = Step(id="a.step", parameters=parameters, given=[given], says=says, mutants=WORSE).decide()
    assert found.verdict is not Status.PROVED


def test_what_is_not_defined_is_no_witness() -> None:
    """Where ln(x − 1) has a value the step holds."""
    undefined = Step(
        id="a.step",
        parameters={"x": from_to(0, 3)},
        given=[lambda x: log(x - 1) ** 0 <= 1],
        says=lambda x: x >= 1,
        mutants=WORSE,
    )
    assert undefined.decide().verdict is not Status.REFUTED


@pytest.mark.parametrize(
    ("low", "says"),
    [(-2, lambda x: sqrt(x) ** 2 <= -1), (-2, lambda x: log(x) - log(x) <= 0)],
    ids=["the square of a root", "a difference"],
)
def test_what_is_defined_nowhere_is_not_proved(low: int, says: Any) -> None:
    nowhere = Step(id="a.step", parameters={"x": from_to(low, -1)}, says=says, mutants=WORSE)
    assert nowhere.decide().verdict is Status.UNDECIDED
