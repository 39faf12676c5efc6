"""Released real numbers that share Gaussian noise, as numbers that do not: a matrix mechanism, or a smoothed tree.

Of several sums of Gaussian noises each, less its projection on those before it, is uncorrelated with them, and so
independent of them. What is released decides these numbers, and is decided by them, as the matrix between has ones on
its diagonal and zeros above. So they are coordinates as good as the numbers themselves (Gram & Schmidt, with the
covariance of the noises for an inner product), and their distances in standard deviations squared add up to Δᵀ·Σ⁻¹·Δ.

Needed by docs/gaussian.md: the smoothed tree.
"""

from collections.abc import Mapping, Sequence

from dpverify.mechanisms.numbers.elementary import square
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, as_parameter, exact, negative, product, total
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.mechanisms.outputs.released_reals import Coordinate
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable


def uncorrelated(coordinates: Sequence[Coordinate]) -> list[Coordinate]:
    """Coordinates of Gaussian noises, linearly independent ones, as independent ones that decide each other."""
    results: list[Coordinate] = []
    for coordinate in coordinates:
        noises, row, centre = _factors(coordinate), [exact(c) for c in coordinate.row], coordinate.centre
        for before in results:
            others = _factors(before)
            share = simplified(_covariance(noises, others) / _covariance(others, others))
            if share == 0:
                continue
            less = negative(share)
            noises = _plus(noises, less, others)
            row = [simplified(total((a, product((less, exact(b)))))) for a, b in zip(row, before.row, strict=True)]
            centre = total((centre, product((less, before.centre))))
        first = min(noises, key=lambda noise: noise.number)
        slope = noises[first]
        results.append(
            Coordinate(
                tuple(map(as_parameter, row)),
                {noise: simplified(c / slope) for noise, c in noises.items()},
                slope,
                centre,
            )
        )
    return results


def _factors(coordinate: Coordinate) -> dict[NoiseVariable, Exact]:
    return {noise: product((coordinate.slope, c)) for noise, c in coordinate.noises.items()}


def _plus(
    noises: Mapping[NoiseVariable, Exact], factor: Exact, others: Mapping[NoiseVariable, Exact]
) -> dict[NoiseVariable, Exact]:
    sums = {
        noise: simplified(total((noises.get(noise, ZERO), product((factor, others.get(noise, ZERO))))))
        for noise in {**noises, **others}
    }
    return {noise: c for noise, c in sums.items() if c != 0}


def _covariance(left: Mapping[NoiseVariable, Exact], right: Mapping[NoiseVariable, Exact]) -> Exact:
    shared = [noise for noise in left if noise in right]
    return total(product((left[noise], right[noise], _variance(noise))) for noise in shared)


def _variance(noise: NoiseVariable) -> Exact:
    scale = noise.law.normal_scale
    assert scale is not None, "it is Gaussian noise"
    return square(scale)
