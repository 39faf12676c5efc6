"""Where claims are decided while tests run: in workers, as for everybody, or in the process of the tests."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import pytest

from dpverify.verifiers.divergence.output_tables import tabulation
from dpverify.verifiers.locations import Reference
from dpverify.verifiers.privacy import result
from dpverify.verifiers.problems.preparation import another_interpreter, repetition
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import InThisProcess, Mode, Repeated, Repeating
from dpverify.verifiers.processes.workers import ClaimsRun


def decide_here(patch: pytest.MonkeyPatch) -> None:
    """Have claims decided, and laws computed again, in this process, as where there is no fork.

    For tests of what is said of claims: a worker for each costs several times as much as what it decides there. What
    workers do, and what mechanisms do to them, is tested without this: a mechanism that ends its process would end the
    tests, and the mutants of `dpverify mutate`, each of which is put into place, would stay there.
    """
    patch.setattr(ClaimsRun, "outcomes", ClaimsRun._here)
    patch.setattr(repetition, "can_fork", lambda: False)


def compute_again_here(patch: pytest.MonkeyPatch) -> None:
    """Have a few laws computed a second time, and in this process.

    For tests of what is decided: to fork this process and to compute all laws again costs several times as much as what
    they look at. Who computes laws again, and what is noticed by that, is tested without this: see the mark `forks`.
    """
    patch.setattr(repetition, "can_fork", lambda: False)
    look_at_few_again(patch)


def look_at_few_again(patch: pytest.MonkeyPatch) -> None:
    """Have all but a few laws left out of what is computed a second time."""
    patch.setattr(tabulation, "compared_again", _compare_few)
    patch.setattr(tabulation, "budget", lambda paths: FEW_RUNS)


class _AsElsewhere(InThisProcess):
    """Computes laws again in this process, and has the words of another interpreter."""

    mode: Mode = "another interpreter"


def ask_no_other_interpreter(patch: pytest.MonkeyPatch) -> None:
    """Have this process compute again what another interpreter is asked for otherwise.

    That one loads all claims of the catalogue first, once for each worker of the tests, which takes seconds. What is
    kept says that it was asked: deep runs and audits do ask it.
    """
    patch.setattr(another_interpreter, "start", lambda: None)
    patch.setattr(result, "repeated_elsewhere", _as_elsewhere)


def _as_elsewhere(reference: Reference | None) -> Repeating:
    if reference is None:
        return repetition.repeated_here
    return lambda question, databases: nullcontext(_AsElsewhere(question, databases))


FEW_LAWS = 3
"""So many databases, the last ones and the first, have their law computed a second time."""

FEW_RUNS = 100
"""Whole runs that are made there."""


def _compare_few(
    experiment: Experiment, first: Mapping[int, Any], *given: Any, compare: Any = tabulation.compared_again
) -> Repeated:
    """Say of a few laws that they are the same a second time, in the words that an audit has for all."""
    positions = list(first)
    few = [*positions[: FEW_LAWS - 1], *positions[FEW_LAWS - 1 :][-1:]]
    return Repeated(compare(experiment, {i: first[i] for i in few}, *given).mode, len(positions))
