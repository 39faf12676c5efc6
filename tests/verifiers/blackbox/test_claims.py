"""Claims by samples: what is refuted, what is left open, what is never said, and what is refused before anything runs."""

import json
import random
import signal
import sys
from collections.abc import Mapping
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, discrete_laplace, exact, exp, laplace, log, run
from dpverify.verifiers import Claim, SampledClaim, Status, Tuples, check_sampled
from dpverify.verifiers.blackbox.privacy_audit import AuditDesign, AuditFinding, CountedTest, Gathered, found_in
from dpverify.verifiers.blackbox.sampling.evidence import EventTally, Prior, refutes, refutes_anywhere
from dpverify.verifiers.blackbox.sampling.pilot import MOST_TESTS
from dpverify.verifiers.blackbox.sampling.samplers import Unseeded

BITS = Tuples((0, 1), size=1)
Rng = np.random.Generator


def told(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
    """Randomized response at ε = ln 3."""
    return (rng.random(size) < (0.75 if rows[0] else 0.25)).astype(int)


def one_told(rows: tuple[int, ...], rng: Rng) -> str:
    """The same, one at a time, in words."""
    return "yes" if rng.random() < (0.75 if rows[0] else 0.25) else "no"


def told_too_often(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
    """Broken: at ε = ln 19."""
    return (rng.random(size) < (0.95 if rows[0] else 0.05)).astype(int)


def measured(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
    """A naive Laplace mechanism, at ε = ½, in floats."""
    return sum(rows) + rng.laplace(scale=2, size=size)


def claim(**changed: Any) -> SampledClaim:
    given: dict[str, Any] = {"id": "it", "sampler": told, "epsilon": log(3), "domain": BITS, "draws": 20_000}
    return SampledClaim(**{**given, **changed})


def test_what_is_private_is_inconclusive_and_the_largest_epsilon_that_is_ruled_out_is_near() -> None:
    found = check_sampled(claim(mutant=told_too_often))
    assert (found.verdict, found.as_expected) == (Status.INCONCLUSIVE, True)
    assert found.ruled_out is not None and 1 < float(found.ruled_out) < 1.0986
    assert found.draws == found.planned == 20_000 and found.seed == 0
    assert found.mutant is not None and found.mutant.status is Status.REFUTED
    assert float(found.smallest) > 1.0986 and "of probability" in found.smallest_in_words


@pytest.mark.parametrize("sampler", [told_too_often, lambda rows, rng: rows[0]])
def test_what_is_not_is_refuted_with_event_and_counts(sampler: Any) -> None:
    found = check_sampled(claim(sampler=sampler))
    assert found.verdict is Status.REFUTED and found.surprise == "expected INCONCLUSIVE"
    (test,) = found.tests
    assert test.refutes and test.seen > 3 * test.seen_right and {test.left, test.right} == {"(0,)", "(1,)"}
    assert found.draws < found.planned  # as soon as it is known


def test_the_same_seed_decides_the_same_and_others_draw_other_samples() -> None:
    first, again, other = (check_sampled(claim(seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first.tests != other.tests
    assert first.verdict is other.verdict


def test_outcomes_that_are_texts_tuples_and_lists_of_them() -> None:
    assert check_sampled(claim(sampler=one_told, draws=5_000)).verdict is Status.INCONCLUSIVE

    def pair(rows: tuple[int, ...], rng: Rng) -> tuple[Any, ...]:
        return ("row", rows[0]) if rng.random() < 0.5 else (None, 0.5, int(rng.integers(3)))

    found = check_sampled(claim(sampler=pair, draws=5_000))
    assert found.verdict is Status.REFUTED and "row" in found.tests[0].event


def test_delta_is_allowed_for() -> None:
    """The row itself with probability 1/20: (0, 1/20) is right, and (0, 1/40) is not."""

    def leaks(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        return np.where(rng.random(size) < 0.05, rows[0], -1)

    right = check_sampled(claim(sampler=leaks, epsilon=0, delta=F(1, 20)))
    wrong = check_sampled(claim(sampler=leaks, epsilon=0, delta=F(1, 40)))
    assert (right.verdict, wrong.verdict) == (Status.INCONCLUSIVE, Status.REFUTED)
    assert wrong.ruled_out is not None and right.ruled_out is None


def test_low_bits_of_floats_tell_the_answer_and_may_be_left_out_of_question() -> None:
    with_bits, without = (
        check_sampled(claim(sampler=measured, epsilon=F(1, 2), low_bits=bits)) for bits in (True, False)
    )
    assert with_bits.verdict is Status.REFUTED and "lowest bit" in with_bits.tests[0].event
    assert without.verdict is Status.INCONCLUSIVE


def test_the_simulator_of_the_project_has_no_such_bits() -> None:
    def simulated(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(laplace(2))

    def sampler(rows: tuple[int, ...], rng: Rng) -> Any:
        return run(simulated, rows, seed=int(rng.integers(2**60)))

    assert check_sampled(claim(sampler=sampler, epsilon=F(1, 2), draws=3_000)).verdict is Status.INCONCLUSIVE


# --- A model
def model(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


MODEL = Claim(id="model", mechanism=model, domain=BITS, epsilon=F(2, 3), delta=0)


def of_scale(scale: float) -> Any:
    def integers(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        p = 1 - np.exp(-1 / scale)
        return sum(rows) + rng.geometric(p, size) - rng.geometric(p, size)

    return integers


def modelled(**changed: Any) -> SampledClaim:
    given: dict[str, Any] = {"id": "it", "sampler": of_scale(1.5), "model": MODEL, "draws": 20_000}
    return SampledClaim(**{**given, **changed})


def test_a_library_agrees_with_its_model_to_what_is_said() -> None:
    found = check_sampled(modelled(mutant=of_scale(1.3)))
    assert (found.verdict, found.model_verdict) == (Status.INCONCLUSIVE, Status.PROVED)
    assert found.agrees_to is not None and 0 < float(found.agrees_to) < 0.03
    assert found.mutant is not None and found.mutant.status is Status.REFUTED


def test_a_library_that_draws_otherwise_is_refuted_with_the_cell() -> None:
    found = check_sampled(modelled(sampler=of_scale(1.6)))
    assert found.verdict is Status.REFUTED
    assert "where the model says" in found.tests[0].allowed
    rare = check_sampled(modelled(sampler=lambda rows, rng, size: of_scale(1.5)(rows, rng, size) + 0.5))
    assert rare.verdict is Status.REFUTED


def test_a_model_that_is_refuted_makes_the_claim_refuted() -> None:
    bad = Claim(id="bad", mechanism=model, domain=BITS, epsilon=F(1, 2), delta=0, parameters={"epsilon": F(2, 3)})
    found = check_sampled(modelled(model=bad))
    assert found.verdict is Status.REFUTED and "the model itself is REFUTED" in found.reason


def test_pairs_are_the_worst_of_a_model_those_of_a_list_or_examples_of_a_strategy() -> None:
    def first_alone(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(bernoulli(exp(1) / (1 + exp(1)) if rows == (1, 0) else F(1, 2)))

    first = Claim(id="first", mechanism=first_alone, domain=Tuples((0, 1), size=2), epsilon=1, delta=0)

    def shipped(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        return (rng.random(size) < (0.731 if rows == (1, 0) else 0.5)).astype(int)

    worst = check_sampled(claim(sampler=shipped, domain=None, pairs=first, epsilon=F(1, 4), expected=Status.REFUTED))
    assert worst.verdict is Status.REFUTED and worst.databases == 2
    assert "(1, 0)" in (worst.tests[0].left, worst.tests[0].right)
    listed = check_sampled(claim(domain=None, pairs=[((0,), (1,))]))
    assert listed.verdict is Status.INCONCLUSIVE
    strategy = st.tuples(st.integers(0, 1), st.integers(0, 1))
    thought_of = check_sampled(claim(sampler=shipped, domain=strategy, epsilon=F(1, 4)))
    assert thought_of.verdict is Status.REFUTED


# --- What samples cannot say, and what is refused
def test_samples_prove_nothing_and_what_is_constant_is_vacuous() -> None:
    with pytest.raises(InputError, match=r"is none of Status\.INCONCLUSIVE, Status\.REFUTED"):
        claim(expected=Status.PROVED)
    found = check_sampled(claim(sampler=lambda rows, rng: "nothing"))
    assert found.verdict is Status.VACUOUS and "'nothing'" in found.reason


def test_what_is_no_number_is_an_outcome_like_any_other() -> None:
    """A division by 0 that happens on one database alone."""

    def divides(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        return np.where(rng.random(size) < 0.02 * rows[0], np.nan, 1.0)

    found = check_sampled(claim(sampler=divides, epsilon=3, rarest=F(1, 1000)))
    assert found.verdict is Status.REFUTED and "no number" in found.tests[0].event
    always = check_sampled(claim(sampler=lambda rows, rng, size: np.full(size, np.nan)))
    assert always.verdict is Status.VACUOUS and "nan" in always.reason


def ignores(rows: Any, rng: Rng) -> float:
    return random.random()


def seeds_itself(rows: Any, rng: Rng, size: int) -> Any:
    return np.random.default_rng(5).random(size)


def fails(rows: Any, rng: Rng) -> int:
    raise ValueError("no such column")


@in_one(
    "sampler, said",
    [
        (fails, r"it: the sampler fails raised ValueError: no such column.* on \(0,\) \(seed"),
        (
            lambda rows, rng: {1, 2},
            "cannot be hashed, so that equal ones cannot be counted: give tuples, lists, dicts, ",
        ),
        (lambda rows, rng: [[], {1}], "cannot be hashed, so that equal ones cannot be counted"),
        (ignores, "ignores its seed: 0 gave .* wrap it in Unseeded"),
        (seeds_itself, "for every seed, so that they are not independent"),
        (lambda rows, rng, size: np.zeros(3), "it: 3 outcomes of the sampler .* do not fit 64 draws"),
        (lambda rows, rng, size: 7, "gave 7 for 64 draws"),
        (lambda rows, rng, size: sys.exit(3), "raised SystemExit: 3 on"),
    ],
)
def test_bad_samplers_are_told_what_they_did(sampler: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_sampled(claim(sampler=sampler))


def in_a_list(rows: tuple[int, ...], rng: Rng) -> Any:
    return [one_told(rows, rng)]


def test_functions_of_outcomes_are_handed_lists() -> None:
    seen: set[type] = set()

    def first(outcome: Any) -> Any:
        seen.add(type(outcome))
        return outcome[0]

    def lengths(outcomes: Any) -> Any:
        seen.update(map(type, outcomes))
        return np.array([len(each[0]) for each in outcomes])

    found = check_sampled(
        claim(sampler=in_a_list, epsilon=log(2), features={"length": lengths}, draws=4_000, expected=Status.REFUTED)
    )
    assert found.verdict is Status.REFUTED
    model = Claim(
        id="m", mechanism=lambda draw, rows: draw(bernoulli("3/4" if rows[0] else "1/4")), domain=BITS, epsilon=2
    )
    agreeing = claim(
        sampler=in_a_list, epsilon=None, domain=None, model=model, draws=4_000, outcome=lambda one: first(one) == "yes"
    )
    assert check_sampled(agreeing).verdict is Status.INCONCLUSIVE
    assert seen == {list}


def test_what_numpy_counts_is_a_number_of_draws_and_nothing_said_is_inconclusive() -> None:
    found = check_sampled(claim(draws=np.int64(5_000), seed=np.int64(3), expected=None))
    assert found.planned == 5_000 and type(found.planned) is int and found.as_expected
    assert found.expected is Status.INCONCLUSIVE


@pytest.mark.parametrize(
    "sampler",
    [
        lambda rows, rng: True if rows[0] else 1,
        lambda rows, rng, size: np.ones(size, dtype=bool if rows[0] else float),
        lambda rows, rng: rng.random() < 0.5 or 2,
    ],
)
def test_truth_values_among_numbers_are_no_one_outcome(sampler: Any) -> None:
    with pytest.raises(InputError, match="gives truth values and numbers"):
        check_sampled(claim(sampler=sampler))
    given = claim(sampler=lambda rows, rng, size: rng.random(size) < 0.5, draws=2_000)
    assert check_sampled(given).verdict is Status.INCONCLUSIVE


def test_an_endless_sampler_is_ended_and_told_so() -> None:
    def endless(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        while True:
            try:
                rng.random()
            except Exception:
                continue

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(InputError, match=r"endless gave no 64 draws of \(0,\) within 0\.05 s .* give patience= more"):
        check_sampled(claim(sampler=endless, patience=0.05))
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def of_few(number: int) -> Any:
    """Laplace noise, of which so many numbers are drawn for a block, and repeated."""

    def repeated(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        return np.resize(sum(rows) + rng.laplace(scale=2, size=number), size)

    return repeated


@pytest.mark.parametrize("number", [1, 20, 200])
def test_a_sampler_that_draws_once_for_many_is_told_so(number: int) -> None:
    """It is private, and the ε of its draws as if they were independent would be refuted."""
    with pytest.raises(InputError, match=r"it: .*repeated draws once for many: on "):
        check_sampled(claim(sampler=of_few(number)))
    with pytest.raises(InputError, match="once for many"):
        check_sampled(modelled(sampler=of_few(number), outcome=round))


def test_one_rare_outcome_at_the_same_place_of_two_samples_is_chance() -> None:
    """Of two seeds that are searched for, 64 draws are the same, and have one outcome beside the usual one."""

    def rarely(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        return (rng.random(size) < 0.02).astype(int)

    seen = [tuple(rarely((0,), np.random.default_rng(seed), 64)) for seed in range(2_000)]
    seed = next(i for i, (one, other) in enumerate(pairwise(seen)) if one == other and sum(one) == 1)
    assert check_sampled(claim(sampler=rarely, draws=2_000, seed=seed)).verdict is Status.INCONCLUSIVE


@in_one(
    "changed, said",
    [
        ({"draws": 20}, "draws=20 could refute nothing at confidence 0.999: not even an event of probability 0.01"),
        ({"draws": 0}, "draws=0"),
        ({"confidence": 1}, "confidence=1"),
        ({"epsilon": None}, "exactly one of model="),
        ({"domain": None}, "exactly one of domain=.* and pairs="),
        ({"pairs": [(1, 2, 3)], "domain": None}, "is not a list of pairs"),
        ({"pairs": [], "domain": None}, "pairs is empty"),
        ({"sampler": 7}, "sampler=7 is not a sampler"),
        ({"sampler": lambda rows: 1}, r"takes \(rows\), is not a sampler"),
        ({"sampler": Unseeded(lambda rows: 1)}, "has no seed, .* counts="),
        ({"delta": 1}, "delta=1 must be less than 1"),
        ({"features": [len]}, "features=.* is not a mapping"),
        ({"mutant": 3}, "sampler=3 is not a sampler"),
        ({"databases": [(0,)]}, "databases= or outcome=, which are for a model, and"),
        ({"pairs": [((0,), (0,))], "domain": None}, "holds one database, .* twice"),
        ({"pairs": [((1,), (True,))], "domain": None}, "holds one database, .* twice"),
        ({"draws": 1.5}, "draws=1.5 is not a whole number"),
        ({"patience": 0}, "patience=0 must be a number of seconds"),
        ({"patience": "long"}, "patience='long' must be"),
    ],
)
def test_bad_claims_are_refused_before_anything_runs(changed: Mapping[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"it: .*{said}|{said}"):
        check_sampled(claim(**changed))


def stopped(sampler: Any) -> Any:
    """The sampler, until it has made more than 25,000 draws."""
    sizes: list[int] = []

    def stopping(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
        sizes.append(size)
        if sum(sizes) > 25_000:
            raise KeyboardInterrupt
        return sampler(rows, rng, size)

    return stopping


def test_ctrl_c_keeps_what_was_learnt() -> None:
    found = check_sampled(claim(sampler=stopped(told), draws=50_000))
    assert found.verdict is Status.INCONCLUSIVE and found.reason.startswith("interrupted after 5,000 draws")
    assert found.draws == 5_000 and found.ruled_out is not None and 0.5 < float(found.ruled_out) < 1.0986


def test_ctrl_c_leaves_no_agreement_that_was_not_tested() -> None:
    """The intervals are for all draws, and these were not made."""
    found = check_sampled(modelled(sampler=stopped(of_scale(1.5)), draws=50_000))
    assert found.verdict is Status.INCONCLUSIVE and found.reason.startswith("interrupted after 5,000 draws")
    assert found.agrees_to is None and found.model_verdict is Status.PROVED


# --- What is kept, and how often it errs
def test_counts_of_a_sampler_without_a_seed_are_kept_and_decide_the_same(tmp_path: Path) -> None:
    drawn = 0

    def unseeded(rows: tuple[int, ...], size: int) -> Any:
        nonlocal drawn
        drawn += 1
        return told(rows, np.random.default_rng(), size)

    given: dict[str, Any] = {"sampler": Unseeded(unseeded), "counts": str(tmp_path / "counts.json"), "draws": 5_000}
    first = check_sampled(claim(**given))
    assert first.seed is None and first.counts_file
    before = drawn
    again = check_sampled(claim(**given))
    assert first == again and drawn - before < 5  # the look at seeds alone
    assert check_sampled(claim(**{**given, "draws": 6_000})).draws == 6_000  # another question is drawn anew
    assert len(json.loads((tmp_path / "counts.json").read_text())["counts"]) == 1
    (tmp_path / "counts.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"truncated\): restore it, or delete it to draw again"):
        check_sampled(claim(**given))


def test_no_draw_of_the_pilot_is_used_again() -> None:
    seeds: list[tuple[Any, int]] = []

    class Spy:
        name, seeded = "spy", True
        versions: Mapping[str, str] = {}

        def draw(self, rows: Any, size: int, seed: int) -> Any:
            seeds.append((rows, seed))
            return told(rows, np.random.default_rng(seed), size)

    check_sampled(claim(sampler=Spy()))
    blocks = seeds[3:]  # after the look at seeds
    assert len(blocks) == len({seed for _, seed in blocks}) > 4


def test_the_errors_of_all_tests_on_the_way_and_at_the_end_add_up_to_that_of_the_claim() -> None:
    asked = AuditDesign(claim().asked_of_privacy[0], claim().asked_of_privacy[1], 100, F(1, 1000))
    assert 2 * MOST_TESTS * asked.each <= F(1, 1000)


def test_an_interval_for_a_fixed_number_of_draws_is_asked_only_where_all_were_made() -> None:
    tally, prior = EventTally(2_240, 2_000, 20_000), Prior(0, 0, 0)
    assert refutes(tally, exact(0), exact(0), F(1, 80)) and not refutes_anywhere(
        tally, prior, exact(0), exact(0), F(1, 80)
    )
    counts = Gathered([CountedTest("x", "y", "an event", prior, tally)], 200, 20_000, 2)
    early, all_made = (AuditDesign(exact(0), exact(0), draws, F(1, 10)) for draws in (40_000, 20_000))
    assert found_in(counts, early) == AuditFinding(None, None, 0)
    assert found_in(counts, all_made).refuted_by == 0 and (found_in(counts, all_made).ruled_out or 0) > 0


def chosen_among_many(rows: tuple[int, ...], rng: Rng, size: int) -> Any:
    """The same law on all databases, with many events to choose among."""
    return rng.integers(200, size=size)


@pytest.mark.deep
def test_what_is_true_is_refuted_no_more_often_than_is_said_although_events_are_chosen() -> None:
    """At confidence ½, with ε = 0 met with equality: a pilot that was tested on itself would refute nearly always."""
    runs = 60
    alarms = sum(
        check_sampled(claim(sampler=chosen_among_many, epsilon=0, confidence=F(1, 2), draws=600, seed=seed)).verdict
        is Status.REFUTED
        for seed in range(runs)
    )
    assert alarms <= runs // 2
