"""One small instance of a composition, decided by its full output distribution: a second look at what its parts say.

What is PROVED by parts rests on two theorems, and on what is known of each part. Here none of that is used: the same
code is run with the same parameters on a few real databases, its sub-mechanisms as well, and the finite checker decides
by the output distributions whether these neighbours are as near to each other as the parts say. It is a test, and no
part of the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting.step_functions import StepFunction
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ONE
from dpverify.mechanisms.numbers.roots.delta_symbol import with_delta
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.reports.numbers import counted
from dpverify.reports.record import SmallInstance
from dpverify.verifiers.all_sizes.compositions.parts import SealedDatabase, SealedScores
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import inlined_distribution, never_repeated
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.verdicts.verdict import Proved, Refuted

_INLINED: Final = 32
"""Paths that may be taken with all sub-mechanisms inlined, for each database that there may be."""
_LIMITS: Final = Limits(paths=2_000, seconds=5)
_SOME_DELTA: Final = Fraction(1, 10)
"""In the place of the symbolic δ."""
_LAST_OF_ANY: Final = 2
"""The last point of qualities of any number of points."""
_MOST_ROWS: Final = 1_000
"""Of one database: of more rows the distributions of most mechanisms take longer than what is proved by their parts."""


def small_instance(
    question: Question, database: SealedDatabase | SealedScores, bound: PrivacyGuarantee
) -> SmallInstance:
    """The databases on which the mechanism meets the bound that its parts give; a symbolic ε is 1 there, and δ 1/10.

    Sizes on which the mechanism fails, or that meet a limit, are left out. Raises `Undecided` where it does not meet
    the bound, or has another output distribution with its sub-mechanisms inlined: then what is proved is wrong.
    """
    if not _most():
        return _none("none was asked for")
    if isinstance(database, SealedDatabase) and database.least > _MOST_ROWS:
        return _none(f"a database has {database.least:,} rows at least, more than {_MOST_ROWS:,}")
    at = list[str]()
    if question.of_every_delta:
        question, bound = question.at_delta(_SOME_DELTA), PrivacyGuarantee(*with_delta(tuple(bound), _SOME_DELTA))
        at.append(f"δ = {_SOME_DELTA}")
    if question.symbol is not None:
        put = DistributionSubstitution(question.symbol, ONE)
        question, bound = question.at(put), PrivacyGuarantee(*map(put, bound))
        at.insert(0, "ε = 1")
    decided, reasons = 0, list[str]()
    for partners in _of_each_size(database):
        databases = list(partners)
        few = replace(question.of_others(databases, partners.__getitem__), claimed=bound, limits=_LIMITS)
        try:
            verdict = decided_on(prepared_in_full(few, never_repeated))
            if isinstance(verdict, Proved):
                _refuse_other_if_inlined(few, databases[-1])
        except InputError as error:
            reasons.append(str(error))
            continue
        if isinstance(verdict, Refuted):
            pair = f"{shown(verdict.witness.left)} and {shown(verdict.witness.right)}"
            raise _contradiction(f"by its output distributions {verdict.reason}: {pair}, at {_told(bound)}")
        if isinstance(verdict, Proved):
            decided += len(partners)
        else:
            reasons.append(verdict.reason)
    return SmallInstance(decided, f"at {', '.join(at)}" if at else "") if decided else _none(reasons[0])


def _most() -> int:
    """The number of databases of a size."""
    return size_of_sample("small instances of compositions")


def _none(reason: str) -> SmallInstance:
    return SmallInstance(0, "", one_line(reason))


def instance_told(instance: SmallInstance) -> str:
    """The small instance in words, for a scope."""
    if not instance.databases:
        return f"no small instance of the whole was decided by its full output distribution: {instance.reason}"
    at = f", {instance.at}" if instance.at else ""
    return (
        "the whole was also decided by its full output distribution on "
        f"{counted(instance.databases, 'database')} of few rows{at}: holds"
    )


def _told(bound: PrivacyGuarantee) -> str:
    return f"ε = {bound.epsilon} and δ = {bound.delta}, which its parts give"


def _contradiction(what: str) -> Undecided:
    return Undecided(not_known.CONTRADICTION, what)


def _refuse_other_if_inlined(question: Question, database: Any) -> None:
    """Raises `Undecided` where the output distribution is another one with all sub-mechanisms inlined.

    Says nothing where that takes too many paths. Raises `InputError` as a check does.
    """
    called = question.mechanism, (database,), question.arguments
    inlined = inlined_distribution(Enumeration(question.limits, lambda _: True, _INLINED * _most()), *called)
    if inlined is not None and not same_distribution(inlined, question.enumeration().law(*called)):
        raise _contradiction(
            f"on {shown(database)} the whole has another output distribution with its sub-mechanisms inlined"
        )


_Partners: TypeAlias = Mapping[Any, Sequence[Any]]
"""Databases, each with its neighbours among them."""


def _of_each_size(database: SealedDatabase | SealedScores) -> Iterator[_Partners]:
    """Databases of one size and their neighbours: of the least, and of one row more."""
    if isinstance(database, SealedScores):
        last = _LAST_OF_ANY if database.last is None else database.last
        yield _neighbours(_qualities(last), lambda left, right: left != right)
        return
    for size in (database.least, database.least + 1):
        yield _neighbours(
            _rows(database.universe, size),
            lambda left, right: _differ_in_one(left, right, labels_alone=database.labels_alone),
        )


def _neighbours(databases: Sequence[Any], are_neighbours: Callable[[Any, Any], bool]) -> _Partners:
    return {one: [other for other in databases if are_neighbours(one, other)] for one in databases}


def _differ_in_one(left: Sequence[Any], right: Sequence[Any], *, labels_alone: bool) -> bool:
    differing = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    return len(differing) == 1 and (not labels_alone or differing[0][0][0] == differing[0][1][0])


def _qualities(last: int) -> Sequence[Hashable]:
    """Qualities that are neighbours, each of each: 0 everywhere, and 1 at one point or up to one."""
    points = range(min(last + 1, _most() // 2))
    chosen = [(0,) * (last + 1), *(tuple(int(i == j) for i in range(last + 1)) for j in points)]
    chosen += [tuple(int(i <= j) for i in range(last + 1)) for j in points]
    return [StepFunction.of(scores) for scores in dict.fromkeys(chosen)]


def _rows(universe: Sequence[Any], size: int) -> Sequence[tuple[Any, ...]]:
    """All databases of a size over as many rows of the universe as are few enough, spread over it.

    Where those of two rows are too many: two databases, one of a single row throughout and one of two rows half and
    half, and what replacing one row makes of each.
    """
    kinds = min(len(universe), next(k for k in range(1, _most() + 1) if (k + 1) ** size > _most()))
    if kinds > 1 or len(universe) == 1:
        return list(product(_spread(universe, kinds), repeat=size))
    first, others = universe[0], _spread(universe[1:], min(len(universe), _most() // 2) - 1)
    alike, mixed = (first,) * size, (first,) * (size - size // 2) + (others[-1],) * (size // 2)
    chosen = (rows for centre in (alike, mixed) for rows in (centre, *((row, *centre[1:]) for row in others)))
    return list(dict.fromkeys(chosen))


def _spread(rows: Sequence[Any], number: int) -> Sequence[Any]:
    """So many of the rows, the first and the last among them, evenly."""
    return [rows[i * (len(rows) - 1) // max(1, number - 1)] for i in range(number)]
