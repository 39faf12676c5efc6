"""What becomes of mutants: each sort, of small mechanisms; and what they leave behind, which is nothing."""

from __future__ import annotations

import builtins
import signal
import sys
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest
from tests.examples import in_one
from tests.verifiers.auditing.mutation import breakable

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers import Claim, Tuples
from dpverify.verifiers.auditing.mutation import mutating, statuses
from dpverify.verifiers.auditing.mutation.mutating import MutantPlan, mutate
from dpverify.verifiers.auditing.mutation.record import Fate, MutantOutcome, MutationRecord
from dpverify.verifiers.auditing.mutation.subjects import MutantKey, Subject
from dpverify.verifiers.processes.interpreters import done_in_a_fork

Outcomes = dict[str, dict[str, MutantOutcome]]
"""By the id of the claim, then by the operator and the line as it would be."""


def outcomes(record: MutationRecord) -> Outcomes:
    return {
        claim.id: {f"{mutant.operator}: {mutant.after}": mutant.outcome for mutant in claim.mutants}
        for claim in record.claims
    }


def codes(namespace: Mapping[str, Any]) -> Iterator[tuple[CodeType, bytes]]:
    """The code of all functions, and what it was when this was asked."""
    for value in namespace.values():
        if isinstance(value, FunctionType) and value.__module__ == breakable.__name__:
            yield value.__code__, value.__code__.co_code
        elif isinstance(value, type):
            yield from codes(vars(value))


class Done(NamedTuple):
    """Mutants of most claims of the module, and its code before."""

    record: MutationRecord
    before: list[tuple[CodeType, bytes]]


ONE_LESS = "off by one: return sum(rows) + draw(discrete_laplace(1))"
LOOKED_AT = {
    "weak": [ONE_LESS],
    "endless": ["off by one: left -= 0", "range(4)", "return rows"],
    "remembering": [f"off by one: return {start}" for start in "x012"],
    "closure": ["data returned instead", "noise dropped", "another sign: return sum(rows) - by"],
    "method": ["data returned too: return (draw(self.part, rows), rows)", "noise dropped"],
    "composed": ["budget not split", "noise dropped"],
}
"""By the id of a claim, what stands in the mutants that tests look at: each has a process of its own. Of others, all."""


def looked_at(subject: Subject, plan: MutantPlan) -> Iterator[MutantKey]:
    words = LOOKED_AT.get(subject.claim.id, [""])
    for key in SAMPLED(subject, plan):
        mutation = subject.mutations[key]
        if any(word in f"{mutation.operator}: {mutation.after}" for word in words):
            yield key


SAMPLED = mutating._sampled


@pytest.fixture(scope="module")
def done() -> Iterator[Done]:
    before = list(codes(vars(breakable)))
    claims = (
        breakable.sharp,
        breakable.weak,
        breakable.endless,
        breakable.remembering,
        breakable.closure,
        breakable.method,
        breakable.composed,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutating, "_sampled", looked_at)
        yield Done(mutate(claims, MutantPlan(limit=1_000, seconds=0.3, jobs=2)), before)


@pytest.fixture(scope="module")
def of(done: Done) -> Outcomes:
    assert done.record.not_decided == []
    return outcomes(done.record)


def test_killed_or_survived(of: Outcomes) -> None:
    found: dict[str, Fate] = {name: outcome.fate for name, outcome in of["sharp"].items()}
    assert found == {
        "noise dropped: return sum(rows) + noiseless(discrete_laplace(1 / epsilon))": "killed",
        "budget spent twice: return sum(rows) + draw(discrete_laplace(1 / (2 * epsilon)))": "killed",
        "off by one: return sum(rows) + draw(discrete_laplace(2 / epsilon))": "survived",
        "off by one: return sum(rows) + draw(discrete_laplace(0 / epsilon))": "killed",
        "another sign: return sum(rows) + draw(discrete_laplace(1 * epsilon))": "unreached",  # ε and 1/ε are one number
        "a tenth off: return sum(rows) + draw(discrete_laplace(1 / (epsilon * 9/10)))": "survived",
        "a tenth off: return sum(rows) + draw(discrete_laplace(1 / (epsilon * 11/10)))": "killed",
        "early exit: return None if nothing(rows) else sum(rows) + draw(discrete_laplace(1 / epsilon))": "killed",
        "data returned too: return (sum(rows) + draw(discrete_laplace(1 / epsilon)), rows)": "killed",
        "data returned instead: return rows": "killed",
    }


def test_a_stronger_domain_shows_what_a_claim_misses(done: Done, of: Outcomes) -> None:
    missed = of["weak"][ONE_LESS]
    assert (missed.fate, missed.domain) == ("missed", "Tuples((0, 1), size=1)")
    assert missed.witness is not None
    assert missed.witness.epsilon.exact == "1/2"
    assert missed.witness.reproduce is None
    assert [claim.id for claim in done.record.claims if not claim.bites] == ["weak"]


def test_a_survivor_is_less_private_and_yet_proved() -> None:
    """Without the stronger domain."""
    claim = Claim(id="c", mechanism=breakable.quiet, domain=breakable.BIT, epsilon=1)
    found = outcomes(mutate([claim], MutantPlan(seed=1, limit=2)))["c"]
    assert found[ONE_LESS] == MutantOutcome(fate="survived", reason="ε = 1, and 0.5 of the mechanism")


def test_a_claim_that_nothing_breaks_kills_none() -> None:
    (found,) = mutate([breakable.never], MutantPlan(seed=4, limit=2)).claims
    assert found.killed == found.count("missed") == 0
    assert not found.bites


def test_mutants_that_do_not_end_survive_and_those_that_are_undecided_count_for_nothing(of: Outcomes) -> None:
    endless = of["endless"]["off by one: left -= 0"]
    assert endless == MutantOutcome(fate="out of time", reason="its time was up: it may not end")
    (paths,) = (outcome for name, outcome in of["endless"].items() if "range(4)" in name)
    assert paths.fate == "invalid"
    assert paths.reason.startswith("UNDECIDED: counting on (0,)")


@pytest.mark.parametrize("seconds", [1e10, inf])
@pytest.mark.deep
def test_a_mutant_may_take_longer_than_a_timer_holds(seconds: float) -> None:
    def limited() -> bytes:
        statuses._limit(seconds)
        return b"limited" if signal.getitimer(signal.ITIMER_PROF)[0] > 10**7 else b""

    assert done_in_a_fork(limited) == b"limited"


def test_what_was_remembered_before_is_not_taken_for_the_mutant(done: Done) -> None:
    assert breakable.REMEMBERED == (2, 2, 2)
    (claim,) = (claim for claim in done.record.claims if claim.id == "remembering")
    of_helpers = {
        (mutant.function, mutant.after): mutant.outcome.fate
        for mutant in claim.mutants
        if mutant.operator == "off by one" and mutant.function != "by_what_is_remembered"
    }
    assert of_helpers == {
        ("remembered_scale", "return x + 2"): "unreached",  # of the least of three
        ("remembered_scale", "return x + 0"): "killed",
        ("remembered_also", "return x + 2"): "unreached",
        ("remembered_also", "return x + 0"): "killed",
        ("Table.scale", "return 1 + 2"): "unreached",
        ("Table.scale", "return 2 + 1"): "unreached",
        ("Table.scale", "return 1 + 0"): "killed",
        ("Table.scale", "return 0 + 1"): "killed",
    }


def test_functions_within_functions_are_mutated_in_place(of: Outcomes) -> None:
    """Of those that are there already, too: whatever they see of the function around them that is left."""
    found = of["closure"]
    assert found["data returned instead: return rows"].fate == "killed"
    assert found["noise dropped: return sum(rows) + by + noiseless(discrete_laplace(2))"].fate == "killed"
    assert found["another sign: return sum(rows) - by + draw(discrete_laplace(2))"].fate == "survived"


def test_methods_lambdas_and_parts_are_mutated(of: Outcomes) -> None:
    method = of["method"]
    assert method["data returned too: return (draw(self.part, rows), rows)"].fate == "killed"
    dropped = "noisy: Callable[[int], Any] = lambda row: row + noiseless(discrete_laplace(self.scale))"
    assert method[f"noise dropped: {dropped}"].fate == "killed"
    composed = of["composed"]
    assert composed["budget not split: return draw(noisy_sum, rows, epsilon=epsilon)"].fate == "killed"
    assert composed["noise dropped: return sum(rows) + noiseless(discrete_laplace(1 / epsilon))"].fate == "killed"


def test_mutants_of_what_is_compiled_are_compiled_too() -> None:
    """Functions of numpy draw where they are compiled alone."""
    found = outcomes(mutate([breakable.of_numpy_is_private], MutantPlan(limit=9)))["of-numpy"]
    assert {outcome.fate for outcome in found.values()} == {"killed", "survived", "unreached"}


def test_nothing_is_left_behind(done: Done) -> None:
    """By mutants that are killed, that raise, and that are ended."""
    assert len(done.before) > 8
    after = list(codes(vars(breakable)))
    assert all(code is was for (code, _), (was, _) in zip(after, done.before, strict=True))
    assert after == done.before
    assert breakable.closure.mechanism.__code__.co_freevars == ("by",)
    assert "__noiseless__" not in vars(builtins)
    assert vars(breakable.TABLE) == {"scale": 2}


def test_what_cannot_be_mutated_is_named() -> None:
    nowhere = Claim(id="nowhere", mechanism=eval("lambda draw, rows: 1"), domain=breakable.BIT, epsilon=1)
    builtin = Claim(id="builtin", mechanism=max, domain=breakable.BIT, epsilon=1)
    record = mutate([breakable.overrated, breakable.too_strong, breakable.known, nowhere, builtin], MutantPlan(limit=1))
    assert record.claims == []
    assert record.left_out == ["known", "nowhere"], "code outside the language, too"
    found = {row.id: row.reason for row in record.not_decided}
    assert found["overrated"].startswith("it is REFUTED on Tuples((0, 1), size=1), and mutants are made of what is")
    assert found["too-strong"].startswith("it is REFUTED on Tuples((0, 1), size=1)")
    assert found["builtin"].startswith("max has no source that could be changed, as it is no function of Python: ")


def test_what_deciding_takes_is_loaded_before_processes_are_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of hundreds of mutants would load it otherwise."""
    (tmp_path / "taken_by_claims.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(Claim, "modules", ("taken_by_claims",))
    mutate([breakable.known], MutantPlan())
    assert sys.modules.pop("taken_by_claims").__file__ == str(tmp_path / "taken_by_claims.py")


@in_one(
    "stronger, words",
    [
        (3, "c: stronger=3 is not a list of domains"),
        ("abc", "c: stronger='abc' is not a list of domains"),
        ([3], "write a domain"),
        ([()], "write a domain"),
        ([(Tuples((0, 1), size=1), 1, 0, 0)], "write a domain"),
        ([(Tuples((0, 1), size=1), -1)], "epsilon=-1 is negative"),
        ([((0,), (1,))], "epsilon"),
    ],
)
def test_stronger_domains_that_are_none_are_refused(stronger: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Claim(id="c", mechanism=breakable.quiet, domain=breakable.BIT, epsilon=1, stronger=stronger)
