"""What is claimed of surveys.py, as it is, and of a way to break it."""

import numpy as np
from surveys import estimated_total, randomized

from dpverify.mechanisms import Rng, exact
from dpverify.mechanisms.outputs import as_array, as_outcome
from dpverify.verifiers import Claim, Status, Tuples

SOURCE = "surveys.py"
ANSWERS = Tuples((0, 1), size=3)


def response(draw, rows, *, epsilon):
    """The randomized answers."""
    return as_outcome(randomized(as_array(rows), epsilon=exact(epsilon), rng=Rng(draw)))


def total(draw, rows, *, epsilon):
    """The estimate, an exact number."""
    return estimated_total(as_array(rows), epsilon=exact(epsilon), rng=Rng(draw))


def one_coin(draw, rows, *, epsilon):
    """The number of coins is forgotten: all answers are turned around, or none."""
    flip = Rng(draw).random() < 1 / (1 + np.exp(exact(epsilon)))
    return as_outcome(1 - as_array(rows) if flip else as_array(rows))


def more_often_told(draw, rows, *, epsilon):
    """Twice the ε."""
    return total(draw, rows, epsilon=2 * epsilon)


responses_are_private = Claim(
    id="surveys.randomized",
    source=SOURCE,
    mechanism=response,
    domain=ANSWERS,
    epsilon=1,
    mutant=one_coin,
)
total_is_private = Claim(
    id="surveys.estimated_total",
    source=SOURCE,
    mechanism=total,
    domain=ANSWERS,
    epsilon=1,
    mutant=more_often_told,
)
one_coin_is_not = Claim(
    id="surveys.randomized.one-coin",
    source=SOURCE,
    mechanism=one_coin,
    domain=ANSWERS,
    epsilon=1,
    expected=Status.REFUTED,
)
