"""Calculations as rows: what bounds on probabilities of failure share is written once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.reports.record import Refutation, Status
from dpverify.verifiers.calculations.claim import Broken, Calculation


def below_beta(
    claim_id: str,
    source: str,
    statement: str,
    computed: Callable[..., ExactLike],
    cases: Iterable[dict[str, Any]],
    /,
    mutant: Broken,
    **own: Any,
) -> Calculation:
    """The calculation that a probability of failure, or a bound on it, is at most the β of each case.

    It is expected to hold unless it says how it is `refuted`. Raises `InputError` as `Calculation` does.
    """
    refuted: Refutation | None = own.pop("refuted", None)
    return Calculation(
        id=claim_id,
        source=source,
        statement=statement,
        computed=computed,
        at_most=lambda beta: beta,
        cases=tuple(cases),
        mutants=(mutant,),
        expected=None if refuted is None else Status.REFUTED,
        refutation=refuted,
        **own,
    )
