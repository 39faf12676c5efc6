"""A law while its mechanism is enumerated: the outcomes of the paths so far, with the probabilities of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from flint import arb

from dpverify.mechanisms.finer_releases.finer_labels import merged_releases
from dpverify.mechanisms.functions.canonical import canonical
from dpverify.mechanisms.functions.lookalikes import refuse_lookalike
from dpverify.mechanisms.functions.outcomes import are_plain, is_plain, refuse_outcome
from dpverify.mechanisms.numbers.enclosure import decimal, enclosures
from dpverify.mechanisms.numbers.errors import MechanismError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, product, total
from dpverify.mechanisms.numbers.integers.unknown_outcomes import open_outcome
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution, Releases, probability_of_cells
from dpverify.mechanisms.outputs.scored import Blocks, Scored
from dpverify.mechanisms.outputs.templates import refuse_lookalike_of, refuse_lookalikes
from dpverify.mechanisms.patterns.leads import Lead, choice_of_leads
from dpverify.mechanisms.program_states.steps import Path


class _Paths(NamedTuple):
    """The paths to one outcome: the outcome as the first of them returned it, and their probabilities."""

    outcome: Any
    probabilities: list[Exact]


class _Ways(NamedTuple):
    """The ways to one template: the template as the first path had it, and the probabilities of each way."""

    template: Any
    paths: dict[Releases, list[Exact]]


class DistributionSoFar:
    """The outcomes of the paths so far, with their probabilities."""

    __slots__ = ("_finite", "_first", "_is_bounded", "_is_open", "_led", "_paths", "_released", "size")

    def __init__(self, *, is_open: bool = False) -> None:
        self._is_open = is_open
        """True where unknown numbers may be outcomes."""
        self._first: Distribution[Any] | None = None
        """The law that the first path returned, until there is another path."""
        self._finite: dict[Hashable, _Paths] = {}
        self._released: dict[Hashable, _Ways] = {}
        self._is_bounded = False
        self._led: list[tuple[Any, Lead, Path]] = []
        """Outcomes of runs of which no more is known than which of several numbers is the best."""
        self._paths = 0
        self.size = 0

    def add(self, outcome: Any, run: Path) -> None:
        """Add a run that has returned `outcome`."""
        run.finish()
        if isinstance(outcome, Distribution):
            weight, law = run.probability(), run.returned(outcome)
            if not self._paths and weight is ONE:  # of most mechanisms that is all
                self._first = law
                self.size = law.size
                if not have_plain_outcomes(law):
                    for leaf, _ in law.leaves:
                        refuse_outcome(leaf)
            else:
                self._add_all(law.leaves, weight)
        elif is_plain(outcome) and not self._is_open and (lead := run.lead) is not None:
            self._led.append((outcome, lead, run))
            self.size += 1
        else:
            template, releases = run.released(outcome)
            self._is_bounded = self._is_bounded or run.is_bounded
            self._take_first()
            self._add(template, releases, run.probability())
        self._paths += 1

    def add_released(self, template: Any, releases: Releases, probability: Exact) -> None:
        """Add an outcome, whose releases and their probability are known."""
        self._add(template, releases, probability)
        self._paths += 1

    def _take_led(self) -> None:
        """Put the outcomes by the best of several numbers among the others."""
        led, self._led = self._led, []
        self.size -= len(led)
        for outcome, _, run in led:
            self._take_first()
            self._add(outcome, (), run.probability())

    def _choice(self) -> Distribution[Any] | None:
        """The choice of the best of several numbers, where all outcomes are by that; None for another law."""
        if not self._led or self._finite or self._released or self._first is not None:
            return None
        outcomes = [canonical(outcome) for outcome, _, _ in self._led]
        for outcome in outcomes:
            refuse_outcome(outcome)
        refuse_lookalikes(outcomes, {})
        choice = choice_of_leads([lead for _, lead, _ in self._led], outcomes)
        return None if choice is None else ScoredDistribution(*choice)

    def _take_first(self) -> None:
        """Put what the first path returned among the others."""
        first, self._first = self._first, None
        if first is not None:
            self.size = 0
            self._add_all(first.leaves, ONE)

    def _add_all(self, leaves: Sequence[tuple[Any, Exact]], weight: Exact) -> None:
        self._take_first()
        before: Exact = ONE
        share = weight
        for leaf, probability in leaves:
            if probability is not before:  # equally likely outcomes stand side by side
                before, share = probability, probability if weight is ONE else product((weight, probability))
            self._add(leaf, (), share)

    def _add(self, template: Any, releases: Releases, probability: Exact) -> None:
        if self._is_open:
            template = open_outcome(template)
        refuse_outcome(template)
        if releases:
            template = canonical(template)
            ways = self._released.setdefault(template, _Ways(template, {}))
            refuse_lookalike_of(ways.template, template)
            paths = ways.paths.setdefault(releases, [])
        else:
            known = self._finite.get(template)
            if known is None:
                template = canonical(template)
                known = self._finite[template] = _Paths(template, [])
            elif known.outcome is not template:
                refuse_lookalike(known.outcome, canonical(template))
            paths = known.probabilities
        self.size += not paths
        paths.append(probability)

    @property
    def progress(self) -> str:
        """The progress of the enumeration."""
        self._take_led()
        self._take_first()
        masses = [p for paths in self._finite.values() for p in paths.probabilities]
        masses += _masses(
            (releases, p) for ways in self._released.values() for releases, ps in ways.paths.items() for p in ps
        )
        covered = ""
        if not self._is_bounded and not any(mass.symbol for mass in masses):  # bounds may add up to more than 1
            covered = f" and a probability of {decimal(total(masses), 3)}"
        return f"so far {self._paths:,} paths to {self.size:,} outcomes{covered} were covered"

    def finished(self) -> Distribution[Any]:
        """The law of the outcome."""
        choice = self._choice()
        if choice is not None:
            return choice
        self._take_led()
        first = self._first
        if first is not None:
            if type(first) is Scored and first.is_untouched:
                return ScoredDistribution(first.chooser, first.scores)
            alone = dict(first.leaves)
            _check_mass(list(alone.values()))
            return Distribution.of_probabilities(alone)
        finite = {outcome: _sum(paths.probabilities) for outcome, paths in self._finite.items()}
        released = {
            template: {releases: _sum(paths) for releases, paths in ways.paths.items()}
            for template, ways in self._released.items()
        }
        if self._is_bounded:
            return ReleasedDistribution(finite, merged_releases(released))
        _check_mass([*finite.values(), *_masses(part for parts in released.values() for part in parts.items())])
        if not released:
            return Distribution.of_probabilities(finite)
        return ReleasedDistribution(finite, released)


class ScoredDistribution(Scored):
    """The law of a mechanism that has returned a choice by scores: its probabilities, and no noise to be scaled."""

    __slots__ = ()

    at_share = None
    drawn = None

    @cached_property
    def probabilities(self) -> Mapping[Any, Exact]:
        """See `Distribution`."""
        known = dict(self.chooser.choice(self.scores).probabilities)
        _check_mass(list(known.values()))
        return known

    @cached_property
    def _blocks(self) -> Blocks:
        return tuple([((outcome,), p) for outcome, p in self.probabilities.items()])

    @cached_property
    def total_weight(self) -> Exact:
        """See `Distribution`."""
        return ONE

    def is_as(self, other: ScoredDistribution) -> bool:
        """True where chooser and scores are those of another one, and so is the law."""
        return self.chooser is other.chooser and self.scores == other.scores


def have_plain_outcomes(law: Distribution[Any]) -> bool:
    """True where all outcomes of a finite law are plain: see `outcomes`."""
    if type(law) is Scored and law.is_untouched:
        return law.chooser.has_plain_solutions
    return are_plain(law.probabilities)


def _masses(parts: Iterable[tuple[Releases, Exact]]) -> list[Exact]:
    """The probabilities of outcomes with released noise, over all that the noise may be."""
    return [probability_of_cells(releases, weight, [(None, None)] * len(releases)) for releases, weight in parts]


def _check_mass(masses: Sequence[Exact]) -> None:
    """Raises `MechanismError` where a law does not add up to 1, as balls: a guard against mistakes of this library.

    A law of a symbolic ε has no value; those who decide for all ε compare it with the law at a number.
    """
    if any(mass.symbol is not None for mass in masses):
        return
    key = tuple(sorted([mass.serial for mass in masses])) if len(masses) <= _FEW else ()
    if key in _ADDED_UP:
        return
    mass = sum(enclosures(masses), arb(0))
    if not mass.contains(1):
        raise MechanismError(bad_input.OWN_MISTAKE, f"an output distribution adds up to {mass} and not to 1")
    if key:
        if len(_ADDED_UP) >= _MOST:
            _ADDED_UP.clear()
        _ADDED_UP.add(key)


_FEW: Final = 64
"""Probabilities of which it is remembered that they add up to 1: of more, the same are seldom met again."""

_MOST: Final = 1 << 13

_ADDED_UP: Final[set[tuple[int, ...]]] = set()
"""Those that did, by their serial numbers in rising order, each as often as it is there."""


def _sum(paths: list[Exact]) -> Exact:
    return paths[0] if len(paths) == 1 else total(paths)
