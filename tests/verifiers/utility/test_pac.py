"""PAC learning, exactly on small domains, and audited on larger ones."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, distribution
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.sanitizers.concepts import Point, Threshold, thresholds
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.table import claim_lines
from dpverify.reports.formats.markdown import to_markdown
from dpverify.reports.kinds.pac import PacResult
from dpverify.reports.record import OF_THE_STATEMENT, SCHEMA_VERSION, AuditRecord, Status
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.pac import (
    PacAudit,
    PacClaim,
    Population,
    audit_pac,
    check_pac,
    error,
    examples_met,
    independent,
    labelled,
    learnt,
    numbers_of_each,
)

HALF = Fraction(1, 2)


def uniform_on(d: int, target: Threshold) -> Population:
    """All points of [0, 2^d) alike."""
    return labelled([(x, Fraction(1, 1 << d)) for x in range(1 << d)], target)


def most_frequent_label(draw: Draw, sample: tuple[tuple[int, int], ...]) -> int:
    """1 where at least half of the labels are."""
    return int(2 * sum(y for _, y in sample) >= len(sample))


def is_one(hypothesis: int) -> bool:
    """Whether the label learnt is 1."""
    return hypothesis == 1


def learns_at(probability: str) -> Any:
    """A learner that fails with this probability, whatever the sample."""

    def learner(draw: Draw, sample: tuple[tuple[int, int], ...]) -> int:
        return int(not draw(bernoulli(probability)))

    return learner


def test_two_examples_of_two_kinds() -> None:
    law = independent((("a", Fraction(1, 3)), ("b", Fraction(2, 3))), 2)
    expected = {("a", "a"): Fraction(1, 9), ("a", "b"): Fraction(4, 9), ("b", "b"): Fraction(4, 9)}
    assert dict(law.probabilities) == expected


def test_three_examples_of_three_kinds_by_hand() -> None:
    law = independent((("a", HALF), ("b", Fraction(1, 4)), ("c", Fraction(1, 4))), 3)
    assert law.probability(("a", "b", "c")) == Fraction(6, 32)
    assert law.probability(("a", "a", "c")) == Fraction(3, 16)
    assert len(law) == 10


def test_an_example_of_probability_0_is_not_drawn() -> None:
    assert dict(independent((("a", Fraction(1)), ("b", Fraction(0))), 4).probabilities) == {("a",) * 4: 1}


@pytest.mark.parametrize(
    ("population", "words"),
    [
        ((), "must be a Fraction ≥ 0, with the sum 1 of all shares"),
        ((("a", HALF),), "must be a Fraction ≥ 0, with the sum 1 of all shares"),
        ((("a", Fraction(3, 2)), ("b", -HALF)), "must be a Fraction ≥ 0, with the sum 1 of all shares"),
        ((("a", 0.5), ("b", 0.5)), "must be a Fraction ≥ 0, with the sum 1 of all shares"),
        ((("a", HALF), ("a", HALF)), "a population holds an example twice"),
    ],
)
def test_what_is_no_population_is_refused(population: Any, words: str) -> None:
    numbers_of_each((("a", HALF), ("b", HALF)), 1)  # nothing that is remembered stands for another
    for law in (numbers_of_each, examples_met, independent):
        with pytest.raises(InputError, match=words):
            law(population, 1)
    with pytest.raises(InputError, match=words):
        audit_pac(learns_at("1/2"), population, size=1, is_good=is_one, beta=HALF)


def test_no_examples_are_refused() -> None:
    with pytest.raises(InputError, match="size"):
        independent((("a", Fraction(1)),), 0)


def test_labels_and_error_by_hand() -> None:
    population = labelled([(0, HALF), (1, Fraction(1, 3)), (2, Fraction(1, 6))], Threshold(2))
    assert population == (((0, 1), HALF), ((1, 1), Fraction(1, 3)), ((2, 0), Fraction(1, 6)))
    assert error(population, Threshold(2)) == 0
    assert error(population, Threshold(1)) == Fraction(1, 3)
    assert error(population, Point(2)) == 1


def test_learnt_is_over_sample_and_coins() -> None:
    population = (((0, 1), Fraction(1, 3)), ((1, 0), Fraction(2, 3)))
    law = distribution(learnt, population, size=2, learner=most_frequent_label)
    assert law.probability(1) == Fraction(5, 9)


def test_a_learner_that_fails_often_is_refuted() -> None:
    found = audit_pac(learns_at("1/2"), uniform_on(6, Threshold(9)), size=5, is_good=is_one, beta="1/10", samples=50)
    assert found.status is Status.REFUTED
    assert found.low > Fraction(1, 10)


def test_a_good_learner_is_inconclusive_and_never_proved() -> None:
    found = audit_pac(learns_at("1/100"), uniform_on(6, Threshold(9)), size=5, is_good=is_one, beta="1/10", samples=50)
    assert found.status is Status.INCONCLUSIVE
    assert found.low == 0


def test_the_margin_is_hoeffdings_rounded_outward() -> None:
    found = audit_pac(
        learns_at("1/2"), uniform_on(1, Threshold(1)), size=1, is_good=is_one, beta="1/2", samples=100, confidence="0.9"
    )
    # sqrt(ln(20)/200) = 0.122387…
    assert Fraction("0.122387") < found.high - HALF < Fraction("0.122388")
    assert found.high - HALF == HALF - found.low


@pytest.mark.parametrize("size", [1, 3, 6])
def test_the_exact_value_lies_within_the_bounds(size: int) -> None:
    population, given = uniform_on(2, Threshold(2)), {"hypotheses": thresholds(2), "epsilon": Fraction(2)}

    def is_good(hypothesis: Threshold) -> bool:
        return error(population, hypothesis) <= Fraction(1, 4)

    law = distribution(learnt, population, size=size, learner=generic_learner, given=given)
    failure = 1 - sum((p for h, p in law.probabilities.items() if is_good(h)), start=Fraction(0))
    found = audit_pac(generic_learner, population, size=size, is_good=is_good, beta="1/20", given=given, samples=300)
    assert failure >= found.low
    assert failure <= found.high


def test_the_same_seed_finds_the_same() -> None:
    def audited(seed: int) -> PacAudit:
        population = uniform_on(3, Threshold(3))
        return audit_pac(most_frequent_label, population, size=3, is_good=is_one, beta=HALF, samples=40, seed=seed)

    assert audited(7) == audited(7)
    assert len({audited(seed) for seed in range(6)}) > 1


@in_one(
    "changed",
    [
        {"size": 0},
        {"samples": 0},
        {"confidence": 1},
        {"confidence": 0.9},
        {"beta": 0},
        {"seed": -1},
        {"population": ()},
        {"population": (((0, 1), HALF),)},
        {"population": (((0, 1), Fraction(3, 2)), ((1, 0), -HALF))},
    ],
)
def test_bad_input_is_refused(changed: dict[str, Any]) -> None:
    given: dict[str, Any] = {"population": uniform_on(1, Threshold(1)), "size": 2, "is_good": is_one, "beta": HALF}
    given |= changed
    with pytest.raises(InputError):
        audit_pac(learns_at("1/2"), given.pop("population"), **given)


# What is drawn of a population
@pytest.mark.parametrize(("kinds", "size"), [(1, 3), (2, 1), (2, 4), (3, 3), (4, 2)])
def test_numbers_and_examples_met_by_brute_force(kinds: int, size: int) -> None:
    weights = [Fraction(i + 1) for i in range(kinds)]
    population = tuple((f"e{i}", weight / sum(weights)) for i, weight in enumerate(weights))
    share = dict(population)
    numbers: Counter[tuple[int, ...]] = Counter()
    met: Counter[tuple[str, ...]] = Counter()
    for drawn in product(share, repeat=size):
        p = prod((share[e] for e in drawn), start=Fraction(1))
        numbers[tuple(drawn.count(e) for e in share)] += p  # type: ignore[assignment]  # Fractions are counted
        met[tuple(e for e in share if e in drawn)] += p  # type: ignore[assignment]  # Fractions are counted
    assert dict(numbers_of_each(population, size).probabilities) == dict(numbers)
    assert dict(examples_met(population, size).probabilities) == dict(met)


def test_the_law_of_what_is_learnt_is_that_of_the_samples() -> None:
    population = (((0, 1), Fraction(1, 3)), ((1, 0), Fraction(1, 2)), ((1, 1), Fraction(1, 6)))
    expected: dict[int, Fraction] = {0: Fraction(0), 1: Fraction(0)}
    as_it_is: Any = lambda it: it  # noqa: E731  # in the place of draw
    for drawn in product(population, repeat=3):
        sample = tuple(sorted(example for example, _ in drawn))
        expected[most_frequent_label(as_it_is, sample)] += prod((p for _, p in drawn), start=Fraction(1))
    assert dict(distribution(learnt, population, size=3, learner=most_frequent_label).probabilities) == expected


# Claims that are audited
def fails_half(draw: Draw, sample: tuple[tuple[int, int], ...]) -> int:
    """0 with probability 1/2."""
    return int(draw(bernoulli(HALF)))


def claim(**changed: Any) -> PacClaim:
    """A learner that fails with probability 1/100, of which β = 1/10 is claimed on two populations."""
    given: dict[str, Any] = {
        "id": "Test-1.utility.pac",
        "source": "by hand",
        "statement": "it is 1",
        "learner": learns_at("1/100"),
        "succeeds": lambda case, label: label == 1,
        "size": lambda case: case.facts["size"],
        "beta": lambda case: case.facts["beta"],
        "mutant": fails_half,
        "cases": [
            Case(uniform_on(d, Threshold(1)), {}, {"size": 2, "beta": beta})
            for d, beta in ((1, Fraction(1, 5)), (2, Fraction(1, 10)))
        ],
    }
    return PacClaim(**{**given, **changed})


def test_a_claim_that_is_not_refuted_is_inconclusive() -> None:
    result = check_pac(claim())
    assert result.verdict is result.expected is Status.INCONCLUSIVE
    assert result.as_expected
    assert (result.inputs, result.witness, result.enumerated) == (2, None, False)
    assert result.worst is not None
    assert (result.worst.failure, result.worst.beta) == ("1/100", "0.1")  # nearer to it than to 1/5
    assert result.ratio == pytest.approx(0.1)
    # each of the two is audited at 0.9995: sqrt(ln(4000)/60) = 0.371798…
    assert result.sampled.low == "0"
    assert result.sampled.high == "0.381798548503"  # of 0.3817985485022…, rounded up
    assert result.sampled.confidence == "0.999"
    assert "INCONCLUSIVE" in claim_lines(result)[0]
    assert "in [0, 0.38179" in claim_lines(result)[1]


def audit_of(result: PacResult) -> AuditRecord:
    return AuditRecord(SCHEMA_VERSION, "0", [result], [])


def test_a_claim_that_is_refuted_shows_the_population() -> None:
    result = check_pac(claim(learner=fails_half, mutant=learns_at("1"), beta=lambda case: Fraction(1, 10)))
    assert result.verdict is Status.REFUTED
    assert not result.as_expected
    assert result.inputs == 1  # the first
    assert result.witness is not None
    assert result.witness.failure == "1/2"
    # 1/2 − sqrt(ln(4000)/60) = 0.1282014514977…, rounded down
    assert result.sampled.low == "0.128201451497"
    assert result.sampled.seed == 0
    assert f"at least {result.sampled.low} > β = 0.1, with confidence 0.999" in "\n".join(claim_lines(result))
    assert f"at least {result.sampled.low} > β" in to_markdown(audit_of(result))


def test_a_claim_that_is_to_be_refuted_says_what_is() -> None:
    beyond = {"beta": lambda case: Fraction(1, 10), "expected": Status.REFUTED, "refutation": OF_THE_STATEMENT}
    result = check_pac(claim(learner=fails_half, mutant=learns_at("1"), **beyond))
    assert result.refutation == OF_THE_STATEMENT
    assert read_audit(to_json(audit_of(result))).claims == [result]
    assert check_pac(claim(**beyond)).refutation is None  # not refuted


def test_a_mutant_that_no_population_refutes_is_not_as_expected() -> None:
    result = check_pac(claim(mutant=learns_at("1/50")))
    assert result.mutant.status is Status.INCONCLUSIVE
    assert not result.as_expected
    assert not result.left_open
    assert read_audit(to_json(audit_of(result))).claims == [result]


def test_a_claim_on_no_population_is_refused() -> None:
    with pytest.raises(InputError, match=r"Test-1\.utility\.pac: the list of cases is empty"):
        claim(cases=())


def test_deep_draws_more_samples() -> None:
    sampled = check_pac(claim(), "deep").sampled
    assert sampled.samples == 2_000
    assert sampled.high.startswith("0.055")
