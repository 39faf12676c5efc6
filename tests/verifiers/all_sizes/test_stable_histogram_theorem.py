"""Theorem 10 of docs/theorems.md: the stability-based histogram for every δ, against the checker, and wrong claims."""

from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import InputError, MechanismError, discrete_laplace, exact, gaussian, laplace, log, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.sanitizers import cut_off_histogram, stable_histogram
from dpverify.verifiers import (
    Claim,
    Histograms,
    Multisets,
    Status,
    Verdict,
    add_or_remove_one,
    check_privacy,
    replace_one,
)
from dpverify.verifiers.all_sizes import stable_histogram_theorem
from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes
from dpverify.verifiers.problems.questions import OrMore

pytestmark = pytest.mark.usefixtures("decided_here")

TENTH = Fraction(1, 10)
QUARTER = Fraction(1, 4)
TINY = Fraction(1, 10**9)


def for_every_delta(domain: Any = None, relation: Any = replace_one, **given: Any) -> Verdict:
    epsilon, delta = given.pop("claimed", (symbolic, symbolic_delta))
    mechanism = given.pop("mechanism", stable_histogram)
    parameters = {"d": 1, "noise": laplace, **given}
    where = Histograms(range(2)) if domain is None else domain
    return check_privacy(mechanism, where, relation, epsilon=epsilon, delta=delta, parameters=parameters)


@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
@pytest.mark.parametrize("d", [1, 2, 6])
def test_private_for_every_epsilon_and_delta_and_size(noise: Any, d: int) -> None:
    for domain in (Histograms(range(2**d)), Histograms((1, 0)), Histograms(range(2), sizes=OrMore(5))):
        found = for_every_delta(domain, d=d, noise=noise)
        assert found.status is Status.PROVED and "Theorem 10" in found.scope
        assert found.basis.for_all_sizes
    assert for_every_delta(claimed=(TENTH, symbolic_delta), noise=noise).status is Status.PROVED
    assert (
        for_every_delta(claimed=(2 * symbolic, symbolic_delta), epsilon=symbolic, noise=noise).status is Status.PROVED
    )


def test_a_quarter_of_delta_is_enough_and_less_is_not() -> None:
    given = {"delta": symbolic_delta}
    assert for_every_delta(claimed=(symbolic, symbolic_delta / 4), **given).status is Status.PROVED
    less = for_every_delta(claimed=(symbolic, symbolic_delta * (QUARTER - TINY)), **given)
    assert less.status is Status.REFUTED and less.reason.startswith("at ε = 1 and δ = ")
    half = for_every_delta(claimed=(symbolic, symbolic_delta / 2), noise=discrete_laplace, **given)
    assert half.status is Status.PROVED
    for epsilon in (symbolic * (1 - TINY), symbolic / 2):
        assert for_every_delta(claimed=(epsilon, symbolic_delta), epsilon=symbolic).status is not Status.PROVED


@pytest.mark.one_in(2)
@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
@pytest.mark.parametrize("epsilon", [exact(1), log(2)], ids=str)
def test_numbers_need_no_more(noise: Any, epsilon: Any) -> None:
    for delta in (TENTH, Fraction(9, 10)):
        for size in (1, 3):
            at = check_privacy(
                stable_histogram,
                Multisets(range(3), size=size),
                epsilon=epsilon,
                delta=delta,
                parameters={"d": 2, "noise": noise},
                recheck=False,
            )
            assert at.status is Status.PROVED and at.delta is not None
            assert at.delta.upper <= delta / 2
            if noise is laplace:
                assert at.delta.exact == delta / 4


@pytest.mark.parametrize(
    ("domain", "relation", "given"),
    [
        (Histograms(range(2)), add_or_remove_one, {}),
        (Histograms(range(2)), replace_one, {"noise": gaussian}),
        (Multisets(range(2), size=2), replace_one, {}),
        (Histograms(range(2)), replace_one, {"mechanism": cut_off_histogram, "alpha": 1}),
    ],
)
def test_what_it_does_not_speak_of_is_not_proved(domain: Any, relation: Any, given: Any) -> None:
    assert for_every_delta(domain, relation, **given).status in (Status.UNDECIDED, Status.REFUTED)


def test_rows_that_are_no_points_are_refused() -> None:
    for rows in ((0, 2), ("a", "b")):
        with pytest.raises(InputError):
            for_every_delta(Histograms(rows))
    assert for_every_delta(Histograms([0])).status is Status.VACUOUS


def test_a_function_that_was_changed_in_place_is_known_by_nobody() -> None:
    domain = Histograms(range(2))
    claim = Claim(
        id="lib.changed",
        mechanism=stable_histogram,
        domain=domain,
        epsilon=symbolic,
        delta=symbolic_delta,
        parameters={"d": 1},
    )
    found = decided_for_all_sizes(claim.question, domain, as_named=False)
    assert found.status is Status.UNDECIDED


def test_a_theorem_that_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stable_histogram_theorem, "NEEDED_OF_DELTA", ((laplace, Fraction(1, 8)),))
    with pytest.raises(MechanismError, match="violates the claim"):
        for_every_delta(claimed=(symbolic, symbolic_delta / 8), delta=symbolic_delta)


@pytest.mark.deep
@pytest.mark.parametrize("noise", [laplace, discrete_laplace])
def test_it_is_tried_on_databases_of_several_sizes(noise: Any) -> None:
    assert "tried on 20" in for_every_delta(Histograms(range(4)), d=2, noise=noise).scope
