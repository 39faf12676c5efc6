"""Privacy: how what is found of a claim of (ε,δ)-privacy is told."""

import textwrap
from collections.abc import Mapping
from typing import Final

from dpverify.mechanisms.numbers.shown import cut
from dpverify.mechanisms.reasons.not_known import POINT_MASS
from dpverify.reports.kind import Detail, Kind, origin, what_is_expected
from dpverify.reports.numbers import counted, equal_to, in_full, no_less_than, ranges_in_short
from dpverify.reports.privacy_noise import noise_in_words, steps
from dpverify.reports.privacy_pictures import REGION_SIZE, claim_bar, epsilon_line, profile_plot, region_picture
from dpverify.reports.privacy_pictures import SIZE as PROFILE_SIZE
from dpverify.reports.privacy_record import (
    FINITE_DOMAIN,
    REFUTED_ON_TWO,
    EpsilonDeltaRegion,
    PrivacyResult,
    WitnessRecord,
)
from dpverify.reports.record import Quantity, Status
from dpverify.reports.witness_picture import WITNESS_SIZE, witness_picture

NOTHING_KEPT: Final[Mapping[str, str]] = {}
"""Of a mechanism that has no ε or δ of its own beside the claimed ones."""


def claimed(claim: PrivacyResult) -> str:
    """The claim: ε, and δ where it is not 0; and the values that the mechanism keeps beside these."""
    own = claim.own_parameters or {}
    if claim.for_all_epsilon is not None:
        every = claim.for_all_epsilon
        return for_all(every.epsilon, every.delta, every_delta=every.every_delta, kept=own)
    assert claim.epsilon is not None and claim.delta is not None
    return in_short(claim.epsilon, claim.delta, own)


def in_short(epsilon: Quantity, delta: Quantity, kept: Mapping[str, str] = NOTHING_KEPT) -> str:
    """A claim of (ε,δ): ε, and δ where it is not 0, and what the mechanism keeps."""
    text = f"ε {equal_to(epsilon)}" + ("" if delta.exact == "0" else f", δ {equal_to(delta)}")
    return text + _kept(kept, *(equal_to(number).removeprefix("= ") for number in (epsilon, delta)))


def for_all(epsilon: str, delta: str, *, every_delta: bool = False, kept: Mapping[str, str] = NOTHING_KEPT) -> str:
    """A claim of (ε,δ) for all ε at once, or for all δ, and what the mechanism keeps."""
    if every_delta:
        of_epsilon = f"ε = {epsilon}" if "ε" not in epsilon else "every ε" if epsilon == "ε" else f"{epsilon}, every ε"
        text = f"{of_epsilon}, every δ" + ("" if delta == "δ" else f", δ′ = {delta}")
    else:
        text = ("every ε" if epsilon == "ε" else f"{epsilon}, every ε") + ("" if delta == "0" else f", δ = {delta}")
    return text + _kept(kept, epsilon, delta)


def _kept(kept: Mapping[str, str], epsilon: str, delta: str) -> str:
    claimed = {"epsilon": epsilon, "delta": delta}
    said = [f"{name} = {value} is kept; claimed: {claimed[name]}" for name, value in kept.items()]
    return f" ({', '.join(said)})" if said else ""


def found(claim: PrivacyResult) -> str:
    """The number that is found in its place: the exact ε for a pure claim, the worst δ at the claimed ε for another."""
    if claim.for_all_epsilon is not None:
        fails_at, fails_in = claim.for_all_epsilon.fails_at, claim.for_all_epsilon.fails_in
        if claim.for_all_epsilon.every_delta and claim.verdict is Status.REFUTED:
            return "fails" if fails_in is None else f"fails: {_region_in_short(fails_in)}"
        return "nothing" if fails_at is None else f"fails: {ranges_in_short(fails_at)}" if fails_at else "holds for all"
    not_measured = claim.smallest_delta is None and (claim.tight_epsilon is None or not claim.is_pure)
    if not_measured and claim.witness is not None:
        return f"δ ≈ {claim.witness.difference.decimal} or more"  # by one event
    if claim.smallest_delta is None and claim.tight_epsilon is None and claim.scope.extent == "all":
        return "no more"
    if not_measured:
        return "nothing"  # of several numbers that are tied, the exact ε is found and no δ
    of_two = claim.verdict is Status.REFUTED and REFUTED_ON_TWO in claim.scope.text  # others may need more
    if not claim.is_pure and claim.smallest_delta is not None:
        return f"δ {no_less_than(claim.smallest_delta) if of_two else equal_to(claim.smallest_delta)}"
    if claim.tight_epsilon is None:
        return "nothing" if claim.verdict is Status.UNDECIDED else "ε = ∞"
    return f"ε {no_less_than(claim.tight_epsilon) if of_two else equal_to(claim.tight_epsilon)}"


_LONGEST_FORMULA: Final = 60
"""Characters of a formula that reads at a glance."""


def _region_in_short(region: EpsilonDeltaRegion) -> str:
    first, *more = region.formulas
    if len(first) > _LONGEST_FORMULA:
        return "for a set of (ε, δ)"
    return f"{first}; …" if more else first


def growth_sentence(claim: PrivacyResult) -> str:
    """The finding at other sizes, in a sentence, and how it goes on there; empty where no size was asked for."""
    if not claim.sweep:
        return ""
    letter = "ε" if claim.is_pure else "δ"
    points = [f"{letter} {'= ∞' if p.result is None else equal_to(p.result)} at size {p.size}" for p in claim.sweep]
    found = "on the worst pairs that a search found" if claim.sweep[0].pair else "on all pairs"
    steps = f"; the last steps {_TRENDS[claim.trend]}" if claim.trend else ""
    return f"Measured {found}: {', '.join(points)}{steps}. It is no verdict on other sizes."


_TRENDS: Final = {
    "none": "are 0",
    "constant": "are about constant",
    "shrinking": "shrink",
    "growing": "grow",
    "uneven": "shrink and grow by turns",
    "infinite": "have no end",
}


def background(claim: PrivacyResult) -> list[str]:
    """The scope of a verdict, and where its claim comes from, in sentences."""
    parameters = ", ".join(f"{name}={value}" for name, value in claim.parameters.items())
    worst = f"Worst pair: {' and '.join(claim.worst_pair)}." if claim.worst_pair else ""
    mutant = "" if claim.mutant is None else f"Mutant {claim.mutant.mechanism}: {claim.mutant.status}."
    return [
        *origin(claim),
        f"Mechanism: {claim.mechanism}" + (f" with {parameters}." if parameters else "."),
        f"Scope: {claim.scope.text}.",
        *_why_finite(claim),
        f"{found_where(claim)}: {claim.reason}.",
        *filter(None, (worst, f"By size: {claim.growth}." if claim.growth else "", growth_sentence(claim), mutant)),
        *noise_in_words(claim),
        *([] if claim.never_run is None else claim.never_run.in_words),
        *what_is_expected(claim),
    ]


def found_where(claim: PrivacyResult) -> str:
    """The words before the finding: of a claim of all sizes that is found pair by pair on a domain that ends."""
    return "Found on the domain that ends" if claim.scope.extent == "all" and claim.pairs else "Found"


def why_finite(claim: PrivacyResult) -> str:
    """Reason why a PROVED claim is not of all sizes; empty of others, and where nobody says so."""
    return claim.scope.why if claim.verdict is Status.PROVED and claim.scope.why != FINITE_DOMAIN else ""


def _why_finite(claim: PrivacyResult) -> list[str]:
    return [f"Not of all sizes: {why}."] if (why := why_finite(claim)) else []


def _prose(claim: PrivacyResult, detail: Detail) -> list[str]:
    said = [_scope(claim.scope.text, detail), claim.reason] if detail in ("scope", "fold") else []
    is_plain = claim.verdict is Status.PROVED and claim.distinct_pairs and not claim.neighbours_agree
    if not said and (POINT_MASS in claim.reason or (claim.witness is None and not is_plain)):
        said = [claim.reason]
    said += [f"By size: {claim.growth}"] if claim.growth and detail == "scope" else []
    said += [growth_sentence(claim)] if claim.sweep else []
    seen = claim.never_run
    return said if seen is None or claim.surprise == seen.surprise != "" else [*said, *seen.in_short]


def _scope(text: str, detail: Detail) -> str:
    """All of what a verdict covers, or the databases and pairs alone, with where the rest is."""
    first, _, rest = text.partition("; ")
    return f"{first}; … (all of it: -v)" if rest and detail == "fold" else text


def _witness(claim: PrivacyResult) -> list[str]:
    return [] if claim.witness is None else witness_lines(claim.witness, claim.worst)


_WIDTH: Final = 110


def result_in_lines(claim: PrivacyResult) -> list[str]:
    """A result by itself: a line, why it is no verdict, or worth a look, below it, and the witness."""
    said = f"{claimed(claim)}, found {found(claim)}, {_pairs(claim)}"
    what = ", ".join(filter(None, [claim.rider, _extent(claim) if claim.proved_for else ""]))
    head = f"{what}: {claim.mechanism}, " if what else f"{claim.mechanism}: "
    lines = [f"{claim.verdict} {head}{said}"]
    if claim.verdict not in (Status.PROVED, Status.REFUTED) or claim.neighbours_agree or POINT_MASS in claim.reason:
        lines += (f"    {line}" for line in textwrap.wrap(claim.reason, _WIDTH))
    return [*lines, *(f"    {line}" for line in _witness(claim))]


def _extent(claim: PrivacyResult) -> str:
    """The words that follow PROVED; of another verdict, the number of pairs."""
    if claim.hint:
        return f"on this domain ({claim.proved_for}); {claim.hint}"
    if claim.proved_for:
        return f"for {claim.proved_for}"
    return _pairs(claim)


def _pairs(claim: PrivacyResult) -> str:
    return "all sizes" if claim.scope.extent == "all" else counted(claim.pairs, "pair")


def witness_lines(witness: WitnessRecord, worst: WitnessRecord | None = None) -> list[str]:
    """A witness in lines that a person can check by hand, and the worst one; the last line computes it again."""
    lines = [
        f"left   {witness.left}",
        f"right  {witness.right}",
        f"event  {{{', '.join(witness.event)}}}",
        f"Pr[event | left]  = {in_full(witness.p)}",
        f"Pr[event | right] = {in_full(witness.q)}",
        f"Pr[event | left] - e^ε·Pr[event | right] = {witness.difference.decimal} > δ {equal_to(witness.delta)}, "
        f"at ε {equal_to(witness.epsilon)}",
    ]
    if witness.realised_by is not None:
        lines.append(witness.realised_by)
    if worst is not None:
        lines.append(
            f"this is the smallest counterexample; worst: δ ≥ {worst.difference.decimal} for left {cut(worst.left)}, "
            f"right {cut(worst.right)}, event {{{cut(', '.join(worst.event))}}}"
        )
    if witness.reproduce is None:
        return [
            *lines,
            "(no line reproduces this: its event, a function or a value in it has no name that can be imported)",
        ]
    return [*lines, "python -c '" + witness.reproduce.replace("'", "'\"'\"'") + "'"]


KIND: Final = Kind(
    name="privacy",
    rank=1,
    result=PrivacyResult,
    claimed=claimed,
    found=found,
    extent=_extent,
    size=_pairs,
    prose=_prose,
    background=background,
    witness=_witness,
    page={
        "bar": claim_bar,
        "epsilon_line": epsilon_line,
        "profile_plot": profile_plot,
        "region": region_picture,
        "region_size": REGION_SIZE,
        "growth": growth_sentence,
        "found_where": found_where,
        "why_finite": why_finite,
        "noise_in_words": noise_in_words,
        "steps": steps,
        "witness_picture": witness_picture,
        "witness_size": WITNESS_SIZE,
        "profile_size": PROFILE_SIZE,
    },
)
