"""Distributions by pattern: code is run once for all databases that answer it alike.

It is run on unknown whole numbers: how often each row occurs, where it asks its rows for counts alone, or the numbers
themselves, of databases that are vectors of them. What it asks is how sums of these compare (see `unknown_numbers.py`),
answered as most databases have it, or which number one of them is, where noise is added, a chance computed or a list
indexed. Databases with another answer are set apart. So the questions form a tree: each database goes down to a leaf,
and as a run is a function of the answers and of its draws, those of one leaf have one distribution. In choices by
scores that are sums of unknown numbers these are left, and each database has the choice by its own. Where noise that
may be any number is added to a sum and compared once, the chance is left open, and put for each value of the sum.

Whatever else is done, and drawing from other mechanisms, has it run on each database. Nothing of a verdict depends on
which of the two it was. Of some leaves one database is recomputed, by whole runs, before others.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import chain
from math import lcm
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpverify.mechanisms.comparing.comparisons import noise_comparison
from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.functions.watching import watched_by, watcher_now
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.noise.law import probability
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.cached_results import by_identity
from dpverify.mechanisms.numbers.errors import InputError, Overtime, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, as_parameter, exact
from dpverify.mechanisms.numbers.integers.unknown_numbers import UnknownNumber, of_kind
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate, linear_form
from dpverify.mechanisms.numbers.roots.substitution import NumberSubstitution
from dpverify.mechanisms.numbers.symbols import notes, whole_symbol
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.selection.by_quality import Selection
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.divergence.output_tables.counted_rows import is_compared_plainly, row_counts
from dpverify.verifiers.divergence.output_tables.distribution_arrays import (
    LARGEST_SCORE,
    ScoredDistributions,
    held_distributions,
)
from dpverify.verifiers.divergence.output_tables.distribution_table import SharedDistributions, codes_of
from dpverify.verifiers.divergence.output_tables.row_reading import may_see_a_tuple
from dpverify.verifiers.divergence.output_tables.tabulation import ResultOfAll
from dpverify.verifiers.problems.neighbours.neighbour_codes import Ids
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import Restart
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.unknown_rows import MaybeUnknown, UnknownRows, counted_rows, refuse


class _NotByPattern(Undecided):
    """Ends a run on unknown numbers that does more with them than this file knows."""


class _Leaf(NamedTuple):
    """The databases that answer a run alike, by their positions, the distribution it gave, and the paths it took."""

    databases: Ids
    law: AnyDistribution
    paths: int


def distributions_by_pattern(
    experiment: Experiment, enumeration: Enumeration, restart: Restart
) -> ResultOfAll[AnyDistribution] | None:
    """The distributions on the databases of an experiment; None where they are to be found one by one.

    `enumeration` finds that on one database of each leaf as well where lines that are run are watched.
    """
    question, databases = experiment.question, experiment.run_on
    given = question.mechanism, question.arguments
    if len(databases) < _MANY or experiment.representatives is not None or not _is_known(*given):
        return None
    for unknown in _unknown(experiment):
        found = _found(experiment, unknown, enumeration, restart)
        if found is not None:
            return found
        notes.refused = None
    return None


def _found(
    experiment: Experiment, unknown: _Unknown, enumeration: Enumeration, restart: Restart
) -> ResultOfAll[AnyDistribution] | None:
    databases, given = experiment.run_on, (experiment.question.mechanism, experiment.question.arguments)
    try:
        own, leaves, laws = _run(experiment, unknown, restart)
        middles = [int(leaf.databases[len(leaf.databases) // 2]) for leaf in leaves]
        with enumeration.looking_out(*given):
            for one in middles if watcher_now() is not None else ():
                restart(databases[one])
                enumeration.law(given[0], (databases[one],), given[1])
    except (InputError, Undecided):  # as of an error of the mechanism's own, or of time: it is found on which database
        return None
    enumeration.point_masses |= own.point_masses
    enumeration.whole_runs |= own.whole_runs
    paths = sum(leaf.paths * len(leaf.databases) for leaf in leaves)
    return ResultOfAll(laws, paths, has_scaled=own.has_scaled, alike=middles, by_counts=unknown.by_counts)


def _run(
    experiment: Experiment, unknown: _Unknown, restart: Restart
) -> tuple[Enumeration, Sequence[_Leaf], Sequence[AnyDistribution]]:
    """The enumeration, its leaves, and the distributions. Chances are left open unless more is asked of a noise."""
    question = experiment.question
    own = _WithoutParts(question.limits, share=experiment.share)
    try:
        with own.looking_out(question.mechanism, question.arguments):
            leaves = list(_leaves(own, experiment, unknown, restart))
        return own, leaves, _laws(leaves, unknown)
    except (InputError, Undecided) as error:
        if not unknown.has_opened or isinstance(error, Overtime):
            raise
        unknown.are_open = unknown.has_opened = False
        return _run(experiment, unknown, restart)


_MANY: Final = 64
"""Databases: of fewer little is won."""

_MOST_NUMBERS: Final = 64
"""Unknown numbers: counts of distinct rows, or the numbers of a vector."""


def _is_known(mechanism: Mechanism, arguments: Mapping[str, Any]) -> bool:
    """True where a mechanism is inside the language, and no rule of selection but by scores."""
    inner = _inner(mechanism)
    return (
        isinstance(inner, FunctionType | MethodType)
        or (type(inner) is Selection and inner.rule in (exponential_mechanism, max_of_laplaces))
    ) and form_of(mechanism, arguments) is not None


def _inner(mechanism: Mechanism) -> Any:
    inner: Any = mechanism
    while type(inner) is partial and not inner.args:
        inner = inner.func
    return inner


class _Unknown:
    """The unknown numbers in the place of those of databases, as a mechanism is given them."""

    def __init__(self, columns: Ids, made: Callable[[Sequence[MaybeUnknown]], Any] | None = None) -> None:
        """`columns` has each number on each database; `made` makes rows of what are counts."""
        self._columns, self.dimension = columns, len(columns)
        self._largest = [max(int(column.max()), -int(column.min()), 1) for column in columns]
        self.by_counts = made is not None
        self.counting = nullcontext if made is None else counted_rows
        self.are_open, self.has_opened = True, False
        """True where chances of comparisons of noise may be left open, and where somebody has asked for that."""
        self.database = (made or tuple)([of_kind(coordinate(i), int) for i in range(len(columns))])

    def values(self, number: Exact, databases: Ids) -> Ids:
        """A multiple > 0 of a number on each of some databases, in whole numbers. Raises `_NotByPattern`."""
        multiple, constant, factors = _whole_form(number)
        if not multiple or abs(constant) + sum(abs(n) * self._largest[i] for i, n in factors) > LARGEST_SCORE:
            _refuse(f"it computes {number}, which is no sum of numbers of a database, or not in 64 bits")
        values = np.full(len(databases), constant, dtype=np.int64)
        for place, n in factors:
            values += n * self._columns[place][databases]
        return values


class _Chance(NamedTuple):
    """The chance that noise plus a known and an unknown number `relation` 0, for which a coordinate stands."""

    place: int
    value: NoiseValue
    relation: Comparator
    known: Exact
    unknown: Exact

    def at(self, value: int) -> Exact:
        """The chance where a multiple of the unknown number, as of `_whole_form`, has a value."""
        shift = self.known + exact(Fraction(value, _whole_form(self.unknown)[0]))
        answers = noise_comparison(NoiseValue(self.value.observer, self.value.parts, shift), self.relation)
        return probability(self.value.parts[0][0].law, answers.holds)


def _unknown(experiment: Experiment) -> Iterator[_Unknown]:
    """All that may stand for the databases: counts of their rows, or the whole numbers of vectors, if these are few."""
    databases: Sequence[Any] = experiment.run_on
    given = experiment.question.mechanism, experiment.question.arguments
    if set(map(type, databases)) != {tuple}:
        return
    size, is_of_sizes = len(databases[0]), len(set(map(len, databases))) > 1
    ways = [_of_counts] if is_of_sizes or not 0 < size <= _MOST_NUMBERS else [_of_counts, _of_vectors]
    for way in ways if isinstance(experiment.run_domain, Multisets) else reversed(ways):
        unknown = way(databases)
        if unknown is not None and not (unknown.by_counts and may_see_a_tuple(*given)):
            yield unknown


def _of_counts(databases: Sequence[Any]) -> _Unknown | None:
    counts = row_counts(databases)
    if counts is None or not 0 < len(counts[0]) <= _MOST_NUMBERS:
        return None
    return _Unknown(counts[1], partial(_CountedRows, counts[0]))


def _of_vectors(databases: Sequence[Any]) -> _Unknown | None:
    if set(map(type, chain.from_iterable(databases))) != {int}:
        return None
    try:
        return _Unknown(np.array(databases, dtype=np.int64).T.copy())
    except OverflowError:
        return None


class _CountedRows(UnknownRows):
    """Rows of which each one that is there is hashed and compared by no code of somebody's; none is gone through."""

    __slots__ = ()
    __iter__ = UnknownRows._refuse

    def count(self, row: Hashable) -> MaybeUnknown:
        if not is_compared_plainly(row):
            refuse("asked for what may equal others in a way of its own")
        return super().count(row)


class _WithoutParts(Enumeration):
    """One that ends where a mechanism draws from another one, which it may hand unknown numbers."""

    def law_of_part(self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> NoReturn:
        _refuse("it draws from another mechanism")


def _refuse(why: str) -> NoReturn:
    error = _NotByPattern(why)
    if notes.answers is not None:  # within a run, where the mechanism may catch it
        notes.refused = notes.refused or error
    raise error


# --- Leaves


def _leaves(enumeration: Enumeration, experiment: Experiment, unknown: _Unknown, restart: Restart) -> Iterator[_Leaf]:
    """The leaves, one after another. Raises `_NotByPattern` where they are too many for what they hold."""
    question, databases = experiment.question, experiment.run_on
    is_left = np.ones(len(databases), dtype=np.bool_)
    leaves = 0
    while len(left := np.flatnonzero(is_left)):
        if leaves > _FEW_LEAVES + (len(databases) - len(left)) // _HELD:
            _refuse("too many patterns")
        answers, before = _Answers(databases, unknown, left, 1 if leaves else _HELD), enumeration.runs
        restart(answers)
        notes.refused, notes.answers = None, answers
        try:
            with watched_by(None), unknown.counting():
                law = enumeration.law(question.mechanism, (unknown.database,), question.arguments)
        finally:
            notes.answers = None
            refused, notes.refused = notes.refused, None
        if refused is not None:
            raise refused
        paths = enumeration.runs - before
        yield from (_Leaf(*part, paths) for part in _by_chances(answers, law, unknown))
        is_left[answers.databases] = False
        leaves += 1


def _by_chances(answers: _Answers, law: AnyDistribution, unknown: _Unknown) -> Iterator[tuple[Ids, AnyDistribution]]:
    """The databases of a run, apart by the chances that it left open, and the distribution with these put."""
    databases, chances = answers.databases, [*answers.chances.values()]
    if not chances:
        yield databases, law
        return
    if not law.is_finite:
        _refuse("it releases noise, and compares some")
    values = np.stack([unknown.values(each.unknown, databases) for each in chances], axis=1)
    codes = codes_of(values - values.min(), int(np.ptp(values)) + 1)
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    groups = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    for row, group in zip(values[first].tolist(), groups, strict=True):
        puts = [_putting(chance.place, chance.at(value)) for chance, value in zip(chances, row, strict=True)]
        found = {outcome: reduce(lambda p, put: put(p), puts, p) for outcome, p in law.probabilities.items()}
        yield databases[group], Distribution.of_probabilities(found)


@lru_cache(maxsize=1 << 10)
def _putting(place: int, chance: Exact) -> NumberSubstitution:
    return NumberSubstitution(whole_symbol(place), chance)


_FEW_LEAVES: Final = 4
_MOST_ASKED: Final = 64
"""Times that chances are asked for in a run, on all its paths: with more of them distributions are long."""
_HELD: Final = 8
"""Databases in the first leaf at least, and in others on average but for a few: a run takes the time of several."""


class _Answers:
    """The answers to a run as most of some databases have them, and the databases with the same ones so far.

    What was asked before, as on another path of the run, has the answer that it had.
    """

    def __init__(self, all_of_them: Sequence[Hashable], unknown: _Unknown, databases: Ids, least: int) -> None:
        """Raises `_NotByPattern` where fewer than `least` have the same answers."""
        self._all = all_of_them
        self._unknown = unknown
        self._least = least
        self._known: dict[Hashable, tuple[Exact, Any]] = {}
        """The number, which so keeps its serial, and the answer, by what was asked."""
        self.databases = databases
        self._asked = 0
        self.chances: dict[Hashable, _Chance] = {}
        """The chances that are left open, by what was asked."""

    def __repr__(self) -> str:
        return repr(self._all[self.databases[0]])  # on which a run does not end that is interrupted

    def holds(self, number: Exact, relation: Callable[[Any, Any], Any]) -> bool:
        """See `PatternAnswers`: on these databases, of a sum of unknown numbers."""
        if number.symbol is None:
            return bool(relation(decision.sign(number), 0))
        known = self._known.get((number.serial, relation))
        if known is None:
            holds = relation(self._unknown.values(number, self.databases), 0)
            answer = 2 * np.count_nonzero(holds) >= len(holds)
            self._leave(holds == answer)
            known = self._known[number.serial, relation] = number, bool(answer)
        return bool(known[1])

    def value(self, number: Exact) -> Fraction:
        """See `PatternAnswers`: that which most of these databases have."""
        known = self._known.get(number.serial)
        if known is None:
            values = self._unknown.values(number, self.databases)
            found, times = np.unique(values, return_counts=True)
            value = int(found[times.argmax()])
            self._leave(values == value)
            known = self._known[number.serial] = number, Fraction(value, _whole_form(number)[0])
        return known[1]

    @property
    def are_open(self) -> bool:
        """See `PatternAnswers`."""
        self._unknown.has_opened = self._unknown.are_open
        return self._unknown.are_open

    def refuse(self, why: str) -> NoReturn:
        """See `PatternAnswers`."""
        _refuse(why)

    def chance(self, value: NoiseValue, relation: Comparator) -> Exact:
        """See `PatternAnswers`: one more coordinate stands for it."""
        ((noise, coefficient),) = value.parts
        key = noise.law, coefficient.serial, value.shift.serial, relation
        self._asked += 1
        if self._asked > _MOST_ASKED:
            _refuse("it compares noise many times")
        if key not in self.chances:
            form, place = linear_form(value.shift), self._unknown.dimension + len(self.chances)
            known = ZERO if form is None else form[0]
            self.chances[key] = _Chance(place, value, relation, known, value.shift - known)
        return coordinate(self.chances[key].place)

    def _leave(self, answering: NDArray[np.bool_]) -> None:
        self.databases = self.databases[answering]
        if len(self.databases) < self._least:
            _refuse("few databases answer alike")


@by_identity
def _whole_form(number: Exact) -> tuple[int, int, Sequence[tuple[int, int]]]:
    """(m, c, (i, n)…) for m times a number that is c + Σ n·(the i-th unknown), all whole; m = 0 for another number."""
    form = linear_form(number)
    parts = {} if form is None else {_CONSTANT: form[0], **form[1]}
    rational = {place: n for place, each in parts.items() if isinstance(n := as_parameter(each), Fraction)}
    if form is None or len(rational) < len(parts):
        return 0, 0, ()
    multiple = lcm(*(n.denominator for n in rational.values()))
    whole = {place: int(n * multiple) for place, n in rational.items()}
    return multiple, whole.pop(_CONSTANT), tuple(whole.items())


_CONSTANT: Final = -1
"""The place of what is no multiple of an unknown number."""


# --- Distributions


def _laws(leaves: Sequence[_Leaf], unknown: _Unknown) -> Sequence[AnyDistribution]:
    """The distributions on all databases, each as its leaf has it there. Raises `_NotByPattern`."""
    leaves = sorted(leaves, key=lambda leaf: int(leaf.databases[0]))  # as they occur
    count = sum(len(leaf.databases) for leaf in leaves)
    if not any(isinstance(leaf.law, ScoredDistribution) for leaf in leaves):
        places = np.empty(count, dtype=np.int64)
        for place, leaf in enumerate(leaves):
            places[leaf.databases] = place
        return SharedDistributions([_known_law(leaf.law) for leaf in leaves], places)
    of_leaves = [_of_leaf(leaf, unknown) for leaf in leaves]
    order = np.argsort(np.concatenate([leaf.databases for leaf in leaves]))
    first, *others = of_leaves
    if isinstance(first, ScoredDistributions) and all(
        isinstance(other, ScoredDistributions) and other.chooser is first.chooser for other in others
    ):
        scores = np.concatenate([of_leaf.scores for of_leaf in of_leaves if isinstance(of_leaf, ScoredDistributions)])
        return ScoredDistributions(first.chooser, scores[order])
    laws = [law for of_leaf in of_leaves for law in of_leaf]
    return held_distributions(laws[i] for i in order.tolist())


def _of_leaf(leaf: _Leaf, unknown: _Unknown) -> Sequence[AnyDistribution]:
    """The distributions on the databases of a leaf. Raises `_NotByPattern`."""
    if not isinstance(leaf.law, ScoredDistribution):
        return [_known_law(leaf.law)] * len(leaf.databases)
    scores = [_score(score, unknown, leaf.databases) for score in leaf.law.scores]
    return ScoredDistributions(leaf.law.chooser, np.stack(scores, axis=1))


def _known_law(law: AnyDistribution) -> AnyDistribution:
    """A distribution without an unknown number. Raises `_NotByPattern` for another one."""
    if law.is_finite:
        if all(probability.symbol is None for probability in law.probabilities.values()):
            return law
        _refuse("its distribution is a function of unknown numbers")
    try:
        pickle.dumps(law)  # which no unknown number lets itself be
    except Exception:  # of an object of the user's, which may raise anything
        notes.refused = None
        _refuse("its distribution may be a function of unknown numbers")
    return law


def _score(score: object, unknown: _Unknown, databases: Ids) -> Ids:
    """The score of a solution on each of some databases. Raises `_NotByPattern` where it is no sum of their numbers."""
    if type(score) is int and abs(score) <= LARGEST_SCORE:
        return np.full(len(databases), score, dtype=np.int64)
    if not isinstance(score, UnknownNumber) or _whole_form(score.number)[0] != 1:
        _refuse("a score is no sum of numbers of a database")
    return unknown.values(score.number, databases)
