"""The privacy of parts that are run one after another, where the next one may rest on what came before.

Every (ε,δ)-private part is a post-processing of randomized response that leaks with probability δ (Kairouz, Oh &
Viswanath 2015). So the worst of all mechanisms that run parts of such guarantees is one that plays a tree of these and
goes on as it is worst for what was told: Theorem 12 of docs/theorems.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, total
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee

GuaranteePath: TypeAlias = Sequence[PrivacyGuarantee]
"""The guarantees of the parts that are met on a path, in order."""


@dataclass(frozen=True)
class GuaranteeTree:
    """All sequences of guarantees that a mechanism may meet: by which part it begins, and how it goes on."""

    next: tuple[tuple[PrivacyGuarantee, GuaranteeTree], ...]
    may_end: bool

    @cached_property
    def most_epsilon(self) -> Exact:
        """The largest sum of ε on a path."""
        return _largest([ZERO, *(guarantee.epsilon + tree.most_epsilon for guarantee, tree in self.next)])

    @cached_property
    def most_leaked(self) -> Exact:
        """The largest probability on a path that some part leaks, 1 − ∏ (1 − δ)."""
        each = (1 - (1 - guarantee.delta) * (1 - tree.most_leaked) for guarantee, tree in self.next)
        return _largest([ZERO, *each])

    def delta_at(self, epsilon: Exact) -> Exact:
        """The worst δ at an ε of all mechanisms that meet these guarantees."""
        return _worst(self, epsilon, {})


def guarantee_tree(paths: Iterable[GuaranteePath]) -> GuaranteeTree:
    """The tree of all the paths: at each step a mechanism may go on as any path that has begun alike."""
    return _tree([tuple(path) for path in paths], 0, {})


def _tree(paths: Sequence[GuaranteePath], depth: int, known: dict[GuaranteeTree, GuaranteeTree]) -> GuaranteeTree:
    further: dict[PrivacyGuarantee, list[GuaranteePath]] = {}
    for path in paths:
        if len(path) > depth:
            further.setdefault(path[depth], []).append(path)
    tree = GuaranteeTree(
        tuple((guarantee, _tree(those, depth + 1, known)) for guarantee, those in further.items()),
        any(len(path) == depth for path in paths),
    )
    return known.setdefault(tree, tree)  # equal ones are one: what is found of it is found once


def _worst(tree: GuaranteeTree, epsilon: Exact, known: dict[tuple[int, Exact], Exact]) -> Exact:
    """The most that Pr[F] − e^ε·Pr′[F] can be, over events, and over the ways to go on."""
    key = (id(tree), epsilon)
    if key not in known:
        ends = [max(ZERO, 1 - exp(epsilon))] if tree.may_end else []
        known[key] = _largest([*ends, *(_of_part(*each, epsilon, known) for each in tree.next)])
    return known[key]


def _of_part(
    guarantee: PrivacyGuarantee, tree: GuaranteeTree, epsilon: Exact, known: dict[tuple[int, Exact], Exact]
) -> Exact:
    """A part leaks and all is told, or tells the truth, or does not: each shifts what is left of ε."""
    truth = exp(guarantee.epsilon) / (1 + exp(guarantee.epsilon))
    after_truth = _worst(tree, epsilon - guarantee.epsilon, known)
    after_lie = _worst(tree, epsilon + guarantee.epsilon, known)
    kept = 1 - guarantee.delta
    return total([guarantee.delta, kept * truth * after_truth, kept * (1 - truth) * after_lie])


def _largest(numbers: Sequence[Exact]) -> Exact:
    result = numbers[0]
    for number in numbers[1:]:
        result = max(result, number)
    return result
