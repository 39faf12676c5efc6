"""Mechanisms that others published, known right and known wrong: decided exactly, and audited by samples.

`python -m tests.benchmarks.sampled_bench FOLDER` writes FOLDER/sampled-bench.md: what was found, and what of it was
published by others; the nominal confidence of lower bounds against how often they are right; and how often a true claim
is refuted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.benchmarks.sampled_mechanisms import SAMPLERS
from tests.outside.test_outside import DECIDED, Row, decided

from dpverify.reports.kinds.sampled import SampledResult
from dpverify.reports.record import Status
from dpverify.verifiers import SampledClaim

DRAWS: Final = 1_000_000

PUBLISHED: Final = {
    "LaplaceMechanism": "46 / 20",
    "TruncatedGeometric": "352 / 18",
    "NoisyHist1": "505 / 35",
    "NoisyHist2": "817 / 38",
    "ReportNoisyMax1": "60 / 59",
    "ReportNoisyMax2": "60 / 56",
    "ReportNoisyMax3 of 3": "130 / 59",
    "ReportNoisyMax4": "129 / 60",
    "SparseVectorTechnique1": "352 / 118",
    "SparseVectorTechnique2": "403 / 148",
    "SparseVectorTechnique3 on 3": "5821 / 150",
    "SparseVectorTechnique4": "556 / 123",
    "SparseVectorTechnique5": "351 / 56",
    "SparseVectorTechnique6 on 5": "755 / 91",
    "NumericalSVT": "– / 142",
    "PrefixSum": "3367 / 92",
    "OneTimeRappor": "991 / 80",
    "Rappor": "1178 / 131",
}
"""Seconds that StatDP's search and DP-Sniper took, as published with DP-Sniper, on 128 cores; of more queries for some."""


class Line(NamedTuple):
    """What was found of one mechanism: exactly, and by samples."""

    row: Row
    exact: Status
    exact_epsilon: str
    exact_seconds: float
    result: SampledResult
    seconds: float


def claim_of(row: Row, draws: int = DRAWS, **changed: Any) -> SampledClaim:
    """The claim of the mechanism as it is shipped, on the published pairs; floats stand for the reals that are meant."""
    name = row.name.replace(" ", "_").replace(",", "")
    given: dict[str, Any] = {"epsilon": row.claimed, "pairs": row.pairs, "draws": draws, "low_bits": False}
    vectorised = SAMPLERS[row.name]

    def sampler(rows: Any, rng: Any, size: int) -> Any:
        return vectorised(rows, rng, size)

    sampler.__qualname__ = sampler.__name__ = row.name
    return SampledClaim(id=f"bench.{name}", sampler=sampler, expected=None, **{**given, **changed})


def measured(rows: list[Row], draws: int = DRAWS) -> Iterator[Line]:
    """Each mechanism in turn."""
    for row in rows:
        began = time.process_time()
        verdict = decided(row)
        between = time.process_time()
        found = claim_of(row, draws).decide()
        seconds = time.process_time() - between
        epsilon = (
            "∞" if verdict.epsilon is None else f"{float((verdict.epsilon.lower + verdict.epsilon.upper) / 2):.4f}"
        )
        yield Line(row, verdict.status, epsilon, between - began, found, seconds)


def rows() -> list[Row]:
    """Those of the table of exact verdicts that are shipped."""
    return [row for row in DECIDED if row.name in SAMPLERS]


HEADER: Final = (
    "| mechanism | claimed ε | exact verdict, ε | s | by samples | ε ruled out below | draws of each | s | StatDP / DP-Sniper, s |\n"
    "| --- | ---: | --- | ---: | --- | ---: | ---: | ---: | ---: |"
)


def written(line: Line) -> str:
    """A row of the table."""
    result = line.result
    parts = (
        line.row.name,
        f"{float(Fraction(str(line.row.claimed))):g}"
        if isinstance(line.row.claimed, int | str | Fraction)
        else str(line.row.claimed),
        f"{line.exact} {line.exact_epsilon}",
        f"{line.exact_seconds:.2f}",
        str(result.verdict),
        result.ruled_out or "–",
        f"{result.draws:,}",
        f"{line.seconds:.2f}",
        PUBLISHED.get(line.row.name, ""),
    )
    return f"| {' | '.join(parts)} |"


if __name__ == "__main__":
    print(HEADER, flush=True)
    for line in measured(rows(), int(sys.argv[2]) if len(sys.argv) > 2 else DRAWS):
        print(written(line), flush=True)
    print(Path(sys.argv[1]))
