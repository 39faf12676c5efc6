"""Errors by which this library says that it cannot answer, and the reasons with which they are raised."""

from dataclasses import dataclass

from dpverify.mechanisms.numbers.shown import LONGEST_MESSAGE, cut
from dpverify.mechanisms.reasons import bad_input as bad_input  # noqa: PLC0414  # raised with the errors of this file
from dpverify.mechanisms.reasons import bad_mechanism as bad_mechanism  # noqa: PLC0414
from dpverify.mechanisms.reasons import not_known as not_known  # noqa: PLC0414
from dpverify.mechanisms.reasons.reason import Reason, id_in


@dataclass(frozen=True)
class Place:
    """A line of a file; `ours` where the file is one of this library's."""

    file: str
    line: int
    ours: bool

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class InputError(ValueError):
    """Bad input: the message names the argument and says what to write instead, in at most 2,000 characters.

    It is that of a reason with these values, or a text that has one in it: `id` is its row of docs/errors.md.

    >>> bernoulli(2)
    Traceback (most recent call last):
    dpverify.mechanisms.numbers.errors.InputError: probability=2 must be between 0 and 1: ... [out-of-range]
    """

    place: Place | None = None
    """Place in the user's code where it arose, if that is known and its traceback does not say so."""

    def __init__(self, reason: Reason | str = "", *values: object) -> None:
        super().__init__(_message(reason, *values))

    @property
    def id(self) -> str:
        """The id of its reason, such as out-of-range; empty where it has none."""
        return id_in(str(self))


def _message(reason: Reason | str, *values: object) -> str:
    """The message of a reason with these values, or a message that has one; at most 2,000 characters."""
    return cut(reason if isinstance(reason, str) else reason.text(*values), LONGEST_MESSAGE)


class NoClosedForm(InputError):
    """Raised where a result or a comparison has no law in closed form; a check may decide it by a finer release."""


class SeesTooMuch(InputError):
    """A function that is to be applied to what is released sees what cannot be compared from database to database."""


class MechanismError(InputError):
    """A mechanism that cannot be run or enumerated: the message names it, the database and the reason.

    Where `run` raises it, the message names neither the database nor what it says: see `debugging`.

    >>> distribution(lambda draw, rows: rows[5], (0,))
    Traceback (most recent call last):
    dpverify.mechanisms.numbers.errors.MechanismError: ...raised IndexError...
    """

    no_closed_form: bool = False
    """True where that is so since what it returns has no law in closed form."""


class Overtime(MechanismError):
    """A mechanism that had not returned when its time was up: no verdict follows from that."""


class Undecided(ArithmeticError):
    """A sign could not be decided: the message says why no complete test exists for the number.

    >>> sqrt(5 + 2 * sqrt(6)) == sqrt(2) + sqrt(3)
    Traceback (most recent call last):
    dpverify.mechanisms.numbers.errors.Undecided: the sign of a number within 10^-1231 of 0 is not decided at ...
    """

    def __init__(self, reason: Reason | str = "", *values: object, is_large: bool = False) -> None:
        super().__init__(_message(reason, *values))
        self.is_large = is_large
        """True where the number may be larger than `decision` says of such: then nothing bounds it."""

    @property
    def id(self) -> str:
        """The id of its reason, such as sign-unknown; empty where it has none."""
        return id_in(str(self))


class Cut(Undecided):
    """A sign is not the same on a whole orthant: it is to be asked again on the two sides of a cut.

    The i-th coordinate below `least` or not, where that is given; the j-th greater than the i-th or not; or the i-th by
    its rest modulo `modulus`, which makes as many sides.
    """

    def __init__(self, i: int, *, least: int | None = None, j: int | None = None, modulus: int | None = None) -> None:
        super().__init__("the answer is not the same for all numbers that the scores may be")
        self.i, self.least, self.j, self.modulus = i, least, j, modulus

    @property
    def order(self) -> tuple[int, ...]:
        """Key by which cuts are sorted: those of one coordinate first, the smallest ones."""
        return (self.j or 0, self.modulus or 0, self.least or 0, self.i)


class NotDeterministic(InputError):
    """A mechanism that did otherwise with the same draws."""


class LimitMet(Undecided):
    """An enumeration or a check met one of its `Limits`: the message says how far it came, and how to raise it.

    `limit` is the name of the limit until whoever knows how far it came has put both into words, then None.
    """

    def __init__(self, message: str, limit: str | None = None) -> None:
        super().__init__(message)
        self.limit = limit


class Interruption(BaseException):
    """Ends a mechanism from outside; no `Exception`, so that the mechanism's own handlers let it pass."""
