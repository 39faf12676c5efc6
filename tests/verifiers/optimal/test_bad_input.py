"""What makes no question is refused, and the text says what to write instead."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.optimal.questions import clique, hits

from dpverify.mechanisms import InputError, distribution, exp, log, symbolic
from dpverify.verifiers.optimal import best_mechanism

GOOD: dict[str, Any] = {
    "domain": range(2),
    "neighbours": clique(2),
    "succeeds": hits,
    "epsilon": 1,
    "delta": 0,
    "outcomes": range(2),
}


@in_one(
    "changed, why",
    [
        ({"domain": []}, "domain=.* is empty"),
        ({"domain": [0, 0]}, "domain holds the database 0 twice"),
        ({"domain": iter([0, 1])}, "can be read only once"),
        ({"neighbours": None}, "and neighbours=None with distance= is needed"),
        ({"neighbours": 3}, "neighbours=3 is not a neighbour relation"),
        ({"epsilon": 0.5}, "epsilon=0.5 is a float"),
        ({"epsilon": symbolic}, "from ε to ε, which is not decided for a symbolic ε"),
        ({"epsilon": 10**6}, "epsilon=1000000 is beyond 1,000"),
        ({"neighbours": None, "distance": lambda a, b: 10**9}, "is beyond 1,000: give None"),
        ({"delta": Fraction(3, 2)}, "delta=3/2 must be between 0 and 1"),
        ({"delta": exp(-symbolic)}, "epsilon=1 is a number, and delta="),
        ({"outcomes": []}, "outcomes is empty"),
        ({"outcomes": [0, 0]}, "outcomes holds an outcome twice"),
        ({"outcomes": 2}, "outcomes=2 is not an iterable"),
        ({"succeeds": lambda i, o: 2}, "be between 0 and 1, as dividing by the largest gives"),
        ({"succeeds": lambda i, o: 0.5}, "is a float"),
        ({"succeeds": lambda i, o: log(2)}, "is not rational"),
        ({"succeeds": lambda i: True}, "succeeds on 0, 0"),
        ({"weights": lambda i: -1}, "the weight -1 of 0"),
        ({"weights": {0: 1}}, "weights needs a weight of 1"),
    ],
)
def test_bad_input(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        best_mechanism(**{**GOOD, **changed})


def test_without_the_solver_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(InputError, match=r"highspy, which is not installed: pip install 'dpverify\[bounds\]'"):
        best_mechanism(**GOOD)


def test_the_mechanism_is_of_its_domain_alone() -> None:
    best = best_mechanism(**GOOD)
    with pytest.raises(InputError, match="on 2: the database is not in the domain of the best mechanism"):
        distribution(best.mechanism, 2)
