"""Programs of books and libraries: what is shipped is what is decided, and none that is right is refuted."""

import pytest
from docs.pages.sampled.programs import PROGRAMS, Program, by_samples, exactly

from dpverify.reports.record import Status
from dpverify.verifiers import Claim

EVERY = pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.name)


@pytest.mark.one_in(3)
@EVERY
def test_its_exact_verdict_is_known_and_few_draws_never_refute_what_is_right(program: Program) -> None:
    assert exactly(program).status is (Status.PROVED if program.holds else Status.REFUTED)
    found = by_samples(program, 3_000, rarest="1/50")
    assert found.verdict is not Status.REFUTED or not program.holds


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", [one for one in PROGRAMS if one.name[0] in "krGs"], ids=lambda one: one.name)
def test_what_is_shipped_draws_what_is_decided(program: Program) -> None:
    model = Claim(id="model", mechanism=program.mechanism, domain=program.pairs[0], epsilon=40)
    found = by_samples(program, 5_000, epsilon=None, delta=0, pairs=None, model=model, databases=program.pairs[0])
    assert found.verdict is Status.INCONCLUSIVE and found.agrees_to is not None


@pytest.mark.deep
@EVERY
def test_many_draws_refute_what_is_clearly_wrong_and_nothing_else(program: Program) -> None:
    for seed in range(3):
        found = by_samples(program, 200_000, seed=seed)
        assert found.verdict is not Status.REFUTED or not program.holds
        assert found.verdict is Status.REFUTED or program.holds or program.delta
