"""Users with several rows, keys that are data, thresholds: what one user moves, and which keys show at all."""

import math
from fractions import Fraction

from tests.outside.bugs.forms import bug

from dpverify.mechanisms import gaussian, laplace, log, sqrt
from dpverify.verifiers import Multisets, Tuples, add_or_remove_one

F = Fraction
HUNDREDTH = F(1, 100)

# --- How much one user moves

ORDERS = bug(
    "count over a join, noise for one row",
    "uber-archive/sql-differential-privacy 1",
    "a customer of the one table has several orders in the other",
    Multisets((0, 1, 3), sizes=range(3)),
    add_or_remove_one,
)


def joined(draw, customers, most, epsilon):
    return sum(min(orders, most) for orders in customers) + draw(laplace(1 / epsilon))


@ORDERS.buggy(3, "by hand: 3 orders over 1")
def all_orders(draw, customers, *, epsilon):
    return joined(draw, customers, 3, epsilon)


@ORDERS.fixed(1, "by hand: at most one order of each")
def one_order_each(draw, customers, *, epsilon):
    return joined(draw, customers, 1, epsilon)


DISTINCT = bug(
    "distinct values first, contribution bounds after",
    "google/differential-privacy pull 84",
    "of equal values of several users one is kept, before each user is bounded to one value",
    Multisets(((0,), (1,), (2,), (0, 1, 2)), sizes=range(5)),
    add_or_remove_one,
)


@DISTINCT.buggy(2, "by hand: (0,), (1,), (2,) count 3; with (0, 1, 2), who owns all values, one is left of them")
def distinct_then_bounded(draw, users, *, epsilon):
    values = {value for user in users for value in user}
    owners = {max((user for user in users if value in user), key=len) for value in values}
    return len(owners) + draw(laplace(1 / epsilon))


@DISTINCT.fixed(1, "by hand: a user adds at most one value")
def bounded_then_distinct(draw, users, *, epsilon):
    return len({user[0] for user in users}) + draw(laplace(1 / epsilon))


BOUNDS = bug(
    "bounds from a histogram, noise for one row a user",
    "google/differential-privacy pull 87",
    "the bins that give the bounds are counted as if a user had one row",
    Multisets(((), (0,), (0, 0), (0, 1), (1, 1)), sizes=range(3)),
    add_or_remove_one,
)


def bins_above(draw, users, scale):
    return tuple(sum(user.count(b) for user in users) + draw(laplace(scale)) >= 4 for b in (0, 1))


@BOUNDS.buggy(2, "by hand: below the threshold a tail grows by e for each row")
def bins_for_one_row(draw, users, *, epsilon):
    return bins_above(draw, users, 1 / epsilon)


@BOUNDS.fixed(1, "by hand: 2 over 2")
def bins_for_two_rows(draw, users, *, epsilon):
    return bins_above(draw, users, 2 / epsilon)


MERGED = bug(
    "groups merged after truncation",
    "opendp/opendp 2949",
    "a user is in four groups, with L2 sensitivity 2; merged, all of them are in one count",
    Multisets(((), (0,), (0, 1, 2, 3)), sizes=range(3)),
    add_or_remove_one,
    delta=F(1, 10**5),
)


def merged(draw, users, norm, epsilon, delta):
    scale = norm * sqrt(2 * log(F(5, 4) / delta)) / epsilon
    return sum(len(user) for user in users) + draw(gaussian(scale))


@MERGED.buggy("0.00170017", "closed form of the Gaussian profile")
def merged_norm_of_groups(draw, users, *, epsilon, delta):
    return merged(draw, users, 2, epsilon, delta)


@MERGED.fixed("0.0000000411369", "closed form of the Gaussian profile")
def merged_norm_of_the_count(draw, users, *, epsilon, delta):
    return merged(draw, users, 4, epsilon, delta)


def up_to_two(rows):
    """Up to two rows more or less."""
    fewer = [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
    more = [tuple(sorted((*rows, value))) for value in range(3)]
    return [
        *fewer,
        *(row[:i] + row[i + 1 :] for row in fewer for i in range(len(row))),
        *more,
        *(tuple(sorted((*row, value))) for row in more for value in range(3)),
    ]


RESIZE = bug(
    "stability of resizing, rounded up to even",
    "opendp/opendp 355",
    "rows are filled up to a public number: two rows less are two constants more, a distance of 4 and not of 2",
    Multisets(range(3), sizes=range(4)),
    up_to_two,
)


def resized(draw, rows, scale):
    three = (*rows, 0, 0, 0)[:3]
    return tuple(three.count(value) + draw(laplace(scale)) for value in range(3))


@RESIZE.buggy(2, "by hand: (0, 1, 1) and (0,) are 4 apart once filled, over 2")
def resized_at_two(draw, rows, *, epsilon):
    return resized(draw, rows, 2 / epsilon)


@RESIZE.fixed(1, "by hand: 4 over 4")
def resized_at_four(draw, rows, *, epsilon):
    return resized(draw, rows, 4 / epsilon)


# --- Which keys show
STABILITY = bug(
    "stability histogram, two rows a user, threshold for one",
    "opendp/opendp 369",
    "the threshold knows nothing of rows a user",
    Multisets((("a", "a"), ("a", "b"), ("b", "b")), sizes=range(3)),
    add_or_remove_one,
    delta=HUNDREDTH,
)


def stable(draw, users, scale, threshold):
    released = []
    for key in "ab":
        count = sum(user.count(key) for user in users)
        if count > 0:
            noisy = count + draw(laplace(scale))
            if noisy >= threshold:
                released.append((key, noisy))
    return tuple(released)


@STABILITY.buggy(F(199, 10000), "by hand: a user (a, b) passes for each key with 1/100: 2p − p²")
def threshold_for_one(draw, users, *, epsilon, delta):
    return stable(draw, users, 2 / epsilon, 1 + 2 / epsilon * log(1 / (2 * delta)))


@STABILITY.buggy("0.0120938", "by hand: p = e^(−1/2)/100 for each key, 2p − p²")
def threshold_for_two_delta_for_one(draw, users, *, epsilon, delta):
    return stable(draw, users, 2 / epsilon, 2 + 2 / epsilon * log(1 / (2 * delta)))


@STABILITY.fixed("0.00605611", "by hand: p = e^(−1/2)/200, 2p − p²")
def threshold_for_two(draw, users, *, epsilon, delta):
    return stable(draw, users, 2 / epsilon, 2 + 2 / epsilon * log(1 / delta))


ROUNDED = bug(
    "a threshold of 4.9 becomes 4",
    "google/differential-privacy 101",
    "the threshold is truncated to an int",
    Multisets("a", sizes=range(9)),
    add_or_remove_one,
    delta=HUNDREDTH,
)


def passed(draw, rows, epsilon, threshold):
    if not rows:
        return None
    noisy = round(len(rows) + draw(laplace(1 / epsilon)))
    return noisy if noisy >= threshold else None


@ROUNDED.buggy("0.0410424993", "by hand: e^(−5/2)/2")
def threshold_truncated(draw, rows, *, epsilon, delta):
    return passed(draw, rows, epsilon, math.floor(1 - log(2 * delta) / epsilon))


@ROUNDED.buggy("0.0150986917", "by hand: e^(−7/2)/2, as rounding passes from t − 1/2 on (a model of the published fix)")
def threshold_rounded_up(draw, rows, *, epsilon, delta):
    return passed(draw, rows, epsilon, math.ceil(1 - log(2 * delta) / epsilon))


@ROUNDED.fixed("0.0055544983", "by hand: e^(−9/2)/2")
def threshold_a_half_higher(draw, rows, *, epsilon, delta):
    return passed(draw, rows, epsilon, math.ceil(F(3, 2) - log(2 * delta) / epsilon))


NOISE_KIND = bug(
    "threshold for Laplace noise, noise Gaussian",
    "opendp/smartnoise-sdk 204",
    "the threshold for rare keys is that of Laplace noise",
    Multisets("a", sizes=range(4)),
    add_or_remove_one,
    delta=HUNDREDTH,
)


def thresholded(draw, rows, scale, threshold):
    if not rows:
        return None
    noisy = len(rows) + draw(gaussian(scale))
    return noisy if noisy > threshold else None


@NOISE_KIND.buggy("0.104035", "closed form: Φ(ln(2δ)/σ), σ = √(2 ln(5/4δ))")
def threshold_of_laplace(draw, rows, *, epsilon, delta):
    return thresholded(draw, rows, sqrt(2 * log(F(5, 4) / delta)) / epsilon, 1 - log(2 * delta) / epsilon)


@NOISE_KIND.fixed("0.00466119", "closed form: Φ(−13/5)")
def threshold_of_gaussian(draw, rows, *, epsilon, delta):
    scale = sqrt(2 * log(F(5, 4) / delta)) / epsilon
    return thresholded(draw, rows, scale, 1 + F(13, 5) * scale)


REPORTS = bug(
    "the number of reports is exact",
    "WICG/attribution-reporting-api 439",
    "a trigger sends a report only where it is attributed, and reports are counted by who receives them",
    Tuples(range(3), size=2),
)


@REPORTS.buggy(None, "by hand: the number itself is returned")
def reports_where_attributed(draw, triggers, *, epsilon):
    reports = [value for value in triggers if value > 0]
    return len(reports), sum(reports) + draw(laplace(2 / epsilon))


@REPORTS.fixed(1, "by hand: every trigger sends a report, and their number is public")
def reports_of_all(draw, triggers, *, epsilon):
    return len(triggers), sum(triggers) + draw(laplace(2 / epsilon))


# --- Rows that end the query
ABORT = bug(
    "a row that uses up the budget",
    "Haeberlen, Pierce & Narayan 2011",
    "the analyst's function spends the budget, or ends, where it meets the row it looks for",
    Multisets(range(3), sizes=range(3)),
    add_or_remove_one,
)


@ABORT.buggy(None, "by hand: whether the query is refused is one row's presence")
def spends_where_it_meets_two(draw, rows, *, epsilon):
    budget = 1
    for row in rows:
        if row == 2:
            budget -= 1
    return len(rows) + draw(laplace(1 / epsilon)) if budget > 0 else "the budget is used up"


@ABORT.fixed(1, "by hand: one count")
def default_where_it_meets_two(draw, rows, *, epsilon):
    return sum(1 for row in rows if row != 2) + draw(laplace(1 / epsilon))
