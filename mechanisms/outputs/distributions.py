"""Finite distributions with exact probabilities: what a mechanism draws from, and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from flint import fmpq

from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.noise.undrawn import Undrawn
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.enclosure import scaled_cumulative_bounds
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    ZERO,
    Exact,
    ExactLike,
    exact,
    product,
    rational,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.exact_text import at_a_glance
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.mechanisms.outputs.long_sequences import length

Outcome = TypeVar("Outcome", bound=Hashable)


AtShare: TypeAlias = Callable[[Fraction], "Distribution[Any]"]
"""Share of its noise → the distribution with that much of it."""


class Distribution(Undrawn, Generic[Outcome]):
    """A distribution over finitely many outcomes. Immutable.

    `Distribution({outcome: weight, …})` normalises the weights exactly: exact numbers ≥ 0, not all 0. An outcome of
    weight 0 is left out. `at_share` is for those who make it of noise with a scale: see the attribute. Raises
    `InputError` for anything else.

    >>> Distribution({"a": 3, "b": 1}).probability("a")
    Fraction(3, 4)
    """

    def __init__(self, weights: Mapping[Outcome, ExactLike], *, at_share: AtShare | None = None) -> None:
        if not isinstance(weights, Mapping):
            raise InputError(
                bad_input.WRONG, f"Distribution: {shown(weights)}", "a mapping outcome → weight", "write {key: weight}"
            )
        blocks: list[tuple[Sequence[Outcome], Exact]] = []
        for outcome, weight in weights.items():
            number = weight if isinstance(weight, Exact) else _weight(outcome, weight)
            positive = sign(number)
            if positive < 0:
                raise InputError(bad_input.RANGE, f"the weight {at_a_glance(number)} of {shown(outcome)}", "at least 0")
            if positive:
                blocks.append(((as_held(outcome),), number))
        if not blocks:
            what = "the weights sum to 0" if weights else "there are no outcomes"
            raise InputError(bad_input.IS_EMPTY, f"a Distribution, where {what},", "outcome with a positive weight")
        self._blocks = tuple(blocks)
        if at_share is not None:
            self.at_share = at_share

    at_share: AtShare | None = None
    """The distribution with a share ≥ 0 of the noise that is in it, where it was made of noise that has a scale."""

    drawn: Callable[[Any], Any] | None = None
    """A mechanism of `draw` alone whose law it is, where that is drawn from with less work than its chances take."""

    @cached_property
    def _blocks(self) -> tuple[tuple[Sequence[Outcome], Exact], ...]:
        return tuple([((outcome,), p) for outcome, p in self.probabilities.items()])

    @classmethod
    def of_blocks(
        cls,
        blocks: Iterable[tuple[Sequence[Outcome], Exact]],
        total_weight: Exact | None = None,
        at_share: AtShare | None = None,
    ) -> Distribution[Outcome]:
        """The distribution in which each outcome of a block has the block's weight > 0.

        Blocks share no outcome. It costs one number a block, not one an outcome: a block may be a long `range`.
        `total_weight` is the sum of all weights, where the caller knows it; `at_share` as the attribute has it.
        """
        made = cls.__new__(cls)
        made._blocks = tuple(blocks)
        if at_share is not None:
            made.at_share = at_share
        if total_weight is not None:
            made.__dict__["total_weight"] = total_weight
        return made

    @classmethod
    def of_probabilities(cls, probabilities: Mapping[Outcome, Exact]) -> Distribution[Outcome]:
        """The distribution of these probabilities > 0, of which the caller knows that they sum to 1."""
        made = cls.__new__(cls)
        made.__dict__["probabilities"] = probabilities
        made.__dict__["total_weight"] = ONE
        return made

    def once_more(self) -> Distribution[Outcome]:
        """The same distribution, whose dict of probabilities is its own: who changes that changes no other."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__.pop("probabilities", None)
        made._like = self
        return made

    _like: Distribution[Outcome] | None = None

    is_finite: ClassVar[bool] = True

    @property
    def blocks(self) -> tuple[tuple[Sequence[Outcome], Exact], ...]:
        """Groups of outcomes, with the weight (not normalised) that each outcome of the group has."""
        return self._blocks

    @property
    def groups(self) -> int:
        """The number of blocks."""
        return len(self._blocks)

    def group(self, place: int) -> Sequence[Outcome]:
        """The outcomes of a block."""
        return self._blocks[place][0]

    @cached_property
    def total_weight(self) -> Exact:
        """The sum of all weights."""
        return self._normal.total

    @cached_property
    def _normal(self) -> _Normal:
        return _normal(self._blocks)

    @cached_property
    def size(self) -> int:
        """The number of outcomes."""
        return sum(length(outcomes) for outcomes, _ in self._blocks)

    @property
    def made_by(self) -> str:
        of_two = all(isinstance(outcome, bool) for outcomes, _ in self._blocks for outcome in outcomes)
        return "bernoulli" if of_two else "Distribution"

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Outcome]:
        return (outcome for outcomes, _ in self._blocks for outcome in outcomes)

    @cached_property
    def probabilities(self) -> Mapping[Outcome, Exact]:
        """Outcome → probability > 0."""
        if self._like is not None:
            return dict(self._like.probabilities)
        if self.total_weight is ONE:
            return {outcome: weight for outcomes, weight in self._blocks for outcome in outcomes}
        shares = self._normal.shares_of(self.total_weight)
        normal = [(outcomes, shares[weight.serial]) for outcomes, weight in self._blocks]
        return {outcome: share for outcomes, share in normal for outcome in outcomes}

    @cached_property
    def leaves(self) -> Sequence[tuple[Any, Exact]]:
        """The outcomes with their probabilities, indexed."""
        return tuple(self.probabilities.items())

    @property
    def structure(self) -> Hashable:
        """The structure that two distributions that are built in the same way agree in; cheap to compare."""
        return self._blocks

    def cumulative_bounds(self, bits: int) -> tuple[Sequence[int], Sequence[int]]:
        """For each block, whole bounds low ≤ 2^bits·Pr[the outcome is in this block or one before] ≤ high.

        The bounds of the last block are 2^bits exactly. Computed once for each number of bits.
        """
        known = self._known_bounds.get(bits)
        if known is None:
            known = self._known_bounds[bits] = self._bounds(bits)
        return known

    def _bounds(self, bits: int) -> tuple[Sequence[int], Sequence[int]]:
        return scaled_cumulative_bounds(((length(outcomes), weight) for outcomes, weight in self._blocks), bits)

    @cached_property
    def _known_bounds(self) -> dict[int, tuple[Sequence[int], Sequence[int]]]:
        return {}

    def probability(self, *outcomes: Outcome) -> Exact:
        """The probability that one of `outcomes` occurs; 0 for none."""
        return total(self.probabilities.get(outcome, ZERO) for outcome in dict.fromkeys(map(as_held, outcomes)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            self.refuse_what_is_no_law(other)
            return NotImplemented
        mine, others = self.probabilities, other.probabilities
        return mine.keys() == others.keys() and all(mine[outcome] == others[outcome] for outcome in mine)

    __hash__ = None  # type: ignore[assignment]  # equality is by value and costly

    def __repr__(self) -> str:
        scale = ONE if self.total_weight is ONE else reciprocal_of_nonzero(self.total_weight)
        leaves = ((outcome, weight) for outcomes, weight in self._blocks for outcome in outcomes)
        shown = [f"{as_returned(outcome)!r}: {product((weight, scale))!r}" for outcome, weight in islice(leaves, 20)]
        return f"Distribution({{{', '.join(shown)}{', …' if self.size > 20 else ''}}})"


class _Normal:
    """The sum and the shares of weights, whatever outcomes have them: each weight stands with how many these are."""

    def __init__(self, weights: Sequence[tuple[Exact, int]]) -> None:
        self._weights = weights

    @cached_property
    def total(self) -> Exact:
        """The sum of all weights."""
        return total(_times(count, weight) for weight, count in self._weights)

    @cached_property
    def _shares(self) -> Mapping[int, Exact]:
        return self._divided_by(self.total)

    def shares_of(self, whole: Exact) -> Mapping[int, Exact]:
        """Serial number of a weight → weight/whole, for the sum of all weights, in whatever form."""
        return self._shares if whole is self.total else self._divided_by(whole)

    def _divided_by(self, whole: Exact) -> Mapping[int, Exact]:
        scale = reciprocal_of_nonzero(whole)
        return {weight.serial: product((weight, scale)) for weight, _ in self._weights}


_FEW: Final = 64
"""Blocks of which what their weights come to is remembered: of more, the same are seldom met again."""

_MOST: Final = 1 << 13

_normals: Final[dict[tuple[tuple[int, int], ...], _Normal]] = {}
"""By the serial numbers of the weights, which are kept with them, and how many outcomes have each, in rising order.

A mechanism meets the same weights on many databases, of other outcomes and in other orders.
"""


def _normal(blocks: Sequence[tuple[Sequence[Any], Exact]]) -> _Normal:
    weights = [(weight, length(outcomes)) for outcomes, weight in blocks]
    if len(weights) > _FEW:
        return _Normal(weights)
    pattern = tuple(sorted([(weight.serial, count) for weight, count in weights]))
    known = _normals.get(pattern)
    if known is None:
        if len(_normals) >= _MOST:
            _normals.clear()
        known = _normals[pattern] = _Normal(weights)
    return known


def _weight(outcome: object, weight: ExactLike) -> Exact:
    try:
        return exact(weight)
    except InputError:
        return exact(weight, f"the weight of {shown(outcome)}")  # whose text is made where it is asked for


def _times(count: int, weight: Exact) -> Exact:
    return weight if count == 1 else product((rational(fmpq(count)), weight))


def uniform(outcomes: Iterable[Outcome]) -> Distribution[Outcome]:
    """Each of `outcomes` with the same probability; a range costs nothing, however long.

    Raises `InputError` where there is none, or one occurs twice.

    >>> uniform(["a", "b", "c"]).probability("a")
    Fraction(1, 3)
    """
    if not isinstance(outcomes, Iterable):
        raise InputError(
            bad_input.ARGUMENT, f"uniform({shown(outcomes)})", f"the outcomes, for example range({shown(outcomes)})"
        )
    members: Sequence[Any] = outcomes if isinstance(outcomes, range) else tuple(outcomes)
    if not members:
        raise InputError(bad_input.IS_EMPTY, "uniform: the list of outcomes", "outcome")
    if not isinstance(members, range) and len(_hashed(members)) < len(members):
        raise InputError(
            bad_input.TWICE, "uniform: the list of outcomes", "an outcome", "give weights to a Distribution instead"
        )
    return Distribution.of_blocks([(members if isinstance(members, range) else tuple(map(as_held, members)), ONE)])


def _hashed(members: Sequence[Any]) -> set[Any]:
    try:
        return set(members)
    except TypeError as error:
        raise InputError(
            bad_input.NOT_HASHABLE, "uniform: an outcome", f" ({told(error)})", hashable_in_place(members)
        ) from None


def bernoulli(probability: ExactLike) -> Distribution[bool]:
    """True with the given probability, else False. Raises `InputError` unless it lies in [0, 1].

    >>> bernoulli("1/4").probability(True)
    Fraction(1, 4)
    """
    p = exact(probability, "probability")
    return _bernoulli(p) if p.symbol is not None else Distribution.of_blocks(_bernoulli_of(p).blocks, ONE)


def _bernoulli(p: Exact) -> Distribution[bool]:
    if p < 0 or p > 1:
        raise InputError(bad_input.RANGE, f"probability={at_a_glance(p)}", "between 0 and 1")
    return Distribution({True: p, False: 1 - p})


_bernoulli_of = by_identity(_bernoulli)  # of which nobody has the object: a mechanism draws the same on every path
