"""What is found of each claim of the catalogue is compared with the committed audit, so that it is decided once."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from dpverify.reports.json_form import from_json, result_from_json
from dpverify.reports.record import ClaimResult
from dpverify.verifiers.pytest_plugin import PROPERTY

_AUDIT = Path(__file__).parents[2] / "reports" / "results" / "audit.json"
_COMMITTED: dict[str, ClaimResult] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a claim of the catalogue of which the committed audit says something else."""
    outcome = yield
    if item.path.name == "claims_catalogue.py":
        if not _COMMITTED:
            _COMMITTED.update((claim.id, claim) for claim in from_json(_AUDIT.read_bytes()).claims)
        for name, value in item.user_properties:
            if name == PROPERTY:
                found = result_from_json(str(value))
                # claims of depth full are not in it
                assert found == _COMMITTED.get(found.id, found), (
                    f"{found.id}: reports/results/audit.json is another: make audit"
                )
    return outcome
