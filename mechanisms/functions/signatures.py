"""The signature of a mechanism: draw and the database first, and which parameters it has and needs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import cut, shown

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def in_python(name: str) -> str:
    """The words of a message to give a parameter to `run`."""
    return f"give {name}=…"


def in_a_claim(name: str) -> str:
    """The words of a message to give a parameter to a check."""
    return f"give parameters={{'{name}': …}}, or --param {name}=… on the command line"


def parameters_for(
    mechanism: Mechanism,
    claim: Mapping[str, Any],
    parameters: Mapping[str, Any],
    given_as: Callable[[str], str] = in_a_claim,
) -> dict[str, Any]:
    """What the mechanism is given: epsilon and delta of the claim where it names them, and `parameters` above all.

    Raises `InputError` for one that does not take draw and a database first, for a parameter that it does not have, or
    one that it has and is not given, and for an epsilon or delta that is not exact.
    """
    if not callable(mechanism):  # by its type alone, since it may be the database
        raise InputError(f"the mechanism is a {type(mechanism).__name__}, and no function: give it before the database")
    for name in parameters:
        if not isinstance(name, str):
            raise InputError(f"parameters has the name {shown(name)}, which is not text: write {{'name': value}}")
    signature = _signature(mechanism)
    if signature is None:
        return exact_parameters(parameters)
    wrong = _misfit(mechanism, signature, (*claim, *parameters))
    if wrong is not None:
        raise InputError(wrong)
    accepted = _after_the_database(list(signature.parameters.values()))
    named = [p for p in accepted if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    names = {parameter.name for parameter in named}
    unknown = sorted(set(parameters) - names)
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted):
        has = f"it has {', '.join(sorted(names))}" if names else "it has none"
        raise InputError(f"{name_of(mechanism)} has no parameter {cut(', '.join(unknown))}: {has}")
    given = {**{name: value for name, value in claim.items() if name in names}, **parameters}
    missing = [p.name for p in named if p.default is p.empty and p.name not in given]
    if missing:
        raise InputError(f"{name_of(mechanism)} needs {', '.join(missing)}: {given_as(missing[0])}")
    return exact_parameters(given)


def misfit(mechanism: Mechanism, names: Collection[str] = ()) -> str | None:
    """The fault of a mechanism that does not take draw and a database first; None where nothing seems to be.

    `names` are those of its parameters, none of which may be in their place.
    """
    signature = _signature(mechanism)
    return None if signature is None else _misfit(mechanism, signature, names)


def _misfit(mechanism: Mechanism, signature: inspect.Signature, names: Collection[str]) -> str | None:
    if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        return None
    first = [p.name for p in signature.parameters.values() if p.kind in _BY_PLACE][:2]
    called = name_of(mechanism)
    if first == ["self", "draw"]:
        owner, _, method = called.rpartition(".")
        return f"{called} takes self before draw: give the method of an object, as in {owner or 'K'}(…).{method}"
    if len(first) == 2 and first[1] == "draw" and first[0] != "draw":
        return f"{called} takes {first[0]} before draw: write (draw, {first[0]}, …)"
    if first[:1] == ["draw"] and first[1:2] and first[1] in names and first[1] not in ("epsilon", "delta"):
        return f"{called} takes its database as {first[1]}, which is among the parameters: leave it out of them"
    if len(first) < 2 or first[1] in {"epsilon", "delta", *names}:
        lacks = "a database" if first[:1] == ["draw"] else "draw"
        listed = cut(", ".join(signature.parameters))  # without defaults, which may be data
        return (
            f"{called}({listed}) does not take {lacks}: a mechanism takes draw and a database first, as in "
            "def mechanism(draw, rows, *, epsilon)"
        )
    return None


def takes(mechanism: Mechanism, name: str) -> bool:
    """True where a mechanism has a parameter of that name."""
    signature = _signature(mechanism)
    return signature is not None and name in signature.parameters


def _signature(mechanism: Mechanism) -> inspect.Signature | None:
    try:
        return inspect.signature(mechanism)
    except Exception:  # of a built-in, or of an object that does as it likes
        return None


def _after_the_database(parameters: Sequence[inspect.Parameter]) -> Sequence[inspect.Parameter]:
    """The parameters that neither draw nor the database takes up."""
    taken = [p for p in parameters if p.kind in _BY_PLACE][:2]
    return [p for p in parameters if p not in taken]
