"""The classes of random programs: how one is tried, how many are, and what may be refused of them, by reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.adversary.random_programs import trials
from tests.adversary.random_programs.real_trials import released
from tests.adversary.random_programs.size_trials import for_all_sizes, for_all_sizes_and_every_epsilon
from tests.adversary.tally import COUNTER_ORDER, DENSITIES, LOOKALIKES, PASSED_OVER, Tally


@dataclass(frozen=True)
class ProgramClass:
    """Programs of one kind, each made from a seed."""

    attempt: Callable[[str, Tally, str], bool]
    """Whether the program of a seed was decided: it is compared with the oracle, and counted."""
    refused: Mapping[str, float] = field(default_factory=dict)
    """Reason → how large a share of the programs may be refused for it."""
    least: Mapping[str, float] = field(default_factory=dict)
    """What is compared → how often at least, for each program that is decided."""
    few: int = 5
    """How many are decided each time."""
    batches: int = 4
    """How many tests a deep run makes of it, of `BATCH` programs each."""


BATCH: Final = 250
"""Programs that are decided in one test of a deep run."""


def _finite(name: str, refused: float, passed_over: float) -> ProgramClass:
    least = {"verdicts": 2, "least ε": 2, "pairs": 2, "worst δ": 0.3, "witnesses": 0.2}
    return ProgramClass(trials.FINITE[name], {LOOKALIKES: refused, PASSED_OVER: passed_over}, least)


ALL_SIZES: Final = "all sizes"

CLASSES: Final[Mapping[str, ProgramClass]] = {
    "laplace": _finite("laplace", 0.25, 0.1),
    "discrete_laplace": _finite("discrete_laplace", 0.25, 0.2),
    "truncated_laplace": _finite("truncated_laplace", 0.3, 0.35),
    "truncated_discrete_laplace": _finite("truncated_discrete_laplace", 0.25, 0.25),
    "exponential_noise": _finite("exponential_noise", 0.25, 0.35),
    "geometric": _finite("geometric", 0.25, 0.4),
    "gumbel": _finite("gumbel", 0, 0.1),
    "staircase": _finite("staircase", 0.3, 0.1),
    "uniform_noise": _finite("uniform_noise", 0.2, 0.6),
    "discrete_uniform": _finite("discrete_uniform", 0.2, 0.45),
    "folded": _finite("folded", 0.1, 0.4),
    "nested parts": _finite("nested parts", 0.25, 0.2),
    "parts drawn apart": _finite("parts drawn apart", 0, 0.2),
    "symmetric on rows": _finite("symmetric on rows", 0, 0.15),
    "symmetric on scores": _finite("symmetric on scores", 0, 0.2),
    "of_counts": _finite("of_counts", 0, 0.1),
    "add or remove": _finite("add or remove", 0.05, 0.3),
    "labels": _finite("labels", 0.05, 0.4),
    "released numbers": ProgramClass(
        released,
        {PASSED_OVER: 0.05},
        {"verdicts on real numbers": 1, "exact ε of real numbers": 1, "δ of real numbers": 0.3},
    ),
    "all sizes, every ε": ProgramClass(
        for_all_sizes_and_every_epsilon,
        {
            "a Fraction of an unknown number": 0.15,
            "unknown numbers that are not plain": 0.05,
            "too many regions": 0.15,
            COUNTER_ORDER: 0.1,
            DENSITIES: 0.05,
            "what changes with ε and with the rows": 0.1,
            LOOKALIKES: 0.05,
            PASSED_OVER: 0.1,
        },
        {
            "all sizes, every ε: PROVED": 0.1,
            "all sizes, every ε: REFUTED": 0.1,
            "all sizes, every ε: PROVED at an ε": 0.3,
        },
        few=2,
    ),
    ALL_SIZES: ProgramClass(
        for_all_sizes,
        {
            "a Fraction of an unknown number": 0.15,
            "unknown numbers that are not plain": 0.05,
            "too many regions": 0.08,
            COUNTER_ORDER: 0.1,
            DENSITIES: 0.05,
            LOOKALIKES: 0.05,
            PASSED_OVER: 0.2,
        },
        {f"{ALL_SIZES}: real pairs under a PROVED": 40, f"{ALL_SIZES}: witnesses on real rows": 0.2},
        few=2,
        batches=12,
    ),
}
