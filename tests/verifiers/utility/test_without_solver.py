"""What a claim says of the best mechanism where the solver for it is not installed: its verdict does not rest on it."""

import sys

import pytest

from dpverify.reports.kinds import kind_of
from dpverify.verifiers import Status
from dpverify.verifiers.catalogue.selection.noise.choosing_by_noise_utility import exponential_choice_of_counts


def test_the_verdict_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = exponential_choice_of_counts.decide()
    assert beside.verdict is Status.PROVED
    monkeypatch.setitem(sys.modules, "highspy", None)
    alone = exponential_choice_of_counts.decide()
    assert alone.verdict is Status.PROVED and alone.as_expected
    said = " ".join(kind_of(alone).prose(alone, "scope"))
    assert "best possible: not known" in said and "pip install 'dpverify[bounds]'" in said
    assert "optimal 196/209" in " ".join(kind_of(beside).prose(beside, "scope"))
