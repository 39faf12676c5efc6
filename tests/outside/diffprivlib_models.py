"""diffprivlib: its mechanisms, tools and models, the algorithm of each as its code has it."""

from fractions import Fraction

from tests.outside.published import by_one, published

from dpverify.mechanisms import (
    Distribution,
    bernoulli,
    clamp,
    discrete_laplace,
    exp,
    exponential,
    folded,
    geometric,
    laplace,
    log,
    staircase,
    truncated_laplace,
    uniform,
    uniform_noise,
)
from dpverify.verifiers import Multisets, Tuples, add_or_remove_one


@published("GeometricTruncated", "diffprivlib", Tuples(range(6), size=1), by_one(6), found="ε = 1")
def geotrunc(draw, r, *, epsilon):
    return clamp(r[0] + draw(discrete_laplace(1 / epsilon)), 0, 5)


@published("GeometricFolded", "diffprivlib", Tuples(range(6), size=1), by_one(6), found="ε ≈ 0.99971")
def geofold(draw, r, *, epsilon):
    return folded(r[0] + draw(discrete_laplace(1 / epsilon)), 0, 5)


@published("LaplaceFolded", "diffprivlib", Tuples(range(3), size=1), by_one(3), found="ε ≈ 0.891222")
def lapfold(draw, r, *, epsilon):
    return folded(r[0] + draw(laplace(1 / epsilon)), 0, 2)


@published(
    "LaplaceBoundedDomain (redraw until inside)",
    "diffprivlib",
    Tuples(range(3), size=1),
    by_one(3),
    found="ε ≈ 0.71907",
)
def lapbd(draw, r, *, epsilon):
    while True:
        v = r[0] + draw(laplace(2 / epsilon))
        if v >= 0 and v <= 2:
            return v


@published(
    "LaplaceBoundedNoise (0<d<1/2)",
    "diffprivlib",
    Tuples(range(3), size=1),
    by_one(3),
    delta=Fraction(1, 10),
    found="δ = 1/10",
)
def lapbn(draw, r, *, epsilon, delta):
    b = log(1 + (exp(epsilon) - 1) / (2 * delta)) / epsilon
    return r[0] + draw(truncated_laplace(1 / epsilon, b))


@published(
    "Uniform (0,d)",
    "diffprivlib",
    Tuples(range(3), size=1),
    by_one(3),
    epsilon=0,
    delta=Fraction(1, 10),
    found="δ = 1/10",
)
def unif(draw, r, *, delta):
    return r[0] + draw(uniform_noise(-Fraction(1, 2) / delta, Fraction(1, 2) / delta))


@published("Staircase, released", "diffprivlib", Tuples(range(3), size=1), by_one(3), found="ε = 1")
def stair(draw, r, *, epsilon):
    return r[0] + draw(staircase(epsilon))


@published(
    "Staircase, as coded (sign, geometric, uniform)", "diffprivlib", Tuples(range(3), size=1), by_one(3), found="ε = 1"
)
def stair2(draw, r, *, epsilon):
    g = Fraction(1, 3)
    sign = -1 if draw(bernoulli("0.5")) else 1
    geo = draw(geometric(1 / epsilon))
    u = draw(uniform_noise(0, 1))
    b = 0 if draw(bernoulli(g / (g + (1 - g) * exp(-epsilon)))) else 1
    return r[0] + sign * ((geo + g * u) if b == 0 else (geo + g + (1 - g) * u))


@published("PermuteAndFlip, as coded", "diffprivlib", Multisets(range(3), size=3), found="ε ≈ 0.946465")
def pf(draw, rows, *, epsilon):
    u = [rows.count(r) for r in range(3)]
    m = max(u)
    ids = list(range(3))
    while ids:
        i = draw(uniform(tuple(ids)))
        ids.remove(i)
        if draw(bernoulli(exp(Fraction(epsilon) * (u[i] - m) / 2))):
            return i
    return None


@published(
    "quantile/median: exponential over intervals + uniform in it",
    "diffprivlib tools",
    Tuples(range(4), size=2),
    found="ε ≈ 0.663643",
)
def median(draw, rows, *, epsilon):
    k = len(rows)
    a = sorted([*rows, 0, 3])
    w = {
        i: (a[i + 1] - a[i]) * exp(-Fraction(epsilon) * abs(Fraction(i) - Fraction(k, 2)) / 2)
        for i in range(k + 1)
        if a[i + 1] > a[i]
    }
    i = draw(Distribution(w))
    return draw(uniform_noise(a[i], a[i + 1]))


@published(
    "histogram (GeometricTruncated, sens 1), replace one",
    "diffprivlib tools",
    Multisets(range(3), size=3),
    found="ε = 2",
    private=False,
)
def hist(draw, rows, *, epsilon):
    return tuple(clamp(rows.count(i) + draw(discrete_laplace(1 / epsilon)), 0, 1000) for i in range(3))


@published(
    "the same, add/remove one",
    "diffprivlib tools",
    Multisets(range(3), sizes=range(4)),
    add_or_remove_one,
    found="ε = 1",
)
def hist2(draw, rows, *, epsilon):
    return hist(draw, rows, epsilon=epsilon)


@published("mean: clipped sum, LaplaceTruncated / n", "diffprivlib tools", Tuples(range(3), size=3), found="ε = 1")
def mean(draw, rows, *, epsilon):
    n = len(rows)
    return clamp(sum(rows) + draw(laplace(2 / epsilon)), 0, 2 * n) * Fraction(1, n)


@published(
    "GaussianNB class counts (only labels that occur)",
    "diffprivlib models",
    Tuples(range(3), size=3),
    found="ε = ∞",
    private=False,
)
def nb(draw, rows, *, epsilon):
    u = sorted(set(rows))
    n = len(rows)
    c = [clamp(rows.count(y) + draw(discrete_laplace(3 / epsilon)), 1, n) for y in u]
    order = sorted(range(len(u)), key=lambda i: c[i])
    i = 0 if sum(c) > n else len(u) - 1
    while sum(c) != n:
        j = order[i]
        s = 1 if n > sum(c) else -1
        c[j] = min(max(c[j] + s, 1), n)
        i = (i - s) % len(u)
    return tuple(u), tuple(c)


@published(
    "linear regression, functional mechanism (1 feature)",
    "diffprivlib models",
    Tuples(((0, 0), (0, 1), (1, 0), (1, 1)), size=2),
    found="ε ≤ 0.5",
)
def func(draw, rows, *, epsilon):
    xx = sum(x * x for x, y in rows) + draw(laplace(4 / epsilon))
    xy = sum(x * y for x, y in rows) + draw(laplace(4 / epsilon))
    return xy / xx


@published(
    "the same, coefficients released",
    "diffprivlib models (bent)",
    Tuples(((0, 0), (0, 1), (1, 0), (1, 1)), size=2),
    found="ε = 1",
)
def func2(draw, rows, *, epsilon):
    return sum(x * x for x, y in rows) + draw(laplace(2 / epsilon)), sum(x * y for x, y in rows) + draw(
        laplace(2 / epsilon)
    )


@published(
    "decision tree leaf label by PermuteAndFlip, random splits",
    "diffprivlib models",
    Tuples(((0, 0), (0, 1), (1, 0), (1, 1)), size=3),
    found="ε = ln(1 + e - e^(1/2))",
)
def tree(draw, rows, *, epsilon):
    split = draw(uniform((0, 1)))  # a random threshold
    out = []
    for side in (0, 1):
        leaf = [y for x, y in rows if (x > split) == bool(side)]
        out.append(draw(exponential({c: leaf.count(c) for c in (0, 1)}, epsilon)))
    return split, tuple(out)


@published(
    "snapping mechanism (uniform, sign, log, round, clamp)",
    "diffprivlib / Mironov",
    Tuples(range(3), size=1),
    found="ε ≈ 0.642817",
)
def snapping(draw, r, *, epsilon):
    return clamp(round(clamp(r[0], 0, 2) + draw(laplace(3 / epsilon))), 0, 2)
