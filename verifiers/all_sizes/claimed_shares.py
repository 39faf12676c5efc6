"""A claim for every δ as multiples of what the mechanism is given, and what a theorem says of such claims."""

from fractions import Fraction
from typing import NamedTuple, Protocol

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta, symbolic_delta
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import EpsilonDeltaSet
from dpverify.verifiers.divergence.every_epsilon.few_rows_sets import FewRowsSet
from dpverify.verifiers.problems.questions.question import Question


class ClaimedShares(NamedTuple):
    """A claim of (share_of_epsilon·ε, share_of_delta·δ)-privacy of a mechanism that is given ε and δ."""

    epsilon: Exact
    delta: Exact
    share_of_epsilon: Fraction
    share_of_delta: Exact
    """A function of ε, perhaps."""

    @property
    def is_plain(self) -> bool:
        """True of (ε,δ)-privacy for δ itself."""
        if self.delta is not symbolic_delta:
            return False
        return self.share_of_epsilon == 1 and self.share_of_delta.symbol is None and self.share_of_delta == 1


class EveryDelta(Protocol):
    """The answer of a theorem on a mechanism with its arguments on a domain, for every ε and δ at once."""

    @property
    def theorem(self) -> str:
        """Its name, and what it speaks of."""

    def holds(self, claimed: ClaimedShares) -> bool:
        """True where a claim follows from the theorem."""

    def fails_in(self, claimed: ClaimedShares) -> EpsilonDeltaSet | FewRowsSet | None:
        """The set on which a claim fails that does not hold; None where the theorem does not give it."""


class PartOfDelta(NamedTuple):
    """The theorem that a mechanism is (ε, part·δ)-private."""

    theorem: str
    part: Fraction

    def holds(self, claimed: ClaimedShares) -> bool:
        """True of that claim, and of weaker ones."""
        return claimed.share_of_epsilon >= 1 and never_exceeds(exact(self.part), claimed.share_of_delta)

    def fails_in(self, _: ClaimedShares) -> None:
        """Not given."""


def claimed_shares(question: Question) -> ClaimedShares | None:
    """None where the mechanism is given no part of the symbolic δ, or something else than a multiple is claimed.

    Raises `InputError` as the mechanism does of a δ that is no symbol.
    """
    try:
        return _shares(question)
    except Undecided:  # an ε that is not positive for all of them, or a δ that is none
        return None


def _shares(question: Question) -> ClaimedShares | None:
    given, claim = question.arguments, question.claim
    delta = exact(given["delta"])
    if holds_delta(given["epsilon"]):
        return None
    epsilon = positive(given["epsilon"], "epsilon")
    if not holds_delta(delta):
        open_unit(delta, "delta")
    elif holds_delta(delta / symbolic_delta) or not 0 < delta / symbolic_delta <= 1:
        return None  # which need not lie between 0 and 1
    share, of_delta = as_parameter(claim.epsilon / epsilon), claim.delta / delta
    if not isinstance(share, int | Fraction) or holds_delta(of_delta):
        return None
    return ClaimedShares(epsilon, delta, Fraction(share), of_delta)


def never_exceeds(number: Exact, bound: Exact) -> bool:
    """True where a number is seen to be no more than another one, for all ε."""
    try:
        return number <= bound
    except (Undecided, InputError):
        return False
