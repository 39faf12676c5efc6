"""Private training: what is clipped and when, which rows are in a batch, by what it is divided, and Gaussian noise."""

from fractions import Fraction

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import Distribution, bernoulli, exp, gaussian, laplace, log, sqrt, uniform
from dpverify.verifiers import Multisets, Tuples, add_or_remove_one

F = Fraction
HALF = log((1 + exp(1)) / 2)
"""The ε of noise for 1 on a Poisson sample of one half: ln(1/2 + e/2)."""

# --- Clipping


def zero_out(rows):
    """One row turned into 0, or 0 into another row."""
    return [
        *((*rows[:i], 0, *rows[i + 1 :]) for i, row in enumerate(rows) if row != 0),
        *((*rows[:i], x, *rows[i + 1 :]) for i, row in enumerate(rows) if row == 0 for x in (-4, 8)),
    ]


MICRO = bug(
    "micro-batches clipped after averaging",
    "tensorflow/privacy 81, 620",
    "the average of two gradients is clipped, and one row moves it from one end to the other",
    Tuples((-4, 0, 8), size=4),
    zero_out,
)


def clip(x):
    return max(F(-1), min(F(1), x))


@MICRO.buggy(2, "all pairs, in integers: (−4, 8) averages to 2, (−4, 0) to −2, clipped 1 and −1")
def clipped_averages(draw, rows, *, epsilon):
    return sum(clip(F(rows[i] + rows[i + 1], 2)) for i in (0, 2)) + draw(laplace(1 / epsilon))


@MICRO.fixed(1, "by hand: one clipped row")
def clipped_rows(draw, rows, *, epsilon):
    return sum(clip(F(x)) for x in rows) + draw(laplace(1 / epsilon))


# --- Which rows are in a batch
EMPTY = bug(
    "an empty batch is skipped",
    "meta-pytorch/opacus 161, 164",
    "where the Poisson sample is empty nothing is released, which shows that it was",
    Multisets((-1, 1), sizes=range(1, 4)),
    add_or_remove_one,
    epsilon=HALF,
)


@EMPTY.buggy("1.71446", "densities on a grid, and the probability of nothing")
def empty_skipped(draw, rows):
    batch = [x for x in rows if draw(bernoulli(F(1, 2)))]
    return sum(batch) + draw(laplace(1)) if batch else None


@EMPTY.fixed(HALF, "by hand: the amplification of Poisson sampling, which is tight")
def empty_noised(draw, rows):
    return sum(x for x in rows if draw(bernoulli(F(1, 2)))) + draw(laplace(1))


EXPECTED = bug(
    "divided by the expected batch size of these data",
    "meta-pytorch/opacus 571, 819",
    "⌊n/2⌋ differs between neighbours, and with it the scale of the noise",
    Multisets((-1, 1), sizes=range(2, 5)),
    add_or_remove_one,
    epsilon=HALF,
)


def mean_of_batch(draw, rows, divisor):
    return (sum(x for x in rows if draw(bernoulli(F(1, 2)))) + draw(laplace(1))) / divisor


@EXPECTED.buggy(None, "by hand: 3 rows are divided by 1, 4 rows by 2, and two scales have no bound")
def divided_by_these(draw, rows):
    return mean_of_batch(draw, rows, len(rows) // 2)


@EXPECTED.fixed(HALF, "by hand: the divisor is public")
def divided_by_two(draw, rows):
    return mean_of_batch(draw, rows, 2)


FIXED_SIZE = bug(
    "batches of a fixed size, accounted as Poisson samples",
    "meta-pytorch/opacus 80, pull 128; google-deepmind/jax_privacy 84",
    "a row that is replaced moves the batch by 2, and Poisson accounting speaks of a row that is added",
    Multisets((-1, 1), size=2),
    epsilon=HALF,
)


def one_of_two(draw, rows, scale):
    return rows[draw(uniform((0, 1)))] + draw(laplace(scale))


@FIXED_SIZE.buggy(log((1 + exp(2)) / 2), "by hand: ln(1/2 + e²/2), beyond both centres")
def one_row_for_one(draw, rows):
    return one_of_two(draw, rows, 1)


@FIXED_SIZE.fixed(HALF, "by hand: ln(1/2 + e/2) with noise for 2")
def one_row_for_two(draw, rows):
    return one_of_two(draw, rows, 2)


def zero_or_not(rows):
    """One row turned into 0, or 0 into another row, of -1, 0 and 1."""
    others = [(*rows[:i], x, *rows[i + 1 :]) for i in (0, 1) for x in (-1, 0, 1) if x != rows[i]]
    return [other for other in others if other.count(0) != rows.count(0)]


SHUFFLED = bug(
    "shuffled batches, accounted as Poisson samples",
    "Chua et al. 2024; tensorflow/privacy 483",
    "two batches of one row each in a random order; claimed is the δ that two Poisson samples of one half need",
    Tuples((-1, 0, 1), size=2),
    zero_or_not,
    delta="0.0752",
)
DISCRETE = Distribution({k: exp(-F(k * k, 2)) for k in range(-6, 7)})
"""A discrete Gaussian of σ = 1, truncated at 6."""


def in_random_order(draw, rows, noise):
    order = draw(uniform(((0, 1), (1, 0))))
    return tuple(rows[i] + draw(noise) for i in order)


@SHUFFLED.buggy("0.132858", "all pairs, in floats")
def shuffled_discrete(draw, rows):
    return in_random_order(draw, rows, DISCRETE)


@SHUFFLED.buggy(
    "0.1172",
    "quadrature on a grid of the plane, all pairs",
    status="UNDECIDED",
    shown="2 numbers, or parts, are released together in several ways",
)
def shuffled_gaussian(draw, rows):
    return in_random_order(draw, rows, gaussian(1))


@SHUFFLED.fixed(
    "0.0751489", "all pairs, in floats", domain=Multisets((0, 1), sizes=range(2)), neighbours=add_or_remove_one
)
def sampled_discrete(draw, rows):
    return tuple(sum(x for x in rows if draw(bernoulli(F(1, 2)))) + draw(DISCRETE) for _ in range(2))


# --- The scale of Gaussian noise
CLASSIC = bug(
    "classic σ at ε = 10",
    "Zhao et al. 2019; opendp/smartnoise-sdk 462; uvm-plaid/programming-dp 45",
    "σ = √(2 ln(5/4δ))/ε is proved for ε ≤ 1",
    Tuples((0, 1), size=1),
    epsilon=10,
    delta=F(1, 10**5),
)


def classic(draw, rows, epsilon, delta):
    return rows[0] + draw(gaussian(sqrt(2 * log(F(5, 4) / delta)) / epsilon))


@CLASSIC.buggy("0.0000226537", "closed form of the Gaussian profile")
def classic_at_ten(draw, rows, *, epsilon, delta):
    return classic(draw, rows, epsilon, delta)


@CLASSIC.fixed("0.00306632", "closed form of the Gaussian profile", epsilon=1, delta="0.1")
def classic_at_one(draw, rows, *, epsilon, delta):
    return classic(draw, rows, epsilon, delta)


REPLACED = bug(
    "Gaussian noise for C where a row is replaced",
    "google/differential-privacy 378, pull 464",
    "rows of norm C are 2C apart; C = 1, and the δ claimed is that of σ = C where a row is added",
    Multisets((-1, 1), size=2),
    delta="0.126937",
)


def noisy_sum(draw, rows, scale):
    return sum(rows) + draw(gaussian(scale))


@REPLACED.buggy("0.509862", "closed form: Φ(1/2) − e·Φ(−3/2)")
def scale_of_one_row(draw, rows):
    return noisy_sum(draw, rows, 1)


@REPLACED.fixed("0.126937", "closed form: Φ(−1/2) − e·Φ(−3/2)")
def scale_of_two_rows(draw, rows):
    return noisy_sum(draw, rows, 2)


SHARE = bug(
    "a share of the budget handed over as σ",
    "google/dpsynth pull 32",
    "ρ = 1/2 is passed on in place of σ = 1/√(2ρ); claimed is the (1, δ) that 1/2-zCDP implies",
    Multisets("a", sizes=range(3)),
    add_or_remove_one,
    delta="0.246847",
    rho=F(1, 2),
)


def measured(draw, rows, scale):
    return len(rows) + draw(gaussian(scale))


@SHARE.buggy("0.509862", "closed form: Φ(1/2) − e·Φ(−3/2)")
def share_as_scale(draw, rows, *, rho):
    return measured(draw, rows, rho)


@SHARE.fixed("0.126937", "closed form: Φ(−1/2) − e·Φ(−3/2)")
def scale_of_the_share(draw, rows, *, rho):
    return measured(draw, rows, 1 / sqrt(2 * rho))
