"""Programming Differential Privacy (Near & Abuah): its chapters' programs, on exact numbers and with `draw`."""

import math
from fractions import Fraction

import numpy as np
from tests.outside.published import published

from dpverify.mechanisms import Distribution, bernoulli, clamp, exact, exp, exponential, laplace, log, sqrt, uniform
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, add_or_remove_one, scores_linf


def lap(draw, v, sens, eps):
    return v + draw(laplace(Fraction(sens) / eps))


@published("count + Laplace", "chapter 3", Multisets((0, 1), sizes=range(5)), add_or_remove_one, found="ε = 1")
def count_laplace(draw, rows, *, epsilon):
    return sum(rows) + draw(laplace(1 / epsilon))


@published(
    "gs_avg: noisy sum / noisy count",
    "chapter 7",
    Multisets(range(4), sizes=range(4)),
    add_or_remove_one,
    found="ε ≤ 1",
)
def gs_avg(draw, rows, *, epsilon):
    s = lap(draw, sum(rows), 3, epsilon / Fraction(2))
    c = lap(draw, len(rows), 1, epsilon / Fraction(2))
    return s / c


@published(
    "gs_avg, pair released", "chapter 7 (bent)", Multisets(range(4), sizes=range(4)), add_or_remove_one, found="ε = 1"
)
def gs_avg_pair(draw, rows, *, epsilon):
    return lap(draw, sum(rows), 3, epsilon / Fraction(2)), lap(draw, len(rows), 1, epsilon / Fraction(2))


def ptr(draw, rows, epsilon, delta, u, b, thr, split):
    n = len(rows)

    def local_sensitivity(k):
        return Fraction(u, n - k + 1) if n - k + 1 > 0 else Fraction(u) * 1000

    k = 0
    while k <= n and local_sensitivity(k) < b:
        k += 1
    if k + draw(laplace(split / epsilon)) >= thr:
        m = Fraction(sum(min(x, u) for x in rows), n) if n else 0
        return m + draw(laplace(Fraction(b) * split / epsilon))
    return None


@published(
    "ptr_avg: propose-test-release as in the book",
    "chapter 7",
    Multisets(range(2), sizes=range(1, 7)),
    add_or_remove_one,
    delta=Fraction(1, 100),
    found="δ ≈ 0.145433",
    private=False,
    given={"u": 1, "b": Fraction(1, 3)},
)
def ptr_avg(draw, rows, *, epsilon, delta, u, b):
    return ptr(draw, rows, epsilon, delta, u, b, log(2 / delta) / (2 * epsilon), 1)


@published(
    "ptr_avg: textbook repair ln(1/2d)/e+1, (2e,d)",
    "own repair",
    Multisets(range(2), sizes=range(1, 7)),
    add_or_remove_one,
    epsilon=2,
    delta=Fraction(1, 100),
    found="δ = 0",
    given={"u": 1, "b": Fraction(1, 3)},
)
def ptr_fix(draw, rows, *, delta, u, b):
    return ptr(draw, rows, Fraction(1), delta, u, b, log(1 / (2 * delta)) + 1, 1)


@published("sample-and-aggregate mean, 2 chunks", "chapter 7", Tuples(range(3), size=4), found="ε = 1/2")
def saa(draw, rows, *, epsilon):
    k = 2
    size = math.ceil(len(rows) / k)
    xs = [rows[i : i + size] for i in range(0, len(rows), size)]
    a = [min(max(Fraction(sum(x), len(x)), 0), 2) for x in xs]
    return sum(a) / k + draw(laplace(Fraction(2, k) / epsilon))


@published(
    "smooth sensitivity of the median + Laplace",
    "chapter 7 / Nissim et al.",
    Tuples(range(3), size=3),
    delta=Fraction(1, 100),
    found="δ ≈ 1.50302e-5",
)
def smooth_median(draw, rows, *, epsilon, delta):
    x = sorted(rows)
    n = len(x)
    m = n // 2

    def g(i):
        return 0 if i < 0 else 2 if i >= n else x[i]

    beta = epsilon / (2 * log(2 / delta))
    best = exact(0)
    for k in range(n + 1):
        A = max(g(m + t) - g(m + t - k - 1) for t in range(k + 2))
        v = A * exp(-beta * k)
        if v > best:
            best = v
    return x[m] + draw(laplace(2 * best / epsilon)) if best > 0 else x[m]


@published("exponential mechanism", "chapter 9", Multisets(range(3), size=4), found="ε ≈ 0.775176")
def expo(draw, rows, *, epsilon):
    return draw(exponential({r: rows.count(r) for r in range(3)}, epsilon))


@published(
    "report_noisy_max Lap(D/e), counts, replace one",
    "chapter 9",
    Multisets(range(3), size=3),
    found="ε ≈ 1.55568",
    private=False,
)
def rnm(draw, rows, *, epsilon):
    s = [rows.count(r) + draw(laplace(1 / epsilon)) for r in range(3)]
    return s.index(max(s))


@published(
    "the same, add/remove", "chapter 9", Multisets(range(3), sizes=range(5)), add_or_remove_one, found="ε ≈ 0.909636"
)
def rnm2(draw, rows, *, epsilon):
    return rnm(draw, rows, epsilon=epsilon)


@published(
    "the same, any sensitivity-1 scores",
    "chapter 9",
    ScoreSpace(range(4), solutions=3),
    scores_linf,
    found="ε ≈ 1.93358",
    private=False,
)
def rnm3(draw, q, *, epsilon):
    s = [x + draw(laplace(1 / epsilon)) for x in q]
    return s.index(max(s))


def above(draw, q, T, epsilon):
    t = T + draw(laplace(2 / epsilon))
    for i, x in enumerate(q):
        if x + draw(laplace(4 / epsilon)) >= t:
            return i
    return None


@published(
    "above_threshold, random index on failure",
    "chapter 10",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    found="ε ≈ 0.428367",
    given={"T": 1},
)
def above_threshold(draw, q, *, epsilon, T):
    i = above(draw, q, T, epsilon)
    return i if i is not None else draw(uniform(range(len(q))))


@published(
    "naive_above_threshold, n*e",
    "chapter 10",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    epsilon=3,
    found="ε = 3",
    given={"eps": 1},
)
def naive_at(draw, q, *, eps):
    for i, x in enumerate(q):
        if x + draw(laplace(1 / eps)) >= 1:
            return i
    return None


@published(
    "auto_avg: SVT clip bound, then sum and count",
    "chapter 10",
    Multisets(range(4), sizes=range(4)),
    add_or_remove_one,
    found="ε ≈ 0.769419",
)
def auto_avg(draw, rows, *, epsilon):
    bs = range(1, 4)
    e = Fraction(epsilon) / 3
    q = [sum(min(x, b) for x in rows) - sum(min(x, b + 1) for x in rows) for b in bs]
    i = above(draw, q, 0, e)
    if i is None:
        i = draw(uniform(range(len(q))))
    b = bs[i]
    return b, lap(draw, sum(min(x, b) for x in rows), b, e), lap(draw, len(rows), 1, e)


@published(
    "auto_avg, the bound not released",
    "chapter 10",
    Multisets(range(3), sizes=range(3)),
    add_or_remove_one,
    found="ε ≈ 0.679462",
)
def auto_avg2(draw, rows, *, epsilon):
    return auto_avg(draw, rows, epsilon=epsilon)[1:]


@published("sparse, c=2", "chapter 10", ScoreSpace(range(3), solutions=3), scores_linf, found="ε ≈ 0.299605")
def sparse(draw, q, *, epsilon):
    c = 2
    out = []
    pos = 0
    while pos < len(q) and len(out) < c:
        i = above(draw, q[pos:], 1, Fraction(epsilon) / c)
        if i is None:
            return tuple(out)
        pos += i
        out.append(pos)
        pos += 1
    return tuple(out)


@published(
    "range_query_svt: sparse, then Laplace",
    "chapter 10",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    found="ε ≤ 0.6875",
)
def range_query_svt(draw, q, *, epsilon):
    c = 2
    idx = sparse(draw, q, epsilon=Fraction(epsilon) / 2)
    return tuple(q[i] + draw(laplace(2 * c / epsilon)) for i in idx)


@published("rand_resp_sales", "chapter 13", Tuples((0, 1), size=1), epsilon=log(3), found="ε = ln 3")
def rr(draw, rows):
    return rows[0] == 1 if draw(bernoulli("0.5")) else bool(draw(bernoulli("0.5")))


@published(
    "unary encoding p=.75 q=.25, 20 values", "chapter 13", Tuples(range(20), size=1), epsilon=log(9), found="ε = 2·ln 3"
)
def unary(draw, rows):
    return draw.each(lambda d, b: d(bernoulli("0.75" if b else "0.25")), tuple(int(i == rows[0]) for i in range(20)))


@published(
    "synthetic data: noisy histogram, clip, normalise, choice",
    "chapter 14",
    Multisets(range(2), sizes=range(3)),
    add_or_remove_one,
    refused="synth on () raised ZeroDivisionError: Fraction(0, 0) (tests/outside/book.py, line ",
)
def synth(draw, rows, *, epsilon):
    h = [clamp(rows.count(i) + draw(laplace(1 / epsilon)), 0, 10**6) for i in range(2)]
    t = sum(h)
    return tuple(draw(Distribution({i: h[i] / t for i in range(2)})) for _ in range(2))


@published("gaussian_mech", "chapter 6", Tuples((0, 1), size=3), delta=Fraction(1, 10**5), found="δ ≈ 4.11369e-8")
def gauss(draw, rows, *, epsilon, delta):
    return sum(rows) + np.random.default_rng().normal(0, sqrt(2 * log(Fraction(5, 4) / delta)) / epsilon)


@published(
    "noisy_gradient_descent (1 step, Gaussian)",
    "chapter 12",
    Tuples((0, 1), size=2),
    delta=Fraction(1, 10**5),
    found="δ ≈ 2.34529e-5",
    private=False,
)
def ngd(draw, rows, *, epsilon, delta):
    r = np.random.default_rng()
    return tuple(sum(rows) + r.normal(0, 5, size=2))
