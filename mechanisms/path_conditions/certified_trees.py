"""The joint probability of comparisons of noise that has no density in closed form, as a number known by balls.

The facts tie the noises in a tree. Each noise, or sum of noises that occurs as one, is scaled by what its comparisons
multiply it by, so that every fact says that two of them differ by one of some values. Gaussian noises of one sum are
one, by their variances. What is left is named by its structure alone: by the root whose tree is the least deep, in the
smallest unit, as it is or with all noise mirrored, whichever name comes first. So equal laws, shifts, permutations and
mirror images of comparisons are one number, and cancel before a ball is computed.

The balls are computed in `certified_integrals.py`, or for discrete noise in `certified_sums.py`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from flint import arb

from dpverify.mechanisms.noise.law import NoiseLaw, probability
from dpverify.mechanisms.numbers.certified import Certified
from dpverify.mechanisms.numbers.elementary import certified, sqrt, square
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import (
    ONE,
    Exact,
    UnknownWhole,
    exact,
    negative,
    product,
    reciprocal_of_nonzero,
    total,
)
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, Intervals, multiplied
from dpverify.mechanisms.path_conditions.certified_integrals import mass_of_reals
from dpverify.mechanisms.path_conditions.certified_nodes import CertifiedNode, Noises, TiedBranch
from dpverify.mechanisms.path_conditions.certified_sums import mass_of_whole
from dpverify.mechanisms.path_conditions.implied_conditions import PathConditions, described
from dpverify.mechanisms.path_conditions.sums_of_noise import SumOfNoises
from dpverify.mechanisms.path_conditions.tied_conditions import TiedConditions, without_supports

_MIRRORED: Final = negative(ONE)

_IN_FULL: Final = re.compile(r"\[1\]\*|\bdpverify(\.\w+)*\.(?=\w+\()")
"""The factor 1, and the module of a law."""


def probability_of_multiples(noises: Sequence[tuple[NoiseLaw, int]], least: int) -> Exact:
    """Pr[Σ multiple·N ≥ least] for independent discrete noises N, each with its multiple, of symmetric laws."""
    left = sorted(((law, abs(by)) for law, by in noises if by), key=lambda noise: (noise[1], str(noise[0])))
    if len(left) == 1 and left[0][1] == 1:
        return probability(left[0][0], ((least, None),))
    if least <= 0:  # so that both tails are one number
        return total((ONE, negative(probability_of_multiples(left, 1 - least))))
    added = Noises(None, tuple((law, exact(by)) for law, by in left))
    return certified(TiedNoise(CertifiedNode(added, ((least, None),), ()), discrete=True))


@dataclass(frozen=True, eq=False)
class TiedNoise(Certified):
    """The probability that all facts of a tree are true."""

    root: CertifiedNode
    discrete: bool

    @cached_property
    def name(self) -> str:
        return f"{'whole' if self.discrete else 'real'}[{self.root.name}]"

    @property
    def readable(self) -> str:
        """See `Certified`: laws by their own names, without the modules that tell two of one name apart."""
        return f"Pr[{_IN_FULL.sub('', self.root.name)}]"

    @cached_property
    def is_unknown(self) -> bool:
        """See `Certified`: of discrete noise an end may be unknown, and is cut where what is listed ends."""
        nodes = list(_nodes(self.root))
        known = [*(node.values for node in nodes), *(branch.values for node in nodes for branch in node.branches)]
        return any(isinstance(end, UnknownWhole) for values in known for interval in values for end in interval)

    def compute(self, bits: int) -> arb:
        return mass_of_whole(self.root, bits) if self.discrete else mass_of_reals(self.root, bits)


class NoiseTie(NamedTuple):
    """Σ sign·noise ∈ values."""

    signs: Mapping[SumOfNoises, Exact]
    values: Intervals


class Graph(NamedTuple):
    """The noises, scaled, with the values that they are known to take, and what ties them."""

    noises: Mapping[SumOfNoises, tuple[Noises, Intervals]]
    ties: Sequence[NoiseTie]
    discrete: bool


def graph_of(facts: PathConditions) -> Graph:
    """The facts with each noise scaled so that each ties noises by factors of 1 and −1 alone."""
    tied = TiedConditions(without_supports(facts, None))
    alone = {form[0][0]: values for form, values in tied.merged.items() if len(form) == 1}
    tying = {form: values for form, values in tied.merged.items() if len(form) > 1}
    assert all(form[0][1] == 1 for form in tied.merged if len(form) == 1), "a sum that is asked for alone is the unit"
    discrete = next(iter(facts))[0][0].law.discrete
    first = next(iter(tied.about))
    factor: dict[SumOfNoises, Exact] = {first: ONE}
    ties: list[NoiseTie] = []
    waiting = dict(tying)
    while waiting:
        form = next(form for form in waiting if any(noise in factor for noise, _ in form))
        values = waiting.pop(form)
        # of the noises of a fact one is scaled already, as they are tied in a tree
        known, c = next((noise, c) for noise, c in form if noise in factor)
        unit = product((factor[known], reciprocal_of_nonzero(c)))
        signs: dict[SumOfNoises, Exact] = {known: ONE}
        for noise, other in form:
            if noise is not known:
                factor[noise] = negative(product((other, unit)))
                signs[noise] = _MIRRORED
        ties.append(NoiseTie(signs, multiplied(values, unit)))
    noises = {
        noise: (_noises(noise).times(by), multiplied(alone.get(noise, EVERYTHING), by)) for noise, by in factor.items()
    }
    return Graph(noises, ties, discrete)


def _noises(noise: SumOfNoises) -> Noises:
    variances, others = [], []
    for law, c in noise.summands:
        sigma = law.normal_scale
        if sigma is None:
            others.append((law, c))
        else:
            variances.append(square(product((c, sigma))))
            single = product((abs(c), sigma))
    if not variances:
        return Noises(None, tuple(others))
    return Noises(single if len(variances) == 1 else sqrt(total(variances)), tuple(others))


def tree_named(graph: Graph) -> TiedNoise:
    """The tree of the graph whose name is the first, among those that are the least deep."""
    if not graph.discrete and any(len(tie.signs) > 2 for tie in graph.ties):
        raise InputError(
            bad_mechanism.NOT_INTEGRATED,
            "continuous noise, some of it Gaussian, is compared in sums of three noises that share noise",
        )
    return TiedNoise(first_view(graph).root, graph.discrete)


class GraphView(NamedTuple):
    """A graph as seen from one of its noises, with all noise multiplied by a number."""

    root: CertifiedNode
    noise: SumOfNoises
    by: Exact


def first_view(graph: Graph) -> GraphView:
    """The one whose name is the first, of those that are the least deep, mirrored ones among them."""
    roots = [_seen_from(noise, None, graph, ONE) for noise in graph.noises]
    least = min(root.depth for root in roots)
    candidates = []
    for noise, root in zip(graph.noises, roots, strict=True):
        if root.depth == least:
            unit = ONE if graph.discrete else _unit(root)
            for by in (unit, negative(unit)):
                candidates.append(GraphView(_seen_from(noise, None, graph, by), noise, by))
    return min(candidates, key=lambda view: view.root.name)


def _unit(root: CertifiedNode) -> Exact:
    sigma = next((node.noises.sigma for node in _nodes(root) if node.noises.sigma is not None), ONE)
    return reciprocal_of_nonzero(sigma)


def _nodes(root: CertifiedNode) -> Iterator[CertifiedNode]:
    yield root
    for branch in root.branches:
        for child in branch.children:
            yield from _nodes(child)


def _seen_from(noise: SumOfNoises, above: NoiseTie | None, graph: Graph, by: Exact) -> CertifiedNode:
    """The tree below a noise, with all noise multiplied by a number; a factor of −1 turns it as a whole."""
    noises, values = graph.noises[noise]
    branches = []
    for tie in graph.ties:
        if tie is above or noise not in tie.signs:
            continue
        # Σ sign·noise ∈ values with this one's sign made −1; what is turned then is turned with all that hangs from it
        turn = negative(tie.signs[noise])
        children = tuple(
            _seen_from(other, tie, graph, product((by, turn, sign)))
            for other, sign in tie.signs.items()
            if other is not noise
        )
        branches.append(TiedBranch(multiplied(tie.values, product((turn, by))), children))
    return CertifiedNode(noises.times(by), multiplied(values, by), tuple(branches))


def refuse_symbols(facts: PathConditions) -> None:
    """Raises `InputError` where a number in the facts is a function of ε, or of unknown scores."""
    ends = [end for values in facts.values() for interval in values for end in interval]
    numbers = [*ends, *(c for form in facts for _, c in form)]
    if any(isinstance(number, Exact) and number.symbol is not None for number in numbers):
        raise InputError(
            bad_mechanism.GAUSSIAN_SYMBOLIC, f"is compared where ε, or scores, are unknown: {described(facts)}"
        )
