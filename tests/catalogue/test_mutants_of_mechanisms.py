"""Claims on databases of the worst shape kill what was missed before there were any."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpverify.verifiers import Claim, Multisets, ScoreSpace, Status, scores_linf
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, mutate
from dpverify.verifiers.auditing.mutation.record import Fate, MutationRecord
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.catalogue import privacy_claims
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import ends_of_runs
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated


@pytest.mark.parametrize("queries", [2, 6])
def test_long_pairs_are_neighbours(queries: int) -> None:
    one, other = ends_of_runs(queries)
    assert other in set(scores_linf(one, ScoreSpace(range(-1, 2), solutions=queries)))


def claim_of(name: str, stronger: Sequence[Any] = ()) -> Claim:
    (found,) = selected([name])
    assert isinstance(found, Claim)
    return replace(found, stronger=stronger)


@pytest.mark.deep
def test_claims_are_proved_on_their_stronger_domains() -> None:
    """Or nothing could be said of mutants there: pairs of the worst shape, which a beam search or a reason finds."""
    stronger = [(claim.id, question) for claim in privacy_claims() for question in claim.questions[1:]]
    rows = {name.partition(".privacy")[0] for name, _ in stronger}
    assert rows >= {"LSL-Alg1", "LSL-Alg2", "LSL-Alg4", "LICS20-SVT", "HRS-Fig1"}
    assert rows >= {"BNS-J-2.26", "BNS-X-Prop2", "BNS-J-4.4", "BNS-J-4.6", "BNS-J-4.7", "BuNS-2.20"}
    for name, question in stronger:
        assert decided_on(prepared_in_full(question, never_repeated)).status is Status.PROVED, name


SIX = [ends_of_runs(6)]
MORE_ROWS = [(Multisets((0, 1), size=14), 1, Fraction(1, 100))]


SIX_QUERIES = ("LSL-Num.privacy.released-discrete", SIX, ["LSL-Num.privacy.released-discrete-six-queries"])
ROWS = ("BuNS-2.20.privacy.stability-three-rows", MORE_ROWS, ["BuNS-2.20.privacy.stability-fourteen-rows"])


@pytest.mark.deep
@pytest.mark.parametrize(("few", "stronger", "more"), [SIX_QUERIES, ROWS])
def test_what_few_rows_miss_more_rows_kill(few: str, stronger: Sequence[Any], more: Sequence[str]) -> None:
    plan = MutantPlan(seed=11, limit=1_000, jobs=2)

    def of_fate(record: MutationRecord, fate: Fate) -> set[tuple[str, int, str]]:
        mutants = (mutant for claim in record.claims for mutant in claim.mutants)
        return {(one.file, one.line, one.after) for one in mutants if one.outcome.fate == fate}

    missed = of_fate(mutate([claim_of(few, stronger)], plan), "missed")
    assert missed
    record = mutate([claim_of(name) for name in more], plan)
    assert record.not_decided == []
    assert missed <= of_fate(record, "killed")
