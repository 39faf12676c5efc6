"""What is found of each claim of the catalogue is compared with the committed audit, so that it is decided once."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from tests.adversary.checking import deep
from tests.catalogue.committed import at_half_the_noise, but_for_slack, committed
from tests.catalogue.slow import ON_FEWER_INPUTS, left_to_deep_runs

from dpverify.reports.json_form import result_from_json
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.privacy import result
from dpverify.verifiers.pytest_plugin import PROPERTY


@pytest.hookimpl(tryfirst=True)  # before those that are marked deep are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the claims that take long, and those of which there is one more like them."""
    left = ON_FEWER_INPUTS | left_to_deep_runs(catalogue())
    for item in items:
        if item.path.name == "claims_catalogue.py" and item.name in left:
            item.add_marker("deep")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a claim of the catalogue of which the committed audit says something else.

    Half the noise is tried in deep runs alone, and in audits: it says how sharp a claim is, and not whether it holds.
    """
    if item.path.name != "claims_catalogue.py":
        return (yield)
    with pytest.MonkeyPatch.context() as patched:
        if not deep():
            patched.setattr(result, "with_half_the_noise", lambda verdict, claim: [])
        outcome = yield
    for name, value in item.user_properties:
        if name == PROPERTY:
            found = result_from_json(str(value))
            known = committed().get(found.id, found)  # claims of depth full are not in it
            remedy = f"{found.id}: reports/results/audit.json is another: make report"
            assert but_for_slack(found) == but_for_slack(known), remedy
            assert not deep() or at_half_the_noise(found) == at_half_the_noise(known), remedy
    return outcome
