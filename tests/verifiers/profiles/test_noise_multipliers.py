"""Slack and weakness: which shares of their noise claims keep, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, Limits, bernoulli, clamp, discrete_laplace, laplace, symbolic
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.selection import choose_by_stability
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.html import to_html
from dpverify.reports.formats.markdown import to_markdown
from dpverify.reports.privacy_noise import is_monotone, noise_in_words, steps
from dpverify.reports.privacy_record import ON_FEW_PAIRS, NoiseMultiplier, PrivacyResult
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, Status
from dpverify.verifiers import Claim, Tuples, check_privacy
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.problems.neighbours import gaps_linf
from dpverify.verifiers.problems.questions import ScoreGaps
from dpverify.verifiers.profiles import strength
from dpverify.verifiers.profiles.looseness import is_loose
from dpverify.verifiers.profiles.noise_multipliers import GRID, headroom_of

MEASURED = How(recheck=False, slack=True)
P, R, OPEN = Status.PROVED, Status.REFUTED, None


def count(draw: Draw, rows: Sequence[int], *, epsilon: Any, times: int = 1) -> Any:
    return clamp(sum(rows) + draw(discrete_laplace(times / epsilon)), 0, 3)


def told_or_not(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return sum(rows) if draw(bernoulli(Fraction(1, 4))) else None


def needs_its_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    noise = draw(laplace(8 / epsilon))
    if noise == 0:  # nothing is left of it
        raise ValueError("there is no noise")
    return clamp(sum(rows) + noise, 0, 3)


def rarely_enough(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """Tells the sum where its noise is large: the less noise, the less it tells."""
    return sum(rows) if draw(discrete_laplace(4 / epsilon)) > 12 else None


def claim(mechanism: Any = count, **changed: Any) -> Claim:
    given: dict[str, Any] = {"id": "c", "mechanism": mechanism, "domain": Tuples((0, 1), size=2), "epsilon": 1}
    return Claim(**{**given, **changed})


def verdicts(result: PrivacyResult) -> dict[str, Status | None]:
    return {point.multiplier: point.verdict for point in result.noise_multipliers or []}


def test_a_claim_that_needs_all_of_its_noise() -> None:
    found = privacy_result(claim(), MEASURED)
    assert list(verdicts(found)) == [str(share) for share in GRID]
    assert [share for share, verdict in verdicts(found).items() if verdict is P] == ["2", "1"]
    assert (found.headroom, found.loose, found.tight_over_claimed) == ("1", False, "1")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("times", "slack", "weak"),
    [(1, "1", False), (2, "1/2", False), (3, "1/2", False), (4, "1/4", True), (16, "1/16", True)],
)
def test_slack_is_the_part_of_the_noise_that_would_do(times: int, slack: str, weak: bool) -> None:
    found = privacy_result(claim(parameters={"times": times}), MEASURED)
    assert (found.headroom, found.loose) == (slack, weak)
    # every verdict of the grid is that of the mechanism written with so much noise
    for share, verdict in verdicts(found).items():
        if share != "0":
            by_hand = check_privacy(
                count, Tuples((0, 1), size=2), epsilon=1, parameters={"times": times * Fraction(share)}, recheck=False
            )
            assert verdict is by_hand.status
            point = next(point for point in found.noise_multipliers or [] if point.multiplier == share)
            assert by_hand.delta is not None
            assert point.delta == (None if point.reason == ON_FEW_PAIRS else by_hand.delta.quantity)
    told = [sentence for sentence in noise_in_words(found) if sentence.startswith("Headroom")]
    assert not told or "few pairs" not in told[0]


def test_no_noise_multiplier_is_tried_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "with_each_multiplier", None)
    found = privacy_result(claim(parameters={"times": 2}), How(recheck=False))
    assert (found.noise_multipliers, found.headroom, found.loose, noise_in_words(found)[1:]) == (None, None, None, [])


def test_privacy_is_not_monotone_in_the_noise() -> None:
    """The corrected A_dist on gaps up to 5: with a sixteenth of the noise the threshold is out of reach again."""
    found = privacy_result(
        claim(choose_by_stability, domain=ScoreGaps(5, solutions=2), neighbours=gaps_linf, delta=Fraction(1, 10)),
        MEASURED,
    )
    assert verdicts(found) == {"2": R, "1": P, "3/4": R, "1/2": R, "1/4": R, "1/8": R, "1/16": P, "0": P}
    assert (found.headroom, found.loose) == ("1", True)
    assert not is_monotone(found.noise_multipliers or [])
    assert "more of it is not always better here" in " ".join(noise_in_words(found))


def test_less_noise_can_be_more_private() -> None:
    found = privacy_result(claim(rarely_enough, delta=Fraction(1, 40)), MEASURED)
    assert verdicts(found)["2"] is R and verdicts(found)["0"] is P
    assert found.loose and found.headroom == "0"


def test_where_no_noise_has_a_scale_nothing_is_weak() -> None:
    for how in (MEASURED, How(recheck=False)):
        found = privacy_result(claim(told_or_not, delta=Fraction(1, 4)), how)
        assert found.verdict is P
        assert (found.noise_multipliers, found.headroom, found.loose) == ([], None, False)
        assert "nothing that it draws is noise of a scale" in " ".join(noise_in_words(found))


def test_a_mechanism_that_raises_without_noise_is_not_decided_there_and_all_else_is() -> None:
    found = privacy_result(claim(needs_its_noise), MEASURED)
    assert verdicts(found)["0"] is None and verdicts(found)["1/8"] is P
    assert (found.headroom, found.loose) == ("1/8", True)
    assert "there is no noise" in " ".join(noise_in_words(found))


def takes_long_without_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    noise = draw(laplace(8 / epsilon))
    if noise == 0:  # nothing is left of it
        bits = [draw(bernoulli(Fraction(1, 2))) for _ in range(9)]
        return sum(bit << i for i, bit in enumerate(bits))
    return clamp(sum(rows) + noise, 0, 3)


def test_what_meets_a_limit_says_so() -> None:
    found = privacy_result(claim(takes_long_without_noise, limits=Limits(paths=100)), MEASURED)
    assert verdicts(found)["0"] is Status.UNDECIDED and verdicts(found)["1/8"] is P
    said = {point.multiplier: point.reason for point in found.noise_multipliers or []}
    assert "more than 100 paths" in said["0"]
    assert not any(reason for share, reason in said.items() if share != "0" and reason != ON_FEW_PAIRS)


def test_claims_that_are_not_proved_or_whose_neighbours_agree_are_not_measured() -> None:
    refuted = privacy_result(claim(epsilon=Fraction(1, 2), parameters={"epsilon": 1}, expected=R), MEASURED)
    agree = privacy_result(claim(lambda draw, rows: draw(discrete_laplace(1)) > 0, neighbours_agree=True), MEASURED)
    for found in (refuted, agree):
        assert (found.noise_multipliers, found.headroom, found.loose) == (None, None, None)


def test_a_claim_for_every_epsilon_is_decided_with_each_share() -> None:
    found = privacy_result(claim(epsilon=symbolic, parameters={"times": 2}), MEASURED)
    assert {share for share, verdict in verdicts(found).items() if verdict is P} == {"2", "1", "3/4", "1/2"}
    assert (found.headroom, found.loose, found.tight_over_claimed) == ("1/2", False, None)
    assert privacy_result(claim(epsilon=symbolic), MEASURED).tight_over_claimed == "1"


def test_truncated_noise_keeps_its_bound() -> None:
    def truncated(draw: Draw, rows: Sequence[int], *, scale: Any = 4) -> Any:
        return sum(rows) + draw(truncated_discrete_laplace(scale, 3))

    found = privacy_result(claim(truncated, delta=Fraction(3, 20)), MEASURED)
    for share, verdict in verdicts(found).items():
        if share != "0":
            by_hand = check_privacy(
                truncated,
                Tuples((0, 1), size=2),
                epsilon=1,
                delta=Fraction(3, 20),
                parameters={"scale": 4 * Fraction(share)},
                recheck=False,
            )
            assert verdict is by_hand.status


def shares(*found: Status | None) -> list[NoiseMultiplier]:
    return [NoiseMultiplier(str(share), verdict, None, "") for share, verdict in zip(GRID, found, strict=True)]


@in_one(
    "found, slack, weak",
    [  #   2  1  3/4 1/2 1/4 1/8 1/16 0
        ([P, P, R, R, R, R, R, R], "1", False),
        ([R, P, P, P, R, R, R, R], "1/2", False),
        ([P, P, P, P, P, R, R, R], "1/4", True),
        ([P, P, P, P, P, P, P, P], "0", True),
        ([P, P, R, P, P, P, P, R], "1", False),
        ([P, P, R, R, R, R, R, P], "1", True),
        ([P, P, P, OPEN, P, P, P, OPEN], "3/4", False),
        ([P, P, P, Status.UNDECIDED, P, P, P, P], "3/4", True),
    ],
)
def test_slack_ends_at_the_first_share_that_is_not_proved(found: list[Status | None], slack: str, weak: bool) -> None:
    assert (str(headroom_of(shares(*found))), is_loose(shares(*found))) == (slack, weak)


def test_a_part_of_the_grid_says_nothing_of_slack() -> None:
    whole = shares(P, P, P, P, P, P, P, P)
    for point in whole:
        rest = [other for other in whole if other is not point]
        assert (headroom_of(rest), is_loose(rest)) == (None, None)


def test_every_format_says_what_is_weak_and_why() -> None:
    result = privacy_result(claim(parameters={"times": 8}, weak_because="it is an example"), MEASURED)
    record = AuditRecord(SCHEMA_VERSION, "0", [result], [])
    assert read_audit(to_json(record)) == record
    assert "1 loose" in headline(record)
    assert "(loose)" in to_table(record)
    assert '<span class="badge">loose</span>' in to_html(record)
    for text in (to_table(record, detail="all"), to_markdown(record), to_html(record)):
        said = " ".join(text.split())
        assert "Headroom: noise multiplier 1/8." in said and "Tight ε over claimed ε" in said
        assert "Loose: a far worse mechanism also satisfies this claim: it is an example." in said
    assert [step.colour for step in steps(result)] == ["good"] * 6 + ["bad"] * 2
    strong = msgspec.structs.replace(result, loose=False)
    assert "loose" not in headline(AuditRecord(SCHEMA_VERSION, "0", [strong], []))
