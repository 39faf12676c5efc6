"""Questions of a mechanism that no class can intercept: `is`, `id`, `type`; or catches errors.

An unknown number refuses whatever would tell it from a whole one, isinstance too: see `unknown_numbers.py`. It is not
asked where identities or types are: ints up to 256 are one object each, greater ones are not, and no int is an unknown
number. So the code that the mechanism reaches by name is looked at. What is asked of something known that is no number,
`x is None` or `x is Colour.RED`, is let through. Where the operands are names, `x is y` or `type(x)`, their values are
looked at whenever that is asked (`watching`), and refused are those that are, or hold, something unknown. All else is
not decided for all sizes: `n + 1 is n`. Nor is who catches errors, who may go on where a whole number raises one.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from dis import Instruction
from itertools import islice
from numbers import Number
from types import (
    CodeType,
    FrameType,
    FunctionType,
)
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.reaching.elsewhere import codes_in, words_in
from dpverify.mechanisms.reaching.outside import named_outside
from dpverify.mechanisms.reaching.reach import Reach
from dpverify.verifiers.all_sizes.regions.rows import UnknownRows
from dpverify.verifiers.all_sizes.regions.special_methods import (
    IDENTITIES,
    KINDS,
    NO_STEPS,
    held_and_refused,
    line_that_may_catch,
    module_that_looks_at_types,
    refused_value,
    words_past_operators,
)

Places: TypeAlias = Mapping[CodeType, Mapping[int, tuple[str, ...]]]
"""By code and offset in it, where identities or types are asked: the names of the operands."""


@dataclass(frozen=True)
class OwnCodeNeeds:
    """Questions of own code: in words the one not decided, or None; and the places where operands are names."""

    refused: str | None
    places: Places
    is_there: bool = True
    """False where a mechanism and all that it reaches is of this library, of Python and of numpy."""


def kinds_asked_for(mechanism: Any, parameters: Mapping[str, Any]) -> OwnCodeNeeds:
    """All that the code asks which a mechanism reaches, parameters too: by its names, and by all that is held there."""
    places: dict[CodeType, dict[int, tuple[str, ...]]] = {}
    reach = Reach([("the mechanism", mechanism), *parameters.items()])
    refused = next(held_and_refused(reach.values, reach.functions), None)
    if refused is not None:
        return OwnCodeNeeds(f"{name_of(mechanism)} holds {refused}", {})
    module = module_that_looks_at_types(reach.values)
    if module is not None:
        return OwnCodeNeeds(f"{name_of(mechanism)} uses {module}, which may ask for the types of numbers", {})
    way = next(named_outside(reach.functions, reach.values, reach.words), None)
    if way is not None:
        return OwnCodeNeeds(f"{name_of(mechanism)} names {way}, which reads or writes outside of the process", {})
    generated = _generated(reach.values)
    for function in reach.functions:
        for code in codes_in(function.__code__):
            if function.__code__ not in generated:
                refused = _refused(function, code, places)
                if refused is not None:
                    return OwnCodeNeeds(f"{function.__qualname__} {refused}", {})
    return OwnCodeNeeds(None, places, is_there=bool(reach.functions))


def _generated(values: Iterable[Any]) -> frozenset[CodeType]:
    """The code that `dataclass` writes."""
    kinds = [kind for kind in values if isinstance(kind, type) and is_dataclass(kind)]
    methods = [getattr(method, "__wrapped__", method) for kind in kinds for method in vars(kind).values()]
    return frozenset(
        method.__code__
        for method in methods
        if isinstance(method, FunctionType) and method.__code__.co_filename == "<string>"
    )


# --- What it asks


def _refused(function: FunctionType, code: CodeType, places: dict[CodeType, dict[int, tuple[str, ...]]]) -> str | None:
    """The part of a code that is not decided, in words; places are noted where operands are names."""
    return _refused_at_once(function, code) or _refused_of_identities(function, code, places)


def _refused_at_once(function: FunctionType, code: CodeType) -> str | None:
    """The part that is refused without a look at operands."""
    catching = line_that_may_catch(code)
    if catching is not None:
        return f"catches errors (line {catching})"
    for word, line in words_past_operators(code):
        return f"asks for {word} by name (line {line}; write the operator itself)"
    for word, is_such in words_in(code):
        if is_such(function.__globals__):
            return f"names {word}, by which anything may be asked for"
    return None


def _refused_of_identities(
    function: FunctionType, code: CodeType, places: dict[CodeType, dict[int, tuple[str, ...]]]
) -> str | None:
    instructions = [each for each in dis.get_instructions(code) if each.opname not in NO_STEPS]
    for i, instruction in enumerate(instructions):
        before, after = instructions[:i], instructions[i + 1 :]
        if instruction.opname == "IS_OP":
            if not _is_with_no_number(function, before):
                operands = names_at_the_end(before, 2)
                if operands is None:
                    return f"compares by `is` (line {_line(instruction)}; == compares numbers)"
                places.setdefault(code, {})[instruction.offset] = operands
        elif instruction.opname in _LOADS_BY_NAME:
            asked = _loaded(function, instructions[: i + 1])
            method = refused_value(asked)
            if method is not None and not any(asked is each for each in (*KINDS, *IDENTITIES)):
                return f"asks for {method} (line {_line(instruction)}; ask the object itself)"
            if asked is contextlib.suppress:
                return f"catches errors (line {_line(instruction)})"
            if any(asked is each for each in IDENTITIES):
                return f"asks for operator.{asked.__name__} (line {_line(instruction)}; == compares numbers)"
            if any(asked is each for each in KINDS):
                call = call_of_a_name(after)
                if call is None:
                    return f"asks for {asked.__name__} (line {_line(instruction)})"
                places.setdefault(code, {})[call.offset] = (str(after[0].argval),)
    return None


_LOADS_BY_NAME: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"))

_LOADS: Final = frozenset(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_CLOSURE"))
"""Of names that are local, or of a function around it."""

_ANY: Final = object()
"""Values that are not known before a run."""


def _line(instruction: Instruction) -> int | None:
    return None if instruction.positions is None else instruction.positions.lineno


def _is_with_no_number(function: FunctionType, before: Sequence[Instruction]) -> bool:
    """True where the right operand, or the left one of a right one that is a name, is known and no number."""
    right = _loaded(function, before)
    if right is not _ANY:
        return not _is_number(right)
    if before and before[-1].opname in _LOADS:
        left = _loaded(function, before[:-1])
        return left is not _ANY and not _is_number(left)
    return False


def _is_number(value: Any) -> bool:
    """True where it may be one object with a whole number: True and False are with none but themselves."""
    return isinstance(value, Number) and not isinstance(value, bool)


def _loaded(function: FunctionType, before: Sequence[Instruction]) -> Any:
    """The value that the last instructions load, as in `None` or `Colour.RED`; `_ANY` where it is not known."""
    attributes: list[str] = []
    while before and before[-1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        attributes.append(str(before[-1].argval))
        before = before[:-1]
    value: Any = _ANY
    if before and before[-1].opname == "LOAD_CONST":
        value = before[-1].argval
    elif before and before[-1].opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        value = function.__globals__.get(before[-1].argval, getattr(builtins, before[-1].argval, _ANY))
    for name in reversed(attributes):
        if name == "__class__":  # which an unknown number does not tell
            return type
        value = _ANY if value is _ANY else getattr(value, name, _ANY)
    return value


def names_at_the_end(before: Sequence[Instruction], count: int) -> tuple[str, ...] | None:
    """The names that the last instructions load, where they load so many, and nothing else; None for other operands."""
    names: list[str] = []
    for instruction in reversed(before):
        if len(names) == count:
            break
        if instruction.opname in _LOADS or instruction.opname == "LOAD_GLOBAL":
            names.append(str(instruction.argval))
        elif instruction.opname == "LOAD_FAST_LOAD_FAST":
            names += reversed(instruction.argval)
        else:
            return None
    return tuple(reversed(names)) if len(names) == count else None


def call_of_a_name(after: Sequence[Instruction]) -> Instruction | None:
    """The call of what was loaded with one argument that is a name; None for other uses of it."""
    if len(after) > 1 and after[0].opname in _LOADS and after[1].opname == "CALL" and after[1].arg == 1:
        return after[1]
    return None


# --- What is asked at run time


@contextmanager
def watching(places: Places) -> Iterator[None]:
    """While it lasts, operands of `is`, `type` and `id` that are, or hold, something unknown are refused.

    Raises `InputError`, in the mechanism, with its line.
    """
    if places:
        with _looked_at(places):
            yield
    else:
        yield


def look(frame: FrameType, names: Sequence[str]) -> None:
    """Raises `InputError` where a name, in a frame that asks for its identity or type, is something unknown."""
    for name in names:
        if holds_unknown(value_of(frame, name)):
            raise _refusal(name)


if sys.version_info >= (3, 12):

    @contextmanager
    def _looked_at(places: Places) -> Iterator[None]:
        """By events of instructions, in these codes alone."""
        monitoring = sys.monitoring
        tool = next(tool for tool in range(6) if monitoring.get_tool(tool) is None)

        def at_instruction(code: CodeType, offset: int) -> None:
            look(sys._getframe(1), places[code].get(offset, ()))

        monitoring.use_tool_id(tool, "dpverify: identities")
        try:
            monitoring.register_callback(tool, monitoring.events.INSTRUCTION, at_instruction)
            for code in places:
                monitoring.set_local_events(tool, code, monitoring.events.INSTRUCTION)
            yield
        finally:
            for code in places:
                monitoring.set_local_events(tool, code, monitoring.events.NO_EVENTS)
            monitoring.free_tool_id(tool)

else:

    @contextmanager
    def _looked_at(places: Places) -> Iterator[None]:
        """By a tracer; one that was set before is left out meanwhile, and set again."""
        before = sys.gettrace()

        def by_call(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
            if frame.f_code not in places:
                return None
            frame.f_trace_opcodes = True
            return by_step

        def by_step(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
            if event == "opcode":
                look(frame, places[frame.f_code].get(frame.f_lasti, ()))
            return by_step

        sys.settrace(by_call)
        try:
            yield
        finally:
            sys.settrace(before)


def value_of(frame: FrameType, name: str) -> Any:
    """The value of a name in a frame."""
    found = frame.f_locals.get(name, _ANY)
    return frame.f_globals.get(name) if found is _ANY else found


_MOST_PARTS: Final = 1_000
"""Of a container, up to which it is looked at; one of more may hold something unknown."""


def holds_unknown(value: Any, depth: int = 4) -> bool:
    """True if a value is or holds something unknown, a symbolic ε too; also where it is too large to be looked at."""
    kind = type(value)
    if issubclass(kind, Unknown | UnknownRows | Sealed) or (issubclass(kind, Exact) and value.symbol is not None):
        return True
    if not issubclass(kind, tuple | list | dict | set | frozenset):
        return False
    parts = [*value.keys(), *value.values()] if issubclass(kind, dict) else list(islice(value, _MOST_PARTS + 1))
    return depth == 0 or len(parts) > _MOST_PARTS or any(holds_unknown(part, depth - 1) for part in parts)


def _refusal(name: str) -> InputError:
    """The error to raise; the run is not to be accepted, even if the mechanism goes on."""
    error = InputError(bad_mechanism.KIND_ASKED, name)
    notes.refused = notes.refused or error
    return error
