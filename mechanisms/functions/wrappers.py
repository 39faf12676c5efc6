"""Wrappers that take any keywords, such as those made with `functools.wraps`: what they hand these on to.

A wrapper may hand on its keywords as they are, or fill in some of its own, as `f(draw, rows, **{"epsilon": 5, **more})`
does: then a keyword that it is given replaces that value. Only its code says which. Here a wrapper is seen to hand on
where all that it does with its keywords is a call of what it wraps, with all its arguments and nothing besides, and
where it catches no error. Then it has no value of its own for a parameter that the wrapped function requires: called
without it, it raises the `TypeError` of that function.
"""

import dis
import inspect
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType, MethodType
from typing import Any


def handed_on_to(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function that a wrapper hands on all its arguments to; None where it is none, or that is not seen."""
    if isinstance(function, MethodType):
        wrapped = handed_on_to(function.__func__)
        return None if wrapped is None else MethodType(wrapped, function.__self__)
    if not isinstance(function, FunctionType):
        call = getattr(function, "__call__", None)  # noqa: B004  # which is read, and not only looked for
        return handed_on_to(call) if isinstance(call, MethodType) else None
    wrapped = getattr(function, "__wrapped__", None)
    code = function.__code__
    if not callable(wrapped) or not code.co_flags & inspect.CO_VARKEYWORDS or code.co_exceptiontable:
        return None
    seen = inspect.getclosurevars(function)
    names = [name for name, value in {**seen.globals, **seen.nonlocals}.items() if value is wrapped]
    return wrapped if any(_hands_on(code, name) for name in names) else None


def _hands_on(code: CodeType, wrapped: str) -> bool:
    """True where every use of the keywords is in a call of the function of that name, with all other arguments."""
    placed = code.co_varnames[: code.co_argcount]
    others = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :]
    every = others[:1] if code.co_flags & inspect.CO_VARARGS else ()
    keywords = others[len(every)]
    end = ("BUILD_MAP 0", keywords, "DICT_MERGE 1", "CALL_FUNCTION_EX")
    outside, built = f"{wrapped} from outside", f"BUILD_TUPLE {len(placed)}"
    calls = [(outside, *every, *end)] if every and not placed else []
    if placed and not every:
        calls = [(outside, *placed, built, *end), (placed[0], outside, *placed[1:], built, *end)]
    words = _words(code)
    before = [words[: i + 3] for i, word in enumerate(words) if word == keywords]
    return bool(before) and all(any((*each[-len(call) :],) == call for call in calls) for each in before)


def _words(code: CodeType) -> Sequence[str]:
    """The instructions: a variable that is read by its name, anything else by what is done, and by all names in it."""
    words: list[str] = []
    for instruction in dis.get_instructions(code):
        name, about = instruction.opname, instruction.argval
        if name.startswith("LOAD_FAST"):  # which may read two
            words += [about] if isinstance(about, str) else about
        elif name == "LOAD_GLOBAL" or (name == "LOAD_DEREF" and about in code.co_freevars):
            words.append(f"{about} from outside")
        elif name in ("BUILD_MAP", "BUILD_TUPLE", "DICT_MERGE"):
            words.append(f"{name} {about}")
        elif name != "PUSH_NULL":
            words += [name, about] if isinstance(about, str) and name != "LOAD_CONST" else [name]
    return words
