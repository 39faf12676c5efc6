"""Claims: what is said of a mechanism, as data that the command line, pytest and the report all read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.exact_numbers import ExactLike
from dpverify.mechanisms.exact.shown import shown, writable
from dpverify.mechanisms.exact.symbolic_epsilon import symbol_in
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.mechanism import Mechanism
from dpverify.reports.record import Status as Status  # noqa: PLC0414  # part of what this module offers
from dpverify.verifiers.privacy.case import privacy_claim
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.neighbours import Relation, replace_one
from dpverify.verifiers.privacy.repetition import Reference


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The claim that `mechanism` is (ε,δ)-private for all neighbours of `domain`.

    `parameters` are the mechanism's, as for `check_privacy`. `expected` is the verdict that is known and pinned.
    `mutant` is the mechanism broken on purpose, which the same check must refute, or it would be no check. A `depth` of
    "full" leaves the claim to audits at that depth. `sweep` maps sizes to domains of that size: the report says what is
    found on each, and whether it grows. `neighbours_agree` says that all neighbours have one and the same law, which is
    not as expected otherwise, unless the claim is (0, 0). Raises `InputError` for a bad id or a claim out of range.
    """

    id: str
    mechanism: Mechanism
    domain: Domain
    neighbours: Relation = replace_one
    epsilon: ExactLike
    delta: ExactLike = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    expected: Status = Status.PROVED
    source: str = ""
    statement: str = ""
    mutant: Mechanism | None = None
    sweep: Mapping[int, Domain] = field(default_factory=dict)
    depth: Literal["quick", "full"] = "quick"
    limits: Limits | None = None
    neighbours_agree: bool = False
    reference: Reference | None = None
    """Where another process finds it, which whoever loads it from a file fills in."""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id or any(character.isspace() for character in self.id):
            raise InputError(f"id={self.id!r} is not a name without spaces, such as mylib.most_common")
        if not isinstance(self.expected, Status):
            raise InputError(f"{self.id}: expected={self.expected!r} is not a Status: write Status.PROVED or another")
        if self.depth not in ("quick", "full"):
            raise InputError(f'{self.id}: depth={self.depth!r} is neither "quick" nor "full"')
        functions = {"mechanism": self.mechanism, "neighbours": self.neighbours}
        for name, function in {**functions, **({} if self.mutant is None else {"mutant": self.mutant})}.items():
            if not callable(function):
                raise InputError(f"{self.id}: {name}={function!r} is not a function")
        self._check_texts()
        if not isinstance(self.neighbours_agree, bool):
            raise InputError(f"{self.id}: neighbours_agree={self.neighbours_agree!r} is neither True nor False")
        if not isinstance(self.parameters, Mapping):
            raise InputError(f"{self.id}: parameters={self.parameters!r} is not a mapping: write {{'name': value}}")
        if self.limits is not None and not isinstance(self.limits, Limits):
            raise InputError(f"{self.id}: limits={self.limits!r} is not Limits: write Limits(paths=…)")
        if not isinstance(self.sweep, Mapping):
            raise InputError(f"{self.id}: sweep={self.sweep!r} is not a mapping: write {{size: domain}}")
        if not isinstance(self.domain, Iterable):
            raise InputError(f"{self.id}: domain={self.domain!r} is not an iterable of databases")
        self._check_epsilon()

    def _check_texts(self) -> None:
        for name, text in (("id", self.id), ("source", self.source), ("statement", self.statement)):
            if not isinstance(text, str):
                raise InputError(f"{self.id}: {name}={text!r} is not a text")
            if writable(text) != text:
                raise InputError(f"{name}={text!r} holds half of a character, which no report can hold: leave it out")

    def found_in(self, place: str) -> None:
        """Note, once, the file that the claim was loaded from, empty for the catalogue."""
        if self.reference is None:
            object.__setattr__(self, "reference", Reference(place, self.id))  # what is claimed stays as it is

    def _check_epsilon(self) -> None:
        if self.sweep and symbol_in((self.epsilon, self.delta, dict(self.parameters))) is not None:
            raise InputError(f"{self.id}: a sweep compares numbers, and a claim for all ε finds none: give one ε")
        try:
            privacy_claim(self.epsilon, self.delta)
        except InputError as error:
            raise InputError(f"{self.id}: {error}") from None
        if not all(isinstance(size, int) for size in self.sweep):
            raise InputError(f"{self.id}: sweep={shown(self.sweep)} is not by whole sizes: write {{size: domain}}")


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str:
        """The id."""


def claims_in(namespace: Mapping[str, Any]) -> list[Claim]:
    """The privacy claims of a module, as `all_in` finds them."""
    return all_in(namespace, Claim)


Thing = TypeVar("Thing", bound=Named)


def all_in(namespace: Mapping[str, Any], *kinds: type[Thing]) -> list[Thing]:
    """What a module has of some kinds, in order, at module level and in its module-level lists and tuples.

    Raises `InputError` where two have one id.
    """
    found: dict[str, Thing] = {}
    for thing in _members(namespace.values(), kinds):
        if found.setdefault(thing.id, thing) is not thing:
            raise InputError(f"two claims have the id {thing.id}: an id names one claim")
    return list(found.values())


def _members(values: Iterable[Any], kinds: tuple[type[Thing], ...]) -> Iterable[Thing]:
    for value in values:
        if isinstance(value, kinds):
            yield value
        elif isinstance(value, list | tuple):
            yield from (member for member in value if isinstance(member, kinds))
