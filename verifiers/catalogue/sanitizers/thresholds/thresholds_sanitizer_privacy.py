"""Privacy of SanThresholds: Lemma 4.8 of Beimel, Nissim & Stemmer, journal version."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import (
    epsilon_of_sanitized_thresholds,
    parts_of_sanitized_thresholds,
    rows_for_private_sanitized_thresholds,
    sanitize_thresholds,
)
from dpverify.mechanisms.selection.composition import hardest_composition
from dpverify.mechanisms.selection.stability import choose_by_stability_journal
from dpverify.reports.record import Boundary, Status
from dpverify.verifiers.catalogue.families import BY_DEFAULT, on_all, the_other
from dpverify.verifiers.catalogue.finite import DOMINATING_PAIR, LONG_DATABASES, RECURSES
from dpverify.verifiers.catalogue.refuted import degenerate, variant
from dpverify.verifiers.catalogue.sanitizers.histograms.nearly_all_on_one_point import (
    BETA,
    Counts,
    move_one_row,
    nearly_all_on_one_point,
    on_counts,
    rows_of,
)
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.pairs.neighbours import replace_one
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.questions.domains import Multisets
from dpverify.verifiers.questions.score_domains import OrMore

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
TENTH: Final = Fraction(1, 10)
HALF: Final = Fraction(1, 2)


def points_of_thresholds(draw: Draw, rows: tuple[int, ...], **given: Any) -> Any:
    """The points of the database that SanThresholds gives, without their numbers."""
    return tuple(x for x, _ in sanitize_thresholds(draw, rows, **given))


def with_the_last_row(draw: Draw, rows: Any, *, sanitizer: Mechanism = sanitize_thresholds, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return sanitizer(draw, rows, **given), max(rows)


def counts_with_the_last_row(draw: Draw, counts: Counts, **given: Any) -> Any:
    """Mutant: puts the last row into the sanitized database as it is."""
    return with_the_last_row(draw, rows_of(counts), **given)


# Lemma 4.8, where c is the number of calls. With α = 1 and m rows it asks for m ≥ (1024/ε)·ln(2048/(βεδ)).

_THRESHOLDS: Final = "Beimel, Nissim & Stemmer, journal version, Figure 11 and Lemma 4.8"
_LEMMA: Final = "(sqrt(8c·ln(1/(cδ)))·ε + 8cε², 5cδ)-private"


def _san_thresholds(variant: str, calls: int, eps: int, del_: Fraction, statement: str, **more: Any) -> Claim:
    """A claim of SanThresholds whose parts are run at ε = `eps` and δ = `del_`."""
    parameters = {
        "d": 2,
        "alpha": 1,
        "epsilon": eps,
        "delta": del_,
        "calls": calls,
        "selection": choose_by_stability_journal,
    }
    parameters |= more.pop("knobs", {})
    given = {
        "source": _THRESHOLDS,
        "mechanism": sanitize_thresholds,
        "neighbours": replace_one,
        "epsilon": epsilon_of_sanitized_thresholds(calls=calls, epsilon=eps, delta=del_),
        "delta": 5 * calls * del_,
        "mutant": with_the_last_row,
        "finite_because": RECURSES,
        "parameters": parameters,
        "statement": f"SanThresholds with {calls} {'call' if calls == 1 else 'calls'} at ε = {eps} {statement}",
        **more,
    }
    return Claim(id=f"BNS-J-4.8.privacy.{variant}", **given)


def _nearly_all(calls: int, epsilon: int, delta: Fraction, *, by_default: bool = False) -> dict[str, Any]:
    selection = {} if by_default else {"selection": choose_by_stability_journal}
    return {
        "mechanism": on_counts,
        "domain": nearly_all_on_one_point(
            rows_for_private_sanitized_thresholds(alpha=1, beta=BETA, epsilon=epsilon, delta=delta), (0, 0, 2)
        ),
        "neighbours": move_one_row,
        "mutant": counts_with_the_last_row,
        "finite_because": LONG_DATABASES,
        "parameters": {
            "sanitizer": sanitize_thresholds,
            "d": 2,
            "alpha": 1,
            "epsilon": epsilon,
            "delta": delta,
            "calls": calls,
            **selection,
        },
    }


_TWO_HUNDREDTH: Final = Fraction(1, 200)
_HUNDREDTH: Final = Fraction(1, 100)
_TWENTIETH: Final = Fraction(1, 20)
_NUMBERS_ALONE: Final = LeastShare(
    share="1/4",
    below="15/64",
    because="with so many rows on a point all choices are certain but for δ ≈ 10⁻¹¹⁹¹, and the released numbers take ε "
    "of the 4ε; on 120 rows, half on each of two points, a quarter of the noise is refuted",
)
_BELOW_IT: Final = (
    "with one call and parts of ε = 1/10 it is 0.731, and 1,200 rows, half on each of two points, need 0.126; at what "
    "its parts give a quarter of the noise is refuted on 120 such rows, in BNS-J-4.8.privacy.by-parts-few-rows"
)
_ENOUGH: Final = "for as many rows as the lemma asks for, of which up to two are on another point"
_WITH_REAL_COUNTS: Final = _nearly_all(1, 1, _TWO_HUNDREDTH)
_WITH_REAL_COUNTS["parameters"]["released"] = laplace
HALVES: Final = [(120 - others, 0, 0, others) for others in (0, 1, 59, 60, 61)]
"""Here the choices between points, and what they are given, are uncertain, at an ε that is claimed for 459,933 rows."""
SEVEN_POINTS: Final = [tuple(range(7)), (*range(6), 8)]


thresholds = (
    *(
        claim
        for calls, epsilon, claimed, suffix in ((1, 10, "865", ""), (2, 500, "4,004,292", "-two-calls"))
        for claim in (
            _san_thresholds(
                f"printed{suffix}",
                calls,
                epsilon,
                _TWO_HUNDREDTH,
                f"is {_LEMMA} {_ENOUGH}",
                **_nearly_all(calls, epsilon, _TWO_HUNDREDTH),
                weak_because=f"at ε̃ = {claimed} nothing is claimed: its parts add up to {4 * calls * epsilon}; "
                f"{_BELOW_IT}",
            ),
            _san_thresholds(
                f"printed-by-parts{suffix}",
                calls,
                epsilon,
                _TWO_HUNDREDTH,
                f"is, as its parts give, (4cε, 2cδ)-private {_ENOUGH}",
                **_nearly_all(calls, epsilon, _TWO_HUNDREDTH)
                | {"epsilon": 4 * calls * epsilon, "delta": 2 * calls * _TWO_HUNDREDTH},
                least=_NUMBERS_ALONE if calls == 1 else None,
            ),
        )
    ),
    _san_thresholds(
        "by-parts-few-rows",
        1,
        1,
        _TWO_HUNDREDTH,
        "is, as its parts give, (4cε, 2cδ)-private on 120 rows of two points, of which one has none, one or about half",
        **_nearly_all(1, 1, _TWO_HUNDREDTH) | {"domain": HALVES, "epsilon": 4, "delta": 2 * _TWO_HUNDREDTH},
    ),
    _san_thresholds(
        "by-parts-few-rows-released-laplace",
        1,
        1,
        _TWO_HUNDREDTH,
        "and Lap(1/ε) on its counts is, as its parts give, (4cε, 2cδ)-private on 120 rows of two points, of which one "
        "has one or about half",
        **_WITH_REAL_COUNTS | {"domain": HALVES[:4], "epsilon": 4, "delta": 2 * _TWO_HUNDREDTH},
    ),
    _san_thresholds(
        "printed-large-epsilon",
        1,
        1000,
        _TWO_HUNDREDTH,
        f"is {_LEMMA} for as many rows as the lemma asks for, which is seven",
        domain=SEVEN_POINTS,
        neighbours=the_other,
        mechanism=points_of_thresholds,
        expected=Status.REFUTED,
        refutation=degenerate(
            "For so large an ε, of its parts, the lemma asks for a few rows. On pairs of this shape it fails from 15 "
            "rows down where their number is odd; where it is even, and from 16 on, it holds.",
            Boundary("469", "470"),
        ),
        knobs={"d": 4},
    ),
    _san_thresholds(
        "below",
        1,
        1,
        _HUNDREDTH,
        f"is {_LEMMA} on two rows, far fewer than the lemma asks for: already in which points it has",
        mechanism=points_of_thresholds,
        domain=Multisets(range(4), size=2),
        expected=Status.REFUTED,
        refutation=variant("Two rows are far fewer than the lemma asks for."),
    ),
    _san_thresholds(
        "recursive",
        2,
        1,
        _TWENTIETH,
        f"and base case 2 for RecConcave is {_LEMMA} on all databases of two rows on eight points",
        domain=Multisets(range(8), size=2),
        knobs={"d": 3, "base": 2, "depth": 2},
        least=LeastShare(share="1/8", below="15/128", because="δ = 1/2 alone covers what two rows show"),
    ),
)


def last_row(draw: object, rows: Sequence[int], **_: Any) -> Any:
    """Mutant: gives out the last row, and nothing else."""
    return max(rows)


def mostly_in_the_middle(others: int) -> tuple[int, ...]:
    """Four rows on [0, 512): all on 256 but for some on 511."""
    return (256,) * (4 - others) + (511,) * others


_ROWS_BY_DEFAULT: Final = rows_for_private_sanitized_thresholds(alpha=1, beta=BETA, epsilon=1, delta=TENTH)
sanitized_by_default = Claim(
    id="BNS-J-4.8.privacy.default",
    source=f"{_BNS}, Figure 11 and Lemma 4.8",
    statement=f"SanThresholds {BY_DEFAULT} one call at ε = 1 and base case 8 for RecConcave, which recurses on its ten "
    "scales, is (sqrt(8c·ln(1/(cδ)))·ε + 8cε², 5cδ)-private on four rows of two points, far fewer than the lemma asks, "
    f"and from {_ROWS_BY_DEFAULT:,} rows on, as it asks",
    mechanism=sanitize_thresholds,
    domain=[mostly_in_the_middle(others) for others in range(3)],
    epsilon=epsilon_of_sanitized_thresholds(calls=1, epsilon=1, delta=TENTH),
    delta=HALF,
    parameters={"d": 9, "alpha": 1, "epsilon": 1, "delta": TENTH, "calls": 1, "base": 8},
    mutant=last_row,
    **on_all(EveryDatabase((256, 511), sizes=OrMore(_ROWS_BY_DEFAULT))),
    weak_because="four rows are so few that mostly ⊥ is returned, and δ = 1/2 alone covers the rest; on 120 rows, in "
    "BNS-J-4.8.privacy.default-by-parts-few-rows, a quarter of the noise is refuted",
)
sanitized_by_default_in_halves = _san_thresholds(
    "default-by-parts-few-rows",
    1,
    1,
    _TWO_HUNDREDTH,
    f"{BY_DEFAULT} is, as its parts give, (4cε, 2cδ)-private on 120 rows of two points, of which one has none, one or "
    "about half",
    **_nearly_all(1, 1, _TWO_HUNDREDTH, by_default=True)
    | {"domain": HALVES, "epsilon": 4, "delta": 2 * _TWO_HUNDREDTH},
)


# Theorem 4.13: c = 77/α calls, whose 4c parts have the ε and δ that Lemma 4.8 leaves them of (1, 10⁻⁶).


def parts_at_twice_epsilon(draw: Draw, bit: int, *, times: int, epsilon: Fraction, delta: Fraction) -> Any:
    """Mutant: each part has twice the ε."""
    return hardest_composition(draw, bit, times=times, epsilon=2 * epsilon, delta=delta)


def _of_calls(name: str, calls: int, alpha: str, **given: Any) -> Claim:
    epsilon, delta = parts_of_sanitized_thresholds(calls=calls, epsilon=1, delta=Fraction(1, 10**6))
    rounded_down = Fraction(floor(epsilon * 10**6), 10**6)
    return Claim(
        id=f"BNS-J-4.13.privacy.{name}",
        source=f"{_BNS}, Theorem 4.13, by Lemma 4.8 and Theorem 2.5",
        statement=f"4c private parts, four for each of the c = 77/α calls of SanThresholds, α = {alpha}, are together "
        "(1, 10⁻⁶)-private, for the ε and δ of each that Lemma 4.8 leaves them, ε rounded down to millionths",
        mechanism=hardest_composition,
        domain=(0, 1),
        neighbours=the_other,
        epsilon=1,
        delta=Fraction(1, 10**6),
        parameters={"times": 4 * calls, "epsilon": rounded_down, "delta": delta},
        finite_because=DOMINATING_PAIR,
        mutant=parts_at_twice_epsilon,
        **given,
    )


parts_of_few_calls = _of_calls("parts-of-few-calls", 77, "1")
parts_of_calls = _of_calls("parts", 308, "1/4", depth="full")
