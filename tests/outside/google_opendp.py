"""Google's differential-privacy, PipelineDP and OpenDP: the algorithm of each as its code has it."""

import math
from fractions import Fraction
from itertools import combinations

from tests.outside.published import by_one, published

from dpverify.mechanisms import (
    Distribution,
    bernoulli,
    clamp,
    discrete_laplace,
    exact,
    exp,
    exponential_noise,
    gumbel,
    laplace,
    log,
    uniform,
    uniform_noise,
)
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, add_or_remove_one, scores_linf


@published(
    "magic partition selection (near truncated geometric)",
    "google cc",
    Multisets((0,), sizes=range(26)),
    add_or_remove_one,
    delta=Fraction(1, 100),
    found="δ = 1/100",
)
def magic(draw, rows, *, epsilon, delta):
    n = len(rows)
    e = exact(epsilon)

    def em(x):
        return exp(x) - 1

    tanh = (exp(e) - 1) / (exp(e) + 1)
    c1 = 1 + math.floor(log(1 + tanh * (1 / delta - 1)) / e)

    def p(m):
        return em(m * e) / em(e) * delta

    c2 = c1 + math.floor(log(1 + em(e) / delta * (1 - p(c1))) / e)
    if n <= 0:
        q = 0
    elif n <= c1:
        q = p(n)
    elif n <= c2:
        m = n - c1
        q = p(c1) - (1 - p(c1) + delta / em(e)) * em(-m * e)
    else:
        q = 1
    return draw(bernoulli(q)) if 0 < q < 1 else q == 1


@published(
    "Laplace partition selection, value released",
    "google cc / smartnoise tau",
    Multisets(("a", "b"), sizes=range(7)),
    add_or_remove_one,
    delta=Fraction(1, 100),
    found="δ = 1/100",
)
def lapsel(draw, rows, *, epsilon, delta):
    t = 1 - log(2 * delta) / epsilon
    out = []
    for k in sorted(set(rows)):
        v = rows.count(k) + draw(laplace(1 / epsilon))
        out.append((k, v if v > t else None))
    return tuple(x for x in out if x[1] is not None)


@published(
    "BoundedMean (midpoint-normalised sum / count)",
    "google cc",
    Multisets(range(3), sizes=range(4)),
    add_or_remove_one,
    found="ε ≤ 1",
)
def gmean(draw, rows, *, epsilon):
    s = sum(x - 1 for x in rows) + draw(laplace(2 * 1 / epsilon))
    c = len(rows) + draw(laplace(2 / epsilon))
    c = max(c, 1)
    return clamp(s / c + 1, 0, 2)


@published(
    "quantile tree (binary tree of counts, height 2)",
    "google cc",
    Multisets(range(4), sizes=range(3)),
    add_or_remove_one,
    found="ε ≈ 0.620114",
)
def qtree(draw, rows, *, epsilon):
    def lvl(h):
        return [sum(1 for x in rows if x >> (2 - h) == i) + draw(laplace(2 / epsilon)) for i in range(2**h)]

    a = lvl(1)
    b = lvl(2)
    left = max(a[0], 0)
    right = max(a[1], 0)
    h = 0 if left >= right else 1
    c = [b[2 * h], b[2 * h + 1]]
    return 2 * h + (0 if c[0] >= c[1] else 1)


@published(
    "ApproxBounds (histogram of log2 bins over a threshold)",
    "google cc",
    Multisets((1, 2, 4), sizes=range(4)),
    add_or_remove_one,
    found="ε = 1",
)
def approx(draw, rows, *, epsilon):
    bins = [sum(1 for x in rows if x == 2**i) + draw(laplace(1 / epsilon)) for i in range(3)]
    ok = [i for i, b in enumerate(bins) if b > 2]
    return (2 ** ok[0], 2 ** ok[-1]) if ok else None


@published(
    "user-level: each user at most 2 rows, bounded sum",
    "google / PipelineDP",
    Tuples(((), (0,), (1,), (0, 1), (1, 1), (1, 1, 1)), size=2),
    found="ε = 1",
)
def user(draw, users, *, epsilon):
    return sum(sum(u[:2]) for u in users) + draw(laplace(2 / epsilon))


@published(
    "user-level, 2 rows of a user sampled at random",
    "PipelineDP",
    Tuples(((), (0,), (1, 1), (0, 1, 1)), size=2),
    found="ε = 1",
)
def user2(draw, users, *, epsilon):
    t = 0
    for u in users:
        c = list(combinations(u, 2)) or [u]
        t += sum(draw(uniform(range(1, len(c) + 1))) and c[draw(uniform(tuple(range(len(c)))))])
    return t + draw(laplace(2 / epsilon))


@published("make_noisy_max, Gumbel", "opendp", ScoreSpace(range(4), solutions=3), scores_linf, found="ε ≈ 0.840896")
def omax(draw, q, *, epsilon):
    s = [x + draw(gumbel(2 / epsilon)) for x in q]
    return s.index(max(s))


@published(
    "make_noisy_top_k, k=2, Gumbel one shot",
    "opendp",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    found="ε ≈ 0.476694",
)
def topk(draw, q, *, epsilon):
    s = [x + draw(gumbel(4 / epsilon)) for x in q]
    return tuple(sorted(range(3), key=lambda i: s[i], reverse=True)[:2])


@published(
    "above_threshold with exponential noise",
    "opendp 0.14",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    found="ε = 3/2",
    private=False,
)
def aexp(draw, q, *, epsilon):
    t = 1 + draw(exponential_noise(2 / epsilon))
    out = []
    for x in q:
        a = x + draw(exponential_noise(2 / epsilon)) >= t
        out.append(a)
        if a:
            break
    return tuple(out)


@published(
    "canonical noise / Tulap (DL + uniform), released", "opendp", Tuples(range(3), size=1), by_one(3), found="ε = 1"
)
def tulap(draw, r, *, epsilon):
    return r[0] + draw(discrete_laplace(1 / epsilon)) + draw(uniform_noise("-0.5", "0.5"))


@published(
    "make_gaussian (discrete Gaussian) on ints",
    "opendp / Census TopDown",
    Tuples(range(3), size=1),
    delta=Fraction(1, 10**3),
    found="δ ≈ 0.0315612",
    private=False,
)
def dgauss(draw, r, *, epsilon, delta):
    s = 3
    return r[0] + draw(Distribution({k: exp(-Fraction(k * k, 2 * s * s)) for k in range(-40, 41)}))


@published(
    "make_select_private_candidate (repeat till score>=T)",
    "opendp / Liu-Talwar",
    Tuples(range(3), size=1),
    by_one(3),
    epsilon=2,
    found="ε = ln(-9/11 + 20/11·e)",
)
def spc(draw, r):
    while True:
        s = r[0] + draw(laplace(1))
        if s >= 1:
            return s
        if draw(bernoulli("0.1")):
            return None


@published(
    "Liu-Talwar, finite candidates, loop as geometric series",
    "own bend",
    Tuples(range(3), size=1),
    by_one(3),
    epsilon=2,
    found="ε ≈ 1.84528",
)
def spc2(draw, r):
    law = {k: exp(-abs(k - r[0])) / sum(exp(-abs(j - r[0])) for j in range(3)) for k in range(3)}
    p = sum(law[k] for k in (1, 2))
    stop = Fraction(1, 10)
    Z = p + (1 - p) * stop
    return draw(Distribution({None: (1 - p) * stop / Z, 1: law[1] / Z, 2: law[2] / Z}))


@published(
    "b-ary tree (range counts), all nodes released",
    "opendp",
    Multisets(range(4), sizes=range(4)),
    add_or_remove_one,
    found="ε = 1",
)
def btree(draw, rows, *, epsilon):
    return tuple(
        sum(1 for x in rows if x >> (2 - h) == i) + draw(discrete_laplace(3 / epsilon))
        for h in range(3)
        for i in range(2**h)
    )


@published(
    "ALP histogram (random projection bits)",
    "opendp",
    Multisets(range(2), sizes=range(3)),
    add_or_remove_one,
    found="ε = 1",
)
def alp(draw, rows, *, epsilon):
    m = 4
    bits = [0] * m
    for v in range(2):
        y = rows.count(v)
        for _j in range(y):
            bits[draw(uniform(range(m)))] = 1
    return tuple(b ^ draw(bernoulli(1 / (exp(epsilon) + 1))) for b in bits)
