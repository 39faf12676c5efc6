"""One program of a class, from its seed: made, decided by dpverify, and compared with the oracle."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, Final

from tests.adversary.checking import claims, compare_claim
from tests.adversary.oracles import noise_texts, part_texts, paths, symmetries
from tests.adversary.oracles.noises import Irrational, NotHere
from tests.adversary.oracles.paths import compiled
from tests.adversary.random_programs.written import Written, one_differs
from tests.adversary.tally import PASSED_OVER, Tally

from dpverify import mechanisms
from dpverify.mechanisms import counting, noise, symmetric
from dpverify.mechanisms import outputs as laws
from dpverify.mechanisms.counting import of_counts
from dpverify.mechanisms.drawing import permutations, relabellings, shifts
from dpverify.mechanisms.selection import Selection, exponential_mechanism
from dpverify.verifiers import LabelledSamples, Multisets, ScoreSpace, add_or_remove_one, change_one_label, scores_linf

NAMES: Final = (
    *("Distribution", "bernoulli", "uniform", "exponential", "clamp", "folded", "laplace", "discrete_laplace"),
    *("truncated_laplace", "truncated_discrete_laplace", "exponential_noise", "geometric", "gumbel", "staircase"),
    *("uniform_noise", "discrete_uniform", "smallest", "largest"),
)
HOMES: Final = (mechanisms, laws, noise, counting)
OF_DPVERIFY: Final[dict[str, Any]] = {
    "F": Fraction,
    **{name: getattr(home, name) for home in HOMES for name in NAMES if name in dir(home)},
}
assert {*NAMES} <= {*OF_DPVERIFY}

BASES: Final = part_texts.BASES


@dataclass(frozen=True)
class Both:
    """A program as the oracle has it, and as dpverify does, with the domain and the relation that it is given."""

    written: Written
    mechanism: Callable[..., Any]
    domain: Any = None
    relation: Any = None


Trial = Callable[[str], Both]


def _tuples(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    length = rng.choice((1, 1, 2))
    return tuple(product(range(rng.choice((2, 3)) if length == 1 else 2), repeat=length))


def _on_tuples(seed: str, source: Callable[[random.Random], str]) -> Both:
    rng = random.Random(seed)
    domain = _tuples(rng)
    text = source(rng)
    written = Written(text, domain, one_differs(domain), rng.choice(BASES), seed)
    return Both(written, compiled(text, OF_DPVERIFY))


def of_noise(kind: str) -> Trial:
    return lambda seed: _on_tuples(seed, lambda rng: noise_texts.source(rng, kind))


def nested(seed: str) -> Both:
    return _on_tuples(seed, part_texts.nested)


def drawn_apart(seed: str) -> Both:
    return _on_tuples(seed, part_texts.drawn_apart)


def symmetric_on_rows(seed: str) -> Both:
    rng = random.Random(seed)
    universe = part_texts.LETTERS[: rng.choice((2, 3, 3))]
    domain = tuple(combinations_with_replacement(universe, rng.choice((1, 2, 2, 3))))
    pairs = [
        (a, b)
        for a in domain
        for b in domain
        if a != b and sum(min(a.count(x), b.count(x)) for x in universe) == len(a) - 1
    ]
    text = part_texts.on_rows(rng)
    base = rng.choice(BASES)
    inner = compiled(text, paths.names(base), "inner")
    written = Written(text, domain, pairs, base, seed, {"mechanism": symmetries.of_rows(inner, universe)})
    mechanism = symmetric(compiled(text, OF_DPVERIFY, "inner"), under=relabellings(universe))
    # of a domain and a relation that are known, one pair of each orbit is decided
    return Both(written, mechanism, Multisets(universe, size=len(domain[0])) if rng.random() < 0.6 else None)


def symmetric_on_scores(seed: str) -> Both:
    rng = random.Random(seed)
    solutions = rng.choice((2, 2, 3))
    domain = tuple(product(range(2 if solutions == 3 else 3), repeat=solutions))
    pairs = [
        (a, b) for a in domain for b in domain if a != b and max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1
    ]
    text = part_texts.on_scores(rng, solutions)
    base = rng.choice(BASES)
    under, flags = rng.choice(
        ((permutations, (True, False)), (shifts, (False, True)), (permutations | shifts, (True, True)))
    )
    inner = compiled(text, paths.names(base), "inner")
    written = Written(text, domain, pairs, base, seed, {"mechanism": symmetries.of_scores(inner, *flags)})
    mechanism = symmetric(compiled(text, OF_DPVERIFY, "inner"), under=under)
    if rng.random() < 0.4:
        return Both(written, mechanism)
    return Both(written, mechanism, ScoreSpace(range(1 + max(map(max, domain))), solutions=solutions), scores_linf)


class _Counts(dict[int, int]):
    """As `of_counts` gives them, of plain numbers."""

    def __init__(self, rows: Sequence[int]) -> None:
        super().__init__({row: rows.count(row) for row in range(3)})
        self.size = len(rows)


def by_counts(seed: str) -> Both:
    rng = random.Random(seed)
    universe = range(rng.choice((2, 3)))
    domain = tuple(combinations_with_replacement(universe, rng.choice((1, 2, 3))))
    pairs = [
        (a, b)
        for a in domain
        for b in domain
        if a != b and sum(min(a.count(x), b.count(x)) for x in universe) == len(a) - 1
    ]
    text = part_texts.quality(rng)
    base, solutions = rng.choice(BASES), tuple(range(rng.choice((2, 3))))
    score = compiled(text, {"smallest": min, "largest": max}, "quality")
    exponential = paths.names(base)["exponential"]

    def mechanism(draw: Any, rows: Any, *, epsilon: Any) -> Any:
        counts = _Counts(rows)
        return exponential({h: score(counts, h) for h in solutions}, 2 * epsilon)

    written = Written(text, domain, pairs, base, seed, {"mechanism": mechanism})
    scored = Selection(of_counts(compiled(text, OF_DPVERIFY, "quality")), solutions, exponential_mechanism)

    def twice(draw: Any, rows: Any, *, epsilon: Any) -> Any:
        return draw(scored, rows, epsilon=2 * epsilon)

    # as it is, laws of many databases are found at once; called by another mechanism, one by one
    if rng.random() < 0.7:
        whole = Written(
            text,
            domain,
            pairs,
            base,
            seed,
            {"mechanism": lambda draw, rows, *, epsilon: mechanism(draw, rows, epsilon=epsilon / 2)},
        )
        return Both(whole, scored, Multisets(universe, size=len(domain[0])))
    return Both(written, twice)


def added_or_removed(seed: str) -> Both:
    rng = random.Random(seed)
    universe = range(2)
    domain = tuple(rows for size in range(rng.choice((3, 4))) for rows in combinations_with_replacement(universe, size))
    pairs = [
        (a, b)
        for a in domain
        for b in domain
        if abs(len(a) - len(b)) == 1 and sum(min(a.count(x), b.count(x)) for x in universe) == min(len(a), len(b))
    ]
    text = part_texts.on_any_rows(rng, "0 1")
    written = Written(text, domain, pairs, rng.choice(BASES), seed)
    sizes = range(1 + max(map(len, domain)))
    return Both(written, compiled(text, OF_DPVERIFY), Multisets(universe, sizes=sizes), add_or_remove_one)


def relabelled(seed: str) -> Both:
    rng = random.Random(seed)
    points, size = range(rng.choice((1, 2))), rng.choice((1, 2))
    examples = tuple(product(points, (0, 1)))
    domain = tuple(combinations_with_replacement(examples, size))
    pairs = [
        (a, b)
        for a in domain
        for b in domain
        if a != b
        and sum(min(a.count(e), b.count(e)) for e in examples) == size - 1
        and sorted(x for x, _ in a) == sorted(x for x, _ in b)
    ]
    text = part_texts.on_any_rows(rng, "(0,0) (0,1) (1,0) (1,1)")
    written = Written(text, domain, pairs, rng.choice(BASES), seed)
    return Both(written, compiled(text, OF_DPVERIFY), LabelledSamples(points, size=size), change_one_label)


def tried(trial: Trial) -> Callable[[str, Tally, str], bool]:
    """What compares one program of a seed: whether it was decided; else the tally has why not."""

    def attempt(seed: str, tally: Tally, name: str) -> bool:
        both = trial(seed)
        written = both.written
        try:
            laws = written.laws()
        except (Irrational, NotHere):
            tally.refuse(f"{name}: ", PASSED_OVER)
            return False
        of = dict(zip(written.domain, laws, strict=True))
        pairs = [(of[left], of[right]) for left, right in written.pairs]
        if not pairs or all(len(law) == 1 for law in laws):
            tally.refuse(f"{name}: ", PASSED_OVER)
            return False
        rng = random.Random(seed)
        made = claims(pairs, rng)
        return all(
            compare_claim(
                tally, written, both.mechanism, laws, claim, False, of=name, domain=both.domain, relation=both.relation
            )
            for claim in rng.sample(made, k=2)
        )

    return attempt


Attempt = Callable[[str, Tally, str], bool]

FINITE: Final[Mapping[str, Attempt]] = {
    **{kind: tried(of_noise(kind)) for kind in noise_texts.KINDS},
    "nested parts": tried(nested),
    "parts drawn apart": tried(drawn_apart),
    "symmetric on rows": tried(symmetric_on_rows),
    "symmetric on scores": tried(symmetric_on_scores),
    "of_counts": tried(by_counts),
    "add or remove": tried(added_or_removed),
    "labels": tried(relabelled),
}
