"""Utility of the threshold oracle: with whom it agrees, Lemma 4.3 of Hardt, Rothblum & Servedio."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Draw, log
from dpverify.mechanisms.release import threshold_answers
from dpverify.mechanisms.selection import Bottom
from dpverify.verifiers.catalogue.corners import BETAS, CORNERS, EPSILONS, claimed_beta
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.utility.family import Case, Family, Times, chosen, least_of, weakened


@dataclass(frozen=True)
class InClass:
    """The query that the rows satisfy that have a bit."""

    bit: int

    def __call__(self, row: int) -> int:
        """1 where a row satisfies it."""
        return row >> self.bit & 1


@lru_cache(maxsize=8)  # a mechanism is run once for each path
def with_counts(counts: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """A database of which so many of the first rows satisfy each query."""
    return tuple(sum((row < count) << bit for bit, count in enumerate(counts)) for row in range(rows))


def oracle_answers(draw: Draw, shares: tuple[tuple[int, Fraction], ...], *, rows: int, **given: Any) -> Any:
    """The oracle's answers to queries that (count, threshold) describe, on a database of so many rows."""
    database = with_counts(tuple(count for count, _ in shares), rows)
    queries = tuple((InClass(bit), threshold) for bit, (_, threshold) in enumerate(shares))
    return draw(threshold_answers, database, queries=queries, bound=len(shares), **given)


def agrees(case: Case, answers: Any) -> bool:
    """Both guarantees: an answer is right for D and for every D′ with shares within less than α/3; ⊥ is near t."""
    n, alpha = case.parameters["rows"], case.parameters["alpha"]
    for (count, t), answer in zip(case.database, answers, strict=True):
        share = Fraction(count, n)
        if answer is Bottom.BOTTOM:
            if abs(share - t) >= alpha:
                return False
        elif answer == 1:
            if share - alpha / 3 < t:
                return False
        elif share + alpha / 3 > t:
            return False
    return True


def rows_for_agreement(queries: int, *, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> int:
    """⌈30b·ln(b/β)/(εα)⌉, and at least one row."""
    return max(1, ceil(30 * queries * log(queries / beta) / (epsilon * alpha)))


def asking_case(epsilon: Fraction, beta: Fraction, alpha: Fraction, asked: list[tuple[Fraction, int, int]]) -> Case:
    """Counts at the distances from the threshold that decide: 0, α/3, α, and one row more or less."""
    n = rows_for_agreement(len(asked), alpha=alpha, beta=beta, epsilon=epsilon)
    shares = tuple((min(n, max(0, int((t + alpha * thirds / 3) * n) + more)), t) for t, thirds, more in asked)
    return Case(shares, {"rows": n, "alpha": alpha, "epsilon": epsilon}, {"beta": beta})


def askings(st: Any) -> Any:
    """Up to three thresholds with distances from them."""
    thresholds, thirds = st.sampled_from((Fraction(0), Fraction(1, 3), HALF)), st.sampled_from((-3, -1, 0, 1, 3))
    return st.lists(st.tuples(thresholds, thirds, st.integers(-1, 1)), min_size=1, max_size=3)


def two_askings(rows: int) -> Iterator[Case]:
    """Two queries at the distances that decide, at α = 1/2, ε = 1 and β = 1/20."""
    for thirds, more in product((-3, -1, 0, 1, 3), (0, 1)):
        count = int((HALF + HALF * thirds / 3) * rows) + more
        if 0 <= count <= rows:
            given = {"rows": rows, "alpha": HALF, "epsilon": Fraction(1)}
            yield Case(((count, HALF),) * 2, given, {"beta": Fraction(1, 20)})


# ±α/3 in place of ±2α/3
_HALF_THE_MARGIN: Final = weakened("oracle_with_half_the_margin", oracle_answers, alpha=Times(HALF))
agreement = Family(oracle_answers, agrees, claimed_beta, _HALF_THE_MARGIN)(
    "HRS-4.3.utility.agreement",
    "Hardt, Rothblum & Servedio, Lemma 4.3, for every D′ that has all shares within less than α/3",
    "on |D| ≥ 30b·ln(b/β)/(εα) rows, with probability ≥ 1 − β, all answers to b queries that are not ⊥ are "
    "right for D and D′, and ⊥ is given for shares within less than α of the threshold alone",
    strategy=chosen(asking_case, EPSILONS[2:], BETAS, (Fraction(1, 10), HALF, Fraction(1)), askings),
    corners={
        "ε = 1": lambda case: case.parameters["epsilon"] == EPSILONS[2],
        **{name: CORNERS[name] for name in ("the largest ε", "the least β", "β near 1")},
        "one query": lambda case: len(case.database) == 1,
        "a share at the threshold": lambda it: any(Fraction(n, it.parameters["rows"]) == t for n, t in it.database),
        "one row": lambda case: case.parameters["rows"] == 1,
    },
    sharpness=least_of(
        "rows, b = 2, α = 1/2, ε = 1, β = 1/20",
        rows_for_agreement(2, alpha=HALF, beta=Fraction(1, 20), epsilon=Fraction(1)),
        two_askings,
    ),
)
