"""Samplers: what gives outcomes of a database, and what can be known of it before anything is tested.

Whatever is not one is made one: a function of (rows, rng) is called for each draw, and one of (rows, rng, size) once
for many.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Final, Protocol, TypeAlias, TypeGuard

import numpy as np

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, as_numbers, as_outcomes, concatenated, objects
from dpverify.verifiers.blackbox.sampling.patience import in_time


class Sampler(Protocol):
    """Gives outcomes of a database; it is asked for many at once."""

    @property
    def name(self) -> str:
        """Its name in a report."""

    @property
    def seeded(self) -> bool:
        """True where the same seed gives the same outcomes."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of what it runs, by name; those of libraries that are asked."""

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """As many outcomes, as a list or an array of numbers; the seed is below 2⁶³."""


class MissingLibrary(InputError):
    """A sampler needs what is not installed here."""

    def __init__(self, what: str) -> None:
        super().__init__(NEEDS_A_LIBRARY + what.removeprefix(NEEDS_A_LIBRARY))  # as it is, where it is read back


NEEDS_A_LIBRARY: Final = "needs what is not installed: "
"""Text for that."""


Given: TypeAlias = Sampler | Callable[..., Any]
"""A sampler, or a function of (rows, rng) or (rows, rng, size)."""


@dataclass(frozen=True)
class NumpyFunction:
    """A function of (rows, rng), or of (rows, rng, size) for many draws at once, whose chance is a numpy generator."""

    function: Callable[..., Any]
    vectorised: bool

    @property
    def name(self) -> str:
        """The function's."""
        return name_of(self.function)

    @property
    def seeded(self) -> bool:
        """The generator is made of the seed."""
        return True

    @property
    def versions(self) -> Mapping[str, str]:
        """Numpy's, whose generators may draw otherwise in another version, and Python's."""
        return {"numpy": np.__version__, "python": ".".join(map(str, sys.version_info[:2]))}

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """See `Sampler`."""
        rng = np.random.default_rng(seed)
        if self.vectorised:
            return self.function(rows, rng, size)
        return [self.function(rows, rng) for _ in range(size)]


def as_sampler(given: object) -> Sampler:
    """The argument as a sampler. Raises `InputError` for what is none, saying what a function has to take."""
    if isinstance(given, type):
        raise InputError(
            bad_input.WRONG, f"sampler={shown(given)}, a class,", "a sampler", f"make one, as in {given.__name__}(…)"
        )
    if _is_sampler(given):
        return given
    if not callable(given):
        raise InputError(
            bad_input.WRONG,
            f"sampler={shown(given)}",
            "a sampler",
            "write a function of (rows, rng) or (rows, rng, size)",
        )
    try:
        names = list(inspect.signature(given).parameters.values())
    except (TypeError, ValueError):
        raise InputError(
            bad_input.WRONG,
            f"sampler={name_of(given)}, whose arguments are not known,",
            "a sampler",
            "wrap it in a function of (rows, rng)",
        ) from None
    places = [one for one in names if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in places if one.default is one.empty]
    if len(needed) not in (2, 3) or any(one.kind is one.KEYWORD_ONLY and one.default is one.empty for one in names):
        said = ", ".join(one.name for one in names)
        raise InputError(
            bad_input.WRONG,
            f"sampler={name_of(given)}, which takes ({said}),",
            "a sampler",
            "write a function of (rows, rng) or (rows, rng, size)",
        )
    return NumpyFunction(given, vectorised=len(needed) == 3)


def _is_sampler(given: object) -> TypeGuard[Sampler]:
    """True where it has what a sampler has, without asking for it: a process need not start for that."""
    missing = object()
    return all(inspect.getattr_static(given, name, missing) is not missing for name in _OF_A_SAMPLER)


_OF_A_SAMPLER: Final = ("name", "seeded", "versions", "draw")


PATIENCE: Final = 300.0
"""Seconds for 10,000 draws, or fewer, after which a sampler is taken for endless."""

_AT_ONCE: Final = 10_000


@dataclass(frozen=True)
class DrawBlocks:
    """Blocks of draws of a sampler, each with a seed of its own: of the claim's, phase, database and number."""

    sampler: Sampler
    seed: int
    patience: float = PATIENCE

    def block(self, phase: int, place: int, number: int, rows: Hashable, size: int) -> Outcomes:
        """As many outcomes. Raises `InputError`, naming database and seed, where the sampler fails."""
        return as_numbers(self._block(phase, place, number, rows, size))

    def _block(self, phase: int, place: int, number: int, rows: Hashable, size: int) -> Outcomes:
        seed = int(np.random.SeedSequence([self.seed, phase, place, number]).generate_state(1, np.uint64)[0] >> 1)
        return drawn(self.sampler, rows, size, seed, self.patience)

    def pilot(self, databases: Mapping[int, Hashable], size: int) -> dict[int, Outcomes]:
        """For each place two blocks, together of that size, of the phase 0.

        Raises `InputError` also where draws are repeated, and where truth values and numbers would count as one.
        """
        outcomes: dict[int, Outcomes] = {}
        kinds: dict[bool, Hashable] = {}
        for place, rows in databases.items():
            parts = [self._block(0, place, i, rows, part) for i, part in enumerate((size - size // 2, size // 2))]
            _heed_repeats(self.sampler, rows, *parts)
            kinds |= {part.dtype.kind == "b": rows for part in parts if part.ndim == 1 and part.dtype.kind in "bif"}
            outcomes[place] = concatenated([as_numbers(part) for part in parts])
        if len(kinds) > 1:
            raise InputError(
                bad_input.TRUTH_AND_NUMBERS,
                f"the sampler {self.sampler.name}",
                f" on {shown(kinds[True])} and on {shown(kinds[False])}",
            )
        return outcomes


def drawn(sampler: Sampler, rows: Hashable, size: int, seed: int, patience: float = PATIENCE) -> Outcomes:
    """As many outcomes of a seed. Raises `InputError`, naming database and seed, where it fails or is endless."""
    seconds = patience * max(1.0, size / _AT_ONCE)
    endless = (
        f"the sampler {sampler.name} gave no {size:,} draws of {shown(rows)} within {seconds:g} s (seed {seed}): where "
        "it is slow, and not endless, give patience= more seconds for 10,000 draws"
    )
    try:
        with in_time(seconds, endless):
            given = sampler.draw(rows, size, seed)
    except InputError:
        raise
    except ModuleNotFoundError as error:
        raise MissingLibrary(f"{told(error)}, for the sampler {sampler.name}") from error
    except (Exception, SystemExit) as error:
        raise InputError(
            bad_input.FAILED,
            f"the sampler {sampler.name}",
            f"{type(error).__name__}: {told(error)} on {shown(rows)} (seed {seed})",
        ) from error
    return as_outcomes(given, size, f"the sampler {sampler.name}")


def heed_seed(sampler: Sampler, rows: Hashable, seed: int, patience: float = PATIENCE) -> None:
    """Raises `InputError` for a seed that gives now these and now other outcomes, and for draws that depend on others.

    Those are the same ones whatever the seed, and one that is repeated.
    """
    blocks = [drawn(sampler, rows, _LOOKED_AT, s, patience) for s in (seed, seed, seed + 1)]
    first, again, other = map(objects, blocks)
    if not sampler.seeded:
        if _are_the_same(sampler, rows, (seed, seed), (first, again), patience):
            raise InputError(
                bad_input.SAMPLER,
                f"the sampler {sampler.name}",
                f"gave the same {_LOOKED_AT} outcomes twice, and says that it has no seed",
                "return independent draws",
            )
        return
    if list(map(repr, first)) != list(map(repr, again)):
        raise InputError(
            bad_input.SAMPLER,
            f"the sampler {sampler.name}",
            f"ignores its seed: {seed} gave {shown(first[:3])} first and {shown(again[:3])} then",
            "draw from its argument rng, or wrap it in Unseeded(…) and store its counts by counts=FILE",
        )
    if _are_the_same(sampler, rows, (seed, seed + 1), (first, other), patience):
        raise InputError(
            bad_input.SAMPLER,
            f"the sampler {sampler.name}",
            "gives the same draws for every seed, so that they are not independent",
            "draw from its argument rng",
        )
    _heed_repeats(sampler, rows, blocks[0], blocks[2])


_LOOKED_AT = 64


def _are_the_same(
    sampler: Sampler, rows: Hashable, seeds: Sequence[int], few: Sequence[Sequence[Hashable]], patience: float
) -> bool:
    """True where two samples are one, and by no chance: where few draws are, as of rare outcomes, more are made."""
    first, second = (list(map(repr, sample)) for sample in few)
    if first != second or len(set(first)) == 1:
        return False
    most = size_of_sample("draws of a sampler that are compared")
    first, second = (list(map(repr, objects(drawn(sampler, rows, most, seed, patience)))) for seed in seeds)
    return first == second and most - max(Counter(first).values(), default=0) >= _RARE


_RARE: Final = 8
"""Draws that are not the commonest outcome: as many come up at the same places but by no chance."""


def _heed_repeats(sampler: Sampler, rows: Hashable, one: Outcomes, other: Outcomes) -> None:
    """Raises `InputError` where two blocks repeat outcomes, each its own: those of one noise for many draws.

    Of independent draws each way to share them out is as probable as the next, so that each outcome is in one block
    alone in at most 2^(number of outcomes that differ) of all these ways: that is less than 2⁻⁴⁰ where it is an error.
    """
    most = size_of_sample("draws of a sampler that are compared")
    several = [objects(block[:most]) for block in (one, other)]
    results = [set(block) for block in several]
    sizes = list(map(len, several))
    ways = comb(sum(sizes), sizes[0]).bit_length() - 1
    if results[0].isdisjoint(results[1]) and sum(map(len, results)) + _BITS <= ways:
        raise InputError(
            bad_input.SAMPLER,
            f"the sampler {sampler.name}",
            f"draws once for many: on {shown(rows)}, {sizes[0]:,} draws have {len(results[0]):,} outcomes, others none",
            "return independent draws, as rng.laplace(size=size) does",
        )


_BITS: Final = 40


@dataclass(frozen=True)
class Unseeded:
    """A function of rows, or of (rows, size) for many draws at once, whose chance nobody can seed."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """The function's."""
        return name_of(self.function)

    @property
    def seeded(self) -> bool:
        """It has no seed."""
        return False

    @property
    def versions(self) -> Mapping[str, str]:
        """Python's."""
        return {"python": ".".join(map(str, sys.version_info[:2]))}

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """See `Sampler`."""
        if len(inspect.signature(self.function).parameters) > 1:
            return self.function(rows, size)
        return [self.function(rows) for _ in range(size)]
