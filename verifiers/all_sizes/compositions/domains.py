"""All databases of rows of a universe, which a mechanism does not see: its parts do."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Never

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, not_known
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import whole
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta, holds_depth
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.kinds.privacy import for_all
from dpverify.verifiers.all_sizes.regions.domains import Endless
from dpverify.verifiers.all_sizes.regions.regions import Region
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.in_words import candidates_in_words, every_size_in_words, values_in_words
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.problems.questions.sizes import refuse_by_place

_ONE_OR_MORE: Final = OrMore(1)


class DecidedByParts(Endless):
    """A domain on which a claim is decided by the parts of a mechanism: it has no regions, nor databases of numbers."""

    @property
    def by_theorems_alone(self) -> bool:
        return True

    def regions(self, relation: NeighbourRelation) -> Iterator[Region]:
        """See `Endless`: it has none."""
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            "it is decided by the parts of a mechanism, and has no regions",
            "use Histograms",
        )

    def database(self, numbers: Sequence[Any]) -> Any:
        """See `Endless`: it has none of numbers."""
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            "it is decided by the parts of a mechanism, and has no numbers",
            "use Histograms",
        )


class _ForEvery(DecidedByParts):
    def for_every(self, claimed: ExactLike, claimed_delta: ExactLike = 0, /, **parameters: Any) -> WithSymbols:
        """The domain for the `all_sizes` of a claim of numbers, where it is claimed with symbols: see `WithSymbols`."""
        return WithSymbols(self, epsilon=claimed, delta=claimed_delta, parameters=parameters)


class EveryDatabase(_ForEvery):
    """All databases of rows of a universe, in every order, of every size from 1 on, of which only parts see the rows.

    A claim on it, under `replace_one` or `change_one_label`, is decided by the parts of a mechanism: see
    docs/composites.md. What is PROVED is an upper bound; nothing is REFUTED. `sizes=OrMore(n)` leaves out databases of
    fewer than n rows. `parts` are mechanisms of yours that see rows: each is decided on `Histograms` of the universe,
    at the epsilon and delta that it is given. Raises `InputError` for an empty universe, one that holds a row twice,
    sizes from 0 on, and a part that is no function.
    """

    def __init__(
        self,
        universe: Iterable[Hashable],
        *misplaced: Never,
        sizes: OrMore = _ONE_OR_MORE,
        parts: Iterable[Mechanism] = (),
    ) -> None:
        refuse_by_place(misplaced, "sizes")
        self.parts = tuple(parts)
        for part in self.parts:
            if not inspect.isfunction(part):
                raise InputError(
                    bad_input.WRONG, f"parts holds {shown(part)}, which", "a function", "write def part(draw, rows, …)"
                )
        if not isinstance(sizes, OrMore):
            raise InputError(
                bad_input.WRONG, f"sizes={shown(sizes)} of a domain without end", "OrMore(n)", "write sizes=OrMore(n)"
            )
        self.sizes = OrMore(whole(sizes.least, "sizes", 1))
        self._multisets = Multisets(universe, size=1)  # which says what is wrong with a universe

    @property
    def universe(self) -> tuple[Hashable, ...]:
        """The rows that a database may hold."""
        return self._multisets.universe

    def __repr__(self) -> str:
        least = f", sizes={self.sizes}" if self.sizes.least > 1 else ""
        parts = f", parts=({', '.join(map(name_of, self.parts))},)" if self.parts else ""
        return f"EveryDatabase({self._multisets.given!r}{least}{parts})"

    @property
    def in_words(self) -> str:
        return f"{every_size_in_words(self.sizes.least, 1)}, rows from {values_in_words(self.universe)}"

    @property
    def everything(self) -> str:
        least = f"at least {self.sizes.least:,} rows" if self.sizes.least > 1 else "every size"
        return f"databases of rows from {shown(self._multisets.given)}, of {least} and in every order"

    @property
    def instead(self) -> str:
        return f"Tuples({self._multisets.given!r}, sizes=range(…))"


class WithSymbols(DecidedByParts):
    """A domain where a claim is of every ε, δ or depth, for the `all_sizes` of a claim of numbers.

    There the claim is of `epsilon` and `delta`, which hold symbols, with these `parameters` in the place of those of
    the same names: one that is `symbolic_depth` is decided by induction, and one that is `EVERY_VALUE` may have any
    value. See docs/composites.md. Raises `InputError` for another domain than `EveryDatabase` and `EveryQuality`.
    """

    def __init__(
        self,
        domain: DecidedByParts,
        *,
        epsilon: ExactLike,
        delta: ExactLike = 0,
        parameters: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if not isinstance(domain, EveryDatabase | EveryQuality):
            raise InputError(
                bad_input.WRONG, f"the domain {shown(domain)}", "EveryDatabase or EveryQuality", "write one of them"
            )
        self.domain, self.epsilon, self.delta, self.parameters_there = domain, epsilon, delta, dict(parameters)

    def __repr__(self) -> str:
        there = f", parameters={self.parameters_there!r}" if self.parameters_there else ""
        return f"WithSymbols({self.domain!r}, epsilon={self.epsilon!r}, delta={self.delta!r}{there})"

    @property
    def in_words(self) -> str:
        claimed = exact(self.epsilon), exact(self.delta)
        depth = ", every depth N" if holds_depth((*claimed, self.parameters_there)) else ""
        return f"{self.domain.in_words}{depth}, {for_all(*map(str, claimed), every_delta=holds_delta(self.delta))}"

    @property
    def everything(self) -> str:
        return self.domain.everything

    @property
    def instead(self) -> str:
        return self.domain.instead


class EveryQuality(_ForEvery):
    """All qualities of `solutions` points 0, 1, …, whole or not, of which only parts see the scores.

    A claim on it, under `scores_linf`, is decided by the parts of a mechanism, as on `EveryDatabase`. With
    `solutions=OrMore(1)` it is of qualities of any number of points. Raises `InputError` unless solutions ≥ 1.
    """

    def __init__(self, *misplaced: Never, solutions: int | OrMore = 0) -> None:
        refuse_by_place(misplaced, "solutions")
        self.solutions = _ONE_OR_MORE if solutions == _ONE_OR_MORE else whole(solutions, "solutions", 1)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"EveryQuality(solutions={self.solutions})"

    @property
    def in_words(self) -> str:
        return f"all scores, {candidates_in_words(self.solutions)}"

    @property
    def everything(self) -> str:
        number = "any number of" if isinstance(self.solutions, OrMore) else f"{self.solutions:,}"
        return f"qualities of {number} points"

    @property
    def instead(self) -> str:
        solutions = 3 if isinstance(self.solutions, OrMore) else self.solutions
        return f"ScoreSpace(range(…), solutions={solutions})"
