"""When a claim is weak, and the least constants: what is decided with them, and what is said."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, bernoulli, clamp, discrete_laplace, symbolic
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.privacy_noise import noise_in_words
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import SCHEMA_VERSION, AuditRecord, Quantity, Status
from dpverify.verifiers import Claim, Tuples, check_privacy
from dpverify.verifiers.claims import How
from dpverify.verifiers.privacy.result import privacy_result
from dpverify.verifiers.problems.questions.question import privacy_guarantee
from dpverify.verifiers.profiles import LeastShare
from dpverify.verifiers.profiles.looseness import Used, used_of

MEASURED = How(recheck=False, slack=True)
BITS = Tuples((0, 1), size=2)


def count(draw: Draw, rows: Sequence[int], *, epsilon: Any, times: Any = 1) -> Any:
    return clamp(sum(rows) + draw(discrete_laplace(times / epsilon)), 0, 3)


def told_or_not(draw: Draw, rows: Sequence[int], *, of_ten: int = 1) -> Any:
    return sum(rows) if draw(bernoulli(Fraction(of_ten, 10))) else None


def found_of(mechanism: Any = count, **changed: Any) -> PrivacyResult:
    given: dict[str, Any] = {"id": "c", "mechanism": mechanism, "domain": BITS, "epsilon": 1}
    return privacy_result(Claim(**{**given, **changed}), MEASURED)


def quantity(value: str) -> Quantity:
    return Quantity(value, value, value, value)


@in_one(
    "epsilon, delta, tightness, worst, little",
    [
        (1, "1/10", "0.25", "1/40", True),
        (1, "1/10", "0.26", "1/40", False),
        (1, "1/10", "0.25", "1/39", False),
        (1, 0, "0.25", "0", True),
        (1, 0, "0.251", "0", False),
        (0, "1/10", None, "1/40", True),
        (0, "1/10", None, "1/30", False),
        (1, "1/10", "∞", "0", False),
    ],
)
def test_little_is_used_where_a_quarter_of_each_is_enough(
    epsilon: int, delta: Any, tightness: str | None, worst: str, little: bool
) -> None:
    used = used_of(privacy_guarantee(epsilon, delta), tightness, quantity(worst))
    assert used is not None
    assert used.is_little is little


def test_of_what_is_not_known_nothing_is_said() -> None:
    assert used_of(privacy_guarantee(1, "1/10"), None, quantity("0")) is None
    assert used_of(privacy_guarantee(1, "1/10"), "0.1", None) is None
    assert not Used().is_little


def test_a_claim_without_noise_of_a_scale_is_weak_where_it_uses_little() -> None:
    weak, strong = (found_of(told_or_not, delta=delta) for delta in (Fraction(2, 5), Fraction(1, 5)))
    assert (weak.headroom, weak.loose, weak.tight_over_claimed) == (None, True, "0")
    assert (strong.headroom, strong.loose, strong.tight_over_claimed) == (None, False, "0")  # δ is used by half


def test_a_claim_at_four_times_its_epsilon_is_weak_also_where_it_has_no_slack_of_a_quarter() -> None:
    found = found_of(epsilon=4, parameters={"epsilon": 1}, delta=Fraction(1, 2))
    assert found.loose and found.headroom is not None


def test_the_least_share_of_the_noise_is_decided_and_told() -> None:
    found = found_of(parameters={"times": 16}, least=LeastShare(share="1/16", below="1/17", because="it is an example"))
    assert (found.headroom, found.loose) == ("1/16", False)
    assert found.least is not None and found.least.is_least and not found.least.uses_little
    assert found.at_least_constant and found.surprise == ""
    told = " ".join(noise_in_words(found))
    assert "its noise could be 16 times smaller on this domain: PROVED with 1/16 of it, REFUTED with 1/17" in told
    assert "1/17: it is an example." in told and "Weak" not in told
    # both are those of the mechanism that is written with so much noise
    for share, status in (("1/16", Status.PROVED), ("1/17", Status.REFUTED)):
        by_hand = check_privacy(count, BITS, epsilon=1, parameters={"times": 16 * Fraction(share)}, recheck=False)
        assert by_hand.status is status
    record = AuditRecord(SCHEMA_VERSION, "0", [found], [])
    assert read_audit(to_json(record)) == record
    assert "1 with headroom of the paper" in headline(record) and "weak" not in headline(record)


def test_the_least_share_of_a_parameter() -> None:
    least = LeastShare(share="1/16", below="1/20", parameter="share", of="the scale")

    def scaled(draw: Draw, rows: Sequence[int], *, epsilon: Any, share: Any = 1) -> Any:
        return count(draw, rows, epsilon=epsilon, times=16 * share)

    found = found_of(scaled, least=least)
    assert found.loose is False
    assert "the scale could be 16 times smaller" in " ".join(noise_in_words(found))


@pytest.mark.parametrize("share", ["1/8", "1/20"])
def test_what_is_not_the_least_share_is_a_surprise_and_leaves_the_claim_weak(share: str) -> None:
    least = LeastShare(share=share, below=Fraction(share) * Fraction(9, 10))
    found = found_of(parameters={"times": 16}, least=least)
    assert found.loose
    assert found.surprise == f"its least constant is not what it says: {share} of its noise"
    assert "Not the least constant" in " ".join(noise_in_words(found))


def test_a_share_is_not_the_least_where_less_noise_is_enough_again() -> None:
    """A threshold far off is reached with much noise, and hardly ever with little: in between it tells."""

    def far(draw: Draw, rows: Sequence[int], *, times: Any = 1) -> Any:
        return sum(rows) + draw(discrete_laplace(5 * times)) >= 8

    claim: dict[str, Any] = {"epsilon": Fraction(1, 5), "delta": Fraction(1, 200)}
    for share, status in ((1, Status.PROVED), ("4/5", Status.REFUTED), ("1/4", Status.PROVED)):
        by_hand = check_privacy(far, BITS, **claim, parameters={"times": Fraction(share)}, recheck=False)
        assert by_hand.status is status
    found = found_of(far, **claim, least=LeastShare(share=1, below="4/5"))
    assert found.least is not None and not found.least.is_least
    assert "Not the least constant: with 1 of its noise PROVED, with 4/5 REFUTED (PROVED again with" in " ".join(
        noise_in_words(found)
    )


def test_no_least_share_makes_up_for_a_claim_that_holds_without_noise() -> None:
    """It shows something only if its noise is not 0: a share below which it fails is none of which less is worse."""

    def told_by_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
        return sum(rows) if draw(discrete_laplace(8 / epsilon)) == 1 else None

    without = found_of(told_by_noise, delta=Fraction(1, 16))
    assert next(point.verdict for point in without.noise_multipliers or [] if point.multiplier == "0") is Status.PROVED
    assert without.loose


def test_a_claim_for_every_epsilon_has_a_least_share() -> None:
    found = found_of(epsilon=symbolic, parameters={"times": 8}, least=LeastShare(share="1/8", below="1/9"))
    assert (found.loose, found.headroom) == (False, "1/8")


def test_where_slack_is_not_measured_no_least_share_is_decided() -> None:
    claim = Claim(id="c", mechanism=count, domain=BITS, epsilon=1, least=LeastShare(share="1/2", below="2/5"))
    assert privacy_result(claim, How(recheck=False)).least is None


@pytest.mark.parametrize(
    ("share", "below", "said"),
    [
        ("1/2", "1/2", "must be such that 0 < below < share ≤ 1"),
        ("2", "3/2", "must be such that 0 < below < share ≤ 1"),
        ("1/2", "0", "must be such that 0 < below < share ≤ 1"),
        ("1/2", "1/4", "below=1/4 must be just below share=1/2, at least 3/8"),
    ],
)
def test_a_least_share_out_of_range_is_refused(share: str, below: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        LeastShare(share=share, below=below)


def test_what_is_no_least_share_is_refused() -> None:
    with pytest.raises(InputError, match=r"c: least=Fraction\(1, 2\) is not a LeastShare"):
        Claim(id="c", mechanism=count, domain=BITS, epsilon=1, least=Fraction(1, 2))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="LeastShare: parameter=1 is not a text"):
        LeastShare(share="1/2", below="2/5", parameter=1)  # type: ignore[arg-type]
