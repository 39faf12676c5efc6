"""Families of utility claims as rows: what several share is written once, and a row has what is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from dpverify.mechanisms.functions.mechanism import Draw, name_of
from dpverify.mechanisms.functions.mechanism import Mechanism as Mechanism  # noqa: PLC0414  # what rows are made of
from dpverify.mechanisms.numbers.exact_numbers import ExactLike as ExactLike  # noqa: PLC0414
from dpverify.verifiers.claims import Depth, Status, Why, refutation_of
from dpverify.verifiers.utility.best_possible import BestPossible
from dpverify.verifiers.utility.case import Case as Case  # noqa: PLC0414
from dpverify.verifiers.utility.case import MadeOnce as MadeOnce  # noqa: PLC0414
from dpverify.verifiers.utility.claim import UtilityClaim as UtilityClaim  # noqa: PLC0414
from dpverify.verifiers.utility.statement import Sharpness as Sharpness  # noqa: PLC0414
from dpverify.verifiers.utility.statement import UtilityStatement

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

RandomCases: TypeAlias = "SearchStrategy[Case]"


class RowFields(Why, total=False):
    """Fields that a row may have besides: those of a `UtilityClaim`, and why or how it is refuted where it is."""

    strategy: Callable[[], RandomCases]
    corners: Mapping[str, Callable[[Case], bool]]
    examples: Sequence[Case]
    sharpness: Sharpness | None
    optimal: BestPossible
    sharp_in: str
    weak_because: str
    depth: Depth


@dataclass(frozen=True)
class Family:
    """A mechanism, when it succeeds, with which probability β it may fail, and how it is weakened: what rows share.

    A row is a call: the id of a claim, its source, its statement in the paper's words, and the cases it is decided on.
    """

    mechanism: Mechanism
    succeeds: Callable[[Case, Any], bool]
    beta: Callable[[Case], ExactLike]
    mutant: Mechanism
    holds_for: Callable[[Case], bool] = UtilityStatement.holds_for

    def __call__(
        self,
        claim_id: str,
        source: str,
        statement: str,
        cases: Iterable[Case] | None = None,
        /,
        **own: Unpack[RowFields],
    ) -> UtilityClaim:
        """The claim, which is expected to hold unless it says how it is `refuted`. Raises `InputError` as it does."""
        fields: dict[str, Any] = {**own}
        why = {name: fields.pop(name) for name in Why.__annotations__ if name in fields}
        refutation = refutation_of(**why)
        return UtilityClaim(
            id=claim_id,
            source=source,
            statement=statement,
            cases=cases,
            expected=None if refutation is None else Status.REFUTED,
            refutation=refutation,
            **vars(self),
            **fields,
        )


@dataclass(frozen=True)
class Times:
    """Factor of an argument."""

    factor: ExactLike


def weakened(name: str, mechanism: Mechanism, meaning: str = "", /, **arguments: Any) -> Mechanism:
    """A mutant: the mechanism with other arguments, or with so many `Times` those that it is given.

    It is called `name`, and means what is said, or else which arguments are others.

    >>> weakened("half", lambda draw, rows, *, epsilon: epsilon, epsilon=Times(Fraction(1, 2)))(None, (), epsilon=3)
    Fraction(3, 2)
    """

    def mutant(draw: Draw, database: Any, **given: Any) -> Any:
        changed = {
            argument: given[argument] * value.factor if isinstance(value, Times) else value
            for argument, value in arguments.items()
        }
        return mechanism(draw, database, **{**given, **changed})

    changes = [f"{key} times {v.factor}" if isinstance(v, Times) else f"{key} = {v}" for key, v in arguments.items()]
    return as_named(name, meaning or f"{name_of(mechanism)} with {', '.join(changes)}.", mutant)


def as_named(name: str, meaning: str, mechanism: Callable[..., Any]) -> Mechanism:
    """The mechanism that a function has made, with a name of its own, and what it does."""
    mechanism.__name__ = mechanism.__qualname__ = name
    mechanism.__doc__ = meaning
    return mechanism


def at_part(name: str, mechanism: Mechanism, part: int) -> Mechanism:
    """A mutant: the mechanism at so small a part of its ε, such as a half for 2."""
    return weakened(name, mechanism, epsilon=Times(Fraction(1, part)))


Choices: TypeAlias = "Sequence[Any] | range | Callable[[Any], SearchStrategy[Any]]"
"""The values of an argument: listed, whole numbers of a range, or a strategy, made with `hypothesis.strategies`."""


def chosen(case: Callable[..., Case], *choices: Choices) -> Callable[[], RandomCases]:
    """The strategy of the cases that a function makes, each of whose arguments is one of some choices."""
    return partial(_cases, case, choices)


def _cases(case: Callable[..., Case], choices: Sequence[Choices]) -> RandomCases:
    from hypothesis import strategies as st

    def strategy(values: Choices) -> SearchStrategy[Any]:
        if isinstance(values, range):
            return st.integers(values.start, values.stop - 1)
        return values(st) if callable(values) else st.sampled_from(values)

    return st.builds(case, *map(strategy, choices))


def least_of(
    what: str,
    paper: int,
    family: Callable[[int], Iterable[Case]],
    *,
    least: int = 1,
    ours: bool = False,
    whatever_epsilon: bool = False,
) -> Sharpness:
    """The sharpness of a row, in one line: see `Sharpness`."""
    return Sharpness(what=what, paper=paper, family=family, least=least, ours=ours, whatever_epsilon=whatever_epsilon)
