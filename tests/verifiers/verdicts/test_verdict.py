"""Verdicts: they have no truth value, are no texts, and say where all neighbours have one output distribution."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, InputError, Limits, bernoulli, exp, exponential, sqrt, symbolic
from dpverify.reports.record import RefutationKind, Status
from dpverify.verifiers import (
    Case,
    Claim,
    Histograms,
    Proved,
    Refuted,
    Tuples,
    UtilityClaim,
    Verdict,
    add_or_remove_one,
    audit,
    check_lemma,
    check_privacy,
    check_utility,
)
from dpverify.verifiers.catalogue import lemmas
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result, verdict_on_claim
from dpverify.verifiers.problems.preparation.experiment import PairCount
from dpverify.verifiers.verdicts.verdict import Undecided, Vacuous, VerdictBasis

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
            lambda: privacy_result(Claim(id="c", mechanism=leak, domain=ONE, epsilon=1)),
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
        (lambda: privacy_result(Claim(id="c", mechanism=leak, domain=ONE, epsilon=1)), "result.verdict == …"),
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
    names = "one is PROVED, REFUTED, CHECKED, UNDECIDED, VACUOUS, FUZZED, INCONCLUSIVE"
    for text in ("refuted", "Refuted", "REFUTE", "", "Status.REFUTED", "REFUTED "):
        for compare in (
            lambda text=text: verdict.status == text,
            lambda text=text: verdict.status != text,
            lambda text=text: text == verdict.status,
            lambda text=text: verdict.status in (text, "PROVED"),
        ):
            with pytest.raises(InputError, match=f"'{text}' is none of {names.removeprefix('one is ')}"):
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
    said = "have one and the same output distribution: return" if agree else "have one output distribution"
    assert said in verdict.reason or (agree and verdict.reason.startswith("it returned None on every database"))
    other = check_privacy(flips, ONE, **claimed)
    assert not isinstance(other, Proved) or not other.neighbours_agree
    assert "one and the same" not in other.reason


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
    result = privacy_result(claim)
    assert result.verdict is Status.PROVED
    assert (result.neighbours_agree, result.neighbours_agree_expected) == (agree, said)
    assert result.as_expected is (agree is said)


def test_a_claim_of_nothing_lost_may_say_so_or_not() -> None:
    for said in (False, True):
        assert privacy_result(
            Claim(id="c", mechanism=forgets, domain=ONE, epsilon=0, neighbours_agree=said)
        ).as_expected
    with pytest.raises(InputError, match="c: neighbours_agree=1 is not True or False"):
        Claim(id="c", mechanism=forgets, domain=ONE, epsilon=0, neighbours_agree=1)  # type: ignore[arg-type]


def test_a_known_violation_is_not_one_where_neighbours_agree() -> None:
    claim = Claim(id="c", mechanism=leak, domain=ONE, epsilon=1, expected=Status.REFUTED)
    assert privacy_result(claim).as_expected
    assert not privacy_result(
        Claim(id="c", mechanism=forgets, domain=ONE, epsilon=1, expected=Status.REFUTED)
    ).as_expected


def test_nothing_is_said_to_be_rechecked_that_is_not() -> None:
    claim = Claim(id="c", mechanism=flips, domain=ONE, epsilon=1)
    assert verdict_on_claim(claim, recheck=False).basis.recheck == "none"
    assert privacy_result(claim, How(recheck=False)).as_expected
    strict = privacy_result(claim, How(recheck=False, strict=True))
    assert strict.lacks_recheck
    assert not strict.as_expected
    assert not strict.left_open


def hidden(draw: Draw, rows: Sequence[int]) -> Any:
    return draw(exponential([0, sqrt(7 + 4 * sqrt(3)) - 2 - sqrt(3) if sum(rows) else 0], 1))


def waits(draw: Draw, rows: Sequence[int]) -> Any:
    while not draw(bernoulli(Fraction(1, 2))) and rows.count(0) < 9:
        rows = (*rows, 0)  # passes on what a round before has left


def tells_two(draw: Draw, rows: Sequence[int]) -> Any:
    return len(rows) >= 2


def never_changes(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(rows) >= 0


KINDS: list[tuple[Callable[[], Verdict], type[Verdict], Status]] = [
    (lambda: check_privacy(flips, ONE, epsilon=1), Proved, Status.PROVED),
    (lambda: check_privacy(forgets, ONE, epsilon=symbolic), Proved, Status.PROVED),
    (lambda: check_privacy(never_changes, Histograms((0, 1)), epsilon=1), Proved, Status.PROVED),
    (lambda: check_privacy(leak, ONE, epsilon=1), Refuted, Status.REFUTED),
    (lambda: check_privacy(leak, ONE, epsilon=symbolic), Refuted, Status.REFUTED),
    (lambda: check_privacy(tells_two, Histograms((0,)), add_or_remove_one, epsilon=1), Refuted, Status.REFUTED),
    (lambda: check_privacy(tells_two, Histograms((0,)), add_or_remove_one, epsilon=symbolic), Refuted, Status.REFUTED),
    (lambda: check_privacy(hidden, ONE, epsilon=0), Undecided, Status.UNDECIDED),
    (lambda: check_privacy(waits, ONE, epsilon=1, limits=Limits(paths=9)), Undecided, Status.UNDECIDED),
    (lambda: check_privacy(never_changes, Histograms((0,)), epsilon=1), Vacuous, Status.VACUOUS),
    (lambda: check_privacy(never_changes, Histograms((0,)), epsilon=symbolic), Vacuous, Status.VACUOUS),
]

READ_ON_ALL = ("status", "reason", "scope", "delta", "epsilon", "witness", "worst", "proved_for", "pairs")


@pytest.mark.parametrize(("made", "kind", "status"), KINDS)
def test_a_verdict_is_of_one_kind_and_what_all_have_is_read_on_each(
    made: Callable[[], Verdict], kind: type[Verdict], status: Status
) -> None:
    verdict = made()
    assert type(verdict) is kind and isinstance(verdict, Verdict)
    assert [isinstance(verdict, other) for other in (Proved, Refuted, Undecided, Vacuous)].count(True) == 1
    assert verdict.status is status
    values = {name: getattr(verdict, name) for name in READ_ON_ALL}
    assert values["reason"] and values["scope"]
    assert (values["witness"] is not None) == (status is Status.REFUTED)
    assert values["worst"] is None or status is Status.REFUTED
    assert bool(values["proved_for"]) == (status is Status.PROVED)
    own = {one.name for one in fields(verdict)} - {*READ_ON_ALL, "basis", "question"}
    of_kinds = {Proved: {"tight", "neighbours_agree", "hint"}, Refuted: {"fails_at", "fails_in", "find_worst", "tight"}}
    assert own == of_kinds.get(kind, set())
    shown = repr(verdict)
    assert shown.startswith(f"{status} ") and f"{status} " in repr(replace(verdict, question=None)).replace(":", " ")
    assert f'class="{status}"' in (verdict._repr_html_() or "")


def test_a_verdict_is_made_by_keywords_with_what_its_kind_needs() -> None:
    common: dict[str, Any] = {
        "reason": "so",
        "scope": "all",
        "pairs": PairCount(0, 0, 0),
        "basis": VerdictBasis(experiment=None),
    }
    for kind in (Proved, Undecided, Vacuous):
        assert kind(**common).witness is None
        for name in common:
            with pytest.raises(TypeError, match=name):
                kind(**{other: value for other, value in common.items() if other != name})
    with pytest.raises(TypeError, match="witness"):
        Refuted(**common)
    every: list[Any] = [Proved, Refuted, Undecided, Vacuous]
    for kind in every:
        with pytest.raises(TypeError, match="positional"):
            kind(*common.values())
    with pytest.raises(TypeError, match="abstract"):
        Verdict(**common)  # type: ignore[abstract]
    assert Proved(**common) == Proved(**common) != Undecided(**common) != Vacuous(**common)
    assert Proved(**common) != Proved(**common, tight=True)


def test_nothing_is_proved_where_nothing_is_put_to_the_test() -> None:
    """Of one value no row can be replaced by another one: 0 regions were decided, and that was PROVED."""
    claim = Claim(id="c", mechanism=leak, domain=Histograms((0,)), epsilon=0)
    result = privacy_result(claim)
    assert (result.verdict, result.scope.extent, result.pairs) == (Status.VACUOUS, "finite", 0)
    assert "no two databases are neighbours (replace_one)" in result.reason
    assert result.surprise == "expected PROVED" and not result.left_open
    assert (
        privacy_result(Claim(id="c", mechanism=never_changes, domain=Histograms((0, 1)), epsilon=0)).verdict
        is Status.PROVED
    )


def test_of_a_domain_without_end_the_record_says_that_nothing_was_rechecked() -> None:
    """Also of a refuted claim: the two databases of the witness were repeated, and not how they were come by."""
    claim = Claim(id="c", mechanism=tells_two, domain=Histograms((0,)), neighbours=add_or_remove_one, epsilon=1)
    verdict = verdict_on_claim(claim)
    result = privacy_result(claim, verdict=verdict)
    assert result.verdict is Status.REFUTED and verdict.basis.recheck != "none"
    assert (result.scope.recomputation, result.scope.extent, result.scope.why) == ("none", "finite", verdict.reason)
