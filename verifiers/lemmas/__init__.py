"""The structural lemmas of the catalogue, one module for each part of the papers."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from dpverify.verifiers.structure.lemma import Lemma

PARTS: Final = ("recursion", "selection", "sanitizers", "release", "codes", "post_processing")
"""The modules, in the order in which they are shown."""


def lemmas() -> tuple[Lemma, ...]:
    """All lemmas."""
    return tuple(lemma for part in PARTS for lemma in import_module(f"{__name__}.{part}").LEMMAS)
