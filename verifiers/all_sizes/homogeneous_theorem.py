"""Theorem 5 of docs/theorems.md: a claim for every ε and all scores, where both count by their product alone.

The law is found on open cones of score vectors, with ε a symbol. Where it depends on ε·s alone, F(ε·s), is continuous,
and Σ |∂F/∂x_i| ≤ c·F on each cone, no pair of neighbours under `scores_linf` needs more than c·ε, whatever ε is; under
`scores_l1` it is enough that each |∂F/∂x_i| is at most c·F.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from itertools import product as tuples
from typing import Final, TypeAlias

from flint import fmpz_mat

from dpverify.mechanisms.numbers.errors import Cut, InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, as_parameter, exact
from dpverify.mechanisms.orthants.orthant_bounds import is_nowhere_positive
from dpverify.mechanisms.orthants.orthant_polynomials import Polynomial
from dpverify.mechanisms.orthants.orthants import Chart
from dpverify.mechanisms.signs.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.signs.symbolic_epsilon import number_of
from dpverify.verifiers.all_sizes.homogeneous import RealSum, homogeneous
from dpverify.verifiers.charts.domains import Endless, Scores
from dpverify.verifiers.charts.laws import LawsOnCharts
from dpverify.verifiers.questions.moves import Shifts, moves_of
from dpverify.verifiers.questions.question import Question
from dpverify.verifiers.questions.score_domains import OrMore

NAME: Final = "Theorem 5 of docs/theorems.md, on noise whose scales are multiples of 1/ε: all real scores"

MOST_CONES: Final = 2_000
"""Cones that are looked at before the theorem is left alone."""

_MOST_PIECES: Final = 64
"""Cones into which one is subdivided for one inequality."""

Generators: TypeAlias = tuple[tuple[int, ...], ...]
"""Those of a cone: score vectors, of which the points of the open cone are sums with positive factors."""

LawOnCone: TypeAlias = Mapping[Hashable, RealSum]
"""Outcome → its probability as a function of the factors, times ε, of the generators."""


class _LeftAlone(Exception):
    """The theorem does not speak of the mechanism, or its condition is not seen to hold."""


def holds(laws: LawsOnCharts, question: Question, domain: Endless) -> int | None:
    """Number of cones on which the theorem's condition holds, so that the claim holds; None where it does not.

    `laws` are those of the mechanism with the symbolic ε, which are the claim's, too.
    """
    claim, symbol, moves = question.claim, question.symbol, moves_of(question.neighbours)
    share = None if symbol is None else _multiple_of(claim.epsilon, symbol)
    if type(domain) is not Scores or isinstance(domain.solutions, OrMore) or claim.delta is not ZERO:
        return None
    if symbol is None or share is None:
        return None
    if not isinstance(moves, Shifts) or moves.one_moves is None or moves.best_is_0:
        return None
    try:
        return _Cones(laws, domain.fewest, moves.one_moves, exact(share), symbol).checked()
    except (_LeftAlone, Undecided, InputError):  # whatever is wrong, regions will say it
        return None


def _multiple_of(epsilon: Exact, symbol: EpsilonSymbol) -> Fraction | None:
    """The rational c for which ε is c times the symbol; None where there is none."""
    share = as_parameter(epsilon / number_of(symbol))
    return share if isinstance(share, Fraction) else None


@dataclass(frozen=True)
class _Cones:
    laws: LawsOnCharts
    dimension: int
    one_moves: bool
    share: Exact
    epsilon: EpsilonSymbol

    def checked(self) -> int:
        """The number of cones. Raises `_LeftAlone` where the condition is not seen to hold on one."""
        cones = 0
        for signs in tuples((1, -1), repeat=self.dimension):
            units = tuple(tuple(sign if i == j else 0 for i in range(self.dimension)) for j, sign in enumerate(signs))
            for generators, law in self._parts(units):
                cones += 1
                if cones > MOST_CONES:
                    raise _LeftAlone
                self._refuse_jumps(generators, law)
                for outcome in law:
                    self._refuse_steep(generators, law[outcome])
        return cones

    def _parts(self, generators: Generators, *, with_faces: bool = False) -> Iterator[tuple[Generators, LawOnCone]]:
        """The cone, or the open cones into which it is cut until there is one law on each.

        Together they are the cone but for faces between them, which are among them where that is asked for.
        """
        waiting = [generators]
        looked_at = 0
        while waiting:
            looked_at += 1
            if looked_at > MOST_CONES:
                raise _LeftAlone
            cone = tuple(sorted(waiting.pop(), reverse=True))
            try:
                yield cone, self._law(cone)
            except Cut as cut:
                if cut.j is None:  # something else counts than the directions of scores
                    raise _LeftAlone from None
                one, other = cone[cut.i], cone[cut.j]
                both = tuple(a + b for a, b in zip(one, other, strict=True))
                rest = tuple(each for i, each in enumerate(cone) if i not in (cut.i, cut.j))
                waiting += [(one, both, *rest), (both, other, *rest)]
                if with_faces:
                    waiting.append((both, *rest))

    def _law(self, generators: Generators) -> LawOnCone:
        """The law on an open cone. Raises `Cut` where there is no one law, and `_LeftAlone`."""
        base = tuple(sum(vector[i] for vector in generators) for i in range(self.dimension))
        rows = tuple(tuple(vector[i] for vector in generators) for i in range(self.dimension))
        law = self.laws(Chart(base, rows))
        if law.released:
            raise _LeftAlone
        law_on_cone = {}
        for outcome, probability in law.finite.items():
            of_products = homogeneous(probability, len(generators), self.epsilon)
            if of_products is None:
                raise _LeftAlone
            law_on_cone[outcome] = of_products
        return law_on_cone

    def _refuse_jumps(self, generators: Generators, law: LawOnCone) -> None:
        """Raises `_LeftAlone` unless the law on each face is what the law on the cone becomes there."""
        for size in range(len(generators)):
            for kept in combinations(range(len(generators)), size):
                face = tuple(generators[i] for i in kept)
                for part, law_there in self._parts(face, with_faces=True):
                    images = [[0] * len(part) for _ in generators]
                    for i, row in zip(kept, _factors(face, part), strict=True):
                        images[i] = row
                    for outcome in {**law, **law_there}:
                        limit = law.get(outcome, RealSum(len(generators), {})).along(images, len(part))
                        if not limit.is_same(law_there.get(outcome, RealSum(len(part), {}))):
                            raise _LeftAlone

    def _refuse_steep(self, generators: Generators, f: RealSum) -> None:
        """Raises `_LeftAlone` unless Σ |∂f/∂x_i| ≤ c·f on the whole cone."""
        allowed = f.times(-self.share)
        slopes = _by_scores(generators, f)
        for step in _steps(self.dimension, self.one_moves):
            excess = allowed
            for sign, slope in zip(step, slopes, strict=True):
                if sign:
                    excess = excess.plus(slope.times(exact(sign)))
            if not _is_nowhere_positive(excess.polynomial):
                raise _LeftAlone


def _factors(face: Generators, part: Generators) -> list[list[int]]:
    """For each generator of a face, how often it is in each of the generators of a part of it."""
    if not face:
        return []
    unknown = [list(vector) for vector in face]
    return [list(row) for row in zip(*(_in_terms_of(unknown, vector) for vector in part), strict=True)]


def _in_terms_of(vectors: Sequence[Sequence[int]], vector: Sequence[int]) -> list[int]:
    """The whole factors with which vectors, which are part of a basis of all whole ones, sum up to one."""
    gram = fmpz_mat([[sum(a * b for a, b in zip(u, v, strict=True)) for v in vectors] for u in vectors])
    right = fmpz_mat([[sum(a * b for a, b in zip(u, vector, strict=True))] for u in vectors])
    solution = gram.solve(right)
    return [int(solution[i, 0].p) for i in range(len(vectors))]


def _by_scores(generators: Generators, f: RealSum) -> list[RealSum]:
    """The derivatives by each score, of a function of the factors of the generators."""
    inverse = fmpz_mat([list(row) for row in zip(*generators, strict=True)]).inv()
    real_sums = []
    for i in range(len(generators)):
        slope = RealSum(f.dimension, {})
        for j, derivative in enumerate(f.derivatives):
            factor = inverse[j, i]
            if factor:
                slope = slope.plus(derivative.times(exact(Fraction(int(factor.p), int(factor.q)))))
        real_sums.append(slope)
    return real_sums


def _steps(dimension: int, one_moves: bool) -> Iterator[tuple[int, ...]]:
    """The directions, both ways, in which neighbours lie: the corners of the cube, or the axes."""
    if not one_moves:
        yield from tuples((1, -1), repeat=dimension)
        return
    for i in range(dimension):
        for sign in (1, -1):
            yield tuple(sign if i == j else 0 for j in range(dimension))


def _is_nowhere_positive(f: Polynomial) -> bool:
    """True where f ≤ 0 for all real numbers ≥ 0, by bounds that hold for these, on parts y_i ≥ y_j and y_j ≥ y_i."""
    waiting = [(f, 0)]
    pieces = 0
    while waiting:
        pieces += 1
        part, depth = waiting.pop()
        if is_nowhere_positive(part):
            continue
        pairs = list(combinations(part.places, 2))
        if pieces > _MOST_PIECES or not pairs:
            return False
        i, j = pairs[depth % len(pairs)]
        waiting += [(part.combined(i, j, 0), depth + 1), (part.combined(j, i, 0), depth + 1)]
    return True
