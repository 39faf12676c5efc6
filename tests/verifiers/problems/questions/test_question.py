"""A question: plain data that can be compared, be a key, and travel."""

import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpverify.mechanisms import Draw, InputError, Limits, exact, laplace, symbolic
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.verifiers import Claim, Multisets, Status, Tuples, add_or_remove_one, replace_one
from dpverify.verifiers.claims import How
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.privacy.checker import decided_question
from dpverify.verifiers.problems.preparation.experiment import prepared
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.processes.workplace import HERE, Workplace


def count(draw: Draw, rows: Any, *, epsilon: Any, scale: Any = 1) -> Any:
    return rows.count(1) + draw(laplace(scale / epsilon))


DOMAIN = Tuples((0, 1), size=2)
HALF = Fraction(1, 2)


def question(claimed: Any = 1, **parameters: Any) -> Question:
    return Question(count, DOMAIN, replace_one, privacy_guarantee(claimed, 0), parameters, Limits())


def on(domain: Any) -> Question:
    return Question(count, domain, replace_one, None, {}, Limits())


def test_questions_are_equal_by_what_is_asked_and_keys() -> None:
    assert question() == question() and hash(question()) == hash(question())
    others = [question(2), question(scale=HALF), question(1, epsilon=2)]
    others += [
        Question(count, domain, relation, privacy_guarantee(1, 0), {}, limits)
        for domain, relation, limits in (
            (Tuples((0, 1), size=1), replace_one, Limits()),
            (DOMAIN, add_or_remove_one, Limits()),
            (DOMAIN, replace_one, Limits(paths=5)),
        )
    ]
    assert len({question(): 0, **dict.fromkeys(others, 1)}) == 7


def test_a_question_of_what_cannot_be_hashed_is_a_key() -> None:
    given = {"scale": [1, 2]}
    listed = [Question(count, [(0,), (1,)], replace_one, None, given, Limits()) for _ in range(2)]
    assert len(set(listed)) == 1


@pytest.mark.parametrize(
    ("one", "other"), [(question(scale=1), question(scale=True)), (on([(0,), (1,)]), on([(False,), (True,)]))]
)
def test_what_a_mechanism_may_tell_apart_is_another_question(one: Question, other: Question) -> None:
    assert one != other and one == replace(one) and len({one, other}) == 2


def test_a_question_arrives_as_it_was_sent() -> None:
    back = pickle.loads(pickle.dumps(question(scale=HALF)))
    assert back.claim == privacy_guarantee(1, 0) and back.arguments == question(scale=HALF).arguments
    assert repr(back) == repr(question(scale=HALF)) and hash(back) == hash(question(scale=HALF))
    assert decided_question(back).status is Status.REFUTED and decided_question(question()).status is Status.PROVED


def test_the_mechanism_is_given_what_it_names_of_the_claim() -> None:
    assert question(2).arguments == {"epsilon": 2}
    assert question(2, epsilon=1, scale=3).arguments == {"epsilon": 1, "scale": 3}
    nothing = Question(count, DOMAIN, replace_one, None, {}, Limits())
    with pytest.raises(InputError, match="count needs epsilon"):
        _ = nothing.arguments
    with pytest.raises(AssertionError):
        _ = nothing.claim


def test_what_travels_to_others_who_find_laws_is_given_the_same() -> None:
    alone = question(2, scale=3).alone
    assert alone.claimed is None and alone.arguments == question(2, scale=3).arguments
    assert alone.domain == () and list(alone.neighbours((0, 0))) == []
    rows = Multisets((0, 1), size=2)
    assert Question(count, rows, replace_one, privacy_guarantee(1, 0), {}, Limits()).alone.domain is rows


def test_a_number_takes_the_place_of_a_symbol_everywhere() -> None:
    every = Question(count, DOMAIN, replace_one, privacy_guarantee(2 * symbolic, 0), {"epsilon": symbolic}, Limits())
    symbol = symbol_in(tuple(every.claim))
    assert symbol is not None and every.symbol is symbol
    third = every.at(DistributionSubstitution(symbol, exact("1/3")))
    assert (third.symbol, third.claim) == (None, privacy_guarantee("2/3", 0))
    assert third.arguments == every.arguments_at(exact("1/3")) == {"epsilon": exact("1/3")}
    assert every.arguments_at(None) == every.arguments
    assert decided_question(every).status is decided_question(third).status is Status.PROVED


def test_two_databases_are_each_the_neighbour_of_the_other() -> None:
    two = question("1/2", epsilon=1).of_two([(0, 0), (0, 1)])
    assert list(two.neighbours((0, 0))) == [(0, 1)] and list(two.neighbours((0, 1))) == [(0, 0)]
    verdict = decided_on(prepared(two))
    assert verdict.status is Status.REFUTED and verdict.pairs.covered == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mechanism": 3}, r"^mechanism=3 is not a function: give mechanism\(draw, database, "),
        ({"mechanism": object()}, "^mechanism=an object of object is not a function"),
        ({"parameters": [1]}, r"^parameters=\[1\] is not a mapping: write"),
    ],
)
def test_what_is_no_question(changed: dict[str, Any], message: str) -> None:
    given = {"mechanism": count, "domain": DOMAIN, "neighbours": replace_one, "parameters": {}, **changed}
    with pytest.raises(InputError, match=message):
        Question(**given, claimed=None, limits=Limits())


def test_a_claim_asks_on_its_own_domain_and_on_stronger_ones() -> None:
    larger = Tuples((0, 1), size=3)
    claim = Claim(
        id="c", mechanism=count, domain=DOMAIN, epsilon=1, delta="1/8", stronger=[larger, (larger, 2), (larger, 2, 0)]
    )
    assert claim.question == claim.questions[0]
    asked = [(one.domain, one.claim) for one in claim.questions]
    of_each: list[tuple[Any, Any, Any]] = [(DOMAIN, 1, "1/8"), (larger, 1, "1/8"), (larger, 2, "1/8"), (larger, 2, 0)]
    assert asked == [(domain, privacy_guarantee(epsilon, delta)) for domain, epsilon, delta in of_each]


class Nobody:
    processes = most = 0

    def worked(self, work: Any, parts: Any) -> Any:
        raise AssertionError("nobody is asked")


def test_where_it_is_worked_is_no_part_of_how_and_stays_there() -> None:
    where = Workplace(Nobody())
    assert How(where=where) == How() and repr(How(where=where)) == repr(How()) and "where" not in repr(How())
    assert pickle.loads(pickle.dumps(where)) == HERE
    assert decided_question(question(), where=where).status is Status.PROVED
