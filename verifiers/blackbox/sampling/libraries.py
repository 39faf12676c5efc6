"""Libraries that are installed beside dpverify: OpenDP and diffprivlib, each imported by what makes its mechanism."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dpverify.mechanisms.functions.mechanism import name_of


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


@dataclass(frozen=True)
class OpenDP:
    """A measurement of OpenDP, made by `make` when it is first drawn from: it takes a database, and has no seed.

    With `vectorised`, the measurement is one of a vector of independent numbers, and many draws of one number are one
    of as many.
    """

    make: Callable[[], Callable[[Any], Any]]
    vectorised: bool = False

    @property
    def name(self) -> str:
        """Name of the function that makes it."""
        return name_of(self.make)

    @property
    def seeded(self) -> bool:
        """OpenDP takes no seeds."""
        return False

    @property
    def versions(self) -> Mapping[str, str]:
        """OpenDP's."""
        return {"opendp": _version("opendp")}

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """See `Sampler`."""
        measurement = self.make()
        return measurement([rows] * size) if self.vectorised else [measurement(rows) for _ in range(size)]


@dataclass(frozen=True)
class DiffPrivLib:
    """A mechanism of diffprivlib, made by `make` of a seed, which is its `random_state`: it randomises a value."""

    make: Callable[[int], Any]

    @property
    def name(self) -> str:
        """Name of the function that makes it."""
        return name_of(self.make)

    @property
    def seeded(self) -> bool:
        """By `random_state`."""
        return True

    @property
    def versions(self) -> Mapping[str, str]:
        """Those of diffprivlib and numpy."""
        return {"diffprivlib": _version("diffprivlib"), "numpy": _version("numpy")}

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """See `Sampler`."""
        randomise = self.make(seed % 2**32).randomise
        return [randomise(rows) for _ in range(size)]
