"""The step of Section 3.2, about the noisy binary search for a length, that has a maximum over a set."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.catalogue.refuted import as_expected, proof_step
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import whole_from

_SOURCE: Final = "Beimel, Nissim & Stemmer, journal version, Section 3.2, computing the interval length"

longest = Step(
    id="BNS-J-3.5.step.longest-printed",
    source=_SOURCE,
    statement="for every J from 0 to n = 2^d there is an interval [a, b] of [0, n − 1] with b − a = J, so that Q(J) is "
    "a maximum over some: J ≤ n − 1",
    parameters={"n": whole_from(1), "J": whole_from(0)},
    given=[lambda n, J: n >= J],  # noqa: N803  # the paper's
    says=lambda n, J: n - 1 >= J,  # noqa: N803
    tries=[{"n": 2, "J": 2}],
    mends="J ≤ 2^d − 1, or b − a + 1 = J; and Q(2^d) is the lesser of all zeros and all ones",
    **as_expected(
        proof_step(
            "Q(2^d) is a maximum over no interval, and that it is large is what the search rests on. So it is for the "
            "power j = d, here and in the extended abstract. Read as all of X_d the argument stands: "
            "BNS-J-3.5.utility.search."
        )
    ),
)
