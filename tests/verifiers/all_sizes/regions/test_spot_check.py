"""What is PROVED for all sizes was tried on real databases: on how many, of which sizes, and what is found by that.

Each mechanism here treats unknown numbers otherwise than Python's ints, and not one may be PROVED. Some are refused
before anything is tried; `tried` begins behind all of that, so that what is tried is seen to find them by itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Limits, bernoulli, discrete_laplace, exponential, laplace, log, symbolic, uniform
from dpverify.mechanisms.finer_releases.seen_by_value import Reached
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown, exact
from dpverify.mechanisms.selection import choose_by_stability, exponential_mechanism, laplace_mechanism, max_of_laplaces
from dpverify.verifiers import Claim, Histograms, Scores, Status, check_privacy, replace_one, scores_linf
from dpverify.verifiers.all_sizes import known_guarantees
from dpverify.verifiers.all_sizes.decision import ProvedOnRegions, decided_on_regions
from dpverify.verifiers.all_sizes.known_guarantees import guarantee_of
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.all_sizes.spot_checks import Tried, Trying
from dpverify.verifiers.privacy.result import verdict_on_claim as decide_claim
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question

FEWEST = size_of_sample("databases of every size")

pytestmark = pytest.mark.tries

ROWS = Histograms((0, 1))


def tried(
    mechanism: Callable[..., Any],
    domain: Any = ROWS,
    relation: Any = replace_one,
    *,
    epsilon: Any = "0.1",
    limits: Limits | None = None,
    given: Mapping[str, Any] | None = None,
) -> tuple[Tried, DistributionsOnRegions]:
    """What a mechanism whose regions are PROVED is tried on, whatever would be refused before."""
    endless = as_endless(domain)
    assert endless is not None
    claim = PrivacyGuarantee(exact(epsilon), exact(0))
    limits, given = limits or Limits(), given or {}
    question = Question(mechanism, endless, relation, claim, given, limits)
    laws = DistributionsOnRegions(question, endless)
    found = decided_on_regions(endless.regions(relation), laws, claim)
    assert isinstance(found, ProvedOnRegions), "regions alone do not tell"
    attempt = Trying(question, endless)
    return attempt.by_regions(laws, found.regions), laws


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


def told_beside_a_cut(draw: Any, rows: Any) -> Any:
    """No constant says 333: regions are cut there, and no chart that begins there is tried at 336 by itself."""
    n = rows.count(0)
    middle = 37 * len("nine more")
    shift = 1 if n > middle else 0
    if _is_known(n) and n == middle + 3:
        shift = 100
    return shift + draw(discrete_laplace(100)) > 50


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


@pytest.mark.parametrize(
    "mechanism", [told_at_777, told_of_all_at_5000, told_by_a_global, told_between, told_beyond, told_beside_a_cut]
)
def test_what_no_list_of_operations_sees_is_found_by_trying(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(MechanismError, match=rf"{mechanism.__name__} .* does otherwise on [\d,]+ rows: .* of 0"):
        tried(mechanism)


def test_the_error_names_the_counts() -> None:
    with pytest.raises(MechanismError, match="777 of 0"):
        tried(told_at_777)


def test_the_order_of_rows_is_named_where_that_is_the_cause() -> None:
    with pytest.raises(Undecided, match=r"what is gone through, as sorted\(counts\.items\(\)\)"):
        tried(first_of_many)
    for mechanism in (first_of_four, first_of_six):
        with pytest.raises(
            MechanismError, match=f"{mechanism.__name__} .* depends on the order of the rows of .* of 0"
        ):
            tried(mechanism)


# On what
def most_common(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))


@pytest.mark.parametrize("epsilon", [1, symbolic])
def test_at_least_two_hundred_databases_of_sizes_evenly_in_log(epsilon: Any) -> None:
    found, laws = tried(most_common, Histograms(range(3)), epsilon=epsilon, given={"epsilon": epsilon})
    assert found.databases == len(laws.real.tried) >= FEWEST == 200
    sizes = [sum(numbers) for numbers in laws.real.tried]
    assert max(sizes) >= 10_000
    for low in (10, 100, 1000):
        assert sum(low <= size <= 10 * low for size in sizes) >= 35, f"from {low} on"
    assert sum(0 in numbers for numbers in laws.real.tried) >= 20, "a row that does not occur is a case of its own"
    assert sum(0 not in numbers for numbers in laws.real.tried) >= 100


def nothing(draw: Any, rows: Any, *, of: Any) -> Any:
    return 0


def test_sizes_are_spread_however_many_constants_there_are() -> None:
    found, laws = tried(nothing, given={"of": tuple(range(0, 900, 7))})
    assert found.databases >= 600 + 160
    assert any(sum(numbers) in (10_000, 10_001) for numbers in laws.real.tried)


def best(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def above(draw: Any, scores: Any, *, rows: Any) -> Any:
    return 100 * scores[0] + rows + draw(discrete_laplace(1000)) > 50


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("mechanism", "domain", "relation", "claim"),
    [
        (best, Scores(solutions=2), scores_linf, {"epsilon": 1}),
        (best, ScoreGaps(solutions=2), gaps_linf, {"epsilon": 1}),
        (best, Scores(solutions=2), scores_linf, {"epsilon": symbolic}),
        (above, BoundedGrowth(rows=OrMore(3), solutions=1, growth=1), bounded_growth, {"epsilon": 1}),
        (most_common, Histograms(range(3), sizes=OrMore(15)), replace_one, {"epsilon": log(2)}),
        (exponential_mechanism, Scores(solutions=OrMore(1)), scores_linf, {"epsilon": 1}),
        (exponential_mechanism, Scores(solutions=3), scores_linf, {"epsilon": symbolic}),
        (max_of_laplaces, ScoreGaps(solutions=2), gaps_linf, {"epsilon": 1}),
        (choose_by_stability, Scores(solutions=OrMore(3)), scores_linf, {"epsilon": 1, "delta": Fraction(1, 10)}),
        (laplace_mechanism, Scores(solutions=1), scores_linf, {"epsilon": 1}),
    ],
)
def test_the_scope_says_on_how_many(mechanism: Any, domain: Any, relation: Any, claim: Any) -> None:
    verdict = check_privacy(mechanism, domain, relation, **claim)
    assert verdict.status is Status.PROVED, verdict.reason
    said = verdict.scope.partition("; tried on ")[2].split(" ")
    assert int(said[0].replace(",", "")) >= FEWEST
    assert said[1] == "databases,"
    assert int(said[2]) > 0, "pairs of them"


def told_at_one_epsilon(draw: Any, rows: Any, *, epsilon: Any, of: Any) -> Any:
    is_fraction = _is_known(epsilon)
    if (is_fraction or epsilon.symbol is None) and epsilon == of:
        return 1
    return 0


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 3), Fraction(5, 2), log(2)])
def test_a_symbolic_epsilon_is_tried_at_three_rational_numbers_and_a_logarithm(epsilon: Any) -> None:
    given = {"epsilon": symbolic, "of": epsilon}
    with pytest.raises(MechanismError, match=f"told_at_one_epsilon .* does otherwise on .*, at ε = {epsilon}"):
        tried(told_at_one_epsilon, epsilon=symbolic, given=given)


def test_what_is_tried_is_the_same_each_time() -> None:
    seen = []
    for _ in range(2):
        found, laws = tried(lambda draw, rows: min(rows.count(0), 3) + draw(discrete_laplace(1)), epsilon=1)
        seen.append((found, list(laws.real.tried)))
    assert seen[0] == seen[1]


# By theorem
@pytest.mark.parametrize("mechanism", [exponential_mechanism, max_of_laplaces, choose_by_stability, laplace_mechanism])
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


# Limits
def slow_if_large(draw: Any, rows: Any) -> Any:
    if _is_known(len(rows)) and len(rows) > 100:
        for _ in range(len(rows)):
            draw(uniform((0,)))
    return 0


def kept_by_a_part(draw: Any, rows: Any) -> Any:
    kept = []

    def part(draw: Any, is_large: bool) -> None:
        kept.append(draw(bernoulli(Fraction(1, 2 + is_large))))

    draw(part, rows.count(0) >= 5)
    return kept[-1]


def test_sub_mechanisms_are_inlined_on_some_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing else sees what a sub-mechanism keeps, its law alone says nothing of it, and all of it inlined does."""
    with pytest.raises(MechanismError, match="kept"):
        tried(kept_by_a_part)
    monkeypatch.setattr(Reached, "refuse_changes", lambda _: None)
    with pytest.raises(MechanismError, match="order of the universe with sub-mechanisms inlined"):
        tried(kept_by_a_part)


def noisy_part(draw: Any, n: Any) -> Any:
    return draw(bernoulli(Fraction(1, 2 + (n >= 5))))


def test_what_nests_is_the_same_inlined() -> None:
    found, laws = tried(lambda draw, rows: draw(noisy_part, rows.count(0)) and draw(noisy_part, len(rows)), epsilon=2)
    assert found.databases >= FEWEST
    assert FEWEST // 5 <= laws.real.inlined < found.databases
    assert tried(lambda draw, rows: len(rows) > 5 and draw(bernoulli("1/3")), epsilon=9)[1].real.inlined == 0


@pytest.mark.deep
def test_what_meets_a_limit_is_replaced_and_counted() -> None:
    found, laws = tried(slow_if_large, limits=Limits(draws=100))
    assert found.databases >= FEWEST
    assert found.left_out >= 20
    assert f"({found.left_out:,} others met a limit)" in str(found)
    assert all(sum(numbers) <= 100 for numbers in laws.real.tried)


def slow_unless_tiny(draw: Any, rows: Any) -> Any:
    if _is_known(len(rows)) and len(rows) > 5:
        for _ in range(len(rows)):
            draw(uniform((0,)))
    return 0


def test_fewer_than_two_hundred_is_undecided() -> None:
    with pytest.raises(Undecided, match="to 0 outcomes and a probability of 0 were covered"):
        tried(slow_unless_tiny, limits=Limits(draws=5))


def fails_if_many(draw: Any, rows: Any) -> Any:
    if _is_known(len(rows)) and len(rows) > 2000:
        raise ValueError("too many")
    return 0


def test_a_mechanism_that_fails_on_real_rows_is_an_error_that_names_them() -> None:
    with pytest.raises(MechanismError, match=r"tried on [\d,]+ rows: .* too many"):
        tried(fails_if_many)


# Not of mutants
def test_mutants_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    whole = Trying.by_regions

    def counted(self: Trying, *args: Any) -> Tried:
        calls.append(self)
        return whole(self, *args)

    monkeypatch.setattr(Trying, "by_regions", counted)
    claim = Claim(
        id="most-common",
        mechanism=most_common,
        mutant=most_common,
        domain=Histograms(range(3)),
        epsilon=1,
        source="none",
        statement="none",
    )
    decide_claim(claim, recheck=False)
    assert len(calls) == 1
    decide_claim(claim, most_common)
    assert len(calls) == 1
