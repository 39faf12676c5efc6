"""A program as a library, a book or a paper publishes it, with the claim that is made of it and what is decided of that."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from dpverify.verifiers import replace_one


class Program(NamedTuple):
    """A mechanism in its natural form, on a domain that is small enough to decide it."""

    name: str
    source: str
    mechanism: Callable[..., Any]
    domain: Any
    neighbours: Any
    epsilon: Any
    delta: Any
    given: Mapping[str, Any]
    private: bool
    found: str
    """The exact ε, or δ where δ > 0 is claimed, as the verdict shows it; "" where it is refused."""
    refused: str
    """A part of what is said where no verdict comes of it; "" where it is decided."""


PROGRAMS: Final[list[Program]] = []


def published(
    name: str,
    source: str,
    domain: Any,
    neighbours: Any = replace_one,
    *,
    epsilon: Any = 1,
    delta: Any = 0,
    given: Mapping[str, Any] | None = None,
    private: bool = True,
    found: str = "",
    refused: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator that puts the mechanism below it into the list."""
    assert bool(found) is not bool(refused)

    def listed(mechanism: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(
            Program(name, source, mechanism, domain, neighbours, epsilon, delta, given or {}, private, found, refused)
        )
        return mechanism

    return listed


def by_one(values: int) -> Callable[[tuple[int]], Iterable[tuple[int]]]:
    """The relation of one number from 0 to `values` - 1 that moves by one."""
    return lambda row: [(x,) for x in (row[0] - 1, row[0] + 1) if 0 <= x < values]
