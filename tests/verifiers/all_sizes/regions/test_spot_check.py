"""What is proved for all sizes is compared with databases: on how many, and what is found by that.

No mechanism here that treats unknown numbers otherwise than Python's ints may be PROVED: most are refused before.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import discrete_laplace, exponential, laplace, log, symbolic
from dpverify.mechanisms.numbers.errors import InputError, MechanismError
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import (
    choose_by_stability,
    choose_by_stability_journal,
    exponential_mechanism,
    max_of_laplaces,
)
from dpverify.verifiers import Histograms, Scores, Status, check_privacy, replace_one, scores_linf
from dpverify.verifiers.all_sizes import known_guarantees
from dpverify.verifiers.all_sizes.known_guarantees import guarantee_of
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps

ROWS = Histograms((0, 1))
COMPARED = r"; output distributions compared with those of ([\d,]+) databases"
ALSO = r"; also decided on ([\d,]+) pairs of neighbours"
EVERY: Any = {"epsilon": symbolic, "delta": symbolic_delta}


# How unknown numbers differ: by cause
def percent(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    share = n / 100
    return share * 100 == n


def kept_in_a_list(draw: Any, rows: Any) -> Any:
    kept: Any = []
    sum(1 for row in rows if row == 0 and (kept.append(row) or True))
    return len(kept) > 30


def overflowing(draw: Any, rows: Any) -> Any:
    return bool((np.array([rows.count(0)]) * 2**58 >= 0)[0])


def as_decimal(draw: Any, rows: Any) -> Any:
    return rows.count(0) == Decimal(60)


def itself_and_nothing(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return n + 0 is n


def first_of_four(draw: Any, rows: Any) -> Any:
    often = Counter(rows)
    return often.most_common(1)[0][0] if len(rows) == 4 and often[0] == 2 else 0


def first_of_six(draw: Any, rows: Any) -> Any:
    often = Counter(rows)
    return next(iter(often)) if len(rows) == 6 and often[0] == 3 else 0


def first_of_many(draw: Any, rows: Any) -> Any:
    often = Counter(rows)
    return next(iter(often)) if often[0] > 300 and often[1] > 300 else 0


def _is_known(number: Any) -> bool:
    """What no list of operations sees."""
    return not (issubclass(type(number), Unknown) or (issubclass(type(number), Exact) and number.symbol is not None))


def told_at_777(draw: Any, rows: Any) -> Any:
    n = rows.count(0)
    return _is_known(n) and n == 777


def told_of_all_at_5000(draw: Any, rows: Any) -> Any:
    n = len(rows)
    return _is_known(n) and n == 5000


LIMIT = 3210


def told_by_a_global(draw: Any, rows: Any) -> Any:
    n = rows.count(1)
    return _is_known(n) and n == LIMIT + 1


def told_between(draw: Any, rows: Any) -> Any:
    a, b = rows.count(0), rows.count(1)
    return _is_known(a) and a - b == 654


def told_beyond(draw: Any, rows: Any) -> Any:
    n = len(rows)
    return _is_known(n) and n >= 7000


_TRAPS = [
    *(percent, kept_in_a_list, overflowing, as_decimal, itself_and_nothing, first_of_four, first_of_six),
    *(first_of_many, told_at_777, told_of_all_at_5000, told_by_a_global, told_between, told_beyond),
]
"""More of them stand in `tests/adversary/random_programs/traps.py`."""


@pytest.mark.parametrize("mechanism", _TRAPS)
def test_no_trap_is_proved(mechanism: Callable[..., Any]) -> None:
    try:
        verdict = check_privacy(mechanism, ROWS, replace_one, epsilon="0.1")
    except InputError:
        return
    assert verdict.status is not Status.PROVED, verdict.scope


def most_common(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))


def best(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def above(draw: Any, scores: Any, *, rows: Any) -> Any:
    return 100 * scores[0] + rows + draw(discrete_laplace(1000)) > 50


@pytest.mark.parametrize(
    ("mechanism", "domain", "relation", "claim", "said"),
    [
        (above, BoundedGrowth(rows=OrMore(3), solutions=1, growth=1), bounded_growth, {"epsilon": 1}, COMPARED),
        (most_common, Histograms(range(3), sizes=OrMore(15)), replace_one, {"epsilon": log(2)}, COMPARED),
        (exponential_mechanism, Scores(solutions=OrMore(1)), scores_linf, {"epsilon": 1}, ALSO),
        (exponential_mechanism, Scores(solutions=3), scores_linf, {"epsilon": symbolic}, ALSO),
        (max_of_laplaces, ScoreGaps(solutions=2), gaps_linf, {"epsilon": 1}, ALSO),
        (choose_by_stability, Scores(solutions=OrMore(3)), scores_linf, {"epsilon": 1, "delta": Fraction(1, 10)}, ALSO),
        (choose_by_stability, Scores(solutions=OrMore(1)), scores_linf, EVERY, ALSO),
    ],
)
def test_the_scope_says_on_how_many(mechanism: Any, domain: Any, relation: Any, claim: Any, said: str) -> None:
    verdict = check_privacy(mechanism, domain, relation, **claim)
    assert verdict.status is Status.PROVED, verdict.reason
    number = re.search(said, verdict.scope)
    assert number is not None and int(number[1].replace(",", "")) > 1, verdict.scope


# By theorem
@pytest.mark.parametrize("mechanism", [exponential_mechanism, max_of_laplaces, choose_by_stability])
def test_a_theorem_that_says_too_much_is_found_out(mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = guarantee_of(mechanism)
    assert row is not None and row.on_scores is not None
    too_much = replace(row.on_scores, holds=lambda _: True, supremum=lambda _: None, pure=lambda _: None)
    monkeypatch.setattr(known_guarantees, "GUARANTEES", (replace(row, on_scores=too_much),))
    delta = Fraction(1, 10) if mechanism is choose_by_stability else 0
    given = {"epsilon": 1, "delta": delta} if mechanism is choose_by_stability else {"epsilon": 1}
    with pytest.raises(MechanismError, match="violates the claim on"):
        check_privacy(
            mechanism, Scores(solutions=2), scores_linf, epsilon=Fraction(1, 2), delta=delta, parameters=given
        )


def test_a_theorem_for_every_delta_that_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    row, corrected = guarantee_of(choose_by_stability_journal), guarantee_of(choose_by_stability)
    assert row is not None and corrected is not None
    wrong = replace(row, for_every_delta=corrected.for_every_delta)
    monkeypatch.setattr(known_guarantees, "GUARANTEES", (wrong,))
    with pytest.raises(MechanismError, match=r"violates the claim on .*, at ε = .* and δ = "):
        check_privacy(choose_by_stability_journal, Scores(solutions=OrMore(1)), scores_linf, **EVERY)
