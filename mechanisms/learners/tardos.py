"""The fingerprinting code of Tardos: of the least length but for a constant, and compatible with no small class.

Each column has a bias p of its own, the secret of the code, and bits that are 1 with probability p. Scores are in
float64: what is sampled with them is no proof. `suspicion_of_innocent_of_bias` is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import asin, ceil, pi, sqrt
from typing import TYPE_CHECKING

from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.counting.sample_sizes import sized
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, whole
from dpverify.mechanisms.outputs.distributions import Distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpverify.mechanisms.learners.pirates import Bits

    _Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tardos:
    """The code for n `users`, secure against all of them: 100·n²·`factor` columns, and 20·n·`factor` as threshold.

    Biases are sin² of a uniform angle, and from 1/(300n) to 1 − 1/(300n). Source: Tardos (2008), Section 2, with c = n
    and `factor` = ⌈ln(n/ξ)⌉; Bun, Nissim & Stemmer, Proposition 4.9. `columns` is another length, and `threshold` a
    factor of the threshold. Raises `InputError` for a parameter out of range.
    """

    users: int
    factor: int
    columns: int | None = None
    threshold: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        whole(self.users, "users", 1)
        whole(self.factor, "factor", 1)
        positive(self.threshold, "threshold")
        if self.columns is not None:
            whole(self.columns, "columns", 1)

    @property
    def length(self) -> int:
        """The number of columns."""
        return 100 * self.users**2 * self.factor if self.columns is None else self.columns

    @property
    def cut_off(self) -> Fraction:
        """t: biases are from t to 1 − t."""
        return Fraction(1, 300 * self.users)

    @property
    def limit(self) -> Fraction:
        """Z: users with a score beyond it are accused."""
        return 20 * self.users * self.factor * self.threshold

    def codebook(self, source: np.random.Generator) -> tuple[_Floats, Bits]:
        """Gen: the secret bias of each column, and the matrix with a row for each user."""
        import numpy as np

        least = asin(sqrt(self.cut_off))
        biases = np.sin(source.uniform(least, pi / 2 - least, self.length)) ** 2
        bits = source.random((self.users, self.length), dtype=np.float32) < biases.astype(np.float32)[None, :]
        return biases, bits.astype(np.uint8)

    def scores(self, biases: _Floats, matrix: Bits, word: Bits) -> _Floats:
        """Of each row the sum over the columns where the word has 1: sqrt((1 − p)/p) for a 1, −sqrt(p/(1 − p)) for a 0.

        A score of somebody who had no part in the word has mean 0, and variance the number of 1s in the word.
        """
        import numpy as np

        chosen = np.asarray(word, dtype=bool)
        p = biases[chosen]
        for_one, for_zero = np.sqrt((1 - p) / p), -np.sqrt(p / (1 - p))
        # Σ x·a + (1 − x)·b = Σ b + x·(a − b)
        return np.asarray(for_zero.sum() + matrix[:, chosen].astype(np.float64) @ (for_one - for_zero))

    def accused(self, biases: _Floats, matrix: Bits, word: Bits) -> tuple[int, ...]:
        """All users whose score is beyond the threshold, in rising order, from 1 on."""
        import numpy as np

        # floats, as the biases are: the attack is run here, and no verdict rests on it (below the chance is exact)
        return tuple(int(i) + 1 for i in np.flatnonzero(self.scores(biases, matrix, word) > float(self.limit)))


@sized(Tardos, name="factor")
def factor_as_printed(users: int, security: ExactLike) -> int:
    """⌈ln(n/ξ)⌉: the length, the threshold and −ln of the promises of Tardos's code are multiples of it.

    Tardos accuses any one innocent user with probability less than his ε, which is ξ/n here, so that no innocent one
    is accused but for ξ. Raises `InputError` unless n ≥ 1 and 0 < ξ < 1.
    """
    return ceil(log(whole(users, "users", 1) / open_unit(security, "security")))


def suspicion_of_innocent_of_bias(code: Tardos, odds: ExactLike, ones: int) -> Distribution[bool]:
    """True where an innocent user is accused where a word has 1 in so many columns, all of them of bias 1/(1 + q²).

    `odds` is q, a rational number from 1/q = sqrt(300n − 1) to that: a 1 of the user's scores q there and a 0 −1/q.
    The probability is exact. Raises `InputError` for q outside of this, and more 1s than there are columns.
    """
    q = rational_parameter(positive(odds, "odds"), "odds")
    bias = 1 / (1 + q * q)
    if not code.cut_off <= bias <= 1 - code.cut_off:
        raise InputError(bad_input.RANGE, f"odds={q}, a bias of {bias},", f"from {code.cut_off} to {1 - code.cut_off}")
    if not 0 <= ones <= code.length:
        raise InputError(bad_input.RANGE, f"ones={ones}", f"from 0 to {code.length}, the number of columns")
    # q·i − (ones − i)/q > Z just where i·(q² + 1) > Z·q + ones
    least = (code.limit * q + ones) * bias
    first = least.numerator // least.denominator + 1
    yes, no = bias.numerator, bias.denominator - bias.numerator
    guilty = sum(binomial_weights(ones, yes, no, first))
    return Distribution({True: guilty, False: (yes + no) ** ones - guilty})
