"""Claims that no private mechanism does better than a number on a hard instance: what the checker is handed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Self, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.reports.record import Status
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.claims import Broken as Broken  # noqa: PLC0414  # what this package offers
from dpverify.verifiers.lower_bounds.instance import HardInstance

NEAR_AS_ROWS: Final = "no distance is smaller than the rows to be replaced, in any order"
IN_ANY_ORDER: Final = "where the order of rows is left out of the distance, success does not depend on it"

Parameters: TypeAlias = Mapping[str, Any]
"""A case: the parameters of a hard instance by their names, ε among them."""

Law: TypeAlias = Callable[[Any], Distribution[Any]]
"""Database → the exact distribution of a mechanism there."""


def a_tenth_less(forced: Callable[[Parameters], ExactLike]) -> Callable[[Parameters], ExactLike]:
    """A forced number that is too small: nine tenths of it. Where the best mechanism comes near it is refuted."""
    return lambda case: exact(forced(case)) * 9 / 10


def epsilon_of(case: Parameters) -> ExactLike:
    """The ε of a case. Raises `InputError` where it has none."""
    if "epsilon" not in case:
        raise InputError(
            bad_input.NEEDS, "the case", "an epsilon", "write dict(epsilon=1, …), or give epsilon= as a function"
        )
    epsilon: ExactLike = case["epsilon"]
    return epsilon


@dataclass(frozen=True, kw_only=True)
class BoundStatement(AnyClaim):
    """The statement of a `LowerBound`, with everything that is asked of it."""

    cases: Sequence[Parameters]
    forced: Callable[[Parameters], ExactLike]
    instance: Callable[[Parameters], HardInstance | None] = lambda case: None
    properties: Mapping[str, Callable[[Parameters], str | None]] = field(default_factory=dict)
    mechanisms: Mapping[str, Callable[[Parameters], Law | None]] = field(default_factory=dict)
    mutants: Sequence[Broken] = ()
    epsilon: Callable[[Parameters], ExactLike] = epsilon_of
    delta: Callable[[Parameters], ExactLike] = lambda case: case.get("delta", 0)
    strict: bool = False
    quantity: str = "success"
    least: Callable[[Parameters], int | str] | None = None

    kind: ClassVar[str] = "lower-bound"

    @property
    def claimed(self) -> str:
        """The bound that no mechanism exceeds."""
        return f"{self.quantity} {'<' if self.strict else '≤'} forced"

    def broken(self, mutant: Broken) -> Self:
        """The claim as the mutant has it, with nothing else to be run."""
        return replace(self, mechanisms={}, mutants=(), expected=Status.REFUTED, refutation=None, **mutant.fields)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("forced", "instance", "epsilon", "delta")
        if not isinstance(self.cases, list | tuple) or not all(isinstance(case, Mapping) for case in self.cases):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: cases={shown(self.cases)}",
                "a list of mappings",
                "write [dict(epsilon=1)]",
            )
        if not self.cases:
            raise InputError(bad_input.IS_EMPTY, f"{self.id}: cases", "case, such as dict(epsilon=1)")
        for name in ("properties", "mechanisms"):
            functions = getattr(self, name)
            if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
                raise InputError(
                    bad_input.WRONG,
                    f"{self.id}: {name}={shown(functions)}",
                    "a mapping of functions",
                    "write {name: …}",
                )
        if own := {NEAR_AS_ROWS, IN_ANY_ORDER} & self.properties.keys():
            raise InputError(
                bad_input.TWICE, f"{self.id}", f"the property {shown(min(own))}, which each case has,", "rename yours"
            )
        self._refuse_what_is_no_mutant({"mechanisms"})
