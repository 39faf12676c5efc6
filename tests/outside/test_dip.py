"""All of the 184 programs of DiPApprox by their families, on their own inputs and on all pairs."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest
from tests.adversary.tally import deep
from tests.outside.dipapprox import FAMILIES, Family, Queries
from tests.outside.test_dipapprox import DELTA, EPSILON, NOT, PRIVATE, one

from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy

REFUTED_ON_THEIR_PAIR = ("new_nonpriv_svt", "new_nonpriv_svt_max", "nonpriv_svt_max")
REFUTED_ON_ALL_PAIRS = (*REFUTED_ON_THEIR_PAIR, "nonpriv_svt")
MOST_OF_FIVE = ("noisy_max", "noisy_min")
"""Of which five queries need more than is claimed; theirs gave up after 600 seconds."""

HALF = Fraction(1, 2)
BITS = {size: list(product((0, 1), repeat=size)) for size in range(1, 7)}


def family(folder: str, index: int = 0) -> Family:
    return [family for family in FAMILIES if family.folder == folder][index]


def test_there_are_as_many_programs_as_theirs() -> None:
    assert sum(len(family.sizes) for family in FAMILIES) == 184


def apart(left: Queries, right: Queries) -> int:
    return max(abs(a - b) for a, b in zip(left, right, strict=True))


def verdict_on(of: Family, inputs: Sequence[Queries], *, delta: Any, epsilon: Any = EPSILON) -> Verdict:
    """On inputs, each beside those from which each query moves by one at most."""
    return check_privacy(
        of.program,
        inputs,
        lambda queries: [other for other in inputs if apart(queries, other) == 1],
        epsilon=epsilon,
        delta=delta,
        parameters=of.parameters,
        recheck=False,
    )


def label(of: Family, inputs: Sequence[Queries]) -> Any:
    """What is decided of a family at the published claim."""
    epsilon = Fraction(8) if of.folder.startswith("new_nonpriv") else EPSILON
    return verdict_on(of, inputs, delta=DELTA, epsilon=epsilon).status


FOLDERS = [family for family in FAMILIES if family.folder != "dipc"]
"""Those of the folder `dipc` have inputs of their own: see below."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("of", FOLDERS, ids=lambda of: of.folder)
def test_the_programs_on_their_own_inputs(of: Family) -> None:
    expected = NOT if of.folder in REFUTED_ON_THEIR_PAIR else PRIVATE
    sizes = of.sizes if deep() else of.sizes[:4]
    assert [label(of, one(size)) for size in sizes] == [expected] * len(sizes)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("of", FOLDERS, ids=lambda of: of.folder)
def test_the_programs_on_all_pairs(of: Family) -> None:
    for size in (size for size in of.sizes if size <= (6 if deep() else 3)):
        is_refuted = of.folder in REFUTED_ON_ALL_PAIRS or (size == 5 and of.folder in MOST_OF_FIVE)
        assert label(of, BITS[size]) == (NOT if is_refuted else PRIVATE), size


@pytest.mark.parametrize(
    ("of", "pair", "epsilon"),
    [(family("dipc", 0), ((-1,) * 5, (0,) * 5), None), (family("dipc", 5), ((0, 0, -1), (1, 1, 0)), "0.505435")],
)
def test_the_largest_loss_of_laplace_programs(of: Family, pair: Sequence[Queries], epsilon: str | None) -> None:
    verdict = verdict_on(of, pair, delta=0)
    assert verdict.status is NOT
    assert verdict.epsilon is not None
    if epsilon is None:
        assert verdict.epsilon.exact == Fraction(5, 4)
    else:
        assert abs(verdict.epsilon.lower - Fraction(epsilon)) < Fraction(1, 10**6)


class Own(NamedTuple):
    """A program of the folder `dipc`, its pair of inputs there, and the least ε on it; and what is private of it.

    On that pair, and on all pairs of zeros and ones, at δ = 0 and at δ = 1/100.
    """

    number: int
    inputs: Sequence[Queries] | None
    epsilon: str | None
    on_pair: tuple[Status, Status]
    on_all: tuple[Status, Status]


AT_A_DELTA = (NOT, PRIVATE)
DIPC = (
    Own(0, ((-1,) * 5, (0,) * 5), "1.25", AT_A_DELTA, AT_A_DELTA),
    Own(1, ((-1, 0), (0, -1)), "0.522383", AT_A_DELTA, AT_A_DELTA),
    Own(2, ((-1, 0), (-1, -1)), None, (NOT, NOT), (NOT, NOT)),
    Own(3, ((-1, -1, 0), (0, 0, -1)), "0.537287", AT_A_DELTA, AT_A_DELTA),
    Own(4, None, None, (PRIVATE, PRIVATE), (PRIVATE, PRIVATE)),
    Own(5, ((1, 0, 1), (1, 1, 1)), "0.25", (PRIVATE, PRIVATE), (PRIVATE, PRIVATE)),
    Own(6, ((1, 0, 1), (1, 1, 1)), "0.25", (PRIVATE, PRIVATE), (PRIVATE, PRIVATE)),
)
"""All seven; the fifth has no inputs there."""


@pytest.mark.one_in(7)
@pytest.mark.parametrize("own", DIPC, ids=lambda own: str(own.number))
def test_the_seven_programs_of_an_earlier_tool(own: Own) -> None:
    of = family("dipc", own.number)
    for inputs, expected in ((own.inputs, own.on_pair), (BITS[of.width or of.sizes[0]], own.on_all)):
        if inputs is None:
            continue
        found = [verdict_on(of, inputs, delta=delta) for delta in (0, DELTA)]
        assert tuple(verdict.status for verdict in found) == expected
        if inputs is own.inputs and own.epsilon is not None:
            assert found[0].epsilon is not None
            assert abs(found[0].epsilon.lower - Fraction(own.epsilon)) < Fraction(1, 10**6)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("folder", "size", "epsilon"),
    [
        *(("svt_laplace_max", size, HALF) for size in (1, 2, 3, 4)),
        *((folder, 3, epsilon) for folder in ("noisy_max_laplace", "noisy_min_laplace") for epsilon in (HALF, 1)),
    ],
)
def test_their_table_without_delta(folder: str, size: int, epsilon: Any) -> None:
    """On all pairs of -1, 0 and 1 of which each query moves by one at most."""
    verdict = verdict_on(family(folder), list(product((-1, 0, 1), repeat=size)), delta=0, epsilon=epsilon)
    assert verdict.status is PRIVATE


@pytest.mark.parametrize(("index", "epsilon"), [(1, 1), (2, HALF), (3, 1)])
def test_what_their_table_refutes_without_delta(index: int, epsilon: Any) -> None:
    inputs = DIPC[index].inputs
    assert inputs is not None
    assert verdict_on(family("dipc", index), inputs, delta=0, epsilon=epsilon).status is NOT
