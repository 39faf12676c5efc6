"""What `symmetric` does, by brute force over all permutations: this file imports nothing of dpverify."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import permutations
from typing import Any

from tests.adversary.oracles.noises import normalised


def _moved(outcome: Any, images: Mapping[Any, Any]) -> Any:
    """The outcome with labels replaced, at any depth."""
    if type(outcome) in (tuple, frozenset):
        return type(outcome)(_moved(part, images) for part in outcome)
    return images[outcome] if type(outcome) is not bool and outcome in images else outcome


def of_rows(inner: Callable[..., Any], universe: Sequence[Hashable]) -> Callable[..., Any]:
    """inner under all relabellings of the rows of a universe."""

    def mechanism(draw: Any, rows: Any, **parameters: Any) -> Any:
        falling = sorted((rows.count(row) for row in universe), reverse=True)
        canonical = tuple(row for row, times in zip(universe, falling, strict=True) for _ in range(times))
        # each relabelling that brings the canonical rows to these
        ways = [way for way in permutations(universe) if [rows.count(row) for row in way] == falling]
        outcome = draw(inner, canonical, **parameters)
        way = ways[draw(normalised(dict.fromkeys(range(len(ways)), 1)))]
        return _moved(outcome, dict(zip(universe, way, strict=True)))

    return mechanism


def of_scores(inner: Callable[..., Any], permuted: bool, shifted: bool) -> Callable[..., Any]:
    """inner under permutations of candidates, shifts of all scores, or both."""

    def mechanism(draw: Any, scores: Any, **parameters: Any) -> Any:
        canonical = [score - min(scores) for score in scores] if shifted else list(scores)
        if not permuted:
            return draw(inner, tuple(canonical), **parameters)
        falling = sorted(canonical, reverse=True)
        places = range(len(scores))
        ways = [way for way in permutations(places) if [canonical[place] for place in way] == falling]
        outcome = draw(inner, tuple(falling), **parameters)
        way = ways[draw(normalised(dict.fromkeys(range(len(ways)), 1)))]
        return _moved(outcome, dict(zip(places, way, strict=True)))

    return mechanism
