"""Parts of a mechanism that nothing is known of: each is decided by itself, on databases of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import EllipsisType, NoneType
from typing import Any, Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.signatures import by_name_alone
from dpverify.mechanisms.functions.trusted import is_in_its_module
from dpverify.mechanisms.numbers.errors import InputError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Sum, Term, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers.all_sizes.compositions.parts import OUTCOME, KnownPart, PartRule, SealedDatabase
from dpverify.verifiers.all_sizes.regions.distributions import TimeOfDistributions
from dpverify.verifiers.all_sizes.regions.domains import Histograms
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.problems.neighbours.neighbours import change_one_label, replace_one
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.processes.stopwatch import timed_in_a_process
from dpverify.verifiers.verdicts.verdict import Proved, Verdict


def own_rule(part: Mechanism, parts: Sequence[Mechanism], limits: Limits) -> PartRule | None:
    """The rule of a mechanism that is one of the parts; None for others.

    It is decided at the epsilon, and the delta, that it is given; what it returns can be returned, and nothing else. Of
    that which Python tells apart unasked, such as None, there is a path for each.
    """
    if not any(part is own for own in parts):
        return None

    def rule(database: Any, given: Mapping[str, Any]) -> KnownPart:
        if not isinstance(database, SealedDatabase):
            raise Undecided(
                not_known.PRIVACY_UNKNOWN,
                f"{name_of(part)}, which takes a utility function, where sub-mechanisms of yours take rows",
            )
        given = by_name_alone(part, given)
        if given.get("epsilon") is None:
            raise Undecided(
                not_known.PRIVACY_UNKNOWN, f"{name_of(part)}, which has no epsilon at which it could be decided"
            )
        claim = privacy_guarantee(exact(given["epsilon"], "epsilon"), exact(given.get("delta", ZERO), "delta"))
        domain = Histograms(database.universe, sizes=OrMore(database.least))
        neighbours = change_one_label if database.labels_alone else replace_one
        question = Question(part, domain, neighbours, claim, given, limits)
        outcomes = _OutcomesOnRegions()
        at = f"on {shown(domain)}, at ε = {claim.epsilon}, δ = {claim.delta}"
        try:
            verdict = _decided_apart(question, domain, outcomes)
        except (InputError, Undecided) as error:  # also of time, and of what is no mechanism there
            raise Undecided(not_known.PART_NOT_DECIDED, name_of(part), "not decided", at, f": {error}") from error
        if not isinstance(verdict, Proved):
            reason = f": {verdict.reason}" if verdict.reason else ""
            raise Undecided(not_known.PART_NOT_DECIDED, name_of(part), verdict.status, at, reason)
        if outcomes.other:
            raise Undecided(not_known.PART_RETURNS, name_of(part), outcomes.other)
        released = tuple(outcome for _, outcome in outcomes.kinds)
        return KnownPart(name_of(part), claim, released, f"PROVED on {domain!r}")

    return rule


def _decided_apart(question: Question, domain: Histograms, outcomes: _OutcomesOnRegions) -> Verdict:
    """The verdict on a part, as if nothing else were being decided."""
    refused = notes.refused
    try:
        with timed_in_a_process():
            verdict = decided_for_all_sizes(question, domain, time=outcomes)
            if isinstance(verdict, Proved) and not outcomes.kinds:  # by a theorem, which does not say what they are
                verdict = decided_for_all_sizes(question, domain, as_named=False, time=outcomes)
    finally:
        notes.refused = refused  # what is asked of unknown numbers is the part's
    return verdict


@dataclass
class _OutcomesOnRegions(TimeOfDistributions):
    """All that a part may return on any chart, and so on any database of its domain."""

    kinds: dict[tuple[type, Any], None] = field(default_factory=dict)
    """By their types: outcomes that may be compared by `is`, which asks nobody; `OUTCOME` for all others."""
    other: str = ""
    """One that may be told apart otherwise, as by `callable`; in words."""

    def take_note(self, law: Distribution[Any]) -> None:
        for outcome in (*law.finite, *law.released) if isinstance(law, ReleasedDistribution) else law.probabilities:
            kind = type(outcome)
            if kind in _SINGLE or (issubclass(kind, Enum) and is_in_its_module(kind)):
                self.kinds[kind, outcome] = None
            elif kind in _PLAIN or kind.__module__.startswith(_OF_NUMBERS):
                self.kinds[type(OUTCOME), OUTCOME] = None
            else:
                self.other = self.other or f"{shown(outcome)}, a {kind.__name__}"


_SINGLE: Final = (bool, NoneType, EllipsisType)
_PLAIN: Final = (int, str, bytes, float, Fraction, Sum, Term, tuple, frozenset)
_OF_NUMBERS: Final = ("dpverify.mechanisms.outputs.", "dpverify.mechanisms.numbers.")
"""Modules of what stands for released numbers."""
