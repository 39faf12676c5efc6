"""Chance that does not come from `draw`: refused while code outside the language is enumerated.

A mechanism whose chance is hidden has not the law that is enumerated: `if random.random() < 1e-4: return rows` takes
one branch all but always. So every common source of chance is looked at in three ways while a mechanism runs:

- the functions of random, secrets, os, uuid and numpy.random are replaced by ones that refuse, in the thread that
  enumerates and while no import is under way (a module may draw bits when it is first imported);
- generators that the mechanism can reach, through globals that its code names, closures, defaults, attributes and
  arguments, are compared with what they were before, and so are the global ones: those written in C cannot be replaced;
- what has no state and cannot be replaced, `from os import urandom`, is refused where the code names it.

So it is with what writes outside of the process: what is written on one path, the next one would read. That is told by
a hook of Python's audit events, which comes from C as well.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from itertools import islice
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any, Final, NamedTuple, Protocol

from dpverify.mechanisms.functions.lookalikes import state
from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.functions.trusted import is_trusted
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.shown import shown

_OF_THE_SYSTEM: Final = ("urandom", "getrandom")
_SYSTEMS: Final = (os, *(sys.modules[name] for name in ("posix", "nt") if name in sys.modules))
"""os, and the module in C from which it has its functions."""


class Notebook(Protocol):
    """A memory of what was refused, since a mechanism may catch the error."""

    def take_note(self, error: Exception) -> None:
        """Remember that the run is not to be accepted."""


class _Guard(threading.local):
    """All that the enumeration of this thread looks out for."""

    notebook: Notebook | None = None


_guard: Final = _Guard()
_lock: Final = threading.Lock()
_replaced: list[tuple[Any, Mapping[str, Any]]] = []
"""Replaced attributes: their owner, and by their names the former values, or that there was none."""
_elsewhere: Final = [0]
"""Number of times that a thread which does not enumerate used a replaced function."""
_guarded = 0
"""Number of enumerations, in whatever thread, that look out, and of others that want the functions replaced."""


@contextmanager
def no_hidden_chance(notebook: Notebook, reachable_from: Iterable[Any]) -> Iterator[None]:
    """While it lasts, chance that does not come from `draw` raises `InputError`, and `notebook` is told.

    So does what writes outside of the process.

    `reachable_from` is the mechanism and what it is given. Within another one, in one thread, it changes the notebook
    and no more. Raises `InputError` where a source that cannot be replaced is named by the mechanism's code, and, when
    it ends, or ends in another `InputError`, where a generator has been used that could not be replaced.
    """
    outer = _guard.notebook
    if outer is not None:
        _guard.notebook = notebook
        try:
            yield
        finally:
            _guard.notebook = outer
        return
    _refuse_writing()
    of_all = list(_global_generators())
    generators = [*of_all, *_reachable_generators(reachable_from)]
    before = [generator.state() for generator in generators]
    refused: InputError | None = None
    with sources_replaced():
        _guard.notebook = notebook
        used_elsewhere = _elsewhere[0]
        try:
            yield
        except InputError as error:  # what comes of such chance, it may be
            refused = error
        finally:
            _guard.notebook = None
    skipped = len(of_all) if _elsewhere[0] > used_elsewhere else 0  # another thread has changed them, too
    for generator, was in list(zip(generators, before, strict=True))[skipped:]:
        if not _equal(generator.state(), was):
            raise InputError(
                reasons.OTHER_RANDOMNESS.text(source=f"{generator.name}, whose state has changed")
            ) from refused
    if refused is not None:
        raise refused


# What can be replaced


@contextmanager
def sources_replaced() -> Iterator[None]:
    """While it lasts, the functions that refuse stand in their places; they refuse where `no_hidden_chance` looks out.

    It does so by itself. Around many of them it saves to replace some sixty functions, and to put them back, for each.
    """
    _replace()
    try:
        yield
    finally:
        _restore()


def replaced_in(module: ModuleType) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The functions of a module that are replaced, by name, and those that stand in their places meanwhile."""
    refusals = dict(_refusals()).get(module, {})
    return _originals.get(module) or {name: getattr(module, name) for name in refusals}, refusals


def _replace() -> None:
    global _guarded  # noqa: PLW0603  # one count for the process, whose modules are replaced once
    with _lock:
        _guarded += 1
        if _guarded > 1:
            return
        for owner, refusals in _refusals():
            held = vars(owner)
            _replaced.append((owner, {name: held.get(name, _NOTHING) for name in refusals}))
            _originals[owner] = {name: getattr(owner, name) for name in refusals}
            _put(owner, refusals)


def _restore() -> None:
    global _guarded  # noqa: PLW0603  # the same count
    with _lock:
        _guarded -= 1
        if not _guarded:
            while _replaced:
                _put(*_replaced.pop())


def _put(owner: Any, values: Mapping[str, Any]) -> None:
    """Give an owner these attributes, and take away those that stand for nothing: of a module all at once."""
    if isinstance(owner, ModuleType) and _NOTHING not in values.values():
        vars(owner).update(values)
        return
    for name, value in values.items():
        if value is _NOTHING:
            delattr(owner, name)
        else:
            setattr(owner, name, value)


@cache  # numpy's names are many, and an enumeration begins often
def _refusals() -> tuple[tuple[Any, Mapping[str, Any]], ...]:
    """The stand-ins in the places of sources of chance: for each owner, by name."""
    results: dict[Any, dict[str, Any]] = {}
    for owner, name in _places():
        results.setdefault(owner, {})[name] = _refusal(owner, name)
    return tuple(results.items())


def _places() -> tuple[tuple[Any, str], ...]:
    """The places of the sources of chance: every other function of random, secrets and uuid comes down to these."""
    legacy = _numpy_random()
    return (
        *((owner, name) for owner in (random.Random, random.SystemRandom) for name in ("random", "getrandbits")),
        *((random, name) for name in ("random", "getrandbits", "_urandom") if hasattr(random, name)),
        *((owner, name) for owner in _SYSTEMS for name in _OF_THE_SYSTEM if hasattr(owner, name)),
        (uuid, "uuid1"),
        (legacy, "default_rng"),
        *((legacy, name) for name in dir(legacy) if _is_of_legacy_state(getattr(legacy, name), legacy)),
    )


def _numpy_random() -> Any:
    """numpy.random, which numpy itself loads when it is first asked for: by a mechanism, that would be too late."""
    return import_module("numpy.random")


def _is_of_legacy_state(function: Any, legacy: ModuleType) -> bool:
    """True where it is a method of the generator that numpy keeps for everybody."""
    return getattr(function, "__self__", None) is legacy.mtrand._rand


_originals: Final[dict[Any, Mapping[str, Callable[..., Any]]]] = {}


def _refusal(owner: Any, name: str) -> Callable[..., Any]:
    """Stands in the place of an attribute: it refuses the thread that enumerates, and serves others as before."""
    module = owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__name__}"

    def refused(*args: Any, **kwargs: Any) -> Any:
        notebook = _guard.notebook
        caller = sys._getframe(1)
        if notebook is None:
            _elsewhere[0] += 1
        if notebook is None or is_importing(caller):
            return _originals[owner][name](*args, **kwargs)
        called = _called(caller, f"{module}.{name}")
        error = InputError(reasons.OTHER_RANDOMNESS.text(source=called))
        notebook.take_note(error)
        raise error

    return refused


_NOTHING: Final = object()


_SOURCES: Final = frozenset({"random", "secrets", "uuid", "numpy.random", "tempfile"})


def _called(frame: FrameType | None, name: str) -> str:
    """The function that the mechanism called, such as random.randint, of which `name` is the innermost part."""
    while frame is not None and frame.f_globals.get("__name__") in _SOURCES:
        name = f"{frame.f_globals['__name__']}.{frame.f_code.co_name}"
        frame = frame.f_back
    return name


# What is compared


class _Generator(NamedTuple):
    """A generator of chance, what it is called in a message, and how to see its state."""

    name: str
    state: Callable[[], Any]


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    return bool(getattr(left == right, "all", lambda: left == right)())  # an array says so of each of its numbers


def _global_generators() -> Iterator[_Generator]:
    yield _Generator("the random module, by a function imported from it", random.getstate)
    of_numpy = _numpy_random().mtrand._rand
    yield _Generator("numpy.random, by a function imported from it", partial(of_numpy.get_state, legacy=False))


def _generator(value: Any, name: str) -> _Generator | None:
    """`value` as a generator, None for anything else."""
    if isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
        return _Generator(name, value.getstate)
    if _module_of(value).startswith("numpy.random"):
        if hasattr(value, "bit_generator"):
            return _Generator(name, lambda: value.bit_generator.state)
        if hasattr(value, "get_state"):
            return _Generator(name, partial(value.get_state, legacy=False))
        if hasattr(value, "state"):
            return _Generator(name, lambda: value.state)
    return None


_MOST_REACHED: Final = 5_000
"""Objects that are looked at: a mechanism that holds more holds data."""

_LARGEST_CONTAINER: Final = 100
"""Parts of a container that are looked at, for the same reason."""


def _reachable_generators(roots: Iterable[Any]) -> Iterator[_Generator]:
    """The generators that functions and objects can reach. Raises `InputError` for sources that have no state."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("an argument", root) for root in roots]
    while waiting and len(seen) < _MOST_REACHED:
        name, value = waiting.pop()
        if id(value) in seen or isinstance(value, _LEAVES):
            continue
        seen.add(id(value))
        if any(value is source for source in _STATELESS):
            raise InputError(reasons.OTHER_RANDOMNESS.text(source=f"{name}, which is {value.__name__}"))
        generator = _generator(value, name)
        if generator is not None:
            yield generator
        waiting += _parts(value, name)


_LEAVES: Final = (str, bytes, int, float, complex, CodeType)
_STATELESS: Final = (uuid.uuid1, *(getattr(os, name) for name in _OF_THE_SYSTEM if hasattr(os, name)))


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: PLR0912  # a branch a kind
    """The objects that an object leads to, each under the name that a message gives it."""
    if isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif isinstance(value, MethodType):
        yield from ((name, value.__self__), (name, value.__func__))
    elif isinstance(value, BuiltinFunctionType):  # random.random, imported by name, is a method of a generator
        if not isinstance(value.__self__, ModuleType | type):
            yield name, value.__self__
    elif isinstance(value, partial):
        yield from ((name, part) for part in (value.func, *value.args, *value.keywords.values()))
    elif isinstance(value, MadeOf):
        yield from ((name, part) for part in value.functions)
    elif isinstance(value, tuple | list | set | frozenset):
        yield from ((name, part) for part in islice(value, _LARGEST_CONTAINER))
    elif isinstance(value, dict):
        yield from ((f"{name}[{key!r}]", part) for key, part in islice(value.items(), _LARGEST_CONTAINER))
    elif isinstance(value, type):
        yield name, type(value)
        for base in value.__mro__:
            if not is_trusted(str(base.__module__)):
                yield from ((f"{base.__name__}.{key}", part) for key, part in vars(base).items())
    elif isinstance(value, GeneratorType):
        yield from ({} if value.gi_frame is None else value.gi_frame.f_locals).items()
    elif hasattr(value, "__wrapped__") and _module_of(value) == "functools":
        yield name, value.__wrapped__
    elif _module_of(value).startswith("scipy.stats"):
        yield f"{name}.random_state", getattr(value, "random_state", None)
    elif not isinstance(value, ModuleType) and not is_trusted(_module_of(value)):
        yield name, type(value)
        held = {**dict(state(value)), **getattr(value, "__dict__", {})}
        yield from ((f"{type(value).__name__}.{key}", part) for key, part in held.items())
    elif hasattr(value, "__self__"):  # a method of numpy's
        yield name, value.__self__


def _parts_of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    if is_trusted(function.__module__ or ""):
        return
    names = _named_in(function.__code__)
    for name, value in (*_of_globals(function, names), *_of_closure(function)):
        yield from _named_parts(name, value, names) if isinstance(value, ModuleType) else ((name, value),)
    yield from (("a default argument", value) for value in function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).items()
    yield from ((f"{function.__name__}.{name}", value) for name, value in function.__dict__.items())


def _named_parts(name: str, module: ModuleType, names: set[str]) -> Iterator[tuple[str, Any]]:
    """The parts of a module that code uses which names it, and of modules in it: it names that, too."""
    waiting, seen = [(name, module)], {id(module)}
    while waiting:
        within, holder = waiting.pop()
        if is_trusted(holder.__name__):
            continue
        for part in names & vars(holder).keys():
            value = vars(holder)[part]
            if not isinstance(value, ModuleType):
                yield f"{within}.{part}", value
            elif id(value) not in seen:
                seen.add(id(value))
                waiting.append((f"{within}.{part}", value))


def _of_globals(function: FunctionType, names: set[str]) -> Iterator[tuple[str, Any]]:
    return ((name, function.__globals__[name]) for name in names if name in function.__globals__)


def _of_closure(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # not assigned yet
            yield name, cell.cell_contents


def _named_in(code: CodeType) -> set[str]:
    """The names of globals and attributes that code, and the code within it, mentions."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _named_in(constant)
    return names


def _module_of(value: Any) -> str:
    """The module of an object's class; a class may have anything in its place."""
    return str(type(value).__module__)


# What is written

_WRITES: Final = frozenset(
    {
        *("os.chflags", "os.chmod", "os.chown", "os.link", "os.lockf", "os.mkdir", "os.remove", "os.removexattr"),
        *("os.rename", "os.rmdir", "os.setxattr", "os.symlink", "os.truncate", "os.utime", "os.exec", "os.fork"),
        *("os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.startfile/2", "os.system"),
        *("subprocess.Popen", "pty.spawn", "shutil.move", "shutil.rmtree"),
        *("socket.__new__", "socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg", "syslog.syslog"),
        *("socket.getaddrinfo", "sqlite3.connect", "msvcrt.locking", "fcntl.fcntl", "fcntl.flock", "fcntl.lockf"),
        *("fcntl.ioctl", "resource.setrlimit", "winreg.SetValue", "winreg.CreateKey"),
    }
)
"""Events that tell of a change outside, or of something that both sides of a run can reach."""

_LOOKED_AT: Final = _WRITES | {"open"}

_TO_WRITE: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@cache
def _refuse_writing() -> None:
    """From now on what writes outside is refused in a thread that looks out: the hook stays as long as the process."""
    sys.addaudithook(_seen)


def _seen(event: str, arguments: tuple[Any, ...]) -> None:
    notebook = _guard.notebook
    if notebook is None or event not in _LOOKED_AT:  # each `id` is one, and each look at a function's code
        return
    if event == "open" and not _is_to_write(*arguments[1:3]):
        return
    if is_importing(sys._getframe(1)):
        return
    what = f"{event} {shown(arguments[0])}" if arguments and isinstance(arguments[0], str | bytes) else event
    error = InputError(bad_mechanism.WRITES_OUTSIDE, what)
    notebook.take_note(error)
    raise error


def _is_to_write(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return not frozenset("wax+").isdisjoint(mode)
    return isinstance(flags, int) and bool(flags & _TO_WRITE)


def is_importing(frame: FrameType | None) -> bool:
    """True where a module is being imported, whose compiled code Python writes beside it."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" and frame.f_code.co_name == "_find_and_load":
            return True
        frame = frame.f_back
    return False
