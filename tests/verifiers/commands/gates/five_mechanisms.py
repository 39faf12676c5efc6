"""A small library with five mechanisms and their claims, as a maintainer has them, and commits that break it."""

LIBRARY = """\
"Five mechanisms."

from dpverify.mechanisms import bernoulli, discrete_laplace, exp, exponential


def most_common(draw, rows, *, epsilon):
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))


def told(draw, bit, *, epsilon):
    truly = draw(bernoulli(exp(epsilon) / (1 + exp(epsilon))))
    return bit if truly else 1 - bit


def noisy_count(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(1 / epsilon))


def above(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(1 / epsilon)) >= 2


def noisy_pair(draw, rows, *, epsilon):
    zeros, ones = rows.count(0), rows.count(1)
    return (zeros + draw(discrete_laplace(2 / epsilon)), ones + draw(discrete_laplace(2 / epsilon)))
"""

CLAIMS = """\
from dpverify.mechanisms import exp
from dpverify.verifiers import Case, Claim, Multisets, Status, Tuples, UtilityClaim

import mylib

BITS = Tuples((0, 1), size=2)


def other(bit):
    return [1 - bit]


def loud(draw, rows, *, epsilon):
    return mylib.most_common(draw, rows, epsilon=2 * epsilon)


def honest(draw, bit, *, epsilon):
    return bit


def unsure(draw, bit, *, epsilon):
    return mylib.told(draw, bit, epsilon=epsilon / 2)


def exact_count(draw, rows, *, epsilon):
    return sum(rows)


def exact_above(draw, rows, *, epsilon):
    return sum(rows) >= 1


def exact_pair(draw, rows, *, epsilon):
    return rows.count(0), rows.count(1)


CLAIMS = [
    Claim(id="mylib.most_common", mechanism=mylib.most_common, domain=Multisets(range(3), size=4), epsilon=1, mutant=loud),
    Claim(id="mylib.told", mechanism=mylib.told, domain=(0, 1), neighbours=other, epsilon=1, mutant=honest),
    UtilityClaim(
        id="mylib.told.truth", mechanism=mylib.told, cases=[Case(bit, {"epsilon": 1}) for bit in (0, 1)],
        succeeds=lambda case, told: told == case.database, beta=lambda case: 1 / (1 + exp(1)), mutant=unsure,
    ),
    Claim(id="mylib.noisy_count", mechanism=mylib.noisy_count, domain=BITS, epsilon=1, mutant=exact_count),
    Claim(id="mylib.above", mechanism=mylib.above, domain=BITS, epsilon=1, mutant=exact_above),
    Claim(id="mylib.noisy_pair", mechanism=mylib.noisy_pair, domain=BITS, epsilon=1, mutant=exact_pair),
    Claim(id="mylib.pair_at_half", mechanism=mylib.noisy_pair, domain=BITS, epsilon="1/2", parameters={"epsilon": 1}, expected=Status.REFUTED),
]
"""

HALF_THE_NOISE = (
    "sum(rows) + draw(discrete_laplace(1 / epsilon))\n\n",
    "sum(rows) + draw(discrete_laplace(1 / (2 * epsilon)))\n\n",
)
"""A commit that breaks `noisy_count`, as what it replaces and by what."""

MORE_NOISE = ("2 / epsilon", "4 / epsilon")
"""A commit after which `noisy_pair` is more private."""
