"""Small deciders that a claim, a program or a page needs, as their heads say: without them that is not decided."""

import sys
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from itertools import combinations_with_replacement
from typing import Any, NoReturn

import pytest

from dpverify.mechanisms import Draw, InputError, discrete_gaussian, exponential, gaussian, laplace
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Scores, Tuples, add_or_remove_one, check_privacy, replace_one, scores_linf
from dpverify.verifiers.verdicts.verdict import Verdict

FEW = [rows for n in (0, 1) for rows in combinations_with_replacement(("here", "there"), n)]
ONE, TWO = (Tuples((0, 1), size=size) for size in (1, 2))


def decided(mechanism: Callable[..., Any], domain: Any, neighbours: Any, epsilon: Any, delta: Any = 0) -> Verdict:
    return check_privacy(mechanism, domain, neighbours, epsilon=epsilon, delta=delta, recheck=False)


def census(scale: int) -> Verdict:
    def levels(draw: Draw, rows: Any) -> Any:
        counts = zip((rows.count("here"), len(rows)), (scale, 2 * scale), strict=True)
        return tuple(n + draw(discrete_gaussian(variance=v)) for n, v in counts)

    return decided(levels, FEW, add_or_remove_one, 1, "1/50")


def two_servers(scale: int) -> Verdict:
    def added(draw: Draw, rows: Any) -> Any:
        return sum(rows) + sum(draw(discrete_gaussian(variance=scale)) for _ in range(2))

    return decided(added, ONE, replace_one, 1, "1/50")


def smoothed_tree(scale: int) -> Verdict:
    def smoothed(draw: Draw, rows: Any) -> Any:
        left, right, both = (node + draw(gaussian(scale)) for node in (*rows, sum(rows)))
        return (2 * left - right + both) / 3, (2 * right - left + both) / 3

    return decided(smoothed, TWO, replace_one, 1, "1/50")


def count_of_any_size(scale: int) -> Verdict:
    def reaches(draw: Draw, rows: Any) -> Any:
        return rows.count(0) + draw(gaussian(scale)) >= 9

    return decided(reaches, Histograms((0, 1)), add_or_remove_one, 1, "1/4")


def product_of_counts(scale: int) -> Verdict:
    def both(draw: Draw, rows: Any) -> Any:
        return rows.count(0) * rows.count(1) + draw(laplace(scale))

    return decided(both, Histograms((0, 1)), add_or_remove_one, Fraction(1, scale))


def choice_of_two(scale: int) -> Verdict:
    def chosen(draw: Draw, scores: Any) -> Any:
        return draw(exponential(dict(enumerate(scores)), scale))

    return decided(chosen, Scores(solutions=2), scores_linf, 1, "0.01")


CASES: dict[str, tuple[str, Callable[[int], Verdict]]] = {
    "mechanisms.path_conditions.certified_sums": ("mass_of_whole", census),
    "mechanisms.path_conditions.added_noise": ("added_noise", two_servers),
    "verifiers.divergence.densities.whole_ratios": ("first_where", two_servers),
    "mechanisms.outputs.uncorrelated": ("uncorrelated", smoothed_tree),
    "mechanisms.noise.far_tails": ("far_probability", count_of_any_size),
    "mechanisms.numbers.positivity.rays": ("signs_along", product_of_counts),
    "mechanisms.numbers.positivity.points": ("candidates", choice_of_two),
}


@pytest.mark.parametrize("module", CASES)
def test_without_it_what_needs_it_is_not_decided(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, program = CASES[module]
    assert program(4).status in (Status.PROVED, Status.REFUTED)
    function = getattr(import_module(f"dpverify.{module}"), name)

    def stub(*_: Any, **__: Any) -> NoReturn:
        raise Undecided("left out")

    for each in [each for each in sys.modules.values() if vars(each).get(name) is function]:
        monkeypatch.setattr(each, name, stub)
    try:
        assert program(5).status is Status.UNDECIDED  # with another scale: what is remembered is of the first
    except InputError:
        return
