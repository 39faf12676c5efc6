"""The question to a mechanism: whether it keeps a claim of privacy for all neighbours of a domain."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.unmodified import as_mechanism
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.signatures import contradictions, parameters_for, refuse_kept, values_kept
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, Term, exact, to_fraction
from dpverify.mechanisms.numbers.plain_numbers import refuse_written_float
from dpverify.mechanisms.numbers.roots.delta_symbol import at_depth, holds_delta, holds_depth, with_delta
from dpverify.mechanisms.numbers.roots.epsilon_symbol import DependsOnEpsilon, EpsilonSymbol
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import simplest_between, symbol_in
from dpverify.mechanisms.numbers.shown import MOST_DIGITS, cut, is_long, shown
from dpverify.mechanisms.numbers.symbols import Symbol
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers.problems.questions.domains import Domain, Multisets
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.readable import shown_parameter


class PrivacyGuarantee(NamedTuple):
    """ε ≥ 0 and δ in [0, 1]."""

    epsilon: Exact
    delta: Exact


def privacy_guarantee(epsilon: ExactLike, delta: ExactLike, *, every_delta: bool = False) -> PrivacyGuarantee:
    """The claim of (ε,δ)-privacy, for whoever knows of `every_delta` with the symbolic δ in the place of δ, or in it.

    Raises `InputError`, naming the argument, where one is out of range or not exact.
    """
    refuse_written_float(epsilon, "epsilon")
    refuse_written_float(delta, "delta")
    if every_delta and holds_depth((epsilon, delta)):
        for depth in (1, 2):  # what is more at each depth is looked at by the induction
            privacy_guarantee(*at_depth((epsilon, delta), depth), every_delta=True)
        return PrivacyGuarantee(exact(epsilon), exact(delta))
    if every_delta and holds_delta((epsilon, delta)):
        return _claim_of_every_delta(exact(epsilon, "epsilon"), exact(delta, "delta"))
    if symbol_in((epsilon, delta)) is not None:
        return _symbolic_claim(exact(epsilon, "epsilon"), exact(delta, "delta"))
    claim = PrivacyGuarantee(_plainly_zero(epsilon, "epsilon"), _plainly_zero(delta, "delta"))
    _refuse_out_of_range("epsilon", claim.epsilon)
    _refuse_out_of_range("delta", claim.delta)
    return claim


def _claim_of_every_delta(epsilon: Exact, delta: Exact) -> PrivacyGuarantee:
    """A claim for all δ at once; a δ above 1 at some of them claims nothing there."""
    if holds_delta(epsilon):
        raise InputError(
            bad_input.WRONG, f"epsilon={cut(str(epsilon))}, which depends on δ,", "known for all δ", "claim an ε alone"
        )
    try:
        is_positive = delta > 0
    except (Undecided, InputError):
        is_positive = False
    if not is_positive:
        raise InputError(
            bad_input.WRONG, f"delta={cut(str(delta))}", "positive for all δ, as far as is known", "claim c·δ"
        )
    return PrivacyGuarantee(privacy_guarantee(epsilon, ZERO).epsilon, delta)


def _refuse_out_of_range(name: str, number: Exact) -> None:
    if name == "delta" and (number < 0 or number > 1):
        raise InputError(bad_input.RANGE, f"delta={cut(str(number))}", "between 0 and 1")
    if number < 0:
        raise InputError(reasons.EPSILON_NEGATIVE.text(value=cut(str(number))))
    if number > _LARGEST_EPSILON:
        raise InputError(reasons.EPSILON_TOO_LARGE.text(value=cut(str(number)), most=f"{_LARGEST_EPSILON:,}"))


def _symbolic_claim(epsilon: Exact, delta: Exact) -> PrivacyGuarantee:
    """A claim for all ε at once: neither number may be negative, and a δ above 1 at some ε claims nothing there.

    A rational ε > 0 beside a symbolic δ is refused, as no sign is decided of powers of e among those of e^ε.
    """
    if isinstance(epsilon, Term) and epsilon.is_rational and epsilon != 0:
        raise InputError(reasons.DELTA_SYMBOLIC_ALONE.text(epsilon=cut(str(epsilon)), delta=cut(str(delta))))
    for name, number in (("epsilon", epsilon), ("delta", delta)):
        if number.symbol is None:
            _refuse_out_of_range(name, number)
        elif _is_negative_somewhere(number, number.symbol):
            raise InputError(bad_input.RANGE, f"{name}={cut(str(number))}", "at least 0 for all ε")
    return PrivacyGuarantee(epsilon, delta)


def _is_negative_somewhere(number: Exact, symbol: Symbol) -> bool:
    try:
        return number < 0
    except DependsOnEpsilon as dependence:
        ends = [ZERO, *dependence.at, None]
        samples = [simplest_between(low, high) for low, high in pairwise(ends) if low is not None]
        return any(DistributionSubstitution(symbol, epsilon)(number) < 0 for epsilon in samples)


_LARGEST_EPSILON: Final = 1_000_000_000


def _plainly_zero(value: ExactLike, name: str) -> Exact:
    """`value` as an exact number, ZERO itself where it is 0 in disguise."""
    number = exact(value, name)
    if isinstance(number, Term) and is_long(to_fraction(number.coefficient)):
        raise InputError(bad_input.BEYOND, f"the length of {name}", f"{MOST_DIGITS:,} digits", "round it to fewer")
    try:
        return ZERO if number == 0 else number
    except Undecided as doubt:
        raise InputError(
            bad_input.WRONG, f"{name}={cut(str(number))}", f"known to be 0 or not: {doubt}", "write a simpler form"
        ) from None


@dataclass(frozen=True, eq=False)
class Question:
    """The question whether a mechanism is private for all neighbours of a domain: all that is asked, and no answer.

    It can be compared and be a key, and be pickled where what it is made of can. True and 1 are two parameters, and two
    rows: a mechanism may tell them apart. A domain of this package is equal to itself alone.

    Raises `InputError` for a mechanism that cannot be called, and for parameters that are no mapping.
    """

    mechanism: Mechanism
    domain: Domain
    neighbours: NeighbourRelation
    claimed: PrivacyGuarantee | None
    """None where nothing is claimed, and the distributions themselves, or a profile, are asked for."""
    parameters: Mapping[str, Any]
    """As they are given: see `arguments`."""
    limits: Limits

    def __post_init__(self) -> None:
        if not isinstance(self.parameters, Mapping):
            raise InputError(reasons.PARAMETERS_NO_MAPPING.text(value=shown(self.parameters)))
        if not callable(self.mechanism):
            what = shown(self.mechanism)
            if " at 0x" in what.lower():  # which says nothing, and another thing each time
                what = f"an object of {type(self.mechanism).__qualname__}"
            raise InputError(reasons.MECHANISM_NO_FUNCTION.text(value=what))
        object.__setattr__(self, "mechanism", as_mechanism(self.mechanism))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Question):
            return NotImplemented
        mine, others = self._asked, other._asked
        return mine == others and same(mine, others)

    @property
    def _asked(self) -> tuple[Any, ...]:
        parameters = tuple(sorted(self.parameters.items(), key=lambda item: str(item[0])))
        return self.mechanism, self.domain, self.neighbours, self.claimed, parameters, self.limits

    def __hash__(self) -> int:
        """By names: a domain may be a list, and a parameter anything."""
        return hash((name_of(self.mechanism), name_of(self.neighbours), frozenset(self.parameters), self.limits))

    @property
    def claim(self) -> PrivacyGuarantee:
        """The ε and δ."""
        assert self.claimed is not None, "a verdict is asked for on a claim"
        return self.claimed

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the mechanism beside draw and a database: `parameters`, and ε and δ where it has no value.

        Raises `InputError` as `parameters_for` does, and where a claim for every ε is of a mechanism that keeps one ε.
        """
        if self.claimed is not None and self.claimed.epsilon.symbol is not None and "epsilon" in self.contradictions:
            refuse_kept(self.mechanism, "epsilon", self.parameters)
        return parameters_for(self.mechanism, self._given_by_claim, self.parameters)

    @property
    def all_arguments(self) -> Mapping[str, Any]:
        """The arguments, and the values that the mechanism keeps for its ε and δ, in the order of a claim."""
        both = PrivacyGuarantee._fields
        known = {**self.arguments, **values_kept(self.mechanism, both, self.parameters)}
        first = [name for name in both if name in known and name not in self.parameters]
        return {name: known[name] for name in (*first, *known)}

    @property
    def contradictions(self) -> Mapping[str, str]:
        """The ε and δ that the mechanism keeps where they are not what is claimed, in words."""
        kept = contradictions(self.mechanism, self._given_by_claim, self.parameters)
        return {name: value if isinstance(value, str) else shown_parameter(value) for name, value in kept.items()}

    @property
    def _given_by_claim(self) -> Mapping[str, Exact]:
        return {} if self.claimed is None else self.claimed._asdict()

    @property
    def of_every_delta(self) -> bool:
        """True where it is about the symbolic δ: then no distribution is found, and theorems alone decide it."""
        return holds_delta((*(self.claimed or ()), dict(self.arguments)))

    def at_delta(self, delta: ExactLike) -> Question:
        """The question with a number in the place of the symbolic δ."""
        claimed = None if self.claimed is None else PrivacyGuarantee(*with_delta(tuple(self.claimed), delta))
        return replace(self, claimed=claimed, parameters=exact_parameters(with_delta(dict(self.arguments), delta)))

    @property
    def symbol(self) -> EpsilonSymbol | None:
        """Symbol that stands for every ε at once; None where all numbers are known. Raises `InputError` of every δ."""
        return symbol_in((*(self.claimed or ()), dict(self.arguments)))

    def at(self, put: DistributionSubstitution) -> Question:
        """The question with a number, or another symbol, in the place of a symbol."""
        claimed = None if self.claimed is None else PrivacyGuarantee(*map(put, self.claimed))
        return replace(self, claimed=claimed, parameters=exact_parameters(put(dict(self.arguments))))

    def arguments_at(self, epsilon: Exact | None) -> Mapping[str, Any]:
        """The arguments with a number in the place of a symbolic ε; as they are for None."""
        symbol = symbol_in(dict(self.arguments))
        if epsilon is None or symbol is None:
            return self.arguments
        return exact_parameters(DistributionSubstitution(symbol, epsilon)(dict(self.arguments)))

    def of_others(
        self, domain: Domain, neighbours: NeighbourRelation, parameters: Mapping[str, Any] | None = None
    ) -> Question:
        """The same of other databases, and with other parameters, where these are given."""
        given = self.parameters if parameters is None else parameters
        return replace(self, domain=domain, neighbours=neighbours, parameters=given)

    def of_two(self, pair: Sequence[Hashable], parameters: Mapping[str, Any] | None = None) -> Question:
        """The same of two databases, each the neighbour of the other."""
        return self.of_others(list(pair), lambda database: [each for each in pair if each != database], parameters)

    @property
    def alone(self) -> Question:
        """As it travels to those who compute distributions: without the claim, or a domain that they need not know."""
        domain = self.domain if isinstance(self.domain, Multisets) else ()
        return Question(self.mechanism, domain, no_neighbours, None, self.arguments, self.limits)

    def enumeration(self, share: Fraction = ALL_NOISE) -> Enumeration:
        """The enumeration that finds laws of the mechanism, left so much of its noise."""
        return Enumeration(self.limits, share=share, reads=True)


def no_neighbours(_: Hashable) -> tuple[Hashable, ...]:
    """A relation of nobody: of a question that is about distributions alone."""
    return ()
