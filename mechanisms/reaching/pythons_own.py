"""Things that Python's own modules keep for everybody: nothing, what is compared, and what is not for parts.

`calendar.setfirstweekday`, `signal.setitimer` and `logging.disable` tell whoever asks later, and no name of a mechanism
holds what they change. So a sub-mechanism may name what is listed here, and nothing else of Python's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import ExtensionFileLoader
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.trusted import is_in_its_module, is_trusted, module_of

_KEEP_NOTHING: Final = frozenset(
    {
        *("builtins", "math", "cmath", "fractions", "numbers", "itertools", "functools", "operator", "collections"),
        *("heapq", "bisect", "statistics", "string", "array", "struct", "copy", "enum", "dataclasses", "types"),
        *("typing", "abc", "re", "json", "textwrap", "unicodedata", "datetime", "hashlib", "base64", "binascii"),
        *("colorsys", "keyword", "weakref", "weakrefset", "future", "dpverify"),
    }
)
"""Modules whose functions leave everything as it was, but for what they are given."""

_COMPARED: Final = frozenset(
    {
        *("decimal", "pydecimal", "numpy", "scipy", "flint", "warnings", "contextlib", "contextvars", "time", "io"),
        *("pathlib", "random", "secrets", "uuid", "ctypes", "gc", "inspect", "traceback", "dis", "pickle"),
        "zlib",
    }
)
"""Those of which it is compared what they keep, or whose ways are refused elsewhere."""

_PARTLY: Final[Mapping[str, frozenset[str]]] = {
    "os": frozenset(
        ("environ", "getcwd", "chdir", "fspath", "getpid", "cpu_count", "path", "urandom", "getrandom", "PathLike")
    ),
    "sys": frozenset(
        {
            *("stdout", "stderr", "stdin", "excepthook", "displayhook", "breakpointhook", "unraisablehook", "path"),
            *("getrecursionlimit", "setrecursionlimit", "getswitchinterval", "setswitchinterval", "argv", "exc_info"),
            *("get_int_max_str_digits", "set_int_max_str_digits", "settrace", "gettrace", "setprofile", "getprofile"),
            *("float_info", "int_info", "hash_info", "version_info", "implementation", "getsizeof", "getrefcount"),
            *("_getframe", "modules", "intern", "exit", "meta_path", "flags"),
        }
    ),
    "locale": frozenset(("setlocale", "getlocale", "localeconv")),
    "http": frozenset(("HTTPStatus", "HTTPMethod")),
    "csv": frozenset(("field_size_limit", "reader", "writer", "DictReader", "DictWriter")),
    "socket": frozenset(("getdefaulttimeout", "setdefaulttimeout")),
    "threading": frozenset(("Lock", "RLock", "stack_size", "excepthook", "lock", "settrace", "setprofile")),
    "tracemalloc": frozenset(("start", "stop", "is_tracing")),
    "faulthandler": frozenset(("enable", "disable", "is_enabled")),
    "signal": frozenset(("signal", "getsignal", "raise_signal", "default_int_handler")),
    "logging": frozenset(("Logger", "Handler", "LogRecord")),
}
"""Names of others: what these keep is compared, too."""

_OTHER_NAMES: Final = {"posix": "os", "posixpath": "os", "nt": "os", "ntpath": "os", "genericpath": "os"}


def _top(module: str) -> str:
    top = module.partition(".")[0].lstrip("_")
    return {**_OTHER_NAMES, "thread": "threading"}.get(top, top)


def named_of_python(values: Iterable[Any], words: frozenset[str]) -> Iterator[str]:
    """The names by which code with these words, that reaches these values, has something that Python keeps."""
    for value in values:
        if type(value) is ModuleType:
            yield from _named_in(value, words)
        elif type(value) in (FunctionType, BuiltinFunctionType):
            module = getattr(value, "__module__", None)
            if not isinstance(module, str) or not is_trusted(module) or _is_listed(module, value.__name__):
                continue
            if is_in_its_module(value):  # and not what an object of Python's holds for itself
                yield f"{module}.{value.__name__}"
        elif isinstance(value, type):
            top = _top(module_of(value))  # of Python's own classes it is compared what they keep
            if is_trusted(top) and top not in sys.stdlib_module_names and not _is_listed(top, value.__name__):
                yield f"{module_of(value)}.{value.__name__}"


def named_in_foreign_code(values: Iterable[Any]) -> Iterator[str]:
    """The names of what is written in C, or compiled to it, by others than Python and the packages that are trusted.

    Of such code nobody can say what it keeps.
    """
    for value in values:
        kind = type(value)
        if kind is FunctionType:
            continue
        if kind is ModuleType:
            module = value.__name__
        elif kind is BuiltinFunctionType:
            module = value.__module__ or module_of(type(value.__self__))
        else:
            module = module_of(value if isinstance(value, type) else kind)
        if isinstance(module, str) and not is_trusted(module) and (kind is BuiltinFunctionType or _is_compiled(module)):
            name = "" if kind is ModuleType else f".{getattr(value, '__name__', kind.__name__)}"
            yield f"{module}{name}"


def _is_compiled(module: str) -> bool:
    loader = getattr(getattr(sys.modules.get(module), "__spec__", None), "loader", None)
    return isinstance(loader, ExtensionFileLoader)


def private_of_python(values: Iterable[Any], words: frozenset[str]) -> Iterator[str]:
    """The names by which code has what a module of Python's keeps for itself, such as `re._cache`."""
    for value in values:
        if type(value) is ModuleType and is_trusted(value.__name__) and not _is_partly(value.__name__):
            for word in sorted(words & vars(value).keys()):
                is_said = _is_private(word) and not isinstance(vars(value)[word], (*_CONSTANTS, ModuleType))
                if is_said and _top(value.__name__) != "dpverify":
                    yield f"{value.__name__}.{word}"


def _is_private(word: str) -> bool:
    return word.startswith("_") and not word.startswith("__")


def _named_in(module: ModuleType, words: frozenset[str]) -> Iterator[str]:
    name = module.__name__
    if not is_trusted(name) or _top(name) == "dpverify":
        return
    own = name.rpartition(".")[2]  # which code says in any case
    for word in sorted(words & vars(module).keys(), key=lambda word: (word == own, word)):
        value = vars(module)[word]
        if isinstance(value, _CONSTANTS) or (isinstance(value, type) and issubclass(value, BaseException)):
            continue
        if type(value) is not ModuleType and not (
            _is_listed(name, word) and (not _is_private(word) or _is_partly(name))
        ):
            yield f"{name}.{word}"


_CONSTANTS: Final = (int, float, str, bytes, type(None), tuple, frozenset)


def _is_partly(module: str) -> bool:
    return _top(module) in _PARTLY


def _is_listed(module: str, name: str) -> bool:
    top = _top(module)
    return top in _KEEP_NOTHING or top in _COMPARED or name in _PARTLY.get(top, ())


def may_change_the_process(values: Iterable[Any]) -> bool:
    """True where code that reaches these values may change what a process keeps for everybody."""
    return any(map(_may_change, values))


def _may_change(value: Any) -> bool:
    kind = type(value)
    if kind is ModuleType:
        module: Any = value.__name__
        return is_trusted(module) and _top(module) not in _KEEP_NOTHING - {"dpverify"}
    module = value.__module__ if kind is FunctionType else _module_of(value, kind)
    return isinstance(module, str) and is_trusted(module) and _top(module) not in _KEEP_NOTHING


def _module_of(value: Any, kind: type) -> Any:
    if kind is BuiltinFunctionType:
        return value.__module__ or module_of(type(value.__self__))
    return module_of(value if isinstance(value, type) else kind)


def modules_within(module: ModuleType, words: frozenset[str]) -> Iterator[tuple[str, ModuleType]]:
    """The modules that one of Python's holds under names that code says, such as `collections.abc`."""
    name = module.__name__
    if is_trusted(name) and sys.modules.get(name) is module:
        for word in sorted(words & vars(module).keys()):
            if type(vars(module)[word]) is ModuleType:
                yield f"{name}.{word}", vars(module)[word]
