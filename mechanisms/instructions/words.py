"""Instructions of a code by the names that patterns of them have, the same in Python 3.11 to 3.13."""

from __future__ import annotations

import dis
from types import CodeType
from typing import Any, Final, NamedTuple


class CodeWord(NamedTuple):
    """An instruction as the patterns below name it, with what it is about."""

    text: str
    about: Any
    offset: int
    is_target: bool
    """True where it is jumped to."""
    is_called: bool
    """True for a global variable that is called."""
    names: tuple[str, ...] | None
    """The names of the arguments of a call, where it says them."""
    effect: int | None
    """Growth of the stack, from the word before on, without such names; None for a jump."""


def words_of(code: CodeType) -> list[CodeWord]:
    """The instructions of a code that do something by themselves, in order."""
    words: list[CodeWord] = []
    effect: int | None = 0
    for one in dis.get_instructions(code):
        effect = None if effect is None or one.opcode in JUMPS else effect + _effect(one, code)
        names = _names(one, code)
        later = int(one.opname == "LOAD_FAST_LOAD_FAST")  # of its two words each puts one thing there
        for text, about in _named(one, code):
            is_called = one.opname == "LOAD_GLOBAL" and bool((one.arg or 0) & 1)
            own = None if effect is None else effect - later
            words.append(CodeWord(text, about, one.offset, one.is_jump_target, is_called, names, own))
            effect, later = later, 0
    return words


JUMPS: Final = frozenset((*dis.hasjrel, *dis.hasjabs))


def _effect(one: dis.Instruction, code: CodeType) -> int:
    if _names(one, code) is not None:
        return 0
    arg = one.arg if one.opcode >= dis.HAVE_ARGUMENT else None
    return dis.stack_effect(one.opcode, arg, jump=False) + (one.opname == "CALL_KW")


def _names(one: dis.Instruction, code: CodeType) -> tuple[str, ...] | None:
    if one.opname not in ("KW_NAMES", "LOAD_CONST"):
        return None
    constant = code.co_consts[one.arg or 0]
    is_of_names = type(constant) is tuple and bool(constant) and all(type(name) is str for name in constant)
    return constant if is_of_names else None


def _named(one: dis.Instruction, code: CodeType) -> list[tuple[str, Any]]:
    """Name of an instruction here: nothing for one without an effect by itself, "?" for all others."""
    name, about = one.opname, one.argval
    match name:
        case "PRECALL" | "SET_FUNCTION_ATTRIBUTE":
            return []
        case "LOAD_FAST" | "LOAD_DEREF" | "LOAD_CLOSURE":
            return [("V", about)]
        case "LOAD_FAST_LOAD_FAST":
            return [("V", part) for part in about]
        case "STORE_FAST_LOAD_FAST":
            return [("?", about), ("V", about[1])]
        case "LOAD_METHOD" | "LOAD_ATTR":
            return [(f".{about}", about)]
        case "LOAD_GLOBAL":
            return [(f"G:{about}", about)]
        case "CALL" | "CALL_KW":
            return [(f"CALL:{one.arg}", about)]
        case "BUILD_TUPLE":
            return [("TUPLE", about)]
        case "BINARY_SUBSCR":
            return [("ITEM", about)]
        case "MAKE_FUNCTION":
            return [("FUNCTION", about)]
        case "RETURN_VALUE":
            return [("RETURN", about)]
        case "KW_NAMES" | "LOAD_CONST":
            constant = code.co_consts[one.arg or 0]
            kind = "KEY" if constant == ("key",) else "CODE" if isinstance(constant, CodeType) else "?"
            kind = "TRUE" if constant is True else kind
            return [("N" if type(constant) is int else kind, constant)]
    return [("?", about)]
