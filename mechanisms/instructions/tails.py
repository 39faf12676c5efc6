"""A draw that is returned at once: its law is returned, and nothing has to be run again for each of its outcomes.

    return draw(exponential(counts, epsilon))

It is told by the instructions of the function that runs, and by where in the source they stand. The call begins with
the name of `draw`, and nothing else of the call begins there but that name: so it is `draw` itself that is called, and
not a function that calls it, as in `return next(filter(None, map(draw, laws)))`. The call is followed by the return,
where nothing would handle an exception or have the last word. Whatever is not seen to be so is run as it is written.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable, Mapping
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.instructions.as_written import are_read
from dpverify.mechanisms.numbers.cached_results import identity


class _Known(NamedTuple):
    """The finding on a code, which is kept with it, as it goes by its identity."""

    code: CodeType
    tails: Mapping[int, str]
    names_it_once: bool
    """True where the first argument is named in one place alone, which is such a call."""


_MOST: Final = 1 << 12

_KNOWN: Final[dict[int, _Known]] = {}


def body_of(mechanism: Any) -> CodeType | None:
    """The code whose first frame gives back what the mechanism gives; None where another one may come between."""
    if not are_read():
        return None
    while type(mechanism) in (partial, MethodType):
        mechanism = mechanism.func if type(mechanism) is partial else mechanism.__func__
    return mechanism.__code__ if type(mechanism) is FunctionType else None


def returns_a_call(code: CodeType) -> bool:
    """True where it returns what a call gives, whatever it is: one of a variable that is assigned nowhere."""
    return bool(_tails(code))


def called_last(frame: FrameType, body: CodeType, caller: CodeType) -> Any:
    """The object that is called in this frame, if the mechanism returns what that gives, whatever it is; else None.

    `body` is the code of the mechanism, and `caller` the code that has called it, with nothing between them.
    """
    name = _tails(body).get(frame.f_lasti)
    before = frame.f_back
    if name is None or before is None or frame.f_code is not body or before.f_code is not caller:
        return None
    return frame.f_locals.get(name)


def draws_last_alone(mechanism: Any) -> bool:
    """True where all that the mechanism draws is returned at once, whatever it is, unless it sees its own variables.

    It names what it draws with in one place, where it calls it and returns what that gives.
    """
    while type(mechanism) is partial and not mechanism.args:  # else its first argument is another one
        mechanism = mechanism.func
    return are_read() and type(mechanism) is FunctionType and _known(mechanism.__code__).names_it_once


def _tails(code: CodeType) -> Mapping[int, str]:
    """Offset of each call that is returned at once → the name of what is called."""
    return _known(code).tails


def _known(code: CodeType) -> _Known:
    known = _KNOWN.get(identity(code))
    if known is None:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        texts = _found(code)
        known = _KNOWN[identity(code)] = _Known(code, texts, names_it_once=_is_named_once(code, set(texts.values())))
    return known


def _is_named_once(code: CodeType, called: set[str]) -> bool:
    if code.co_argcount == 0 or called != {code.co_varnames[0]}:
        return False
    (draw,) = called
    if draw in code.co_cellvars or not SEEING_ALL.isdisjoint(code.co_names):
        return False
    return sum(_names(one.argval, draw) for one in dis.get_instructions(code)) == 1


def _names(argument: object, name: str) -> bool:
    return argument == name or (type(argument) is tuple and name in argument)


SEEING_ALL: Final = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Functions that see variables without naming them."""


def _found(code: CodeType) -> Mapping[int, str]:
    if code.co_flags & _NO_FUNCTION:
        return {}
    instructions = _instructions(code)
    bound = stored(code)
    parts = guarded(code)
    texts = {}
    for place, instruction in enumerate(instructions):
        if instruction.opname in _CALLS and _returns(instructions, place + 1):
            name = _called(instructions, instruction)
            if name is not None and name not in bound and not any(instruction.offset in part for part in parts):
                texts[instruction.offset] = name
    return texts


def _instructions(code: CodeType) -> list[dis.Instruction]:
    """The instructions of a code, with those of Python 3.13 that do two things as two.

    What they load last is at the place of the first of them, and is told to be called by what follows.
    """
    found = list(dis.get_instructions(code))
    result = []
    for one, following in zip(found, [*found[1:], None], strict=True):
        names = _TWO_AT_ONCE.get(one.opname)
        if names is None:
            result.append(one)
            continue
        first, second = (one._replace(opname=name, argval=each) for name, each in zip(names, one.argval, strict=True))
        is_called = following is not None and following.opname == "PUSH_NULL"
        result += [first, second._replace(positions=following.positions) if is_called and following else second]
    return result


_TWO_AT_ONCE: Final[Mapping[str, tuple[str, str]]] = {
    f"{first}_{second}": (first, second)
    for first in ("LOAD_FAST", "STORE_FAST")
    for second in ("LOAD_FAST", "STORE_FAST")
}

_NO_FUNCTION: Final = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
)
_CALLS: Final = frozenset({"CALL", "CALL_KW"})
_OF_A_CALL: Final = _CALLS | {"PRECALL", "KW_NAMES", "LOAD_CONST", "JUMP_FORWARD", "RETURN_VALUE"}
_CALLS_OF_GUARDS: Final = ("PRECALL", "CALL")
CALLED: Final = ".called"
"""The name, which no program has, of the guard of what is called: it gives `draw` back as it is."""
_LOADS: Final = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF"})


def guarded(code: CodeType) -> list[range]:
    """The instructions in which exceptions are handled, or something is done at the end, by their offsets."""
    return [range(entry.start, entry.end) for entry in _entries(code)]


def _entries(code: CodeType) -> Iterable[Any]:
    return dis.Bytecode(code).exception_entries  # type: ignore[attr-defined, no-any-return, unused-ignore]  # since 3.11


def _returns(instructions: list[dis.Instruction], place: int) -> bool:
    """True where the value on top of the stack is returned from here on, with nothing done before."""
    for _ in range(len(instructions)):
        if place >= len(instructions):
            return False
        instruction = instructions[place]
        if instruction.opname == "RETURN_VALUE":
            return True
        if instruction.opname == "JUMP_FORWARD":
            place = next(
                (i for i, one in enumerate(instructions) if one.offset == instruction.argval), len(instructions)
            )
        elif instruction.opname == "NOP":
            place += 1
        elif _lets_go(instructions, place):
            place += 2
        else:
            return False
    return False


def _lets_go(instructions: list[dis.Instruction], place: int) -> bool:
    """True where the iterator of a loop, which is below the value, is let go of."""
    both = [(one.opname, one.arg) for one in instructions[place : place + 2]]
    return both == [("SWAP", 2), ("POP_TOP", None)]


def _called(instructions: list[dis.Instruction], call: dis.Instruction) -> str | None:
    """The variable that is called; None where something else is, or that cannot be told.

    What is called is what begins where the call begins: a name alone, or an attribute, an item or a call of it, of each
    of which there is an instruction that says to begin there.
    """
    whole = call.positions
    if whole is None or None in whole:
        return None
    return _name_among([one for one in instructions if _begins_within(one.positions, whole)], whole)


def _begins_within(part: dis.Positions | None, whole: dis.Positions) -> bool:
    """True where something is the first thing in a call, or all of it."""
    if part is None or part.end_lineno is None or part.end_col_offset is None:
        return False
    assert whole.end_lineno is not None and whole.end_col_offset is not None, "see _called"
    begins = (part.lineno, part.col_offset) == (whole.lineno, whole.col_offset)
    return begins and (part.end_lineno, part.end_col_offset) <= (whole.end_lineno, whole.end_col_offset)


def _name_among(instructions: Iterable[dis.Instruction], whole: dis.Positions) -> str | None:
    names, guards = set(), set()
    for one in instructions:
        if one.argval == CALLED:
            guards.add(one.positions)
        elif one.positions == whole:
            if one.opname not in _OF_A_CALL:
                return None
        elif one.opname in _LOADS:
            names.add((one.argval, one.positions))
        elif one.opname != "PUSH_NULL" and not (one.opname in _CALLS_OF_GUARDS and one.positions in guards):
            return None
    if len(names) != 1:
        return None
    ((name, _),) = names
    return str(name)


def stored(code: CodeType) -> set[str]:
    """The variables of a function that it, or one within it, binds anew."""
    texts: set[str] = set()
    for one in _instructions(code):
        if "STORE" in one.opname or "DELETE" in one.opname or one.opname == "LOAD_FAST_AND_CLEAR":
            texts.update(one.argval if isinstance(one.argval, tuple) else (str(one.argval),))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            texts |= stored(inner)
    return texts
