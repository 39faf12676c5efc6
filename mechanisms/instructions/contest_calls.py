"""Calls of C functions that give the largest, or the smallest, of several noisy numbers, or its place.

    max(noisy)      max(range(k), key=…)      max(enumerate(noisy), key=itemgetter(1))      max(zip(noisy, names))
    sorted(names, key=…)[-1]      sorted(names, key=…, reverse=True)[0]

and those with `min`. All comparisons are made within the call, each with the best so far, but by `sorted`,
of whose list one end is taken at once. What is gone through is a list, a tuple, a range, a dict or a text, or an
`enumerate` or a `zip` of such, of numbers, texts and noise: then there are so many numbers as things in it, and nothing
but the key, which is code of Python's or takes an item, runs between two comparisons. That the functions are Python's
own is looked at when they run. A call in a loop is not read, as the same instruction calls there again.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.instructions.by_code import by_code
from dpverify.mechanisms.instructions.contest_loops import loops_in
from dpverify.mechanisms.instructions.contests import (
    Asks,
    Choosing,
    Contest,
    OneByOne,
    Sorted,
    come_in_order,
    has_no_code,
)
from dpverify.mechanisms.instructions.tails import guarded, stored
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue

_FEWEST: Final = 3
"""Numbers: of two there is one comparison, which is answered as any other."""

# --- What is gone through, as it is written


class _Variable(NamedTuple):
    name: str
    is_global: bool


class _Items(NamedTuple):
    """The items of a dict."""

    variable: _Variable


class _Of(NamedTuple):
    """A call of a function of Python's."""

    function: str
    args: tuple[_Through, ...]


_Through: TypeAlias = _Variable | _Items | _Of | int


class _Key(NamedTuple):
    """The key of a call: a variable, or what is said `of` it; that of a lambda, which is code of its own, has none."""

    variable: _Variable | None
    of: str

    def is_harmless(self, frame: FrameType) -> bool:
        """True where no function in C compares in the frame of the call."""
        if self.variable is None:
            return True
        value = _value(frame, self.variable)
        if self.of.startswith(" ."):
            return value is operator if "itemgetter" in self.of else type(value) in (dict, list, tuple)
        return value is operator.itemgetter if self.of else type(value) is FunctionType


class _Written(NamedTuple):
    """A call as it is written."""

    function: str
    """max, min or sorted."""
    through: _Through
    key: _Key | None = None
    largest: bool = True
    """Of `sorted`: whether the largest is taken of what it gives."""


def contest_of_call(run: Choosing, frame: FrameType) -> Contest | None:
    """The contest that a call is in whose first comparison is made in this frame; None for any other."""
    written = _calls(frame.f_code).get(frame.f_lasti)
    if written is None or not _are_as_named(frame, written):
        return None
    items = _gone_through(frame, written.through)
    count = 0 if items is None else len(items)
    if items is None or count < _FEWEST:
        return None
    if written.function == "sorted":
        is_known = come_in_order(count, largest=written.largest)
        return Sorted(run, frame, count, largest=written.largest) if is_known else None
    asks = Asks(">" if written.function == "max" else "<")
    return OneByOne(run, frame, asks, count, besides=None if written.key is not None else _besides(items))


def _besides(items: Sequence[Any]) -> Sequence[Any] | None:
    """The rest of pairs, of which the first is a number, by which equal ones are told apart; None for no such."""
    if any(type(item) is not tuple or list(map(type, item)).count(NoiseValue) != 1 for item in items):
        return None
    return [item[1:] for item in items] if all(type(item[0]) is NoiseValue for item in items) else None


@by_code
def may_have_contests(code: CodeType) -> bool:
    """True where comparisons that are made by this code may be those of a contest, also of a loop."""
    return bool(_calls(code)) or bool(loops_in(code))


def _are_as_named(frame: FrameType, written: _Written) -> bool:
    """True where the functions are those of Python, and the key compares nothing in C."""
    if written.key is not None and not written.key.is_harmless(frame):
        return False
    names = {written.function, *_functions(written.through)}
    return all(name not in frame.f_globals and frame.f_builtins.get(name) is getattr(builtins, name) for name in names)


def _functions(through: _Through) -> Iterator[str]:
    if isinstance(through, _Of):
        yield through.function
        for arg in through.args:
            yield from _functions(arg)


def _gone_through(frame: FrameType, through: _Through) -> Sequence[Any] | None:
    """The things that are gone through; None where they are not known."""
    if isinstance(through, _Variable):
        return _plain(_value(frame, through))
    if isinstance(through, _Items):
        known = _value(frame, through.variable)
        return _plain(tuple(known.items())) if type(known) is dict else None
    if isinstance(through, _Of) and through.function == "range":
        ends = [_whole(frame, arg) for arg in through.args]
        return None if None in ends else range(*ends)  # type: ignore[arg-type]  # none is None
    if isinstance(through, _Of) and through.function in ("enumerate", "zip"):
        several = [_gone_through(frame, arg) for arg in through.args]
        known = [items for items in several if items is not None]
        if len(known) < len(several) or (through.function == "enumerate" and len(several) != 1):
            return None
        return tuple(enumerate(*known) if through.function == "enumerate" else zip(*known, strict=False))
    return None


def _whole(frame: FrameType, through: _Through) -> int | None:
    if isinstance(through, int):
        return through
    if isinstance(through, _Of) and through.function == "len" and len(through.args) == 1:
        items = _gone_through(frame, through.args[0])
        return None if items is None else len(items)
    value: Any = _value(frame, through) if isinstance(through, _Variable) else None
    return int(value) if type(value) in (int, WholeNumber) else None


def _value(frame: FrameType, variable: _Variable) -> Any:
    return (frame.f_globals if variable.is_global else frame.f_locals).get(variable.name)


def _plain(items: Any) -> Sequence[Any] | None:
    """The things in a list, or the like, where none of them has code of its own; else None."""
    if type(items) in (str, range):
        return items  # type: ignore[no-any-return]  # it is that
    if type(items) not in (list, tuple, dict):
        return None
    several = tuple(items)
    return several if all(map(has_no_code, several)) else None


# --- The instructions


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


@by_code
def _calls(code: CodeType) -> Mapping[int, _Written]:
    return _at_calls(code, dict(_result(code)))


def _at_calls(code: CodeType, calls: Mapping[int, _Written]) -> dict[int, _Written]:
    """The same by both instructions at which Python 3.11 may make a call: at the first one once it knows of what."""
    results = dict(calls)
    for first, second in pairwise(dis.get_instructions(code)):
        if first.opname == "PRECALL" and second.offset in calls:
            results[first.offset] = calls[second.offset]
    return results


def _result(code: CodeType) -> Iterator[tuple[int, _Written]]:
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return
    words, parts, loops = words_of(code), guarded(code), _loops(code)
    bound = {name for inner in code.co_consts if isinstance(inner, CodeType) for name in stored(inner)}
    for place in range(len(words)):
        found = _function(words, place, code)
        if found is None:
            continue
        offset, written = found
        if any(offset in loop for loop in loops):  # the same instruction may call again, of other numbers
            continue
        is_bound = any(one.name in bound and not one.is_global for one in _variables(written.through))
        if not is_bound and not any(offset in part for part in parts):
            yield offset, written


def _loops(code: CodeType) -> list[range]:
    """The instructions that may run again in one call of the function, by their offsets: those jumped back over."""
    jumps = [one for one in dis.get_instructions(code) if one.opcode in JUMPS and int(one.argval) <= one.offset]
    return [range(int(one.argval), one.offset + 1) for one in jumps]


def _variables(through: _Through) -> Iterator[_Variable]:
    if isinstance(through, _Variable):
        yield through
    elif isinstance(through, _Items):
        yield through.variable
    elif isinstance(through, _Of):
        for arg in through.args:
            yield from _variables(arg)


def _function(words: Sequence[CodeWord], place: int, code: CodeType) -> tuple[int, _Written] | None:
    """max(…), min(…), and sorted(…)[-1] or [0]."""
    function = words[place].text.removeprefix("G:")
    if function not in ("max", "min", "sorted") or not words[place].is_called:
        return None
    read = _argument(words, place + 1)
    if read is None:
        return None
    through, after = read
    call = _call(words, after, code)
    if call is None or _is_jumped_into(words[place : call.last + 1]):
        return None
    names = set(call.names)
    key = _key(words[after : call.last]) if "key" in names else None
    if "key" in names and key is None:
        return None
    if function != "sorted":
        written = _Written(function, through, key=key)
        return (words[call.last].offset, written) if names <= {"key"} else None
    if not names <= {"key", "reverse"} or ("reverse" in names and not call.is_reversed):
        return None
    end = words[call.last + 1 : call.last + 3]
    if [word.text for word in end] != ["N", "ITEM"] or _is_jumped_into([end[0], *end]):
        return None
    if end[0].about not in (0, -1):
        return None
    largest = (end[0].about == -1) is not ("reverse" in names)
    return words[call.last].offset, _Written(function, through, key=key, largest=largest)


def _key(words: Sequence[CodeWord]) -> _Key | None:
    """The key of a call, by the words from its first argument on; None where a function in C may be called by it.

    Such a one could compare numbers by itself, in the place of the call: `partial(next, map(operator.gt, …))`.
    """
    last = words[-1].text if words else ""
    own = words[: -1 if last in ("KEY", "?") else None]
    text = " ".join(word.text for word in own if word.text != "TRUE")
    if _LAMBDA.fullmatch(text):
        return _Key(None, "")
    match = _NAMED_KEY.fullmatch(text)
    if match is None:
        return None
    variable = _Variable(str(own[0].about), is_global=own[0].text != "V")
    return _Key(variable, match["of"] or "")


_LAMBDA: Final = re.compile(r"(?:(?:V )+TUPLE )*CODE FUNCTION")
_NAMED_KEY: Final = re.compile(r"(?:V|G:\w+)(?P<of> \.get| \.__getitem__| \.itemgetter N CALL:1| N CALL:1)?")


class _Ends(NamedTuple):
    """The place of a call whose first argument is read, and the names of the other ones."""

    last: int
    names: tuple[str, ...]
    is_reversed: bool
    """True where the last of them is True itself."""


def _call(words: Sequence[CodeWord], after: int, code: CodeType) -> _Ends | None:
    """The call that the words from there on lead to, through what its other arguments are computed by."""
    depth: int = 0
    names: tuple[str, ...] = ()
    for place in range(after, len(words)):
        word = words[place]
        if word.names is not None:
            names = word.names
        if word.text.startswith("CALL:") and word.about == len(names) + 1 == depth + 1:
            is_reversed = names[-1:] == ("reverse",) and words[place - 2].text == "TRUE"
            return _Ends(place, names, is_reversed)
        if word.effect is None:
            return None
        depth += word.effect
        if depth <= 0:  # the first argument itself was used
            return None
        if word.text.startswith("CALL:"):
            names = ()
    return None


def _argument(words: Sequence[CodeWord], place: int) -> tuple[_Through, int] | None:
    """The things that are gone through, as they are written from there on, and the place after that."""
    if place >= len(words):
        return None
    word = words[place]
    if word.text == "N":
        return int(word.about), place + 1
    if word.text == "V" or (word.text.startswith("G:") and not word.is_called):
        variable = _Variable(str(word.about), is_global=word.text != "V")
        if [one.text for one in words[place + 1 : place + 3]] == [".items", "CALL:0"]:
            return _Items(variable), place + 3
        return variable, place + 1
    if word.text.removeprefix("G:") not in ("range", "len", "enumerate", "zip"):
        return None
    args: list[_Through] = []
    place += 1
    while place < len(words) and words[place].text != f"CALL:{len(args)}":
        read = _argument(words, place)
        if read is None:
            return None
        args.append(read[0])
        place = read[1]
    return (_Of(word.text.removeprefix("G:"), tuple(args)), place + 1) if place < len(words) else None


def _is_jumped_into(words: Sequence[CodeWord]) -> bool:
    return any(word.is_target for word in words[1:])
