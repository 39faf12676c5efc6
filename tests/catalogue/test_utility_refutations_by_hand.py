"""Each refuted utility claim once more, at its witness: by `utility_by_hand.py` of its topic, with Fractions alone.

e^x is bounded by rationals: 1 + x ≤ e^x, 1 − x ≤ e^(−x), and e lies between E_LOW and E_HIGH.
"""

import inspect
import re

from tests.catalogue.learners import utility_by_hand as of_learners
from tests.catalogue.recursion import utility_by_hand as of_recursion
from tests.catalogue.release import utility_by_hand as of_release
from tests.catalogue.sanitizers import utility_by_hand as of_sanitizers
from tests.catalogue.selection import utility_by_hand as of_selection
from tests.examples import in_one

from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import calculations, utility_claims

TOPICS = (of_selection, of_recursion, of_sanitizers, of_learners, of_release)
BY_HAND = {claim: fails for topic in TOPICS for claim, fails in topic.BY_HAND.items()}


@in_one("claim_id", BY_HAND)
def test_it_fails_by_hand(claim_id: str) -> None:
    assert BY_HAND[claim_id]()


def test_every_refuted_claim_is_in_one_topic_and_needs_nothing_of_dpverify() -> None:
    refuted = [claim.id for claim in (*utility_claims(), *calculations()) if claim.expected is Status.REFUTED]
    assert sorted(claim for topic in TOPICS for claim in topic.BY_HAND) == sorted(refuted)
    for module in TOPICS:
        assert not re.search(r"^(import|from) dpverify", inspect.getsource(module), re.MULTILINE)
