"""The committed audit, in which all is measured, beside what is decided in tests, where only deep runs measure."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.gates.baseline import BaselineLine, baseline_line, read_baseline
from dpverify.reports.gates.gate import Answered, compared, gate_row_lines
from dpverify.reports.kinds.calculation import CalculationResult
from dpverify.reports.kinds.structure import LemmaResult
from dpverify.reports.kinds.utility import SharpnessResult, UtilityResult
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import AuditRecord, ClaimResult
from dpverify.verifiers.commands.containing import shown_of

RESULTS = Path(__file__).parents[2] / "reports" / "results"


@cache
def committed_audit() -> AuditRecord:
    return read_audit((RESULTS / "audit.json").read_bytes())


@cache
def committed() -> dict[str, ClaimResult]:
    return {claim.id: claim for claim in committed_audit().claims}


@cache
def committed_privacy() -> dict[str, PrivacyResult]:
    return {claim.id: claim for claim in committed_audit().claims if isinstance(claim, PrivacyResult)}


_INLINED = re.compile(r", on some paths at most with sub-mechanisms inlined for [\d,]+")
"""What a scope says of laws with too many paths to inline, of which tests inline fewer."""


_AGAIN = re.compile(r"(not recomputed|recomputed in [a-z ]+ for [\d,]+ of them(, the hash seed not varied)?)")
"""What a scope says of who computed distributions a second time, and how many in the time for it: others in tests."""


def but_for_measures(result: ClaimResult) -> ClaimResult:
    """What is found of a claim, without how sharp or loose it is, what of it runs, how long proofs of lemmas are, who computed laws
    again, and wherever it is written.

    Nor with its question, which the committed baseline has.
    """
    text = _AGAIN.sub("recomputed", _INLINED.sub("", result.scope.text))
    scope = msgspec.structs.replace(result.scope, text=text, recomputation="none")
    result = msgspec.structs.replace(
        result,
        location=None,
        mechanism_location=None,
        question=msgspec.UNSET,
        scope=scope,
        line_runs=msgspec.UNSET,
        **({"whole_runs": msgspec.UNSET} if "whole_runs" in result.__struct_fields__ else {}),
    )
    if isinstance(result, PrivacyResult):
        return msgspec.structs.replace(
            result, headroom=None, loose=None, noise_multipliers=None, least=None, never_run=None
        )
    if isinstance(result, CalculationResult):
        return msgspec.structs.replace(result, sharpness=None, loose=None)
    if isinstance(result, UtilityResult):
        return msgspec.structs.replace(result, sharpness=None, more_noise=None, headroom=None, loose=None)
    if isinstance(result, LemmaResult):
        goals = [msgspec.structs.replace(goal, steps=None, trusted=None) for goal in result.goals]
        return msgspec.structs.replace(result, goals=goals)
    return result


def on_its_domain_alone(result: ClaimResult) -> ClaimResult:
    """As `but_for_measures`, of the domain that ends: without databases of every size, which are left to a report."""
    alone = msgspec.structs.replace(but_for_measures(result), scope=None, all_sizes_demanded=False)
    return msgspec.structs.replace(alone, proved_for="") if isinstance(alone, PrivacyResult) else alone


BASELINE = RESULTS / "baseline.txt"
"""What is accepted of each claim of the catalogue that every audit decides: `dpverify audit --baseline` takes it."""


@cache
def accepted() -> Mapping[str, BaselineLine]:
    """The lines of the committed baseline."""
    return read_baseline(BASELINE).lines


def not_accepted(result: ClaimResult) -> str:
    """What the gate says of a claim that it does not let through; empty where it passes, or has nothing to say."""
    before = accepted().get(result.id)
    if before is None:
        return f"NEW {result.id}: {RENEWED}"
    row = compared(before, Answered(baseline_line(result), result), shown_of(()))
    return "\n".join([*gate_row_lines(row), RENEWED]) if row is not None and row.fails else ""


RENEWED = "dpverify audit --catalogue --update-baseline --baseline reports/results/baseline.txt"
"""What accepts it."""


def measures(result: ClaimResult) -> Sequence[object] | SharpnessResult | None:
    """What deep runs and audits measure beside: noise multipliers, sharpness, and proofs of goals."""
    if isinstance(result, PrivacyResult) and result.noise_multipliers is not None:
        return [point.verdict for point in result.noise_multipliers if point.multiplier == "1/2"]
    if isinstance(result, UtilityResult | CalculationResult):
        return result.sharpness
    if isinstance(result, LemmaResult):
        return [(goal.steps, goal.trusted) for goal in result.goals]
    return None
