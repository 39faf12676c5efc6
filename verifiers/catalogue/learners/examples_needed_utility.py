"""The number of examples any learner needs: Theorem 2.12, after Ehrenfeucht, Haussler, Kearns & Valiant.

Their hard instance: a shattered set of VC points, of which one has probability 1 − 8α and the others share 8α, and a
target that labels those at random. What is not seen is labelled right with probability 1/2 by any learner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw
from dpverify.verifiers.catalogue.refuted import degenerate
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.family import Family

_HUNDREDTH: Final = Fraction(1, 100)


@lru_cache(maxsize=64)
def unseen(light: int, share: Fraction, examples: int) -> tuple[Fraction, ...]:
    """Of how many light points, which together have this share, there is no example: with which probability."""
    left = [Fraction(0)] * light + [Fraction(1)]
    for _ in range(examples):
        seen = [Fraction(0)] * (light + 1)
        for u, chance in enumerate(left):
            if chance:
                new = share * u / light
                seen[u] += chance * (1 - new)
                if u:
                    seen[u - 1] += chance * new
        left = seen
    return tuple(left)


def best_learner_is_wrong(draw: Draw, examples: int, *, vc: int, alpha: Fraction) -> Distribution[bool]:
    """Whether a learner that labels what it saw as it saw it has an error above α: no learner has one less often.

    Of u light points that were not seen it labels Binomial(u, 1/2) wrong, each of which weighs 8α/(VC − 1).
    """
    light = vc - 1
    wrong = sum(
        (
            chance * Fraction(comb(u, errors), 2**u)
            for u, chance in enumerate(unseen(light, 8 * alpha, examples))
            for errors in range(u + 1)
            if 8 * errors > light
        ),
        Fraction(0),
    )
    return Distribution({True: wrong, False: 1 - wrong})


def with_many_more_examples(draw: Draw, examples: int, **given: Any) -> Distribution[bool]:
    """32 times as many examples, from which a learner may well be right."""
    return best_learner_is_wrong(draw, 32 * max(1, examples), **given)


def few_examples() -> Iterator[Case]:
    """(VC − 1)/(32α) examples, rounded down, for VC from 2 to 17, α = 1/20 and 1/8."""
    for vc in (2, 3, 9, 17):
        for alpha in (Fraction(1, 20), Fraction(1, 8)):
            yield Case(int((vc - 1) / (32 * alpha)), {"vc": vc, "alpha": alpha})


examples_needed = Family(
    best_learner_is_wrong, lambda case, wrong: wrong, lambda case: 1 - _HUNDREDTH, with_many_more_examples
)(
    "BNS-J-2.12.utility.examples-needed",
    "Beimel, Nissim & Stemmer, journal version, Theorem 2.12, an order; the constants of Ehrenfeucht, Haussler, "
    "Kearns & Valiant, for VC ≥ 2 and α ≤ 1/8",
    "from (VC − 1)/(32α) examples no learner has an error of at most α with probability ≥ 99/100: on the "
    "hard instance, on average over its targets, the best one fails with probability ≥ 1/100",
    tuple(few_examples()),
)


def label_of_the_first(draw: Draw, sample: Sequence[tuple[int, int]]) -> int:
    """The learner of the two constant concepts that returns the one with the first example's label."""
    return sample[0][1]


def always_one(draw: Draw, sample: Sequence[tuple[int, int]]) -> int:
    """A learner that looks at nothing: it is right as well, where the target is 1."""
    return 1


_OF_TWO: Final = tuple(Case(((0, target),), {}, {"target": target}) for target in (0, 1))

two_constants = Family(
    label_of_the_first, lambda case, h: h != case.facts["target"], lambda case: 1 - _HUNDREDTH, always_one
)(
    "BNS-J-2.12.utility.two-constants",
    "Beimel, Nissim & Stemmer, journal version, Theorem 2.12, for every class",
    "from VC/(10⁶·α) examples no learner has an error of at most α with probability ≥ 99/100; of the two "
    "constant concepts, VC = 1, one example, α = 10⁻⁶",
    _OF_TWO,
    examples=_OF_TWO[:1],
    refuted=degenerate(
        "One example tells which of the two it is, whatever α is. Ehrenfeucht, Haussler, Kearns & Valiant ask for "
        "two concepts that agree somewhere and differ elsewhere; with VC − 1 it is true of these, too. There is "
        "no ε in it."
    ),
)
