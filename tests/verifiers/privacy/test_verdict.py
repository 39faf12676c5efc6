"""Verdicts: they have no truth value, are no texts, and say where all neighbours have one and the same law."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, bernoulli, exp, exponential, symbolic
from dpverify.reports.record import RefutationKind, Status
from dpverify.verifiers import (
    Case,
    Claim,
    Proved,
    Tuples,
    UtilityClaim,
    audit,
    check_lemma,
    check_privacy,
    check_utility,
)
from dpverify.verifiers.catalogue import lemmas
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import decide, result_of

pytestmark = pytest.mark.usefixtures("decided_here")

ONE = Tuples((0, 1), size=1)


def leak(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0]


def forgets(draw: Draw, rows: Sequence[int]) -> Any:
    draw(bernoulli(Fraction(1, 2)))


def flips(draw: Draw, rows: Sequence[int]) -> Any:
    return draw(bernoulli(Fraction(1 + rows[0], 3)))


@pytest.mark.parametrize(
    ("made", "instead"),
    [
        (lambda: check_privacy(leak, ONE, epsilon=1), "verdict.status is Status.PROVED"),
        (lambda: check_privacy(forgets, ONE, epsilon=1), "verdict.status is Status.PROVED"),
        (
            lambda: result_of(Claim(id="c", mechanism=leak, domain=ONE, epsilon=1)),
            "result.verdict is Status.PROVED, or result.as_expected",
        ),
        (lambda: audit([Claim(id="c", mechanism=leak, domain=ONE, epsilon=1)]), "record.as_expected"),
        (
            lambda: check_utility(
                UtilityClaim(
                    id="u",
                    source="",
                    statement="",
                    mechanism=lambda draw, x: x,
                    cases=[Case(1, {})],
                    succeeds=lambda case, x: x == 1,
                    beta=lambda case: 0,
                    mutant=lambda draw, x: 0,
                )
            ),
            "result.verdict is Status.PROVED",
        ),
        (lambda: check_lemma(lemmas()[0]), "result.verdict is Status.PROVED"),
    ],
)
def test_what_was_found_has_no_truth_value(made: Callable[[], Any], instead: str) -> None:
    """Any object is true: `assert check_privacy(leak, …)` would pass."""
    found = made()
    with pytest.raises(InputError, match=f"neither true nor false: write {instead}"):
        assert found
    with pytest.raises(InputError, match="neither true nor false"):
        bool(not found)


@pytest.mark.parametrize(
    ("made", "instead"),
    [
        (lambda: check_privacy(leak, ONE, epsilon=1), "verdict.status == …"),
        (lambda: result_of(Claim(id="c", mechanism=leak, domain=ONE, epsilon=1)), "result.verdict == …"),
        (lambda: check_lemma(lemmas()[0]), "result.verdict == …"),
    ],
)
def test_what_was_found_is_not_compared_with_a_text(made: Callable[[], Any], instead: str) -> None:
    """`assert verdict != "REFUTED"` would pass of a refuted one."""
    found = made()
    for compare in (
        lambda: found == "PROVED",
        lambda: found != "REFUTED",
        lambda: found == "REFUTED",
        lambda: "REFUTED" != found,  # noqa: SIM300
        lambda: found in ("PROVED", "FUZZED"),
    ):
        with pytest.raises(InputError, match=f"is no text, so that it does not equal '.*': write {instead}"):
            compare()
    assert found == found
    assert found != 1
    assert found is not None
    assert found != None  # noqa: E711


def test_a_status_equals_its_own_name_and_no_other_text_is_compared_with_it() -> None:
    """It prints as REFUTED: `assert verdict.status != "REFUTED"` would pass of a refuted one if no text equalled it."""
    verdict = check_privacy(leak, ONE, epsilon=1)
    assert verdict.status == "REFUTED"
    assert verdict.status != "PROVED"
    for status in Status:
        assert [name for name in Status.__members__ if status == name] == [status.name]
        assert [name for name in Status.__members__ if name != status] == [
            name for name in Status.__members__ if name != status.name
        ]
        assert hash(status) == hash(status.name)
        assert {status.name: 1}[status] == {status: 1}[status.name] == 1  # type: ignore[index]
        assert status in (status.name,)
        assert [status] == [Status(status.name)]
        assert [other for other in Status if other == status] == [status]
        assert pickle.loads(pickle.dumps(status)) is status
        assert status != 1
        assert status != RefutationKind.STATEMENT
    names = "one is PROVED, REFUTED, UNDECIDED, VACUOUS, FUZZED, INCONCLUSIVE"
    for text in ("refuted", "Refuted", "REFUTE", "", "Status.REFUTED", "REFUTED "):
        for compare in (
            lambda text=text: verdict.status == text,
            lambda text=text: verdict.status != text,
            lambda text=text: text == verdict.status,
            lambda text=text: verdict.status in (text, "PROVED"),
        ):
            with pytest.raises(InputError, match=f"'{text}' is no status: {names}"):
                compare()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("claimed", "agree"),
    [
        ({"epsilon": 1}, True),
        ({"epsilon": 0, "delta": "1e-9"}, True),
        ({"epsilon": symbolic}, True),
        ({"epsilon": symbolic / 2, "delta": exp(-symbolic)}, True),
        ({"epsilon": 0}, False),
        ({"epsilon": "0.0", "delta": 0}, False),
    ],
)
def test_neighbours_that_all_have_one_law_are_noted(claimed: dict[str, Any], agree: bool) -> None:
    verdict = check_privacy(forgets, ONE, **claimed)
    assert isinstance(verdict, Proved)
    assert verdict.neighbours_agree is agree
    assert "all neighbours have one and the same law" in verdict.reason
    assert ("does the mechanism return what it finds?" in verdict.reason) is agree
    other = check_privacy(flips, ONE, **claimed)
    assert not isinstance(other, Proved) or not other.neighbours_agree
    assert "one and the same law" not in other.reason


def forgets_what_depends_on_the_rows(draw: Draw, rows: Sequence[int], *, epsilon: Any = 1) -> Any:
    draw(exponential({x: rows.count(x) for x in (0, 1)}, epsilon))


def forgets_after_so_many_draws(draw: Draw, rows: Sequence[int], *, epsilon: Any = 1) -> Any:
    for _ in range(sum(rows)):
        draw(bernoulli(exp(-epsilon) / 3))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("forgetful", [forgets_what_depends_on_the_rows, forgets_after_so_many_draws])
@pytest.mark.parametrize("claimed", [{"epsilon": 1}, {"epsilon": 0, "delta": "0.1"}, {"epsilon": symbolic}])
def test_neighbours_agree_however_their_law_adds_up(forgetful: Any, claimed: dict[str, Any]) -> None:
    """The probabilities of what is drawn and not returned add up to 1 on every database, but to another sum on each."""
    used = {"epsilon": symbolic if claimed["epsilon"] is symbolic else 1}
    verdict = check_privacy(forgetful, Tuples((0, 1), size=2), **claimed, parameters=used)
    assert isinstance(verdict, Proved) and verdict.neighbours_agree


@given(st.booleans(), st.booleans(), st.sampled_from([0, 1]))
def test_a_claim_says_whether_neighbours_agree(agree: bool, said: bool, epsilon: int) -> None:
    claim = Claim(
        id="c", mechanism=forgets if agree else flips, domain=ONE, epsilon=epsilon, delta="1/3", neighbours_agree=said
    )
    result = result_of(claim)
    assert result.verdict is Status.PROVED
    assert (result.neighbours_agree, result.neighbours_agree_expected) == (agree, said)
    assert result.as_expected is (agree is said)


def test_a_claim_of_nothing_lost_may_say_so_or_not() -> None:
    for said in (False, True):
        assert result_of(Claim(id="c", mechanism=forgets, domain=ONE, epsilon=0, neighbours_agree=said)).as_expected
    with pytest.raises(InputError, match="neighbours_agree=1 is neither True nor False"):
        Claim(id="c", mechanism=forgets, domain=ONE, epsilon=0, neighbours_agree=1)  # type: ignore[arg-type]


def test_a_known_violation_is_not_one_where_neighbours_agree() -> None:
    claim = Claim(id="c", mechanism=leak, domain=ONE, epsilon=1, expected=Status.REFUTED)
    assert result_of(claim).as_expected
    assert not result_of(Claim(id="c", mechanism=forgets, domain=ONE, epsilon=1, expected=Status.REFUTED)).as_expected


def test_nothing_is_said_to_be_rechecked_that_is_not() -> None:
    claim = Claim(id="c", mechanism=flips, domain=ONE, epsilon=1)
    assert decide(claim, recheck=False).basis.recheck == "none"
    assert result_of(claim, How(recheck=False)).as_expected
    strict = result_of(claim, How(recheck=False, strict=True))
    assert strict.lacks_recheck
    assert not strict.as_expected
    assert not strict.left_open
