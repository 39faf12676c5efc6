"""One draw of noise, as forms, facts and expressions name it."""

from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import Exact


class NoiseVariable:
    """One draw of noise: its law, and which draw of noise of the run it is, counted from 1."""

    __slots__ = ("compared", "formed", "law", "number")

    def __init__(self, law: NoiseLaw, number: int) -> None:
        self.law = law
        self.number = number
        self.formed: tuple[Exact, Exact] | None = None
        """Factor and shift of the noise when it first met other noise or was computed with."""
        self.compared: tuple[Exact, Exact] | None = None
        """The same when it was first compared."""

    def __str__(self) -> str:
        return f"noise {self.number} ~ {self.law}"
