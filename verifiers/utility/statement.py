"""Claims that a mechanism fails with probability at most β, as data: what the checker is handed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.record import Status
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.utility.best_possible import BestPossible
from dpverify.verifiers.utility.case import Case, refuse_what_is_no_case

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, kw_only=True)
class Sharpness:
    """The sharpness of a claim: the least whole `what` from which it holds on a family of cases, beside the paper's.

    `family` maps a value to cases; `paper` is what the theorem asks for, at the same parameters, by constants that are
    `ours` where the paper states an order alone, or a bound that had to be corrected. Half the ε must fail at the least
    value, unless `what` is asked for `whatever_epsilon`, as samples of queries are.
    """

    what: str
    paper: int
    family: Callable[[int], Iterable[Any]]
    least: int = 1
    ours: bool = False
    whatever_epsilon: bool = False


DECIDING: Final = ("succeeds", "beta", "holds_for")
"""The functions of a claim by which it is decided."""


@dataclass(frozen=True, kw_only=True)
class UtilityStatement(AnyClaim):
    """The statement of a `UtilityClaim`, with everything that is asked of it."""

    mechanism: Mechanism
    succeeds: Callable[[Case, Any], bool]
    beta: Callable[[Case], ExactLike]
    mutant: Mechanism
    holds_for: Callable[[Case], bool] = lambda case: True
    cases: Iterable[Case] | None = None
    strategy: Callable[[], SearchStrategy[Case]] | None = None
    corners: Mapping[str, Callable[[Case], bool]] = field(default_factory=dict)
    floor: int = 30
    examples: Sequence[Case] = ()
    expected: Status | None = None
    sharpness: Sharpness | None = None
    optimal: BestPossible | None = None
    weak_because: str = ""
    sharp_in: str = ""

    kind: ClassVar[str] = "utility"
    modules: ClassVar[Sequence[str]] = ("hypothesis.strategies", "numpy.random")

    @property
    def claimed(self) -> str:
        """The bound that holds of all cases."""
        return "failure ≤ β"

    @property
    def mutants(self) -> tuple[Mechanism, ...]:
        """The mechanism weakened."""
        return (self.mutant,)

    @property
    def verdict_expected(self) -> Status:
        """PROVED for enumerated cases and FUZZED for others, unless `expected` says otherwise."""
        return self.expected or (Status.PROVED if self.cases is not None else Status.FUZZED)

    @property
    def asked(self) -> dict[str, Callable[..., Any]]:
        """The functions that are asked of cases, by name."""
        corners = {f"the corner {name}": hit for name, hit in self.corners.items()}
        return {name: getattr(self, name) for name in DECIDING} | corners

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("mechanism", "succeeds", "beta", "mutant", "holds_for")
        refuse_what_is_no_case(self.id, self.examples)
        if (self.cases is None) == (self.strategy is None):
            raise InputError(bad_input.NEEDS, self.id, "either cases or a strategy", "give one of them")
        if self.cases is not None and not isinstance(self.cases, Iterable):
            raise InputError(
                bad_input.WRONG, f"{self.id}: cases={shown(self.cases)}", "an iterable of cases", "write [Case(…), …]"
            )
        if isinstance(self.cases, list | tuple):
            refuse_what_is_no_case(self.id, self.cases)
        if not isinstance(self.corners, Mapping):
            raise InputError(
                bad_input.WRONG, f"{self.id}: corners={shown(self.corners)}", "a mapping", "write {'name': function}"
            )
        if not isinstance(self.floor, int):
            raise InputError(bad_input.NOT_WHOLE, f"{self.id}: floor={shown(self.floor)}", "")
        if isinstance(self.cases, Iterator):  # the mutant would meet none of them
            raise InputError(
                bad_input.WRONG, f"{self.id}: cases, an iterator that can be read only once,", "a tuple", "give a tuple"
            )
        if self.strategy is not None and not self.corners:
            raise InputError(
                bad_input.NEEDS, f"{self.id}: a claim that is fuzzed", "the corners of its input", "give corners=…"
            )
        if self.optimal is not None and not isinstance(self.optimal, BestPossible):
            raise InputError(
                bad_input.WRONG, f"{self.id}: optimal={shown(self.optimal)}", "a BestPossible", "write BestPossible(…)"
            )
        if self.optimal is not None and self.cases is None:
            raise InputError(bad_input.EXCLUDE, f"{self.id}: optimal=, for which cases are listed,", "a strategy")
