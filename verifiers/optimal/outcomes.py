"""Outcomes that need not be told apart: one stands for several, and no success is lost.

Where outcome o succeeds nowhere better than o′ does, any mechanism may answer o′ in place of o: that is
post-processing, so it is as private as before, and on no database does it succeed less. So the best mechanism over
outcomes none of which is below another is the best over all; of outcomes that succeed alike, the first is kept.
"""

from dataclasses import replace

import numpy as np

from dpverify.verifiers.optimal.question import DesignProblem


def merged_outcomes(asked: DesignProblem) -> tuple[DesignProblem, list[int]]:
    """The question with the outcomes that are kept, and for each outcome the position among them of its stand-in."""
    columns = list(zip(*asked.success, strict=True))
    first: dict[tuple[object, ...], int] = {}
    for o, column in enumerate(columns):
        first.setdefault(column, o)
    different = list(first.values())
    above = _above([columns[o] for o in different])
    kept = [o for at, o in enumerate(different) if above[at] == at]
    place = {o: at for at, o in enumerate(kept)}
    stands_for = [place[different[above[different.index(first[column])]]] for column in columns]
    fewer = replace(
        asked, outcomes=[asked.outcomes[o] for o in kept], success=[[row[o] for o in kept] for row in asked.success]
    )
    return fewer, stands_for


def _above(columns: list[tuple[object, ...]]) -> list[int]:
    """For each of several different columns the position of one that is nowhere below it and itself below none."""
    ranks = {value: rank for rank, value in enumerate(sorted({value for column in columns for value in column}))}  # type: ignore[type-var]
    table = np.array([[ranks[value] for value in column] for column in columns], dtype=np.int32)
    order = np.argsort(-table.sum(axis=1, dtype=np.int64), kind="stable")  # whoever is below another comes after it
    highest: list[int] = []
    above = [0] * len(columns)
    for at in map(int, order):
        above[at] = next((top for top in highest if (table[top] >= table[at]).all()), at)
        if above[at] == at:
            highest.append(at)
    return above
