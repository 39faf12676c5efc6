"""Draws that are returned at once: which are, that they have the law of the program as it is written, and which are not.

The oracle is the enumeration of the program as it is written, one run for each outcome.
"""

import ast
import functools
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

import pytest
from tests.adversary.tally import deep
from tests.examples import in_one
from tests.mechanisms.drawing.laws_as_written import (
    are_the_same,
    as_written,
    differs_as_written,
    made_of_text,
    runs_and_law,
)

from dpverify.mechanisms import Distribution, Draw, bernoulli, exponential, laplace, uniform
from dpverify.mechanisms.language.compiled_code import tree_that_runs
from dpverify.mechanisms.patterns import last_draws as last_draws_module
from dpverify.mechanisms.patterns.last_draws import draws_last_alone, last_draws
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution

Rows = tuple[int, ...]


# --- What is read
def plain(draw: Draw, rows: Rows) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(3)}, 1))


def of_a_mechanism(draw: Draw, rows: Rows) -> Any:
    return draw(to_be_drawn_from, rows, most=4)


def to_be_drawn_from(draw: Draw, rows: Rows, *, most: int) -> Any:
    return draw(uniform(range(most)))


def one_of_two(draw: Draw, rows: Rows) -> Any:
    return draw(uniform(range(3))) if len(rows) > 2 else draw(bernoulli("0.5"))


def after_a_coin(draw: Draw, rows: Rows) -> Any:
    if draw(bernoulli("0.25")):
        return draw(Distribution({None: 1, (1, (2,)): 3}))
    return draw(Distribution({None: 5, "none": 1}))


def in_a_loop(draw: Draw, rows: Rows) -> Any:
    for row in rows:
        if draw(bernoulli("0.75")):
            return draw(uniform(range(row + 2)))
    return None


def seen_from_within(draw: Draw, rows: Rows) -> Any:
    def never() -> Any:
        return draw

    return draw(uniform(range(2 if never is None else 5)))


def of_one_more_argument(draw: Draw, rows: Rows, more: int) -> Any:
    return draw(uniform(range(more)))


@dataclass(frozen=True)
class Methods:
    most: int

    def drawn(self, draw: Draw, rows: Rows) -> Any:
        return draw(uniform(range(4)))


in_one_line = lambda draw, rows: draw(uniform(range(4)))  # noqa: E731

READ: Final = {
    plain: 1,
    of_a_mechanism: 2,
    one_of_two: 1,
    after_a_coin: 2,
    in_a_loop: 4,
    seen_from_within: 1,
    partial(partial(of_one_more_argument), more=4): 1,
    Methods(4).drawn: 1,
    in_one_line: 1,
}


@in_one("mechanism", READ)
def test_a_draw_that_is_returned_is_run_once(mechanism: Any) -> None:
    runs, law = runs_and_law(mechanism)
    runs_as_written, expected = as_written(mechanism)
    assert runs == READ[mechanism] < runs_as_written
    assert same_distribution(law, expected)


# --- What is not
def through_a_builtin(draw: Draw, rows: Rows) -> Any:
    return next(filter(lambda found: found is not None, map(draw, [Distribution({None: 1, 1: 1}), uniform([2, 3])])))


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def doubled(*args: Any) -> Any:
        return 2 * function(*args)

    return doubled


@decorated
def changed_by_a_decorator(draw: Draw, rows: Rows) -> Any:
    return draw(uniform(range(3)))


class Doubled:
    def __call__(self, draw: Draw, rows: Rows) -> Any:
        return 2 * to_be_drawn_from(draw, rows, most=3)


def last_word(draw: Draw, rows: Rows) -> Any:
    try:
        return draw(uniform(range(3)))
    finally:
        if rows:
            return 5  # noqa: B012


def has_a_handler(draw: Draw, rows: Rows) -> Any:
    try:
        return draw(uniform(range(3)))
    except ValueError:
        return 5


def bound_anew(draw: Draw, rows: Rows) -> Any:
    chosen: Any = partial(filter, lambda found: found is None)
    return chosen(map(chosen := draw, [Distribution({None: 1, 1: 1})])).__next__()


def bound_anew_before_it_is_called(draw: Draw, rows: Rows) -> Any:
    chosen: Any = partial(functools.reduce, lambda _, found: found if found is not None else 7)
    return chosen(map(chosen := draw, [Distribution({None: 1, 1: 1})]), 0)


def calls_itself(draw: Draw, rows: Rows) -> Any:
    if not rows:
        return draw(uniform(range(2)))
    return calls_itself(draw, rows[1:]) or 5


NOT_READ: Final = (
    through_a_builtin,
    lambda draw, rows: max(map(draw, [Distribution({0: 1, "1": 1})]), key=lambda found: type(found) is str),
    changed_by_a_decorator,
    Doubled(),
    last_word,
    has_a_handler,
    bound_anew,
    bound_anew_before_it_is_called,
    calls_itself,
    lambda draw, rows: draw(Distribution({any: 1}))(map(draw, [Distribution({None: 1, 1: 1})])),
    lambda draw, rows, function=any: function(map(draw, [Distribution({None: 1, 1: 1})])),
    lambda draw, rows: draw.each(lambda draw, row: bernoulli(Fraction(1, row + 2)), rows),
    lambda draw, rows: draw(laplace(1)),
    lambda draw, rows: draw(uniform([frozenset(), frozenset({1})])),
)


@in_one("mechanism", NOT_READ)
def test_what_is_done_with_an_outcome_is_done(mechanism: Any) -> None:
    found = runs_and_law(mechanism)
    expected = as_written(mechanism)
    assert are_the_same(found[1], expected[1])


# --- All that is drawn is returned
def handed_first(law: Any, draw: Draw, rows: Rows) -> Any:
    draw(bernoulli("0.5"))
    return law(1)


def seen_by_its_name(draw: Draw, rows: Rows) -> Any:
    vars()["draw"](bernoulli("0.5"))
    return draw(uniform(range(3)))


def drawn_twice(draw: Draw, rows: Rows) -> Any:
    coin = draw(bernoulli("0.5"))
    return draw(uniform(range(2 + coin)))


def drawn_within(draw: Draw, rows: Rows) -> Any:
    coins = [draw(bernoulli("0.5")) for _ in rows]
    return draw(uniform(range(2 + sum(coins))))


def of_draws_of_another(draw: Draw, rows: Rows) -> Any:
    return draw(drawn_twice, rows)


@pytest.mark.parametrize(
    ("mechanism", "alone"),
    [
        (plain, True),
        (partial(plain), True),
        (of_a_mechanism, True),
        (of_draws_of_another, True),
        (partial(of_one_more_argument, more=4), True),
        (one_of_two, False),
        (in_a_loop, False),
        (seen_from_within, False),
        (Methods(4).drawn, False),
        (partial(handed_first, range), False),
        (seen_by_its_name, False),
        (drawn_twice, False),
        (drawn_within, False),
    ],
)
def test_what_names_its_draw_once_draws_what_it_returns(mechanism: Any, alone: bool) -> None:
    """Of the others the frame is looked at for each draw."""
    assert draws_last_alone(mechanism, tree_that_runs) is alone


@in_one("mechanism", (drawn_twice, drawn_within, of_draws_of_another, partial(handed_first, range)))
def test_what_draws_before_has_the_law_that_is_written(mechanism: Any) -> None:
    found = runs_and_law(mechanism)
    expected = as_written(mechanism)
    assert are_the_same(found[1], expected[1])


# --- Random programs
COINS: Final = ("bernoulli('0.25')", "bernoulli(Fraction(1, 3))")
LAWS: Final = (
    "uniform(range(len(rows)))",
    "Distribution({None: 1, 0: 2, 'a': 3})",
    "Distribution({x: rows.count(x) + 1 for x in range(3)})",
    "uniform([(0, 1), (1, (0,))])",
    "uniform([1, 2] if rows[0] else [0, 1, 2])",
    "uniform([frozenset([1]), 1])",
    "exponential([rows.count(x) for x in (0, 1)], 1)",
    "part, rows",
    "part, rows, most=2",
    "laplace(1)",
    "discrete, rows",
)
BEFORE: Final = (
    "pass",
    "coin = draw({coin})",
    "if draw({coin}): return draw({law})",
    "for row in rows:\n        if draw({coin}): return draw({law})",
    "if draw({coin}):\n        rows = (1, 1, 0, 0)",
    "seen = lambda: (draw, rows)",
    "if draw(laplace(2)) > 1: return draw({law})",
    "while draw({coin}) and len(rows) < 5: rows = (*rows, 1)",
    "with suppress(ValueError):\n        if draw({coin}): return draw({law})",
)
LAST: Final = (
    "return draw({law})",
    "return draw(\n        {law}\n    )",
    "return draw({law}) if draw({coin}) else draw({other})",
    "return draw({law}) if rows[0] else 3",
    "found = draw({law})\n    return found",
    "found = draw({law})\n    return found if found is not None else 7",
    "return draw({law}) or 5",
    "return draw({law}) is None",
    "return (draw({law}),)",
    "return [draw({law})][0]",
    "return (found := draw({law}))",
    "return (lambda: draw({law}))()",
    "return (lambda found: type(found) is int)(draw({law}))",
    "return next(filter(lambda found: found is not None, map(draw, [{one}, {one}])), 9)",
    "return next(map(draw, [{one}]))",
    "return max(map(draw, [{one}]), key=lambda found: found is None)",
    "return tuple(map(draw, [{one}]))",
    "return reduce(lambda left, right: right if right is not None else left, map(draw, [{one}]), 9)",
    "return partial(draw)({law})",
    "draw = partial(draw)\n    return draw({law})",
    "def inner():\n        return draw({law})\n    return inner() is None",
    "def inner():\n        return draw({law})\n    return inner()",
    "try:\n        return draw({law})\n    finally:\n        pass",
    "try:\n        return draw({law})\n    finally:\n        return 3",
    "try:\n        return draw({law})\n    except TypeError:\n        return 3",
    "with suppress(TypeError):\n        return draw({law})",
    "with Replacing():\n        return draw({law})",
    "yield draw({law})",
    "return (yield draw({law}))",
    "return draw.each(part, rows)",
    "return {{None: 0}}.get(draw({law}), 1)",
    "return draw(draw(chosen, rows))",
    "match draw({law}):\n        case None: return draw({other})\n        case found: return found",
)


def part(draw: Draw, rows: Rows, *, most: int = 3) -> Any:
    return draw(uniform(range(most))) if rows[0] else None


def discrete(draw: Draw, rows: Rows) -> Any:
    return draw(Distribution({x: Fraction(1, x + 1) for x in range(4)}))


def chosen(draw: Draw, rows: Rows) -> Any:
    return draw(uniform([part_of_one, part_of_two]))


def part_of_one(draw: Draw) -> Any:
    return draw(uniform([1]))


def part_of_two(draw: Draw) -> Any:
    return draw(uniform([1, 2]))


class Replacing:
    """A context that swallows what is raised in it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> bool:
        return True


def program(source: random.Random) -> str:
    """The text of a mechanism."""
    lines = [*source.choices(BEFORE, k=source.randrange(3)), source.choice(LAST)]
    finite = [law for law in LAWS if not law.startswith(("part", "discrete", "laplace"))]

    def filled(line: str) -> str:
        return line.format(
            law=source.choice(LAWS), other=source.choice(LAWS), one=source.choice(finite), coin=source.choice(COINS)
        )

    return "def mechanism(draw, rows):\n" + "".join(f"    {filled(line)}\n" for line in lines)


def compiled(text: str) -> Any:
    """The mechanism of a text."""
    return made_of_text(text, globals() | {"reduce": functools.reduce, "suppress": __import__("contextlib").suppress})


def differing(text: str) -> bool:
    """True where a program has another law than as it is written."""
    return differs_as_written(compiled(text), [(0, 1), (1, 0, 1)])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("batch", range(4))
def test_random_programs_have_the_law_that_is_written(batch: int) -> None:
    source = random.Random(f"tails {batch}")
    count = 150 if deep() else 50
    texts = [program(source) for _ in range(count)]
    assert [text for text in texts if differing(text)] == []
    read = sum(bool(last_draws(compiled(text), tree_that_runs).names) for text in texts)
    assert count / 8 < read < count * 7 / 8


def test_a_guard_that_is_not_looked_at_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism: Any = has_a_handler
    tree = tree_that_runs(mechanism)
    assert tree is not None
    every = [each for each in ast.walk(tree) if isinstance(each, ast.Return)]
    monkeypatch.setattr(last_draws_module, "_returns", lambda body: every)
    monkeypatch.setattr(last_draws_module, "_KNOWN", {})
    assert differs_as_written(mechanism, [(0, 1, 1)]) or last_draws(mechanism, tree_that_runs).names
    monkeypatch.undo()
    assert not last_draws(mechanism, tree_that_runs).names
