"""Category 1 of DPrivBench (Wang et al. 2026, arXiv 2604.15851): 49 functions, six mechanisms, 588 labelled questions.

Each question asks whether a function of rows from [0, 1] with noise, or a choice among columns by it, is private under
replacement of one row. Of every function there are two: with the noise that its sensitivity asks for (labelled private)
and with half of it, of Gaussian noise half its variance (labelled not private). The programs are written here from the
questions' text. The rows are taken from a few values of [0, 1] between which the function moves by its sensitivity:
REFUTED there is REFUTED for all of [0, 1], PROVED there is no more than "no counterexample on these databases".
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any, Final, NamedTuple

from dpverify.mechanisms import Exact, exp, exponential_noise, gaussian, gumbel, laplace, log, sqrt
from dpverify.verifiers import Status, Tuples, Verdict, check_privacy, replace_one

F = Fraction
HALF: Final = F(1, 2)

Number = Exact | Fraction | int
Column = Sequence[Any]


class Function(NamedTuple):
    """A function of the bank, in units of `unit` where its values are no exact numbers, on rows from `values`."""

    id: int
    formula: str
    of: Callable[[Column], Any]
    sensitivity: Callable[[int], Any]
    """The published one for n rows, in the same unit."""
    values: tuple[Number, ...] = (0, 1)
    unit: str = "1"


FUNCTIONS: Final[list[Function]] = []


def function(
    id: int, formula: str, sensitivity: Any, values: tuple[Number, ...] = (0, 1), unit: str = "1"
) -> Callable[[Callable[[Column], Any]], Callable[[Column], Any]]:
    """The decorator that puts a function into the bank."""

    def listed(of: Callable[[Column], Any]) -> Callable[[Column], Any]:
        size = sensitivity if callable(sensitivity) else lambda n: sensitivity
        FUNCTIONS.append(Function(id, formula, of, size, values, unit))
        return of

    return listed


def mean(x: Column) -> Any:
    """The mean of the rows."""
    return F(1, len(x)) * sum(x)


function(1, "Σ xᵢ", 1)(sum)


@function(2, "Π xᵢ", 1)
def product_of_rows(x: Column) -> Any:
    result = 1
    for row in x:
        result = result * row
    return result


function(3, "max xᵢ", 1)(max)
function(4, "min xᵢ", 1)(min)
function(5, "mean of xᵢ", lambda n: F(1, n))(mean)
function(6, "√(Σ xᵢ²)", 1)(lambda x: sqrt(sum(row * row for row in x)))
function(7, "Σ |xᵢ − xᵢ₊₁|", 2)(lambda x: sum(abs(a - b) for a, b in pairwise(x)))
function(8, "Σ |xᵢ − x̄|", lambda n: F(2 * (n - 1), n))(lambda x: sum(abs(row - mean(x)) for row in x))
function(9, "Σ (xᵢ − x̄)²", lambda n: F(n - 1, n))(lambda x: sum((row - mean(x)) ** 2 for row in x))
function(10, "Σ (xᵢ − μ)², μ = 0", 1)(lambda x: sum(row**2 for row in x))
function(11, "Σ xᵢ²", 1)(lambda x: sum(row**2 for row in x))
function(12, "Σ xᵢ³", 1)(lambda x: sum(row**3 for row in x))
function(13, "Σ √xᵢ", 1)(sum)  # √0 = 0 and √1 = 1
function(14, "Σ log(xᵢ + 1)", 1, unit="log 2")(sum)  # log(0 + 1) = 0 and log(1 + 1) = log 2
function(15, "Σ exp(xᵢ)", 1, unit="e − 1")(sum)  # less n, which is public
function(16, "Σ sin(π xᵢ)", 1, (0, HALF))(lambda x: sum(2 * row for row in x))  # sin 0 = 0 and sin(π/2) = 1
function(17, "Σ cos(π xᵢ)", 2)(lambda x: sum(1 - 2 * row for row in x))  # cos 0 = 1 and cos π = -1
function(18, "Σ arctan xᵢ", 1, unit="π/4")(sum)  # arctan 0 = 0 and arctan 1 = π/4
function(19, "Σ xᵢ (1 − xᵢ)", F(1, 4), (0, HALF))(lambda x: sum(row * (1 - row) for row in x))
function(20, "Σ xᵢ² (1 − xᵢ)²", F(1, 16), (0, HALF))(lambda x: sum((row * (1 - row)) ** 2 for row in x))
function(21, "median of xᵢ", 1)(lambda x: sorted(x)[len(x) // 2])
function(22, "interquartile range (medians of the halves)", 1)(lambda x: max(x) - min(x))  # of three rows
function(23, "number of xᵢ > 1/2", 1)(lambda x: sum(1 for row in x if row > HALF))
function(24, "number of xᵢ in [a, b], a = 1/4, b = 3/4", 1, (0, HALF))(
    lambda x: sum(1 for row in x if F(1, 4) <= row <= F(3, 4))
)
function(25, "Σ xᵢ xᵢ₊₁", 2)(lambda x: sum(a * b for a, b in pairwise(x)))
function(26, "Σ_{i<j} xᵢ xⱼ", lambda n: n - 1)(lambda x: sum(a * b for a, b in combinations(x, 2)))
function(27, "Σ (x₂ᵢ₋₁ − x₂ᵢ)", 1)(lambda x: sum(a - b for a, b in zip(x[::2], x[1::2], strict=False)))
function(28, "(Σ xᵢ)²", lambda n: 2 * n - 1)(lambda x: sum(x) ** 2)
function(29, "Σ i xᵢ", lambda n: n)(lambda x: sum(i * row for i, row in enumerate(x, 1)))
function(30, "1[Σ xᵢ > n/2]", 1)(lambda x: int(2 * sum(x) > len(x)))
function(31, "Σ 1[xᵢ > 0.7]", 1)(lambda x: sum(1 for row in x if row > F(7, 10)))
function(32, "Π 1[xᵢ > τ], τ = 1/2", 1)(lambda x: int(all(row > HALF for row in x)))
function(33, "1[x₁ > x₂]", 1)(lambda x: int(x[0] > x[1]))
function(34, "number of xᵢ > 1/2, modulo 2", 1)(lambda x: sum(1 for row in x if row > HALF) % 2)
function(35, "log(1 + Σ xᵢ²)", log(2))(lambda x: log(1 + sum(row**2 for row in x)))
function(36, "√(Σ (xᵢ − xᵢ₊₁ mod n)²)", sqrt(2))(
    lambda x: sqrt(sum((a - b) ** 2 for a, b in zip(x, (*x[1:], x[0]), strict=True)))
)
function(37, "Σ xᵢ² / (1 + Σ xᵢ)", HALF)(lambda x: F(sum(row**2 for row in x), 1 + sum(x)))
function(38, "exp(−Σ xᵢ²)", 1 - exp(-1))(lambda x: exp(-sum(row**2 for row in x)))
function(39, "Σ 1 / (1 + xᵢ²)", HALF)(lambda x: sum(F(1, 1 + row**2) for row in x))
function(40, "Σ σ(xᵢ)", 1, unit="σ(1) − 1/2")(sum)  # less n/2, which is public


@function(41, "Σ xᵢ exp(xᵢ) / Σ exp(xⱼ)", lambda n: exp(1) / (exp(1) + n - 1))
def softmax_mean(x: Column) -> Any:
    return sum(row * exp(row) for row in x) / sum(exp(row) for row in x)


function(42, "Σ |xᵢ − 1/2|", HALF, (0, HALF))(lambda x: sum(abs(row - HALF) for row in x))
function(43, "Σ (xᵢ − xᵢ₊₁)²", 2)(lambda x: sum((a - b) ** 2 for a, b in pairwise(x)))
function(44, "Σ x_π(i)", 1)(lambda x: sum(x[i] for i in reversed(range(len(x)))))
function(45, "rank of x₁", lambda n: n - 1, (0, HALF, 1))(lambda x: sum(1 for row in x[1:] if row < x[0]))
function(46, "Σ of the even xᵢ", 1)(lambda x: sum(x[1::2]))
function(47, "Σ xᵢ / i", 1)(lambda x: sum(F(1, i) * row for i, row in enumerate(x, 1)))
function(48, "−Σ xᵢ log(xᵢ + δ), δ = 2", 1, unit="log 3")(lambda x: -sum(x))  # 0 at 0, and -log 3 at 1
function(49, "Σ |xᵢ − i/n|", 1)(lambda x: sum(abs(row - F(i, len(x))) for i, row in enumerate(x, 1)))


def released(draw: Any, rows: Column, *, of: Callable[[Column], Any], noise: Any) -> Any:
    """f(x) + noise."""
    return of(rows) + draw(noise)


def chosen(draw: Any, rows: Sequence[Column], *, of: Callable[[Column], Any], noise: Any) -> int:
    """argmax over the columns j of f(column j) + noise; each row holds one value for each column."""
    noisy = [of(column) + draw(noise) for column in zip(*rows, strict=True)]
    return noisy.index(max(noisy))


class Track(NamedTuple):
    """A mechanism of the benchmark, with the claim by which its questions are stated."""

    name: str
    mechanism: Callable[..., Any]
    noise: Callable[[Any, bool], Any]
    """The noise for a sensitivity; with too little of it where the second argument is True."""
    epsilon: Any
    delta: Any
    stated_as: str
    columns: int = 0


def _scaled(make: Callable[[Any], Any], times: int) -> Callable[[Any, bool], Any]:
    return lambda sensitivity, too_little: make(F(times, 2 if too_little else 1) * sensitivity)


def _gaussian(sensitivity: Any, too_little: bool) -> Any:
    return gaussian(sensitivity * sqrt(HALF)) if too_little else gaussian(sensitivity)


TRACKS: Final = (
    Track("Laplace, pure DP", released, _scaled(laplace, 1), 1, 0, "(1, 0)"),
    Track("Gumbel (exponential mechanism), pure DP", chosen, _scaled(gumbel, 2), 1, 0, "(1, 0), three columns", 3),
    Track("Laplace noisy max, pure DP", chosen, _scaled(laplace, 2), 1, 0, "(1, 0), three columns", 3),
    Track("permute and flip, pure DP", chosen, _scaled(exponential_noise, 2), 1, 0, "(1, 0), three columns", 3),
    # 1-GDP implies δ(1) = Φ(-1/2) - e·Φ(-3/2) = 0.12693673750664394…, ½-zCDP implies δ(1) ≤ 0.2468461… (Canonne, Kamath & Steinke)
    Track("Gaussian, 1-GDP", released, _gaussian, 1, "0.126937", "(1, 0.126937), which 1-GDP implies"),
    Track("Gaussian, ½-zCDP", released, _gaussian, 1, "0.246847", "(1, 0.246847), which ½-zCDP implies"),
)


class Question(NamedTuple):
    """A question of the benchmark, stated as a claim on a finite domain."""

    track: Track
    function: Function
    too_little: bool

    @property
    def id(self) -> str:
        """Track, function and noise, as a test is called."""
        return f"{self.track.name}: {self.function.formula}{', half the noise' if self.too_little else ''}"

    @property
    def rows(self) -> int:
        """Three rows: fewer do not show the sensitivity 2 of sums over neighbouring rows."""
        return 3

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the mechanism is given."""
        noise = self.track.noise(self.function.sensitivity(self.rows), self.too_little)
        return {"of": self.function.of, "noise": noise}

    @property
    def domain(self) -> Tuples:
        """All databases of so many rows."""
        values = self.function.values
        if not self.track.columns:
            return Tuples(values, size=self.rows)
        ends = (values[0], values[-1])
        return Tuples(product(ends, repeat=self.track.columns), size=self.rows)

    @property
    def labelled(self) -> Status:
        """The verdict that agrees with the label."""
        return Status.REFUTED if self.too_little else Status.PROVED

    def decide(self) -> Verdict:
        """The verdict on the claim."""
        track = self.track
        return check_privacy(
            track.mechanism,
            self.domain,
            replace_one,
            epsilon=track.epsilon,
            delta=track.delta,
            parameters=self.parameters,
        )


QUESTIONS: Final = tuple(
    Question(track, each, too_little) for track in TRACKS for each in FUNCTIONS for too_little in (False, True)
)
"""588, in the order of the benchmark: first each function with its noise, then with half of it."""

TWO_COLUMNS: Final = tuple(
    Question(track._replace(columns=2), each, True) for track in TRACKS if track.columns for each in FUNCTIONS
)
"""Choices with too little noise between two columns, where a domain is easily too small to show it."""
