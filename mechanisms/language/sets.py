"""Sets that are gone through in the order in which they were filled, whatever the hash seed.

They are sets: equal to plain ones, hashed like them, and the answer to `isinstance(x, set)`. All operators keep the
order of the left operand. `pop` takes the element that was put in last.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView
from collections.abc import Set as AnySet
from copy import deepcopy
from itertools import chain
from typing import Any, TypeVar

from dpverify.mechanisms.functions.fixed_values import FROZEN_SETS

_Kind = TypeVar("_Kind", bound="_Ordered")


class _AnySetOfIts(type):
    """The type of both classes: a plain set, which a library's function may return, is an instance as well."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__mro__[2])

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__mro__[2])


class _Ordered:
    """The common part of sets and frozensets; `order` holds the elements as keys."""

    __slots__ = ()
    order: dict[Any, None]
    as_plain: Any
    """The plain type, whose sets are returned."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        """A set of these."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self.order)

    def __repr__(self) -> str:
        inner = f"{{{', '.join(map(repr, self.order))}}}" if self.order else ""
        return inner if inner and isinstance(self, set) else f"{type(self).__name__}({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__mro__[2], (tuple(self.order),)

    def __deepcopy__(self: _Kind, known: Any) -> _Kind:
        return type(self)(deepcopy(list(self.order), known))

    def copy(self: _Kind) -> _Kind:
        """A set of the same elements, in the same order."""
        return type(self)(self.order)

    __copy__ = copy

    def union(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """As of a set."""
        return type(self)(chain(self.order, *others))

    def intersection(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """As of a set."""
        return type(self)(filter(self.as_plain.intersection(self, *others).__contains__, self.order))

    def difference(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """As of a set."""
        return type(self)(filter(self.as_plain.difference(self, *others).__contains__, self.order))

    def symmetric_difference(self: _Kind, other: Iterable[Any]) -> _Kind:
        """As of a set."""
        others = dict.fromkeys(other)
        return type(self)(chain(self.difference(others), (x for x in others if x not in self.order)))


def _operator(method: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: method(self, other) if isinstance(other, AnySet) else NotImplemented


def _changing(method: Callable[..., Any], *, in_place: bool) -> Callable[..., Any]:
    def changed(self: Any, *others: Any) -> Any:
        self.__init__(list(method(self, *others)))
        return self if in_place else None

    return changed


_METHODS = (
    ("or", "update", _Ordered.union),
    ("and", "intersection_update", _Ordered.intersection),
    ("sub", "difference_update", _Ordered.difference),
    ("xor", "symmetric_difference_update", _Ordered.symmetric_difference),
)


class OrderedSet(_Ordered, set[Any], metaclass=_AnySetOfIts):
    """A set in the order in which it was filled."""

    __slots__ = ("order",)
    __hash__ = None

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.order = dict.fromkeys(items)
        set.clear(self)
        set.update(self, self.order)

    def add(self, item: Any) -> None:
        """As of a set."""
        self.order.setdefault(item)
        set.add(self, item)

    def update(self, *others: Iterable[Any]) -> None:
        """As of a set."""
        for other in others:
            self.order |= dict.fromkeys(other)
        set.update(self, self.order)

    def discard(self, item: Any) -> None:
        """As of a set."""
        self.order.pop(item, None)
        set.discard(self, item)

    def remove(self, item: Any) -> None:
        """As of a set."""
        set.remove(self, item)
        del self.order[item]

    def pop(self) -> Any:
        """The element that was put in last, which is taken out. Raises `KeyError` for an empty set."""
        if not self.order:
            raise KeyError("pop from an empty set")
        item, _ = self.order.popitem()
        set.discard(self, item)
        return item

    def clear(self) -> None:
        """As of a set."""
        self.order.clear()
        set.clear(self)


for _name, _update, _method in _METHODS:
    setattr(_Ordered, f"__{_name}__", _operator(_method))
    setattr(_Ordered, f"__r{_name}__", _operator(lambda self, other, of=_method: of(ordered(other), self)))
    setattr(OrderedSet, f"__i{_name}__", _operator(_changing(_method, in_place=True)))
    if _name != "or":
        setattr(OrderedSet, _update, _changing(_method, in_place=False))


class OrderedFrozenSet(_Ordered, frozenset[Any], metaclass=_AnySetOfIts):
    """A frozenset in the order in which it was filled."""

    __slots__ = ("order",)

    def __new__(cls, items: Iterable[Any] = ()) -> OrderedFrozenSet:
        """As of a frozenset."""
        if type(items) is cls:
            return items
        order = dict.fromkeys(items)
        made = super().__new__(cls, order)
        made.order = order
        return made


for _class, _name in ((OrderedSet, "set"), (OrderedFrozenSet, "frozenset")):
    _class.as_plain = _class.__mro__[2]
    _class.__name__ = _class.__qualname__ = _name  # as Python's own messages name them


FROZEN_SETS.add(OrderedFrozenSet)


class OrderedKeys(KeysView[Any]):
    """The keys of a dict, of which `&`, `|`, `-` and `^` give ordered sets."""

    _from_iterable = OrderedSet


class OrderedItems(ItemsView[Any, Any]):
    """The items of a dict, of which `&`, `|`, `-` and `^` give ordered sets."""

    _from_iterable = OrderedSet


def ordered(value: Any) -> Any:
    """An ordered set of the elements of a set; they are in its own order, which is one where that is ordered."""
    return OrderedFrozenSet(value) if isinstance(value, frozenset) else OrderedSet(value)
