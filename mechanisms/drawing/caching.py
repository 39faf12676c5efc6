"""Independent parts of one run: what each stands for, from `draw.each` to the law, or the outcome, that is returned."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product as combinations
from math import prod
from typing import Any, Final, Generic, TypeVar

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.functions.parts import IndependentPart, with_parts_replaced
from dpverify.mechanisms.functions.post_processing import HoldingCall
from dpverify.mechanisms.numbers.errors import InputError, LimitMet, bad_mechanism, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, product, total
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import NoisyPart, ReleasedDistribution, Releases
from dpverify.mechanisms.outputs.released_parts import (
    FEW_OUTCOMES,
    PART_SLOT,
    Merging,
    PartRelease,
    combined,
    parts_in,
    with_parts,
)
from dpverify.mechanisms.outputs.splicing import Filling, spliced

Content = TypeVar("Content")


class Keeping(Generic[Content]):
    """The parts that were drawn in a run, and what each stands for."""

    def __init__(self) -> None:
        self._contents: dict[int, Content] = {}

    def part(self, holder: HoldingCall, content: Content) -> IndependentPart:
        """A new part of a call, which stands for `content`."""
        number = len(self._contents) + 1
        self._contents[number] = content
        return IndependentPart(holder, number)

    def cached(self, part: IndependentPart, holder: HoldingCall) -> CachedResult | None:
        """The content of a part of a call, where it has a distribution of its own; else None."""
        content = self._contents.get(part.number) if part.holder is holder else None
        return content if isinstance(content, CachedResult) else None

    def replaced(self, outcome: Any, holder: HoldingCall, made: Callable[[Content], Any]) -> Any:
        """The outcome that a call returns, with what is `made` of their contents in the place of its parts.

        Raises `InputError` for parts of other calls, and for one that is returned twice.
        """
        return with_parts_replaced(outcome, holder, lambda number: made(self._contents[number]))

    def with_raw(self, outcome: Any, holder: HoldingCall) -> Any:
        """An outcome of a call with what parts have returned in their place, where that is known as it is."""

        def found(number: int) -> Any:
            content = self._contents[number]
            return (
                self.with_raw(content.outcome, holder) if isinstance(content, Raw) else IndependentPart(holder, number)
            )

        return with_parts_replaced(outcome, holder, found)

    def passed_on(self, outcome: Any, holder: HoldingCall, to: HoldingCall) -> Any:
        """The outcome that a call returns to another one, whose parts its own become."""
        return self.replaced(outcome, holder, lambda content: self.part(to, content))


class CachedResult(Filling):
    """The content that a part of `draw.each` stands for: a template, and the releases in its slots."""


@dataclass(frozen=True)
class Raw:
    """The value of a sub-mechanism that is inlined: what it has returned, with noise of the run around it."""

    outcome: Any


def cached_result(law: Distribution[Any], limits: Limits) -> CachedResult:
    """A law as an independent part, in its own parts and noise where it is made of such alone.

    Raises `LimitMet` where it mixes more outcomes than the limits allow.
    """
    if isinstance(law, ReleasedDistribution):
        if not law.finite and law.size == 1:
            ((template, ways),) = law.released.items()
            ((releases, weight),) = ways.items()
            if weight == ONE:  # else numbers are given that they were accepted
                return CachedResult(template, releases)
        if outcomes_in(law) > limits.outcomes:
            raise LimitMet(
                not_known.TOO_MANY_OUTCOMES.text(outcomes_in(law), ", drawn apart in several ways"), "outcomes"
            )
        law = expanded(law)
        if isinstance(law, ReleasedDistribution):
            return CachedResult(PART_SLOT, (NoisyPart(law),))
    return CachedResult(PART_SLOT, (PartRelease(law.probabilities),))


_MOST: Final = 1 << 14


class CachedDistributions:
    """The parts that laws stand for, each made once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Distribution[Any], CachedResult]] = {}

    def __call__(self, law: Distribution[Any], limits: Limits) -> CachedResult:
        """See `cached_result`."""
        known = self._found.get(id(law))  # which is kept with it
        if known is None:
            if len(self._found) >= _MOST:
                self._found.clear()
            known = self._found[id(law)] = law, cached_result(law, limits)
        return known[1]


def released_parts(
    template: Any, releases: Releases, holder: HoldingCall, keeping: Keeping[CachedResult | Raw]
) -> tuple[Any, Releases]:
    """The template of an outcome with its parts, and all releases; `releases` are those beside the parts."""
    fillings: list[CachedResult] = []

    def slot(content: CachedResult | Raw) -> Hashable:
        assert isinstance(content, CachedResult), "others are put in before"
        fillings.append(content)
        return PART_SLOT

    template = keeping.replaced(template, holder, slot)
    return spliced(template, releases, fillings) if fillings else (template, releases)


# --- Laws without parts


def outcomes_in(law: ReleasedDistribution) -> int:
    """The outcomes of a law without parts, counted with the ways in which those with released noise come about."""
    return len(law.finite) + sum(
        prod(map(_size, _apart(t, releases)[1])) for t, ways in law.released.items() for releases in ways
    )


def _size(part: PartRelease | NoisyPart) -> int:
    return len(part.probabilities) if isinstance(part, PartRelease) else part.law.size


def some_in_full(law: Distribution[Any], chosen: Mapping[Hashable, Container[int]]) -> Distribution[Any]:
    """The law with some parts of some templates in full, by their places: for each template which of them."""
    if not isinstance(law, ReleasedDistribution):
        return law
    finite, released = dict(law.finite), {t: dict(ways) for t, ways in law.released.items() if t not in chosen}
    results: dict[Hashable, dict[Releases, list[Exact]]] = {}
    for template in chosen:
        for releases, weight in law.released.get(template, {}).items():
            others, parts = _apart(template, releases)
            options = [_alternatives(part) if i in chosen[template] else _KEPT for i, part in enumerate(parts)]
            left = tuple(part for i, part in enumerate(parts) if i not in chosen[template])
            for ways in combinations(*options):
                outcome, rest = spliced(template, (*others, *left), [filling for filling, _ in ways])
                results.setdefault(outcome, {}).setdefault(rest, []).append(product((weight, *(p for _, p in ways))))
    for outcome, of_outcome in results.items():
        for rest, ps in of_outcome.items():
            if rest:
                of_template = released.setdefault(outcome, {})
                of_template[rest] = total((*ps, of_template[rest])) if rest in of_template else total(ps)
            else:
                finite[outcome] = total((*ps, finite[outcome])) if outcome in finite else total(ps)
    return ReleasedDistribution(finite, released) if released else Distribution.of_probabilities(finite)


_KEPT: Final[list[tuple[Filling | None, Exact]]] = [(None, ONE)]
"""Of a part that stays as it is."""


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
            for outcome, left, ps in _in_full(template, others, parts) if parts else [(template, others, ())]:
                if left:
                    known, result = released.setdefault(outcome, (outcome, {}))
                    refuse_lookalike(known, outcome)
                    result.setdefault(left, []).append(product((weight, *ps)))
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


def _in_full(
    template: Hashable, others: Releases, parts: Sequence[PartRelease | NoisyPart]
) -> Iterator[tuple[Any, Releases, tuple[Exact, ...]]]:
    """The outcomes of a template with parts, the releases beside them, and the probabilities of the parts."""
    if not any(isinstance(part, NoisyPart) for part in parts):
        for outcomes, ps in combined([part for part in parts if isinstance(part, PartRelease)]):
            yield with_parts(template, iter(outcomes)), others, ps
        return
    for chosen in combinations(*map(_alternatives, parts)):
        outcome, releases = spliced(template, others, [filling for filling, _ in chosen])
        yield outcome, releases, tuple(p for _, p in chosen)


def _alternatives(part: PartRelease | NoisyPart) -> list[tuple[Filling | None, Exact]]:
    """The outcomes that a part may have, with the probability of each."""
    if isinstance(part, PartRelease):
        return [(CachedResult(outcome, ()), p) for outcome, p in part.probabilities.items()]
    law = part.law
    plain: list[tuple[Filling | None, Exact]] = [(CachedResult(outcome, ()), p) for outcome, p in law.finite.items()]
    return plain + [(CachedResult(t, releases), p) for t, ways in law.released.items() for releases, p in ways.items()]


def _apart(template: Hashable, releases: Releases) -> tuple[Releases, Sequence[PartRelease | NoisyPart]]:
    """The releases of noise, and those of parts."""
    first = len(releases) - parts_in(template)
    return releases[:first], [part for part in releases[first:] if isinstance(part, PartRelease | NoisyPart)]


def finite(law: Distribution[Any]) -> Distribution[Any]:
    """`law`. Raises `InputError` where it has infinitely many outcomes, which are drawn from the mechanism."""
    if isinstance(law, ReleasedDistribution):
        raise InputError(bad_mechanism.DRAWN_FROM_DISTRIBUTION)
    return law


class InFull(Distribution[Any]):
    """A law whose independent parts were put in full, which knows events about parts as well."""

    kept: ReleasedDistribution

    def probability(self, *outcomes: Any) -> Exact:
        """As of the law in parts."""
        return self.kept.probability(*outcomes)


def in_full_if_few(law: Distribution[Any], few: int = FEW_OUTCOMES) -> Distribution[Any]:
    """The law without independent parts, where it has few outcomes and no noise; else as it is."""
    if not isinstance(law, ReleasedDistribution) or not law.has_parts or law.has_noise or outcomes_in(law) > few:
        return law
    result = InFull.of_blocks(expanded(law).blocks, total_weight=ONE)
    assert isinstance(result, InFull), "it is made by its class"
    result.kept = law
    return result
