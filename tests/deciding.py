"""Where claims are decided while tests run: in workers, as for everybody, or in the process of the tests."""

from __future__ import annotations

import pytest

from dpverify.verifiers.experiments import repetition
from dpverify.verifiers.processes.workers import ClaimsRun


def decide_here(patch: pytest.MonkeyPatch) -> None:
    """Have claims decided, and laws computed again, in this process, as where there is no fork.

    For tests of what is said of claims: a worker for each costs several times as much as what it decides there. What
    workers do, and what mechanisms do to them, is tested without this: a mechanism that ends its process would end the
    tests, and the mutants of `dpverify mutate`, each of which is put into place, would stay there.
    """
    patch.setattr(ClaimsRun, "outcomes", ClaimsRun._here)
    patch.setattr(repetition, "can_fork", lambda: False)
