"""Calculations as rows: what bounds on probabilities of failure share is written once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.verifiers.calculations.claim import Calculation as Calculation  # noqa: PLC0414  # what rows are made of
from dpverify.verifiers.calculations.claim import changed as changed  # noqa: PLC0414
from dpverify.verifiers.calculations.claim import component as component  # noqa: PLC0414
from dpverify.verifiers.calculations.claim import divided as divided  # noqa: PLC0414
from dpverify.verifiers.claims import Broken as Broken  # noqa: PLC0414
from dpverify.verifiers.claims import Status, Why, refutation_of
from dpverify.verifiers.utility.case import MadeOnce as MadeOnce  # noqa: PLC0414
from dpverify.verifiers.utility.statement import Sharpness as Sharpness  # noqa: PLC0414


@dataclass(frozen=True)
class FailureBound:
    """A computed probability of failure, or a bound on it, that is at most the β of each case; and its mutant.

    A row is a call: the id of a claim, its source, its statement in the paper's words, and its cases.
    """

    computed: Callable[..., ExactLike]
    mutant: Broken

    def __call__(
        self, claim_id: str, source: str, statement: str, cases: Iterable[dict[str, Any]], /, **own: Any
    ) -> Calculation:
        """The claim, which is expected to hold unless it says why it is refuted. Raises `InputError` as it does."""
        refutation = refutation_of(**{name: own.pop(name) for name in Why.__annotations__ if name in own})
        return Calculation(
            id=claim_id,
            source=source,
            statement=statement,
            computed=self.computed,
            at_most=lambda beta: beta,
            cases=tuple(cases),
            mutants=(self.mutant,),
            expected=None if refutation is None else Status.REFUTED,
            refutation=refutation,
            **own,
        )


def tried_first(case: dict[str, Any], cases: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The case, which is known to refute the claim, and then all others.

    >>> tried_first({"n": 3}, [{"n": 2}, {"n": 3}])
    ({'n': 3}, {'n': 2})
    """
    return case, *(other for other in cases if other != case)
