"""Guarantees side by side, and how they grow: numbers by hand, and the warning in every report."""

from collections.abc import Sequence
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, clamp, discrete_laplace, log
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.rendering import render
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers import (
    Claim,
    Multisets,
    ScoreSpace,
    Tuples,
    add_or_remove_one,
    audit,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.profiles import neighbour_matrix

pytestmark = pytest.mark.usefixtures("decided_here")

Z = 1 / log(2)
"""The scale at which discrete Laplace noise has z = ½."""


def noisy_sum(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) + draw(discrete_laplace(Z))


def noisy_rows(draw: Draw, rows: Sequence[int]) -> Any:
    return tuple(row + draw(discrete_laplace(Z)) for row in rows)


def first_above_with_clamped_noise(draw: Draw, queries: Sequence[int]) -> Any:
    threshold = clamp(draw(discrete_laplace(2)), -2, 2)
    for i, query in enumerate(queries):
        if query + clamp(draw(discrete_laplace(4)), -4, 4) >= threshold:
            return i
    return None


def up_to(size: int) -> Multisets:
    return Multisets((-1, 0, 1), sizes=range(size + 1))


def test_relations_side_by_side() -> None:
    """A row in {−1, 0, 1} moves the sum by up to 2 when replaced, and by up to 1 when added or removed."""
    matrix = neighbour_matrix(noisy_sum, up_to, (1, 2, 3))
    assert matrix.row(replace_one) == (2 * log(2),) * 3
    assert matrix.row(add_or_remove_one) == (log(2),) * 3
    assert matrix.trend(replace_one) == "none"
    assert str(matrix).splitlines()[1].split() == ["replace_one", "1.38629", "1.38629", "1.38629", "steps:", "none"]


@pytest.mark.deep
def test_score_relations() -> None:
    def scores(n: int) -> ScoreSpace:
        return ScoreSpace(range(3), solutions=n)

    matrix = neighbour_matrix(noisy_rows, scores, (1, 2, 3), (scores_linf, scores_l1), recheck=False)
    assert matrix.row(scores_linf) == (log(2), 2 * log(2), 3 * log(2))
    assert matrix.row(scores_l1) == (log(2),) * 3
    assert (matrix.trend(scores_linf), matrix.trend(scores_l1)) == ("constant", "none")
    assert str(matrix).splitlines()[1].endswith("steps: constant")
    two = neighbour_matrix(noisy_rows, scores, (1, 2), (scores_linf,), recheck=False)
    assert two.trend(scores_linf) == "", "one step tells nothing of how they go on"
    assert "steps" not in str(two)


def test_infinite_epsilon() -> None:
    matrix = neighbour_matrix(noisy_rows, lambda n: Tuples((0, 1), sizes=range(n + 1)), (1, 2))
    assert matrix.row(add_or_remove_one) == (None, None), "the number of rows is released"
    assert matrix.trend(add_or_remove_one) == "infinite"
    assert "∞" in str(matrix)


def test_delta_at_an_epsilon() -> None:
    matrix = neighbour_matrix(noisy_sum, up_to, (1, 2), (replace_one,), epsilon=log(2))
    # δ(P‖Q) at e^ε = 2 for a shift by 2 at z = ½: Pr[N ≥ 0] − 2·Pr[N ≥ 2] = 2/3 − 2/6
    assert [str(cell) for cell in matrix.row(replace_one)] == ["1/3", "1/3"]
    assert str(matrix).startswith("worst δ at ε = ln 2")


@pytest.mark.deep
def test_clamped_noise_in_above_threshold_leaks_by_constant_steps() -> None:
    matrix = neighbour_matrix(
        first_above_with_clamped_noise,
        lambda n: ScoreSpace(range(2), solutions=n),
        (1, 2, 3),
        (scores_linf,),
        recheck=False,
    )
    assert matrix.trend(scores_linf) == "constant"


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="the list of sizes, or of relations, is empty"):
        neighbour_matrix(noisy_sum, up_to, ())
    claim: dict[str, Any] = {"id": "x", "mechanism": noisy_sum, "domain": up_to(2), "epsilon": 2}
    with pytest.raises(InputError, match=r"of sizes to domains, or LongerInputs: write \{size"):
        Claim(**claim, sweep=[1])  # type: ignore[arg-type]  # bad on purpose


def test_reports_say_how_it_goes_on_and_that_this_is_no_verdict() -> None:
    sizes = {n: ScoreSpace(range(3), solutions=n) for n in (1, 2, 3)}
    rising = Claim(id="a.rising", mechanism=noisy_rows, domain=sizes[2], neighbours=scores_linf, epsilon=2, sweep=sizes)
    steady = Claim(id="a.steady", mechanism=noisy_rows, domain=sizes[2], neighbours=scores_l1, epsilon=1, sweep=sizes)
    record = audit([rising, steady], recheck=False)
    assert [isinstance(claim, PrivacyResult) and claim.trend for claim in record.claims] == ["constant", "none"]
    said = (
        "Measured on all pairs: ε = ln 2 at size 1, ε = 2·ln 2 at size 2, ε = 3·ln 2 at size 3; the last steps are about "
        "constant. It is no verdict on other sizes."
    )
    for text in (to_table(record), render(record, ".md"), render(record, ".html")):
        assert said in " ".join(text.split())
        assert "the last steps are 0" in " ".join(text.split())
