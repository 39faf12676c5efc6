"""Domains and relations as texts in Python: the objects of the same names, and what is said of a mistyped one."""

from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, laplace
from dpverify.verifiers import Claim, Status, Tuples, add_or_remove_one, check_privacy, replace_one
from dpverify.verifiers.privacy.expressions import as_domain, as_relation
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS

TUPLES = "Tuples((0, 1), sizes=range(3))"


def total(draw: Draw, rows: tuple[int, ...], *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon))


@in_one("relation", [replace_one, add_or_remove_one])
def test_a_text_is_the_object_of_its_name(relation: Any) -> None:
    written = check_privacy(total, TUPLES, relation.__name__, epsilon=1)
    meant = check_privacy(total, Tuples((0, 1), sizes=range(3)), relation, epsilon=1)
    assert written.status is Status.PROVED
    assert (written.pairs, written.epsilon, written.scope) == (meant.pairs, meant.epsilon, meant.scope)


def test_the_two_relations_are_told_apart() -> None:
    pairs = {
        name: check_privacy(total, TUPLES, name, epsilon=1).pairs.covered
        for name in RELATIONS
        if "one" in name and "label" not in name
    }
    assert pairs["replace_one"] != pairs["add_or_remove_one"]
    assert all(as_relation(name) is relation for name, relation in RELATIONS.items())
    assert as_relation(replace_one) is replace_one
    assert as_domain([(0,), (1,)]) == [(0,), (1,)]


def test_a_claim_holds_the_objects() -> None:
    claim = Claim(
        id="a",
        mechanism=total,
        domain=TUPLES,
        neighbours="add_or_remove_one",
        epsilon=1,
        stronger=["Tuples((0, 1), size=3)"],
        all_sizes="Histograms((0, 1))",
    )
    assert isinstance(claim.domain, Tuples) and claim.neighbours is add_or_remove_one
    on_domain, on_stronger = claim.questions
    assert [len(list(one.domain)) for one in (on_domain, on_stronger)] == [7, 8]
    assert claim.all_sizes is not None and not isinstance(claim.all_sizes, str)


@in_one(
    "given, message",
    [
        ({"neighbours": "replace_on"}, "scores_l1, gaps_linf, bounded_growth, nor a function"),
        ({"neighbours": "mylib:relation"}, "neighbours='mylib:relation' is none of "),
        ({"domain": "Tuple((0, 1), size=2)"}, r"Tuple is not known here \(did you mean Tuples\?\)"),
        ({"domain": "Tuples((0, 1), sise=2)"}, r"Tuples has no sise= \(did you mean size\?\)"),
        ({"domain": "mylib:DOMAIN"}, r"domain mylib:DOMAIN: not readable \(invalid syntax\)"),
        ({"domain": "print(1)"}, "print is not known here"),
    ],
)  # fmt: skip
def test_a_mistyped_text_says_what_may_be_meant(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_privacy(total, **{"domain": TUPLES, "neighbours": "replace_one", "epsilon": 1, **given})
    with pytest.raises(InputError, match=f"^a: .*{message.removeprefix('^')}"):
        Claim(id="a", mechanism=total, **{"domain": TUPLES, "epsilon": 1, **given})


def test_assert_private_takes_texts(assert_private: Any) -> None:
    assert_private(total, TUPLES, "add_or_remove_one", epsilon=1)
    assert_private(total, TUPLES, epsilon=1)
