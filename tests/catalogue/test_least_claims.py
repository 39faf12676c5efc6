"""Claims at the least number that holds: just below it each is refuted."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpverify.verifiers import Claim, Status
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.privacy.result import verdict_on_claim

BELOW: list[tuple[str, dict[str, Any]]] = [
    ("BNS-X-Lem2.privacy.corrected-least", {"epsilon": Fraction(91, 100)}),
    ("BNS-X-Thm2.privacy.corrected-least", {"epsilon": Fraction(346, 1000)}),
    ("BNS-J-4.6.privacy.least-epsilon", {"epsilon": Fraction(31, 500)}),
    ("BNS-J-4.7.privacy.least-epsilon", {"epsilon": Fraction(59, 1000)}),
    ("BuNS-2.25.privacy.leaky-exact", {"delta": Fraction(62, 10**4)}),
    ("BuNS-2.25.privacy.leaky-exact", {"epsilon": Fraction(102, 10**3)}),
    ("BuNS-2.25.privacy.leaky-100-of-900-exact", {"delta": Fraction(105, 10**9)}),
    ("BuNS-2.24.privacy.nine-rows-least", {"epsilon": Fraction(99, 1000)}),
    ("CHS-4.1.privacy.tenth-of-the-slack", {"parameters": {"slack": Fraction(1, 11)}}),
    ("CHS-4.2.privacy.ninth-of-the-slack", {"parameters": {"slack": Fraction(1, 10)}}),
    ("CHS-4.1.privacy.or-none-third-of-the-slack", {"parameters": {"slack": Fraction(3, 10)}}),
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "less"), BELOW, ids=[f"{name} {', '.join(less)}" for name, less in BELOW])
def test_just_below_it_is_refuted(name: str, less: dict[str, Any]) -> None:
    (claim,) = selected([name])
    assert isinstance(claim, Claim)
    given = {**claim.parameters, **less.get("parameters", {})}
    lower = replace(claim, **{**less, "parameters": given})
    assert verdict_on_claim(lower, recheck=False).status is Status.REFUTED
