"""Independent parts of one run: what each stands for, from `draw.each` to the law, or the outcome, that is returned."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from dpverify.mechanisms.exact.errors import InputError, LimitMet
from dpverify.mechanisms.exact.exact_numbers import ONE, Exact, product, total
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.lookalikes import refuse_lookalike
from dpverify.mechanisms.laws.parts import RELEASES_NOISE, Holder, IndependentPart, with_parts_replaced
from dpverify.mechanisms.laws.released import ReleasedDistribution, Releases
from dpverify.mechanisms.laws.released_parts import (
    FEW,
    PART_SLOT,
    Merging,
    PartRelease,
    combined,
    count_of,
    parts_in,
    with_parts,
)

Content = TypeVar("Content")


class Keeping(Generic[Content]):
    """The parts that were drawn in a run, and what each stands for."""

    def __init__(self) -> None:
        self._contents: dict[int, Content] = {}

    def part(self, holder: Holder, content: Content) -> IndependentPart:
        """A new part of a call, which stands for `content`."""
        number = len(self._contents) + 1
        self._contents[number] = content
        return IndependentPart(holder, number)

    def replaced(self, outcome: Any, holder: Holder, made: Callable[[Content], Any]) -> Any:
        """What a call returns, with what is `made` of their contents in the place of its parts.

        Raises `InputError` for parts of other calls, and for one that is returned twice.
        """
        return with_parts_replaced(outcome, holder, lambda number: made(self._contents[number]))

    def passed_on(self, outcome: Any, holder: Holder, to: Holder) -> Any:
        """What a call returns to another one, whose parts its own become."""
        return self.replaced(outcome, holder, lambda content: self.part(to, content))


class Kept(NamedTuple):
    """What a part of `draw.each` stands for: a template whose slots are those of parts, and their laws."""

    template: Hashable
    releases: tuple[PartRelease, ...]


def kept(law: Distribution[Any], limits: Limits) -> Kept:
    """A law as an independent part, in its own parts where it is made of such alone.

    Raises `InputError` where it releases noise, and `LimitMet` where it mixes more outcomes than the limits allow.
    """
    if isinstance(law, ReleasedDistribution):
        if law.has_noise:
            raise InputError(RELEASES_NOISE)
        if not law.finite and law.size == 1:
            ((template, ways),) = law.released.items()
            ((releases, _),) = ways.items()
            return Kept(template, tuple(part for part in releases if isinstance(part, PartRelease)))
        if outcomes_in(law) > limits.outcomes:
            raise LimitMet(
                f"draws apart what has {outcomes_in(law):,} outcomes, in several ways: return less, or", "outcomes"
            )
        law = expanded(law)
    return Kept(PART_SLOT, (PartRelease(law.probabilities),))


_MOST: Final = 1 << 14


class KeptLaws:
    """The parts that laws stand for, each made once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Distribution[Any], Kept]] = {}

    def __call__(self, law: Distribution[Any], limits: Limits) -> Kept:
        """See `kept`."""
        known = self._found.get(id(law))  # which is kept with it
        if known is None:
            if len(self._found) >= _MOST:
                self._found.clear()
            known = self._found[id(law)] = law, kept(law, limits)
        return known[1]


def released_parts(outcome: Any, holder: Holder, keeping: Keeping[Kept]) -> tuple[Any, tuple[PartRelease, ...]]:
    """The template of an outcome, and the laws of its parts."""
    releases: list[PartRelease] = []

    def slot(content: Kept) -> Hashable:
        releases.extend(content.releases)
        return content.template

    return keeping.replaced(outcome, holder, slot), tuple(releases)


# --- Laws without parts


def outcomes_in(law: ReleasedDistribution) -> int:
    """How many outcomes, and ways in which those with released noise come about, there are in a law without parts."""
    return len(law.finite) + sum(
        count_of(_apart(t, releases)[1]) for t, ways in law.released.items() for releases in ways
    )


def expanded(law: Distribution[Any], chosen: Container[Hashable] | None = None) -> Distribution[Any]:
    """The law with the outcomes of independent parts in their place: in all templates, or in those `chosen`."""
    if not isinstance(law, ReleasedDistribution) or not law.has_parts:
        return law
    finite = Merging()
    for outcome, p in law.finite.items():
        finite.add(outcome, p)
    released: dict[Hashable, tuple[Hashable, dict[Releases, list[Exact]]]] = {}
    for template, ways in law.released.items():
        for releases, weight in ways.items():
            others, parts = _apart(template, releases)
            if chosen is not None and template not in chosen:
                others, parts = releases, ()
            for outcomes, ps in combined(parts):
                outcome = with_parts(template, iter(outcomes)) if parts else template
                if others:
                    known, found = released.setdefault(outcome, (outcome, {}))
                    refuse_lookalike(known, outcome)
                    found.setdefault(others, []).append(product((weight, *ps)))
                else:
                    finite.add(outcome, product((weight, *ps)))
    if not released:
        return Distribution.of_blocks(
            (((outcome,), p) for outcome, p in finite.probabilities.items()), total_weight=ONE
        )
    return ReleasedDistribution(
        finite.probabilities,
        {template: {rest: total(ps) for rest, ps in ways.items()} for template, ways in (released.values())},
    )


def _apart(template: Hashable, releases: Releases) -> tuple[Releases, Sequence[PartRelease]]:
    """The releases of noise, and those of parts."""
    first = len(releases) - parts_in(template)
    return releases[:first], [part for part in releases[first:] if isinstance(part, PartRelease)]


def finite(law: Distribution[Any]) -> Distribution[Any]:
    """`law`. Raises `InputError` where it has infinitely many outcomes, which are drawn from the mechanism."""
    if isinstance(law, ReleasedDistribution):
        raise InputError(
            "draw from the mechanism itself, not from its law, which has infinitely many outcomes, or parts"
        )
    return law


class InFull(Distribution[Any]):
    """A law whose independent parts were put in full, which knows events about parts as well."""

    kept: ReleasedDistribution

    def probability(self, *outcomes: Any) -> Exact:
        """As of the law in parts."""
        return self.kept.probability(*outcomes)


def in_full_if_few(law: Distribution[Any]) -> Distribution[Any]:
    """The law without independent parts, where it has few outcomes and no noise; else as it is."""
    if not isinstance(law, ReleasedDistribution) or not law.has_parts or law.has_noise or outcomes_in(law) > FEW:
        return law
    found = InFull.of_blocks(expanded(law).blocks, total_weight=ONE)
    assert isinstance(found, InFull), "it is made by its class"
    found.kept = law
    return found
