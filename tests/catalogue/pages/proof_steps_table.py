"""The page of proof steps, docs/proof-steps.md, as it follows from deciding them.

`python -m tests.catalogue.pages.proof_steps_table` writes it, in a few seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dpverify.reports.kinds.step import StepResult
from dpverify.reports.markdown_text import cell, code
from dpverify.reports.record import RefutationKind
from dpverify.verifiers.catalogue import catalogue, steps
from dpverify.verifiers.claims import AnyClaim

PAGE: Final = Path(__file__).parents[3] / "docs" / "proof-steps.md"

_TEXT: Final = """\
# Steps of proofs

Each step of a proof that carries a constant into a statement is a claim of its own: an inequality for all parameters in
the ranges that the text states. PROVED means that the ranges are covered by boxes on each of which it is certain, by
interval arithmetic with exact ends and signs of derivatives; REFUTED that it fails at a rational point. A broken
constant beside each that holds is refuted. `dpverify explain ID` shows the step, what is supposed and the broken ones.
[Misprints](misprints.md) are listed apart, with what they change, and [proofs, line by line](proof-lines.md) says of each
line what became of it.

{many} steps, {refuted} of them refuted.

## What fails, and what mends it

| step | says | point | what mends it |
| --- | --- | --- | --- |
{failing}

## All steps

| step | what it carries | says | verdict |
| --- | --- | --- | --- |
{lines}

## Steps that other kinds of claims decide

| claim | expected | why |
| --- | --- | --- |
{others}

`python -m tests.catalogue.pages.proof_steps_table` writes this page.
"""


def page(results: Sequence[StepResult]) -> str:
    """The page, as Markdown."""
    failing = [failing_line(result) for result in results if result.counterexample is not None]
    return _TEXT.format(
        many=len(results),
        refuted=len(failing),
        failing="\n".join(failing),
        lines="\n".join(map(line, results)),
        others="\n".join(map(other_line, others())),
    )


def line(result: StepResult) -> str:
    """A step in the table of all."""
    return f"| {code(result.id)} | {cell(result.statement)} | {cell(result.says)} | {result.verdict} |"


def failing_line(result: StepResult) -> str:
    """A step that fails, its point, and what mends it."""
    point = result.counterexample
    assert point is not None
    at = f"{point.parameters}: {point.left} > {point.right}"
    return f"| {code(result.id)} | {cell(result.statement)} | {cell(at)} | {cell(result.mends)} |"


def others() -> list[AnyClaim]:
    """The claims of other kinds that a step of a proof is what they refute."""
    return [
        claim
        for claim in catalogue()
        if claim.kind != "step"
        and claim.refutation is not None
        and claim.refutation.kind is RefutationKind.PROOF_STEP
        and claim.id.startswith(("BNS-J", "BNS-X", "HRS", "CHS"))
    ]


def other_line(claim: AnyClaim) -> str:
    """A claim of another kind about a step."""
    why = claim.refutation.sentences if claim.refutation is not None else ""
    return f"| {code(claim.id)} | {claim.verdict_expected} | {cell(why)} |"


if __name__ == "__main__":
    PAGE.write_text(page([claim.decide() for claim in steps()]), encoding="utf-8")
