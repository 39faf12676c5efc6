"""What is claimed of elections.py, as it is, and of ways to break it."""

import numpy as np
from elections import ballots_to_audit, winner

from dpverify.mechanisms import Rng, exact
from dpverify.mechanisms.outputs import as_array, as_outcome
from dpverify.verifiers import Claim, Multisets, Status

SOURCE = "elections.py"
CANDIDATES = ("ann", "bob", "cy")
VOTES = Multisets(CANDIDATES, size=4)


def elected(draw, votes, *, epsilon):
    """The winner, of numbers that are exact."""
    return winner(as_array(votes), CANDIDATES, epsilon=exact(epsilon), rng=Rng(draw))


def without_the_half(draw, votes, *, epsilon):
    """exp(ε·votes)."""
    return elected(draw, votes, epsilon=2 * epsilon)


def among_those_with_votes(draw, votes, *, epsilon):
    """Only candidates that somebody voted for have a chance."""
    return winner(as_array(votes), np.unique(as_array(votes)), epsilon=exact(epsilon), rng=Rng(draw))


def audited(draw, votes, *, epsilon):
    """Two ballots as they are, which no ε allows."""
    return as_outcome(ballots_to_audit(as_array(votes), 2, rng=Rng(draw)))


winner_is_private = Claim(
    id="elections.winner",
    source=SOURCE,
    mechanism=elected,
    domain=VOTES,
    epsilon=1,
    mutant=without_the_half,
)
candidates_of_the_data = Claim(
    id="elections.winner.of-the-data",
    source=SOURCE,
    mechanism=among_those_with_votes,
    domain=VOTES,
    epsilon=1,
    expected=Status.REFUTED,
)
audit_is_not_private = Claim(
    id="elections.audit",
    source=SOURCE,
    mechanism=audited,
    domain=VOTES,
    epsilon=1,
    expected=Status.REFUTED,
)
