"""What check_privacy refuses, and in which words."""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one
from tests.verifiers.privacy.mechanisms_to_check import BITS, calls, check_privacy, fine, geometric, true_answer

from dpverify import verifiers
from dpverify.mechanisms import Draw, InputError, Limits, MechanismError, bernoulli, discrete_laplace, distribution, log
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.numbers.exact_numbers import exact, total
from dpverify.mechanisms.selection import discrete_laplace_mechanism
from dpverify.verifiers import Multisets, Status, Tuples, add_or_remove_one, replace_one


@in_one(
    "claim, message",
    [
        (
            {"epsilon": 0.5},
            r'^epsilon=0\.5 is a float, which is not exact: write "0\.5" or Fraction\(1, 2\) \[float-argument\]',
        ),
        ({"epsilon": 1.0}, "^epsilon=1.0 is a float, which is not exact: write 1 "),
        ({"epsilon": 1 / 3}, r": write Fraction\(1, 3\) "),
        ({"epsilon": 2**0.5}, 'write it as text, such as "0.1", as a Fraction, or with exp, log and sqrt of dpverify'),
        ({"epsilon": 1e20}, ': write "1e20" '),
        ({"epsilon": float("nan")}, "epsilon=nan is a float"),
        ({"epsilon": 1, "delta": 1e-5}, r'^delta=1e-05 is a float, .*: write "1e-5" or Fraction\(1, 100000\) '),
        ({"epsilon": 1, "delta": 1e-10}, ': write "1e-10" '),
        ({"epsilon": -1}, "epsilon=-1 is negative"),
        ({"epsilon": "nan"}, "epsilon='nan' is not a finite number"),
        ({"epsilon": 1, "delta": -1}, "delta=-1 must be between 0 and 1"),
        ({"epsilon": 1, "delta": "1.01"}, "delta=101/100 must be between 0 and 1"),
        ({"epsilon": None}, "epsilon=None"),
        ({"epsilon": 0}, "fine on .*: epsilon=0 must be greater than 0"),
        ({"epsilon": 1, "parameters": {"scale": 2}}, "fine has no parameter scale: it takes epsilon"),
        ({"epsilon": 1, "parameters": {"epsilon": 0.5}}, 'epsilon=0.5 is a float, .*: write "0.5" or'),
    ],
)
def test_bad_claims(claim: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_privacy(fine, BITS, **claim)


def test_a_claim_of_epsilon_0_is_fine() -> None:
    assert check_privacy(fine, BITS, epsilon=0, parameters={"epsilon": 1}).status is Status.REFUTED
    assert check_privacy(lambda draw, rows: 1, BITS, epsilon=0, delta=0).status is Status.PROVED
    assert check_privacy(true_answer, BITS, epsilon=0, delta=1).status is Status.PROVED


def test_missing_parameters() -> None:
    def needs(draw: Draw, rows: Sequence[int], *, threshold: int) -> int:
        return threshold

    with pytest.raises(InputError, match=r"needs needs threshold: give parameters=|needs threshold: give parameters="):
        check_privacy(needs, BITS, epsilon=1)


@in_one(
    "domain, message",
    [
        (7, "not an iterable of databases"),
        ("01", r"not permitted; use an 0o prefix for octal integers\)"),
        (iter(BITS), "can be read only once"),
        ([], "empty"),
        ([(0,)], "no pair of neighbours"),
        ([[0], [1]], "cannot be hashed"),
        (Tuples((0, 1), size=21), "more than"),
    ],
)
def test_bad_domains(domain: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_privacy(fine, domain, epsilon=1)


def remembers(draw: Draw, rows: Sequence[int]) -> Any:
    return bernoulli(Fraction(1, 2 + next(calls)))


def does_not_end(draw: Draw, rows: Sequence[int]) -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    ("mechanism", "domain", "message"),
    [
        (remembers, BITS, "iterator, and what was taken from it shows nowhere|differs|depends on more"),
        (lambda draw, rows: rows[0], Multisets((0, 1), size=3), r"depends on the order of the rows: .* use Tuples"),
    ],
)
def test_bad_mechanisms(mechanism: Any, domain: Any, message: str) -> None:
    with pytest.raises(MechanismError, match=message):
        verifiers.check_privacy(mechanism, domain, epsilon=1)


@pytest.mark.usefixtures("hurried")
def test_a_mechanism_that_does_not_return_is_stopped() -> None:
    """Undecided, as by every other limit, with the line where it was."""
    verdict = check_privacy(does_not_end, BITS, epsilon=1, limits=Limits(seconds=1))
    assert verdict.status is Status.UNDECIDED
    line = does_not_end.__code__.co_firstlineno
    said = rf"was not known after 1 s of a processor \(.*, line ({line + 1}|{line + 2})\); it may not end"
    assert re.search(said, verdict.reason)
    assert (verdict.delta, verdict.epsilon, verdict.witness) == (None, None, None)


def test_noise_whose_scale_tells_of_the_data_is_not_private() -> None:

    verdict = check_privacy(lambda draw, rows: sum(rows) + draw(discrete_laplace(1 + sum(rows))), BITS, epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is None


def test_templates_that_could_be_confused_are_refused() -> None:
    def confusing(draw: Draw, rows: Sequence[int]) -> Any:
        noise = draw(discrete_laplace(1))
        return noise if rows[0] else 2 * noise

    line = confusing.__code__.co_firstlineno + 2
    kinds = "two kinds of outcome, the numbers 0, 1, 2 … and 0, 2, 4 …: tell them apart"
    with pytest.raises(InputError, match=rf"{kinds}.*\(tests/.*test_bad_input\.py, line {line}\)"):
        check_privacy(confusing, BITS, epsilon=1)


def test_too_many_cells_are_refused() -> None:
    def vector(draw: Draw, rows: Sequence[int]) -> Any:
        return tuple(row + draw(discrete_laplace(1 + row)) for row in rows)

    verdict = check_privacy(vector, Tuples((0, 1), size=4), epsilon=1, limits=Limits(outcomes=100))
    assert verdict.status is Status.UNDECIDED
    assert "10,000 cells" in verdict.reason
    assert "limits=Limits(outcomes=…)" in verdict.reason


def test_the_cells_of_a_tail_are_limited() -> None:
    """Scales that differ by a thousandth have ratios that cross far out."""

    def nearly_of_one_scale(draw: Draw, rows: Sequence[int]) -> Any:
        return draw(discrete_laplace(10 + Fraction(rows[0], 1000)))

    verdict = check_privacy(nearly_of_one_scale, Tuples((0, 1), size=1), epsilon=1, limits=Limits(cells=500))
    assert verdict.status is Status.UNDECIDED
    assert "limits=Limits(cells=…)" in verdict.reason


def test_probabilities_of_the_table_sum_to_one_on_cells() -> None:
    from dpverify.verifiers.divergence.output_tables.lumping import lumped

    laws = [distribution(geometric, rows, epsilon=1) for rows in BITS]
    for law in lumped(laws, Limits(outcomes=100, cells=100), 1):
        assert total(law.probabilities.values()) == 1


def test_add_or_remove_changes_the_exact_epsilon() -> None:
    domain = Multisets(range(2), sizes=range(4))

    def histogram(draw: Draw, rows: Sequence[int], *, epsilon: Fraction) -> Any:
        return discrete_laplace_mechanism(draw, [rows.count(0), rows.count(1)], epsilon=epsilon)

    one = check_privacy(histogram, domain, add_or_remove_one, epsilon=1)
    swap = check_privacy(histogram, domain, replace_one, epsilon=1)
    assert one.status is Status.PROVED
    assert swap.status is Status.REFUTED
    assert swap.epsilon is not None
    assert swap.epsilon.exact == 2


@pytest.mark.parametrize("four", [4, Fraction(4)], ids=lambda four: type(four).__name__)
def test_a_plain_number_beside_released_ones_is_one_of_them(four: Any) -> None:
    """½·[4] + ½·(discrete noise with z = ½) against the noise: at 4 the ratio is (½ + 1/96)/(1/48) = 49/2."""

    def mechanism(draw: Draw, database: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1 / log(2)))
        return four if database[0] == 0 and draw(bernoulli("0.5")) else noise

    for outcome in (4, four):
        assert distribution(mechanism, (0,)).probability(outcome) == Fraction(49, 96)
    domain = Tuples(range(2), size=1)
    verdict = check_privacy(mechanism, domain, epsilon=log(Fraction(49, 2)))
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact == log(Fraction(49, 2))
    assert check_privacy(mechanism, domain, epsilon=0).delta.exact == Fraction(47, 96)  # type: ignore[union-attr]  # None would fail as well


@pytest.mark.parametrize("four", [exact(4), Decimal(4), np.int64(4)], ids=lambda four: type(four).__name__)
def test_what_equals_a_released_number_and_is_of_another_type_is_refused(four: Any) -> None:
    def mechanism(draw: Draw, database: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1 / log(2)))
        return four if database[0] == 0 and draw(bernoulli("0.5")) else noise

    assert distribution(mechanism, (0,)).probability(4) == Fraction(49, 96)
    with pytest.raises(InputError, match="which are equal and not the same, and so one outcome"):
        check_privacy(mechanism, Tuples(range(2), size=1), epsilon=1)


def test_a_float_beside_released_numbers_is_refused() -> None:
    for number in (4.0, np.float32(4), 4 + 0j):

        def mechanism(draw: Draw, database: tuple[int, ...], number: Any = number) -> Any:
            return number if database[0] else draw(discrete_laplace(1))

        with pytest.raises(InputError, match="stands beside released numbers"):
            check_privacy(mechanism, Tuples(range(2), size=1), epsilon=1, parameters={})


def test_noise_released_in_part_has_cells_of_its_own_at_the_cut() -> None:
    """Above the cut another outcome is released: numbers beyond it occur on one side only, so ε is infinite."""

    def cut(draw: Draw, rows: tuple[int, ...]) -> Any:
        noise = draw(discrete_laplace(1))
        return ("high",) if noise > 5 else sum(rows) + noise

    verdict = check_privacy(cut, Tuples((0, 1), size=1), epsilon=1)
    assert verdict.status is Status.REFUTED
    assert verdict.epsilon is None
    assert verdict.witness is not None
    assert verdict.witness.event == (6,)

    def truncated(draw: Draw, rows: tuple[int, ...]) -> Any:
        return sum(rows) + draw(truncated_discrete_laplace(1, 3))

    verdict = check_privacy(truncated, Tuples((0, 1), size=1), epsilon=1)
    assert verdict.epsilon is None
    assert verdict.delta is not None
    assert verdict.delta.exact == distribution(truncated, (0,)).probability(-3)
