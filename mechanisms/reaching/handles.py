"""Handles: objects of Python's and numpy's own that keep something of which they show nothing.

A file, memory that is shared, a connection, a variable of a context, a hash that goes on: what was put in by one run is
there for the next, and no comparison of what the object holds says so. So no mechanism may reach one, whenever it was
made. Of the kinds in C those are passed by that never change; what they lead to is looked at as all else is. Of kinds
that others have made in C nothing is known: what these keep is seen only where laws are computed again.

A descriptor is a number, which can be written in any code; so the functions to which it is handed are refused as chance
is, where they are called and where they are named: see `OF_DESCRIPTORS`.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from dpverify.mechanisms.functions.trusted import module_of

_NEVER_CHANGE: Final = frozenset(
    {
        *("operator.attrgetter", "operator.itemgetter", "operator.methodcaller", "re.Match", "_struct.Struct"),
        *("functools.KeyWrapper", "builtins.slice", "builtins.super", "builtins.mappingproxy", "builtins.ellipsis"),
        *("typing.NoDefaultType", "unicodedata.UCD", "_abc._abc_data"),
    }
)
"""Kinds in C whose objects always are what they were made, or of which what can be changed is held."""

_OF_CHANCE: Final = "numpy.random"
"""Its generators are compared with what they were."""

_HOLD_ALL_THEIR_OWN: Final = frozenset({"abc", "collections.abc", "enum", "typing"})


def keeps_unseen(value: Any) -> bool:
    """True where an object whose content cannot be compared is of a kind, or made of one, that keeps something."""
    return any(map(_keeps_unseen, type(value).__mro__))


def _keeps_unseen(kind: type) -> bool:
    module = module_of(kind)
    if kind is object or f"{module}.{kind.__qualname__}" in _NEVER_CHANGE or module in _HOLD_ALL_THEIR_OWN:
        return False
    return is_of_python(kind) and not module.startswith(_OF_CHANCE)


def is_of_python(kind: type) -> bool:
    """True where a class is of a module of Python's or of numpy's."""
    top = module_of(kind).partition(".")[0]
    return top == "numpy" or top in sys.stdlib_module_names


OF_DESCRIPTORS: Final = (
    *("read", "readv", "pread", "preadv", "write", "writev", "pwrite", "pwritev", "lseek", "sendfile", "splice"),
    *("copy_file_range", "posix_fallocate", "pipe", "pipe2", "memfd_create", "eventfd", "eventfd_read"),
    *("eventfd_write", "openpty", "dup", "dup2", "close", "closerange", "set_blocking", "set_inheritable"),
    *("fchmod", "fchown", "fchdir", "mkfifo", "mknod", "umask", "nice", "setpriority", "sched_setaffinity"),
)
"""Functions of os that use a descriptor, make one, or change what the system keeps of a process or a file."""
