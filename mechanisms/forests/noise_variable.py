"""One draw of noise, as forms, facts and expressions name it."""

from __future__ import annotations

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact


class NoiseVariable:
    """One draw of noise: its law, and which draw of noise of the run it is, counted from 1."""

    __slots__ = ("formed", "law", "number")

    def __init__(self, law: NoiseLaw, number: int) -> None:
        self.law = law
        self.number = number
        self.formed: tuple[Exact, Exact] | None = None
        """What it was multiplied by, and what was added, when it first met other noise or was computed with."""

    def __str__(self) -> str:
        return f"noise {self.number} ~ {self.law}"
