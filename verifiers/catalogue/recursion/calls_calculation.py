"""The number of calls of the recursion: Observation 3.10 of the journal version, and Lemma 2 of the extended abstract.

Each calls itself first, before anything is drawn, so that what is drawn has no part in it: the calls are counted by the
functions that run, which are given ⊥ from the deepest call on, and return it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.recursion import maximise_quasi_concave, maximise_quasi_concave_extended_abstract
from dpverify.mechanisms.recursion.quasi_concave import PRINTED_BASE, last_point, on_scales
from dpverify.mechanisms.selection import Bottom
from dpverify.verifiers.calculations.claim import Calculation
from dpverify.verifiers.claims import Broken

HALF: Final = Fraction(1, 2)

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


def executions(length: Length, kind: int, recursion: Mechanism, base: int) -> tuple[int, int]:
    """The number of its calls, at most and at least; with the printed base case only the former, with the first."""
    calls = recursive_calls(length, kind, recursion, base)
    return (calls, -calls) if base == 1 else (calls + 1, 0)


def executions_of_halving(length: Length) -> tuple[int, int]:
    """A binary search goes on with half of the range in place of its logarithm."""
    calls = (number_of(length) - 1).bit_length()
    return calls, -calls


def executions_said(length: Length, base: int) -> tuple[int, int]:
    """log* T calls, or, with the printed base case, at most as many executions, or one."""
    stars = logarithms(length)
    return (stars, -stars) if base == 1 else (max(1, stars), 0)


def number_of(length: Length) -> int:
    """T."""
    return (1 << length[0]) + length[1]


TOWERS: Final = tuple(1 << exponent for exponent in (0, 1, 2, 4, 16, 65_536))
"""1, 2, 4, 16, 65,536 and 2^65536: beyond each of them, up to the next, log* is one more."""
SHORT: Final[tuple[Length, ...]] = tuple((0, n) for n in range(100))
LONG: Final[tuple[tuple[Length, int], ...]] = (
    *(((16, n), kind) for n in (-1, 0, 1) for kind in range(3)),
    ((65_536, 1), 1),
)


def logarithms(length: Length) -> int:
    """log* T: how often the logarithm to base 2 is taken of T until it is at most 1; 0 for T = 1, as is printed."""
    return sum(tower < number_of(length) for tower in TOWERS)


def hill(last: int, kind: int) -> StepFunction:
    """The same everywhere, a peak in the middle, or a plateau from there on."""
    if kind == 0 or last < 3:
        return StepFunction.of_pieces([(0, 100)], last)
    middle = last // 2
    return StepFunction.of_pieces([(0, 0), (middle, 100), *([(middle + 1, 0)] if kind == 1 else [])], last)


def cases(recursion: Mechanism, base: int) -> Iterator[dict[str, Any]]:
    """One hill on each short range, in turn, and each on those next to a tower."""
    for length, kind in (*((length, length[1] % 3) for length in SHORT), *LONG):
        yield {"length": length, "kind": kind, "recursion": recursion, "base": base}


def _claim(claim_id: str, source: str, name: str, recursion: Mechanism) -> Calculation:
    return Calculation(
        id=claim_id,
        source=f"Beimel, Nissim & Stemmer, {source}",
        statement=f"on [0, T] {name} calls itself log* T times, if it goes on to [0, 1], and with the printed base "
        "case there are at most log* T executions with the first, or one, for all T ≤ 100, and next to 65,536 and "
        "2^65536, whatever is drawn",
        computed=executions,
        at_most=executions_said,
        cases=(*cases(recursion, 1), *cases(recursion, PRINTED_BASE)),
        mutants=[Broken("a binary search", {"computed": executions_of_halving})],
    )


calls_of_rec_concave = _claim(
    "BNS-J-3.10.utility.calls",
    "journal version, Observation 3.10, and N = log* T in Remark 3.16",
    "RecConcave",
    maximise_quasi_concave,
)
calls_of_rec = _claim(
    "BNS-X-Lem2.utility.calls",
    "extended abstract, Figure 1 and Lemma 2",
    "Rec",
    maximise_quasi_concave_extended_abstract,
)
