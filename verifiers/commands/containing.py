"""Proofs about two questions beyond their lines: that the databases and pairs of one are among the other's.

Domains are built from the texts that a gate keeps, and relations are dpverify's by name; a relation of people's own is
that of the claim, if it still makes of the domain that was accepted the pairs that were accepted.
"""

import importlib.util
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.gates.baseline import BaselineLine
from dpverify.reports.gates.changes import Holds, Shown
from dpverify.reports.record import DescribedPart, QuestionRecord
from dpverify.verifiers.auditing.digests.function_form import Forms
from dpverify.verifiers.auditing.digests.names import syntax_tree
from dpverify.verifiers.auditing.digests.question import described_domain, digest_of_all, neighbour_pairs
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.expressions import built
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS
from dpverify.verifiers.problems.questions.domains import Domain, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation

_MOST: Final = Limits(databases=1_000_000, pairs=1_000_000)
"""Number of databases up to which domains are gone through: of larger ones nothing is shown."""


def shown_of(claims: Iterable[AnyClaim]) -> Shown:
    """The proofs that are possible where these are the claims of now."""
    known = {claim.id: claim for claim in claims if isinstance(claim, Claim)}

    def compared(before: BaselineLine, after: BaselineLine) -> Holds:
        if before.question is None or after.question is None:
            return "not shown"
        return pairs_compared(before.question, after.question, known.get(after.id))

    return Shown(compared, _is_gone)


def pairs_compared(before: QuestionRecord, after: QuestionRecord, claim: Claim | None = None) -> Holds:
    """A comparison of the databases and pairs of neighbours of two questions: the same, or all of the first's and more.

    A text that does not give the databases of its digest shows nothing, and nor does a relation that changed.
    """
    relation, relation_now = before.neighbour_relation, after.neighbour_relation
    if before.domain is None or after.domain is None or relation is None or relation_now is None:
        return "not shown"
    name = relation.text
    if relation.digest:
        earlier = None if claim is None else _made(before.domain, claim.question.neighbours)
        if earlier is None or claim is None or earlier.digest != relation.digest:
            return "not shown"
        later = _of_domain(claim.question.domain, claim.question.neighbours)
    else:
        if relation != relation_now or name not in RELATIONS:
            return "not shown"
        earlier = _named(before.domain, name)
        later = _named(after.domain, name)
        if later is None and claim is not None:
            later = _of_domain(claim.question.domain, RELATIONS[name])
    if earlier is None or later is None or not (earlier.pairs <= later.pairs and earlier.databases <= later.databases):
        return "not shown"
    return "the same" if earlier[:2] == later[:2] else "all and more"


class _Pairs(NamedTuple):
    """The databases and the pairs of neighbours of a domain, by hashes, and the digest that a question has of these."""

    databases: frozenset[bytes]
    pairs: frozenset[bytes]
    digest: str


@lru_cache(maxsize=64)
def _named(domain: DescribedPart, relation: str) -> _Pairs | None:
    return _made(domain, RELATIONS[relation])


def _made(domain: DescribedPart, relation: NeighbourRelation) -> _Pairs | None:
    """The pairs of a domain built from its text; None where they are too many, or the text does not say them."""
    try:
        result = built(domain.text)
        is_it = described_domain(result, _PLAIN, _MOST).digest == domain.digest
    except InputError:
        return None
    return _of_domain(result, relation) if is_it else None


_PLAIN: Final = Forms(lambda _: False)


def _of_domain(domain: Domain, relation: NeighbourRelation) -> _Pairs | None:
    try:
        databases = [_PLAIN.of(one) for one in listed_databases(domain, _MOST.databases)]
        pairs = [f"{_PLAIN.of(one)}→{_PLAIN.of(other)}" for one, other in neighbour_pairs(domain, relation, _MOST)]
    except Exception:  # a relation of people's own may raise whatever it is asked
        return None
    return _Pairs(_hashed(databases), _hashed(pairs), digest_of_all(pairs))


def _hashed(texts: Iterable[str]) -> frozenset[bytes]:
    return frozenset(sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] for text in texts)


def _is_gone(module: str, name: str) -> bool:
    """True where no module has this name, or it does not define what is called so any more."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        spec = None
    tree = None if spec is None or spec.origin is None else syntax_tree(spec.origin)
    outermost = name.partition("(")[0].partition(".")[0]
    return tree is None or all(getattr(node, "name", "") != outermost for node in tree.body)
