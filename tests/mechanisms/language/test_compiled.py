"""The compiled form of mechanisms: results, laws, lines, what is refused, and what it is looked up by."""

import inspect
import json
import os
import random
import subprocess
import sys
import traceback
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

import pytest
from tests.mechanisms.language import attacks, programs

from dpverify.mechanisms import Distribution, Limits, bernoulli, distribution, exp, run
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.language.compiled import CompiledForm, chance_of, compiled, form_of
from dpverify.mechanisms.language.reader import read
from dpverify.mechanisms.language.stand_ins import Memory
from dpverify.mechanisms.language.values_from_outside import Copies, NotCompiled, OutsideLanguage
from dpverify.mechanisms.numbers.errors import MechanismError
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbolic

ROWS = ("a", "b", "a")


def form(mechanism: Callable[..., Any]) -> CompiledForm:
    """The compiled form of a mechanism, made anew."""
    return CompiledForm(read(mechanism))


@pytest.mark.parametrize("mechanism", programs.PROGRAMS)
def test_a_program_is_inside(mechanism: Callable[..., Any]) -> None:
    assert read(mechanism).outside == ()


@pytest.mark.parametrize("mechanism", programs.PROGRAMS)
def test_a_program_returns_what_it_does_as_it_is_written(mechanism: Callable[..., Any]) -> None:
    made = form(mechanism)
    for answer in (0, 1):

        def draw(source: Any, *args: Any, answer: int = answer) -> Any:
            return source(draw, *args) if callable(source) else answer if source is programs.HALF else 0

        def each(function: Any, items: Any, draw: Any = draw) -> Any:
            return tuple(function(draw, item) for item in items)

        draw.each = each  # type: ignore[attr-defined]
        if mechanism is not programs.compared:
            result = made.users(made.mechanism(draw, ROWS))
            plain = mechanism(draw, ROWS)
            assert result == plain
            assert repr(type(result)) == repr(type(plain))


@pytest.mark.parametrize("mechanism", programs.PROGRAMS)
def test_a_program_has_the_law_that_it_has_as_it_is_written(mechanism: Callable[..., Any]) -> None:
    plain = PlainEnumerator(Limits()).distribution(mechanism, (ROWS,), {})
    assert distribution(mechanism, ROWS).probabilities == plain.probabilities


def test_functions_that_need_no_guard_stay_the_same() -> None:
    assert compiled(programs.plain) is programs.plain
    assert compiled(programs.chosen) is programs.chosen
    guarded = compiled(programs.helpers)
    assert guarded is not programs.helpers
    assert guarded.__globals__["filled"] is not programs.filled


def test_a_compiled_function_has_the_names_and_lines_of_its_source() -> None:
    guarded = compiled(programs.closures)
    code, own = guarded.__code__, programs.closures.__code__
    assert code is own  # what it changes, it made
    guarded = form(programs.deleted).mechanism
    code, own = guarded.__code__, programs.deleted.__code__
    assert code is not own
    for name in ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_argcount"):
        assert getattr(code, name) == getattr(own, name)
    assert {line for *_, line in code.co_lines()} == {line for *_, line in own.co_lines()}
    assert inspect.getsource(guarded) == inspect.getsource(programs.deleted)


def test_a_nested_function_keeps_its_qualified_name() -> None:
    def outer(draw: Any, rows: Any) -> Any:
        def inner(values: Any) -> Any:
            values.append(1)
            return values

        return inner

    made = form(outer).mechanism(None, ())
    assert made.__qualname__ == outer(None, ()).__qualname__
    assert made.__code__.co_qualname == outer(None, ()).__code__.co_qualname


@pytest.mark.parametrize("mechanism", attacks.REFUSED, ids=lambda each: each.__name__)
def test_what_passes_the_reader_and_tells_is_refused_with_its_line(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(OutsideLanguage) as caught:
        form(mechanism).mechanism(None, ("a", "b"))
    frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if "attacks" in frame.filename]
    assert frames
    with pytest.raises(MechanismError, match=rf"language/attacks.py, line {frames[-1].lineno}\)"):
        distribution(mechanism, ("a", "b"))


SHOWING = """
import json
from dpverify.mechanisms import distribution
from tests.mechanisms.language import attacks, programs
shown = {}
for place, each in enumerate((*attacks.HARMLESS, *programs.PROGRAMS, programs.gone_through)):
    shown[f"{place} {each.__name__}"] = repr(sorted(map(repr, distribution(each, ("a", "b", "a")).probabilities.items())))
print(json.dumps(shown))
"""


def test_harmless_programs_have_one_law_under_three_hash_seeds() -> None:
    shown = []
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", SHOWING],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        )
        shown.append(json.loads(done.stdout))
    assert len(shown[0]) == len({*attacks.HARMLESS, *programs.PROGRAMS}) + 1
    for name in shown[0]:
        if name.split()[1] not in ("sets", "dict_views"):  # which return frozensets, whose text has no order
            assert shown[0][name] == shown[1][name] == shown[2][name], name


# --- What is refused when it runs

KEPT: list[Any] = [[0]]
NAMED: dict[str, Any] = {"x": 1}


class Open:
    shared: ClassVar[list[int]] = []
    of_class: ClassVar[dict[str, list[int]]] = {"x": [1]}

    def __init__(self) -> None:
        self.value = 0


OPEN = Open()


def changed(values: Any) -> Any:
    values.append(1)


def stored(values: Any, key: Any) -> Any:
    values[key] = 1


def in_a_loop(values: Any, rows: Any) -> Any:
    for row in rows:
        values[0] += row


def attribute_in_a_loop(box: Any, rows: Any) -> Any:
    for row in rows:
        box.value += row


def deleted(values: Any) -> Any:
    del values[0]


def sliced(values: Any) -> Any:
    values[:] = []


def unpacked(values: Any) -> Any:
    _, values[0] = 1, 2


def gone_through(values: Any) -> Any:
    for values[0] in (1, 2):
        pass


def added(values: Any) -> Any:
    values += [1]


def added_within(values: Any, more: Any) -> Any:
    values[0] += more


def of_instances(kind: Any) -> Any:
    kind.value = 1


def one_of(values: Any, rows: Any) -> Any:
    found = [] if not rows else values
    found.append(1)


def mapped(values: Any) -> Any:
    return list(map(values.append, (1, 2)))


REFUSED: dict[str, Callable[..., Any]] = {
    "changed": lambda draw, rows: changed(KEPT),
    "stored": lambda draw, rows: stored(NAMED, "y"),
    "in a loop": lambda draw, rows: in_a_loop(KEPT[0], rows),
    "an attribute in a loop": lambda draw, rows: attribute_in_a_loop(OPEN, rows),
    "deleted": lambda draw, rows: deleted(KEPT),
    "sliced": lambda draw, rows: sliced(KEPT),
    "unpacked": lambda draw, rows: unpacked(KEPT),
    "gone through": lambda draw, rows: gone_through(KEPT),
    "added": lambda draw, rows: added(KEPT),
    "added within": lambda draw, rows: added_within([KEPT], [1]),
    "of a class": lambda draw, rows: of_instances(Open),
    "mapped": lambda draw, rows: mapped(KEPT),
    "within a list": lambda draw, rows: changed(KEPT[0]),
    "of an attribute": lambda draw, rows: changed(Open.shared),
    "of an attribute of an object": lambda draw, rows: changed(OPEN.shared),
    "within a class's dict": lambda draw, rows: changed(Open.of_class["x"]),
    "a default": lambda draw, rows, kept=KEPT: changed(kept),
    "one of two": lambda draw, rows: changed([] if not rows else KEPT),
    "one of two, bound": lambda draw, rows: one_of(KEPT, rows),
    "in a comprehension": lambda draw, rows: [changed(KEPT) for _ in rows],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_of_what_is_outside_is_refused(name: str) -> None:
    mechanism = REFUSED[name]
    before = repr((KEPT, NAMED, Open.shared, Open.of_class, OPEN.value))
    with pytest.raises(OutsideLanguage, match=r"changed .+: .+ \[changes-more\]"):
        form(mechanism).mechanism(None, (1, 2))
    assert repr((KEPT, NAMED, Open.shared, Open.of_class, OPEN.value)) == before
    if read(mechanism).is_inside:
        with pytest.raises(MechanismError, match="changes-more"):
            distribution(mechanism, (1, 2))
        with pytest.raises(MechanismError):
            run(mechanism, (1, 2))


def test_no_mechanism_catches_a_refusal() -> None:
    def catches(draw: Any, rows: Any) -> Any:
        try:
            changed(KEPT)
        except (ValueError, KeyError):
            return 0
        return 1

    with pytest.raises(MechanismError, match="changed a list from outside"):
        distribution(catches, ())


@pytest.mark.parametrize(
    "kept",
    [iter([1]), (x for x in (1, 2)), ValueError("x"), [1].append, {"x": iter([1])}],
    ids=lambda x: type(x).__name__,
)
def test_what_cannot_be_copied_has_no_compiled_form(kept: Any) -> None:

    with pytest.raises(NotCompiled):
        form(lambda draw, rows: kept)


# --- What it is looked up by

LIMIT = 1
TABLE = {"x": [1]}


def limit_and_table(draw: Any, rows: Any) -> Any:
    return put(LIMIT, TABLE["x"])


def put(limit: Any, values: Any) -> Any:
    found = list(values)
    stored(found, 0)
    return limit, len(values)


def test_the_form_is_the_same_until_what_it_names_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = form_of(limit_and_table, {})
    assert first is not None
    assert form_of(limit_and_table, {}) is first
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 2)
    second = form_of(limit_and_table, {})
    assert second is not None
    assert second is not first
    assert second.mechanism(None, ()) == (2, 1)
    monkeypatch.setitem(TABLE, "x", [1, 2])
    assert run(limit_and_table, ()) == (2, 2)
    TABLE["x"].append(3)
    assert run(limit_and_table, ()) == (2, 3)
    monkeypatch.setattr(sys.modules[__name__], "stored", lambda values, key: None)
    third = form_of(limit_and_table, {})
    assert third is not None
    assert third is not second


def test_what_is_returned_is_the_users_own() -> None:
    def mechanism(draw: Any, rows: Any) -> Any:
        changed([])
        return changed, OPEN, {1, 2} if rows else None

    made = form(mechanism)
    function, box, numbers = made.users(made.mechanism(None, (1,)))
    assert function is changed
    assert box is OPEN
    assert type(numbers) is set


def test_a_cache_takes_1_and_true_apart_and_hands_out_what_cannot_be_changed() -> None:
    law = distribution(told_apart, ())
    assert law.probabilities == {("int", "bool"): Fraction(1, 2), ("bool", "int"): Fraction(1, 2)}


@cache
def kind_of(value: Any) -> str:
    return type(value).__name__


def told_apart(draw: Any, rows: Any) -> Any:
    first = (1, True) if draw(bernoulli("1/2")) else (True, 1)
    return kind_of(first[0]), kind_of(first[1])


def test_an_error_of_this_library_is_caught_by_no_handler() -> None:
    def catches(draw: Any, rows: Any) -> Any:
        try:
            return draw(bernoulli(len(rows)))
        except ValueError:
            return 0

    assert read(catches).outside == ()
    with pytest.raises(MechanismError, match="must be between 0 and 1"):
        distribution(catches, (1, 2))


class Same:
    """Objects that only their identities tell apart."""


def test_identities_of_what_is_drawn_are_refused() -> None:
    def sub(draw: Any) -> Any:
        return Same()

    def mechanism(draw: Any, rows: Any) -> Any:
        return draw(sub) == draw(sub)

    assert read(mechanism).outside == ()
    with pytest.raises(MechanismError, match="identity"):
        distribution(mechanism, ())


def test_a_value_that_is_copied_after_a_look_is_looked_at_by_the_next() -> None:
    """What may be changed is kept from one look to the next, until something more is copied."""
    copies = Copies(lambda value: value, {}, (), lambda _: True)
    copies.value([1])
    copies.refuse_changes()
    copies.value([2]).append(3)
    with pytest.raises(OutsideLanguage):
        copies.refuse_changes()


_POWER = lru_cache(partial(pow, 2))
Maker = Callable[..., Any]


def of_a_cached_partial(draw: Any, rows: Any) -> Any:
    return _POWER(len(rows)) + draw(bernoulli("1/2"))


def of_an_annotated_function(draw: Any, rows: Any) -> Any:
    def both(coin: Maker, more: Maker = len) -> Any:
        return more(rows) + 2 + coin(bernoulli("1/2"))

    return both(draw)


@pytest.mark.parametrize("mechanism", [of_a_cached_partial, of_an_annotated_function])
def test_what_programs_of_the_catalogue_hold_is_inside(mechanism: Any) -> None:
    compiled(mechanism)
    law = distribution(mechanism, (7, 7))
    assert law == Distribution({4: Fraction(1, 2), 5: Fraction(1, 2)})
    assert run(mechanism, (7, 7), seed=1) in law.probabilities


def test_a_cache_knows_exact_numbers_and_asks_again_of_unknown_ones() -> None:
    asked: list[Any] = []
    memory = Memory(cache(abs), lambda _: None)
    memory.function = asked.append
    for number in (exp(1), exp(1), exact("1/3"), Fraction(1, 3), symbolic, symbolic):
        memory(number)
    assert list(map(str, asked)) == [*map(str, (exp(1), exact("1/3"), Fraction(1, 3), symbolic, symbolic))]


@cache
def kept(*values: Any, **named: Any) -> Any:
    return len(values), *(each(bernoulli("1/2")) for each in values if callable(each))


def test_a_cache_tells_names_from_places_and_is_given_no_draw() -> None:
    assert distribution(lambda draw, rows: (kept(1, a=2), kept(1, "a", 2)), ()).probabilities == {((1,), (3,)): 1}
    for held in (lambda draw: draw, partial, lambda draw: [draw], lambda draw: (lambda: draw, Same())):
        with pytest.raises(MechanismError, match="keeps, by draw"):
            distribution(lambda draw, rows, held=held: kept(held(draw)) == kept(held(draw)), ())


WEIGHT = 3


def of_many_bits(draw: Any, rows: Any) -> Any:
    """Each bit with its constant: as 2⁴⁰ runs it is past all limits."""
    return sum(WEIGHT * (row ^ draw(bernoulli(1 / 4))) for row in rows)  # type: ignore[arg-type]  # a literal that source has, read as ¼


def test_compiled_code_asks_for_a_distribution_as_its_user_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled function has no source: it stands for the user's own, whose steps are merged."""
    monkeypatch.setattr(PlainEnumerator, "distribution", None)
    asking = form(lambda rows: distribution(of_many_bits, rows)).called
    assert asking((0,) * 40).probability(3) == 40 * Fraction(1, 4) * Fraction(3, 4) ** 39


def test_chance_in_code_outside_is_looked_for_again_where_a_name_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(draw: Any, rows: Any) -> Any:
        return (id(rows) > 0, SOURCE() > 2)

    monkeypatch.setitem(globals(), "SOURCE", lambda: 1)
    assert form_of(held, {}) is None
    assert chance_of(held, {}) is chance_of(held, {}) == ()
    monkeypatch.setitem(globals(), "SOURCE", random.Random(1).random)
    assert chance_of(held, {}) != ()


SOURCE: Callable[[], float] = float


def test_one_form_serves_parameters_that_lead_to_the_same_code() -> None:
    def applied(draw: Any, rows: Any, functions: Any = (), weight: Any = 1) -> Any:
        return [function(rows) for function, _ in functions]

    one = form_of(applied, {"functions": ((len, 1), (max, 2)), "weight": Fraction(1, 3)})
    assert one is form_of(applied, {"functions": ((len, 2), (max, 5)), "weight": Fraction(1, 7)}) is not None
    assert one is not form_of(applied, {"functions": ((len, 1), (min, 2))})
