"""The pairs of long sequences are those that a beam search finds, and kill what few queries do not."""

from collections.abc import Iterator

import pytest

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.selection.sparse_vector import first_below, svt1, svt2, svt4
from dpverify.verifiers import Claim, ScoreSpace, scores_linf
from dpverify.verifiers.auditing.mutation import mutating
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, mutate
from dpverify.verifiers.auditing.mutation.subjects import MutantKey, Subject
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import ends_of_runs, just_below
from dpverify.verifiers.profiles.longer_inputs import LongerInputs, worst_pairs


def test_runs_and_their_ends() -> None:
    assert ends_of_runs(3, 2) == [(0, 0, 1, 0, 1), (1, 1, 0, 1, 0)]
    assert just_below(ends_of_runs(2)) == [(-1, 0), (0, -1)]
    for one, other in (ends_of_runs(2, 2), just_below(ends_of_runs(3))):
        assert other in set(scores_linf(one, ScoreSpace(range(-1, 2), solutions=len(one))))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("mechanism", "count", "runs"),
    [(svt1, 1, (6,)), (svt2, 1, (6,)), (svt4, 1, (6,)), (first_below, 1, (6,)), (svt1, 2, (4, 2)), (svt2, 2, (3, 3))],
)
def test_a_beam_search_finds_the_pairs(mechanism: Mechanism, count: int, runs: tuple[int, ...]) -> None:
    """Another pair of that length may need as much, and none that it finds needs more."""
    length = sum(runs)
    given = {"epsilon": 1} if mechanism is first_below else {"epsilon": 1, "count": count}
    (found,) = worst_pairs(mechanism, LongerInputs((0, 1), lengths=[length], beam=4), epsilon=1, parameters=given)
    claim = Claim(
        id="c", mechanism=mechanism, domain=ends_of_runs(*runs), neighbours=scores_linf, epsilon=9, parameters=given
    )
    exact = claim.decide().tight_epsilon
    assert found.found is not None and exact is not None
    assert found.found.quantity.exact == exact.exact


KILLED = [
    ("LSL-Alg1.privacy.printed-twice-fifteen-queries", "LSL-Alg1.privacy.printed-twice", "noise(4 / eps)"),
    ("LSL-Alg2.privacy.default-twelve-queries", "LSL-Alg2.privacy.default", "noise(4 * c / (eps * 11/10))"),
    ("LSL-Alg2.privacy.default-twelve-queries", "LSL-Alg2.privacy.default", "sum(answers) > count"),
    ("LSL-Num.privacy.printed-twice-seven-queries", "LSL-Num.privacy.released-discrete", "noise(6 / eps)"),
    ("LICS20-SVT.privacy.first-below-twelve-queries", "LICS20-SVT.privacy.first-below", "< t + draw(noise(2 / eps))"),
    (
        "HRS-Fig1.privacy.more-queries-than-its-bound-every-epsilon",
        "HRS-Fig1.privacy.every-epsilon",
        "self._left = whole(bound + 1, 'bound', 1)",
    ),
]


@pytest.mark.deep
@pytest.mark.parametrize(("sharp", "blunt", "mistake"), KILLED)
def test_a_mistake_that_few_queries_do_not_show(
    sharp: str, blunt: str, mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled = mutating._sampled

    def that_one(subject: Subject, plan: MutantPlan) -> Iterator[MutantKey]:
        return (key for key in sampled(subject, plan) if mistake in subject.mutations[key].after)

    monkeypatch.setattr(mutating, "_sampled", that_one)
    claims = [claim for claim in selected([sharp, blunt]) if isinstance(claim, Claim)]
    record = mutate(claims, MutantPlan(limit=1_000, jobs=2))
    fates = {claim.id: {mutant.outcome.fate for mutant in claim.mutants} for claim in record.claims}
    assert fates[sharp] == {"killed"}
    assert "killed" not in fates[blunt]
