"""The page of DPrivBench, docs/benchmark.md: what is decided of its 588 questions, as labelled or not, and in what time.

`python -m tests.outside.dpriv_bench_page` decides them, a minute of CPU, and writes it.
"""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.outside.dpriv_bench import QUESTIONS, TRACKS, TWO_COLUMNS, Question

from dpverify.verifiers import Status

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmark.md"


class Figures(NamedTuple):
    """Verdicts of a track, and the CPU seconds that they took, of all processes."""

    as_labelled: int
    otherwise: int
    undecided: int
    seconds: float


def figures(questions: Iterable[Question]) -> Figures:
    """The questions, decided and counted."""
    before, counted = sum(os.times()[:4]), Counter[str]()
    for question in questions:
        status = question.decide().status
        counted["as labelled" if status is question.labelled else "undecided" if _open(status) else "otherwise"] += 1
    return Figures(counted["as labelled"], counted["otherwise"], counted["undecided"], sum(os.times()[:4]) - before)


def _open(status: Status) -> bool:
    return status not in (Status.PROVED, Status.REFUTED)


def page() -> str:
    """The page, from figures that are measured now."""
    of_track = {track.name: figures(q for q in QUESTIONS if q.track is track) for track in TRACKS}
    of_two = {
        track.name: figures(q for q in TWO_COLUMNS if q.track.name == track.name) for track in TRACKS if track.columns
    }
    return _text(of_track, of_two, _processor())


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    names: Sequence[str] = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _text(of_track: dict[str, Figures], of_two: dict[str, Figures], processor: str) -> str:
    rows = [
        f"| {track.name} | {track.stated_as} | {found.as_labelled} | {found.otherwise} | {found.undecided} "
        f"| {found.seconds:.1f} |"
        for track, found in ((track, of_track[track.name]) for track in TRACKS)
    ]
    total = [sum(found[i] for found in of_track.values()) for i in range(4)]
    two = [
        f"| {name} | {found.as_labelled} | {found.otherwise} | {found.undecided} |" for name, found in of_two.items()
    ]
    return f"""# A benchmark with labels by others: DPrivBench

[DPrivBench](https://arxiv.org/abs/2604.15851) (Wang et al., 2026) asks language models whether a mechanism is private.
Its first category has {len(QUESTIONS)} questions: 49 functions of rows from [0, 1], each with six mechanisms, each with enough noise
(labelled private) and with half of it, or half the variance (labelled not private). The programs are written in
`tests/outside/dpriv_bench.py` from the text of the questions, and `python -m tests.outside.dpriv_bench_page` decides
them and writes this page.

What a verdict says here: rows are taken from two or three values of [0, 1], three rows to a database, three columns to a
choice, and a row is replaced by another. REFUTED carries over to all of [0, 1]; PROVED says that no pair of these
databases violates the claim. Gaussian differential privacy and zCDP cannot be claimed: what is decided is one (ε, δ) that
they imply, so that REFUTED refutes them, and PROVED is a necessary condition only. The second category, 125 questions in
prose about algorithms of the literature, is not stated here.

| mechanism | stated as | as labelled | otherwise | undecided | CPU seconds |
| --- | --- | ---: | ---: | ---: | ---: |
{chr(10).join(rows)}
| all | – | {total[0]} | {total[1]} | {total[2]} | {total[3]:.1f} |

Measured on {processor}; CPU time of all processes, with the independent recomputation.
The undecided questions are exp(−Σ xᵢ²) with Laplace noise: its ratios are exponentials of exponentials, for which no
complete zero test is known.

## Two candidates are too few

Half the noise, decided between *two* columns in place of three:

| mechanism | refuted, as labelled | proved | undecided |
| --- | ---: | ---: | ---: |
{chr(10).join(two)}

With two candidates and scores that one row can move from one end of their range to the other, a choice with half of
its noise is private. So PROVED of a choice between two candidates says little about the mechanism: decide it with three.
The first line of such a verdict says so: "what it draws guarantees ε = 2: try three candidates".
[Which domain do I choose?](choosing-a-domain.md) says how to see that a domain is large enough.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
