"""A verdict as people see it: printed, and in a notebook."""

from typing import Any

import pytest
from tests.reports.test_reports import Page

from dpverify.mechanisms import Draw, discrete_laplace, exponential, laplace, sqrt, symbolic
from dpverify.verifiers import Claim, Histograms, Multisets, Tuples, Verdict, add_or_remove_one, check_privacy
from dpverify.verifiers.privacy.result import privacy_result

pytestmark = pytest.mark.usefixtures("decided_here")


def most(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(2)}, epsilon))


def leaky(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return most(draw, rows, epsilon=4 * epsilon)


def count(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon))


def checked(mechanism: Any, **given: Any) -> Verdict:
    return check_privacy(mechanism, Multisets((0, 1), size=2), **{"epsilon": 1, **given})


def test_a_proved_verdict_is_a_line() -> None:
    verdict = checked(most)
    assert verdict.epsilon is not None
    assert (
        str(verdict)
        == repr(verdict)
        == "PROVED for n = 2, rows from {0, 1}: most, ε = 1, found ε = ln(1/2 + 1/2·e), 4 pairs"
    )
    assert (
        str(checked(most, epsilon=symbolic))
        == "PROVED for n = 2, rows from {0, 1}, every ε: most, every ε, found holds for all, 4 pairs"
    )


def test_a_refuted_verdict_is_a_line_and_its_witness() -> None:
    first, *witness = str(checked(leaky, delta="0.01")).splitlines()
    assert first.startswith("REFUTED leaky: ε = 1, δ = 1/100, found δ ≈ 0.")
    assert [line.split()[0] for line in witness[:3]] == ["left", "right", "event"]
    assert all(line.startswith("    ") for line in witness)
    assert str(checked(leaky, epsilon=symbolic)).startswith("REFUTED leaky: every ε, found fails: all ε")


def test_why_there_is_no_verdict_and_that_nothing_was_tested_is_said() -> None:
    def hidden(draw: Draw, rows: tuple[int, ...]) -> Any:
        return draw(exponential([0, sqrt(7 + 4 * sqrt(3)) - 2 - sqrt(3) if sum(rows) else 0], 1))

    def forgetful(draw: Draw, rows: tuple[int, ...]) -> None:
        draw(discrete_laplace(1))

    undecided = check_privacy(hidden, Tuples((0, 1), size=1), epsilon=0)
    assert str(undecided).splitlines()[1].startswith("    ")
    said = str(checked(forgetful))
    assert said.startswith("PROVED ") and "it returned None on every database" in " ".join(said.split())


def test_all_sizes_are_said() -> None:
    verdict = check_privacy(count, Histograms((0, 1)), add_or_remove_one, epsilon=1)
    assert str(verdict).endswith("all sizes")


@pytest.mark.parametrize("mechanism", [most, leaky, count])
def test_a_notebook_shows_the_row_the_witness_and_the_curve(mechanism: Any) -> None:
    verdict = checked(mechanism, delta="0.01")
    shown = verdict._repr_html_()
    assert shown is not None
    page = Page()
    page.feed(shown)
    assert page.open == [] and page.loads == [] and "script" not in page.tags
    assert "polyline" in page.tags and "The worst δ at every ε" in page.text
    assert ("Pr[event | left]" in page.text) == (mechanism is leaky)
    assert f'<strong class="{verdict.status}">' in shown and f"<span>{mechanism.__name__}</span>" in shown
    assert verdict._repr_html_() == shown


def test_it_is_what_a_report_says_of_the_claim() -> None:
    verdict = checked(leaky, delta="0.01")
    claim = Claim(id="a", mechanism=leaky, domain=Multisets((0, 1), size=2), epsilon=1, delta="0.01")
    result = privacy_result(claim, verdict=verdict)
    assert result.witness is not None and verdict.witness is not None
    assert result.witness == verdict.witness.record
