"""The table of what functions of this library guarantee: of whom it speaks, and that the page shows it."""

import functools
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, exponential, geometric, laplace
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.selection import exponential_mechanism, max_of_laplaces
from dpverify.mechanisms.selection.of_rows import number_of_rows
from dpverify.mechanisms.selection.stability import choose_by_stability_discrete, choose_by_stability_extended_abstract
from dpverify.reports.record import Status
from dpverify.verifiers import Scores, check_privacy, replace_one, scores_linf
from dpverify.verifiers.all_sizes.compositions import EveryDatabase
from dpverify.verifiers.all_sizes.compositions.known import known_rule
from dpverify.verifiers.all_sizes.compositions.selections import selected_guarantee
from dpverify.verifiers.all_sizes.known_guarantees import GUARANTEES, SCORES, SUBSTITUTED, guarantee_of, known_bound
from dpverify.verifiers.problems.questions import OrMore

ROOT = Path(__file__).parents[3]
EVERY = Scores(solutions=OrMore(2))


@functools.wraps(exponential_mechanism)
def wrapped(draw: Draw, quality: Any, **given: Any) -> Any:
    """It says that it wraps the mechanism, and returns the best score."""
    return max(quality)


def with_its_attributes(draw: Draw, quality: Any, *, epsilon: Any, sensitivity: Any = 1) -> Any:
    return max(quality)


for name in ("__name__", "__qualname__", "__module__", "__doc__", "__dict__", "__defaults__", "__kwdefaults__"):
    setattr(with_its_attributes, name, getattr(exponential_mechanism, name))


class Same:
    """It is equal to the mechanism, has its hash, and says that it is of its class."""

    __class__ = FunctionType  # type: ignore[assignment]
    __code__ = exponential_mechanism.__code__

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(exponential_mechanism)

    def __call__(self, draw: Draw, quality: Any, **given: Any) -> Any:
        return max(quality)


class Partial(functools.partial[Any]):
    """A subclass, which calls something else."""

    def __call__(self, draw: Draw, quality: Any, **given: Any) -> Any:
        return max(quality)


OTHERS: tuple[Callable[..., Any], ...] = (
    wrapped,
    with_its_attributes,
    functools.update_wrapper(Same(), exponential_mechanism),
    Partial(exponential_mechanism),
    functools.partial(exponential_mechanism, epsilon=5),
    functools.partial(exponential_mechanism),
    functools.cache(exponential_mechanism),
    FunctionType(exponential_mechanism.__code__, {}, "exponential_mechanism"),
)


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: type(other).__name__)
def test_nothing_but_the_function_itself_has_its_guarantee(other: Callable[..., Any]) -> None:
    assert guarantee_of(other) is None
    assert known_rule(other) is None
    with pytest.raises(Undecided, match="it is not known how private"):
        selected_guarantee(other, {"epsilon": 1}, is_whole=True)
    try:
        verdict = check_privacy(other, EVERY, scores_linf, epsilon=1, parameters={"epsilon": 1})
    except InputError:
        return
    assert verdict.status is not Status.PROVED


def test_a_function_whose_code_defaults_or_globals_were_changed_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def best(draw: Draw, quality: Any, *, epsilon: Any, sensitivity: Any = 1) -> Any:
        return quality.index(max(quality))

    assert guarantee_of(exponential_mechanism) is not None
    with monkeypatch.context() as patch:
        patch.setattr(exponential_mechanism, "__code__", best.__code__)
        assert guarantee_of(exponential_mechanism) is None
        verdict = check_privacy(exponential_mechanism, EVERY, scores_linf, epsilon=1, parameters={"epsilon": 1})
        assert verdict.status is not Status.PROVED
    with monkeypatch.context() as patch:
        patch.setattr(max_of_laplaces, "__kwdefaults__", {"noise": geometric})
        assert guarantee_of(max_of_laplaces) is None
    with monkeypatch.context() as patch:
        patch.setitem(generic_learner.__globals__, "exponential", lambda quality, _: exponential(quality, 100))
        assert guarantee_of(generic_learner) is None
    assert guarantee_of(exponential_mechanism) is not None
    assert guarantee_of(generic_learner) is not None


def counted(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(number_of_rows, rows)


def counted_by_another(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return draw(another_number, rows)


@functools.wraps(number_of_rows)
def another_number(draw: Draw, rows: Any) -> int:
    return int(rows[0])


def test_a_composition_is_told_nothing_of_what_wraps_a_sub_mechanism() -> None:
    rows = EveryDatabase((0, 1))
    assert check_privacy(counted, rows, replace_one, epsilon=0).status is Status.PROVED
    assert check_privacy(counted_by_another, rows, replace_one, epsilon=0).status is Status.UNDECIDED


def test_whole_noise_is_for_whole_scores_and_a_scope_for_itself() -> None:
    given = {"epsilon": 1, "delta": "1/10"}
    for selection, noise in ((max_of_laplaces, geometric), (choose_by_stability_extended_abstract, discrete_laplace)):
        assert known_bound(selection, {**given, "noise": noise}, SCORES)
        with pytest.raises(Undecided):
            known_bound(selection, {**given, "noise": noise}, SCORES, is_whole=False)
        assert known_bound(selection, {**given, "noise": laplace}, SCORES, is_whole=False)
    with pytest.raises(Undecided):
        known_bound(choose_by_stability_discrete, given, SCORES, is_whole=False)
    with pytest.raises(Undecided):
        known_bound(exponential_mechanism, given, SUBSTITUTED)


def test_the_page_shows_the_table() -> None:
    page = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
    page = page.partition("## What each function guarantees")[2].partition("\n## ")[0]
    rows = [f"| `{row.mechanism.__name__}` | {row.says} | {row.scope} | {row.theorem} |" for row in GUARANTEES]
    shown = [line for line in page.splitlines() if line.startswith("| `")]
    assert shown == rows, "\n".join(rows)
