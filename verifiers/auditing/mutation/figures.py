"""The number of mutants that are killed, of how many that are refuted anywhere: each counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dpverify.verifiers.auditing.mutation.record import Fate, Figures, MutantOutcome
from dpverify.verifiers.auditing.mutation.subjects import MutantKey, Subject, are_kin

_KILLED_BY_OWN: Final = "killed by own"
_ELSEWHERE: Final = "refuted elsewhere"

_NOWHERE: Final = "refuted nowhere"

_IN_ORDER: Final[tuple[Fate, ...]] = ("survived", "harmless", "out of time", "invalid", "unreached")
"""Fate of a mutant that is refuted nowhere: the first of these that it is of any claim that it was made for."""


def figures_of(
    subjects: Sequence[Subject], further: Sequence[Subject], tried: Mapping[str, Iterable[MutantKey]]
) -> Figures:
    """The figures of all mutants that were tried: of claims asked for, and of `further` ones."""
    makers: dict[MutantKey, list[Subject]] = {}
    for subject in subjects:
        for key in tried[subject.claim.id]:
            if key in subject.outcomes:
                makers.setdefault(key, []).append(subject)
    counts = Counter(_counted_as(key, made_for, subjects, further) for key, made_for in makers.items())
    return Figures(
        killed_by_own=counts[_KILLED_BY_OWN],
        refuted_anywhere=counts[_KILLED_BY_OWN] + counts[_ELSEWHERE],
        survived=counts["survived"] + counts[_NOWHERE],
        refuted_nowhere=counts[_NOWHERE],
        out_of_time=counts["out of time"],
        harmless=counts["harmless"],
        unreached=counts["unreached"],
        invalid=counts["invalid"],
    )


def _counted_as(
    key: MutantKey, makers: Sequence[Subject], subjects: Sequence[Subject], further: Sequence[Subject]
) -> str:
    own = [each for each in subjects if any(are_kin(each.claim, maker.claim) for maker in makers)]
    if "killed" in _fates(key, own):
        return _KILLED_BY_OWN
    if _fates(key, (*subjects, *further)) & {"killed", "missed"}:
        return _ELSEWHERE
    if any(outcome.survives == _NOWHERE for outcome in _outcomes(key, makers)):
        return _NOWHERE
    of_makers = _fates(key, makers)
    return next(fate for fate in _IN_ORDER if fate in of_makers)


def _fates(key: MutantKey, judges: Iterable[Subject]) -> set[Fate]:
    return {outcome.fate for outcome in _outcomes(key, judges)}


def _outcomes(key: MutantKey, judges: Iterable[Subject]) -> list[MutantOutcome]:
    return [each.outcomes[key] for each in judges if key in each.outcomes]
