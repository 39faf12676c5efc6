"""Beside what is proved by parts stands one small instance, decided by output distributions: it sees a wrong guarantee."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import pytest

from dpverify.mechanisms import Draw, Limits, laplace, symbolic
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.selection import noisy_number
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Tuples, Verdict, audit, change_one_label, check_privacy, replace_one, scores_linf
from dpverify.verifiers.all_sizes.compositions import EveryDatabase, EveryQuality, known, small_instances
from dpverify.verifiers.all_sizes.compositions.parts import HandedOn, KnownPart, PartRule, SealedDatabase, SealedScores
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.problems.questions.score_domains import OrMore


def is_0(row: Any) -> bool:
    return bool(row == 0)


def twice(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    number = partial(rows_that_satisfy, query=is_0)
    first = draw(noisy_number, rows, number=number, noise=laplace(2 / epsilon))
    return "few" if first < 1 else draw(noisy_number, rows, number=number, noise=laplace(2 / epsilon))


def instance_of(verdict: Verdict) -> Any:
    return verdict.basis.small_instance


def understated(rule: PartRule, share: int) -> PartRule:
    """The rule with an ε that is too small by a factor."""

    def wrong(database: Any, given: Mapping[str, Any]) -> KnownPart | HandedOn:
        found = rule(database, given)
        assert isinstance(found, KnownPart)
        epsilon, delta = found.guarantee
        return replace(found, guarantee=PrivacyGuarantee(epsilon / share, delta))

    return wrong


def test_what_is_proved_by_parts_was_decided_on_a_small_instance_as_well() -> None:
    verdict = check_privacy(twice, EveryDatabase(range(2)), replace_one, epsilon=1)
    assert verdict.status == "PROVED"
    assert (instance_of(verdict).databases, instance_of(verdict).at) == (2 + 4, "")
    assert "by its full output distribution on 6 databases of few rows: holds" in verdict.scope
    for_all = check_privacy(twice, EveryDatabase(range(2)), replace_one, epsilon=symbolic)
    assert "on 6 databases of few rows, at ε = 1: holds" in for_all.scope


@pytest.mark.parametrize("epsilon", [1, symbolic])
def test_a_guarantee_that_is_stated_too_small_is_never_proved(monkeypatch: pytest.MonkeyPatch, epsilon: Any) -> None:
    rule = known.ROW_RULES[noisy_number]
    monkeypatch.setattr(known, "ROW_RULES", {**known.ROW_RULES, noisy_number: understated(rule, 2)})
    verdict = check_privacy(twice, EveryDatabase(range(2)), replace_one, epsilon=epsilon)
    assert verdict.status == "UNDECIDED"
    for words in (
        "its parts and the whole contradict each other",
        "a pair of neighbours needs δ",
        "which its parts give",
    ):
        assert words in verdict.reason


def test_another_distribution_with_sub_mechanisms_inlined_is_never_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_instances, "same_distribution", lambda *_: False)
    verdict = check_privacy(twice, EveryDatabase(range(2)), replace_one, epsilon=1)
    assert verdict.status == "UNDECIDED"
    assert "another output distribution with its sub-mechanisms inlined" in verdict.reason


def test_neighbours_are_those_of_the_relation() -> None:
    rows = SealedDatabase(((0, 0), (0, 1), (1, 0), (1, 1)), 1)
    for labels_alone in (False, True):
        first, second = small_instances._of_each_size(replace(rows, labels_alone=labels_alone))
        assert len(first) == 4
        assert len(second) == 9
        neighbours = [(a, b) for partners in (first, second) for a in partners for b in partners[a]]
        assert neighbours
        for a, b in neighbours:
            ((left, right),) = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
            assert not labels_alone or left[0] == right[0]
    of_labels = check_privacy(lambda draw, rows: 0, EveryDatabase(rows.universe), change_one_label, epsilon=0)
    assert instance_of(of_labels).databases == 4 + 9


@pytest.mark.parametrize(("least", "databases"), [(1, 2 + 4), (40, 2 * (2 + 2)), (1_000, 2 * (2 + 2)), (1_001, 0)])
def test_databases_of_many_rows_differ_in_one(least: int, databases: int) -> None:
    def counts(draw: Draw, rows: Any) -> Any:
        return draw(noisy_number, rows, number=partial(rows_that_satisfy, query=is_0), noise=laplace(1))

    verdict = check_privacy(counts, EveryDatabase(range(2), sizes=OrMore(least)), replace_one, epsilon=1)
    assert verdict.status == "PROVED"
    assert instance_of(verdict).databases == databases
    if not databases:
        assert instance_of(verdict).reason == "a database has 1,001 rows at least, more than 1,000"
        assert "no small instance of the whole was decided" in verdict.scope


def test_why_there_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_instances, "_LIMITS", Limits(paths=1))
    claim = Claim(id="lib.twice", mechanism=twice, domain=EveryDatabase(range(2)), epsilon=1, parameters={"epsilon": 1})
    (result,) = audit([claim]).claims
    assert result.verdict is Status.PROVED
    instance = result.scope.small_instance
    assert instance is not None
    assert instance.databases == 0
    assert "has more than 1 paths" in instance.reason
    assert instance.reason in result.scope.text
    read = msgspec.json.decode(msgspec.json.encode(result.scope), type=type(result.scope))
    assert read.small_instance == instance


def test_a_claim_of_a_finite_domain_and_of_all_sizes_has_it_too() -> None:
    claim = Claim(
        id="lib.twice",
        mechanism=twice,
        domain=Tuples(range(2), size=1),
        all_sizes=EveryDatabase(range(2)),
        scope="all",
        epsilon=1,
        parameters={"epsilon": 1},
    )
    (result,) = audit([claim]).claims
    assert result.verdict is Status.PROVED
    assert result.scope.small_instance is not None
    assert result.scope.small_instance.databases == 6
    assert "on 6 databases of few rows: holds" in result.scope.text


def test_qualities_are_small_instances_too() -> None:
    verdict = check_privacy(lambda draw, quality: 0, EveryQuality(solutions=3), scores_linf, epsilon=0)
    assert verdict.status == "PROVED"
    partners = next(small_instances._of_each_size(known_scores := SealedScores(2)))
    assert known_scores.last == 2
    assert len(partners) == instance_of(verdict).databases == 6
    for left, neighbours in partners.items():
        for right in neighbours:
            assert all(abs(left(i) - right(i)) <= 1 for i in range(3)), (left, right)
