"""What several tests of sharing out have in common."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Any

import pytest
from tests.verifiers.privacy.sharing_mechanisms import Mechanism

from dpverify.mechanisms.exact.errors import InputError
from dpverify.verifiers import Verdict, check_privacy
from dpverify.verifiers.privacy import sharing
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.sharing import Helpers, helped_by


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are shared out after two databases, in blocks of few."""
    monkeypatch.setattr(sharing, "_is_worth_it", lambda helpers, begun, count, done: done >= 2)
    monkeypatch.setattr(sharing, "_cut", lambda positions, *_: _of_three(positions))


def _of_three(positions: range) -> list[range]:
    return [positions[i : i + 3] for i in range(0, len(positions), 3)]


def said(mechanism: Mechanism, domain: Domain, helpers: Helpers | None, **given: Any) -> Any:
    """All that there is to say of a check: of a verdict, or of why there is none."""
    with helped_by(helpers) if helpers else nullcontext():
        try:
            verdict = check_privacy(mechanism, domain, **{"epsilon": 1, **given})
        except InputError as error:
            return type(error), str(error)
    return in_full(verdict)


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
