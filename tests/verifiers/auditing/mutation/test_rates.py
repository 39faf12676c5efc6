"""The kill rate: of the mutants that are refuted anywhere, looked for where a claim does not look itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from tests.verifiers.auditing.mutation.breakable import BIT, HALF, Rows, as_quiet, noisy_sum, quiet, weak

from dpverify.mechanisms import Draw, discrete_laplace
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Claim, Scores, ScoreSpace, Tuples, scores_linf
from dpverify.verifiers.auditing.mutation import mutating
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, mutate
from dpverify.verifiers.auditing.mutation.record import Figures, MutationRecord
from dpverify.verifiers.auditing.mutation.subjects import MutantKey, Subject, are_kin
from dpverify.verifiers.auditing.mutation.table import mutant_lines
from dpverify.verifiers.claims import Depth, How
from dpverify.verifiers.profiles.least_share import LeastShare

FEW = ScoreSpace(range(2), solutions=2)
LOOSE = Claim(id="loose", mechanism=quiet, domain=BIT, epsilon=1)
ALL = MutantPlan(limit=1_000, seconds=2, jobs=2)


def fates_of(record: MutationRecord, name: str) -> dict[str, str]:
    (claim,) = (claim for claim in record.claims if claim.id == name)
    return {f"{mutant.operator}: {mutant.after}": mutant.outcome.fate for mutant in claim.mutants}


def counted(record: MutationRecord) -> int:
    figures = record.figures
    return figures.refuted_anywhere + figures.survived + figures.harmless + figures.unreached + figures.invalid


SAMPLED = mutating._sampled


def only(words: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
    """Let those alone be tried in which one of some words stands: each has a process of its own."""

    def looked_at(subject: Subject, plan: MutantPlan) -> Iterator[MutantKey]:
        return (key for key in SAMPLED(subject, plan) if any(word in subject.mutations[key].after for word in words))

    patch.setattr(mutating, "_sampled", looked_at)


LESS_OR_NONE = ("draw(discrete_laplace(1))", "noiseless(")
LESS = "off by one: return sum(rows) + draw(discrete_laplace(1))"


def test_a_rate_is_of_what_is_refuted_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A survivor that a stronger domain refutes is in the denominator, and was in no number before."""
    only(LESS_OR_NONE, monkeypatch)
    alone, looked_for = mutate([LOOSE], ALL), mutate([weak], ALL)
    assert fates_of(alone, "loose")[LESS] == "survived"
    assert fates_of(looked_for, "weak")[LESS] == "missed"
    assert alone.figures.rate == 1
    assert looked_for.figures.refuted_anywhere == alone.figures.refuted_anywhere + 1
    assert looked_for.figures.rate == Fraction(alone.figures.refuted_anywhere, looked_for.figures.refuted_anywhere)
    assert counted(alone) == len(alone.claims[0].mutants)


@pytest.mark.deep
def test_what_own_claims_that_were_not_asked_for_refute_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are tried where the plan says so, up to its depth, and those of other mechanisms are not."""
    only(LESS_OR_NONE, monkeypatch)
    sharper = Claim(id="sharper", mechanism=quiet, domain=BIT, epsilon=HALF, depth="report")
    elsewhere = Claim(id="elsewhere", mechanism=as_quiet, domain=BIT, epsilon=HALF)
    cases: list[tuple[Depth | None, list[Claim], str]] = [
        (None, [sharper], "survived"),
        ("quick", [sharper], "survived"),
        ("report", [elsewhere], "survived"),
        ("report", [elsewhere, sharper], "missed"),
    ]
    for depth, others, fate in cases:
        record = mutate([LOOSE], replace(ALL, beyond=depth), others=others)
        assert fates_of(record, "loose")[LESS] == fate
    (missed,) = (each for each in record.claims[0].mutants if each.outcome.fate == "missed")
    assert missed.outcome.reason == "sharper, of depth report, is refuted of it"
    assert record.figures.refuted_anywhere == record.figures.killed_by_own + 1


@pytest.mark.deep
def test_a_mutant_of_several_claims_counts_once_and_as_killed_where_an_own_claim_kills_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(LESS_OR_NONE, monkeypatch)
    sharp = Claim(id="sharp-one", mechanism=quiet, domain=BIT, epsilon=HALF)
    both = mutate([LOOSE, sharp], ALL)
    one = mutate([sharp], ALL)
    assert both.figures == one.figures
    assert fates_of(both, "loose")[LESS] == "killed by another"


def fewest(draw: Draw, rows: Rows, *, epsilon: Fraction) -> Any:
    """Some of it is for rows above 5, of which there are none."""
    total = 0
    for row in rows:
        if row > 5:
            total += 3
            total += 4
    return total + draw(discrete_laplace(1 / epsilon)) + sum(rows)


@pytest.mark.deep
def test_the_sample_is_not_spent_on_what_is_unreached(monkeypatch: pytest.MonkeyPatch) -> None:
    unreached, reached = (
        ("total += ", "(1 * epsilon)"),
        ("9/10", "11/10", "(0 / epsilon)", "(2 / epsilon)", "noiseless("),
    )
    only((*unreached, *reached), monkeypatch)
    claim = Claim(id="fewest", mechanism=fewest, domain=BIT, epsilon=1)
    everything = mutate([claim], ALL)
    assert everything.figures.unreached > 4
    record = mutate([claim], MutantPlan(limit=4, jobs=2))
    assert record.figures.unreached > 0
    assert len(record.claims[0].mutants) - record.figures.unreached == 4
    reaching = replace(claim, id="reaching", domain=Tuples((0, 6), size=1), epsilon=30, parameters={"epsilon": 1})
    assert mutate([reaching], ALL).figures.unreached < everything.figures.unreached


def test_harmless_is_what_is_proved_for_all_sizes_and_killed_what_is_refuted_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Theorems know `exponential_mechanism` by being that function: of a mutant, which still is, they say nothing."""
    claim = Claim(id="few", mechanism=exponential_mechanism, domain=FEW, neighbours=scores_linf, epsilon=1)
    everywhere = replace(claim, all_sizes=Scores(solutions=2))
    more = "a tenth off: return exponential(quality, (epsilon * 11/10), sensitivity=sensitivity)"
    less = "a tenth off: return exponential(quality, (epsilon * 9/10), sensitivity=sensitivity)"
    only(("quality, (epsilon *",), monkeypatch)
    alone, of_all = fates_of(mutate([claim], ALL), "few"), fates_of(mutate([everywhere], ALL), "few")
    assert (alone[more], alone[less]) == ("survived", "survived")
    assert (of_all[more], of_all[less]) == ("killed", "harmless")


@pytest.mark.deep
def test_databases_of_all_sizes_are_decided_at_their_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(id="few", mechanism=exponential_mechanism, domain=FEW, neighbours=scores_linf, epsilon=1)
    left = replace(claim, all_sizes=Scores(solutions=2), all_sizes_depth="full")
    more = "a tenth off: return exponential(quality, (epsilon * 11/10), sensitivity=sensitivity)"
    only(("quality, (epsilon * 11/10)",), monkeypatch)
    assert fates_of(mutate([left], ALL), "few")[more] == "survived"
    assert fates_of(mutate([left], replace(ALL, depth="full")), "few")[more] == "killed"


def test_nothing_refuted_has_no_rate() -> None:
    figures = Figures(killed_by_own=0, refuted_anywhere=0, survived=1, harmless=0, unreached=0, invalid=0)
    assert figures.rate is None and figures.score == 0
    assert msgspec.structs.replace(figures, survived=0).score is None


def test_what_survived_and_what_ran_out_of_time_lower_the_score_alone() -> None:
    figures = Figures(
        killed_by_own=3,
        refuted_anywhere=4,
        survived=5,
        refuted_nowhere=2,
        out_of_time=1,
        harmless=7,
        unreached=7,
        invalid=7,
    )
    assert (figures.rate, figures.score) == (Fraction(3, 4), Fraction(3, 10))


@pytest.mark.parametrize("name", ["sharp", "other.privacy.one"])
def test_kin_are_of_one_row_or_of_one_mechanism(name: str) -> None:
    claim = Claim(id=name, mechanism=quiet, domain=BIT, epsilon=1)
    assert are_kin(claim, Claim(id="x", mechanism=quiet, domain=BIT, epsilon=1))
    assert not are_kin(claim, Claim(id="x", mechanism=noisy_sum, domain=BIT, epsilon=1))
    row = Claim(id="other.privacy.two", mechanism=noisy_sum, domain=BIT, epsilon=1)
    assert are_kin(claim, row) == name.startswith("other.")


def wide(draw: Draw, rows: Rows) -> Any:
    """Noise for an eighth of the ε that is claimed of it."""
    return sum(rows) + draw(discrete_laplace(8))


@pytest.mark.deep
def test_weak_is_what_an_audit_calls_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the part of ε that is used, too; and not where the least constant is what is claimed."""
    only(("no mutant",), monkeypatch)
    reason = "eight times the noise"
    loose = Claim(id="wide", mechanism=wide, domain=BIT, epsilon=1, weak_because=reason)
    least = LeastShare(share="1/8", below="7/64")
    for claim in (loose, replace(loose, id="least", weak_because="", least=least), LOOSE):
        (found,) = mutate([claim], ALL).claims
        audited = claim.decide(How(slack=True, recheck=False))
        assert (found.loose, found.headroom, found.tight_over_claimed) == (
            audited.loose,
            audited.headroom,
            audited.tight_over_claimed,
        )
        assert (found.least, found.smallest_delta) == (audited.least, audited.smallest_delta)
        told = " ".join(mutant_lines(found, verbose=False))
        assert (reason in told) == bool(found.loose) == (claim is loose)
