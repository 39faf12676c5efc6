"""The case of a mechanism that is symmetric by construction: one pair of each orbit, and laws of representatives.

Nothing is assumed of a mechanism that is not made by `symmetric`, nor of a domain or a relation that is not known to be
symmetric: there every pair is decided.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import Exact
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.labels import relabelled
from dpverify.mechanisms.laws.limits import Limits, checked_limits
from dpverify.mechanisms.laws.mechanism import Mechanism
from dpverify.mechanisms.laws.signatures import parameters_for
from dpverify.mechanisms.laws.symmetric import Form, Symmetric, carried
from dpverify.verifiers.privacy.case import Case, Laws, PairCount, Repeating, case_of, repeated_here
from dpverify.verifiers.privacy.densities.comparison import Densities
from dpverify.verifiers.privacy.domains import Domain, Listed
from dpverify.verifiers.privacy.moves import Relation
from dpverify.verifiers.privacy.orbits import Orbits, orbits_of
from dpverify.verifiers.privacy.pairs import NeighbouringPairs
from dpverify.verifiers.privacy.repetition import Law, Subject
from dpverify.verifiers.privacy.tabulation import Sharing, Tabulation, found_alone


class _Place(NamedTuple):
    """Where the law of a database comes from: the representative, by position, and the forms of both."""

    representative: int
    source: Form
    target: Form


@dataclass(frozen=True)
class OrbitCase(Case):
    """A case whose databases are those of one pair of each orbit.

    The mechanism is run on representatives, one for each canonical form, as it is on any database; the law of another
    database is that of its representative, relabelled. With a mechanism in its place that is not symmetric it is a case
    of these pairs alone, which may refute what is claimed on all.
    """

    orbits: Orbits = field(kw_only=True)

    @property
    def subject(self) -> Subject:
        """See `Case`: the databases are the representatives."""
        return replace(super().subject, databases=self._representatives)

    @property
    def tabulated_domain(self) -> Domain:
        """See `Case`: the orders of rows are one to a symmetric mechanism."""
        return Listed(self._representatives, self._representatives)

    @property
    def number_of_databases(self) -> int:
        """See `Case`."""
        return self.orbits.databases

    def counted(self, distinct: int) -> PairCount:
        """See `Case`."""
        return PairCount(self.orbits.covered, distinct, self.orbits.outside)

    def law(self, database: Hashable, enumeration: Enumeration) -> Law:
        """See `Case`: from that on the canonical form, where that is plain. A repetition runs the mechanism itself."""
        if isinstance(self.mechanism, Symmetric):
            form = self.mechanism.under.form(database)
            with suppress(InputError):  # which the mechanism itself will raise, naming the database
                law = enumeration.law_of_part(self.mechanism.mechanism, (form.canonical,), self.parameters)
                mean = self.mechanism.mean(law, form)
                if mean is not None:
                    enumeration.runs += law.size  # as many as the mechanism would make: repetitions go by it
                    return mean
        return super().law(database, enumeration)

    @property
    def sharing(self) -> Sharing[Law]:
        """See `Case`: this process, of so few databases, and by `law`."""
        return found_alone

    def compared(self, tabulation: Tabulation[Law], beyond: int | None = 1) -> Laws:
        """See `Case`; the tabulation is of the representatives."""
        everywhere = replace(tabulation, laws=self._on_all(tabulation.laws))
        return super().compared(everywhere, beyond)._replace(tabulation=tabulation)

    def densities(self, laws: Sequence[Law]) -> Densities:
        """See `Case`."""
        return super().densities(self._on_all(laws))

    def _on_all(self, laws: Sequence[Law]) -> Sequence[Law]:
        """The laws of all databases from those of the representatives."""
        if not isinstance(self.mechanism, Symmetric):
            return laws
        under = self.mechanism.under
        return [
            laws[i] if source is target else relabelled(laws[i], carried(source, target, under.labels(source)))
            for i, source, target in self._places
        ]

    @cached_property
    def _places(self) -> Sequence[_Place]:
        assert isinstance(self.mechanism, Symmetric)
        first: dict[Hashable, tuple[int, Form]] = {}
        places = []
        for form in map(self.mechanism.under.form, self.databases):
            representative, source = first.setdefault(form.canonical, (len(first), form))
            places.append(_Place(representative, source, form))
        return places

    @cached_property
    def _representatives(self) -> Sequence[Hashable]:
        """The first of the databases of each canonical form; all where that says nothing of the mechanism."""
        if not isinstance(self.mechanism, Symmetric):
            return self.databases
        return [
            database
            for database, place in zip(self.databases, self._places, strict=True)
            if place.source is place.target
        ]

    @property
    def said_of_symmetry(self) -> str:
        """See `Case`."""
        if not isinstance(self.mechanism, Symmetric):
            return ""
        return (
            f"one pair decided for all that {self.mechanism.under} make of each other: {len(self.orbits.pairs):,} "
            f"pairs, by the laws of {len(self._representatives):,} databases"
        )


def case_for(
    mechanism: Mechanism,
    domain: Domain,
    neighbours: Relation,
    claim: Mapping[str, Exact],
    parameters: Mapping[str, Any] | None,
    limits: Limits | None,
    repeating: Repeating = repeated_here,
) -> Case:
    """As `case_of`; of a mechanism that is symmetric by construction, one pair of each orbit, where these are known.

    Raises `InputError` as `check_privacy` does.
    """
    found, checked = None, checked_limits(limits)
    if type(mechanism) is Symmetric and (parameters is None or isinstance(parameters, Mapping)):
        found = orbits_of(mechanism.under, domain, neighbours, checked.databases)
    if found is None or not found[0].pairs:
        return case_of(mechanism, domain, neighbours, claim, parameters, limits, repeating)
    orbits, order = found
    databases = sorted({database for pair in orbits.pairs for database in pair}, key=order)
    place = {database: i for i, database in enumerate(databases)}
    left, right = (np.array([place[pair[side]] for pair in orbits.pairs], dtype=np.int64) for side in (0, 1))
    both_ways = np.concatenate([left * len(databases) + right, right * len(databases) + left])
    return OrbitCase(
        mechanism,
        parameters_for(mechanism, claim, parameters or {}),
        databases,
        domain,
        neighbours,
        NeighbouringPairs.listed(both_ways, len(databases), orbits.outside),
        checked,
        repeating,
        orbits=orbits,
    )
