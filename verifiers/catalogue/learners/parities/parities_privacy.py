"""Privacy of the learner of many parities: Algorithm 4 of Bun, Nissim & Stemmer; of one bit, and of several bits.

The learner sees of a subsample the vector of parities that it determines, or ⊥, and of the vectors how often each
occurs: one row changes one vector. What it releases depends on the best vector and its gap alone. On counts of two
vectors, and of ⊥, all changes of these that one row can make occur: so they stand for all databases.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact
from dpverify.mechanisms.learners import Parity, learn_parities
from dpverify.mechanisms.learners.multi_learners import Row as Labelled
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers import Tuples
from dpverify.verifiers.catalogue.families import BY_DEFAULT, MILLIONTH, SYMBOLS, TENTH
from dpverify.verifiers.catalogue.finite import CHOSEN
from dpverify.verifiers.catalogue.learners.multi_learners_privacy import rows_on_two_points
from dpverify.verifiers.catalogue.mutants import as_printed, without_a_dist
from dpverify.verifiers.catalogue.refuted import A_DIST_OF_BUNS
from dpverify.verifiers.privacy.family import EveryDatabase, Mechanism, Row, family, rows_of


def parity_index(draw: Draw, rows: Sequence[Labelled], *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The k-learner of parities on one bit, from one row each: which parity, or None for ⊥."""
    found = learn_parities(draw, rows, d=1, k=1, size=1, epsilon=epsilon, delta=delta, selection=selection)
    return found[0].y if isinstance(found, tuple) else None


ON_TWO_POINTS: Final = EveryDatabase(rows_on_two_points(1)).for_every(*SYMBOLS)
SUBSAMPLES: Final = [*Tuples(rows_on_two_points(1), size=4), *(((1, 0),) * n + ((1, 1),) * (10 - n) for n in range(5))]
"""All of four subsamples of one row, and such of ten in which A_dist begins to tell one parity, at a gap of 5."""
_BUNS: Final = "Bun, Nissim & Stemmer, Algorithm 4 and Theorem 3.12"
_PRINTED: Final = (
    Row("printed", "A_dist as printed").having(refuted=A_DIST_OF_BUNS).run_with(selection=choose_by_stability_journal)
)
_CORRECTED: Final = Row("corrected", "the corrected A_dist").run_with(selection=choose_by_stability)
parities = family(
    Row("BuNS-3.12.privacy.")
    .says("the learner of parities {} is (1,1/10)-private, on four and on ten subsamples of one row")
    .having(source=_BUNS, domain=SUBSAMPLES, epsilon=1, delta=TENTH),
    *rows_of(
        Row("", "with {}")
        .having(mechanism=parity_index)
        .having(mutant=without_a_dist("most frequent vector", parity_index, "parity_without_a_dist")),
        Row().having(finite_because=CHOSEN).of(_PRINTED),
        Row().having(all_sizes=ON_TWO_POINTS).of(_CORRECTED),
    ),
    Row("default", BY_DEFAULT)
    .having(mechanism=learn_parities, mutant=as_printed(learn_parities), all_sizes=ON_TWO_POINTS)
    .run_with(d=1, k=1, size=1),
)

# Several parities of several bits, at ε = 1 and δ = 10⁻⁶.
Counts = tuple[int, int, int]
"""The numbers of subsamples that give the vector `FIRST`, `SECOND`, and ⊥."""
FIRST: Final = (1, 2)
SECOND: Final = (3, 0)
_POINTS: Final = (0, 1, 2, 3, 1)
"""The points of a subsample of d + 3 rows, of full rank."""


def labelled_by(vector: tuple[int, int]) -> tuple[Labelled, ...]:
    """The subsample of `_POINTS`, labelled by two parities."""
    return tuple((x, sum(Parity(y)(x) << j for j, y in enumerate(vector))) for x in _POINTS)


_CONTRADICTORY: Final = (*labelled_by(FIRST)[:-1], (1, 0))
"""In its last row point 1 has other labels than before."""


def two_parities(draw: Draw, counts: Counts, *, selection: Mechanism, epsilon: Exact, delta: Exact) -> Any:
    """The learner of two parities of two bits, from subsamples of five rows: which parities, or ⊥."""
    kinds = (labelled_by(FIRST), labelled_by(SECOND), _CONTRADICTORY)
    rows = tuple(row for kind, number in zip(kinds, counts, strict=True) for row in kind * number)
    found = learn_parities(draw, rows, d=2, k=2, size=5, epsilon=epsilon, delta=delta, selection=selection)
    return tuple(h.y for h in found) if isinstance(found, tuple) else found


def another_subsample(counts: Counts) -> Iterator[Counts]:
    """The counts where one subsample gives something else."""
    for i, j in permutations(range(3), 2):
        if counts[i]:
            first, second, none = (count + (place == j) - (place == i) for place, count in enumerate(counts))
            yield first, second, none


def all_of(n: int) -> list[Counts]:
    """All counts of so many subsamples."""
    return [(first, second, n - first - second) for first in range(n + 1) for second in range(n + 1 - first)]


def telling(counts: Counts) -> bool:
    """True where the gap is next to the threshold, at 28.2 for the corrected A_dist, or the best vector may change."""
    return abs(counts[0] - counts[1]) >= 26 or counts[0] + counts[1] <= 4


_ON_32: Final = " is (1, 10⁻⁶)-private, on 32 subsamples of five rows"
two_bits = family(
    Row("BuNS-3.12.privacy.", "the learner of two parities of two bits with ")
    .having(source=f"{_BUNS}, formulas as reconstructed", mechanism=two_parities, neighbours=another_subsample)
    .having(domain=list(filter(telling, all_of(32))), epsilon=1, delta=MILLIONTH)
    .having(mutant=without_a_dist("most frequent vector", two_parities)),
    Row("-two-bits", _ON_32).of(_PRINTED),
    *rows_of(
        Row().having(finite_because=CHOSEN).of(_CORRECTED),
        Row("-two-bits", f"{_ON_32}, next to its threshold or nearly tied"),
        Row("-two-bits-all", f"{_ON_32}: all counts of two vectors and ⊥").having(domain=all_of(32), depth="report"),
    ),
)
