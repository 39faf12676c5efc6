"""What looks private on unknown numbers alone is never PROVED for all sizes; what people write stays PROVED."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from tests.adversary.random_programs.naturals import STATISTICS
from tests.adversary.random_programs.traps import ORDER_TRAPS, ORDERED, TRAPS, Trap
from tests.adversary.tally import Tally
from tests.examples import in_one

from dpverify.mechanisms import InputError, discrete_laplace, laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Verdict, add_or_remove_one, check_privacy, replace_one
from dpverify.verifiers.all_sizes.regions import distributions

ALL = {f"{cause}: {name}": trap for cause, traps in TRAPS.items() for name, trap in traps.items()}
BITS = Histograms((0, 1))


@in_one("name", ALL)
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


@pytest.mark.parametrize("name", ORDER_TRAPS)
def test_the_order_of_the_keys_of_a_counter_is_never_proved_not_to_matter(name: str, tally: Tally) -> None:
    of_rows = ORDER_TRAPS[name]
    assert of_rows(ORDERED) != of_rows((*ORDERED[:-1], 3))

    def mechanism(draw: Any, rows: Any) -> Any:
        return of_rows(rows)

    if name == "elements":  # which takes as many of each as a number says that has to be known
        with pytest.raises(InputError, match="was used where Python needs a plain number"):
            check_privacy(mechanism, Histograms(range(6)), replace_one, epsilon="0.1")
        return
    verdict = check_privacy(mechanism, Histograms(range(6)), replace_one, epsilon="0.1")
    tally.counts[f"traps of order: {verdict.status.name}"] += 1
    assert verdict.status is Status.UNDECIDED
    assert any(
        words in verdict.reason
        for words in ("is gone through", "was gone through", "the method dict.items", "outside the language")
    )


def tallied_by_parity(counts: Counter[int]) -> int:
    found: dict[int, int] = {}
    for row, often in counts.items():
        found[row % 2] = found.get(row % 2, 0) + often
    return found.get(1, 0)


IN_ANY_ORDER: dict[str, tuple[Callable[[Counter[int]], Any], bool]] = {
    "the sum of values": (lambda counts: sum(counts.values()), False),
    "total": (lambda counts: counts.total(), False),
    "the largest": (lambda counts: max(counts.values(), default=0), False),
    "sorted items": (lambda counts: sum(row * 0 + often for row, often in sorted(counts.items())), False),
    "sorted keys": (lambda counts: sum(counts[row] for row in sorted(counts)), False),
    "a loop over the universe": (lambda counts: sum(counts[row] for row in range(3) if row > 0), False),
    "a loop over items": (tallied_by_parity, True),
    "a comprehension": (lambda counts: {row: 2 * often for row, often in counts.items()}.get(0, 0), True),
    "the most common count": (lambda counts: max((often for _, often in counts.most_common()), default=0), True),
}
"""What is done with a Counter, and whether that goes through one."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", IN_ANY_ORDER)
def test_what_does_not_depend_on_the_order_of_keys_is_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of_counts, goes_through = IN_ANY_ORDER[name]

    def mechanism(draw: Any, rows: Any) -> Any:
        return of_counts(Counter(rows)) + draw(laplace(20))

    def verdict() -> Verdict:
        return check_privacy(mechanism, BITS, replace_one, epsilon=1)

    found = verdict()
    assert found.status is Status.PROVED, found.reason
    monkeypatch.setattr(distributions, "_MOST_ORDERS", 1)  # as there are too many of more rows
    assert verdict().status is (Status.UNDECIDED if goes_through else Status.PROVED)


def _status(mechanism: Callable[..., Any], trap: Trap) -> str:
    relation = replace_one if len(trap.left) == len(trap.right) else add_or_remove_one
    try:
        return check_privacy(mechanism, BITS, relation, epsilon="0.1").status.name
    except InputError:
        return "refused"


@pytest.mark.one_in(16)
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
    assert len(ALL) >= 25
    assert len(STATISTICS) >= 40
    assert len(ORDER_TRAPS) >= 9
    assert {cause: len(traps) >= 4 for cause, traps in TRAPS.items()} == dict.fromkeys(TRAPS, True)
