"""Votes and credit: what one person moves among teachers, labels and candidates, and which of them are released."""

from fractions import Fraction
from itertools import combinations, product

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import clamp, laplace, log, uniform
from dpverify.verifiers import Multisets, ScoreSpace, Tuples, add_or_remove_one, scores_linf

F = Fraction
BITS = (0, 1)
PAIRS = tuple(product(BITS, repeat=2))


def one_impression(seen):
    """One impression more or less."""
    return [tuple(bit ^ (i == j) for j, bit in enumerate(seen)) for i in range(len(seen))]


TOUCH = bug(
    "last touch: an impression moves the credit",
    "w3c/attribution 212",
    "without the last impression its credit goes to the one before: two bins move",
    Tuples(BITS, size=3),
    one_impression,
)


def credited(draw, seen, scale):
    credit = [0] * len(seen)
    last = [i for i, was_seen in enumerate(seen) if was_seen]
    if last:
        credit[last[-1]] = 1
    return tuple(c + draw(laplace(scale)) for c in credit)


@TOUCH.buggy(2, "by hand: one bin loses 1, another gains 1")
def touch_for_one(draw, seen, *, epsilon):
    return credited(draw, seen, 1 / epsilon)


@TOUCH.fixed(1, "by hand: 2 over 2")
def touch_for_two(draw, seen, *, epsilon):
    return credited(draw, seen, 2 / epsilon)


VOTES = bug(
    "full votes used, clipped votes computed",
    "jeremy43/Private_kNN 2",
    "a neighbour votes for several labels; votes are clipped to norm 1, and the others are added up",
    Multisets(PAIRS, sizes=range(3)),
    add_or_remove_one,
)


def votes_for_labels(draw, votes, epsilon):
    return tuple(sum(vote[label] for vote in votes) + draw(laplace(1 / epsilon)) for label in (0, 1))


def norm_one(votes):
    return tuple(tuple(F(v, max(1, sum(vote))) for v in vote) for vote in votes)


@VOTES.buggy(2, "by hand: the vote (1, 1) has norm 2")
def full_votes(draw, votes, *, epsilon):
    _ = norm_one(votes)
    return votes_for_labels(draw, votes, epsilon)


@VOTES.fixed(1, "by hand: norm 1")
def clipped_votes(draw, votes, *, epsilon):
    return votes_for_labels(draw, norm_one(votes), epsilon)


TEACHERS = bug(
    "every teacher sees all rows",
    "vanderschaarlab/synthcity 275",
    "teachers draw new rows at each step, so that a row is in all of them, and not in one part",
    Tuples(BITS, size=4),
)


@TEACHERS.buggy(2, "by hand: one row turns both votes")
def teachers_of_all(draw, rows, *, epsilon):
    return sum(max(part) for part in (rows, rows)) + draw(laplace(1 / epsilon))


@TEACHERS.fixed(1, "by hand: one row turns one vote")
def teachers_of_parts(draw, rows, *, epsilon):
    return sum(max(part) for part in (rows[:2], rows[2:])) + draw(laplace(1 / epsilon))


# --- Noisy votes and sparse vectors
LAMBDA = bug(
    "votes with noise λ in place of 1/λ",
    "vanderschaarlab/mlforhealthlabpub 36",
    "λ is a rate, and is handed over as a scale; a teacher turns one vote, and 2λ = 1 is charged",
    Multisets((0, 1), size=3),
    rate=F(1, 2),
)


def noisy_vote(draw, votes, scale):
    return votes.count(1) + draw(laplace(scale)) > votes.count(0) + draw(laplace(scale))


@LAMBDA.buggy(4 - log(2), "by hand: Pr[Lap + Lap > t] = e^(−t/b)(1 + t/2b)/2 at t = 1 and 3")
def rate_as_scale(draw, votes, *, rate):
    return noisy_vote(draw, votes, rate)


@LAMBDA.fixed(1 + log(F(5, 7)), "by hand, as before")
def rate_as_rate(draw, votes, *, rate):
    return noisy_vote(draw, votes, 1 / rate)


FILTER = bug(
    "sparse vector filter, accepted values go out as they are",
    "NVIDIA/NVFlare 343",
    "of the accepted values some are chosen and noised; the others keep their value in place of 0",
    ScoreSpace(range(3), solutions=3),
    scores_linf,
    epsilon=4,
)


def filtered(draw, weights, out):
    threshold = 1 + draw(laplace(2))
    accepted = [i for i in range(3) if abs(weights[i]) + draw(laplace(4)) >= threshold]
    chosen = draw(uniform(tuple(combinations(accepted, min(1, len(accepted))))))
    for i in range(3):
        if i in chosen:
            out[i] = clamp(weights[i] + draw(laplace(1)), -2, 2)
        elif i not in accepted:
            out[i] = 0
    return tuple(out)


@FILTER.buggy(None, "by hand: a value that is accepted and not chosen is returned")
def others_as_they_are(draw, weights):
    return filtered(draw, weights, list(weights))


@FILTER.fixed("1.29058", "quadrature over the threshold, all pairs")
def others_zero(draw, weights):
    return filtered(draw, weights, [0] * 3)
