"""Budgets: releases that are not charged, the best of several runs, answers on one person that are given every day."""

from fractions import Fraction
from itertools import product

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import bernoulli, exp, laplace
from dpverify.verifiers import Multisets, Tuples, add_or_remove_one

F = Fraction

CENTRE = bug(
    "x and y centred with one share of the budget",
    "IBM/differential-privacy-library 104",
    "the means of the features and of the target each take the share that is charged once",
    Multisets(tuple(product((0, 1), repeat=2)), size=2),
)


def regression(draw, rows, of_x, of_y, of_both):
    n = len(rows)
    return (
        F(sum(x for x, _ in rows), n) + draw(laplace(F(1, n) / of_x)),
        F(sum(y for _, y in rows), n) + draw(laplace(F(1, n) / of_y)),
        sum(x * y for x, y in rows) + draw(laplace(1 / of_both)),
    )


@CENTRE.buggy(F(3, 2), "by hand: 1/2 + 1/2 + 1/2, attained from (0, 0) to (1, 1)")
def one_share_for_both(draw, rows, *, epsilon):
    return regression(draw, rows, epsilon / 2, epsilon / 2, epsilon / 2)


@CENTRE.fixed(1, "by hand: 1/4 + 1/4 + 1/2")
def a_share_for_each(draw, rows, *, epsilon):
    return regression(draw, rows, epsilon / 4, epsilon / 4, epsilon / 2)


BUCKET = bug(
    "queries within a bucket are not charged to it",
    "world-federation-of-advertisers/cross-media-measurement 2209",
    "a bucket is charged where its left end is in the interval, so that an interval a little shorter is free",
    Multisets((F(1, 6), F(1, 2)), sizes=range(3)),
    add_or_remove_one,
)
QUERIES = ((F(1, 3) + F(1, 100), F(2, 3) - F(1, 100)),) * 3


def answered(draw, rows, is_charged, epsilon):
    charged = [0, 0, 0]
    answers = []
    for lower, upper in QUERIES:
        buckets = [k for k in range(3) if is_charged(F(k, 3), lower, upper)]
        if any(charged[k] >= 1 for k in buckets):
            answers.append(None)
        else:
            for k in buckets:
                charged[k] += 1
            answers.append(sum(1 for x in rows if lower <= x < upper) + draw(laplace(1 / epsilon)))
    return tuple(answers)


def holds_the_left_end(start, lower, upper):
    return lower <= start < upper


def overlaps(start, lower, upper):
    return start < upper and lower < start + F(1, 3)


@BUCKET.buggy(3, "by hand: three counts of the same row, each with ε = 1")
def charged_by_the_left_end(draw, rows, *, epsilon):
    return answered(draw, rows, holds_the_left_end, epsilon)


@BUCKET.fixed(1, "by hand: the second query is refused")
def charged_by_overlap(draw, rows, *, epsilon):
    return answered(draw, rows, overlaps, epsilon)


BEST = bug(
    "best of three runs, charged as one",
    "Papernot & Steinke 2022",
    "only the best run is published, and only one is accounted for",
    Multisets((0, 1), size=2),
)


def best_of_three(draw, rows, scale):
    runs = [rows.count(1) + draw(laplace(scale)) for _ in range(3)]
    return max(runs)


@BEST.buggy(3, "by hand: far below all runs the density of their maximum is that of three tails")
def best_for_one(draw, rows, *, epsilon):
    return best_of_three(draw, rows, 1 / epsilon)


@BEST.fixed(1, "by hand: as before, with three times the noise")
def best_for_three(draw, rows, *, epsilon):
    return best_of_three(draw, rows, 3 / epsilon)


DAILY = bug(
    "a budget for each day",
    "Tang et al. 2017",
    "the same answer is randomized again every day, and the ε of a day is stated; here three days",
    Tuples((0, 1), size=1),
)


def randomized(draw, bit, epsilon):
    return bit if draw(bernoulli(exp(epsilon) / (1 + exp(epsilon)))) else 1 - bit


@DAILY.buggy(3, "by hand: three independent answers of ε = 1")
def again_every_day(draw, rows, *, epsilon):
    return tuple(randomized(draw, rows[0], epsilon) for _ in range(3))


@DAILY.fixed(1, "by hand: one answer, repeated")
def once(draw, rows, *, epsilon):
    return (randomized(draw, rows[0], epsilon),) * 3


def any_other_days(days):
    """Any other two days of the person."""
    return [other for other in product((0, 1), repeat=2) if other != days]


MEMO = bug(
    "memoized answers show a change",
    "Ding, Kulkarni & Yekhanin 2017; Erlingsson, Pihur & Korolova 2014",
    "one answer is kept for each value: two answers that differ show that the value has changed",
    Tuples((0, 1), size=2),
    any_other_days,
    epsilon=2,
)


@MEMO.buggy(None, "by hand: two answers that differ are impossible where the value stays")
def memoized(draw, days, *, epsilon):
    answers = [randomized(draw, value, epsilon / 2) for value in (0, 1)]
    return tuple(answers[value] for value in days)


@MEMO.fixed(2, "by hand: 1 for each day")
def fresh_each_day(draw, days, *, epsilon):
    return tuple(randomized(draw, value, epsilon / 2) for value in days)
