"""The gate on our own claims: the catalogue is held to the committed baseline, as users hold theirs.

What is decided in `claims_catalogue.py` is held to it there, by `conftest.py`; here is what that leaves out.
"""

import msgspec
from tests.adversary.tally import deep
from tests.catalogue.committed import BASELINE, accepted, committed, not_accepted
from tests.catalogue.slow import ON_FEWER_INPUTS, left_to_deep_runs

from dpverify.reports.gates.baseline import to_text
from dpverify.verifiers.auditing.digests.question import question_of
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.locations import located

QUICK = [claim for claim in catalogue() if claim.depth == "quick"]


def test_the_baseline_has_a_line_of_each_claim_that_every_audit_decides() -> None:
    """One that is deleted, or left to a later depth, is seen here: nothing decides it."""
    left_to_reports = {claim.id for claim in catalogue() if claim.depth == "report"}
    assert accepted().keys() - left_to_reports == {claim.id for claim in QUICK}
    assert BASELINE.read_text("utf-8") == to_text(accepted().values())
    assert {line.surprise for line in accepted().values()} == {""}


def test_what_is_left_to_deep_runs_asks_what_was_accepted() -> None:
    """With the verdict of the committed audit, which deep runs and `make audit` find again; each time one in eight."""
    left = ON_FEWER_INPUTS | left_to_deep_runs(catalogue())
    for number, claim in enumerate(QUICK):
        if claim.id in left and (deep() or number % 8 == 0):
            result = located(claim, msgspec.structs.replace(committed()[claim.id], question=question_of(claim)))
            said = not_accepted(result)
            assert not said, said
