"""Laws by pattern: code that asks its rows for counts alone is run once for all databases that answer it alike.

It is run on counts that are unknown whole numbers. What it asks is how sums of them compare (see `unknown_numbers.py`);
it is answered as most databases have it, and those with another answer are set apart. So the questions form a tree:
each database goes down to a leaf, and as a run is a function of the answers and of its draws, those of one leaf have
one law, as an expression of the counts. Of such laws two kinds are taken: those in which no count is left, and choices
by scores that are sums of counts, of which each database has the choice by its own numbers.

Whatever else is done is run on each database: with rows but their counts, number and membership; with a count but sums,
multiples and comparisons; and draws of noise, or of other mechanisms, whose laws are compared in other ways. Nothing of
a verdict depends on which of the two it was. As a guard one database of each leaf is run by itself as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import lcm
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.watching import watched_by
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.errors import InputError, Overtime, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, as_parameter
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, of_kind
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate, linear_form
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.verifiers.divergence.output_tables.counted_rows import is_compared_plainly, row_counts
from dpverify.verifiers.divergence.output_tables.distribution_arrays import (
    LARGEST_SCORE,
    ScoredDistributions,
    Together,
    held_distributions,
)
from dpverify.verifiers.divergence.output_tables.row_reading import asks_for_counts
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import Restart
from dpverify.verifiers.problems.questions.unknown_rows import MaybeUnknown, UnknownRows, counted_rows, refuse


class _NotByPattern(Undecided):
    """Ends a run on unknown counts that does more with them than this file knows."""


class _Leaf(NamedTuple):
    """The databases that answer a run alike, by their positions, the law that it gave, and the paths that it took."""

    databases: Ids
    law: AnyDistribution
    paths: int


def distributions_by_pattern(
    experiment: Experiment,
    enumeration: Enumeration,
    restart: Restart,
    same: Callable[[AnyDistribution, AnyDistribution], bool],
) -> Together[AnyDistribution] | None:
    """The laws on the databases of an experiment; None where they are to be found one by one.

    `enumeration` finds the law on one database of each leaf, which is the `same` as the law of the leaf there.
    """
    question, databases = experiment.question, experiment.run_on
    given = question.mechanism, question.arguments
    if len(databases) < _MANY or experiment.representatives is not None or not _is_for_counts(*given):
        return None
    blocks = list(row_counts(databases) or ())
    if not blocks or len(blocks[0].distinct) > _MOST_DISTINCT:
        return None
    times = np.concatenate([block.columns for block in blocks], axis=1)
    rows = _CountedRows(blocks[0].distinct, [of_kind(coordinate(i), int) for i in range(len(times))])
    try:
        own = _WithoutNoise(question.limits, share=experiment.share, reads=True)
        with own.looking_out(*given):
            leaves = list(_leaves(own, experiment, rows, times, restart))
        laws = _laws(leaves, times)
        with enumeration.looking_out(*given):
            for leaf in leaves:
                one = int(leaf.databases[len(leaf.databases) // 2])
                restart(databases[one])
                if not same(laws[one], enumeration.law(given[0], (databases[one],), given[1])):
                    return None
    except Overtime:
        raise
    except (InputError, Undecided):  # of an error of the mechanism's own it is found on which database it is one
        return None
    return Together(laws, lambda _: [], sum(leaf.paths * len(leaf.databases) for leaf in leaves))


_MANY: Final = 64
"""Databases: of fewer little is won."""

_MOST_DISTINCT: Final = 64
"""Distinct rows, each of which has a count."""


def _is_for_counts(mechanism: Mechanism, arguments: Mapping[str, Any]) -> bool:
    """True where a mechanism is inside the language, and asks its rows for counts, number and membership alone."""
    inner = mechanism
    while type(inner) is partial and not inner.args:
        inner = inner.func
    is_known = isinstance(inner, FunctionType | MethodType) or (
        type(inner) is Selection and inner.rule is exponential_mechanism
    )
    return is_known and asks_for_counts(inner) and form_of(mechanism, arguments) is not None


class _CountedRows(UnknownRows):
    """Rows of which each one that is there is hashed and compared by no code of somebody's."""

    __slots__ = ()

    def count(self, row: Hashable) -> MaybeUnknown:
        if not is_compared_plainly(row):
            refuse("asked for what may equal others in a way of its own")
        return super().count(row)


class _WithoutNoise(Enumeration):
    """One that ends where noise is drawn, or from another mechanism: these are compared in ways of their own."""

    def noise(self, law: NoiseLaw) -> NoReturn:
        _refuse(f"it draws {law}")

    def law_of_part(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> NoReturn:
        _refuse("it draws from another mechanism")


def _refuse(why: str) -> NoReturn:
    error = _NotByPattern(why)
    if notes.answer is not None:  # within a run, where the mechanism may catch it
        notes.refused = notes.refused or error
    raise error


# --- Leaves


def _leaves(
    enumeration: Enumeration, experiment: Experiment, rows: UnknownRows, times: Ids, restart: Restart
) -> Iterator[_Leaf]:
    """The leaves, one after another. Raises `_NotByPattern` where they are too many for what they hold."""
    question, databases = experiment.question, experiment.run_on
    left = np.arange(len(databases))
    leaves = 0
    while len(left):
        restart(databases[left[0]])
        answers, before = _Answers(times, left), enumeration.runs
        notes.refused, notes.answer = None, answers
        try:
            with watched_by(None), counted_rows():
                law = enumeration.law(question.mechanism, (rows,), question.arguments)
        finally:
            notes.answer = None
            refused, notes.refused = notes.refused, None
        if refused is not None:
            raise refused
        yield _Leaf(answers.databases, law, enumeration.runs - before)
        left = np.setdiff1d(left, answers.databases, assume_unique=True)
        leaves += 1
        if leaves > _FEW_LEAVES + (len(databases) - len(left)) // _HELD:
            _refuse("too many patterns")


_FEW_LEAVES: Final = 16
_HELD: Final = 8
"""So many databases are in a leaf at least, beside some few leaves: a run on unknown counts takes that of several."""


class _Answers:
    """The answers to a run as most of some databases have them, and the databases with the same ones so far."""

    def __init__(self, times: Ids, databases: Ids) -> None:
        self._times = times
        self.databases = databases

    def __call__(self, number: Exact, relation: Callable[[Any, Any], Any]) -> bool:
        """True where a number, which is a sum of counts, is < 0, or the like, on these databases."""
        if number.symbol is None:
            return bool(relation(decision.sign(number), 0))
        holds = relation(_values(number, self._times[:, self.databases]), 0)
        answer = 2 * np.count_nonzero(holds) >= len(holds)
        self.databases = self.databases[holds == answer]
        return bool(answer)


def _values(number: Exact, times: Ids) -> Ids:
    """A multiple > 0 of a number on each of some databases, in whole numbers. Raises `_NotByPattern`."""
    multiple, constant, factors = _whole_form(number)
    most = abs(constant) + sum(abs(n) * int(times[place].max(initial=0)) for place, n in factors.items())
    if not multiple or most > LARGEST_SCORE:
        _refuse(f"it computes {number}, which is no sum of counts, or not in 64 bits")
    values = np.full(times.shape[1], constant, dtype=np.int64)
    for place, n in factors.items():
        values += n * times[place]
    return values


def _whole_form(number: Exact) -> tuple[int, int, dict[int, int]]:
    """(m, c, {i: n}) for m times a number that is c + Σ n·(the i-th count), all whole; m = 0 for another number."""
    form = linear_form(number)
    parts = {} if form is None else {_CONSTANT: form[0], **form[1]}
    rational = {place: n for place, each in parts.items() if isinstance(n := as_parameter(each), Fraction)}
    if form is None or len(rational) < len(parts):
        return 0, 0, {}
    multiple = lcm(*(n.denominator for n in rational.values()))
    whole = {place: int(n * multiple) for place, n in rational.items()}
    return multiple, whole.pop(_CONSTANT), whole


_CONSTANT: Final = -1
"""The place of what is no multiple of a count."""


# --- Laws


def _laws(leaves: Sequence[_Leaf], times: Ids) -> Sequence[AnyDistribution]:
    """The laws of all databases, each as its leaf has it at its counts. Raises `_NotByPattern`."""
    of_leaves = [_of_leaf(leaf.law, times[:, leaf.databases]) for leaf in leaves]
    first, *others = of_leaves
    order = np.argsort(np.concatenate([leaf.databases for leaf in leaves]))
    if isinstance(first, ScoredDistributions) and all(
        isinstance(other, ScoredDistributions) and other.chooser is first.chooser for other in others
    ):
        scores = np.concatenate([of_leaf.scores for of_leaf in of_leaves if isinstance(of_leaf, ScoredDistributions)])
        return ScoredDistributions(first.chooser, scores[order])
    laws = [law for of_leaf in of_leaves for law in of_leaf]
    return held_distributions(laws[i] for i in order.tolist())


def _of_leaf(law: AnyDistribution, times: Ids) -> Sequence[AnyDistribution]:
    """The laws of the databases of a leaf. Raises `_NotByPattern`."""
    if isinstance(law, ScoredDistribution):
        return ScoredDistributions(law.chooser, np.stack([_score(score, times) for score in law.scores], axis=1))
    if not law.is_finite or any(probability.symbol is not None for probability in law.probabilities.values()):
        _refuse("its law is no choice by sums of counts")
    return [law] * times.shape[1]


def _score(score: object, times: Ids) -> Ids:
    """The score of a solution on each of some databases. Raises `_NotByPattern` where it is no sum of counts."""
    if type(score) is int and abs(score) <= LARGEST_SCORE:
        return np.full(times.shape[1], score, dtype=np.int64)
    if not isinstance(score, UnknownNumber) or _whole_form(score.number)[0] != 1:
        _refuse("a score is no sum of counts")
    return _values(score.number, times)
