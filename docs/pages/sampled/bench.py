"""Mechanisms that others published, known right and known wrong: decided exactly, and audited by samples.

`python -m docs.pages.sampled.bench FOLDER` writes FOLDER/sampled-bench.md: what was found, and what of it was
published by others; the nominal confidence of lower bounds against how often they are right; and how often a true claim
is refuted.
"""

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from docs.pages.sampled.coverage import is_above, mechanisms
from docs.pages.sampled.mechanisms import SAMPLERS
from docs.pages.sampled.programs import section
from tests.outside.test_outside import DECIDED, Row, decided

from dpverify.mechanisms import Draw, discrete_laplace, distribution
from dpverify.mechanisms.numbers.enclosure import decimal_of_fraction, enclosure
from dpverify.reports.record import Status
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers import SampledClaim
from dpverify.verifiers.blackbox.agreement import CellCounts, DatabaseCells, agreement
from dpverify.verifiers.blackbox.sampling.distribution_cells import cells_of
from dpverify.verifiers.blackbox.sampling.events import Event
from dpverify.verifiers.blackbox.sampling.features import Feature, lowest_bit

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
    tight_epsilon: str
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
    "| mechanism | claimed ε | exact verdict, ε | s | by samples | ε ruled out below | draws of each | s | "
    "StatDP / DP-Sniper, s |\n| --- | ---: | --- | ---: | --- | ---: | ---: | ---: | ---: |"
)


def written(line: Line) -> str:
    """A row of the table."""
    result = line.result
    parts = (
        line.row.name,
        str(line.row.claimed),
        f"{line.exact} {line.tight_epsilon}",
        f"{line.exact_seconds:.2f}",
        str(result.verdict),
        result.ruled_out or "–",
        f"{result.draws:,}",
        f"{line.seconds:.2f}",
        PUBLISHED.get(line.row.name, ""),
    )
    return f"| {' | '.join(parts)} |"


NOMINAL: Final = (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), Fraction(95, 100), Fraction(99, 100))
"""Confidences at which bounds are looked at."""


class Share(NamedTuple):
    """How many runs there were at a confidence, and in how many a bound, or an agreement, was right."""

    confidence: Fraction
    right: int
    runs: int


def coverage(step: int, seeds: int) -> list[Share]:
    """Of lower bounds on ε, of mechanisms of the catalogue."""
    every = list(mechanisms(step))
    return [
        Share(c, sum(not is_above(one, c, 2_000, seed) for one in every for seed in range(seeds)), len(every) * seeds)
        for c in NOMINAL
    ]


def agreements(runs: int) -> list[Share]:
    """Of libraries that draw exactly what their model says: the law of a noisy count, 5,000 draws."""
    law = cells_of(distribution(noisy_count, 0), 5_000)
    p = np.array([float(enclosure(each, 64).mid()) for each in law.probabilities])
    found = []
    for c in NOMINAL:
        rng, right = np.random.default_rng(11), 0
        for _ in range(runs):
            pilot, seen = (rng.multinomial(n, p / p.sum()).tolist() for n in (500, 5_000))
            counts = CellCounts([DatabaseCells("0", pilot, seen)], 500, 5_000)
            right += not agreement(counts, [law], 5_000, 1 - c).refuted
        found.append(Share(c, right, runs))
    return found


def noisy_count(draw: Draw, rows: int) -> Any:
    """A count with discrete Laplace noise of scale 3/2."""
    return rows + draw(discrete_laplace(Fraction(3, 2)))


def picture(series: dict[str, list[Share]]) -> str:
    """Nominal against observed coverage, as an SVG; on the line a bound would be as often right as it says."""
    side = 360

    def at(x: float) -> float:
        return 40 + 300 * (x - 0.45) / 0.57

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 200} {side}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{side + 200}" height="{side}" fill="white"/>',
        f'<line x1="{at(0.45):.1f}" y1="{side - at(0.45):.1f}" x2="{at(1.0):.1f}" y2="{side - at(1.0):.1f}" '
        'stroke="#888" stroke-dasharray="4 3"/>',
        f'<text x="{at(0.6):.1f}" y="{side - 6}">nominal confidence</text>',
        f'<text x="10" y="{side - at(0.62):.1f}" transform="rotate(-90 14 {side - at(0.62):.1f})">observed share</text>',
    ]
    for x in (0.5, 0.75, 0.9, 0.99):
        lines.append(f'<text x="{at(x) - 8:.1f}" y="{side - 22}">{x:g}</text>')
        lines.append(f'<text x="18" y="{side - at(x) + 4:.1f}">{x:g}</text>')
    for i, (name, shares) in enumerate(series.items()):
        color = ("#1c6ea4", "#b1541a")[i]
        points = [(at(float(one.confidence)), side - at(one.right / one.runs)) for one in shares]
        lines.append(
            f'<polyline fill="none" stroke="{color}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        )
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>' for x, y in points]
        lines.append(f'<text x="{side}" y="{150 + 20 * i}" fill="{color}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


def speeds() -> list[str]:
    """How long it takes to see twice the ε, and to count."""
    told = []
    for epsilon in (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)):
        doubled = 0.01 * float(np.exp(2 * float(epsilon)))

        def shipped(rows: int, rng: Any, size: int, doubled: float = doubled) -> Any:
            return rng.random(size) < (doubled if rows else 0.01)

        claim = SampledClaim(id="twice", sampler=shipped, epsilon=epsilon, pairs=[(0, 1)], draws=4_000_000)
        began = time.process_time()
        found = claim.decide()
        told.append(
            f"| an event of probability 1/100, and e^(2ε)/100 | {epsilon} | {found.verdict} | {found.draws:,} | "
            f"{round((7 / float(epsilon)) ** 2):,} | {time.process_time() - began:.2f} |"
        )
    return told


def counting() -> str:
    """How long it takes to count 10⁷ outcomes of an event."""
    rng = np.random.default_rng(1)
    whole, real = rng.geometric(0.3, size=10**7), rng.laplace(size=10**7)
    outcome = Feature("outcome", lambda outcomes: outcomes)
    taken = []
    for values, event in (
        (whole, Event(outcome, ((3, 3), (7, 9)))),
        (real, Event(outcome, ((0.5, np.inf),))),
        (real, Event(Feature("lowest bit", lowest_bit), ((-60, -55),))),
    ):
        began = time.process_time()
        event.count(values)
        taken.append(time.process_time() - began)
    return (
        f"10,000,000 draws were counted in {taken[0]:.2f} s (two intervals of whole numbers), {taken[1]:.2f} s (a threshold of "
        f"floats) and {taken[2]:.2f} s (their lowest bits)."
    )


def page(lines: list[Line], programs: list[str], bounds: list[Share], models: list[Share]) -> str:
    """All of it, in Markdown."""
    right = [line for line in lines if (line.exact is Status.REFUTED) == (line.result.verdict is Status.REFUTED)]
    wrong = [line for line in lines if line.exact is Status.PROVED and line.result.verdict is Status.REFUTED]
    missed = ", ".join(line.row.name for line in lines if line not in right) or "none"
    shares = [
        f"| {decimal_of_fraction(b.confidence)} | {b.right / b.runs:.4f} of {b.runs:,} | {m.right / m.runs:.4f} of {m.runs:,} |"
        for b, m in zip(bounds, models, strict=True)
    ]
    return "\n".join(
        [
            "# Samples, measured",
            "",
            "*Generated by `make sampled`.*",
            "",
            "Written by `make sampled`; what it says of time is CPU seconds on a machine with two cores that others used,",
            "too. What is measured is described in [auditing-libraries.md](auditing-libraries.md).",
            "",
            f"## {len(lines)} mechanisms that others published",
            "",
            "The programs of CheckDP and the mechanisms of DP-Sniper (`tests/outside`, with their sources), decided exactly, and",
            "shipped as numpy functions (`docs/pages/sampled/mechanisms.py`) that are audited by samples at 99.9 %, on the",
            "published pairs and at the published ε. The last column is published with DP-Sniper, on 128 cores: seconds of",
            "StatDP's search, and of DP-Sniper; for some, of more queries than here. DP-Auditorium is not on the registry, and",
            "was not run; its paper (IEEE S&P 2024) compares its own testers over sizes of samples and privacy parameters, and no",
            "samples and seconds of single mechanisms were found that could stand beside these.",
            "",
            f"Of {len(lines)}, {len(right)} come out as they are: what is private is left open, what is not is refuted. Refuted",
            f"although private: {len(wrong)}. Not private, and not seen by {DRAWS:,} draws: {missed}.",
            "",
            HEADER,
            *map(written, lines),
            "",
            *programs,
            "## Nominal and observed coverage",
            "",
            "A lower bound on ε at confidence c is right where it does not exceed the exact ε, of mechanisms of the catalogue",
            "that can be enumerated (2,000 draws); a model agrees where the library draws exactly what it says (5,000 draws).",
            "Exact tails, and errors that are shared out among all that is tested, are right more often than they say.",
            "",
            "![Nominal against observed coverage](sampled-coverage.svg)",
            "",
            "| confidence | bounds on ε that are right | models found to agree |",
            "| ---: | ---: | ---: |",
            *shares,
            "",
            "## Speed",
            "",
            "A violation of twice the claimed ε, at 99.9 %. No test whatever needs fewer than about (7/ε)² draws for that, of an",
            "event of probability ½; of one of 1/100 some hundred times as many are needed.",
            "",
            "| violation | claimed ε | verdict | draws of each | (7/ε)² | s |",
            "| --- | ---: | --- | ---: | ---: | ---: |",
            *speeds(),
            "",
            counting(),
            "",
        ]
    )


def main(folder: Path) -> None:
    """Write the page and its picture."""
    found = []
    for line in measured(rows()):
        print(written(line), flush=True)
        found.append(line)
    bounds, models = coverage(step=2, seeds=5), agreements(400)
    series = {"lower bounds on ε": bounds, "agreement with a model": models}
    (folder / "sampled-coverage.svg").write_text(picture(series), encoding="utf-8")
    (folder / "sampled-bench.md").write_text(page(found, section(DRAWS), bounds, models), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
