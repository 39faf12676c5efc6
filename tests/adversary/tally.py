"""Counts of what was compared and of what was refused, and what there has to be of them; seeds and numbers of programs."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hypothesis import settings
from tests.adversary.random_programs.functions import source_of
from tests.adversary.random_programs.generated import Subject
from tests.adversary.random_programs.written import Written

HERE: Final = Path(__file__).parent

PROPERTY: Final = "adversary"
"""The name of a test's property that holds its counts."""


def deep() -> bool:
    """Whether new and many more programs are to be tried: `make deep`."""
    return settings.default is not None and settings.default.max_examples > 1_000


def seed() -> str:
    """What all programs are made from: the same at each `make test`, another one when deep; or ADVERSARY_SEED.

    What is wrong names the seed of its program, which begins with this.
    """
    return os.environ.get("ADVERSARY_SEED") or (os.urandom(4).hex() if deep() else "gate")


def programs(few: int) -> int:
    """How many programs to try where `few` are enough for a quick run."""
    return few * 50 if deep() else few


TEXT_OF_AN_OBJECT: Final = "took the text of a"
LOOKALIKES: Final = "which are equal and not the same, and so one outcome"
PASSED_OVER: Final = "passed over"
"""Why a program is not decided, though nothing was refused: it has no chance in it, or the oracle has no law for it."""

COUNTER_ORDER: Final = "the order of a Counter"
DENSITIES: Final = "densities of several exponentials"

_NOT_FOR_ALL: Final = {
    "both arguments should be Rational": "a Fraction of an unknown number",
    "was made a Fraction": "a Fraction of an unknown number",
    "is no plain number": "unknown numbers that are not plain",
    "used where Python needs a plain number": "unknown numbers that are not plain",
    "order that rows of other databases need not have": COUNTER_ORDER,
    "depends on the order of the rows": COUNTER_ORDER,
    "regions to decide": "too many regions",
    "sums of several exponentials": DENSITIES,
    "for all ε": "what changes with ε and with the rows",
    LOOKALIKES: LOOKALIKES,
}


def why_not_for_all(error: Exception) -> str:
    """As `why`, of what is not decided for all sizes."""
    for words, reason in _NOT_FOR_ALL.items():
        if words in str(error):
            return reason
    raise error


REASONS: Final = (
    "circle",
    "noises at once",
    "beside noise that it was compared with",
    "turns in the tails",
    "two kinds of outcome",
    "that was compared with other noise is released",
    "not known to be the same for all ε",
    LOOKALIKES,
    TEXT_OF_AN_OBJECT,
)


def why(error: Exception) -> str:
    """The kind of a refusal. Raises the error where it is none that a program here may meet."""
    for reason in REASONS:
        if reason in str(error):
            return reason
    raise error


class Empty(AssertionError):
    """Too little was compared, or too much was refused, for nothing wrong to mean anything."""


class Wrong(AssertionError):
    """dpverify says something else than the oracle."""


@dataclass
class Tally:
    """Counts of what was compared; a `Wrong` tells the program."""

    counts: Counter[str] = field(default_factory=Counter)

    def expect(self, what: str, holds: bool, subject: Subject | Written, *told: object) -> None:
        """Count a comparison. Raises `Wrong`, with what is `told`, where it does not hold."""
        self.counts[what] += 1
        if not holds:
            words = " ".join(map(str, told))
            text = subject.source if isinstance(subject, Written) else source_of(subject.program)
            again = f'ADVERSARY_KEPT="{subject.seed}" .venv/bin/python -m pytest tests/adversary/test_kept_seeds.py'
            raise Wrong(f"{words}\nat e^ε = {subject.chance.base}, seed {subject.seed}, in\n\n{text}\n{again}")

    def refuse(self, of: str, reason: str) -> None:
        """Count a program, or a law or a claim of one, that dpverify does not decide."""
        self.counts[f"{of}refused: {reason}"] += 1

    def demand(self, least: Mapping[str, float], refused: Mapping[str, float] | None = None, *, of: float = 0) -> None:
        """Raises `Empty` unless so many were compared, by kind, and at most a share of `of` refused, by reason.

        What is refused for another reason is one too many. Few programs may have two more than their share.
        """
        for what, count in least.items():
            if self.counts[what] < max(1, int(count)):
                raise Empty(
                    f"{what}: {self.counts[what]}, where {max(1, int(count))} were to be compared: {self.counts}"
                )
        allowed = refused or {}
        for key, count in self.counts.items():
            _, is_refused, reason = key.partition("refused: ")
            if is_refused and count > (allowed[reason] * of + 2 if reason in allowed else 0):
                raise Empty(f"{count} of {of} refused: {reason}: more than {allowed.get(reason, 0):.0%}")
