"""Refuted utility claims about sanitizers, each at its witness, by Fractions alone."""

from fractions import Fraction as F


def copies_by_number() -> bool:
    """12 rows of label 1 twelve times each, and 36 rows of label 0 thirty-six times: 1/4 reads 1/10."""
    printed = F(12 * 12, 12 * 12 + 36 * 36)
    return abs(F(12, 48) - printed) > F(6, 48)


def noise_on_three_rows() -> bool:
    """12·log* d ≤ βεδ asks for no rows; with three Lap(1/ε) is beyond αm/(16c) with e^(−ε·that) ≥ 1 − ε·that."""
    alpha, beta, epsilon, delta, c = F(1, 100), F(1, 38_500), 467_000, F(99, 100), 7_700
    assert beta * epsilon * delta >= 12
    return 1 - epsilon * alpha * 3 / (16 * c) > 3 * c * beta


def an_estimate_on_three_rows() -> bool:
    """The same with (αm/4)·(α/77): e^(−x) ≥ 1 − x + x²/2 − x³/6."""
    alpha, beta, epsilon, c = F(1, 100), F(1, 38_500), 467_000, 7_700
    x = epsilon * alpha * 3 / 4 * alpha / 77
    return 1 - x + x**2 / 2 - x**3 / 6 > 3 * c * beta


def shatters_its_only_point(concepts: list[tuple[int, ...]]) -> bool:
    """Whether both labels of the first point occur."""
    return {c[0] for c in concepts} == {0, 1}


def one_point_of_one() -> bool:
    """POINT_0 = {c_0}, which is 1 on its only point; of two points it is shattered."""
    return not shatters_its_only_point([(1,)]) and shatters_its_only_point([(1, 0), (0, 1)])


def one_threshold_of_one() -> bool:
    """c_x(y) = 1 iff y ≤ x on X = {x} is 1; with x = 0 and 1, 1 is labelled 0 and 1, and 0 is labelled 1."""
    return not shatters_its_only_point([(1,)]) and shatters_its_only_point([c[::-1] for c in ((1, 0), (1, 1))])


BY_HAND = {
    "BNS-J-3.1.utility.vc-as-printed": one_point_of_one,
    "BuNS-2.12.utility.vc-thresholds": one_threshold_of_one,
    "BNS-J-5.4.utility.copies": copies_by_number,
    "BNS-J-4.10.utility.b1": noise_on_three_rows,
    "BNS-J-4.11.utility.e3": an_estimate_on_three_rows,
}
