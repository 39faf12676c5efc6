"""The sparse vector technique in its published variants, right and wrong, as Lyu, Su & Li (2017) number them.

Each answers queries of sensitivity 1, one after another, by whether they are above a noisy threshold. Scales are
written out for a privacy budget ε that the variant claims; `count` is the number of answers "above" after which it
stops. The noise is `laplace`, as published, or `discrete_laplace` in its place.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import Noise
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import positive, whole

_Answers: TypeAlias = tuple[bool, ...]
"""For each query that was answered, whether it was found above the threshold."""


def svt1(
    draw: Draw,
    queries: Sequence[int],
    *,
    epsilon: ExactLike,
    count: int = 1,
    threshold: ExactLike = 0,
    noise: Noise = laplace,
) -> _Answers:
    """Lyu, Su & Li, Algorithm 1: ρ ~ Lap(2/ε), νᵢ ~ Lap(4·count/ε), stop after `count`; (ε,0)-private."""
    eps, c, t = _parameters(epsilon, count, threshold)
    rho = draw(noise(2 / eps))
    answers: list[bool] = []
    for query in queries:
        answers.append(bool(query + draw(noise(4 * c / eps)) >= t + rho))
        if sum(answers) == count:
            break
    return tuple(answers)


def svt2(
    draw: Draw,
    queries: Sequence[int],
    *,
    epsilon: ExactLike,
    count: int = 1,
    threshold: ExactLike = 0,
    noise: Noise = laplace,
) -> _Answers:
    """Lyu, Su & Li, Algorithm 2: ρ ~ Lap(2·count/ε), drawn anew after each "above"; νᵢ ~ Lap(4·count/ε); (ε,0)-private.

    Source: Dwork & Roth, Algorithm 2.
    """
    eps, c, t = _parameters(epsilon, count, threshold)
    answers: list[bool] = []
    rho = draw(noise(2 * c / eps))
    for query in queries:
        above = bool(query + draw(noise(4 * c / eps)) >= t + rho)
        answers.append(above)
        if above:
            rho = draw(noise(2 * c / eps))
        if sum(answers) == count:
            break
    return tuple(answers)


def svt3(
    draw: Draw,
    queries: Sequence[int],
    *,
    epsilon: ExactLike,
    count: int = 1,
    threshold: ExactLike = 0,
    noise: Noise = laplace,
) -> tuple[Any, ...]:
    """Lyu, Su & Li, Algorithm 3: ρ ~ Lap(2/ε), νᵢ ~ Lap(2·count/ε), and releases the noisy query that was compared.

    Source: Roth's lecture notes, who claims ε. The number released tells of ρ, and so what the answers beside it were
    worth: ever more with every query, by ε/(2·count).
    """
    eps, c, t = _parameters(epsilon, count, threshold)
    rho = draw(noise(2 / eps))
    answers: list[Any] = []
    found = 0
    for query in queries:
        noisy = query + draw(noise(2 * c / eps))
        if noisy >= t + rho:
            answers.append(noisy)
            found += 1
        else:
            answers.append(None)
        if found == count:
            break
    return tuple(answers)


def svt4(
    draw: Draw,
    queries: Sequence[int],
    *,
    epsilon: ExactLike,
    count: int = 1,
    threshold: ExactLike = 0,
    noise: Noise = laplace,
) -> _Answers:
    """Lyu, Su & Li, Algorithm 4: ρ ~ Lap(4/ε), νᵢ ~ Lap(4/(3ε)), whatever `count` is; ((1+6·count)/4·ε,0)-private.

    Source: Lee & Clifton 2014, who claim ε.
    """
    eps, _, t = _parameters(epsilon, count, threshold)
    rho = draw(noise(4 / eps))
    answers: list[bool] = []
    for query in queries:
        answers.append(bool(query + draw(noise(4 / (3 * eps))) >= t + rho))
        if sum(answers) == count:
            break
    return tuple(answers)


def svt5(
    draw: Draw, queries: Sequence[int], *, epsilon: ExactLike, threshold: ExactLike = 0, noise: Noise = laplace
) -> _Answers:
    """Lyu, Su & Li, Algorithm 5: ρ ~ Lap(2/ε), queries without noise, never stops; not private at all.

    Source: Stoddard et al. 2014, who claim ε.
    """
    eps, _, t = _parameters(epsilon, 1, threshold)
    rho = draw(noise(2 / eps))
    return tuple(bool(query >= t + rho) for query in queries)


def svt6(
    draw: Draw, queries: Sequence[int], *, epsilon: ExactLike, threshold: ExactLike = 0, noise: Noise = laplace
) -> _Answers:
    """Lyu, Su & Li, Algorithm 6: ρ ~ Lap(2/ε), νᵢ ~ Lap(2/ε), never stops; worse with every query.

    Source: Chen et al. 2015, who claim ε.
    """
    eps, _, t = _parameters(epsilon, 1, threshold)
    rho = draw(noise(2 / eps))
    return tuple(bool(query + draw(noise(2 / eps)) >= t + rho) for query in queries)


def first_below(
    draw: Draw, queries: Sequence[int], *, epsilon: ExactLike, threshold: ExactLike = 0, noise: Noise = laplace
) -> int | None:
    """The position of the first query below the threshold: ρ ~ Lap(2/ε), νᵢ ~ Lap(4/ε); None where there is none.

    Source: Barthe et al., "Deciding differential privacy for programs with finite inputs and outputs" (LICS 2020), the
    sparse vector of its table.
    """
    eps, _, t = _parameters(epsilon, 1, threshold)
    rho = draw(noise(2 / eps))
    for i, query in enumerate(queries):
        if query + draw(noise(4 / eps)) < t + rho:
            return i
    return None


def numerical_svt(
    draw: Draw,
    queries: Sequence[int],
    *,
    epsilon: ExactLike,
    count: int = 1,
    threshold: ExactLike = 0,
    noise: Noise = laplace,
    released: Noise = laplace,
) -> tuple[Any, ...]:
    """ρ ~ Lap(3/ε), νᵢ ~ Lap(6·count/ε), and fresh noise Lap(3·count/ε) on each query released; (ε,0)-private.

    Source: Ding et al. 2018 after Dwork & Roth, "numeric sparse". `released` is the law of what is published. With
    `discrete_laplace` it is not the printed one.
    """
    eps, c, t = _parameters(epsilon, count, threshold)
    rho = draw(noise(3 / eps))
    answers: list[Any] = []
    found = 0
    for query in queries:
        if query + draw(noise(6 * c / eps)) >= t + rho:
            answers.append(query + draw(released(3 * c / eps)))
            found += 1
        else:
            answers.append(None)
        if found == count:
            break
    return tuple(answers)


def _parameters(epsilon: ExactLike, count: int, threshold: ExactLike) -> tuple[Exact, int, Exact]:
    whole(count, "count", 1)
    return positive(epsilon, "epsilon"), count, exact(threshold, "threshold")
