"""The number of calls of the recursion: Observation 3.10 of the journal version, and Lemma 2 of the extended abstract.

Each calls itself first, before anything is drawn, so that what is drawn has no part in it: the calls are counted by the
functions that run, which are given ⊥ from the deepest call on, and return it.
"""

from itertools import product
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.recursion import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.recursion.quasi_concave import PRINTED_BASE, last_point, on_scales
from dpverify.mechanisms.selection import Bottom
from dpverify.verifiers.calculations.family import Broken, Calculation
from dpverify.verifiers.catalogue.families import HALF

Length: TypeAlias = tuple[int, int]
"""(p, n) for T = 2^p + n: written out some T have twenty thousand digits."""


def recursive_calls(length: Length, kind: int, recursion: Mechanism, base: int) -> int:
    """The number of times `recursion` calls itself on a hill in [0, T]."""
    given = {"base": base, "promise": 100, "alpha": HALF, "epsilon": 1, "delta": HALF}
    calls = 0

    def counting(called: Any, of_call: StepFunction, **of_it: Any) -> Any:
        nonlocal calls
        if called in (last_point, on_scales):  # parts that draw nothing themselves
            return called(counting, of_call, **of_it)
        assert called is recursion, "something is drawn before the deepest call"
        calls += 1
        called(counting, of_call, **of_it)
        return Bottom.BOTTOM

    recursion(counting, hill(number_of(length), kind), **given)
    return calls


def exactly(number: int) -> tuple[int, int]:
    """Both bounds of a number of executions: at most so many, and, with its sign turned, at least."""
    return number, -number


def executions(length: Length, kind: int, recursion: Mechanism, base: int) -> tuple[int, int]:
    """The number of its calls; with the printed base case no more than that, with the first."""
    calls = recursive_calls(length, kind, recursion, base)
    return exactly(calls) if base == 1 else (calls + 1, 0)


def executions_said(length: Length, base: int) -> tuple[int, int]:
    """log* T calls, or, with the printed base case, at most as many executions, or one.

    log* T is how often the logarithm to base 2 is taken of T until it is at most 1; 0 for T = 1, as is printed.
    """
    stars = sum(tower < number_of(length) for tower in TOWERS)
    return exactly(stars) if base == 1 else (max(1, stars), 0)


def number_of(length: Length) -> int:
    """T."""
    return (1 << length[0]) + length[1]


TOWERS: Final = tuple(1 << exponent for exponent in (0, 1, 2, 4, 16, 65_536))
"""1, 2, 4, 16, 65,536 and 2^65536: beyond each of them, up to the next, log* is one more."""
HILLS: Final[tuple[tuple[Length, int], ...]] = (
    *(((0, n), n % 3) for n in range(100)),
    *(((16, n), k) for n in (-1, 0, 1) for k in range(3)),
    ((65_536, 1), 1),
)
"""One hill on each short range, in turn, and each on those next to a tower."""


def hill(last: int, kind: int) -> StepFunction:
    """The same everywhere, a peak in the middle, or a plateau from there on."""
    if kind == 0 or last < 3:
        return StepFunction.of_pieces([(0, 100)], last)
    middle = last // 2
    return StepFunction.of_pieces([(0, 0), (middle, 100), *([(middle + 1, 0)] if kind == 1 else [])], last)


calls = [
    Calculation(
        id=f"BNS-{item}.utility.calls",
        source=f"Beimel, Nissim & Stemmer, {source}",
        statement=f"on [0, T] {name} calls itself log* T times, if it goes on to [0, 1], and with the printed base "
        "case there are at most log* T executions with the first, or one, for all T ≤ 100, and next to 65,536 and "
        "2^65536, whatever is drawn",
        computed=executions,
        at_most=executions_said,
        cases=tuple(
            {"length": length, "kind": kind, "recursion": recursion, "base": base}
            for base, (length, kind) in product((1, PRINTED_BASE), HILLS)
        ),
        mutants=[  # which goes on with half of the range in place of its logarithm
            Broken("a binary search", {"computed": lambda length: exactly((number_of(length) - 1).bit_length())})
        ],
    )
    for item, source, name, recursion in (
        (
            "J-3.10",
            "journal version, Observation 3.10, and N = log* T in Remark 3.16",
            "RecConcave",
            maximise_quasi_concave,
        ),
        ("X-Lem2", "extended abstract, Figure 1 and Lemma 2", "Rec", maximise_quasi_concave_extended_abstract),
    )
]
