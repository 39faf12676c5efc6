"""The compiled form of a mechanism: what is checked, and what `run` runs, from the source that was read.

Functions keep file, lines, names, and, where nothing had to be guarded, their code. What they name from outside stands
in a namespace of this form, in which functions are compiled and values are copies.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum, EnumMeta
from functools import cached_property, lru_cache, partial
from itertools import chain
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from dpverify.mechanisms.comparing.call import Handed
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.trusted import OF_MODULE
from dpverify.mechanisms.language.compiled_code import codes_within, compiled_code, names_in_code
from dpverify.mechanisms.language.exact_reading import (
    MARK,
    exact_defaults,
    exact_global,
    has_exact_values,
    has_floats,
    named_number,
)
from dpverify.mechanisms.language.guards import TEXT_METHODS, Guards, builtins_with
from dpverify.mechanisms.language.library import is_generated, is_of_kernel, member_functions, names_of, values_held_by
from dpverify.mechanisms.language.numpy_names import meanings
from dpverify.mechanisms.language.reader import defaults_of, read
from dpverify.mechanisms.language.readings import OutsidePlace, ReadFunction, Reading
from dpverify.mechanisms.language.stand_ins import Memory, Module, creating
from dpverify.mechanisms.language.tables import CLASS_FACTS, SCALARS, SHAPE, entry_of, is_special
from dpverify.mechanisms.language.transforms import FIELDS, METHOD, READ, SPECIAL, TYPE
from dpverify.mechanisms.language.values_from_outside import (
    MEMORY,
    SCALAR_TYPES,
    Copies,
    NotCompiled,
    is_of_library,
    may_hold_a_set,
)
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.outputs.arrays import as_array, as_frame
from dpverify.mechanisms.patterns.last_draws import CALLED

_NOTHING: Final = object()


class CompiledForm:
    """A mechanism that was read and lies inside the language, compiled. Raises `NotCompiled` where it cannot be."""

    def __init__(self, reading: Reading) -> None:
        # Attributes that no class defines which was read may be those of rows: they are looked at when it runs
        outside = [place for place in reading.outside if place not in {each for _, each in reading.unsure}]
        if outside:
            raise NotCompiled(outside[0].construct)
        names = (read.names.values() for read in reading.functions.values())
        if any(value is each for value in chain.from_iterable(names) for each in _ON_NUMPYS_ARRAYS):
            raise NotCompiled("it works on numpy's own arrays")
        self.reading = reading
        classes = _classes(reading)
        self._of_program = frozenset(classes)
        self._copies = Copies(self._of_function, {}, self._of_program, _is_plain)
        self._guards = Guards(self._copies, self._member, lru_cache(None)(self._maker))
        instead = {key: ours for key, (_, ours) in meanings().items()}
        self._copies.instead.update({**instead, **self._guards.instead})
        self._named: list[tuple[Mapping[str, Any], str, Any]] = []
        self._cells: dict[int, tuple[CellType, CellType, Any]] = {}
        self._functions: list[tuple[FunctionType, tuple[Any, ...]]] = []
        self._namespaces: dict[int, dict[str, Any]] = {}
        self._same: dict[int, bool] = {}
        self._noted: dict[Hashable, object] = {}
        self._classes = [(cls, dict(vars(cls))) for cls in classes]
        self._builtins = builtins_with(self._guards.names, self._copies.instead, self.value)
        self._asked = self._guards.of_rows = frozenset(name for name, _ in reading.unsure)
        self._made: frozenset[type] = frozenset()
        self._has_operators = False
        """True where operators and comparisons may be code of the program, whose results are not new."""
        self._look_at_classes()
        self.mechanism: Callable[..., Any] = self.value(reading.mechanism)
        self.is_as_written = self.mechanism is reading.mechanism
        """True where it needs no guard, and names nothing that has another form: then it is the user's function."""

    @cached_property
    def reads_floats(self) -> bool:
        """True where its source has floats, in literals or by the functions that it names."""
        known, every = meanings(), self.reading.functions.values()
        return any(has_floats(read.tree) or any(id(value) in known for value in read.names.values()) for read in every)

    @cached_property
    def looks_at_kinds(self) -> bool:
        """True where its source may ask for the type of a value, or catches errors."""
        named = (value for read in self.reading.functions.values() for value in read.names.values())
        asks = any(entry.because == SHAPE for value in named if (entry := entry_of(value)) is not None)
        return asks or self._has(ast.Match, ast.Try)

    @cached_property
    def looks_at_identity(self) -> bool:
        """True where its source may ask whether a value is `None`, or another object of which there is one."""
        return self._has(ast.Is, ast.IsNot)

    def _has(self, *kinds: type[ast.AST]) -> bool:
        every = self.reading.functions.values()
        return any(isinstance(node, kinds) for read in every for node in ast.walk(read.tree))

    @cached_property
    def called(self) -> Callable[..., Any]:
        """The mechanism as it is called: of an object its own code, compiled."""
        called: Callable[..., Any] = self._guards.called(self.mechanism)
        return called

    def is_outside(self, value: Any) -> bool:
        """True of a value that stands for one from outside, which no run changes."""
        return id(value) in self._copies.outside

    @property
    def copied(self) -> int:
        """The number of values that were copied and are kept."""
        return self._copies.count

    def users_function(self, function: FunctionType) -> FunctionType:
        """The user's own function of one that a run has made, with the user's own of what that holds."""
        known = self._copies.originals.get(id(function))
        code = None if known is not None else self._as_written(function.__code__)
        if code is None:
            users: FunctionType = function if known is None else known[0]
            return users
        cells = {name: CellType() for name in code.co_freevars}
        names = function.__globals__.get(OF_MODULE, function.__globals__)
        own = FunctionType(code, names, function.__name__, None, tuple(cells.values()))
        own.__qualname__, own.__defaults__ = function.__qualname__, self.users(function.__defaults__)
        own.__kwdefaults__ = self.users(function.__kwdefaults__)
        self._copies.know(own, function)  # before what it holds, which may be itself
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            value = _content(cell)
            if value is not _NOTHING and name in cells:
                cells[name].cell_contents = (
                    self.users_function(value) if type(value) is FunctionType else self.users(value)
                )
        return own

    def _as_written(self, code: CodeType) -> CodeType | None:
        """The code in the source of a function that a run has made; None for another one, or one of several there."""
        if code in self.reading.functions:
            return None
        inner = [each for function in self.reading.functions for each in codes_within(function)]
        if any(each is code for each in inner):
            return code
        place = code.co_qualname, code.co_firstlineno
        found = list({each for each in inner if (each.co_qualname, each.co_firstlineno) == place})
        return found[0] if len(found) == 1 else None

    @property
    def has_plain_classes(self) -> bool:
        """True where nothing that its classes define has another form."""
        return not (self._asked or self._made or self._has_operators)

    @property
    def handed(self) -> Handed | None:
        """See `Calls`: None where nothing that is called has another form."""
        return self._guards.handed if self._made else None

    def value(self, value: Any) -> Any:
        """A value from outside, such as a parameter, as the compiled mechanism is given it."""
        return self._copies.value(value)

    def arguments(self, args: tuple[Any, ...], parameters: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as the compiled mechanism is given them. Raises `InputError` for what cannot be copied."""
        self._builtins.update((name, getattr(builtins, name)) for name in _REPLACED)
        if self.is_as_written and not any(map(may_hold_a_set, args)):
            # What is changed was created by the run: otherwise it would have a guard
            return args, {name: self.value(value) for name, value in parameters.items()}
        try:
            return tuple(map(self.value, args)), {name: self.value(value) for name, value in parameters.items()}
        except NotCompiled as error:
            said = bad_mechanism.CHANGES.text(f"perhaps {error}", "name its class in the mechanism")
            raise InputError(said) from None

    def drawn(self, value: Any) -> Any:
        """An outcome that `draw` gives, as a run is given it: with ordered sets, and what is compiled."""
        return self._copies.drawn(value)

    def users(self, value: Any) -> Any:
        """The user's own value, such as a function, of what stands for it: what is returned, shown and compared."""
        if self._copies.outside and self._copies.originals:
            self._copies.refuse_changes()
        if type(value) in SCALAR_TYPES or (self.is_as_written and not self._copies.originals):
            return value
        try:
            return self._copies.original(value)
        except RecursionError:  # it holds itself, and is to be refused
            return value

    def holds(self) -> bool:
        """True where all that it names is what it was: the same unchangeable values, and others as they were."""
        for names, name, value in self._named:  # asked before each run
            if names.get(name, _NOTHING) is not value:
                return False
        return (
            all(_content(cell) is value for cell, _, value in self._cells.values())
            and all(_parts(function) == parts for function, parts in self._functions)
            and all(_are_same(dict(vars(cls)), was) for cls, was in self._classes)
            and self._copies.holds()
        )

    # --- Functions

    def _of_function(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            is_own = value.__name__.partition(".")[0] not in sys.stdlib_module_names
            is_other = is_own or any(id(each) in self._copies.instead for each in vars(value).values())
            return Module(value, self.value, self._note_name) if is_other else value
        if type(value) is MEMORY:
            return self._memory(value)
        read = self.reading.functions.get(value.__code__)
        if read is None and not is_of_library(value) and not is_generated(value):
            raise NotCompiled(f"the function {value.__qualname__}, which was not read")
        return value if read is None or self._is_same(value) else self._function(value, read)

    def _is_same(self, function: FunctionType) -> bool:
        """True where a function needs no other form: it has no guards, and neither has what it leads to."""
        known = self._same.get(id(function))
        if known is None:
            assumed: dict[int, FunctionType] = {}
            known = self._same[id(function)] = self._leads_to_the_same(function, assumed)
            if known:
                self._same.update(dict.fromkeys(assumed, True))
        return known

    def _leads_to_the_same(self, value: Any, assumed: dict[int, FunctionType]) -> bool:
        if id(value) in self._copies.instead:
            return False
        if type(value) is FunctionType:
            read = self.reading.functions.get(value.__code__)
            if read is None or id(value) in assumed:
                return True
            if id(value) in self._same:
                return self._same[id(value)]
            assumed[id(value)] = value
            own = self._code(value, read)
            leads = [*map(_content, value.__closure__ or ()), *(value.__defaults__ or ()), *vars(value).values()]
            leads += [*(value.__kwdefaults__ or {}).values(), *self._looked_up(value, read, own)]
            self._note(value)
            if own is not value.__code__ or has_exact_values(read.tree, value, names_in_code(own)):
                return False
            return all(self._leads_to_the_same(each, assumed) for each in leads)
        if isinstance(value, tuple | partial | MethodType):
            held = value if isinstance(value, tuple) else values_held_by(value)
            return all(self._leads_to_the_same(each, assumed) for each in held)
        return self.value(value) is value

    def _looked_up(self, function: FunctionType, read: ReadFunction, code: CodeType) -> list[Any]:
        names = function.__globals__
        return [names.get(name, vars(builtins).get(name)) for name in names_in_code(code) if name in read.names]

    def _note(self, function: FunctionType) -> None:
        """Keep what a function names, to see whether it is the same when it is run again."""
        if id(function) in self._noted:
            return
        self._noted[id(function)] = function
        self._functions.append((function, _parts(function)))
        names = function.__globals__
        for name in names_in_code(function.__code__):
            if (name in names or hasattr(builtins, name)) and (id(names), name) not in self._noted:
                self._noted[id(names), name] = None
                self._named.append((names, name, names.get(name, _NOTHING)))
        for cell in function.__closure__ or ():
            self._cell(cell)

    def _note_name(self, module: ModuleType, name: str) -> None:
        self._named.append((vars(module), name, vars(module).get(name, _NOTHING)))

    def _code(self, function: FunctionType, read: ReadFunction) -> CodeType:
        meanings = {name: SPECIAL[id(value)] for name, value in read.names.items() if id(value) in SPECIAL}
        meanings |= {name: READ for name, value in read.names.items() if self._is_written(value)}
        flags = bool(self._made), self._has_operators
        return compiled_code(read, function.__code__, meanings, self._asked, flags)

    def _function(self, function: FunctionType, read: ReadFunction) -> FunctionType:
        code = function.__code__
        own = self._code(function, read)
        namespace = self._namespace(function.__globals__)
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(self._cell(cells[name]) for name in own.co_freevars)
        made = FunctionType(own, namespace, function.__name__, None, closure)
        _WRITTEN[made] = function
        self._copies.know(function, made)
        self._note(function)
        for name in names_in_code(own):
            if name.startswith(MARK):
                namespace[name] = named_number(name)
            elif name in function.__globals__ and name in read.names and name not in namespace:
                namespace[name] = self.value(exact_global(function, name, function.__globals__[name]))
        for name in own.co_freevars:
            self._fill(cells[name])
        defaults, by_name = exact_defaults(read.tree, function.__defaults__, function.__kwdefaults__)
        made.__defaults__ = None if defaults is None else tuple(map(self.value, defaults))
        made.__kwdefaults__ = by_name and {name: self.value(each) for name, each in by_name.items()}
        made.__qualname__, made.__module__, made.__doc__ = function.__qualname__, function.__module__, function.__doc__
        made.__annotations__ = function.__annotations__
        made.__dict__.update({name: self.value(each) for name, each in vars(function).items()})
        return made

    def _namespace(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """The namespace of all functions of a module."""
        if id(names) not in self._namespaces:
            kept = {name: names[name] for name in _OF_A_MODULE if name in names}
            self._namespaces[id(names)] = {**kept, "__builtins__": self._builtins, OF_MODULE: names}
        return self._namespaces[id(names)]

    def _cell(self, cell: CellType) -> CellType:
        if id(cell) not in self._cells:
            self._cells[id(cell)] = cell, CellType(), _content(cell)
        return self._cells[id(cell)][1]

    def _fill(self, cell: CellType) -> None:
        _, own, value = self._cells[id(cell)]
        if _content(own) is _NOTHING and value is not _NOTHING:
            own.cell_contents = self.value(value)

    def _memory(self, memory: Any) -> Any:
        """A `functools.cache` of this form; what it hands out may be changed as little as what is outside."""
        made = Memory(memory, self._copies.keep)
        self._copies.know(memory, made)
        if memory.__wrapped__ in self._made:
            raise NotCompiled(f"functools.cache of the class {memory.__name__}")
        made.function = self.value(memory.__wrapped__)
        return made

    # --- Classes

    def _look_at_classes(self) -> None:
        """Find which attributes of classes have another form, and which classes are made by code that has.

        That code has a guard may be since it asks for such an attribute: so this is repeated until nothing is new.
        """
        for cls, members in self._classes:
            for name, raw in members.items():
                if isinstance(raw, property) and raw.fset is not None:
                    raise NotCompiled(f"the property {name} of {cls.__qualname__} can be stored to")
                if self._is_value(name, raw) and not (isinstance(cls, EnumMeta) and name.startswith("_")):
                    self._asked |= {name}
                self._has_operators |= is_special(name) and name not in _CREATING and self._is_written(raw)
        known: object = None
        while known != (self._asked, self._made):
            known = self._asked, self._made
            self._begin()
            for cls, members in self._classes:
                for name, raw in members.items():
                    if self._is_written(raw) and not self._is_same_member(raw):
                        self._note_other(cls, name)
                if not all(map(self._is_same_given, given_by_class(cls))):
                    if not is_dataclass(cls):
                        raise NotCompiled(f"{cls.__qualname__}, whose values hold what can be changed, or a set")
                    self._made |= {cls}
        self._begin()
        self._guards.asked = self._asked

    def _is_same_given(self, value: Any) -> bool:
        kind = value if isinstance(value, type) else type(value)
        return self.value(value) is value and kind not in self._made

    def _begin(self) -> None:
        """Forget all that was compiled, of which other guards may be needed by now."""
        self._same.clear()
        self._namespaces.clear()
        self._cells.clear()
        self._noted.clear()
        self._named.clear()
        self._functions.clear()
        self._copies.begin()
        self._copies.made = self._made
        for cls, members in self._classes:
            self._copies.outside[id(cls)] = cls
            for name in CLASS_FACTS & members.keys():
                self._copies.keep(members[name])
        self._copies.changeable.clear()  # as no program is given these
        for _, members in self._classes:
            for raw in members.values():
                self._copies.keep(raw)

    def _is_same_member(self, raw: Any) -> bool:
        function = _function_of(raw)
        return not isinstance(raw, cached_property) and type(function) is FunctionType and self._is_same(function)

    def _note_other(self, cls: type, name: str) -> None:
        """Note a member of a class that has another form. Raises `NotCompiled` for one that is called as it is written.

        C does so by itself, and this library where a user's class, such as that of a noise, derives from its own.
        """
        is_asked = not is_of_library(cls) and any(map(is_of_kernel, cls.__mro__))
        if is_asked and self._is_guarded(_function_of(vars(cls)[name]), set()):
            raise NotCompiled(f"{name} of {cls.__qualname__} does more than to read and compute")
        if name in _CREATING:
            if not isinstance(cls, EnumMeta):
                self._made |= {cls}
                self._asked |= {name}
        elif name in TEXT_METHODS or (is_special(name) and is_of_library(cls)):
            return  # which no run calls
        elif is_special(name) or (isinstance(cls, EnumMeta) and name.startswith("_")):
            raise NotCompiled(f"{name} of {cls.__qualname__} does more than to read and compute")
        else:
            self._asked |= {name}

    def _is_guarded(self, function: Any, seen: set[int]) -> bool:
        """True of a function that has guards, but those that only find what is guarded, or leads to one that has."""
        if isinstance(function, partial | MethodType):
            return any(self._is_guarded(each, seen) for each in values_held_by(function))
        read = self.reading.functions.get(function.__code__) if type(function) is FunctionType else None
        if read is None or id(function) in seen:
            return False
        seen.add(id(function))
        guards = {name for name in names_in_code(self._code(function, read)) if name.startswith(".")}
        asked = {*names_in_code(read.function.__code__), *(_CREATING if CALLED in guards else ())}
        members = (raw for _, members in self._classes for name, raw in members.items() if name in asked)
        leads = *read.names.values(), *map(_function_of, members)
        return not guards <= {METHOD, CALLED, FIELDS, TYPE} or any(self._is_guarded(each, seen) for each in leads)

    def _is_written(self, raw: Any) -> bool:
        """True where a class's attribute is a function, or is made of one, that was read."""
        function = _function_of(raw)
        if type(function) is MEMORY:
            function = function.__wrapped__
        return type(function) is FunctionType and function.__code__ in self.reading.functions

    def _member(self, cls: type, name: str) -> Any:
        """The member that a class of the program has by this name, compiled; None where that is the same."""
        raw = vars(cls)[name]
        if cls not in self._of_program:
            return None
        if self._is_written(raw):
            if self._is_same_member(raw):
                return None
            own = self.value(_function_of(raw))
            if isinstance(raw, cached_property):
                made = cached_property(own)
                made.attrname = name
                return made
            return type(raw)(own) if isinstance(raw, property | classmethod | staticmethod) else own
        return self.value(raw) if self._is_value(name, raw) else None

    def _is_value(self, name: str, raw: Any) -> bool:
        """True for what a class holds that may have another form, and is none of its functions."""
        kinds = (FunctionType, MEMORY, property, classmethod, staticmethod, cached_property, type, Enum)
        if is_special(name) or (hasattr(type(raw), "__get__") and is_of_library(type(raw))):
            return False
        return id(raw) in self._copies.instead or not isinstance(raw, (*SCALAR_TYPES, *kinds))

    def _maker(self, cls: type) -> Any:
        """The function that creates an object of a class, by its own code where it has some, compiled."""
        owners = {name: each for each in reversed(cls.__mro__) for name in vars(each)}
        init, after = (name in owners and self._member(owners[name], name) for name in ("__init__", "__post_init__"))
        new: Any = cls.__new__
        if init:

            def created(*args: Any, **kwargs: Any) -> Any:
                made = new(cls) if new is object.__new__ else new(cls, *args, **kwargs)
                init(made, *args, **kwargs)
                return made

            return created
        if not after and not (cls in self._made and is_dataclass(cls)):
            return cls
        return creating(cls, after or None, lambda given: self._guards.called(self.value(given)))


_FORMS: Final[dict[Hashable, tuple[Any, Reading, CompiledForm | None]]] = {}
"""By the identities of what a mechanism is made of, which is kept with it; None for one outside the language."""
_MOST_FORMS: Final = 1 << 10


_WRITTEN: Final[WeakKeyDictionary[FunctionType, FunctionType]] = WeakKeyDictionary()
"""By compiled function the user's own."""


def as_written(mechanism: Any) -> Any:
    """The user's own function of a compiled one, which has no source; anything else as it is.

    Compiled code, such as a predicate, may ask for the output distribution of a function that it names.
    """
    return _WRITTEN.get(mechanism, mechanism) if type(mechanism) is FunctionType else mechanism


def form_of(mechanism: Callable[..., Any], parameters: Mapping[str, Any]) -> CompiledForm | None:
    """The compiled form of a mechanism with these parameters, for one check or run; None for one outside the language.

    It is the one before where all that the mechanism names is as it was.
    """
    return _read_and_compiled(mechanism, parameters)[1]


def chance_of(mechanism: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """The generators, and functions that give entropy, to which a mechanism with these parameters leads."""
    return _read_and_compiled(mechanism, parameters)[0].chance


def _read_and_compiled(
    mechanism: Callable[..., Any], parameters: Mapping[str, Any]
) -> tuple[Reading, CompiledForm | None]:
    made = (*_made_with(mechanism), *_that_lead_on(parameters.values()))
    key = tuple(map(id, made))
    known = _FORMS.get(key)
    if known is not None and (_is_as_read(known[1]) if known[2] is None else known[2].holds()):
        return known[1:]
    if len(_FORMS) >= _MOST_FORMS:
        _FORMS.clear()
    reading, form = read(mechanism, parameters), None
    with suppress(NotCompiled):
        form = CompiledForm(reading)
    _FORMS[key] = made, reading, form
    return reading, form


def _that_lead_on(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and those in tuples, that may lead to code, or be changed."""
    for value in values:
        if type(value) is tuple:
            yield from _that_lead_on(value)
        elif type(value) not in SCALAR_TYPES and not isinstance(value, Exact):
            yield value


def _is_as_read(reading: Reading) -> bool:
    """True where each name in what was read has the value that it had."""
    return all(
        now.get(name, _NOTHING) is value
        for each in reading.each
        for now in (names_of(each.function, each.names),)
        for name, value in each.names.items()
    )


_REPLACED: Final = ("len", "sum", "sorted", "max", "min")
"""Builtins that others stand for while rows are unknown: see `verifiers.problems.questions.unknown_rows`."""

_ON_NUMPYS_ARRAYS: Final = (as_array, as_frame)


@lru_cache(maxsize=256)
def _is_plain(kind: type) -> bool:
    """True of a class of which every method runs as it is written."""
    try:
        bases = [base for base in kind.__mro__ if not is_of_library(base)]
        members = (
            (base, each) for base in bases for member in vars(base).values() for each in member_functions(member)
        )
        own = [each for base, each in members if not is_generated(each, base)]
        return CompiledForm(read(kind, values=own)).has_plain_classes
    except NotCompiled:
        return False


def outside_of(
    mechanism: Callable[..., Any], parameters: Mapping[str, Any] = MappingProxyType({}), values: Iterable[Any] = ()
) -> tuple[OutsidePlace, ...]:
    """The places of a mechanism outside the language, with what cannot be compiled; none where it is inside.

    This is the one question that decides whether code may be PROVED. `values` are those of `read`.
    """
    values = tuple(values)
    form = form_of(mechanism, parameters)
    if form is None or form.reading.outside or not SCALARS.issuperset(map(type, values)):  # else these lead to nothing
        outside = read(mechanism, parameters, values).outside
        if outside:
            return outside
    try:
        if form is None:
            CompiledForm(read(mechanism, parameters))  # which says why
            raise NotCompiled("what it named when it was asked before")
        for each in (*parameters.values(), *values):
            form.value(each)
    except NotCompiled as error:
        code = getattr(mechanism, "__code__", None)
        file, line = ("", 1) if code is None else (code.co_filename, code.co_firstlineno)
        return (OutsidePlace(file, line, 1, str(error), "", name_of(mechanism)),)
    return ()


def reads_floats(mechanism: Callable[..., Any], parameters: Mapping[str, Any]) -> bool:
    """True where source that is compiled has floats, in literals or by the functions that it names."""
    form = form_of(mechanism, parameters)
    return form is not None and form.reads_floats


def compiled(mechanism: Callable[..., Any], parameters: Mapping[str, Any] = MappingProxyType({})) -> Callable[..., Any]:
    """A mechanism in the form that is checked and run. Raises `NotCompiled` for one that lies outside the language."""
    form = form_of(mechanism, parameters)
    if form is None:
        raise NotCompiled("it lies outside the language")
    return form.mechanism


def _made_with(mechanism: Any) -> tuple[Any, ...]:
    """The code of a function and the values that it was made with; any other mechanism itself."""
    if type(mechanism) is not FunctionType:
        return (mechanism,)
    defaults = *(mechanism.__defaults__ or ()), *(mechanism.__kwdefaults__ or {}).values()
    return mechanism.__code__, mechanism.__globals__, *map(_content, mechanism.__closure__ or ()), *defaults


_OF_A_MODULE: Final = ("__name__", "__package__", "__spec__", "__file__", "__loader__")


def _classes(reading: Reading) -> list[type]:
    """The classes of the program: those that were read, and all that a name is bound to."""
    named: list[Any] = []
    for each in reading.functions.values():
        for value in each.names.values():
            names = vars(value) if isinstance(value, ModuleType) else {"": value}
            named += [names[name] for name in ("", *names_in_code(each.function.__code__)) if name in names]
    named = [value for value in named if isinstance(value, type)]
    bases = [base for cls in named if not is_of_library(cls) for base in cls.__mro__ if not is_of_library(base)]
    return list(dict.fromkeys((*reading.classes, *bases)))


_CREATING: Final = ("__init__", "__post_init__", "__call__")


def given_by_class(cls: type) -> list[Any]:
    """The values that generated code gives: those of the members of an Enum, defaults, and what makes them."""
    if isinstance(cls, EnumMeta):
        members: Mapping[str, Any] = cls.__members__
        return [part for member in members.values() for part in vars(member).values()]
    return [*defaults_of(cls)]


def _function_of(raw: Any) -> Any:
    if isinstance(raw, property):
        return raw.fget
    if isinstance(raw, cached_property):
        return raw.func
    return raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _parts(function: FunctionType) -> tuple[Any, ...]:
    defaults = function.__kwdefaults__ or {}
    return tuple(map(id, (function.__code__, function.__defaults__, *defaults.values()))), *defaults


def _are_same(now: Mapping[str, Any], was: Mapping[str, Any]) -> bool:
    return now.keys() == was.keys() and all(now[name] is value for name, value in was.items())
