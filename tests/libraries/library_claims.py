"""Libraries that are compiled, or written in floats, against models of what they document: by samples.

`make libraries` makes the environments in .venv-libraries that have them.
"""

import json
from bisect import bisect_right
from fractions import Fraction as F
from pathlib import Path
from typing import Any

from dpverify.mechanisms import (
    Distribution,
    clamp,
    discrete_laplace,
    exp,
    exponential,
    gaussian,
    laplace,
    log,
    staircase,
    truncated_laplace,
    uniform_noise,
)
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.verifiers import Claim, SampledClaim, Status, scores_linf
from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines
from dpverify.verifiers.claims import claims_in

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".venv-libraries"
DRAWS = 60_000
HALF = F(1, 2)


def of_opendp(version: str, scale: F) -> JsonLines:
    python = ENVIRONMENTS / f"opendp-{version}" / "bin" / "python"
    return JsonLines((str(python), str(HERE / "opendp_lines.py"), "int", str(float(scale))), seeded=False)


def of_diffprivlib(name: str, **given: Any) -> JsonLines:
    python = ENVIRONMENTS / "diffprivlib-0.6.6" / "bin" / "python"
    return JsonLines((str(python), str(HERE / "diffprivlib_lines.py"), name, json.dumps(given)), seeded=True)


def one_apart(value: int) -> list[int]:
    return [value - 1, value + 1]


def model(id: str, mechanism: Mechanism, **changed: Any) -> Claim:
    """What a library documents, on whole answers that differ by 1: decided exactly, beside its samples."""
    given = {"domain": (0, 1), "neighbours": one_apart, "epsilon": HALF, "delta": 0}
    return Claim(id=f"{id}.model", mechanism=mechanism, source="its documentation", **{**given, **changed})


def sampled(model: Claim, sampler: JsonLines, **changed: Any) -> SampledClaim:
    given = {"draws": DRAWS, "id": model.id.removesuffix(".model"), "source": "its documentation"}
    return SampledClaim(sampler=sampler, model=model, **{**given, **changed})


# --- OpenDP: integers plus discrete Laplace noise of scale 3/2
def integer_laplace(draw: Draw, answer: int) -> Any:
    return answer + draw(discrete_laplace(F(3, 2)))


opendp_model = model("opendp.laplace", integer_laplace, epsilon=F(2, 3))
opendp_0_14_1 = sampled(
    opendp_model,
    of_opendp("0.14.1", F(3, 2)),
    id="opendp.laplace.0-14-1",
    counts="opendp-0.14.1.json",
    expected=Status.REFUTED,
)
opendp_0_16_0 = sampled(
    opendp_model, of_opendp("0.16.0", F(3, 2)), id="opendp.laplace.0-16-0", counts="opendp-0.16.0.json"
)

# --- diffprivlib 0.6.6, each at ε = ½


def measured(draw: Draw, answer: int) -> Any:
    return answer + draw(laplace(2))


def measured_in_bounds(draw: Draw, answer: int) -> Any:
    return clamp(answer + draw(laplace(2)), 0, 6)


def bounded_noise(draw: Draw, answer: int) -> Any:
    """Noise that ends at (1/ε)·ln(1 + (e^ε − 1)/(2δ))."""
    return answer + draw(truncated_laplace(2, 2 * log(1 + (exp(HALF) - 1) / (2 * F(1, 10)))))


def uniform(draw: Draw, answer: int) -> Any:
    """As wide as 1/δ."""
    return answer + draw(uniform_noise(-5, 5))


def normal(draw: Draw, answer: int) -> Any:
    """Of variance 2·ln(5/(4δ))/ε²."""
    return answer + draw(gaussian(variance=2 * log(F(5, 4) / F(1, 10)) / HALF**2))


THRESHOLDS = [F(i, 2) for i in range(-13, 16)]


def in_steps(draw: Draw, answer: int) -> int:
    """Geng & Viswanath's noise, with γ = 1/(1 + e^(ε/2)): between which halves the answer lies with it."""
    noisy = answer + draw(staircase(HALF))
    return next((i for i, threshold in enumerate(THRESHOLDS) if noisy < threshold), len(THRESHOLDS))


def between(outcome: float) -> int:
    """The same of what the library gives."""
    return bisect_right(THRESHOLDS, outcome)


def counted(draw: Draw, answer: int) -> Any:
    return answer + draw(discrete_laplace(2))


def counted_in_bounds(draw: Draw, answer: int) -> Any:
    return clamp(answer + draw(discrete_laplace(2)), 0, 6)


def told(draw: Draw, answer: str) -> Any:
    other = "b" if answer == "a" else "a"
    return draw(Distribution({answer: exp(HALF), other: 1}))


def chosen(draw: Draw, utilities: tuple[int, ...]) -> Any:
    return draw(exponential(dict(enumerate(utilities)), HALF))


def flipped(draw: Draw, utilities: tuple[int, ...]) -> Any:
    """Candidates in a random order, each taken with probability e^(ε(u − max)/2)."""
    left = tuple(range(len(utilities)))
    while True:
        candidate = draw(Distribution(dict.fromkeys(left, 1)))
        share = exp(HALF * (utilities[candidate] - max(utilities)) / 2)
        if draw(Distribution({True: share, False: 1 - share})):
            return candidate
        left = tuple(one for one in left if one != candidate)


def other_text(answer: str) -> list[str]:
    return ["b" if answer == "a" else "a"]


UTILITIES = [(0, 1, 2), (1, 0, 2), (1, 1, 1)]

laplace_model = model("diffprivlib.Laplace", measured)
truncated_model = model("diffprivlib.LaplaceTruncated", measured_in_bounds)
bounded_model = model("diffprivlib.LaplaceBoundedNoise", bounded_noise, delta=F(1, 10))
uniform_model = model("diffprivlib.Uniform", uniform, epsilon=0, delta=F(1, 10))
gaussian_model = model("diffprivlib.Gaussian", normal, delta=F(1, 10))
staircase_model = model("diffprivlib.Staircase", in_steps)
geometric_model = model("diffprivlib.Geometric", counted)
geometric_truncated_model = model("diffprivlib.GeometricTruncated", counted_in_bounds)
binary_model = model("diffprivlib.Binary", told, domain=("a", "b"), neighbours=other_text)
exponential_model = model("diffprivlib.Exponential", chosen, domain=UTILITIES, neighbours=scores_linf)
flip_model = model("diffprivlib.PermuteAndFlip", flipped, domain=UTILITIES, neighbours=scores_linf)

of_floats = {"epsilon": 0.5, "sensitivity": 1}
from_0_to_6 = {**of_floats, "lower": 0, "upper": 6}
diffprivlib = [
    sampled(laplace_model, of_diffprivlib("Laplace", **of_floats)),
    sampled(truncated_model, of_diffprivlib("LaplaceTruncated", **from_0_to_6)),
    sampled(bounded_model, of_diffprivlib("LaplaceBoundedNoise", delta=0.1, **of_floats)),
    sampled(uniform_model, of_diffprivlib("Uniform", delta=0.1, sensitivity=1)),
    sampled(gaussian_model, of_diffprivlib("Gaussian", delta=0.1, **of_floats)),
    sampled(staircase_model, of_diffprivlib("Staircase", **of_floats), outcome=between),
    sampled(geometric_model, of_diffprivlib("Geometric", **of_floats)),
    sampled(geometric_truncated_model, of_diffprivlib("GeometricTruncated", **from_0_to_6)),
    sampled(binary_model, of_diffprivlib("Binary", epsilon=0.5, value0="a", value1="b")),
    sampled(exponential_model, of_diffprivlib("Exponential", **of_floats)),
    sampled(flip_model, of_diffprivlib("PermuteAndFlip", **of_floats)),
]

EVERY = list(claims_in(globals()))
"""All of them, models first where they are."""
