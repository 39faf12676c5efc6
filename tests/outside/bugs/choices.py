"""Choices by noisy scores, and what one person's own device answers: probabilities that are not the intended ones."""

import math
from fractions import Fraction
from itertools import product

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import Distribution, bernoulli, exp, exponential, log, uniform
from dpverify.verifiers import Multisets, Scores, ScoreSpace, Tuples, add_or_remove_one, scores_linf

F = Fraction
PAIRS = tuple(product((0, 1), repeat=2))
SIGNS = tuple(product((-1, 1), repeat=2))

# --- The exponential mechanism and its relatives

FLIP = bug(
    "permute and flip, accounted as the exponential mechanism",
    "opendp/opendp 2911",
    "ρ = ε²/8 is of mechanisms of bounded range; stated as one (ε, δ) which that implies",
    ScoreSpace(range(-2, 3), solutions=2),
    scores_linf,
    delta=F(1, 4),
)
HALF_LESS = F(1, 2) - exp(-1) / 2


def permuted_and_flipped(draw, scores):
    left = list(range(len(scores)))
    best = max(scores)
    while left:
        i = draw(uniform(tuple(left)))
        left.remove(i)
        if draw(bernoulli(exp(scores[i] - best))):
            return i
    return None


@FLIP.buggy(HALF_LESS, "by hand: 1/2 − 1/(2e), between scores (0, 0) and (1, −1)")
def flip(draw, scores):
    return permuted_and_flipped(draw, scores)


@FLIP.buggy(HALF_LESS, "as before", domain=Scores(solutions=2), shown="≥")
def flip_all_scores(draw, scores):
    return permuted_and_flipped(draw, scores)


@FLIP.fixed("0.175973", "all pairs, in floats")
def exponential_choice(draw, scores):
    return draw(exponential(dict(enumerate(scores)), 2))


@FLIP.fixed("0.175973", "as before, of integer scores", domain=Scores(solutions=2), shown="no more")
def exponential_choice_all_scores(draw, scores):
    return draw(exponential(dict(enumerate(scores)), 2))


JAM = bug(
    "score of two errors, sensitivity of one",
    "ryan112358/mbi 65",
    "the error of the model less that of public data: both move by 2, in opposite directions",
    Multisets(PAIRS, size=3),
)


def by_two_errors(draw, rows, sensitivity, epsilon):
    n = len(rows)
    ones = [sum(row[i] for row in rows) for i in (0, 1)]
    scores = [2 * ones[0] - 2 * (n - ones[0]), 2 * (n - ones[1]) - 2 * ones[1]]
    return draw(exponential({i: F(score, sensitivity) for i, score in enumerate(scores)}, epsilon))


@JAM.buggy(log(1 - exp(1) + exp(2)), "by hand: the difference of scores moves from −3 to −1: ln((1 + e³)/(1 + e))")
def errors_at_two(draw, rows, *, epsilon):
    return by_two_errors(draw, rows, 2, epsilon)


@JAM.fixed(log(1 - exp(F(1, 2)) + exp(1)), "by hand: from −3/2 to −1/2")
def errors_at_four(draw, rows, *, epsilon):
    return by_two_errors(draw, rows, 4, epsilon)


UNDERFLOW = bug(
    "weights that underflow to 0",
    "Ilvento 2020",
    "weights are rounded down to a grid, so that a candidate is impossible on one side; here the grid is 1/32",
    ScoreSpace(range(9), solutions=2),
    scores_linf,
)


@UNDERFLOW.buggy(None, "by hand: 32·e^(−3) is 1 and 32·e^(−7/2) is 0, rounded down")
def rounded_weights(draw, scores, *, epsilon):
    best = max(scores)
    return draw(Distribution({i: math.floor(32 * exp(epsilon * (score - best) / 2)) for i, score in enumerate(scores)}))


@UNDERFLOW.fixed("0.969563", "by hand: ln((1 + e⁴)/(1 + e³)), scores 0 and 8")
def exact_weights(draw, scores, *, epsilon):
    return draw(exponential(dict(enumerate(scores)), epsilon))


MEDIAN = bug(
    "exact least and largest value beside a private median",
    "google/dpsynth 34",
    "the bounds of the data are returned as they are",
    Multisets(range(5), sizes=range(1, 4)),
    add_or_remove_one,
)


def median(draw, rows, low, high, epsilon):
    scores = {v: -abs(sum(x < v for x in rows) - sum(x > v for x in rows)) for v in range(low, high + 1)}
    return low, draw(exponential(scores, epsilon)), high


@MEDIAN.buggy(None, "by hand: the least value is returned")
def median_of_data_bounds(draw, rows, *, epsilon):
    return median(draw, rows, min(rows), max(rows), epsilon)


@MEDIAN.fixed("0.741262", "all pairs, in floats")
def median_of_public_bounds(draw, rows, *, epsilon):
    return median(draw, rows, 0, 4, epsilon)


AGAIN = bug(
    "a query is chosen again until it is a new one (no bug)",
    "opendp/smartnoise-sdk 439",
    "reported as suspicious: choosing again is choosing among the others, and costs what is charged",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    epsilon=2,
)


@AGAIN.fixed("1.07295", "all pairs, in floats")
def chosen_again(draw, scores):
    first = draw(exponential(dict(enumerate(scores)), 1))
    while True:
        second = draw(exponential(dict(enumerate(scores)), 1))
        if second != first:
            return first, second


# --- One person's device
RESPONSE = bug(
    "randomized response whose lie may be the truth",
    "opendp/opendp 480",
    "p = 3/4 is accounted as ln(p/(1 − p)), but the other answer is drawn from both values",
    Tuples((0, 1), size=1),
    epsilon=log(3),
)


@RESPONSE.buggy(log(7), "by hand: (p + (1 − p)/2) / ((1 − p)/2)")
def lie_from_both(draw, rows):
    return rows[0] if draw(bernoulli(F(3, 4))) else draw(uniform((0, 1)))


@RESPONSE.fixed(log(3), "by hand: p/(1 − p)")
def lie_is_the_other(draw, rows):
    return rows[0] if draw(bernoulli(F(3, 4))) else 1 - rows[0]


UNARY = bug(
    "unary encoding, true bit not kept with p but raised with p",
    "Samuel-Maddock/pure-LDP 11; Arcolezi & Gambs 2023",
    "all bits are random; with probability p the true one is set, and left as it is otherwise",
    Tuples(range(3), size=1),
)


@UNARY.buggy(log(exp(1) + 2), "by hand: p′ = p + (1 − p)q, and p′(1 − q)/((1 − p′)q) = 1 + 1/q")
def raised_with_p(draw, rows, *, epsilon):
    p, q = F(1, 2), 1 / (exp(epsilon) + 1)
    bits = [draw(bernoulli(q)) for _ in range(3)]
    if draw(bernoulli(p)):
        bits[rows[0]] = True
    return tuple(bits)


@UNARY.fixed(1, "by hand: p(1 − q)/((1 − p)q)")
def kept_with_p(draw, rows, *, epsilon):
    p, q = F(1, 2), 1 / (exp(epsilon) + 1)
    return tuple(draw(bernoulli(p if i == rows[0] else q)) for i in range(3))


def any_other(signs):
    """Any other vector."""
    return [other for other in SIGNS if other != signs]


HALF_SPACE = bug(
    "sampling a half space in an even dimension",
    "Wang et al. 2019, of Duchi, Jordan & Wainwright 2018",
    "vectors at right angles are in one half space alone, whose sizes then differ; here d = 2",
    Tuples((-1, 1), size=2),
    any_other,
)


def from_a_half_space(draw, signs, probability):
    above = tuple(s for s in SIGNS if sum(a * b for a, b in zip(s, signs, strict=True)) > 0)
    below = tuple(s for s in SIGNS if sum(a * b for a, b in zip(s, signs, strict=True)) <= 0)
    return draw(uniform(above)) if draw(bernoulli(probability)) else draw(uniform(below))


@HALF_SPACE.buggy(1 + log(3), "by hand: e/(1 + e) of one vector, 1/(1 + e) of three")
def equal_odds(draw, signs, *, epsilon):
    return from_a_half_space(draw, signs, exp(epsilon) / (exp(epsilon) + 1))


@HALF_SPACE.fixed(1, "by hand: e/(e + 3) of one, 3/(e + 3) of three")
def odds_by_size(draw, signs, *, epsilon):
    return from_a_half_space(draw, signs, exp(epsilon) / (exp(epsilon) + 3))
