"""Sparse vector on one pair of long sequences each, where it needs nearly the ε that is claimed.

All sequences of three queries tell little: the exact ε is 0.3 to 0.6 of the claimed one there, and noise at 9/10 of its
scale, a count left out of it, or a threshold that is drawn anew where it must be kept, are PROVED as well. On these
pairs they are REFUTED. One pair begins with a query far above the threshold: what follows shows whether the threshold
is noisy after such an answer, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.selection.sparse_vector import first_below, numerical_svt, svt1, svt2, svt4
from dpverify.verifiers.catalogue.families import the_other
from dpverify.verifiers.catalogue.finite import ONE_PAIR
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import svt_without_query_noise
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_worst_pairs import Answers, ends_of_runs, just_below
from dpverify.verifiers.privacy.claim import Claim


def svt2_without_threshold_noise_after_a_far_above(
    draw: Draw, queries: Sequence[int], *, epsilon: Fraction | Exact, count: int
) -> tuple[bool, ...]:
    """Mutant: after a query above 1 was answered "above", the threshold has no noise."""
    answers: list[bool] = []
    rho = draw(laplace(2 * count / epsilon))
    for query in queries:
        above = bool(query + draw(laplace(4 * count / epsilon)) >= rho)
        answers.append(above)
        if above:
            rho = draw(laplace(2 * count / epsilon)) if query <= 1 else 0
        if sum(answers) == count:
            break
    return tuple(answers)


class _OnAPair(NamedTuple):
    """A variant on a pair: its id and source, what is said of it, the pair, and what it is given."""

    id: str
    source: str
    said: str
    mechanism: Mechanism
    pair: list[Answers]
    parameters: dict[str, Any] = {}  # noqa: RUF012  # nobody writes to it
    epsilon: Fraction = Fraction(1)
    written: str = "ε"
    stronger: Sequence[list[Answers]] = ()
    mutant: Mechanism = svt_without_query_noise
    weak_because: str = ""


_LYU: Final = "Lyu, Su & Li 2017, Algorithm"
_TWICE: Final = {"count": 2}

on_long_pairs = tuple(
    Claim(
        id=each.id,
        weak_because=each.weak_because,
        source=each.source,
        statement=f"{each.said}, is {each.written}-private: on one pair of {len(each.pair[0])} queries, all of which "
        "move",
        mechanism=each.mechanism,
        domain=each.pair,
        neighbours=the_other,
        epsilon=each.epsilon,
        parameters=each.parameters,
        stronger=each.stronger,
        finite_because=ONE_PAIR,
        mutant=each.mutant,
    )
    for each in (
        _OnAPair(
            "LSL-Alg1.privacy.printed-twice-fifteen-queries",
            f"{_LYU} 1",
            "sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 2 above",
            svt1,
            just_below(ends_of_runs(13, 2)),
            _TWICE,
            stronger=[just_below(ends_of_runs(5, 3, 3))],
        ),
        _OnAPair(
            "LSL-Alg2.privacy.default-twelve-queries",
            f"{_LYU} 2",
            "sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 1",
            svt2,
            just_below(ends_of_runs(12)),
        ),
        _OnAPair(
            "LSL-Alg2.privacy.printed-fourteen-queries",
            f"{_LYU} 2",
            "sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 2",
            svt2,
            just_below(ends_of_runs(7, 7)),
            _TWICE,
        ),
        _OnAPair(
            "LSL-Alg2.privacy.printed-far-above-twelve-queries",
            f"{_LYU} 2",
            "sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c = 2",
            svt2,
            [(3, *(0,) * 11), (2, *(1,) * 11)],
            _TWICE,
            mutant=svt2_without_threshold_noise_after_a_far_above,
            weak_because="without any noise both answer every query by above; a quarter of the noise is refuted",
        ),
        _OnAPair(
            "LSL-Alg4.privacy.corrected-thirteen-queries",
            f"{_LYU} 4",
            "sparse vector with Lap(4/ε), Lap(4/(3ε)), c = 1",
            svt4,
            just_below(ends_of_runs(10, 3)),
            {"epsilon": 1},
            Fraction(7, 4),
            "(1 + 6c)/4·ε",
        ),
        _OnAPair(
            "LSL-Alg4.privacy.corrected-twice-twelve-queries",
            f"{_LYU} 4",
            "sparse vector with Lap(4/ε), Lap(4/(3ε)), c = 2",
            svt4,
            just_below(ends_of_runs(8, 2, 2)),
            {"epsilon": 1, **_TWICE},
            Fraction(13, 4),
            "(1 + 6c)/4·ε",
        ),
        _OnAPair(
            "LSL-Num.privacy.printed-twelve-queries",
            "Ding et al. 2018, NumericalSVT",
            "sparse vector with Lap(3/ε), Lap(6c/ε), c = 1, that releases a query above with noise Lap(3c/ε)",
            numerical_svt,
            ends_of_runs(12),
        ),
        _OnAPair(
            "LSL-Num.privacy.printed-twice-seven-queries",
            "Ding et al. 2018, NumericalSVT",
            "sparse vector with Lap(3/ε), Lap(6c/ε), c = 2, that releases a query above with noise Lap(3c/ε)",
            numerical_svt,
            ends_of_runs(5, 2),
            _TWICE,
        ),
        _OnAPair(
            "LICS20-SVT.privacy.first-below-twelve-queries",
            "Barthe et al., LICS 2020, sparse vector",
            "the position of the first query below, Lap(2/ε) and Lap(4/ε)",
            first_below,
            just_below(ends_of_runs(12)),
        ),
    )
)
