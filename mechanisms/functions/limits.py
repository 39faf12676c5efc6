"""Limits, at which an enumeration or a check gives up."""

from dataclasses import dataclass, fields
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.whole_numbers import whole_number
from dpverify.mechanisms.numbers.shown import shown

_LARGEST: Final = 1_000_000_000
"""Range of the clocks and counters of the system; nobody waits for so many of anything."""


@dataclass(frozen=True)
class Limits:
    """Of a path: `draws`. Of a database: `paths`, `outcomes`, `seconds` of running. Of a check: `databases`, `pairs`.

    `cells` are the probabilities, of one release in one cell, by which a check compares released noise. All are whole
    numbers from 1 to 10^9; `InputError` is raised otherwise. Where one is met the verdict is UNDECIDED. `seconds` are
    of the process that runs the mechanism, with ten times as many by the clock: in a check they stop one that does not
    return. For databases of every size they are of one region, and ten times as many of the whole claim.

    >>> many = lambda draw, rows: sum(draw(bernoulli("1/2")) for _ in range(5))
    >>> distribution(many, (), limits=Limits(paths=10))
    Traceback (most recent call last):
    dpverify.mechanisms.numbers.errors.LimitMet: ...
    """

    draws: int = 1_000
    paths: int = 200_000
    outcomes: int = 1_000_000
    databases: int = 1_000_000
    pairs: int = 200_000_000
    cells: int = 100_000
    seconds: int = 60

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            value = whole_number(given)
            if value is None or value < 1:
                raise InputError(bad_input.NOT_WHOLE, f"the limit {field.name}={shown(given)}", " ≥ 1")
            if value > _LARGEST:
                raise InputError(
                    bad_input.BEYOND, f"the limit {field.name}={shown(given)}", f"{_LARGEST:,}", "choose a smaller one"
                )
            object.__setattr__(self, field.name, value)


def checked_limits(limits: object) -> Limits:
    """`limits`, or the default ones for None. Raises `InputError` for anything else."""
    if limits is None:
        return Limits()
    if not isinstance(limits, Limits):
        raise InputError(
            bad_input.WRONG, f"limits={shown(limits)}", "Limits", "write limits=Limits(paths=…) of dpverify.mechanisms"
        )
    return limits
