"""Gumbel noise of scale b: Pr[G ≤ x] = exp(-exp(-x/b)), whose argmax is the exponential mechanism.

The probability that it is below a number is e to the power of a power of e, about which exact numbers decide nothing.
But E = e^(-G/b) is exponential noise of scale 1, and G - G′ ≥ t for two of one scale says that E′ ≥ e^(t/b)·E: what is
asked of differences alone, as by an argmax, a ranking or a margin, has a probability in closed form
(`outputs/tied_gumbels.py`).
That the argmax of q + Gumbel(2/ε) is the exponential mechanism is folklore; see Durfee & Rogers, "Practical
differentially private top-k selection with pay-what-you-get composition" (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from flint import arb

from dpverify.mechanisms.noise.derived import mirrored
from dpverify.mechanisms.noise.law import NoiseLaw, NoiseOfScale
from dpverify.mechanisms.noise.point_mass import PointMass, of_scale
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, ExactLike
from dpverify.mechanisms.numbers.roots.exponential_polynomials import Piecewise
from dpverify.mechanisms.numbers.roots.intervals import Endpoint


@dataclass(frozen=True)
class Gumbel(NoiseOfScale):
    """Pr[G ≤ x] = exp(-exp(-x/scale)), on the reals."""

    made_by: ClassVar[str] = "gumbel"
    discrete: ClassVar[bool] = False
    is_compared_with_few: ClassVar[bool] = True

    @property
    def density(self) -> Piecewise:
        """Raises `InputError`: it is no polynomial times exponential."""
        raise beyond_exact_numbers(self, "asked for its density")

    def mass(self, low: Endpoint | None, high: Endpoint | None) -> Exact:
        """Pr[low ≤ G < high] = 1 for no ends. Raises `InputError` for others."""
        if low is None and high is None:
            return ONE
        raise beyond_exact_numbers(self, "compared with a number")

    @property
    def exponential_scale(self) -> Exact:
        return self.scale

    def mirror_image(self) -> NoiseLaw:
        """The law of −N."""
        return mirrored(self)

    def refuse_comparison(self, parts: Sequence[tuple[Exact, NoiseLaw]], described: Callable[[], str]) -> None:
        """Raises `InputError` where Gumbel noise is in Σ coefficient·noise, but for c·G - c′·G′ with c·b = c′·b′."""
        scales = [coefficient * b for coefficient, law in parts if (b := law.exponential_scale) is not None]
        if len(parts) == 1:
            raise beyond_exact_numbers(self, "compared with a number")
        if len(scales) < len(parts):
            raise beyond_exact_numbers(self, f"compared with noise of another kind, {described()}")
        if len(parts) > 2:
            raise beyond_exact_numbers(self, f"compared in a sum of more than two noises, {described()}")
        if scales[0] + scales[1] != 0:
            raise beyond_exact_numbers(
                self, f"compared with Gumbel noise of another scale, or added to it, {described()}"
            )

    def refuse_use(self, what: str) -> None:
        """Raises `InputError`: neither is decided."""
        raise beyond_exact_numbers(self, what)

    def quantile(self, level: arb, precision: int) -> arb | None:
        """A ball around the x with Pr[G < x] = level; None where the ball `level` reaches 0 or 1."""
        return -enclosure(self.scale, precision) * (-level.log()).log() if level > 0 and level < 1 else None

    def __str__(self) -> str:
        return f"Gumbel({self.scale})"


def gumbel(scale: ExactLike) -> Gumbel | PointMass:
    """Gumbel noise for `draw`, of which the differences are compared: argmax, rankings, and margins.

    The argmax of q_i + Gumbel(2/ε) has the law of the exponential mechanism. Compared with a number, with other noise
    or with Gumbel noise of another scale it is refused. Raises `InputError` for scale < 0;
    0 gives a point mass.

    >>> def best(draw, scores):
    ...     noisy = [score + draw(gumbel(2)) for score in scores]
    ...     return noisy.index(max(noisy))
    >>> distribution(best, (0, 1, 1)).probability(1)
    exp(Fraction(1, 2))*(1 + 2*exp(Fraction(1, 2)))**(-1)
    """
    return of_scale("gumbel", Gumbel.of, scale)


def beyond_exact_numbers(law: Gumbel, what: str) -> InputError:
    """The error for a use of Gumbel noise of which no probability is decided."""
    return InputError(
        bad_mechanism.NOISE_USE,
        law,
        f"{what}, where only differences of two Gumbel noises of one scale have exact probabilities",
        "compare noisy scores with each other",
    )
