"""Rounding to the nearest parity: Lemma 5.3 of Bun, Nissim & Stemmer."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from dpverify.mechanisms.learners import Parity, nearest_parity
from dpverify.verifiers.calculations.family import Broken, Calculation, Sharpness


def rounded(table: tuple[int, ...]) -> int:
    """The number of the `nearest_parity` to a hypothesis that is given by its labels."""
    return nearest_parity(table.__getitem__, (len(table) - 1).bit_length()).y


def near_a_parity(d: int, most: int) -> Iterator[dict[str, Any]]:
    """All hypotheses that differ from a parity of d bits at `most` points at most, with it; near ones first."""
    for wrong in range(most + 1):
        for y, places in product(range(1 << d), range(1 << (1 << d))):
            if places.bit_count() == wrong:
                table = tuple(Parity(y)(x) ^ places >> x & 1 for x in range(1 << d))
                yield {"table": table, "parity": y, "wrong": wrong}


rounding = Calculation(
    id="BuNS-5.3.utility.rounding",
    source="Bun, Nissim & Stemmer, Lemma 5.3",
    statement="a hypothesis that errs on less than a quarter of {0, 1}^d is rounded to the parity itself; d ≤ 3",
    computed=rounded,
    equals=lambda parity: parity,
    cases=[case for d in (0, 1, 2, 3) for case in near_a_parity(d, ((1 << d) - 1) // 4)],
    mutants=[Broken("the parity after it", {"computed": lambda table: (rounded(table) + 1) % len(table)})],
    sharpness=Sharpness(
        what="points of 8 on which the hypothesis agrees with the parity",
        paper=7,
        family=lambda agree: near_a_parity(3, 8 - agree),
    ),
)
