"""What is PROVED for every δ is tried at several ε and δ before it is said: a wrong theorem would be found out."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from dpverify.mechanisms import MechanismError, symbolic
from dpverify.mechanisms.numbers.roots import symbolic_delta
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal
from dpverify.verifiers import Scores, Status, check_privacy, scores_linf
from dpverify.verifiers.all_sizes import known_guarantees, spot_checks
from dpverify.verifiers.all_sizes.known_guarantees import guarantee_of
from dpverify.verifiers.all_sizes.regions.spot_check import SOME_NUMBERS
from dpverify.verifiers.deciding.deciding import status_on
from dpverify.verifiers.problems.questions.score_domains import OrMore

EVERYWHERE = Scores(solutions=OrMore(1))

pytestmark = [pytest.mark.usefixtures("decided_here"), pytest.mark.tries]


def test_it_is_tried_at_each_of_some_epsilon_and_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: Counter[Any] = Counter()
    inner = status_on

    def counted(experiment: Any) -> Status:
        tried[tuple(map(str, experiment.question.claim))] += 1
        return inner(experiment)

    monkeypatch.setattr(spot_checks, "status_on", counted)
    found = check_privacy(choose_by_stability, EVERYWHERE, scores_linf, epsilon=symbolic, delta=symbolic_delta)
    assert found.status is Status.PROVED
    assert "tried on 200 databases, 2" in found.scope
    assert set(tried) == {(str(epsilon), str(delta)) for epsilon, delta in SOME_NUMBERS}


def test_a_theorem_that_is_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    row, corrected = guarantee_of(choose_by_stability_journal), guarantee_of(choose_by_stability)
    assert row is not None and corrected is not None
    wrong = replace(row, for_every_delta=corrected.for_every_delta)
    monkeypatch.setattr(known_guarantees, "GUARANTEES", (wrong,))
    with pytest.raises(MechanismError, match=r"violates the claim on .* at δ = .* at ε = "):
        check_privacy(choose_by_stability_journal, EVERYWHERE, scores_linf, epsilon=symbolic, delta=symbolic_delta)
