"""Distributions of many databases from those of few, of a mechanism that is symmetric by construction.

The mechanism is run on representatives, one for each canonical form, as it is on any database; the distribution of
another database is that of its representative, relabelled.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.drawing.labels import relabelled
from dpverify.mechanisms.drawing.symmetric import CanonicalForm, Symmetric, carried
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


class _Place(NamedTuple):
    """The source of the distribution of a database: the representative, by position, and the forms of both."""

    representative: int
    source: CanonicalForm
    target: CanonicalForm


class Representatives:
    """The databases that stand for others, under a mechanism's own symmetry."""

    def __init__(self, mechanism: Symmetric, databases: Sequence[Hashable]) -> None:
        self._mechanism = mechanism
        self._all = databases

    @cached_property
    def databases(self) -> Sequence[Hashable]:
        """The first of the databases of each canonical form."""
        return [
            database for database, place in zip(self._all, self._places, strict=True) if place.source is place.target
        ]

    @cached_property
    def _places(self) -> Sequence[_Place]:
        first: dict[Hashable, tuple[int, CanonicalForm]] = {}
        places = []
        for form in map(self._mechanism.under.form, self._all):
            representative, source = first.setdefault(form.canonical, (len(first), form))
            places.append(_Place(representative, source, form))
        return places

    def law(self, database: Hashable, arguments: Mapping[str, Any], enumeration: Enumeration) -> AnyDistribution | None:
        """The distribution from that on the canonical form, where that is plain; None for one that the mechanism gives.

        A repetition runs the mechanism itself.
        """
        form = self._mechanism.under.form(database)
        with suppress(InputError):  # which the mechanism itself will raise, naming the database
            law = enumeration.law_of_part(self._mechanism.mechanism, (form.canonical,), arguments)
            mean = self._mechanism.mean(law, form)
            if mean is not None:
                enumeration.runs += law.size  # as many as the mechanism would make: repetitions go by it
                return mean
        return None

    def on_all(self, laws: Sequence[AnyDistribution]) -> Sequence[AnyDistribution]:
        """The distributions of all databases from those of the representatives."""
        under = self._mechanism.under
        return [
            laws[i] if source is target else relabelled(laws[i], carried(source, target, under.labels(source)))
            for i, source, target in self._places
        ]
