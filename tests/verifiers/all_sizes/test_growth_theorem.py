"""Theorem 13 of docs/theorems.md: the choosing mechanism, by fractions alone, against the checker, and wrong claims."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from dpverify.mechanisms import InputError, Limits, Undecided, discrete_laplace, exact, exp, laplace, log, symbolic
from dpverify.mechanisms.numbers.roots.delta_symbol import symbolic_delta
from dpverify.mechanisms.selection import choosing_mechanism
from dpverify.mechanisms.selection.choosing import choosing_with_enough_rows, rows_needed, rows_needed_journal
from dpverify.mechanisms.selection.exponential_mechanism import exponential
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy, scores_linf
from dpverify.verifiers.all_sizes import growth_theorem
from dpverify.verifiers.all_sizes.growth_theorem import THEOREM_13, Chooses
from dpverify.verifiers.all_sizes.known_guarantees import GROWTH, known_bound
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth
from dpverify.verifiers.all_sizes.theorems import known_for_every_delta
from dpverify.verifiers.divergence.every_epsilon.few_rows_sets import FewRowsSet
from dpverify.verifiers.problems.neighbours import bounded_growth
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict

TENTH = Fraction(1, 10)
ANY = OrMore(1)


def decided(mechanism: Any = choosing_mechanism, *, rows: Any = ANY, n: Any = ANY, k: int = 1, **given: Any) -> Verdict:
    domain = BoundedGrowth(rows=rows, solutions=n, growth=k)
    claim = {
        "epsilon": symbolic,
        "delta": symbolic_delta,
        **{x: given.pop(x) for x in ("epsilon", "delta") if x in given},
    }
    return check_privacy(mechanism, domain, bounded_growth, **claim, parameters={"alpha": 1, **given}, recheck=False)


def by_theorem_13(verdict: Verdict) -> Status:
    assert not isinstance(verdict, Proved) or THEOREM_13 in verdict.scope
    return verdict.status


# By fractions alone: ε = 4·ln u, and αm/2 is a whole number t.
def tail(k: int, u: Fraction, *, whole: bool) -> Fraction:
    """Pr[N ≥ k] for a whole k, where N has scale 1/ln u."""
    if whole:
        return u**-k / (1 + 1 / u) if k >= 1 else 1 - u ** (k - 1) / (1 + 1 / u)
    return u**-k / 2 if k >= 0 else 1 - u**k / 2


def law(scores: tuple[int, ...], t: int, u: Fraction, *, whole: bool) -> dict[int, Fraction]:
    good = {f: u**score for f, score in enumerate(scores) if score >= 1}
    passes = tail(t - max(scores), u, whole=whole) if good else Fraction(0)
    return {-1: 1 - passes, **{f: passes * weight / sum(good.values()) for f, weight in good.items()}}


def worst(m: int, n: int, k: int, t: int, u: Fraction, *, whole: bool) -> Fraction:
    """The largest δ at ε over all neighbours, one by one."""
    steps = [step for step in product((0, 1), repeat=n) if sum(step) <= k]
    found = Fraction(0)
    for common in product(range(m), repeat=n):
        if sum(common) <= k * (m - 1):
            laws = [law(tuple(map(sum, zip(common, step, strict=True))), t, u, whole=whole) for step in steps]
            for p, q in product(laws, repeat=2):
                found = max(found, sum((max(Fraction(0), x - u**4 * q.get(f, 0)) for f, x in p.items()), Fraction(0)))
    return found


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("k", "n"), [(1, 1), (1, 2), (2, 2), (2, 3)])
def test_all_neighbours_of_few_rows_keep_the_bound(k: int, n: int, whole: bool) -> None:
    for u, m, t in product((Fraction(11, 10), Fraction(2)), (1, 2, 3), (1, 2)):
        chooses = Chooses(discrete_laplace if whole else laplace, exact(4) * log(u), exact(t), k)
        needed = worst(m, n, k, t, u, whole=whole)
        assert chooses.passes(1) == tail(t - 1, u, whole=whole)
        assert needed <= chooses.supremum <= chooses.bound
        if k == 1:
            assert needed == chooses.bound
        elif n > k and chooses.worst_best() < m:
            assert needed == chooses.supremum


@pytest.mark.parametrize(
    ("epsilon", "delta", "rows", "k"), [(1, TENTH, 15, 1), (1, TENTH, 19, 2), (Fraction(1, 4), TENTH, 54, 1)]
)
def test_one_row_less_is_refuted(epsilon: Any, delta: Fraction, rows: int, k: int) -> None:
    assert by_theorem_13(decided(rows=OrMore(rows), k=k, epsilon=epsilon, delta=delta)) is Status.PROVED
    less = decided(rows=OrMore(rows - 1), k=k, epsilon=epsilon, delta=delta)
    assert isinstance(less, Refuted) and isinstance(less.witness.left, tuple)
    assert sum(less.witness.left) <= k * (rows - 1)


@pytest.mark.parametrize("k", [1, 3])
def test_every_epsilon_at_its_delta(k: int) -> None:
    needed = k * exp(-symbolic * Fraction(3, 4)) / 2  # α = 1 and eight rows
    assert by_theorem_13(decided(rows=OrMore(8), k=k, epsilon=symbolic, delta=needed)) is Status.PROVED
    assert decided(rows=8, k=k, epsilon=symbolic, delta=needed / 2).status is Status.REFUTED
    assert decided(rows=OrMore(7), k=k, epsilon=symbolic, delta=needed * Fraction(2, 3)).status is Status.REFUTED


def every_delta(delta: Any = symbolic_delta, *, growth: int = 1, **given: Any) -> Status:
    parameters = {"alpha": 1, "growth": 1, "delta": symbolic_delta, **given}
    return by_theorem_13(
        check_privacy(
            choosing_with_enough_rows,
            BoundedGrowth(rows=ANY, solutions=ANY, growth=growth),
            bounded_growth,
            epsilon=symbolic,
            delta=delta,
            parameters=parameters,
            recheck=False,
        )
    )


def test_every_delta() -> None:
    assert every_delta(needed=rows_needed) is Status.PROVED
    assert every_delta(2 * symbolic_delta, noise=discrete_laplace) is Status.PROVED


def test_every_delta_is_refuted_with_less() -> None:
    assert every_delta(symbolic_delta * Fraction(9, 10)) is Status.REFUTED  # the constant is the least
    assert every_delta(growth=2) is Status.REFUTED  # the mechanism is told a smaller growth
    assert every_delta(needed=lambda **given: max(1, rows_needed(**given) // 2)) is Status.REFUTED
    assert every_delta(needed=partial(rows_needed_journal, beta=Fraction(1, 2))) is Status.REFUTED  # at a large ε


def half_of_the_noise(draw: Any, quality: Any, *, rows: int, alpha: Any, epsilon: Any, **_: Any) -> Any:
    return choosing_mechanism(draw, quality, rows=rows, alpha=alpha, epsilon=2 * epsilon)


def without_a_test(draw: Any, quality: Any, *, epsilon: Any) -> Any:
    good = {f: score for f, score in enumerate(quality) if score >= 1}
    return draw(exponential(good, epsilon / 2)) if good else None


@pytest.mark.parametrize("broken", [half_of_the_noise, without_a_test])
def test_broken_mechanisms_are_refuted(broken: Any) -> None:
    domain = BoundedGrowth(rows=ANY, solutions=ANY, growth=1)
    parameters = {"alpha": 1, "delta": symbolic_delta} if broken is half_of_the_noise else {}
    found = check_privacy(
        broken, domain, bounded_growth, epsilon=symbolic, delta=symbolic_delta, parameters=parameters, recheck=False
    )
    assert found.status is Status.REFUTED


def test_what_the_theorem_does_not_say_is_left_open() -> None:
    doubled = decided(rows=15, epsilon=1, delta=TENTH, noise=lambda scale: laplace(2 * scale))
    assert doubled.status is Status.UNDECIDED and "Theorem 13" in doubled.reason
    with pytest.raises(InputError, match="alpha=2 must be at most 1"):
        decided(rows=15, epsilon=1, delta=TENTH, alpha=2)


@pytest.mark.deep
def test_with_few_solutions_regions_decide() -> None:
    fewer = decided(rows=OrMore(9), n=2, k=2, epsilon=2, delta=TENTH)
    assert isinstance(fewer, Proved) and THEOREM_13 not in fewer.scope


def test_a_wrong_theorem_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chooses, "bound", property(lambda self: self.passes(1) * self.growth / 2))
    with pytest.raises(InputError, match="violates the claim"):
        decided(rows=OrMore(8), epsilon=symbolic, delta=exp(-symbolic * Fraction(3, 4)) / 4)
    monkeypatch.setattr(growth_theorem, "NEEDED_WITH_ENOUGH_ROWS", ((laplace, Fraction(3, 4)),))
    with pytest.raises(InputError, match="violates the claim"):
        every_delta(symbolic_delta * Fraction(3, 4))


def test_the_number_of_rows_by_hand() -> None:
    given: dict[str, Any] = {"alpha": 1, "epsilon": 1, "delta": TENTH}
    assert rows_needed(growth=1, **given) == 15  # 8·(1/4 + ln 5) = 14.87…
    assert rows_needed(growth=2, **given) == 21  # 8·(1/4 + ln 10) = 20.42…
    assert rows_needed(growth=1, alpha=1, epsilon=100, delta=TENTH) == 3  # 2 + 0.08·ln 5


def test_where_the_printed_rows_are_too_few() -> None:
    found = check_privacy(
        choosing_with_enough_rows,
        BoundedGrowth(rows=ANY, solutions=ANY, growth=1),
        bounded_growth,
        epsilon=symbolic,
        delta=symbolic_delta,
        parameters={
            "alpha": 1,
            "growth": 1,
            "delta": symbolic_delta,
            "needed": partial(rows_needed_journal, beta=Fraction(1, 2)),
        },
        recheck=False,
    )
    assert isinstance(found, Refuted) and isinstance(found.fails_in, FewRowsSet)
    assert (found.witness.epsilon, found.witness.delta) in found.fails_in
    assert str(found.fails_in) in found.reason
    for epsilon, delta, rows in ((13, "0.49", 2), (15, "0.9", 1), (20, "0.038", 3), (65, "4.35e-8", 4)):
        at: dict[str, Any] = {"epsilon": epsilon, "delta": Fraction(delta)}
        assert rows_needed_journal(growth=1, alpha=1, beta=Fraction(1, 2), **at) == rows
        assert (epsilon, Fraction(delta)) in found.fails_in
        assert decided(rows=rows, **at).status is Status.REFUTED
    assert (Fraction("12.8"), Fraction("0.49999")) not in found.fails_in
    drawn = found.fails_in.record
    assert drawn.scale == 16 and all(not column.deltas for column in drawn.columns if float(column.epsilon) < 12.8)
    assert any(column.deltas for column in drawn.columns)


def test_the_table_speaks_of_its_scope_alone() -> None:
    given: dict[str, Any] = {"rows": ANY, "alpha": 1, "growth": 1, "epsilon": symbolic, "delta": symbolic_delta}
    domain, claim = BoundedGrowth(rows=ANY, solutions=ANY, growth=1), PrivacyGuarantee(symbolic, symbolic_delta)
    question = Question(choosing_with_enough_rows, domain, bounded_growth, claim, given, Limits())
    where = AnyGrowth(domain)
    assert known_for_every_delta(question, where) is not None
    assert known_for_every_delta(replace(question, neighbours=scores_linf), where) is None
    printed = {**given, "needed": partial(rows_needed_journal, beta=Fraction(1, 2))}
    assert known_for_every_delta(replace(question, parameters=printed), where) is not None
    assert known_for_every_delta(replace(question, parameters={**printed, "growth": 2}), where) is None
    with pytest.raises(Undecided):
        known_bound(
            choosing_mechanism, {**given, "alpha": exp(-symbolic), "rows": 8, "noise": discrete_laplace}, GROWTH
        )
