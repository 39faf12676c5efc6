"""How far a check goes before it gives up."""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.mechanisms import enumerator


@dataclass(frozen=True)
class Limits(enumerator.Limits):
    """Per check: `databases`. Per database: `paths`, `outcomes`, and `seconds` of running time. Per path: `draws`.

    The time only stops a mechanism that does not return; it never decides a verdict.
    """

    databases: int = 1_000_000
    seconds: int = 60
