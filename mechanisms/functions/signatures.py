"""The signature of a mechanism: draw and the database first, and which parameters it has and needs.

A claim gives a mechanism its ε and δ where these have no value: no default, and nothing bound by a `partial`. A value
that a mechanism has is kept, so that what is decided is what `run` runs with the same parameters; `values_kept` says
which. `parameters={…}` overrides a value, as an argument does in Python.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType, ModuleType, TracebackType
from typing import Any, Final

from dpverify.mechanisms.exported import advice_in_brackets, did_you_mean
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters, name_of
from dpverify.mechanisms.functions.places import is_somebodys_own
from dpverify.mechanisms.functions.wrappers import handed_on_to
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, Undecided, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import exact
from dpverify.mechanisms.numbers.shown import cut, shown, told

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
    """Arguments of the mechanism: `parameters`, and of a claim those that it names and has no value for.

    Raises `InputError` for one that does not take draw and a database first, for a parameter that it does not have, or
    one that it has and is not given, and for an epsilon or delta that is not exact.
    """
    if not callable(mechanism):  # by its type alone, since it may be the database
        raise InputError(
            bad_input.WRONG, f"the mechanism, a {type(mechanism).__name__},", "a function", "give it first"
        )
    for name in parameters:
        if not isinstance(name, str):
            raise InputError(bad_input.TEXT, f"parameters has the name {shown(name)}, which", "write {'name': value}")
    signature = signature_of(mechanism)
    if signature is None:
        return exact_parameters(parameters)
    wrong = _misfit(mechanism, signature, (*claim, *parameters))
    if wrong is not None:
        raise InputError(wrong)
    accepted = after_the_database(signature)
    named = [p for p in accepted if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    names = {parameter.name for parameter in named}
    unknown = sorted(set(parameters) - names)
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted):
        near = advice_in_brackets(did_you_mean(unknown[0], names))
        raise InputError(
            reasons.NO_SUCH_PARAMETER.text(
                called=name_of(mechanism),
                name=cut(", ".join(unknown)),
                near=near,
                known=cut(", ".join(sorted(names))) or "none",
            )
        )
    needed = [p.name for p in named if p.default is p.empty]
    given = {**{name: value for name, value in claim.items() if name in needed}, **parameters}
    missing = [name for name in needed if name not in given]
    if missing:
        raise InputError(
            reasons.PARAMETERS_MISSING.text(
                called=name_of(mechanism), names=", ".join(missing), instead=given_as(missing[0])
            )
        )
    return exact_parameters(given)


def values_kept(mechanism: Mechanism, names: Collection[str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a mechanism has for parameters of these names, and keeps: `parameters` override them."""
    signature = signature_of(mechanism)
    accepted = {} if signature is None else {p.name: p for p in after_the_database(signature)}
    kept = {name: accepted[name].default for name in names if name in accepted and name not in parameters}
    return {name: value for name, value in kept.items() if value is not inspect.Parameter.empty}


def contradictions(mechanism: Mechanism, claim: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a mechanism keeps where they are not those of a claim."""
    kept = values_kept(mechanism, claim, parameters)
    return {name: value for name, value in kept.items() if not _is_equal(value, claim[name])}


def refuse_kept(mechanism: Mechanism, name: str, parameters: Mapping[str, Any]) -> None:
    """Raises `InputError` where a mechanism keeps a value of its own for its ε or δ, of which others are asked for."""
    for value in values_kept(mechanism, {name} & {"epsilon", "delta"}, parameters).values():
        raise InputError(
            reasons.PARAMETER_KEPT.text(
                mechanism=name_of(mechanism), name=name, value=shown(value), advice=in_a_claim(name)
            )
        )


def _is_equal(value: Any, claimed: Any) -> bool:
    try:
        return bool(exact(value) == exact(claimed))
    except (InputError, Undecided):
        return False


def misfit(mechanism: Mechanism, names: Collection[str] = ()) -> str | None:
    """The fault of a mechanism that does not take draw and a database first; None where nothing seems to be.

    `names` are those of its parameters, none of which may be in their place.
    """
    signature = signature_of(mechanism)
    return None if signature is None else _misfit(mechanism, signature, names)


def _misfit(mechanism: Mechanism, signature: inspect.Signature, names: Collection[str]) -> str | None:
    if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        return None
    first = [p.name for p in signature.parameters.values() if p.kind in _BY_PLACE][:2]
    called = name_of(mechanism)
    if first == ["self", "draw"]:
        owner, _, method = called.rpartition(".")
        return reasons.METHOD_OF_A_CLASS.text(mechanism=called, method=f"{owner or 'K'}(…).{method}")
    if len(first) == 2 and first[1] == "draw" and first[0] != "draw":
        return reasons.DRAW_IS_FIRST.text(mechanism=called, first=first[0])
    if first[:1] == ["draw"] and first[1:2] and first[1] in names and first[1] not in ("epsilon", "delta"):
        return bad_mechanism.DATABASE_AMONG_PARAMETERS.text(called, first[1])
    if len(first) < 2 or first[1] in {"epsilon", "delta", *names}:
        lacks = "a database" if first[:1] == ["draw"] else "draw"
        listed = cut(", ".join(signature.parameters))  # without defaults, which may be data
        return bad_mechanism.NO_MECHANISM.text(called, listed, lacks)
    return None


def takes(mechanism: Mechanism, name: str) -> bool:
    """True where a mechanism has a parameter of that name."""
    signature = signature_of(mechanism)
    return signature is not None and name in signature.parameters


def takes_any(mechanism: Mechanism) -> bool:
    """True where a mechanism takes parameters of any name."""
    signature = signature_of(mechanism)
    return signature is not None and any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


def signature_of(mechanism: Mechanism) -> inspect.Signature | None:
    """The signature of the very object that is called; None where it has none.

    One with any keywords has the parameters, too, of the function that it is seen to hand them on to.
    """
    try:
        own = inspect.signature(mechanism, follow_wrapped=False)  # what is wrapped may be called with other arguments
    except Exception:  # of a built-in, or of an object that does as it likes
        return None
    return _with_handed_on(mechanism, own)


def signature_handed_on(mechanism: Mechanism) -> inspect.Signature:
    """The `__signature__` of an object that hands on all parameters to a mechanism.

    Raises `AttributeError` where the mechanism has none, as an object without one does.
    """
    signature = signature_of(mechanism)
    if signature is None:
        raise AttributeError(f"{name_of(mechanism)} has no signature")
    return signature


def _with_handed_on(mechanism: Mechanism, own: inspect.Signature) -> inspect.Signature:
    inner, bound = mechanism, set(own.parameters)
    while isinstance(inner, partial) and not inner.args:
        bound |= inner.keywords.keys()
        inner = inner.func
    wrapped = handed_on_to(inner)
    signature = None if wrapped is None else signature_of(wrapped)
    if signature is None:
        return own
    ours = [p for p in own.parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    first = [] if any(p.kind in _BY_PLACE for p in ours) else _first_two(signature)
    by_name = [p for p in after_the_database(signature) if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    theirs = [p.replace(kind=p.KEYWORD_ONLY) for p in by_name if p.name not in bound]
    any_other = [p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]
    return own.replace(parameters=[*first, *ours, *theirs, *any_other])


def by_name_alone(mechanism: Mechanism, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Bound arguments with those of any name, which Python binds to one, each by its own name."""
    signature = signature_of(mechanism)
    parameters = () if signature is None else signature.parameters.values()
    others = [p.name for p in parameters if p.kind is p.VAR_KEYWORD and p.name in arguments]
    named = {name: value for name, value in arguments.items() if name not in others}
    return {**named, **{name: value for other in others for name, value in arguments[other].items()}}


def after_the_database(signature: inspect.Signature) -> Sequence[inspect.Parameter]:
    """The parameters that neither draw nor the database takes up."""
    taken = _first_two(signature)
    return [p for p in signature.parameters.values() if p not in taken]


def _first_two(signature: inspect.Signature) -> Sequence[inspect.Parameter]:
    return [p for p in signature.parameters.values() if p.kind in _BY_PLACE][:2]


_WRONG_CALL: Final = re.compile(
    r"(?P<called>[\w.<>]+)\(\) "
    r"(got an unexpected keyword argument '(?P<unknown>\w+)'(\. Did .*)?|missing \d+ required .*: (?P<lacks>.*))"
)


def wrong_call(error: BaseException, function: Any = None) -> str | None:
    """The refusal of a call with a parameter too many or too few, where `error` is Python's own one; otherwise None.

    `function` is what was called, if that is known.
    """
    if not isinstance(error, TypeError) or (found := _WRONG_CALL.fullmatch(told(error))) is None:
        return None
    name, called = next(_called(found["called"], function, error.__traceback__), (found["called"], None))
    if found["lacks"] is not None:
        lacks = re.findall(r"\w+", found["lacks"].replace(" and ", " "))
        if lacks == ["source"]:
            return reasons.DRAW_OF_NOTHING.text(name=name)
        return reasons.PARAMETERS_MISSING.text(
            called=name, names=", ".join(lacks), arguments=", ".join(f"{one}=…" for one in lacks)
        )
    signature = None if called is None else signature_of(called)
    if signature is None:
        return None
    accepted = [p for p in signature.parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    known = [p.name for p in sorted(accepted, key=lambda p: p.default is not p.empty)]
    near = advice_in_brackets(did_you_mean(found["unknown"], known))
    return reasons.NO_SUCH_PARAMETER.text(called=name, name=found["unknown"], near=near, known=cut(", ".join(known)))


def _called(qualified: str, function: Any, traceback: TracebackType | None) -> Iterator[tuple[str, Any]]:
    """The callable that Python's message names, and its name in somebody's own code, innermost frame first."""
    if qualified in _names_of_calls(function):
        yield name_of(function), function
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    for frame in (one for one in reversed(frames) if is_somebodys_own(one, None)):
        named = {**frame.f_globals, **frame.f_locals}
        modules = [vars(value) for value in named.values() if isinstance(value, ModuleType)]
        for name, value in (pair for names in (named, *modules) for pair in list(names.items())):
            if qualified in _names_of_calls(value):
                yield name, value


def _names_of_calls(value: Any) -> tuple[str, ...]:
    """The names by which Python's messages call what runs where a value is called."""
    if isinstance(value, FunctionType):
        return (value.__qualname__,)
    if isinstance(value, type):
        return (f"{value.__qualname__}.__init__", f"{value.__qualname__}.__new__")
    return (f"{type(value).__qualname__}.__call__",)
