"""What looks private on unknown numbers alone is never PROVED for all sizes; what people write stays PROVED."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.adversary.random_programs.naturals import STATISTICS
from tests.adversary.random_programs.traps import TRAPS, Trap
from tests.adversary.tally import Tally

from dpverify.mechanisms import InputError, discrete_laplace, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, add_or_remove_one, check_privacy, replace_one

ALL = {f"{cause}: {name}": trap for cause, traps in TRAPS.items() for name, trap in traps.items()}
BITS = Histograms((0, 1))


@pytest.mark.parametrize("name", ALL)
def test_a_trap_differs_on_two_real_databases(name: str) -> None:
    trap = ALL[name]
    left, right = sorted(trap.left), sorted(trap.right)
    changed = [i for i in (0, 1) if left.count(i) > right.count(i)]
    assert sum(abs(left.count(i) - right.count(i)) for i in (0, 1)) <= 2 and len(changed) <= 1
    outcomes = trap.of_rows(trap.left), trap.of_rows(trap.right)
    assert outcomes[0] != outcomes[1]


@pytest.mark.parametrize("name", ALL)
def test_a_trap_is_never_proved_for_all_sizes(name: str, tally: Tally) -> None:
    of_rows = ALL[name].of_rows

    def mechanism(draw: Any, rows: Any) -> Any:
        return of_rows(rows)

    verdict = _status(mechanism, ALL[name])
    tally.counts[f"traps: {verdict}"] += 1
    assert verdict != "PROVED"


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith(("a side effect", "identity"))])
def test_a_trap_in_an_attribute_is_never_proved_either(name: str, tally: Tally) -> None:
    """Where it takes a look at code to see it, that is found by more than its name."""
    trap = ALL[name]

    def mechanism(draw: Any, rows: Any) -> Any:
        return trap.of_rows(rows)

    verdict = _status(mechanism, trap)
    tally.counts[f"traps in an attribute: {verdict}"] += 1
    assert verdict != "PROVED"


def _status(mechanism: Callable[..., Any], trap: Trap) -> str:
    relation = replace_one if len(trap.left) == len(trap.right) else add_or_remove_one
    try:
        return check_privacy(mechanism, BITS, relation, epsilon="0.1").status.name
    except InputError:
        return "refused"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("noise", [laplace, discrete_laplace], ids=["laplace", "discrete"])
def test_what_people_write_is_proved_for_all_sizes(noise: Any, name: str, tally: Tally) -> None:
    of_rows, sensitivity = STATISTICS[name]

    def mechanism(draw: Any, rows: Any) -> Any:
        scale = 4 * sensitivity
        value = of_rows(rows)
        return value + draw(laplace(scale)) if noise is laplace else value + draw(discrete_laplace(scale)) >= 3

    verdict = check_privacy(mechanism, BITS, add_or_remove_one if name in GROWING else replace_one, epsilon="0.25")
    tally.counts[f"natural functions: {verdict.status.name}"] += 1
    assert verdict.status is Status.PROVED, verdict.reason


GROWING = ("length", "of both", "a counter's values")
"""Those that say something of how many rows there are, which does not change where one is replaced."""


def test_the_tables_are_as_large_as_they_are_said_to_be() -> None:
    assert len(ALL) >= 60
    assert len(STATISTICS) >= 40
    assert {cause: len(traps) >= 6 for cause, traps in TRAPS.items()} == dict.fromkeys(TRAPS, True)
