"""Laws and verdicts of random programs against brute force."""

import random
from fractions import Fraction

import pytest
from tests.adversary.checking import (
    claims,
    compare_claim,
    compare_frequencies,
    compare_law,
    divergence,
    found_law,
    neighbours_of,
    subjects,
    table,
)
from tests.adversary.oracles.oracle import law_of
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import FINITE, LUMPED, PAIRS, RELEASED, TRUNCATED, sums
from tests.adversary.tally import Tally, programs, seed, why

from dpverify.mechanisms import InputError, log
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

STYLES = {"finite": FINITE, "truncated": TRUNCATED, "lumped": LUMPED, "released": RELEASED, "pairs": PAIRS}
OF_NOISE = dict.fromkeys(("circle", "noises at once", "beside noise that it was compared with"), 0.15)
OF_RELEASED = dict.fromkeys(("two kinds of outcome", "that was compared with other noise is released"), 0.15)
REFUSED: dict[str, dict[str, float]] = {
    "finite": {},
    "truncated": {**OF_NOISE, **OF_RELEASED},
    "lumped": {},
    "released": OF_RELEASED,
    "pairs": {**OF_NOISE, **OF_RELEASED, "turns in the tails": 0.15},
}
"""Of the laws that are asked for in a style at most so large a share for each reason."""

EXACT = ("finite", "truncated", "lumped")
INEXACT = ("released", "pairs")


@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.deep) for batch in (1, 2, 3))])
@pytest.mark.parametrize("style", STYLES)
def test_laws_are_those_of_brute_force(style: str, batch: int, tally: Tally) -> None:
    for _, subject, laws in subjects(f"laws:{style}:{batch}", STYLES[style], programs(6), tally):
        for rows, expected in zip(subject.domain, laws, strict=True):
            law = found_law(tally, subject, rows)
            if law is not None:
                compare_law(tally, subject, rows, expected, law)
    enough(style, programs(6), tally)


def enough(style: str, count: int, tally: Tally) -> None:
    """Raises `Empty` where too few laws of programs were compared, or too many refused."""
    asked = tally.counts["laws asked for"]
    least = {"programs": count, "laws asked for": 2 * count, "laws": 0.7 * asked, "probabilities": 1.4 * asked}
    tally.demand(least, REFUSED[style], of=asked)
    tally.counts[f"{style}: decided"] += count


def test_sums_of_noises_are_convolved(tally: Tally) -> None:
    start = seed()
    for i in range(programs(4)):
        subject = sums(f"{start}:sums:{i}")
        tally.counts["programs"] += 1
        for rows in subject.domain:
            law = found_law(tally, subject, rows)
            if law is not None:
                compare_law(tally, subject, rows, law_of(subject.program, rows, subject.chance), law)
    tally.demand({"laws": 2 * programs(4), "probabilities": 4 * programs(4)})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
def test_a_part_is_its_law(style: str, tally: Tally) -> None:
    """Nested = inlined by hand."""
    made = subjects(f"inlined by hand:{style}", STYLES[style], programs(1), tally)
    for _, subject, laws in made:
        for rows, expected in zip(subject.domain, laws, strict=True):
            law = found_law(tally, subject, rows, inlined=True)
            if law is not None:
                compare_law(tally, subject, rows, expected, law)
    asked = tally.counts["laws asked for"]
    tally.demand({"programs": programs(1), "laws": 0.5 * asked, "probabilities": asked}, REFUSED[style], of=asked)


@pytest.mark.parametrize("style", EXACT)
def test_verdicts_are_those_of_the_definition(style: str, tally: Tally) -> None:
    for name, subject, laws in subjects(f"claims:{style}", STYLES[style], programs(4), tally):
        of = dict(zip(subject.domain, laws, strict=True))
        pairs = [(of[left], of[right]) for left, right in subject.neighbours()]
        rng = random.Random(name)
        made = claims(pairs, rng)
        # the mechanism itself answers for one claim, in two processes; its law, as found by the oracle, for the others
        chosen = rng.randrange(len(made))
        if found_law(tally, subject, subject.domain[0]) is None:
            continue
        for i, claim in enumerate(made):
            mechanism = function_of(subject.program) if i == chosen else table(laws, subject.domain)
            compare_claim(tally, subject, mechanism, laws, claim, recheck=i == chosen)
    # the mechanism itself may be refused, and never the tables of laws
    each, twice = ("programs", "worst δ", "witnesses"), ("verdicts", "least ε", "pairs")
    least = {**dict.fromkeys(each, programs(4)), **dict.fromkeys(twice, 2 * programs(4))}
    tally.demand(least, REFUSED[style], of=programs(4))


@pytest.mark.parametrize("style", INEXACT)
def test_verdicts_lie_within_what_is_missing(style: str, tally: Tally) -> None:
    """Noise beyond the oracle's reach may move the worst δ by its mass on the left, and e^ε times that on the right."""
    for name, subject, laws in subjects(f"bounded:{style}", STYLES[style], programs(3), tally):
        rng = random.Random(name)
        factor = Fraction(rng.randint(10, 60), 10)
        of = dict(zip(subject.domain, laws, strict=True))
        missing = {rows: 1 - sum(law.values()) for rows, law in of.items()}
        found = [(divergence(of[a], of[b], factor), missing[a], missing[b]) for a, b in subject.neighbours()]
        low = max(worst - factor * right for worst, _, right in found)
        high = max(worst + left for worst, left, _ in found)
        claim = min(high, Fraction(1)), Status.PROVED
        if low > 0 and rng.random() < 0.5:
            claim = low * (1 - Fraction(1, 10**40)), Status.REFUTED
        delta, status = claim
        try:
            verdict = check_privacy(
                function_of(subject.program),
                subject.domain,
                neighbours_of(subject),
                epsilon=log(factor),
                delta=delta,
                parameters={"epsilon": log(subject.chance.base)},
                recheck=False,
            )
        except InputError as refused:
            tally.refuse("", why(refused))
            continue
        if verdict.status is Status.UNDECIDED:
            tally.refuse("undecided, not ", why(InputError(verdict.reason)))
            continue
        tally.expect("bounded verdicts", verdict.status is status, subject, f"({factor}, {delta})", verdict)
        inside = verdict.delta is not None and verdict.delta.upper >= low and verdict.delta.lower <= high
        tally.expect("bounded δ", inside, subject, f"({factor}, {delta}): {low} to {high}, but", verdict)
    tally.demand(dict.fromkeys(("bounded verdicts", "bounded δ"), 0.6 * programs(3)), REFUSED[style], of=programs(3))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
def test_runs_are_as_frequent_as_the_law_says(style: str, tally: Tally) -> None:
    for _, subject, laws in subjects(f"runs:{style}", STYLES[style], programs(4), tally):
        if found_law(tally, subject, subject.domain[-1]) is not None:
            compare_frequencies(tally, subject, subject.domain[-1], laws[-1], 200)
    asked = programs(4)
    tally.demand({"runs": 0.4 * 200 * asked, "frequencies": 0.8 * asked}, REFUSED[style], of=asked)
