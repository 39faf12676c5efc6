"""Utility of Algorithm B, and of learning from what is sanitized.

Each claim is one step of a proof on input that is given: what it is conditional on is in its statement.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, Final

from dpverify.mechanisms import Draw, exp
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.sanitizers import error_as_printed, error_by_rows, learn_from_sanitized, points, thresholds
from dpverify.mechanisms.sanitizers.concepts import Example
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, sanitize_labelled
from dpverify.mechanisms.sanitizers.proper_databases import distance_of_estimates
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.utility.family import Case, Family, MadeOnce, Mechanism, as_named, least_of


# Lemma 5.4: Algorithm B with a sanitizer that is as good as can be.
def as_it_is(draw: object, rows: tuple[Any, ...]) -> tuple[Any, ...]:
    """The rows themselves: a sanitizer in what it is for, and no private one."""
    return rows


def errors_by(reading: Callable[..., Fraction]) -> Mechanism:
    """The errors of all thresholds on Algorithm B's database, in one of the two readings of step 8."""

    def errors(draw: Draw, sample: tuple[Example, ...], *, d: int, **given: Any) -> tuple[Fraction, ...]:
        released = draw(sanitize_labelled, sample, sanitizer=as_it_is, filler=0, **given)
        return tuple(reading(concept, released) for concept in thresholds(d))

    return as_named(f"errors_with_{reading.__name__}", reading.__doc__ or "", errors)


def without_label_1(concept: Callable[[Any], int], released: Any) -> Fraction:
    """The error where the rows of label 1 are left out."""
    return error_by_rows(concept, (released[0], (0, ())))


def is_close_by_proof(case: Case, errors: tuple[Fraction, ...]) -> bool:
    """True where all errors are within 6M/t of those on the sample, as the proof allows beside the sanitizer's own."""
    rows, block = len(case.database), case.parameters["block"]
    true = _errors_of_thresholds(case.database, case.parameters["d"])
    return all(abs(a - b) <= Fraction(6 * block, rows) for a, b in zip(errors, true, strict=True))


@cache  # of the one sample on which there are thousands of outcomes
def _errors_of_thresholds(sample: tuple[Example, ...], d: int) -> tuple[Fraction, ...]:
    return tuple(error_on(concept, sample) for concept in thresholds(d))


_BLOCKS: Final = {"d": 1, "block": 1, "epsilon": Fraction(20), "most": 50}
_ON_BLOCKS: Final = tuple(Case(((0, 1),) * ones + ((1, 0),) * (48 - ones), _BLOCKS, {"ones": ones}) for ones in (12, 0))
"""Samples of 48 blocks of one row, with few and many rows of either label, at ε = 20."""
by_rows = Family(
    errors_by(error_by_rows),
    is_close_by_proof,
    # more than what either noise exceeds M with
    lambda case: 2 * exp(-case.parameters["epsilon"] * case.parameters["block"]),
    errors_by(without_label_1),
)
step_8_as_printed = replace(by_rows, mechanism=errors_by(error_as_printed))(
    "BNS-J-5.4.utility.copies",
    f"{BNS}, proof of Lemma 5.4, step 8 of Figure 12 as printed",
    "with a sanitizer that returns its rows, Algorithm B's database has all errors within 6M/t of the "
    "sample's, unless noise exceeds M; M = 1 and t = 48, less than in the proof",
    _ON_BLOCKS,
    examples=_ON_BLOCKS[:1],
    proof_step="The lemma says that a sanitizer exists, and step 8 as printed is not how it is made: where a label "
    "weighs m̂, and not m̂², it holds (BNS-J-5.4.utility.rows).",
)
step_8_by_rows = by_rows(
    "BNS-J-5.4.utility.rows",
    f"{BNS}, proof of Lemma 5.4, where each label weighs m̂",
    "as BNS-J-5.4.utility.copies, on two samples of 48 rows",
    _ON_BLOCKS,
    weak_because="an error moves by 6M/t where a noise is beyond 6M alone, and β is that of one beyond M: with four "
    "times the noise it fails with 6·10⁻⁶ of β, and with eight times with 23 times β",
)


# Lemma 5.3: learning from what is sanitized.
def learnt_from(draw: Draw, sample: Sequence[Example], *, concepts: Sequence[Any], sanitized: Sequence[Example]) -> Any:
    """Learn, with a sanitizer that releases the database that is given."""
    return draw(learn_from_sanitized, sample, sanitizer=lambda draw, rows: tuple(sanitized), concepts=concepts)


def learnt_from_turned(draw: Draw, sample: Any, *, concepts: Sequence[Any], sanitized: Sequence[Example]) -> Any:
    """Learn from the released database with all labels turned over: the concept with the greatest error there."""
    return learnt_from(draw, sample, concepts=concepts, sanitized=tuple((x, 1 - y) for x, y in sanitized))


def error_on(concept: Any, rows: Sequence[Example]) -> Fraction:
    """The share of c^label on the rows, which is the concept's error there."""
    return Fraction(sum(map(labelled_concept(concept), rows)), len(rows))


def all_released(factor: int = 2) -> Iterator[Case]:
    """All samples consistent with a concept and all databases released; α is as close as these are for C^label."""
    for d, of_points, most in ((1, points(1), 4), (1, thresholds(1), 4), (2, points(2), 2), (2, thresholds(2), 2)):
        rows = [(x, y) for x in range(1 << d) for y in (0, 1)]
        every = [s for n in range(1, most + 1) for s in combinations_with_replacement(rows, n)]
        errors = {s: tuple(error_on(c, s) for c in of_points) for s in every}
        furthest = cache(distance_of_estimates)  # the errors of many databases are the same
        for sample in every:
            if min(errors[sample]):  # it is consistent with no concept
                continue
            for sanitized in every:
                alpha = furthest(errors[sample], errors[sanitized])
                given = {"concepts": of_points, "sanitized": sanitized}
                yield Case(sample, given, {"alpha": alpha, "factor": factor})


from_sanitized = Family(
    learnt_from,
    lambda case, found: error_on(found, case.database) <= case.facts["factor"] * case.facts["alpha"],
    lambda case: ZERO,
    learnt_from_turned,
)(
    "BNS-J-5.3.utility.empirical",
    f"{BNS}, Lemma 5.3: in its proof, event E1 makes the error on the sample at most 2α",
    "where Ŝ is α-close to S for C^label and S is consistent with a concept, Learn has error ≤ 2α on S; "
    "points and thresholds, all S and Ŝ of up to 4 rows with d = 1 and of up to 2 with d = 2",
    MadeOnce(all_released),
    sharpness=least_of("multiple of α", 2, all_released, least=0),
)
