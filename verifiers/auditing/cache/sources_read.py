"""All that a claim is made of, as one hash: the sources that are read, and the values that they name.

It is the form that a gate has of them too, with all code gone into but dpverify's, whose files are hashed as a whole.
What is outside the language has no hash, nor have iterators and handles: who knows what they are the next time.
"""

import functools
import sys
import types
from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from hashlib import sha256
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from dpverify.mechanisms.language import tables
from dpverify.mechanisms.language.library import compiled_package, is_standard_module
from dpverify.mechanisms.language.reader import read
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.auditing.digests.function_form import Code, Forms
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.divergence.parallel.own_code import hash_of
from dpverify.verifiers.locations import one_of_each_kind
from dpverify.verifiers.processes.versions import is_of_dpverify
from dpverify.verifiers.utility.case import CaseData


def digest_of_claim(claim: AnyClaim) -> str:
    """The hash of all that a claim is made of. Raises `NoKey` where something of it cannot be read."""
    if not _is_of_dpverify(type(claim)):
        raise NoKey(f"{type(claim).__qualname__} is a class of claims of its own")
    given = {one.name: getattr(claim, one.name) for one in fields(claim) if one.init}
    try:
        forms = _FormsRead(given.values())
        parts = [(name, forms.of(value)) for name, value in given.items()]
    except (RecursionError, ValueError) as error:  # a number of too many digits, say
        raise NoKey(f"it cannot be written down ({type(error).__name__})") from None
    files = [(file, hash_of(file)) for file in sorted(forms.files)]
    return sha256(repr((parts, files)).encode("utf-8", "surrogatepass")).hexdigest()


class _FormsRead(Forms):
    """Forms of what lies inside the language; `files` are those in which the functions stand that were read."""

    def __init__(self, given: Iterable[Any]) -> None:
        """`given` are the parts of a claim, whose functions and classes of rows are read together."""
        super().__init__(lambda file: not is_of_dpverify(file))
        self.files: set[str] = set()
        self._read: set[int] = set()
        self._given = [CaseData, *(one for one in one_of_each_kind(given) if _is_read(one))]

    def _is_followed(self, value: Code) -> bool:
        if isinstance(value, type):
            if tables.entry_of(value) is not None or value is object or _is_of_dpverify(value):
                return False
            if is_standard_module(value.__module__) or compiled_package(value):
                raise NoKey(f"the class {value.__module__}.{value.__qualname__} is outside the language")
        elif tables.entry_of(value) is not None or not super()._is_followed(value):
            return False
        else:
            self.files.add(value.__code__.co_filename)
        if id(value) not in self._read:
            self._reading(value)
        return True

    def _reading(self, value: Code) -> None:
        """Read a function or a class, together with what the claim is given. Raises `NoKey` for what is outside."""
        reading = read(value, values=self._given)
        for place in reading.outside:
            raise NoKey(f"{place.construct} at line {place.line} of {place.file} is outside the language")
        self._read |= {id(value), *(id(each.function) for each in reading.each)}

    def _name_of(self, function: FunctionType) -> str:
        code = function.__code__
        return f"{function.__module__}.{code.co_qualname}:{code.co_firstlineno}:{list(code.co_positions())[:4]}"

    def _of_claim(self, claim: AnyClaim) -> str:
        return self._of_object(claim)

    def _of_other(self, value: Any) -> str:
        is_named = isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType)
        if is_named and tables.entry_of(value) is None:
            raise NoKey(f"{value.__module__}.{value.__qualname__} is outside the language")
        return super()._of_other(value)

    def _of_object(self, value: Any) -> str:
        kind = type(value)
        if kind is functools._lru_cache_wrapper:
            return f"cached({self.of(value.__wrapped__)})"
        if tables.entry_of(value) is not None:
            return f"{getattr(value, '__module__', '')}.{value.__qualname__}"
        if kind in (types.GenericAlias, types.UnionType) or kind.__module__ == "typing":
            return f"{value!r}({','.join(map(self.of, getattr(value, '__args__', ())))})"
        if is_standard_module(kind.__module__) or (compiled_package(kind) and not _is_of_dpverify(kind)):
            raise NoKey(f"a value of the class {kind.__module__}.{kind.__qualname__} is another one each time")
        if isinstance(value, int | str | bytes | float | complex | Fraction | list | dict | set | frozenset):
            raise NoKey(f"{kind.__qualname__} is derived from a builtin class")
        return super()._of_object(value)


def _is_read(value: Any) -> bool:
    """True of what is read: functions, classes and objects of classes that are none of dpverify."""
    if isinstance(value, FunctionType):
        return not is_of_dpverify(value.__code__.co_filename)
    kind = value if isinstance(value, type) else type(value)
    return not _is_of_dpverify(kind) and kind.__module__ != "builtins" and kind not in tables.SCALARS


def _is_of_dpverify(kind: type) -> bool:
    """True of a class that a file of dpverify defines; anybody may give a class another module's name."""
    return (
        kind.__module__.startswith("dpverify.")
        and getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind
    )
