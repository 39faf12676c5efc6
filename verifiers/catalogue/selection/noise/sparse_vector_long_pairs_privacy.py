"""Sparse vector on one pair of long sequences each, where it needs nearly the ε that is claimed.

All sequences of three queries tell little: the exact ε is 0.3 to 0.6 of the claimed one there, and noise at 9/10 of its
scale, a count left out of it, or a threshold that is drawn anew where it must be kept, are PROVED as well. On these
pairs they are REFUTED. One pair begins with a query far above the threshold: what follows shows whether the threshold
is noisy after such an answer, too.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, laplace
from dpverify.verifiers.catalogue.families import the_other
from dpverify.verifiers.catalogue.finite import ONE_PAIR
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import (
    FIRST,
    FIRST_BELOW,
    FOURTH_CORRECTED,
    NUMERICAL,
    SECOND,
    Answers,
    ends_of_runs,
    just_below,
)
from dpverify.verifiers.privacy.family import Row, claims


def svt2_without_threshold_noise_after_a_far_above(
    draw: Draw, queries: Sequence[int], *, epsilon: Exact, count: int
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


_ON_A_PAIR: Final = Row().having(epsilon=Fraction(1), neighbours=the_other, finite_because=ONE_PAIR)


def on_a_pair(name: str, statement: str, pair: list[Answers], private: str = "ε", **rest: Any) -> Row:
    """The claim that a variant is so private on a pair."""
    where = f"on one pair of {len(pair[0])} queries, all of which move"
    return Row(name, f"{statement}, is {private}-private: {where}").having(domain=pair, **rest).of(_ON_A_PAIR)


_TWICE: Final = {"count": 2}
_SECOND: Final = "sparse vector with Lap(2c/ε), drawn anew after each above, and Lap(4c/ε), c ="
_FOURTH: Final = "sparse vector with Lap(4/ε), Lap(4/(3ε)), c ="
_FOURTH_PRIVATE: Final = "(1 + 6c)/4·ε"
_RELEASES: Final = "that releases a query above with noise Lap(3c/ε)"
_NUMERICAL: Final = f"sparse vector with Lap(3/ε), Lap(6c/ε), c = {{}}, {_RELEASES}"
on_long_pairs = claims(
    on_a_pair(
        "printed-twice-fifteen-queries",
        "sparse vector with Lap(2/ε), Lap(4c/ε), which stops after c = 2 above",
        just_below(ends_of_runs(13, 2)),
        parameters=_TWICE,
        stronger=[just_below(ends_of_runs(5, 3, 3))],
    ).of(FIRST),
    on_a_pair("default-twelve-queries", f"{_SECOND} 1", just_below(ends_of_runs(12))).of(SECOND),
    on_a_pair("printed-fourteen-queries", f"{_SECOND} 2", just_below(ends_of_runs(7, 7)), parameters=_TWICE).of(SECOND),
    on_a_pair(
        "printed-far-above-twelve-queries",
        f"{_SECOND} 2",
        [(3, *(0,) * 11), (2, *(1,) * 11)],
        parameters=_TWICE,
        mutant=svt2_without_threshold_noise_after_a_far_above,
        weak_because="without any noise both answer every query by above; a quarter of the noise is refuted",
    ).of(SECOND),
    on_a_pair(
        "corrected-thirteen-queries",
        f"{_FOURTH} 1",
        just_below(ends_of_runs(10, 3)),
        _FOURTH_PRIVATE,
        epsilon=Fraction(7, 4),
        parameters={"epsilon": 1},
    ).of(FOURTH_CORRECTED),
    on_a_pair(
        "corrected-twice-twelve-queries",
        f"{_FOURTH} 2",
        just_below(ends_of_runs(8, 2, 2)),
        _FOURTH_PRIVATE,
        epsilon=Fraction(13, 4),
        parameters={"epsilon": 1, **_TWICE},
    ).of(FOURTH_CORRECTED),
    on_a_pair("printed-twelve-queries", _NUMERICAL.format(1), ends_of_runs(12)).of(NUMERICAL),
    on_a_pair("printed-twice-seven-queries", _NUMERICAL.format(2), ends_of_runs(5, 2), parameters=_TWICE).of(NUMERICAL),
    on_a_pair(
        "first-below-twelve-queries",
        "the position of the first query below, Lap(2/ε) and Lap(4/ε)",
        just_below(ends_of_runs(12)),
    ).of(FIRST_BELOW),
)
