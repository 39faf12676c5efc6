"""Stand-ins in a compiled form for caches, modules, and the creation of objects by code of the program."""

import dataclasses
import inspect
from collections.abc import Callable, Hashable, Mapping
from types import MethodType, ModuleType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.language.values_from_outside import NotCompiled, OutsideLanguage, exact_key, refuse_identity
from dpverify.mechanisms.numbers.errors import bad_mechanism

_MOST_REMEMBERED: Final = 1 << 16

_TUPLE: Final = "return a tuple"

_BY_PLACE: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD


class Memory:
    """A `functools.cache` of one form: a function of the content of its arguments, 1 and True apart."""

    def __init__(self, memory: Any, keep: Callable[[Any], None]) -> None:
        self.__name__ = self.__qualname__ = name_of(memory.__wrapped__)
        self.function: Callable[..., Any] = memory
        self._keep = keep
        self._most = memory.cache_parameters()["maxsize"] or _MOST_REMEMBERED
        self._kept: dict[Hashable, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result for these arguments, as it was found before where they were the same."""
        key = exact_key((args, *kwargs.items()))
        if key is None:
            return self.function(*args, **kwargs)
        if key not in self._kept:
            result = self.function(*args, **kwargs)
            try:
                self._keep(result)
            except NotCompiled as error:
                raise OutsideLanguage(
                    bad_mechanism.CHANGES.text(f"what functools.cache keeps, {error}", _TUPLE)
                ) from None
            refuse_identity(result)
            if len(self._kept) >= self._most:
                self._kept.clear()
            self._kept[key] = result
        return self._kept[key]

    def __get__(self, value: Any, kind: type | None = None) -> Any:
        return self if value is None else MethodType(self, value)


class Module:
    """A module as a compiled mechanism sees it: what it asks for is looked up and copied then."""

    def __init__(
        self, module: ModuleType, value: Callable[[Any], Any], note: Callable[[ModuleType, str], None]
    ) -> None:
        self.__dict__.update(_module=module, _value=value, _note=note)

    def __getattr__(self, name: str) -> Any:
        held = self.__dict__
        held["_note"](held["_module"], name)
        return held["_value"](getattr(held["_module"], name))


def creating(cls: Any, after: Callable[..., None] | None, given_by: Callable[[Any], Any]) -> Callable[..., Any]:
    """The function that creates an object of a dataclass whose own code, `after`, looks at it at last.

    `given_by` makes a default, or what gives one, what the compiled form has in its place.
    """
    signature = inspect.signature(cls)
    fields: Mapping[str, Any] = cls.__dataclass_fields__
    by_place = [*signature.parameters] if all(each.kind is _BY_PLACE for each in signature.parameters.values()) else []

    def created(*args: Any, **kwargs: Any) -> Any:
        is_plain = not kwargs and len(args) == len(by_place)
        given = dict(zip(by_place, args, strict=True)) if is_plain else signature.bind(*args, **kwargs).arguments
        made, passed = cls.__new__(cls), []
        for name, field in fields.items():
            kind = field._field_type.name
            if name in given:
                value = given[name]
            elif field.default_factory is not dataclasses.MISSING:
                value = given_by(field.default_factory)()
            elif field.default is not dataclasses.MISSING:
                value = given_by(field.default)
            else:
                continue
            if kind == "_FIELD_INITVAR":
                passed.append(value)
            elif kind == "_FIELD":
                object.__setattr__(made, name, value)
        if after is not None:
            after(made, *passed)
        return made

    return created
