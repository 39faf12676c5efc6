"""What the oracle says against what dpverify says: laws, claims at and beside ties, frequencies of runs."""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import log as float_log
from typing import Any, Final, TypeAlias

from tests.adversary.oracles.oracle import Law, law_of, tagged
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import Style, Subject, subject
from tests.adversary.random_programs.written import Written
from tests.adversary.tally import LOOKALIKES, Tally, seed, why

from dpverify.mechanisms import Distribution, InputError, Undecided, bounds, distribution, exact, exp, log, run
from dpverify.mechanisms.outputs import Anything, OneOf
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy, replace_one


def subjects(label: str, style: Style, count: int, tally: Tally) -> Iterator[tuple[str, Subject, list[Law]]]:
    """Seeds, subjects and their laws by the oracle; programs without any chance are passed over."""
    start = seed()

    def some() -> Iterator[tuple[str, Subject, list[Law]]]:
        i = 0
        while True:
            name = f"{start}:{label}:{i}"
            i += 1
            made = subject(name, style)
            laws = [law_of(made.program, rows, made.chance) for rows in made.domain]
            if any(len(law) > 1 for law in laws):
                tally.counts["programs"] += 1
                yield name, made, laws

    return islice(some(), count)


def found_law(
    tally: Tally, subject: Subject, rows: tuple[int, ...], *, inlined: bool = False
) -> Distribution[Any] | None:
    """The law by dpverify; None where it refuses the program, which is counted."""
    mechanism = function_of(subject.program, inlined=inlined)
    tally.counts["laws asked for"] += 1
    try:
        return distribution(mechanism, rows, epsilon=log(subject.chance.base))
    except (InputError, Undecided) as refused:
        tally.refuse("", why(refused))
        return None


def compare_law(tally: Tally, subject: Subject, rows: tuple[int, ...], expected: Law, law: Distribution[Any]) -> None:
    """Every probability is the oracle's, exactly; or, where values of noise were dropped, within what is missing."""
    missing = 1 - sum(expected.values())
    tally.counts["laws"] += 1
    if not isinstance(law, ReleasedDistribution):
        outcomes = {tagged(outcome): p for outcome, p in law.probabilities.items()}
        strangers = outcomes.keys() - expected.keys()
        tally.expect(
            "outcomes",
            len(outcomes) == law.size and (bool(missing) or not strangers),
            subject,
            rows,
            "unheard-of outcomes",
            strangers,
            law,
        )
        mass = bounds(exact(0) + sum(law.probabilities.values()))
        tally.expect("masses", mass[0] <= 1 <= mass[1], subject, rows, "mass", mass)
    for tag, p in expected.items():
        computed = law.probability(untagged(tag))
        holds = computed == p if not missing else bool(computed - p >= 0) and bool(computed - p <= missing)
        tally.expect(
            "probabilities",
            holds,
            subject,
            f"Pr[{untagged(tag)!r} | {rows}] = {p}, less what is missing, {float(missing):.2g}, and not",
            computed,
        )


def untagged(tag: Any) -> Any:
    """An outcome of a tag."""
    kind, value = tag
    if kind == "number":
        return int(value) if value.denominator == 1 else value
    if kind in ("tuple", "frozenset"):
        return {"tuple": tuple, "frozenset": frozenset}[kind](map(untagged, value))
    return {"NoneType": None, "str": value[1:-1]}[kind]


@dataclass(frozen=True)
class Claimed:
    """A claim (ε, δ), e^ε where that is rational, and whether it holds; `what` says how it was made."""

    what: str
    epsilon: Any
    delta: Fraction
    holds: bool


Pairs: TypeAlias = Sequence[tuple[Law, Law]]


def divergence(left: Law, right: Law, factor: Any) -> Any:
    """Σ max(0, p − e^ε·q)."""
    return sum(max(0, p - factor * right.get(outcome, 0)) for outcome, p in left.items())


def largest_ratio(pairs: Pairs) -> Fraction | None:
    """The largest p/q; None where some q is 0 and p is not."""
    ratios = [Fraction(1)]
    for left, right in pairs:
        for outcome, p in left.items():
            if p:
                if not right.get(outcome):
                    return None
                ratios.append(Fraction(p) / right[outcome])
    return max(ratios)


_TINY: Final = Fraction(1, 10**40)
_SMALL: Final = Fraction(1, 10**12)


def claims(pairs: Pairs, rng: random.Random) -> list[Claimed]:
    """Claims at random, at ties, and beside them."""
    factor = Fraction(rng.randint(10, 60), 10)
    worst = max((Fraction(divergence(left, right, factor)) for left, right in pairs), default=Fraction(0))
    epsilon = log(factor)
    delta = Fraction(rng.randint(0, 30), 60)
    made = [Claimed("random", epsilon, delta, worst <= delta), Claimed("δ at a tie", epsilon, worst, True)]
    if worst:
        made += [
            Claimed("δ less 1e-12", epsilon, max(Fraction(0), worst - _SMALL), False),
            Claimed("δ·(1 - 1e-40)", epsilon, worst * (1 - _TINY), False),
        ]
    ratio = largest_ratio(pairs)
    if ratio is None:
        made.append(Claimed("no ε", log(1000), Fraction(0), False))
    else:
        made.append(Claimed("ε at a tie", log(ratio), Fraction(0), True))
    if ratio is not None and ratio > 1 + 2 * _SMALL:
        made += [
            Claimed("ε less 1e-12", log(ratio) - _SMALL, Fraction(0), False),
            Claimed("ε less 1e-40", log(ratio) - _TINY, Fraction(0), False),
        ]
    return made


def compare_claim(
    tally: Tally,
    subject: Subject | Written,
    mechanism: Callable[..., Any],
    laws: Sequence[Law],
    claim: Claimed,
    recheck: bool,
    *,
    of: str = "",
    domain: Any = None,
    relation: Any = None,
) -> bool:
    """The verdict on a claim, its worst δ and least ε, and its witness; whether there was one that decides it.

    Counts are those `of` a class. Where a domain and a relation are given it is these that dpverify goes through.
    """
    name = f"{of}: " if of else ""
    try:
        verdict = check_privacy(
            mechanism,
            subject.domain if domain is None else domain,
            relation or (replace_one if domain is not None else neighbours_of(subject)),
            epsilon=claim.epsilon,
            delta=claim.delta,
            parameters={"epsilon": log(subject.chance.base)},
            recheck=recheck,
        )
    except (InputError, Undecided) as refused:
        reason = why(refused)
        tally.refuse(name, reason)
        if reason == LOOKALIKES:
            tally.expect("lookalikes refused", have_lookalikes(laws), subject, "no two outcomes are equal", refused)
        return False
    if verdict.status is Status.UNDECIDED:
        tally.refuse(name, why(InputError(verdict.reason)))
        return False
    tally.counts[f"claims: {claim.what}"] += 1
    expected = Status.PROVED if claim.holds else Status.REFUTED
    tally.expect("verdicts", verdict.status is expected, subject, claim, verdict)
    of_rows: dict[Hashable, Law] = dict(zip(subject.domain, laws, strict=True))
    neighbours = subject.neighbours()
    pairs = [(of_rows[left], of_rows[right]) for left, right in neighbours]
    tally.expect("pairs", verdict.pairs.covered == len(pairs), subject, f"{len(pairs)} pairs, and not", verdict.pairs)
    ratio = largest_ratio(pairs)
    tally.expect(
        "least ε",
        verdict.epsilon is None
        if ratio is None
        else verdict.epsilon is not None and verdict.epsilon.exact == log(ratio),
        subject,
        claim,
        "the least e^ε is",
        ratio,
        "and not that of",
        verdict.epsilon,
    )
    if claim.what in ("random", "δ at a tie"):
        factor = Fraction(str(exp(claim.epsilon)))
        worst = max(Fraction(divergence(left, right, factor)) for left, right in pairs)
        tally.expect(
            "worst δ",
            verdict.delta is not None and verdict.delta.exact == worst,
            subject,
            claim,
            "the worst δ is",
            worst,
            "and not",
            verdict.delta,
        )
    if verdict.witness is not None:
        witness = verdict.witness
        p, q = (_probability(of_rows[rows], witness.event) for rows in (witness.left, witness.right))
        tally.expect(
            "witnesses",
            (witness.left, witness.right) in neighbours
            and witness.p == p
            and witness.q == q
            and p > exp(claim.epsilon) * q + claim.delta,
            subject,
            claim,
            "has probabilities",
            p,
            q,
            "and not those of",
            witness,
        )
    return True


def have_lookalikes(laws: Sequence[Law]) -> bool:
    """Whether laws hold outcomes that are equal and not the same."""
    tags = {tag for law in laws for tag in law}
    return len({untagged_value(tag) for tag in tags}) < len(tags)


def untagged_value(tag: Any) -> Any:
    """As `untagged`, of truth values too."""
    kind, value = tag
    if kind == "bool":
        return value == "True"
    if kind in ("tuple", "frozenset"):
        return {"tuple": tuple, "frozenset": frozenset}[kind](map(untagged_value, value))
    return value if kind == "number" else tag


def _probability(law: Law, event: Sequence[Any]) -> Fraction:
    """Of an event, in which parts that were drawn apart may be any of some values."""
    patterns = [*map(_pattern, event)]
    return sum((p for tag, p in law.items() if any(_matches(pattern, tag) for pattern in patterns)), Fraction(0))


def _pattern(outcome: Any) -> Any:
    """An outcome as its tag, with None for any value, and a set of tags for any of some."""
    if isinstance(outcome, Anything):
        return None
    if isinstance(outcome, OneOf):
        return {tagged(value) for value in outcome.outcomes}
    if type(outcome) is tuple:
        return "tuple", tuple(map(_pattern, outcome))
    return tagged(outcome)


def _matches(pattern: Any, tag: Any) -> bool:
    if pattern is None or (isinstance(pattern, set) and tag in pattern) or pattern == tag:
        return True
    if isinstance(pattern, set) or pattern[0] != "tuple" or tag[0] != "tuple" or len(pattern[1]) != len(tag[1]):
        return False
    return all(map(_matches, pattern[1], tag[1]))


def neighbours_of(subject: Subject | Written) -> Callable[[Any], list[Any]]:
    """The relation of a subject, for `check_privacy`."""

    def one_row_changed(database: Any) -> list[Any]:
        return [right for left, right in subject.neighbours() if left == database]

    return one_row_changed


def table(laws: Sequence[Law], domain: Sequence[Any]) -> Callable[..., Any]:
    """A mechanism that has the given laws."""
    known = {
        rows: Distribution({untagged(tag): p for tag, p in law.items()}) for rows, law in zip(domain, laws, strict=True)
    }

    def tabled(draw: Any, rows: Any, *, epsilon: Any) -> Any:
        return known[rows]

    return tabled


_FAILURE: Final = float_log(1e12)
"""A frequency this far out, in nats, has a probability below 2·1e-12: Chernoff's bound, on either side."""


def compare_frequencies(
    tally: Tally,
    subject: Subject,
    rows: tuple[int, ...],
    expected: Law,
    times: int,
    *,
    start: int = 0,
    error: float = 0.0,
) -> None:
    """The sampler's outcomes are those of the law, as often as chance allows."""
    mechanism = function_of(subject.program)
    epsilon = log(subject.chance.base)
    seen = Counter(tagged(run(mechanism, rows, seed=start + i, epsilon=epsilon)) for i in range(times))
    tally.counts["runs"] += times
    missing = float(1 - sum(expected.values())) + error
    for tag in expected.keys() | seen.keys():
        p = min(1.0, float(expected.get(tag, 0)) + missing)
        low = float(expected.get(tag, 0))
        frequency = seen[tag] / times
        nearest = min(max(frequency, low), p)
        tally.expect(
            "frequencies",
            times * _information(frequency, nearest) < _FAILURE,
            subject,
            f"{tag} on {rows} came {seen[tag]} times in {times}, at probability {p}",
        )


def _information(frequency: float, p: float) -> float:
    """The Kullback-Leibler divergence of two coins."""
    parts = ((frequency, p), (1 - frequency, 1 - p))
    if any(a > 0 and b <= 0 for a, b in parts):
        return float("inf")
    return sum(a * float_log(a / b) for a, b in parts if a > 0)
