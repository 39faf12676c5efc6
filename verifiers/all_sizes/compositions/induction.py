"""WithSymbols over a recursion: a mechanism that draws from itself at a smaller depth, for every depth at once.

The base is the mechanism at depth 1. In the step, at any depth N ≥ 2, a call of the mechanism itself at depth N − 1 is
a part with the guarantee that is claimed there, whatever its database and whatever else it is given of which the claim
is for every value. A claim that is first + (N − 1)·each, in ε and in δ, holds for every N if on each path of the base
the parts add up to no more than `first`, and on each path of the step, which meets the mechanism itself k times, to
own + k·(first + (N − 2)·each) ≤ first + (N − 1)·each for every N ≥ 2: at N = 2, and in the slopes, k·each ≤ each. What
the mechanism itself may return is what the paths of both are seen to return. See Theorem 17 of docs/theorems.md.

RecConcave: one_of_points, at (ε, 0), is `first`; a path of the step has itself once, A_dist twice and one_of_points, so
that own = (3ε, 2δ), which is `each`: ((3N − 2)ε, (2N − 2)δ).
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.fixed_values import Changeable, fixed
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.signatures import signature_of
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Sum, Term, total
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.numbers.polynomial_form import is_formally_zero
from dpverify.mechanisms.numbers.roots.delta_symbol import at_depth, symbolic_depth
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.all_sizes.claimed_shares import never_exceeds
from dpverify.verifiers.all_sizes.compositions.parts import EVERY_VALUE, NUMBER, OUTCOME, KnownPart, PartRule, part_told
from dpverify.verifiers.all_sizes.compositions.paths import (
    LEAST_OF_STEP,
    AnyDatabase,
    PathMet,
    RuleOf,
    key_of_database,
    paths_met,
    without_partial,
)
from dpverify.verifiers.all_sizes.compositions.sealed import AnyDepth, AnyReleased, AnyValue, depth_of
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

_NUMBERS: Final = (AnyReleased, AnyValue, *WHOLE, Fraction, Term, Sum)
"""Types of what may be in the place of `EVERY_VALUE`."""
_MOST_OUTCOMES: Final = 100
"""Values that a mechanism may return, beside any number."""


@dataclass(frozen=True)
class RecursivePart(KnownPart):
    """The mechanism itself at depth N − 1."""


@dataclass(frozen=True)
class InductionProof:
    """The paths of the base and of the step of an induction, and what is claimed at depth 1 and for each depth more."""

    base: Sequence[PathMet]
    step: Sequence[PathMet]
    first: PrivacyGuarantee
    each: PrivacyGuarantee

    @property
    def in_words(self) -> str:
        """The most that is needed at depth 1, and from each depth to the next one."""
        base, step = (" or ".join(map(need_in_words, largest_needs(paths))) for paths in (self.base, self.step))
        return f"at N = 1 its parts need {base}; at N ≥ 2 {step}"

    @property
    def parts_in_words(self) -> str:
        """The parts, each once."""
        paths = (*self.base, *self.step)
        return "; ".join(dict.fromkeys(part_told(part) for path in paths for part in path.parts))

    @property
    def holds(self) -> bool:
        """True where the claim follows."""
        return all(self._holds_at_1(path) for path in self.base) and all(map(self._holds_after, self.step))

    def _holds_at_1(self, path: PathMet) -> bool:
        return all(never_exceeds(own, bound) for own, bound in zip(total_of(path), self.first, strict=True))

    def _holds_after(self, path: PathMet) -> bool:
        total_of_others, times = _need(path)
        return all(
            never_exceeds(own + times * first, first + each) and never_exceeds((times - 1) * each, ZERO)
            for own, first, each in zip(total_of_others, self.first, self.each, strict=True)
        )


Need: TypeAlias = tuple[PrivacyGuarantee, int]
"""The sum of the guarantees of other parts on a path, and how often it meets the mechanism itself."""


def _need(path: PathMet) -> Need:
    return total_of(path), sum(isinstance(part, RecursivePart) for part in path.parts)


def largest_needs(paths: Sequence[PathMet]) -> list[Need]:
    """The needs of paths, of which no other one needs as much of all."""
    needs = dict.fromkeys(map(_need, paths))
    return [one for one in needs if not any(_is_below(one, other) for other in needs if other != one)]


def _is_below(one: Need, other: Need) -> bool:
    (of_one, times), (of_other, more) = one, other
    return times <= more and all(map(never_exceeds, of_one, of_other))


def need_in_words(need: Need) -> str:
    """The need of a path, for people."""
    (epsilon, delta), times = need
    itself = f" and {'itself' if times == 1 else f'{times} times itself'} at N − 1" if times else ""
    return f"({epsilon}, {delta}){itself}"


def total_of(path: PathMet) -> PrivacyGuarantee:
    """The sum of the guarantees of the parts of a path, but for the mechanism itself: adaptive basic composition."""
    own = [part.guarantee for part in path.parts if not isinstance(part, RecursivePart)]
    return PrivacyGuarantee(total([each.epsilon for each in own]), total([each.delta for each in own]))


def by_induction(
    mechanism: Mechanism,
    database: AnyDatabase,
    parameters: Mapping[str, Any],
    claim: PrivacyGuarantee,
    rule_of: RuleOf,
    *,
    backwards: bool = False,
) -> InductionProof:
    """The induction over the parameter that is `symbolic_depth`. Raises `Undecided` where it cannot be made."""
    mechanism, parameters = without_partial(mechanism, parameters)
    names = [name for name, value in parameters.items() if value is symbolic_depth]
    if len(names) != 1:
        raise Undecided(not_known.NO_INDUCTION, f"{len(names)} parameters are symbolic_depth")
    first, second = (PrivacyGuarantee(*at_depth(tuple(claim), n)) for n in (1, 2))
    each = PrivacyGuarantee(second.epsilon - first.epsilon, second.delta - first.delta)
    for whole, one, more in zip(claim, first, each, strict=True):
        if not is_formally_zero(whole - one - (symbolic_depth - 1) * more) or not never_exceeds(ZERO, more):
            raise Undecided(not_known.NO_INDUCTION, f"the claimed {whole} is not a + b·N with b ≥ 0")
    asked = {"backwards": backwards, "is_recursive": True}
    base = paths_met(mechanism, database, {**parameters, names[0]: 1}, rule_of, **asked)
    outcomes = _outcomes(base)
    while True:
        itself = _Itself(mechanism, database, names[0], parameters, claim, outcomes)
        step = paths_met(mechanism, database, parameters, itself.or_other(rule_of), **asked)
        further = {**outcomes, **_outcomes(step)}
        if further.keys() == outcomes.keys():
            return InductionProof(base, step, first, each)
        if len(further) > _MOST_OUTCOMES:
            raise Undecided(not_known.NO_INDUCTION, f"{name_of(mechanism)} returns more and more values, by depth")
        outcomes = further


def _outcomes(paths: Sequence[PathMet]) -> dict[Hashable, Any]:
    """All that the paths return, by keys that tell 1 from True. Raises `Undecided` for what is not plain."""
    found: dict[Hashable, Any] = {}
    for path in paths:
        try:
            if not _is_plain(path.outcome):
                raise Changeable
            found.setdefault(fixed(path.outcome), path.outcome)
        except Changeable:
            raise Undecided(not_known.NO_INDUCTION, f"it returns {shown(path.outcome)}, not a plain value") from None
    return found


def _is_plain(outcome: Any) -> bool:
    """True of any number, of plain values, members of an Enum, and tuples of these."""
    if type(outcome) is tuple:
        return all(map(_is_plain, outcome))
    return outcome is NUMBER or is_plain(outcome) or (isinstance(outcome, Enum) and outcome is not OUTCOME)


class _Itself:
    """The mechanism as a part of itself, at a smaller depth."""

    def __init__(
        self,
        mechanism: Mechanism,
        database: AnyDatabase,
        depth: str,
        parameters: Mapping[str, Any],
        claim: PrivacyGuarantee,
        outcomes: Mapping[Hashable, Any],
    ) -> None:
        self._mechanism, self._database, self._depth = mechanism, database, depth
        signature = signature_of(mechanism) or inspect.signature(mechanism)
        bound = signature.bind(None, None, **parameters)
        bound.apply_defaults()
        self._own = dict([*bound.arguments.items()][2:])
        there = PrivacyGuarantee(*at_depth(tuple(claim), symbolic_depth - 1))
        known = tuple([outcomes[key] for key in sorted(outcomes, key=repr)])  # in one order
        self._part = RecursivePart(f"{name_of(mechanism)} itself at depth N − 1", there, known, "the induction")

    def or_other(self, rule_of: RuleOf) -> RuleOf:
        """The rules of other parts, and of the mechanism itself."""
        return lambda mechanism: self._rule if mechanism is self._mechanism else rule_of(mechanism)

    @property
    def _rule(self) -> PartRule:
        return self._at_smaller_depth

    def _at_smaller_depth(self, database: AnyDatabase, given: Mapping[str, Any]) -> KnownPart:
        """The part. Raises `Undecided` where the call is one of which the claim does not speak."""
        if key_of_database(database) != key_of_database(self._database):
            raise Undecided(not_known.NO_INDUCTION, f"{self._part.name} is drawn on other databases")
        for name, own in self._own.items():
            value = given[name]
            if name == self._depth:
                is_meant = type(value) is AnyDepth and depth_of(value) == (1, LEAST_OF_STEP - 1)
            elif own is EVERY_VALUE:
                is_meant = type(value) in _NUMBERS
            else:
                is_meant = _is_same(value, own)
            if not is_meant:
                raise Undecided(not_known.NO_INDUCTION, f"{self._part.name} is called with another {name}")
        return self._part


def _is_same(value: Any, own: Any) -> bool:
    if type(value) in WHOLE and type(own) in WHOLE:  # an int of the source, and one of the claim
        return int(value) == int(own)
    try:
        return value is own or bool(fixed(value) == fixed(own))
    except Changeable:
        return False
