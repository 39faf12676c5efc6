"""Messages: values on one line and cut, the user's own line, and what was really misused."""

import ast
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
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
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    exponential,
    laplace,
    log,
    run,
    uniform,
)
from dpverify.mechanisms.functions.places import place_now, place_of, shortened_path
from dpverify.mechanisms.functions.signatures import misfit
from dpverify.mechanisms.numbers.shown import LONGEST_MESSAGE, cut, shown, told
from dpverify.mechanisms.packages import COUNTING, TOPICS
from dpverify.mechanisms.selection import choose_by_stability

HERE = "tests/mechanisms/functions/test_messages.py"


class Raises:
    """What cannot be shown, in several ways."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error


class Unshowable(Exception):
    """An error whose text raises."""

    def __str__(self) -> str:
        raise ValueError


# those of `st.text()`, for which Hypothesis would encode every one of them in a process of its first run
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.one_of(TEXT, st.binary(), st.lists(st.integers()), st.tuples(st.integers(), TEXT)), st.integers(9, 60))
def test_values_are_cut_and_on_one_line(value: object, most: int) -> None:
    text = shown(value, most)
    assert len(text) <= most
    assert len(text.splitlines()) <= 1
    whole = repr(value)
    assert text == whole if len(whole) <= most else text == f"{whole[: most - 1]}…"


@in_one(
    "value",
    [
        lambda: (0,) * 10**6,
        lambda: [1] * 10**6,
        lambda: "x" * 10**6,
        lambda: b"x" * 10**6,
        lambda: 1 << 3 * 10**6,
        lambda: Fraction(1, 10**10**5),
    ],
)
def test_long_values_are_short_in_messages(value: Callable[[], object]) -> None:
    assert len(shown(value())) <= 160


def test_what_cannot_be_shown_is_named() -> None:
    assert shown(Raises(ValueError("x"))) == "<Raises whose repr raises ValueError>"
    assert shown((Raises(SystemExit()), 1)) == "<tuple whose repr raises SystemExit>"
    assert told(Unshowable()) == "<its text raises ValueError>"
    assert told(ValueError("a\nb  c")) == "a b c"
    with pytest.raises(KeyboardInterrupt):
        shown(Raises(KeyboardInterrupt()))
    with pytest.raises(InputError, match="Raises whose repr raises ValueError"):
        distribution(lambda draw, rows: draw(Raises(ValueError(rows))), 0)


@pytest.mark.parametrize("kind", [InputError, MechanismError, Undecided])
def test_messages_are_of_bounded_length(kind: type[Exception]) -> None:
    assert len(str(kind("x" * 10**6))) == LONGEST_MESSAGE
    assert str(kind("short")) == "short"
    assert cut("short") == "short"


@in_one(
    "attempt, words",
    [
        (lambda: exact("1" * 10**6, "epsilon"), "is not a finite number"),
        (lambda: exact("x" * 10**6, "epsilon"), "is not a finite number"),
        (lambda: exact("x(" * 10**6, "epsilon"), "without quotes"),
        (lambda: exact([0] * 10**6, "epsilon"), "is not an exact number"),  # type: ignore[arg-type]
        (lambda: exact("1e" + "9" * 1000, "epsilon"), "the exponent of"),
        (lambda: Limits(paths=-(10**10**4)), "is not a whole number ≥ 1"),
        (lambda: Limits(seconds=10**30), "seconds=1000000000000000000000000000000 is beyond 1,000,000,000:"),
        (lambda: uniform([[1]]), "cannot be hashed"),  # type: ignore[type-var]
        (
            lambda: bernoulli(10**10**4),
            "probability=10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
        ),
        (lambda: Distribution({"x" * 10**6: -1}), "must be at least 0"),
        (lambda: clamp(0, "x" * 10**6, 3), "clamp to 'xxx"),
        (lambda: laplace(-(10**10**4)), "must be at least 0"),
        (lambda: run(lambda draw, rows: 0, 0, seed="x" * 10**6), "is not a whole number"),  # type: ignore[arg-type]
        (lambda: distribution(lambda draw, rows: draw(rows), "x" * 10**6), "draw from a Distribution"),
        (lambda: distribution(lambda draw, rows: int(rows), "x" * 10**6), "raised ValueError"),
    ],
)
def test_bad_values_of_any_length_are_one_short_line(attempt: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        attempt()
    assert len(str(refused.value)) <= 1_000
    assert len(str(refused.value).splitlines()) == 1


def marked(mechanism: Callable[..., Any]) -> int:
    """The line of a mechanism's source that says `# here`."""
    code = getattr(mechanism, "__wrapped__", mechanism).__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, start=1) if i >= code.co_firstlineno and line.endswith("# here"))


def indexes(draw: Draw, rows: Any) -> Any:
    return rows[7]  # here


def weighs_by_noise(draw: Draw, rows: Any) -> Any:
    weights: list[Any] = [draw(laplace(1)), (1, draw(laplace(2)))]
    return draw(exponential(weights, 1))  # here


def catches(draw: Draw, rows: Any) -> Any:
    try:
        return draw(rows)  # here
    except InputError:
        return 0


def returns_a_set(draw: Draw, rows: Any) -> Any:
    return {1}  # here


def calls_the_shipped(draw: Draw, rows: Any) -> Any:
    return draw(choose_by_stability, {0: "many", 1: 0}, epsilon=1, delta="0.1")  # here


@dataclass(frozen=True)
class Divided:
    """A dataclass whose own check fails, in code that is partly generated."""

    by: int

    def __post_init__(self) -> None:
        raise ZeroDivisionError("by 0")  # here


LINES: list[tuple[Callable[..., Any], Callable[..., Any], str]] = [
    (indexes, indexes, "raised IndexError: tuple index out of range"),
    (weighs_by_noise, weighs_by_noise, "noise cannot be hashed"),
    (catches, catches, "draw from a Distribution"),
    (returns_a_set, returns_a_set, "returned a set which cannot be hashed"),
    (lambda draw, rows: draw(indexes, rows), indexes, "indexes on .* raised IndexError"),
    (lambda draw, rows: Divided(0), Divided.__post_init__, "raised ZeroDivisionError: by 0"),
]


@in_one("mechanism, where, words", LINES)
def test_an_error_says_the_line_of_the_users_own_code(
    mechanism: Callable[..., Any], where: Callable[..., Any], words: str
) -> None:
    with pytest.raises(MechanismError, match=f"{words}.* \\({re.escape(HERE)}, line {marked(where)}\\)$"):
        distribution(mechanism, (0, 0))


def test_an_error_of_a_shipped_mechanism_says_its_line_and_that_of_who_drew_from_it() -> None:
    drawn = rf" \(mechanisms/selection/\w+\.py, line \d+\), drawn from in {re.escape(HERE)}, line {marked(calls_the_shipped)}$"
    with pytest.raises(MechanismError, match=drawn):
        distribution(calls_the_shipped, (0, 0))
    with pytest.raises(MechanismError, match=r"^choose_by_stability on .* \(mechanisms/selection/\w+\.py, line \d+\)$"):
        distribution(choose_by_stability, ("many", 1), epsilon=1, delta="0.1")


def test_a_wrapper_a_partial_and_an_object_have_lines() -> None:
    class Object:
        def __call__(self, draw: Draw, rows: Any) -> Any:
            return rows[7]

    @wraps(indexes)
    def wrapped(*args: Any) -> Any:
        return indexes(*args)

    for mechanism in (Object(), wrapped, partial(indexes), Object().__call__):
        with pytest.raises(MechanismError, match=rf"IndexError.*\({re.escape(HERE)}, line \d+\)$"):
            distribution(mechanism, (0, 0))


def test_paths_are_of_no_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    far = tmp_path / "a" / "b" / "c.py"
    assert shortened_path(str(far), ours=False) == str(Path("b") / "c.py")
    monkeypatch.chdir(tmp_path)
    assert shortened_path(str(far), ours=False) == str(Path("a") / "b" / "c.py")
    assert shortened_path(str(far), ours=True) == str(Path("b") / "c.py")
    assert shortened_path("<stdin>", ours=False) == "<stdin>"


def test_places_without_a_users_frame() -> None:
    assert place_of(ValueError()) is None
    assert place_now(None) is None
    assert place_of(ValueError(), len) is None
    found = place_of(ValueError(), choose_by_stability)
    assert found is not None
    assert found.ours


def test_a_coroutine_is_closed_and_refused() -> None:
    async def waits(draw: Draw, rows: Any) -> Any:
        return rows

    async def yields(draw: Draw, rows: Any) -> Any:
        yield rows

    for mechanism in (waits, yields, lambda draw, rows: draw(waits, rows)):  # a warning would be an error
        with pytest.raises(MechanismError, match="a generator or a coroutine"):
            distribution(mechanism, 0)


@in_one(
    "mechanism, words",
    [
        (lambda rows, draw: 0, "takes rows before draw"),
        (lambda rows: 0, "does not take draw"),
        (lambda: 0, "does not take draw"),
        (lambda draw: 0, "does not take a database"),
        (lambda draw, *, epsilon: 0, "does not take a database"),
        (lambda rows, epsilon: 0, "does not take draw"),
        (lambda draw, epsilon: 0, "does not take a database"),
        (lambda draw, rows: 0, None),
        (lambda d, rows: 0, None),
        (lambda draw, rows, k: 0, None),
        (lambda draw, *args: 0, None),
        (lambda *args, **named: 0, None),
        (partial(lambda k, draw, rows: 0, 1), None),
        (partial(lambda draw, rows, k: 0, k=1), None),
        (max, None),
        (random.Random, None),
    ],
)
def test_signatures_are_looked_at(mechanism: Callable[..., Any], words: str | None) -> None:
    found = misfit(mechanism)
    if words is None and mechanism is not random.Random:
        assert found is None
    elif words is not None:
        assert found is not None
        assert words in found


def test_arguments_in_the_wrong_order_are_explained_where_they_fail() -> None:
    with pytest.raises(MechanismError, match=r"TypeError: .*takes rows before draw: write \(draw, rows, …\)"):
        distribution(lambda rows, draw: sum(rows), (0, 1))


def test_noise_in_a_message_is_not_a_use_of_its_text() -> None:
    """The error that is told is that of the misuse, whatever the message shows, and text stays refused."""

    @dataclass(frozen=True)
    class Holding:
        value: Any

    for hold in (lambda noise: noise, lambda noise: (noise,), lambda noise: [noise], Holding):

        def mechanism(draw: Draw, rows: Any, hold: Any = hold) -> Any:
            return draw(hold(draw(discrete_laplace(1))))

        with pytest.raises(MechanismError, match=r"draw from (a Distribution, )?a noise or a mechanism"):
            distribution(mechanism, 0)

    with pytest.raises(MechanismError, match="turned into text"):
        distribution(lambda draw, rows: str(draw(discrete_laplace(1))) == "0", 0)


def test_names_of_mechanisms_are_never_their_repr() -> None:
    class Object:
        def __repr__(self) -> str:
            return "secret"

        def __call__(self, draw: Draw, rows: Any) -> Any:
            raise ValueError

    with pytest.raises(MechanismError) as refused:
        distribution(Object(), 0)
    assert "Object on 0 raised ValueError" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_no_message_of_this_library_shows_a_value_by_its_bare_repr() -> None:
    """All values in errors go through `shown`; but of the papers' algorithms the code is a part of what is asked."""
    folder = Path(__file__).parents[3]
    left_out = {folder / "mechanisms" / room for room in (COUNTING, *TOPICS)} | {folder / "verifiers" / "catalogue"}
    raised = 0
    for path in (path for room in ("mechanisms", "verifiers", "reports") for path in (folder / room).rglob("*.py")):
        if not left_out.isdisjoint(path.parents):
            continue
        text = path.read_text(encoding="utf-8")
        raised += len(re.findall(r"\braise \w+\(\s*(f\"|\w+\.[A-Z_]+,)", text))
        if not re.search(r"![rsa][}:]|=\s*[}:!]", text):
            continue  # no value in it is converted
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Raise) and node.exc is not None:
                values = [part for part in ast.walk(node.exc) if isinstance(part, ast.FormattedValue)]
                assert all(value.conversion == -1 for value in values), f"{path}, line {node.lineno}"
    assert raised > 200


def test_a_tower_of_exponentials_is_undecided_and_not_an_overflow() -> None:
    with pytest.raises(Undecided):
        log(exp(exp(exp(exp(9)))))
