"""The lower bound by tracing, run on codes that are small enough for the best private mechanism of all.

An accurate learner gives a feasible word; so the problem is to answer with one. With d columns of each of the types
0, …, n, in random order, Acc accuses nobody of a word that is not 0 on type 0 and 1 on type n, and otherwise user s
with probability in proportion to w_s − w_(s−1), where that is positive: a rule of ours, for which few columns do.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import comb, prod
from typing import Any, TypeAlias

from dpverify.mechanisms import Distribution, Exact, distribution, exact, exp, log
from dpverify.mechanisms.learners import generic_learner
from dpverify.mechanisms.learners.tracing import rounded_average
from dpverify.mechanisms.numbers.exact_numbers import ZERO, total
from dpverify.mechanisms.sanitizers import Threshold
from dpverify.verifiers.claims import Broken
from dpverify.verifiers.lower_bounds.family import BoundFamily, HardInstance, Law, Parameters, a_tenth_too_little

Word: TypeAlias = tuple[int, ...]
Codebook: TypeAlias = tuple[Word, ...]
"""The codewords of the users 1, …, n: the labels of their rows, which are the points 0, …, n − 1."""


def orders(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All orders of so many columns of each type, as types."""
    if not any(counts):
        yield ()
    for kind, number in enumerate(counts):
        if number:
            rest = (*counts[:kind], number - 1, *counts[kind + 1 :])
            yield from ((kind, *order) for order in orders(rest))


@lru_cache(maxsize=8)
def types_of(users: int, copies: int) -> dict[Codebook, tuple[int, ...]]:
    """Every codebook, which is the matrix with its columns in some order, and the secret types of its columns."""
    return {
        tuple(tuple(int(user <= kind) for kind in types) for user in range(1, users + 1)): types
        for types in orders((copies,) * (users + 1))
    }


def is_feasible(rows: Codebook, word: Word) -> bool:
    """True where each bit is that of some user."""
    return all(min(column) <= bit <= max(column) for column, bit in zip(zip(*rows, strict=True), word, strict=True))


def accusation(users: int, copies: int, types: Sequence[int], word: Word) -> dict[int, Fraction]:
    """User → the probability that Acc accuses it."""
    weights = [0] * (users + 1)
    for kind, bit in zip(types, word, strict=True):
        weights[kind] += bit
    if weights[0] or weights[-1] < copies:
        return {}
    jumps = {user: max(0, b - a) for user, (a, b) in enumerate(pairwise(weights), start=1)}
    return {user: Fraction(jump, sum(jumps.values())) for user, jump in jumps.items()}


def suspicion(users: int, copies: int, user: int) -> Fraction:
    """The most with which a user is accused whose row is not there: over the 1s on the two types that look alike.

    Positive jumps add up to d at least. User 1 is accused only if none of the 1s is on type 0, and user n only if no 0
    is on type n.
    """
    d = copies
    if users == 1:
        return Fraction(1, comb(2 * d, d))
    if user in (1, users):
        return max(Fraction(ones * comb(d, ones), d * comb(2 * d, ones)) for ones in range(1, d + 1))
    return max(
        Fraction(sum((ones - 2 * a) * comb(d, a) * comb(d, ones - a) for a in range(max(0, ones - d), ones // 2 + 1)))
        / (d * comb(2 * d, ones))
        for ones in range(2 * d + 1)
    )


def incomplete(case: Parameters) -> str | None:
    """A feasible word of which somebody is not accused for certain, in words."""
    n, d = case["users"], case["copies"]
    for rows, types in types_of(n, d).items():
        for word in product((0, 1), repeat=(n + 1) * d):
            if is_feasible(rows, word) and sum(accusation(n, d, types, word).values()) != 1:
                return f"{word} of {rows}"
    return None


def unsound(case: Parameters, part: Fraction = Fraction(1)) -> str | None:
    """A word that has a user accused whose row is not there with more than that part of `suspicion`, in words."""
    n, d = case["users"], case["copies"]
    for user in range(1, n + 1):
        alike: dict[Codebook, list[tuple[int, ...]]] = defaultdict(list)
        for rows, types in types_of(n, d).items():
            alike[rows[: user - 1] + rows[user:]].append(types)
        others, books = min(alike.items())  # one set of the others' codewords is like another
        for word in product((0, 1), repeat=(n + 1) * d):
            accused = sum(accusation(n, d, types, word).get(user, Fraction(0)) for types in books) / len(books)
            if accused > part * suspicion(n, d, user):
                return f"{others} give {word}: user {user} is accused with probability {accused}"
    return None


def epsilon_of(case: Parameters) -> Exact:
    """ε = 2k·ln(odds): with 2·ln(odds) for each column all probabilities are rational."""
    columns: int = (case["users"] + 1) * case["copies"]
    return 2 * columns * log(case["odds"])


def forced_by_tracing(case: Parameters) -> Exact:
    """Σ e^ε·η_i ≥ Σ Pr[Acc = i] = the probability of a feasible word."""
    n, d = case["users"], case["copies"]
    return exp(epsilon_of(case)) * exact(sum((suspicion(n, d, user) for user in range(1, n + 1)), start=Fraction(0)))


def words(case: Parameters) -> HardInstance:
    """To answer with a feasible word of the codebook, which is a database; columns may change places."""
    columns = (case["users"] + 1) * case["copies"]

    def swapped(i: int) -> tuple[Any, Any]:
        def word(bits: Word) -> Word:
            return (*bits[:i], bits[i + 1], bits[i], *bits[i + 2 :])

        return (lambda rows: tuple(map(word, rows))), word

    outcomes: Sequence[Hashable] = tuple(product((0, 1), repeat=columns))
    return HardInstance(
        databases=tuple(types_of(case["users"], case["copies"])),
        outcomes=outcomes,
        succeeds=is_feasible,
        symmetries=[swapped(i) for i in range(columns - 1)],
    )


def direct_sum_of_generic(case: Parameters) -> Law:
    """The word of the direct sum of generic learners, 2·ln(odds) for each column."""
    n = case["users"]
    concepts = tuple(map(Threshold, range(n + 1)))

    def ones(kind: int) -> Exact:
        sample = tuple((i, int(i < kind)) for i in range(n))
        law = distribution(generic_learner, sample, hypotheses=concepts, epsilon=2 * log(case["odds"]))
        return total([ZERO, *(p for h, p in law.probabilities.items() if rounded_average(h, n))])

    chances = {kind: {1: ones(kind), 0: 1 - ones(kind)} for kind in range(n + 1)}

    @lru_cache(maxsize=4096)
    def of_weights(bits: tuple[tuple[int, int], ...]) -> Exact:
        return prod((chances[kind][bit] for kind, bit in bits), start=exact(1))

    def law(rows: Codebook) -> Distribution[Word]:
        types = types_of(n, case["copies"])[rows]
        found = product((0, 1), repeat=len(types))
        return Distribution({word: of_weights(tuple(sorted(zip(types, word, strict=True)))) for word in found})

    return law


traced_learners = BoundFamily(
    forced_by_tracing,
    words,
    {"somebody is accused of a feasible word": incomplete, "η bounds who is not there": unsound},
    {"direct sum": direct_sum_of_generic},
    epsilon=epsilon_of,
)(
    "BuNS-4.3.lower-bound.words",
    "Bun, Nissim & Stemmer, Theorem 4.3, on few columns, with an accusation of ours",
    "an ε-private learner of k = (n + 1)·d thresholds on n rows gives a feasible word with probability "
    "≤ e^ε·Σ η_i, where η_i is the most with which user i is accused without its row; n = 1 with d ≤ 3, and n = d = 2",
    [
        {"users": users, "copies": copies, "odds": odds}
        for users, copies in ((1, 1), (1, 2), (1, 3), (2, 2))
        for odds in (Fraction(101, 100), Fraction(41, 40))
    ],
    a_tenth_too_little,
    Broken("no two codebooks are related", {"instance": lambda case: words(case).unrelated}),
    Broken("half of η", {"properties": {"η": lambda case: unsound(case, Fraction(1, 2))}}),
)
