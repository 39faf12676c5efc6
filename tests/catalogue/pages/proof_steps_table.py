"""The page of proof steps, docs/proof-steps.md, as it follows from deciding them.

`python -m tests.catalogue.pages.proof_steps_table` writes it, in a few seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from dpverify.reports.kinds.step import StepResult
from dpverify.reports.markdown_text import cell, code
from dpverify.reports.record import RefutationKind
from dpverify.verifiers.catalogue import catalogue, steps
from dpverify.verifiers.claims import AnyClaim

PAGE: Final = Path(__file__).parents[3] / "docs" / "proof-steps.md"

READ: Final[Mapping[str, Sequence[str]]] = {
    "BNS-J-2.12, 2.13, 2.14": ("cited; only how they are used is a step, under the lemma that uses them",),
    "BNS-J-2.21": ("an order of n; the triangle inequality makes α into 2α",),
    "BNS-J-2.24, 2.25": ("cited; their claims are of kinds privacy and utility",),
    "BNS-J-3.2": (
        "at most 1/α points have D(i) > α, so that a random one is bad with probability at most 1/(α·2^d); see "
        "BNS-J-3.2.utility.pac, which is refuted",
    ),
    "BNS-J-3.11, 3.13": ("no constant; see their claims of structure",),
    "BNS-J-3.12": ("three mechanisms for each of N calls; see its claims of privacy",),
    "BNS-J-3.14": (
        "a j with L(S, j) ≥ (1 − α/2)·r > L(S, j + 1), as L falls from r or more to 0 or less",
        "P lies within one interval of length 8·2^k, and 2^k points of 16·2^k are good: BNS-J-3.14-geometry",
        "the other intervals have quality at most (1 − 3α/8)·r, by quasi-concavity",
    ),
    "BNS-J-3.15": ("the footnote on roundings of logarithms, of which the step takes that they add at most 2",),
    "BNS-J-3.18": ("an order of m with min{α, ε}, that follows from the maximum in the last line",),
    "BNS-J-3.22": ("“roughly” α/n on each axis, and orders: the constants of its steps are ours",),
    "BNS-J-4.4": (
        "a solution that is gained by a row has quality 1, and there are at most k",
        "the ratio of two probabilities is e^(ε/4)·e^(ε/4)·e^(ε/2)",
    ),
    "BNS-J-4.5": ("at most km solutions have a quality above 0",),
    "BNS-J-4.6": (
        "“1 ≤ i ≤ α/2” has to read 2/α",
        "2/α points that appear more than αm/2 times each are more than m rows",
        "the number of rows is an order: what Lemmas 4.4 and 4.5 ask for with α/2, αβ/4, ε̃ and δ̃",
    ),
    "BNS-J-4.7": ("k errors of α/k are α",),
    "BNS-J-4.9": ("no constant; see its claim of structure",),
    "BNS-J-4.10": (
        "an interval of length 2^z lies within one of length 2·2^z that is shifted by 2^z",
        "two draws in each of c iterations, with β/2 each, are cβ",
    ),
    "BNS-J-4.11": ("[a, b − 1] of length below 2·2^z is covered by four intervals of length 2^z/2",),
    "BNS-J-4.12": ("the intervals [a, b] are a partition",),
    "BNS-J-4.13": ("an order, from 4.8 and 4.12",),
    "BNS-J-4.15": ("3α is more than 2α; that β ≥ Pr[A(S1) is not close] sums over disjoint sets",),
    "BNS-J-5.3": ("2α + γ from two events; m is what Theorem 2.14 asks for with γ, as it stands",),
    "BNS-J-5.4": (
        "step 2 and 3 shift a count by at most 1, so that Pr[m0 = L] changes by e^ε",
        "|m_σ − m̂_σ| ≤ M/2 by rounding to multiples of M",
    ),
    "BNS-J-5.5": ("m ≥ VC/2 rests on Theorem 2.20; see BNS-J-2.20.lower-bound.printed, which is refuted",),
    "BNS-J-5.7": (
        "each point of A that I misses costs 5α/k, so that an error of α misses at most k/5",
        "the number of sets that a greedy choice removes is a sum of binomials, at most C(k, k/2)·C(2^d − 1, k/2) by "
        "counting them with a half of A each",
        "the order of m, for which k and d have to be large: see BNS-J-5.7.lower-bound.letter",
    ),
    "BNS-J-5.10": (
        "m ≥ VC/2 rests on Theorem 2.20, as in 5.5, and Ω(kd/ε) and Ω(kd/(αε)) on Lemma 5.7, whose λ has no number",
        "50³ where 50² is enough: t is 50 times what Lemma 5.3 asks for",
    ),
    "BNS-J-6.2": ("α/4 and α/4 are α/2; β/2, β/4 and β/4 are β",),
    "BNS-X-Lem2, Lem3": ("no proof is printed; what stands in comments of Figure 1 is here",),
    "BNS-X-Thm2, Thm3, Thm4, Thm6": (
        "orders alone, without proofs: the constants of the steps of Thm4 and Thm6 are ours",
    ),
}
"""Of rows of Beimel, Nissim & Stemmer the steps that were read and carry no constant into the statement."""

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

## Read, and without a constant of their own

{read}

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
        read="\n".join(f"- **{row}**: {'; '.join(map(cell, said))}." for row, said in READ.items()),
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
