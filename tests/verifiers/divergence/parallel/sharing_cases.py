"""What several tests of sharing out have in common."""

from functools import cache
from typing import Any

import pytest
from tests.verifiers.problems.questions.sharing_mechanisms import Mechanism

from dpverify.mechanisms.functions.limits import checked_limits
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers import Verdict, replace_one
from dpverify.verifiers.divergence.parallel import sharing
from dpverify.verifiers.privacy.checker import decided_question
from dpverify.verifiers.problems.preparation.repetition import never_repeated, repeated_here
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.processes.workplace import Helpers, Workplace


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are shared out after two databases, in blocks of few."""
    monkeypatch.setattr(sharing, "_is_worth_it", lambda helpers, begun, count, done: done >= 2)
    monkeypatch.setattr(sharing, "_cut", lambda positions, *_: _of_three(positions))


def _of_three(positions: range) -> list[range]:
    return [positions[i : i + 3] for i in range(0, len(positions), 3)]


def said(mechanism: Mechanism, domain: Domain, helpers: Helpers | None, **given: Any) -> Any:
    """All that there is to say of a check: of a verdict, or of why there is none."""
    try:
        return in_full(checked(mechanism, domain, Workplace(helpers), **given))
    except InputError as error:
        return type(error), str(error)


def checked(mechanism: Mechanism, domain: Domain, where: Workplace, **given: Any) -> Verdict:
    """As `check_privacy`, with the work done there."""
    claim = privacy_guarantee(given.get("epsilon", 1), given.get("delta", 0))
    parameters, limits = given.get("parameters", {}), checked_limits(given.get("limits"))
    question = Question(mechanism, domain, given.get("neighbours", replace_one), claim, parameters, limits)
    return decided_question(question, repeated_here if given.get("recheck", True) else never_repeated, where)


def is_decided(answer: Any) -> bool:
    """Whether what is said is a verdict that decides, so that two of them agree about something."""
    return isinstance(answer[0], str) and answer[0].startswith(("PROVED", "REFUTED"))


@cache
def said_alone(mechanism: Mechanism, domain: Domain, *, recheck: bool = True) -> Any:
    """What one process says, which is the same each time."""
    return said(mechanism, domain, None, recheck=recheck)


def in_full(verdict: Verdict) -> Any:
    found = (verdict.epsilon, verdict.delta)
    numbers = [number and number.quantity for number in found]
    basis = verdict.basis
    return str(verdict), verdict.scope, verdict.reason, verdict.pairs, numbers, basis.worst, basis.has_scaled
