"""The sample of mutants that a claim reaches, and those that are decided for all sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.verifiers.auditing.mutation.breakable import BIT, Rows

from dpverify.mechanisms import Draw, discrete_laplace
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Claim, Scores, ScoreSpace, Tuples, scores_linf
from dpverify.verifiers.auditing.mutation import mutating
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, mutate
from dpverify.verifiers.auditing.mutation.record import MutationRecord
from dpverify.verifiers.auditing.mutation.subjects import MutantKey, Subject

FEW = ScoreSpace(range(2), solutions=2)
ALL = MutantPlan(limit=1_000, seconds=2, jobs=2)


def fates_of(record: MutationRecord, name: str) -> dict[str, str]:
    (claim,) = (claim for claim in record.claims if claim.id == name)
    return {f"{mutant.operator}: {mutant.after}": mutant.outcome.fate for mutant in claim.mutants}


SAMPLED = mutating._sampled


def only(words: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
    """Let those alone be tried in which one of some words stands: each has a process of its own."""

    def looked_at(subject: Subject, plan: MutantPlan) -> Iterator[MutantKey]:
        return (key for key in SAMPLED(subject, plan) if any(word in subject.mutations[key].after for word in words))

    patch.setattr(mutating, "_sampled", looked_at)


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
    assert everything.claims[0].count("unreached") > 4
    (few,) = mutate([claim], MutantPlan(limit=4, jobs=2)).claims
    assert few.count("unreached") > 0
    assert len(few.mutants) - few.count("unreached") == 4
    reaching = replace(claim, id="reaching", domain=Tuples((0, 6), size=1), epsilon=30, parameters={"epsilon": 1})
    assert mutate([reaching], ALL).claims[0].count("unreached") < everything.claims[0].count("unreached")


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
