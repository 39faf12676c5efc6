"""Names that are asked for in one package of dpverify, and are in another."""

from __future__ import annotations

from importlib import import_module

_PACKAGES = ("dpverify.mechanisms", "dpverify.verifiers")


def refuse_if_elsewhere(package: str, name: str) -> None:
    """Raises `ImportError`, whose text `from … import` shows, for a public name of the other package."""
    for other in _PACKAGES:
        if other != package and not name.startswith("_") and name in import_module(other).__all__:
            raise ImportError(f"{name} is in {other}: write from {other} import {name}", name=package)
