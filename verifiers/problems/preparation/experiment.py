"""An experiment: the databases that a question speaks of, and which of them neighbour, before any distribution.

Statistics has the word for a family of distributions, one for each hypothesis: here one for each database, and
neighbours are what is to be told apart. Nothing is assumed of a mechanism that is not made by `symmetric`, nor of a
domain or a relation that is not known to be symmetric: there every pair is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.drawing.symmetric import Symmetric
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.language.compiled import reads_floats
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.mechanisms.numbers.shown import cut, shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs
from dpverify.verifiers.problems.neighbours.orbits import Orbits, orbits_of
from dpverify.verifiers.problems.neighbours.pairs import NeighbouringPairs
from dpverify.verifiers.problems.preparation.repetition import (
    NOT_REPEATED,
    Repeated,
    Repeating,
    never_repeated,
    repeated_here,
)
from dpverify.verifiers.problems.preparation.representatives import Representatives
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Domain, Listed, listed_databases
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.row_orders import NO_ORDERS, OrdersRun
from dpverify.verifiers.processes.workplace import HERE, Workplace
from dpverify.verifiers.readable import shown_parameter

_LONGEST_PARAMETER: Final = 80
"""Characters of a parameter in a scope."""


@dataclass(frozen=True)
class PairCount:
    """Ordered pairs of neighbours: all, those of different distributions counted once, and neighbours left out."""

    covered: int
    distinct: int
    outside: int


@dataclass(frozen=True)
class Experiment:
    """The preparations for a question: its databases and their pairs, how much noise is left, and who works on it."""

    question: Question
    databases: Sequence[Hashable]
    pairs: NeighbouringPairs
    repeating: Repeating = repeated_here
    share: Fraction = ALL_NOISE
    """Share of its noise that the mechanism is left, which nobody repeats but at 1."""
    orbits: Orbits | None = None
    """Orbits of pairs, of which one pair stands for each: `databases` are those of these pairs.

    Of a mechanism in its place that is not symmetric these pairs alone are decided, which may refute what is claimed on
    all.
    """
    where: Workplace = HERE
    in_whole_runs: bool = False
    """True where nothing of the mechanism is read: see `PlainEnumerator`."""

    @cached_property
    def representatives(self) -> Representatives | None:
        """Those of the databases, where one pair stands for others."""
        mechanism = self.question.mechanism
        if self.orbits is None or not isinstance(mechanism, Symmetric):
            return None
        return Representatives(mechanism, self.databases)

    @property
    def run_on(self) -> Sequence[Hashable]:
        """The databases on which the mechanism is run, and run a second time."""
        return self.databases if self.representatives is None else self.representatives.databases

    @property
    def run_domain(self) -> Domain:
        """The domain that holds them; the orders of rows are one to a symmetric mechanism."""
        return self.question.domain if self.orbits is None else Listed(self.run_on, self.run_on)

    @property
    def number_of_databases(self) -> int:
        """The number of databases that a verdict speaks of."""
        return len(self.databases) if self.orbits is None else self.orbits.databases

    def enumeration(self) -> Enumeration:
        """The enumeration that finds distributions the first time."""
        return self.question.enumeration(self.share)

    def finder(self) -> Callable[[Hashable], Distribution[Any]]:
        """The function that finds the distribution on a database again."""
        mechanism, given, limits = self.question.mechanism, self.question.arguments, self.question.limits
        law = PlainEnumerator(limits).distribution if self.in_whole_runs else self.enumeration().law
        return lambda database: law(mechanism, (database,), given)

    def counted(self, distinct: int) -> PairCount:
        """The pairs that a verdict speaks of, `distinct` of which have different distributions."""
        if self.orbits is not None:
            return PairCount(self.orbits.covered, distinct, self.orbits.outside)
        return PairCount(self.pairs.count, distinct, self.pairs.outside)

    def scope(
        self,
        count: PairCount,
        orders: OrdersRun = NO_ORDERS,
        repeated: Repeated = NOT_REPEATED,
        parts: int = 0,
        hold_types: bool = False,
    ) -> str:
        """The scope of a verdict, in words.

        `parts` is how many of an outcome were kept apart at most; `hold_types` says that there are lists and the like.
        """
        question = self.question
        said = [
            f"all {count.covered:,} ordered pairs of neighbours ({name_of(question.neighbours)}) among the "
            f"{self.number_of_databases:,} databases of {shown(question.domain, _LONGEST_PARAMETER)}"
        ]
        if isinstance(question.mechanism, Symmetric):
            said.append(self._said_of_symmetry(question.mechanism))
        if arguments := question.all_arguments:
            said.append(
                "with "
                + ", ".join(
                    f"{name}={cut(shown_parameter(value), _LONGEST_PARAMETER)}" for name, value in arguments.items()
                )
            )
        if count.outside:
            said.append(f"{count.outside:,} neighbours outside the domain left out")
        if orders.in_words:
            said.append(orders.in_words)
        if parts:
            said.append(f"up to {parts:,} independent parts of an outcome kept apart, their losses added up")
        if hold_types:
            said.append("the exact types of lists, dicts and dataclasses are part of the outcome")
        if reads_floats(question.mechanism, question.arguments):
            said.append("over the real numbers; rounding is not covered")
        said.append(f"output distributions {repeated}")
        said.append("what files, clocks and foreign code do is not seen")
        return "; ".join(said)

    def _said_of_symmetry(self, mechanism: Symmetric) -> str:
        """The pairs that were decided, in words."""
        if self.orbits is None:
            return f"every pair decided, as {mechanism.under} are not known to leave domain and neighbours as they are"
        return (
            f"one pair decided for all that {mechanism.under} make of each other: {len(self.orbits.pairs):,} pairs, by "
            f"the laws of {len(self.run_on):,} databases"
        )

    def of_pairs(self, chosen: Sequence[int]) -> Experiment:
        """The experiment on the pairs at these positions alone, each in both directions; nothing is repeated."""
        sides = self.pairs.at(chosen)
        places = sorted({place for side in sides for place in side})
        databases = [self.databases[place] for place in places]
        left, right = np.searchsorted(places, np.array(sides).T)
        codes = np.concatenate([left * len(places) + right, right * len(places) + left])
        question = replace(self.question, domain=Listed(databases, databases))
        pairs = NeighbouringPairs.listed(codes, len(places))
        return replace(self, question=question, databases=databases, pairs=pairs, repeating=never_repeated)


def prepared(question: Question, repeating: Repeating = repeated_here, where: Workplace = HERE) -> Experiment:
    """The experiment of a question: of a mechanism that is symmetric by construction on one pair of each orbit.

    `repeating` says who computes distributions a second time. Raises `InputError` as `check_privacy` does.
    """
    if type(question.mechanism) is not Symmetric:
        return prepared_in_full(question, repeating, where)
    result = orbits_of(question.mechanism.under, question.domain, question.neighbours, question.limits.databases)
    if result is None or not result[0].pairs:
        return prepared_in_full(question, repeating, where)
    orbits, order = result
    databases = sorted({database for pair in orbits.pairs for database in pair}, key=order)
    place = {database: i for i, database in enumerate(databases)}
    left, right = (np.array([place[pair[side]] for pair in orbits.pairs], dtype=np.int64) for side in (0, 1))
    both_ways = np.concatenate([left * len(databases) + right, right * len(databases) + left])
    _ = question.arguments  # which refuses what the mechanism does not take, before it is run
    pairs = NeighbouringPairs.listed(both_ways, len(databases), orbits.outside)
    return Experiment(question, databases, pairs, repeating, orbits=orbits, where=where)


def prepared_in_full(question: Question, repeating: Repeating = repeated_here, where: Workplace = HERE) -> Experiment:
    """The same on every pair of neighbours."""
    databases = listed_databases(question.domain, question.limits.databases)
    _ = question.arguments
    if not isinstance(question.domain, BUILT_IN):
        question = replace(question, domain=Listed(databases, question.domain))
    pairs = neighbouring_pairs(databases, question.domain, question.neighbours, question.limits, where)
    return Experiment(question, databases, pairs, repeating, where=where)
