"""A mechanism whose noises are released before they are computed with: see `finer`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpverify.mechanisms.finer_releases.finer import AS_FORMED, Leaves
from dpverify.mechanisms.functions.mechanism import Draw, MadeOf, Mechanism


@dataclass(frozen=True)
class BeforePostProcessing(MadeOf):
    """The finer release of a mechanism, which the enumerator alone runs: leaves and a label in place of an outcome."""

    mechanism: Mechanism
    leaves: Leaves = AS_FORMED

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.mechanism,)

    def __call__(self, draw: Draw, *args: Any, **parameters: Any) -> Any:
        """The outcome that the mechanism returns, which the run is told to release so."""
        call: Any = draw.call  # type: ignore[attr-defined]  # of the enumerator's
        call.finer = self.leaves
        return self.mechanism(draw, *args, **parameters)
