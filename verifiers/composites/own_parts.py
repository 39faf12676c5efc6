"""Parts of a mechanism that nothing is known of: each is decided by itself, on databases of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.composites.around_parts import watch_paused
from dpverify.verifiers.composites.parts import OUTCOME, KnownPart, PartRule, SealedDatabase
from dpverify.verifiers.pairs.neighbours import change_one_label, replace_one
from dpverify.verifiers.questions.question import Question, privacy_guarantee
from dpverify.verifiers.questions.score_domains import OrMore
from dpverify.verifiers.verdicts.verdict import Proved


def own_rule(part: Mechanism, parts: Sequence[Mechanism]) -> PartRule | None:
    """The rule of a mechanism that is one of the parts; None for others.

    It is decided at the epsilon, and the delta, that it is given; what it returns can be returned, and nothing else.
    """
    if not any(part is own for own in parts):
        return None

    def rule(database: Any, given: Mapping[str, Any]) -> KnownPart:
        if not isinstance(database, SealedDatabase):
            raise Undecided(f"{name_of(part)} is handed a quality: parts of yours see rows")
        if "epsilon" not in given:
            raise Undecided(f"{name_of(part)} has no epsilon, at which a part of yours is decided")
        claim = privacy_guarantee(exact(given["epsilon"], "epsilon"), exact(given.get("delta", ZERO), "delta"))
        domain = Histograms(database.universe, sizes=OrMore(database.least))
        neighbours = change_one_label if database.labels_alone else replace_one
        refused = notes.refused
        with watch_paused():
            verdict = decided_for_all_sizes(Question(part, domain, neighbours, claim, given, Limits()), domain)
        notes.refused = refused  # what is asked of unknown numbers is the part's
        if not isinstance(verdict, Proved):
            raise Undecided(f"{name_of(part)} is {verdict.status} on {shown(domain)}: {verdict.reason}")
        return KnownPart(name_of(part), claim, (OUTCOME,), f"PROVED on {domain!r}")

    return rule
