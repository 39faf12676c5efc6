"""Whoever looks at rows around the parts of a mechanism, or hands them on unseen, is not PROVED."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.learners.points_learner import learn_points
from dpverify.mechanisms.noise.gaussian import gaussian
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import bernoulli
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows, on_each_row, select_by_quality
from dpverify.mechanisms.selection.stability import choose_by_stability, choose_by_stability_journal
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy, replace_one
from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase
from dpverify.verifiers.all_sizes.compositions.paths import SealedDraw
from dpverify.verifiers.all_sizes.compositions.sealed import AnyOutcome, SealedRows
from dpverify.verifiers.auditing.mutation.codes import Loaded
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.verdicts.verdict import Verdict

ROWS = EveryDatabase(range(3))


def is_0(row: int) -> int:
    return int(row == 0)


OF_0 = partial(rows_that_satisfy, query=is_0)


def count(draw: Draw, rows: Any) -> Any:
    """A count with Lap(1): 1-private."""
    return draw(noisy_number, rows, number=OF_0, noise=laplace(1))


def verdict(
    mechanism: Callable[..., Any], epsilon: Any = 1, delta: Any = 0, domain: Any = ROWS, **given: Any
) -> Verdict:
    return check_privacy(mechanism, domain, replace_one, epsilon=epsilon, delta=delta, parameters=given)


def test_a_count_is_as_private_as_its_noise_says() -> None:
    found = verdict(count)
    assert found.status is Status.PROVED
    assert "by its parts, an upper bound: rows_that_satisfy with Laplace noise at ε = 1" in found.scope
    assert verdict(count, epsilon=Fraction(99, 100)).status is Status.UNDECIDED


@dataclass(frozen=True)
class Holder:
    value: Any


class Anything:
    def __init__(self, value: Any) -> None:
        self.value = value


def twice_seen(draw: Draw, rows: Any) -> Any:
    return draw.release(count(draw, rows), then=lambda number: (number, rows))


def in_what_a_predicate_keeps(draw: Draw, rows: Any) -> Any:
    kept: list[int] = []

    def predicate(row: int) -> int:
        kept.append(row)
        return 0

    draw(noisy_number, rows, number=partial(rows_that_satisfy, query=predicate), noise=laplace(1))
    return tuple(kept)


def by_rows_that_see_each_other(draw: Draw, rows: Any) -> Any:
    seen: list[int] = []

    def so_far(row: int) -> tuple[int, ...]:
        seen.append(row)
        return tuple(seen)

    return draw(on_each_row, rows, row=so_far, mechanism=last_is_0)


def last_is_0(draw: Draw, rows: Any) -> Any:
    return draw(noisy_number, rows, number=partial(rows_that_satisfy, query=ends_with_0), noise=laplace(1))


def ends_with_0(row: tuple[int, ...]) -> int:
    return int(row[-1] == 0)


NOTHING: tuple[int, ...] = ()

LOOKS: dict[str, Callable[[Draw, Any], Any]] = {
    "length": lambda draw, rows: len(rows),
    "loop": lambda draw, rows: [row for row in rows],  # noqa: C416
    "text": lambda draw, rows: f"{rows}",
    "attribute": lambda draw, rows: rows.count(0),
    "itself": lambda draw, rows: rows,
    "in a tuple": lambda draw, rows: (1, (rows,)),
    "filter": lambda draw, rows: draw(count, tuple(row for row in rows if row)),
    "a use of draw": lambda draw, rows: getattr(draw, "call"),  # noqa: B009
    "released, and compared": lambda draw, rows: draw.release(3, then=str) == 3,
    "a part, and compared": lambda draw, rows: draw.each(lambda draw, x: x, (0, 1))[0] == 0,
}


@in_one("name", LOOKS)
def test_rows_are_not_looked_at(name: str) -> None:
    assert verdict(LOOKS[name], epsilon=100).status is Status.UNDECIDED


@in_one("mechanism", [lambda draw, rows: lambda: rows, lambda draw, rows: sum([], rows), twice_seen])
def test_rows_do_not_leave_by_what_holds_them(mechanism: Callable[..., Any]) -> None:
    assert verdict(mechanism, epsilon=100).status is Status.UNDECIDED


@pytest.mark.parametrize("mechanism", [in_what_a_predicate_keeps, by_rows_that_see_each_other])
def test_functions_that_parts_are_given_keep_nothing(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="changed"):
        verdict(mechanism, epsilon=100)


class OwnCall(partial[Any]):
    def __call__(self, draw: Draw, rows: Any) -> Any:
        return len(rows)


@dataclass(frozen=True, eq=False)
class NoNoise:
    tail_scale: Fraction = Fraction(1)

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __call__(self, draw: Draw) -> int:
        return 0


WAYS_PAST_THE_SEAL: list[Callable[[Draw, Any], Any]] = [
    lambda draw, rows: draw(OwnCall(noisy_number, number=OF_0, noise=laplace(1)), rows),
    lambda draw, rows: draw(noisy_number, rows, number=OF_0, noise=NoNoise()),
    lambda draw, rows: 0 if isinstance(draw, SealedDraw) else rows,
]


@in_one("mechanism", WAYS_PAST_THE_SEAL)
def test_what_no_sealed_value_is_asked_is_not_proved(mechanism: Callable[..., Any]) -> None:
    assert verdict(mechanism, epsilon=0, domain=EveryDatabase("ab")).status is Status.UNDECIDED


def catching(draw: Draw, rows: Any) -> Any:
    try:
        return len(rows)
    except ArithmeticError:
        return 0


def test_who_catches_the_error_is_not_proved() -> None:
    assert verdict(catching, epsilon=100).status is Status.UNDECIDED


RUNS: list[int] = []


def keeps_runs(draw: Draw, rows: Any) -> Any:
    RUNS.append(0)
    return count(draw, rows)


def test_state_between_paths_is_refused() -> None:
    assert verdict(keeps_runs).status is Status.UNDECIDED
    assert not RUNS


# What parts add up to
def twice(draw: Draw, rows: Any) -> Any:
    return count(draw, rows), draw(count, rows)


def on_one_path(draw: Draw, rows: Any) -> Any:
    first = count(draw, rows)
    return count(draw, rows) if first < 3 else first


def by_a_coin(draw: Draw, rows: Any, *, other: Any) -> Any:
    return draw(other, rows) if draw(bernoulli(Fraction(1, 1000))) else 0


def endless(draw: Draw, rows: Any) -> Any:
    while draw(noisy_number, rows, number=OF_0, noise=laplace(1)) < 10:
        pass
    return 0


@pytest.mark.parametrize("mechanism", [twice, on_one_path])
def test_parts_add_up_on_the_worst_path(mechanism: Callable[..., Any]) -> None:
    assert verdict(mechanism, epsilon=2).status is Status.PROVED
    found = verdict(mechanism, epsilon=Fraction(199, 100))
    assert found.status is Status.UNDECIDED
    assert "(ε, δ) = (2, 0)" in found.reason


def test_a_rare_path_counts() -> None:
    assert verdict(partial(by_a_coin, other=twice), epsilon=1).status is Status.UNDECIDED
    assert verdict(partial(by_a_coin, other=count), epsilon=1).status is Status.PROVED


def test_a_loop_that_parts_end_is_undecided() -> None:
    found = verdict(endless, epsilon=10**6)
    assert found.status is Status.UNDECIDED
    assert "loop" in found.reason


# What is known of some arguments alone
SAMPLES = EveryDatabase([(x, y) for x in range(2) for y in (0, 1)])


def printed_at_times(draw: Draw, rows: Any, *, epsilon: Any, delta: Any) -> Any:
    """The corrected A_dist, but where a coin says so, which is private, the printed one, which is not."""
    selection = choose_by_stability_journal if draw(bernoulli(Fraction(1, 9))) else choose_by_stability
    return draw(learn_points, rows, d=1, epsilon=epsilon, delta=delta, selection=selection)


def at_twice_epsilon(draw: Draw, rows: Any, *, epsilon: Any, delta: Any) -> Any:
    return draw(learn_points, rows, d=1, epsilon=2 * epsilon, delta=delta)


def test_a_part_is_known_of_each_argument_that_it_is_given() -> None:
    assert verdict(learn_points, 1, Fraction(1, 10), SAMPLES, d=1).status is Status.PROVED
    assert verdict(printed_at_times, 1, Fraction(1, 10), SAMPLES).status is Status.UNDECIDED
    assert verdict(learn_points, Fraction(1, 2), Fraction(1, 10), SAMPLES, d=1).status is Status.PROVED
    assert verdict(at_twice_epsilon, 1, Fraction(1, 10), SAMPLES).status is Status.UNDECIDED


def with_gaussian_noise(draw: Draw, rows: Any) -> Any:
    return draw(noisy_number, rows, number=OF_0, noise=gaussian(1))


def with_a_number_of_its_own(draw: Draw, rows: Any) -> Any:
    return draw(noisy_number, rows, number=lambda rows: 7 * rows.count(0), noise=laplace(1))


def with_an_unknown_quality(draw: Draw, rows: Any) -> Any:
    return draw(select_by_quality, rows, quality=max, selection=exponential_mechanism, epsilon=1)


@pytest.mark.parametrize("mechanism", [with_gaussian_noise, with_a_number_of_its_own, with_an_unknown_quality])
def test_what_is_not_known_is_undecided(mechanism: Callable[..., Any]) -> None:
    assert verdict(mechanism, epsilon=100).status is Status.UNDECIDED


def test_the_number_of_rows_is_the_same_of_neighbours() -> None:
    assert verdict(lambda draw, rows: draw(number_of_rows, rows), epsilon=0).status is Status.PROVED


@in_one("asked", [int, hash, str, bool, range])
def test_a_released_number_may_be_any(asked: Callable[[Any], Any]) -> None:
    found = verdict(lambda draw, rows: asked(draw(number_of_rows, rows)), epsilon=100)
    assert found.status is Status.UNDECIDED


@in_one(
    "use",
    (
        lambda draw, n: draw(laplace(n)),
        lambda draw, n: draw(exponential_mechanism, (0, 1), epsilon=n),
        lambda draw, n: (1, 2)[n],
        lambda draw, n: [1 for _ in range(n)],
        lambda draw, n: {n: 1},
    ),
)
def test_what_follows_must_not_run_on_a_released_number(use: Callable[[Draw, Any], Any]) -> None:
    """As a scale, ε, index, loop count or key: with the line, and no word of how a class is called here."""

    try:
        said = verdict(lambda draw, rows: use(draw, draw(count, rows))).reason
    except InputError as error:
        said = str(error)
    assert "may be seen outside of sub-mechanisms" in said or "what follows must not" in said
    assert "test_sealed_rows.py, line" in said
    assert "AnyReleased" not in said


def test_a_sealed_domain_says_what_it_is() -> None:
    domain = EveryDatabase(range(3), sizes=OrMore(2))
    assert repr(domain) == "EveryDatabase(range(0, 3), sizes=OrMore(2))"
    assert domain.everything == "databases of rows from range(0, 3), of at least 2 rows and in every order"
    assert domain.instead == "Tuples(range(0, 3), sizes=range(…))"
    with pytest.raises(InputError, match="no end"):
        iter(domain)
    for wrong in ({"sizes": 3}, {"sizes": OrMore(0)}):
        with pytest.raises(InputError):
            EveryDatabase(range(3), **wrong)
    with pytest.raises(InputError, match="twice"):
        EveryDatabase((1, 1))
    with pytest.raises(InputError, match="replace_one"):
        check_privacy(count, ROWS, lambda database, domain: (), epsilon=1)


# Parts of one's own
def noisy_of(draw: Draw, rows: Any, *, row: int, epsilon: Any) -> Any:
    return rows.count(row) + draw(laplace(1 / epsilon))


def too_little_noise(draw: Draw, rows: Any, *, row: int, epsilon: Any) -> Any:
    return rows.count(row) + draw(laplace(1 / (2 * epsilon)))


def two_of(draw: Draw, rows: Any, *, part: Any, epsilon: Any) -> Any:
    return tuple(draw(part, rows, row=row, epsilon=epsilon / 2) for row in (0, 1))


def none_or_more(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return None if draw(bernoulli(Fraction(1, 2))) else 7


def a_function(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return is_0


def more_if_it_is_none(draw: Draw, rows: Any) -> Any:
    return draw(noisy_of, rows, row=0, epsilon=5) if draw(none_or_more, rows, epsilon=1) is None else 0


def more_if_it_is_called(draw: Draw, rows: Any) -> Any:
    return draw(noisy_of, rows, row=0, epsilon=5) if callable(draw(a_function, rows, epsilon=1)) else 0


def more_if_a_name_is_none(draw: Draw, rows: Any) -> Any:
    found = draw(none_or_more, rows, epsilon=1)
    match found:
        case None:
            return draw(noisy_of, rows, row=0, epsilon=5)
    return 0


def more_if_it_is_a_text(draw: Draw, rows: Any) -> Any:
    found = draw(none_or_more, rows, epsilon=1)
    return draw(noisy_of, rows, row=0, epsilon=5) if type(found) is str else 0


def looks_at_what_comes(draw: Draw, rows: Any, *, part: Any, epsilon: Any) -> Any:
    return draw(part, rows, row=0, epsilon=epsilon) > 0


def test_a_part_of_ones_own_is_decided_by_itself() -> None:
    domain = EveryDatabase(range(2), parts=(noisy_of, too_little_noise))
    found = verdict(two_of, 1, 0, domain, part=noisy_of)
    assert found.status is Status.PROVED
    assert "noisy_of at ε = 1/2, δ = 0 (PROVED on Histograms((0, 1), sizes=OrMore(1)))" in found.scope
    refused = verdict(two_of, 1, 0, domain, part=too_little_noise)
    assert refused.status is Status.UNDECIDED
    assert "too_little_noise is REFUTED" in refused.reason
    looked = verdict(looks_at_what_comes, 1, 0, domain, part=noisy_of)
    assert looked.status is Status.UNDECIDED
    assert "what a sub-mechanism of yours has released" in looked.reason
    for more in (more_if_it_is_none, more_if_a_name_is_none):
        found = verdict(more, 1, 0, EveryDatabase(range(2), parts=(noisy_of, none_or_more)))
        assert found.status is Status.UNDECIDED
        assert "may need (ε, δ) = (6, 0)" in found.reason
        assert verdict(more, 6, 0, EveryDatabase(range(2), parts=(noisy_of, none_or_more))).status is Status.PROVED
    found = verdict(more_if_it_is_a_text, 6, 0, EveryDatabase(range(2), parts=(noisy_of, none_or_more)))
    assert found.status is Status.UNDECIDED
    assert "type(…) was asked of what stands for" in found.reason
    called = verdict(more_if_it_is_called, 6, 0, EveryDatabase(range(2), parts=(noisy_of, a_function)))
    assert called.status is Status.UNDECIDED
    assert "a_function may return" in called.reason
    assert verdict(two_of, 1, 0, EveryDatabase(range(2)), part=noisy_of).status is Status.UNDECIDED
    assert repr(domain) == "EveryDatabase(range(0, 2), parts=(noisy_of, too_little_noise,))"
    with pytest.raises(InputError, match="parts holds 1, which is not a function"):
        EveryDatabase(range(2), parts=(1,))  # type: ignore[arg-type]


class HoldsNoRows:
    def take_note(self, error: Exception) -> None:
        raise AssertionError(error)

    def either(self) -> bool:
        raise AssertionError


def test_who_looks_at_all_objects_is_not_refused() -> None:
    """As mutants do, of objects that remember: a sealed one does not tell its kind, and is passed over."""

    rows = SealedRows(HoldsNoRows())
    with pytest.raises(Undecided, match="has released, were asked for their type"):
        _ = type(rows).__mro__
    notes.refused = None
    outcome = AnyOutcome(HoldsNoRows())
    assert Loaded.now()
    del outcome
    assert notes.refused is None
