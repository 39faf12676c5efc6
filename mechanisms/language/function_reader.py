"""One function, node by node: syntax, names, attributes, calls, changes, identity and errors."""

from __future__ import annotations

import ast
import string
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import FunctionType
from typing import Any, Final, Protocol, TypeAlias

from dpverify.mechanisms.language import library, tables
from dpverify.mechanisms.language.names import COMPREHENSIONS, NOT_KNOWN, NameScope, names_in
from dpverify.mechanisms.language.readings import OutsidePlace

Refusal: TypeAlias = tuple[str, str]
"""A construct that is outside, and what to write instead."""

_NO_CLASS: Final = "ask an object whose class the mechanism, its parameters or its rows lead to"
_FORMAT: Final = "format of a text that is computed, or that asks for attributes", "write an f-string"
_CHANGE: Final = "a change of a value that is there before the run", "change a copy that the mechanism makes"


_GUARDED: Final = tables.CHANGING | {"format", "keys", "items"}
"""Attributes that the compiled form guards where they are written."""


class ReadValues(Protocol):
    """The reader of values, as a function that is read needs it."""

    outside: set[OutsidePlace]
    classes: set[type]
    asked: set[str]
    unsure: list[tuple[str, type | None, OutsidePlace]]

    def refusal(self, value: Any) -> Refusal | None:
        """The reason why a value is outside; None where it is inside."""


class FunctionReader:
    """Reads the nodes of one function; what is outside is added to `values`."""

    def __init__(
        self, tree: ast.FunctionDef | ast.Lambda, place: Callable[[ast.AST, str, str], OutsidePlace], values: ReadValues
    ) -> None:
        self.names = names_in(tree)
        self._place = place
        self._values = values
        self._done: set[ast.AST] = set()
        """Nodes that were read with the node around them."""

    def read(self) -> None:
        """Read all nodes."""
        for node, scope in self.names.nodes:
            if node in self._done:
                continue
            is_product = isinstance(getattr(node, "op", None), ast.MatMult)  # which has no place of its own
            if is_product or not isinstance(node, tables.SYNTAX):
                name = ast.MatMult.__name__ if is_product else type(node).__name__
                self._say(node, *tables.OUTSIDE_SYNTAX.get(name, (name, "")))
            elif (rule := _RULES.get(type(node))) is not None:
                rule(self, node, scope)
        for each in self.names.calls_in_annotations:  # Python runs it each time, and the compiled form does not
            self._say(each, "an annotation that calls", "give it a name of a class")

    def _say(self, node: ast.AST, construct: str, instead: str = "") -> None:
        self._values.outside.add(self._place(node, construct, instead))

    def _value(self, node: ast.AST, value: Any) -> None:
        refusal = self._values.refusal(value)
        if refusal is not None:
            self._say(node, *refusal)

    # --- names and attributes
    def _name(self, node: ast.Name, scope: NameScope) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        if node.id == "__debug__":
            self._say(node, "__debug__, which python -O makes another value", "give it as a parameter")
        elif scope.of(node.id) is None and node.id not in self.names.outside:
            self._say(node, f"the name {node.id}, which has no value")
        elif (value := self.names.value(node, scope)) is not NOT_KNOWN:
            self._value(node, value)

    def _attribute(self, node: ast.Attribute, scope: NameScope) -> None:
        if isinstance(node.ctx, ast.Del):
            self._say(node, "del of an attribute", "give it another value")
        elif isinstance(node.ctx, ast.Store):
            if self.names.is_from_outside(node.value, scope) or isinstance(node.value, ast.Call):
                self._say(node, *_CHANGE)
            self._asked(node, node.attr, None)
        elif (value := self.names.value(node, scope)) is not NOT_KNOWN:
            self._done.update(_chain(node))
            self._value(node, value)
        elif node.attr == "format":
            self._say(node, *_FORMAT)
        elif isinstance(owner := self.names.value(node.value, scope), types.ModuleType):
            self._done.add(node.value)
            self._say(node, f"{owner.__name__}.{node.attr}, which is not there")
        elif not (_is_super(node.value) and node.attr in tables.SPECIAL_METHODS - tables.CALLED_BY_C):
            kind = self.names.type_of(node.value, scope)
            self._asked(node, node.attr, kind)
            if self.names.is_from_outside(node.value, scope) and _changes(kind, node.attr):
                self._say(node, *_CHANGE)

    def _asked(self, node: ast.AST, name: str, kind: type | None) -> None:
        """An attribute is asked of a value, whose type may be known."""
        self._values.asked.add(name)
        of = "" if kind is None else f" of {kind.__name__}"
        instead = _NO_CLASS if kind is None and not tables.is_special(name) else ""
        place = self._place(node, f"the attribute .{name}{of}", instead)
        if kind is not None and kind in tables.METHODS:
            is_inside = tables.method_of(kind, name) is not None
        elif kind is not None and library.is_of_kernel(kind):
            is_inside = library.has_attribute(kind, name)
        elif is_inside := name in tables.ANY_TYPE or not tables.is_special(name):
            self._values.unsure.append((name, kind, place))
        if not is_inside:
            self._values.outside.add(place)

    # --- calls and changes
    def _call(self, node: ast.Call, scope: NameScope) -> None:
        called = self.names.value(node.func, scope)
        entry = None if called is NOT_KNOWN else tables.entry_of(called) or _of_type(called)
        if entry is not None and entry.changes is not None:
            self._done.update((node.func, *_chain(node.func)))
            changed = node.args[entry.changes] if len(node.args) > entry.changes else None
            if changed is None or isinstance(changed, ast.Starred):
                self._say(node, f"{called.__name__} without its operand in place", "write what it changes as the first")
            elif self.names.is_from_outside(changed, scope):
                self._say(node, *_CHANGE)
        elif called is not NOT_KNOWN:
            self._of_builtin(node, called, scope)
            if called in tables.CALLED_BY_NAME:
                self._done.add(node.func)
            if called is map or called is isinstance:
                self._accept_type(node.args, scope)
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "format" and _is_simple(node.func.value):
            self._done.add(node.func)

    def _accept_type(self, nodes: Iterable[ast.expr], scope: NameScope) -> None:
        self._done.update(each for each in nodes if self.names.value(each, scope) is type)

    def _of_builtin(self, node: ast.Call, called: Any, scope: NameScope) -> None:
        if called is type and len(node.args) != 1:
            self._say(node, "a class that type(…) makes", "define it in the module")
        elif called is super and node.args:
            self._say(node, "super(…) with arguments", "write super()")
        elif called is getattr or called is hasattr:
            match node.args:
                case [owner, ast.Constant(value=str(name)), *_] if called is hasattr or name not in _GUARDED:
                    self._asked(node, name, self.names.type_of(owner, scope))
                case _:
                    self._say(node, f"{called.__name__} of such a name", "write the attribute")

    def _subscript(self, node: ast.Subscript, scope: NameScope) -> None:
        if not isinstance(node.ctx, ast.Load) and self.names.is_from_outside(node.value, scope):
            self._say(node, *_CHANGE)

    def _nonlocal(self, node: ast.Nonlocal, scope: NameScope) -> None:
        for name in node.names:
            if scope.parent is None or scope.parent.of(name) is None:
                self._say(node, f"nonlocal {name}, which is there before the run", "return the value")

    def _import(self, node: ast.Import | ast.ImportFrom, scope: NameScope) -> None:
        if isinstance(node, ast.ImportFrom) and (node.level or any(each.name == "*" for each in node.names)):
            self._say(node, "a relative import in a function", "import it at the top of the module")

    # --- identity and errors
    def _compare(self, node: ast.Compare, scope: NameScope) -> None:
        operands = [node.left, *node.comparators]
        self._accept_type(operands, scope)
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if isinstance(op, ast.Is | ast.IsNot) and not any(self._has_identity(x, scope) for x in (left, right)):
                self._say(
                    node, "is between two values", "write ==, or compare with None, an Enum's member or a sentinel"
                )

    def _has_identity(self, node: ast.expr, scope: NameScope) -> bool:
        if isinstance(node, ast.Constant):
            return type(node.value) in _WITH_IDENTITY
        value = self.names.value(node, scope)
        return value is not NOT_KNOWN and (type(value) in _WITH_IDENTITY or isinstance(value, type | Enum))

    def _try(self, node: ast.Try, scope: NameScope) -> None:
        for handler in node.handlers:
            named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            for each in named:
                if each is None:
                    self._say(handler, "except without a name", "name the error, such as except ValueError")
                elif not self._is_caught(self.names.value(each, scope)):
                    self._done.update(ast.walk(each))
                    self._say(each, f"except {ast.unparse(each)}", "test before, or name a narrower error")
        for left in _left_by(node.finalbody):
            self._say(left, f"{type(left).__name__.lower()} in finally", "write it after the try")

    def _is_caught(self, value: Any) -> bool:
        if not isinstance(value, type) or self._values.refusal(value) is not None:
            return False
        return value in tables.CAUGHT or value in self._values.classes

    # --- other nodes
    def _comprehension(self, node: Any, scope: NameScope) -> None:
        if any(each.is_async for each in node.generators):
            self._say(node, "async for", "write a plain loop")

    def _match_class(self, node: ast.MatchClass, scope: NameScope) -> None:
        names = getattr(self.names.value(node.cls, scope), "__match_args__", ())
        for name in (*names[: len(node.patterns)], *node.kwd_attrs):
            self._asked(node, name, None)


_WITH_IDENTITY: Final = (type(None), bool, type(...), type(NotImplemented), object, FunctionType)
"""Types of which each value is one object; a sentinel is an `object()` that the module names."""

_RULES: Final[Mapping[type[ast.AST], Callable[[FunctionReader, Any, NameScope], None]]] = types.MappingProxyType(
    {
        ast.Name: FunctionReader._name,
        ast.Attribute: FunctionReader._attribute,
        ast.Call: FunctionReader._call,
        ast.Subscript: FunctionReader._subscript,
        ast.Nonlocal: FunctionReader._nonlocal,
        **dict.fromkeys((ast.Import, ast.ImportFrom), FunctionReader._import),
        ast.Compare: FunctionReader._compare,
        ast.Try: FunctionReader._try,
        **dict.fromkeys(COMPREHENSIONS, FunctionReader._comprehension),
        ast.MatchClass: FunctionReader._match_class,
    }
)


def _chain(node: ast.AST) -> Iterator[ast.AST]:
    """The node that an attribute is asked of, and so on."""
    while isinstance(node, ast.Attribute):
        node = node.value
        yield node


def _changes(kind: type | None, name: str) -> bool:
    """True of a method that changes its receiver, of that type, or where it is not known of some type."""
    entry = None if kind is None else tables.method_of(kind, name)
    return name in tables.CHANGING if kind is None else entry is not None and entry.changes is not None


def _of_type(called: Any) -> tables.Entry | None:
    """The entry of a method that is called as `list.append(…)`."""
    return tables.entry_of_method(called) if isinstance(called, types.MethodDescriptorType) else None


def _is_simple(text: ast.expr) -> bool:
    """True of a text in the source whose fields ask for no attribute and no item, nor have fields in them."""
    return (
        isinstance(text, ast.Constant)
        and isinstance(text.value, str)
        and not any({*".["} & {*(field or "")} or "{" in (spec or "") for _, field, spec, _ in _fields(text.value))
    )


def _fields(text: str) -> Iterable[tuple[Any, ...]]:
    try:
        return [*string.Formatter().parse(text)]
    except ValueError:  # which it raises when it runs
        return []


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == super.__name__


def _left_by(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements that leave a `finally`: return, break and continue that are in no function or loop of their own."""
    for node in nodes:
        if isinstance(node, ast.Return | ast.Break | ast.Continue):
            yield node
        elif isinstance(node, ast.For | ast.While):
            yield from (each for each in ast.walk(node) if isinstance(each, ast.Return))
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _left_by(ast.iter_child_nodes(node))
