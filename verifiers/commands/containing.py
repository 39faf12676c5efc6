"""Proofs that the neighbours of one domain are among those of another, both built from the texts that a gate keeps."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.record import QuestionRecord, Told
from dpverify.verifiers.contract.function_form import Forms
from dpverify.verifiers.contract.question import domain_told, neighbour_pairs
from dpverify.verifiers.pairs.neighbours import RELATIONS
from dpverify.verifiers.privacy.expressions import built

_MOST: Final = Limits(databases=20_000, pairs=400_000)
"""How far domains are gone through: of larger ones nothing is shown."""


def contains(before: QuestionRecord, after: QuestionRecord) -> bool:
    """True where all neighbours of the first question are shown to be neighbours in the second.

    Shown it is of built-in domains and relations alone, whose texts say all of them: nothing that somebody wrote is
    run, and a text that does not give the databases of its digest shows nothing.
    """
    relation = before.relation
    if before.domain is None or after.domain is None or relation is None or relation != after.relation:
        return False
    if relation.digest or relation.text not in RELATIONS:
        return False
    earlier, later = _pairs(before.domain, relation.text), _pairs(after.domain, relation.text)
    return earlier is not None and later is not None and earlier <= later


@lru_cache(maxsize=64)
def _pairs(domain: Told, relation: str) -> frozenset[tuple[object, object]] | None:
    """The pairs of neighbours; None where they are too many, or the text does not say them."""
    plain = Forms(lambda _: False)
    try:
        result = built(domain.text)
        if domain_told(result, plain, _MOST).digest != domain.digest:
            return None
        return frozenset(neighbour_pairs(result, RELATIONS[relation], _MOST))
    except InputError:
        return None
