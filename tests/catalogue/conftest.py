"""What is found of each claim of the catalogue is held to the committed audit and baseline: it is decided once."""

from collections.abc import Generator

import pytest
from tests.adversary.tally import deep
from tests.catalogue.committed import accepted, but_for_measures, committed, measures, not_accepted, on_its_domain_alone
from tests.catalogue.slow import ON_FEWER_INPUTS, left_to_deep_runs
from tests.deciding import ask_no_other_interpreter, look_at_few_again

from dpverify.reports.audits.json_form import result_from_json
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.structure import lemma
from dpverify.verifiers.structure.smt import Proof
from dpverify.verifiers.testing.items import PROPERTY, ClaimItem
from dpverify.verifiers.utility import checker


@pytest.hookimpl(tryfirst=True)  # before those that are marked deep are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the claims that take long, and those of which there is one more like them."""
    left = ON_FEWER_INPUTS | left_to_deep_runs(catalogue())
    for item in items:
        if item.path.name == "claims_catalogue.py" and item.name in left:
            item.add_marker("deep")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a claim of the catalogue of which the committed audit, or the committed baseline, says something else.

    Deep runs, and audits, measure sharpness, write proofs of lemmas, and compute more laws a
    second time: none of it makes a claim hold that does not.
    """
    if item.path.name != "claims_catalogue.py":
        return (yield)
    with pytest.MonkeyPatch.context() as patched:
        if not deep():
            _measure_nothing(patched)
        outcome = yield
    for name, value in item.user_properties:
        if name == PROPERTY:
            found = result_from_json(str(value))
            known = committed().get(found.id, found)  # claims of depth full are not in it
            remedy = f"{found.id}: reports/results/audit.json is another: make report"
            if _is_left_to_a_report(item):
                assert on_its_domain_alone(found) == on_its_domain_alone(known), remedy
                continue
            assert but_for_measures(found) == but_for_measures(known), remedy
            assert not deep() or measures(found) == measures(known), remedy
            said = not_accepted(found) if found.id in accepted() or _is_quick(item) else ""
            assert not said, said
    return outcome


def _is_quick(item: pytest.Item) -> bool:
    return isinstance(item, ClaimItem) and item.claim.depth == "quick"


def _is_left_to_a_report(item: pytest.Item) -> bool:
    """True where databases of every size are decided at a later depth than this run's, and in the committed audit."""
    return isinstance(item, ClaimItem) and not deep() and getattr(item.claim, "all_sizes_depth", "quick") == "report"


def _measure_nothing(patched: pytest.MonkeyPatch) -> None:
    """Leave out what says nothing of whether a claim holds, and all but a few laws that are computed a second time."""
    patched.setattr(checker, "sharpest", lambda *given: None)
    patched.setattr(lemma, "proof", _no_proof)
    look_at_few_again(patched)
    ask_no_other_interpreter(patched)


def _no_proof(text: str) -> Proof:
    raise ValueError("no proof is written here")
