"""All that is known of one privacy claim, as `dpverify explain` says it."""

import inspect
from collections.abc import Callable
from typing import Any, Final

from dpverify.mechanisms.numbers.enclosure import decimal
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.reports.kinds.privacy import claimed, growth_sentence, why_finite
from dpverify.reports.numbers import in_full, is_a_bound
from dpverify.reports.privacy_noise import noise_in_words
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import Status
from dpverify.verifiers.claims import Explanation, How, sources
from dpverify.verifiers.privacy.result import decided_claim, privacy_result
from dpverify.verifiers.privacy.statement import PrivacyStatement
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.profile import PrivacyProfile


def explanation(claim: PrivacyStatement, how: How) -> Explanation:
    """The mechanism of a claim, its verdict, scope, profile and mutant in words, and its result.

    Raises what `check_privacy` does.
    """
    verdict = decided_claim(claim, how)
    result = privacy_result(claim, how, verdict)
    laws = verdict.basis.laws
    return Explanation(
        result,
        [
            ("mechanism", sources(_functions(claim))),
            ("claim", f"Pr[M(D) in F] ≤ e^ε·Pr[M(D′) in F] + δ for all events F, with {claimed(result)}"),
            ("scope", result.scope.text),
            ("not of all sizes", why_finite(result)),
            ("expected", str(claim.verdict_expected)),
            ("found", result.reason),
            ("worst δ", "" if result.smallest_delta is None else in_full(result.smallest_delta)),
            ("exact ε", _exact_epsilon(result)),
            ("worst pair", "" if result.worst_pair is None else " and ".join(result.worst_pair)),
            ("by size", result.growth),
            ("sizes", growth_sentence(result)),
            ("profile", _profile(result)),
            ("Rényi", _renyi(laws) if laws is not None and (result.profile or result.curve) else ""),
            ("noise", " ".join(noise_in_words(result))),
            ("mutant", _mutant(result)),
            ("whole runs", "; ".join(each.in_words for each in result.whole_runs or ())),
            ("never run", "" if result.never_run is None else " ".join(result.never_run.in_words)),
        ],
    )


def _functions(claim: PrivacyStatement) -> list[Callable[..., Any]]:
    """The mechanism of a claim, and those that it is given as parameters."""
    return [claim.mechanism, *(value for value in claim.parameters.values() if inspect.isfunction(value))]


def _exact_epsilon(result: PrivacyResult) -> str:
    if result.smallest_delta is None or result.verdict is Status.UNDECIDED:
        return ""
    if result.tight_epsilon is None:
        return "" if is_a_bound(result.smallest_delta) else "∞"
    return in_full(result.tight_epsilon)


_LONGEST_PROFILE: Final = 12
"""Pieces of a profile that `explain` prints."""


def _profile(result: PrivacyResult) -> str:
    """Δ(ε) piece by piece, by rising ε."""
    pieces = result.profile or []
    if result.curve is not None:
        lines = [f"δ({point.epsilon}) = {point.delta}" for point in result.curve[::2]]
        return "".join(f"\n    {line}" for line in lines)
    lines = [
        f"δ(ε) = {piece.p} - {piece.q}·e^ε for {piece.low} ≤ ε ≤ {piece.high}"
        if piece.high is not None
        else f"δ(ε) = {piece.p} for {piece.low} ≤ ε"
        for piece in pieces
    ]
    if len(lines) > _LONGEST_PROFILE:
        lines = [*lines[:_LONGEST_PROFILE], f"… {len(lines) - _LONGEST_PROFILE} more pieces"]
    return "".join(f"\n    {line}" for line in lines)


def _renyi(laws: Laws) -> str:
    """The Rényi divergences of a few whole orders, and the zCDP that they exclude."""
    profile = PrivacyProfile((), laws)
    try:
        return _divergences(profile)
    except Undecided as doubt:
        return str(doubt)


def _divergences(profile: PrivacyProfile) -> str:
    results = {order: profile.renyi_divergence(order) for order in _ORDERS}
    shown = ", ".join(f"{'∞' if d is None else decimal(d)} of order {order}" for order, d in results.items())
    rho = profile.zcdp(_ORDERS)
    return f"{shown}; " + ("ρ-zCDP for no ρ" if rho is None else f"not ρ-zCDP for any ρ < {decimal(rho)}")


_ORDERS: Final = (2, 4, 8)


def _mutant(result: PrivacyResult) -> str:
    if result.mutant is None:
        return ""
    return f"{result.mutant.mechanism} is {result.mutant.status}. {result.mutant.description}".rstrip()
