"""Mechanisms that are symmetric by construction: run on a canonical form of their database, the outcome mapped back.

A symmetry is a group that acts on databases and on outcomes: it relabels the rows of a multiset, or the candidates of a
score vector, or shifts all scores. `symmetric(mechanism, under=…)` brings a database to its canonical form, runs the
mechanism there, and maps the outcome back, by one of the relabellings that bring the canonical form to the database: of
several, as for a tie, one that is drawn uniformly. So whatever the mechanism does, the law on g(D) is that on D, mapped
by g: docs/theorems.md proves it. The wrapper is the mechanism that runs, and the one that is decided.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from itertools import permutations as orders
from itertools import product as product_of
from math import perm, prod
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from flint import fmpq

from dpverify.mechanisms.drawing.labels import Labels
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.functions.signatures import misfit, signature_handed_on
from dpverify.mechanisms.functions.unhashable import hashable_in_place
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, Unknown, product, rational, total
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution, uniform


class CanonicalForm(NamedTuple):
    """The canonical form of a database, and how to come back from it."""

    canonical: Hashable
    order: Sequence[int]
    """The label of the database that stands at each place of the canonical form."""
    ties: Mapping[int, range]
    """Place → the places that look alike in the canonical form, those alone of which there are several."""


class Symmetry(ABC):
    """A group that acts on databases and on outcomes. See `relabellings`, `permutations` and `shifts`."""

    @abstractmethod
    def form(self, database: Any) -> CanonicalForm:
        """The canonical form of a database, one for all that the group makes of it.

        Raises `InputError` for what the group does not act on.
        """

    @abstractmethod
    def labels(self, form: CanonicalForm) -> Labels:
        """The labels that it permutes in outcomes; none where it leaves outcomes as they are."""

    @abstractmethod
    def __str__(self) -> str:
        """Its name, in words."""


@dataclass(frozen=True)
class Symmetric(MadeOf):
    """See `symmetric`."""

    mechanism: Mechanism
    under: Symmetry

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.mechanism,)

    def called(self, name: str) -> str:
        return f"symmetric({name})"

    @property
    def __wrapped__(self) -> Mechanism:
        """The mechanism, by whose docstring this one goes."""
        return self.mechanism

    @property
    def __signature__(self) -> inspect.Signature:
        """Signature of the mechanism, which is given all parameters."""
        return signature_handed_on(self.mechanism)

    def __call__(self, draw: Draw, database: Any, /, **parameters: Any) -> Any:
        """An outcome on the canonical form, mapped back; ties are broken by `draw`."""
        form = self.under.form(database)
        outcome = as_held(draw(self.mechanism, form.canonical, **parameters))
        labels = self.under.labels(form)
        places = labels.places_in(outcome)
        ways = _number_of_ways(form, places)
        if ways == 1:
            return as_returned(labels.moved(outcome, next(_ways_back(form, places))))
        if ways <= _FEW and is_plain(outcome):  # one path of the enumerator in place of several
            return uniform(labels.moved(outcome, way) for way in _ways_back(form, places))
        way: dict[int, int] = {}
        for place in places:
            free = [image for image in _tied(form, place) if form.order[image] not in way.values()]
            way[place] = form.order[free[0] if len(free) == 1 else draw(uniform(free))]
        return as_returned(labels.moved(outcome, way))

    def mean(self, law: Distribution[Any], form: CanonicalForm) -> Distribution[Any] | None:
        """The law on a database of that form, from that of the mechanism on the canonical form.

        None where it is left to the enumerator: outcomes with noise or parts, with many ways back, or to be refused.
        """
        labels = self.under.labels(form)
        results: dict[Any, tuple[Any, list[Exact]]] = {}
        for outcome, p in () if not law.is_finite else law.probabilities.items():
            try:
                places = labels.places_in(outcome)
            except InputError:
                return None
            ways = _number_of_ways(form, places)
            if ways > _FEW:
                return None
            share = p if ways == 1 else product((p, rational(fmpq(1, ways))))
            for way in _ways_back(form, places):
                image = labels.moved(outcome, way)
                known, shares = results.setdefault(image, (image, []))
                if not same(known, image):
                    return None
                shares.append(share)
        leaves = (((outcome,), total(shares)) for outcome, shares in results.values())
        return Distribution.of_blocks(leaves, total_weight=ONE) if results else None


def _tied(form: CanonicalForm, place: int) -> range:
    return form.ties.get(place, range(place, place + 1))


def _blocks(form: CanonicalForm, places: Sequence[int]) -> list[tuple[range, list[int]]]:
    """The rising places by the block of tied places that they stand in."""
    return [(block, list(within)) for block, within in groupby(places, key=lambda place: _tied(form, place))]


def _number_of_ways(form: CanonicalForm, places: Sequence[int]) -> int:
    if len(places) == 1:  # the most frequent case
        return len(_tied(form, places[0]))
    return prod(perm(len(block), len(within)) for block, within in _blocks(form, places))


def _ways_back(form: CanonicalForm, places: Sequence[int]) -> Iterator[dict[int, int]]:
    """Targets of labels under the relabellings from the canonical form to the database: each way is as likely."""
    if len(places) == 1:
        (place,) = places
        yield from ({place: form.order[image]} for image in _tied(form, place))
        return
    blocks = _blocks(form, places)
    for taken in product_of(*(orders(block, len(within)) for block, within in blocks)):
        yield {
            place: form.order[image]
            for (_, within), images in zip(blocks, taken, strict=True)
            for place, image in zip(within, images, strict=True)
        }


_FEW: Final = 100
"""Ways back that are listed."""


def symmetric(mechanism: Mechanism, *, under: Symmetry) -> Symmetric:
    """The mechanism that runs `mechanism` on the canonical form of its database, and maps the outcome back.

    `under` is `relabellings(universe)` for rows, whose order does not matter then; `permutations`, `shifts` or
    `permutations | shifts` for vectors of scores. Its law is symmetric, whatever `mechanism` does: of tied labels one
    is drawn, so that a tie-break by index becomes one by chance. `check_privacy` decides one of all pairs that the
    symmetry makes of each other. Raises `InputError` for what is no mechanism, or no symmetry.

    >>> from dpverify.mechanisms.drawing import relabellings
    >>> either = symmetric(lambda draw, rows: rows[0], under=relabellings(("a", "b")))
    >>> distribution(either, ("a", "b")).probability("a")
    Fraction(1, 2)
    """
    if not callable(mechanism):
        raise InputError(
            bad_input.ARGUMENT, f"symmetric({shown(mechanism)}, …)", "a mechanism, def mechanism(draw, database, …)"
        )
    wrong = misfit(mechanism)
    if wrong is not None:
        raise InputError(wrong)
    if not isinstance(under, Symmetry):
        raise InputError(
            bad_input.WRONG,
            f"under={shown(under)}",
            "a symmetry",
            "write relabellings(universe), permutations, shifts, or permutations | shifts",
        )
    return Symmetric(mechanism, under)


# Rows


InOutcomes: TypeAlias = Literal["rows", "places", "nothing"]
"""Stands in an outcome for a row of the universe: the row itself, its place there, or nothing."""


class _Lately:
    """The database that was asked for last, with its form: each run of a mechanism on it asks again.

    A copy knows none, nor does a mechanism that is pickled: whoever stores it does not store a database.
    """

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: tuple[tuple[Hashable, ...], CanonicalForm] | None = None

    def __reduce__(self) -> tuple[type[_Lately], tuple[()]]:
        return _Lately, ()


@dataclass(frozen=True)
class Relabellings(Symmetry):
    """See `relabellings`."""

    universe: tuple[Hashable, ...]
    outcomes: InOutcomes = "rows"

    def __post_init__(self) -> None:
        if self.outcomes not in get_args(InOutcomes):
            raise InputError(bad_input.NONE_OF, f"outcomes={shown(self.outcomes)}", ", ".join(get_args(InOutcomes)))
        if not self.universe:
            raise InputError(reasons.UNIVERSE_EMPTY.text())
        try:
            distinct = len(set(self.universe))
        except TypeError:
            raise InputError(
                bad_input.NOT_HASHABLE, "universe holds a row that", "", hashable_in_place(self.universe)
            ) from None
        if distinct < len(self.universe):
            raise InputError(reasons.UNIVERSE_REPEATS.text())
        Labels(self.universe)  # which refuses rows within rows

    def form(self, database: Any) -> CanonicalForm:
        """The rows, the most frequent row called the first of the universe, and so on; equal counts tie."""
        known = self._lately.known  # read once: another thread may ask for another database meanwhile
        if known is not None and known[0] is database:
            return known[1]
        form = self._form(database)
        if type(database) is tuple and len(database) <= _SHORT:
            self._lately.known = database, form
        return form

    def _form(self, database: Any) -> CanonicalForm:
        counts = self.counts(database)
        order = sorted(range(len(counts)), key=lambda place: -counts[place])
        falling = [counts[place] for place in order]
        rows = (row for row, count in zip(self.universe, falling, strict=True) for _ in range(count))
        return CanonicalForm(tuple(rows), order, _ties(falling))

    def counts(self, database: Any) -> list[int]:
        """The number of times that each row of the universe is in a database.

        Raises `InputError` where that is no database of such rows.
        """
        if isinstance(database, str | bytes) or not isinstance(database, Iterable):
            raise InputError(
                bad_input.WRONG, f"relabellings(universe): {shown(database)}", "a database of rows", "take Tuples"
            )
        counts = [0] * len(self.universe)
        for row in database:
            try:
                counts[self._places[row]] += 1
            except (KeyError, TypeError):
                raise InputError(
                    bad_input.WRONG,
                    f"the row {shown(row)}",
                    "in the universe of relabellings(universe)",
                    "give all rows",
                ) from None
        return counts

    def labels(self, form: CanonicalForm) -> Labels:
        return self._labels

    def __str__(self) -> str:
        return f"relabellings of {len(self.universe):,} rows"

    @cached_property
    def _lately(self) -> _Lately:
        return _Lately()

    @cached_property
    def _places(self) -> Mapping[Hashable, int]:
        return {row: place for place, row in enumerate(self.universe)}

    @cached_property
    def _labels(self) -> Labels:
        names = {"rows": self.universe, "places": tuple(range(len(self.universe))), "nothing": ()}
        return Labels(names[self.outcomes])


_SHORT: Final = 64
"""Rows of a database that is remembered: one of more may be large, and is seldom run many times."""


def relabellings(universe: Iterable[Hashable], *, outcomes: InOutcomes = "rows") -> Relabellings:
    """All permutations of the rows of a universe, in databases and in outcomes; databases are multisets for it.

    In outcomes a row stands for itself, at any depth of tuples and frozensets: also a number that is a count, if rows
    are numbers. `outcomes="places"` says that numbers stand for places in the universe instead, "nothing" that outcomes
    stay as they are. Raises `InputError` for an empty universe, a row that is there twice or cannot be hashed, and one
    that holds another one.
    """
    if isinstance(universe, str | bytes) or not isinstance(universe, Iterable):
        raise InputError(
            bad_input.WRONG, f"universe={shown(universe)}", "an iterable of rows", "write relabellings(range(8))"
        )
    return Relabellings(tuple(universe), outcomes)


# Score vectors


@dataclass(frozen=True)
class ScoreSymmetry(Symmetry):
    """Permutations of the candidates of a score vector, which outcomes name by their places, and shifts of all scores.

    `permutations | shifts` is both.
    """

    permuted: bool
    shifted: bool

    def form(self, database: Any) -> CanonicalForm:
        """The scores, the best first where they are permuted, less the least one where they are shifted."""
        scores = _scores(database)
        if self.shifted:
            least = min(scores)
            scores = [_plain(score - least) for score in scores]
        if not self.permuted:
            return CanonicalForm(tuple(scores), range(len(scores)), {})
        order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
        falling = [scores[place] for place in order]
        return CanonicalForm(tuple(falling), order, _ties(falling))

    def labels(self, form: CanonicalForm) -> Labels:
        return Labels(tuple(range(len(form.order))) if self.permuted else ())

    def __str__(self) -> str:
        return " and ".join(
            ("permutations of the candidates",) * self.permuted + ("shifts of all scores",) * self.shifted
        )

    def __or__(self, other: object) -> ScoreSymmetry:
        if not isinstance(other, ScoreSymmetry):
            return NotImplemented
        return ScoreSymmetry(self.permuted or other.permuted, self.shifted or other.shifted)


permutations: Final = ScoreSymmetry(permuted=True, shifted=False)
"""The permutations of the candidates of a score vector: in outcomes, at any depth, numbers from 0 on stand for them."""

shifts: Final = ScoreSymmetry(permuted=False, shifted=True)
"""The same number added to all scores, which changes no outcome."""


def _scores(database: Any) -> list[Any]:
    if not isinstance(database, tuple | list) or not database:
        raise InputError(
            bad_input.WRONG, f"permutations and shifts: {shown(database)}", "a vector of scores", "take ScoreSpace"
        )
    for score in database:
        if not isinstance(score, int | Fraction | Exact | Unknown):
            raise InputError(bad_input.EXACT, f"the score {shown(score)}")
    return list(map(_plain, database))


def _plain(score: Any) -> Any:
    """A score, in one form whatever it came as: a mechanism could tell 1 from Fraction(1)."""
    if isinstance(score, int) or (isinstance(score, Fraction) and score.denominator == 1):
        return int(score)
    return score


def _ties(values: Collection[Any]) -> dict[int, range]:
    """Place → the places with the same value, for values in order."""
    ends = [0]
    for _, block in groupby(values):
        ends.append(ends[-1] + sum(1 for _ in block))
    blocks = (range(start, end) for start, end in pairwise(ends) if end - start > 1)
    return {place: block for block in blocks for place in block}


def carried(source: CanonicalForm, target: CanonicalForm, labels: Labels) -> Callable[[Any], Any]:
    """A function that maps outcomes on a database to those on another one of the same canonical form."""
    images = dict(zip(source.order, target.order, strict=True))
    return lambda outcome: labels.moved(outcome, images)
