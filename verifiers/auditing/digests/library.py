"""The library that a claim is about: the files whose code may change while the question stays the same.

It is the package that defines the mechanism. A mechanism that a file of claims writes as a wrapper is about the package
that draws for it in the end: one that reaches another package which draws only helps to ask.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from dpverify.verifiers.auditing.digests.calls import CallGraph, draws
from dpverify.verifiers.auditing.digests.names import functions_in, is_of_people, module_name_of
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.locations import inner_function


def may_change(claim: AnyClaim, of_claims: Callable[[str], bool], place: str) -> Callable[[str], bool]:
    """True where a file is of the library that a claim is about; `place` is the claim's own file."""
    if not place:  # the catalogue is dpverify's own
        return lambda file: False
    roots = {_package(function) for function in _defining(claim, of_claims)}
    beside = os.path.dirname(place) + os.sep  # noqa: PTH120  # also of what is no path
    inside = {file for root, file in roots if place.startswith(f"{root}{os.sep}") and not file.startswith(beside)}

    def is_of_library(file: str) -> bool:
        if inside and file.startswith(beside):  # claims within the package that they are about, with what they use
            return False
        return any(file == root or file.startswith(f"{root}{os.sep}") for root, _ in roots)

    return is_of_library


def runs(claim: AnyClaim) -> Iterator[Any]:
    """The functions that a claim runs as what it speaks of: its mechanism, and functions in its parameters."""
    yield from claim.about
    parameters = getattr(claim, "parameters", None)
    yield from functions_in(parameters if isinstance(parameters, Mapping) else {})


def _defining(claim: AnyClaim, of_claims: Callable[[str], bool]) -> list[FunctionType]:
    """The functions that draw of each package that the claim is about."""
    inner = [inner_function(function) for function in claim.about]
    own = [one for one in inner if isinstance(one, FunctionType) and _may_be_library(one, of_claims)]
    if own:
        return own
    graph = CallGraph()
    by_package: dict[str, list[FunctionType]] = {}
    for function in graph.reached(runs(claim)).values():
        if _may_be_library(function, of_claims):
            by_package.setdefault(_package(function)[0], []).append(function)
    drawing = {root: functions for root, functions in by_package.items() if any(map(draws, functions))}
    reached = {
        root: {_package(one)[0] for one in graph.reached(functions).values()} & drawing.keys()
        for root, functions in drawing.items()
    }
    last = [root for root in drawing if all(root in reached[other] for other in reached[root])]
    return [function for root in last for function in drawing[root] if draws(function)]


def _may_be_library(function: FunctionType, of_claims: Callable[[str], bool]) -> bool:
    file = function.__code__.co_filename
    return is_of_people(file) and not of_claims(file)


def _package(function: FunctionType) -> tuple[str, str]:
    """The folder of the package that a function is of, or the file of a single module; and the function's file."""
    file = Path(function.__code__.co_filename)
    parts = module_name_of(function).split(".")
    above = len(parts) - (file.name != "__init__.py")
    return str(file.parents[above - 1] if above else file), str(file)
