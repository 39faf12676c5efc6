"""Pairs to draw from: those of a small domain, what Hypothesis thinks of, or a model's worst pair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.privacy.checker import check_privacy
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Domain, Listed, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation

_MOST_DATABASES: Final = 1 << 16


class Pairs(NamedTuple):
    """Databases, ordered pairs of places among them, and how many pairs there would have been."""

    databases: Sequence[Hashable]
    pairs: Sequence[tuple[int, int]]
    of: int


def pairs_of_domain(domain: Domain, relation: NeighbourRelation) -> Pairs:
    """The neighbours of a domain, or of examples of a Hypothesis strategy; of too many pairs, some of them."""
    databases = listed_databases(_examples(domain) if hasattr(domain, "example") else domain, _MOST_DATABASES)
    space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
    result = neighbouring_pairs(databases, space, relation)
    pairs: list[tuple[int, int]] = []
    for block in result.blocks():
        sides = result.of(block)
        pairs += zip(sides.left.tolist(), sides.right.tolist(), strict=True)
    return _only(Pairs(databases, _spread(pairs), len(pairs)))


def _spread(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that a pilot looks at: of many, some that are spread evenly over the domain."""
    most, last = size_of_sample("pairs of a pilot"), len(pairs) - 1
    return list(pairs) if last < most else [pairs[i * last // max(1, most - 1)] for i in range(most)]


def _only(found: Pairs) -> Pairs:
    """Without databases that are in no pair."""
    places = sorted({place for pair in found.pairs for place in pair})
    now = {place: i for i, place in enumerate(places)}
    return Pairs([found.databases[i] for i in places], [(now[a], now[b]) for a, b in found.pairs], found.of)


def given_pairs(pairs: Sequence[tuple[Any, Any]]) -> Pairs:
    """Pairs that are listed, each in both directions. Raises `InputError` where these are none."""
    if isinstance(pairs, str) or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise InputError(
            bad_input.WRONG, f"pairs={shown(pairs)}", "a list of pairs of databases", "write [(left, right), …]"
        )
    if not pairs:
        raise InputError(bad_input.IS_EMPTY, "pairs", "pair of neighbours")
    try:
        databases = list(dict.fromkeys(database for pair in pairs for database in pair))
    except TypeError:
        raise InputError(
            bad_input.NOT_HASHABLE, f"pairs={shown(pairs)} holds a database that", "", "use tuples in place of lists"
        ) from None
    place = {database: i for i, database in enumerate(databases)}
    if (same := next((pair for pair in pairs if place[pair[0]] == place[pair[1]]), None)) is not None:
        raise InputError(
            bad_input.TWICE, "a pair in pairs=", f"one database, {shown(tuple(same))},", "give two neighbours"
        )
    results = list(dict.fromkeys((place[a], place[b]) for one, other in pairs for a, b in ((one, other), (other, one))))
    return Pairs(databases, results, len(results))


def worst_of(model: Claim) -> Pairs:
    """The pair on which a model is refuted at a little less than the ε that it needs: its worst, or one such."""
    verdict = check_privacy(
        model.mechanism,
        model.domain,
        model.neighbours,
        epsilon=model.epsilon,
        delta=model.delta,
        parameters=model.parameters,
        limits=model.limits,
        recheck=False,
    )
    witness = verdict.witness
    if witness is None and verdict.epsilon is not None and verdict.epsilon.lower > 0:
        witness = check_privacy(
            model.mechanism,
            model.domain,
            model.neighbours,
            epsilon=exact(verdict.epsilon.lower) * exact("0.999"),
            parameters=model.question.arguments,
            limits=model.limits,
            recheck=False,
        ).witness
    if witness is None:
        return pairs_of_domain(model.domain, model.question.neighbours)
    return given_pairs([(witness.left, witness.right)])


def _examples(strategy: Any) -> list[Hashable]:
    """The same examples of a strategy each time, smallest first; not those that are alike."""
    try:
        from hypothesis import HealthCheck, Phase, given, settings
    except ModuleNotFoundError as error:
        raise InputError(
            bad_input.MISSING_PACKAGE, "a Hypothesis strategy in domain=", "hypothesis", "'dpverify[utility]'"
        ) from error
    results: dict[Hashable, None] = {}
    number = size_of_sample("examples of a strategy")
    if not number:
        return []

    @settings(
        max_examples=number,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def note(example: Hashable) -> None:
        results.setdefault(example)

    note()
    return list(results)
