"""The probability of facts about Gaussian noise in a form in which what is equal by contraries is so by its structure.

Of a fact x − y ≥ t and its contrary x − y < t the probabilities, beside the same other facts A, add up to that of A:
Pr[A and x − y < t] = Pr[A] − Pr[A and x − y ≥ t], and A alone falls apart into two trees. So each such fact is written
in the direction in which it is the rarer one, t > 0, and where it is neither, with t = 0, away from the root: then of a
tree with all its contraries one is left as a number, beside smaller ones. Where more than three facts would have to be
turned they stay as they are, as that takes a number for each subset of them. What is known of one noise alone, or of
the difference of two, is written by such half-lines, an interval as a difference of two of them.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from dpverify.mechanisms.noise.gaussian import gaussian
from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers import decision
from dpverify.mechanisms.numbers.elementary import certified, sqrt, square
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, negative, product, total
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Endpoint, Interval
from dpverify.mechanisms.numbers.roots.whole_forms import is_whole
from dpverify.mechanisms.path_conditions.certified_nodes import Noises, is_symmetric
from dpverify.mechanisms.path_conditions.certified_trees import (
    Graph,
    NoiseTie,
    TiedNoise,
    first_view,
    graph_of,
    refuse_symbols,
    tree_named,
)
from dpverify.mechanisms.path_conditions.implied_conditions import PathConditions
from dpverify.mechanisms.path_conditions.noise_tree import NoiseTree, TooManyPieces
from dpverify.mechanisms.path_conditions.sums_of_noise import SumOfNoises
from dpverify.mechanisms.path_conditions.tied_conditions import tied_tree

_MOST_TURNED: Final = 3

_MINUS: Final = negative(ONE)


def are_certified(facts: PathConditions) -> bool:
    """True where some of the noises have no density in closed form."""
    return any(variable.law.is_certified for form in facts for variable, _ in form)


def probability_of_tied(facts: PathConditions) -> Exact:
    """The probability that facts are true which tie their noises in a tree.

    Raises `ConditionCycle` where they tie them otherwise, and `InputError` where they are not decided.
    """
    refuse_symbols(facts)
    tree = tied_tree(facts)  # one object for equal ones, of whatever draws of noise
    if tree.serial not in _of_trees:
        if len(_of_trees) >= _MOST_TREES:
            _of_trees.clear()
        _of_trees[tree.serial] = _probability(graph_of(facts)) if _is_possible(tree) else ZERO
    return _of_trees[tree.serial]


_of_trees: Final[dict[int, Exact]] = {}
_MOST_TREES: Final = 1 << 16


def _is_possible(tree: NoiseTree) -> bool:
    try:
        return bool(tree.possible)
    except TooManyPieces:
        return True


def _probability(graph: Graph) -> Exact:
    if len(graph.noises) == 1:
        return _of_one(graph)
    if len(graph.noises) == 2 and _are_free(graph):
        return _probability(_as_difference(graph))
    turned = _to_be_turned(graph)
    if not turned:
        return certified(tree_named(graph))
    results = []
    for size in range(len(turned) + 1):
        for kept in combinations(turned, size):
            without = [tie for tie in graph.ties if tie not in turned or tie in kept]
            ties = [_contrary(tie) if tie in kept else tie for tie in without]
            left = graph._replace(ties=ties)
            # all of them turned is a tree of as many facts, which is as it is to be
            parts = [certified(tree_named(left))] if size == len(turned) else map(_probability, _apart(left))
            results.append(product((exact((-1) ** size), *parts)))
    return total(results)


def _of_one(graph: Graph) -> Exact:
    """The probability that one noise takes some values, by tails of which each is the rarer one of two contraries."""
    ((noise, (noises, values)),) = graph.noises.items()
    if values == EVERYTHING:
        return ONE
    if noises.sigma is not None and not noises.others:
        return probability(gaussian(noises.sigma), values)
    if noises.sigma is None and len(noises.others) == 1 and noises.others[0][1] == 1:
        return probability(noises.others[0][0], values)

    def named(interval: Interval) -> TiedNoise:
        return tree_named(graph._replace(noises={noise: (noises, (interval,))}))

    def above(end: Endpoint) -> Exact:
        """Pr[noise ≥ end]."""
        side = _side_of(end)
        if side == 0:
            if is_symmetric(noises):
                return _HALF
            either = named((end, None)), named((None, end))
            side = 1 if either[0].name < either[1].name else -1
        return certified(named((end, None))) if side > 0 else total((ONE, negative(certified(named((None, end))))))

    def inside(low: Endpoint | None, high: Endpoint | None) -> Exact:
        return total((ONE if low is None else above(low), *(() if high is None else (negative(above(high)),))))

    return total(inside(low, high) for low, high in values)


_HALF: Final = exact(Fraction(1, 2))


def _are_free(graph: Graph) -> bool:
    """True where of each noise nothing is known but how it differs from others."""
    return all(values == EVERYTHING for _, values in graph.noises.values())


def _as_difference(graph: Graph) -> Graph:
    """Two noises that differ by one of some values as one noise that is one of them."""
    (tie,) = graph.ties
    sigmas: list[Exact] = []
    others: list[tuple[NoiseLaw, Exact]] = []
    for noise, sign in tie.signs.items():
        of_noise = graph.noises[noise][0].times(sign)
        sigmas += [] if of_noise.sigma is None else [of_noise.sigma]
        others += of_noise.others
    sigma = sqrt(total(map(square, sigmas))) if len(sigmas) > 1 else next(iter(sigmas), None)
    lead = next(iter(tie.signs))
    return Graph({lead: (Noises(sigma, tuple(others)), tie.values)}, [], graph.discrete)


def _to_be_turned(graph: Graph) -> Sequence[NoiseTie]:
    """The facts of which the contrary is to be written; none where some are no half-lines, or they are too many."""
    if not _are_free(graph) or any(len(tie.signs) > 2 or _end(tie) is None for tie in graph.ties):
        return ()
    results = [tie for tie in graph.ties if _side(tie) < 0]
    if len(results) > _MOST_TURNED:
        return ()
    level = [tie for tie in graph.ties if _side(tie) == 0]
    if level:
        rarer = [_contrary(tie) if tie in results else tie for tie in graph.ties if tie not in level]
        of_either = [tie._replace(values=_LEVEL) for tie in level]
        view = first_view(graph._replace(ties=[*rarer, *of_either]))
        parents = dict(_parents(view.noise, None, graph))
        results += [tie for tie in level if not _leads_away(tie, parents[id(tie)], view.by)]
    return results if len(results) <= _MOST_TURNED else ()


_LEVEL: Final = ((ZERO, ZERO),)
"""The values of a fact of either direction, in a name."""


def _end(tie: NoiseTie) -> Interval | None:
    """The ends of a half-line."""
    if len(tie.values) != 1:
        return None
    ((low, high),) = tie.values
    return tie.values[0] if (low is None) != (high is None) else None


def _side(tie: NoiseTie) -> int:
    """1 for a fact that is rarer than its contrary, if the noises are symmetric, -1 for one that is less rare."""
    ((low, high),) = tie.values
    if low is not None:
        return _side_of(low)
    assert high is not None
    return -_side_of(high)


def _side_of(end: Endpoint) -> int:
    """1 where what lies from an end on is rarer than what lies below it, if the noises are symmetric; -1, or 0."""
    return (1 if end >= 1 else -1) if is_whole(end) else decision.sign(exact(end))


def _contrary(tie: NoiseTie) -> NoiseTie:
    ((low, high),) = tie.values
    return tie._replace(values=((None, low),) if high is None else ((high, None),))


def _parents(noise: SumOfNoises, above: NoiseTie | None, graph: Graph) -> Iterator[tuple[int, SumOfNoises]]:
    """Of each fact the noise from which it leads away, as seen from one."""
    for tie in graph.ties:
        if tie is not above and noise in tie.signs:
            yield id(tie), noise
            (other,) = (child for child in tie.signs if child is not noise)
            yield from _parents(other, tie, graph)


def _leads_away(tie: NoiseTie, parent: SumOfNoises, by: Exact) -> bool:
    """True if a fact with end 0 says that the child is above the parent, where all noise is multiplied by a number."""
    is_above = tie.values[0][1] is None
    return (is_above != (tie.signs[parent] is ONE)) == (by > 0)


def _apart(graph: Graph) -> Iterator[Graph]:
    """The trees that a graph without some facts falls apart into."""
    left = dict(graph.noises)
    while left:
        members = {next(iter(left))}
        while True:
            reached = {noise for tie in graph.ties if not members.isdisjoint(tie.signs) for noise in tie.signs}
            if reached <= members:
                break
            members |= reached
        ties = [tie for tie in graph.ties if not members.isdisjoint(tie.signs)]
        yield Graph({noise: left.pop(noise) for noise in list(left) if noise in members}, ties, graph.discrete)
