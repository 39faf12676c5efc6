"""SmartNoise, PATE, local and shuffled privacy, streams, k-means and what else papers publish as pseudo-code."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from tests.outside.published import by_one, published

from dpverify.mechanisms import (
    Distribution,
    bernoulli,
    clamp,
    discrete_laplace,
    exp,
    exponential,
    laplace,
    log,
    uniform,
    uniform_noise,
)
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, add_or_remove_one, scores_linf


@published("MWEM, 2 rounds, 3 cells", "smartnoise synth", Multisets(range(3), size=2), found="ε ≈ 0.652187")
def mwem(draw, rows, *, epsilon):
    n = len(rows)
    w = [Fraction(n, 3)] * 3
    e = Fraction(epsilon) / 4
    out = []
    qs = [(0,), (1,), (0, 1)]
    for _ in range(2):
        err = {q: abs(sum(rows.count(i) for i in q) - sum(w[i] for i in q)) for q in range(3) for q in [qs[q]]}
        q = draw(exponential(err, e))
        m = clamp(sum(rows.count(i) for i in q) + draw(discrete_laplace(1 / e)), 0, n)
        d = m - sum(w[i] for i in q)
        w = [x * (2 if i in q and d > 0 else 1) for i, x in enumerate(w)]
        t = sum(w)
        w = [x * n / t for x in w]
        out.append((q, m))
    return tuple(out), tuple(w)


@published(
    "PrivBayes: pick a parent set, noisy conditional",
    "PrivBayes / smartnoise",
    Tuples(((0, 0), (0, 1), (1, 0), (1, 1)), size=2),
    found="ε ≈ 0.648138",
)
def privbayes(draw, rows, *, epsilon):
    e = Fraction(epsilon) / 2
    sc = {p: sum(1 for r in rows if r[0] == r[1]) if p else 0 for p in (0, 1)}
    p = draw(exponential(sc, e))
    cells = [clamp(rows.count((a, b)) + draw(laplace(2 / e)), 0, 100) for a in (0, 1) for b in (0, 1)]
    return (p, *tuple(cells))


@published(
    "PATE LNMax (Papernot), gamma: Lap(1/g), 2g per query",
    "PATE",
    ScoreSpace(range(4), solutions=3),
    scores_linf,
    epsilon=2,
    found="ε ≈ 1.93358",
    given={"gamma": 1},
)
def pate(draw, q, *, gamma):
    s = [x + draw(laplace(1 / gamma)) for x in q]
    return s.index(max(s))


@published(
    "PATE GNMax (Gaussian votes)", "PATE 2018", Multisets(range(2), size=3), delta=Fraction(1, 1000), found="δ = 0"
)
def gnmax(draw, rows, *, epsilon):
    r = np.random.default_rng()
    s = [rows.count(i) + r.normal(0, 4) for i in range(2)]
    return s.index(max(s))


@published("k-ary randomized response", "LDP", Tuples(range(8), size=1), found="ε = 1")
def krr(draw, r, *, epsilon):
    return draw(Distribution({v: exp(epsilon) if v == r[0] else 1 for v in range(8)}))


@published("OLH: random hash to 3, then 3-RR", "LDP", Tuples(range(4), size=1), found="ε = 1")
def olh(draw, r, *, epsilon):
    h = tuple(draw(uniform(range(3))) for _ in range(4))
    return h, draw(Distribution({v: exp(epsilon) if v == h[r[0]] else 1 for v in range(3)}))


@published("Hadamard response, 8 values", "LDP", Tuples(range(8), size=1), found="ε = 1")
def hadamard(draw, r, *, epsilon):
    j = draw(uniform(range(8)))
    s = bin(j & r[0]).count("1") & 1
    return j, s ^ draw(bernoulli(1 / (exp(epsilon) + 1)))


@published(
    "shuffled randomized response, n=8: (e0=1) claim e=.7,d=.05",
    "shuffle model",
    Tuples((0, 1), size=8),
    epsilon="0.7",
    delta="0.05",
    found="δ ≈ 0.0211457",
    given={"e0": 1},
)
def shuffle_rr(draw, rows, *, e0):
    return sum(int(b) ^ draw(bernoulli(1 / (exp(e0) + 1))) for b in rows)


@published(
    "Poisson subsampling + Laplace count: ln(1+q(e^e-1))",
    "amplification",
    Multisets((0, 1), sizes=range(5)),
    add_or_remove_one,
    epsilon=log(1 + Fraction(1, 4) * (exp(1) - 1)),
    found="ε = ln(3/4 + 1/4·e)",
)
def poisson(draw, rows):
    return sum(r for r in rows if draw(bernoulli("0.25"))) + draw(laplace(1))


@published(
    "subsampling without replacement 2 of 4 + Laplace",
    "amplification",
    Multisets((0, 1), size=4),
    epsilon=log(1 + Fraction(1, 2) * (exp(1) - 1)),
    found="ε = ln(1/2 + 1/2·e)",
)
def wor(draw, rows):
    s = draw(uniform(tuple(combinations(range(4), 2))))
    return sum(rows[i] for i in s) + draw(laplace(1))


@published("binary tree mechanism for a stream, T=4", "Chan-Shi-Song", Tuples((0, 1), size=4), found="ε = 1")
def stream(draw, x, *, epsilon):

    def n():
        return draw(laplace(3 / epsilon))

    p1 = x[0] + n()
    p12 = x[0] + x[1] + n()
    p3 = x[2] + n()
    p14 = sum(x) + n()
    return p1, p12, p12 + p3, p14


@published(
    "AboveThreshold with Gaussian noise",
    "Zhu-Wang 2020",
    ScoreSpace(range(3), solutions=2),
    scores_linf,
    delta=Fraction(1, 1000),
    found="δ = 0",
)
def agauss(draw, q, *, epsilon):
    r = np.random.default_rng()
    t = 1 + r.normal(0, 4)
    return tuple(x + r.normal(0, 8) >= t for x in q)


@published(
    "DP k-means, one Lloyd step: noisy counts and sums per cluster",
    "diffprivlib/Google",
    Tuples(range(4), size=2),
    found="ε = 5/6",
)
def kmeans(draw, rows, *, epsilon):
    c = (0, 3)
    out = []
    for j in (0, 1):
        mine = [x for x in rows if (abs(x - c[0]) <= abs(x - c[1])) == (j == 0)]
        out.append((len(mine) + draw(discrete_laplace(4 / epsilon)), sum(mine) + draw(laplace(12 / epsilon))))
    return tuple(out)


@published("the same, the centre sum/count", "diffprivlib/Google", Tuples(range(4), size=2), found="ε ≤ 0.833333333333")
def kmeans2(draw, rows, *, epsilon):
    return tuple(s / max(n, 1) for n, s in kmeans(draw, rows, epsilon=epsilon))


@published(
    "private heavy hitters: prefix tree, keep if noisy count > t",
    "PEM / TreeHist",
    Multisets(range(4), sizes=range(4)),
    add_or_remove_one,
    found="ε = 1",
)
def pem(draw, rows, *, epsilon):
    out = []
    for b in (0, 1):
        if sum(1 for x in rows if x >> 1 == b) + draw(laplace(2 / epsilon)) > 1:
            for x in (2 * b, 2 * b + 1):
                if rows.count(x) + draw(laplace(2 / epsilon)) > 1:
                    out.append(x)
    return tuple(out)


@published(
    "planar/metric DP on a line: geo-indistinguishability",
    "metric DP",
    Tuples(range(4), size=1),
    by_one(4),
    found="ε = 1",
)
def metric(draw, r, *, epsilon):
    return r[0] + draw(laplace(1 / epsilon))


@published(
    "Opacus DP-SGD step (Poisson sample, clip, Gaussian)",
    "Opacus",
    Multisets((0, 1), sizes=range(3)),
    add_or_remove_one,
    delta=Fraction(1, 10**5),
    found="δ ≈ 1.37747e-6",
)
def dpsgd(draw, rows, *, epsilon):
    r = np.random.default_rng()
    s = [x for x in rows if draw(bernoulli("0.25"))]
    return sum(min(x, 1) for x in s) + r.normal(0, 2)


@published(
    "generalised PTR: stable mode (A_dist like), gap",
    "distance to instability",
    Multisets(range(3), size=4),
    delta=Fraction(1, 100),
    found="δ = 1/100",
)
def mode(draw, rows, *, epsilon, delta):
    c = sorted((rows.count(i), i) for i in range(3))
    return (
        c[-1][1] if c[-1][0] - c[-2][0] + draw(laplace(2 / epsilon)) > 2 * log(1 / (2 * delta)) / epsilon + 2 else None
    )


@published(
    "free-gap noisy max: winner and gap",
    "Ding et al. 2019",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    found="ε = 1",
)
def freegap(draw, q, *, epsilon):
    s = [x + draw(laplace(2 / epsilon)) for x in q]
    i = s.index(max(s))
    t = max(s[j] for j in range(3) if j != i)
    return i, s[i] - t


@published(
    "cannot-stop: geometric number of draws (random stopping)",
    "Papernot-Steinke",
    Tuples(range(2), size=1),
    epsilon=3,
    found="ε ≈ 0.765304",
)
def rstop(draw, r):
    best = -10
    while True:
        s = draw(exponential({0: r[0], 1: 1 - r[0]}, 1))
        best = max(best, s)
        if draw(bernoulli("0.3")):
            return best


@published("interactive: 2 adaptive Laplace queries", "OpenDP queryable", Tuples((0, 1), size=3), found="ε = 1")
def adaptive(draw, rows, *, epsilon):
    a = round(sum(rows) + draw(laplace(2 / epsilon)))
    b = (sum(rows) if a > 1 else rows[0]) + draw(laplace(2 / epsilon))
    return a, b


@published(
    "interactive, second question depends on a real answer", "OpenDP queryable", Tuples((0, 1), size=3), found="ε = 1"
)
def adaptive2(draw, rows, *, epsilon):
    a = sum(rows) + draw(laplace(2 / epsilon))
    b = (sum(rows) if a > 1 else rows[0]) + draw(laplace(2 / epsilon))
    return a, b


@published(
    "sign/1-bit mean of a float in [0,1] (Duchi)",
    "LDP / Microsoft telemetry",
    Tuples((0, Fraction(1, 4), 1), size=1),
    found="ε = 1",
)
def duchi(draw, r, *, epsilon):
    e = exp(epsilon)
    return draw(bernoulli((1 + r[0] * (e - 1)) / (e + 1)))


@published("piecewise mechanism (Wang et al.), continuous in [-C,C]", "LDP", Tuples((-1, 0, 1), size=1), found="ε = 1")
def piecewise(draw, r, *, epsilon):
    t = exp(epsilon / Fraction(2))
    C = (t + 1) / (t - 1)
    low = (C + 1) / 2 * r[0] - (C - 1) / 2
    high = low + C - 1
    if draw(bernoulli(t / (t + 1))):
        return draw(uniform_noise(low, high))
    x = draw(uniform_noise(0, 2 * C - (high - low)))
    return -C + x if -C + x < low else high + (x - (low + C))
