"""The list of misprints: its page is current, its claims are there, and what it says that they change is so."""

from docs.pages.papers.misprints.misprint import Effect, Misprint
from docs.pages.papers.misprints.table import PAGE, PAPERS, page
from docs.pages.papers.misprints.undefined import UNDEFINED
from tests.examples import in_one

from dpverify.reports.record import RefutationKind, Status
from dpverify.verifiers.catalogue import catalogue

CLAIMS = {claim.id: claim for claim in catalogue()}
ALL = [one for several in (*PAPERS.values(), UNDEFINED) for one in several]

KINDS = {
    Effect.STATEMENT: {RefutationKind.STATEMENT, RefutationKind.DEGENERATE},
    Effect.STEP: {RefutationKind.PROOF_STEP, RefutationKind.DEGENERATE, RefutationKind.RECONSTRUCTION},
}
"""What a refuted claim beside a misprint refutes: the letter of a step or of a statement may be all."""


def name_of(one: Misprint) -> str:
    return f"{one.place}: {one.printed}"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.papers.misprints.table"


def test_none_stands_twice() -> None:
    for several in (*PAPERS.values(), UNDEFINED):
        assert len({(one.place, one.printed) for one in several}) == len(several)


@in_one("one", ALL)
def test_each_says_what_is_printed_what_it_has_to_be_and_why(one: Misprint) -> None:
    assert one.place
    assert one.printed
    assert one.reads
    assert one.why
    assert one.printed != one.reads


@in_one("one", [one for one in ALL if one.ids])
def test_its_claims_are_there_and_refute_what_it_changes(one: Misprint) -> None:
    assert set(one.ids) <= CLAIMS.keys()
    refuted = [CLAIMS[name] for name in one.ids if CLAIMS[name].verdict_expected is Status.REFUTED]
    if one.effect is Effect.NOTHING:
        assert not refuted
        return
    kinds = {claim.refutation.kind for claim in refuted if claim.refutation is not None}
    assert kinds <= KINDS[Effect.STATEMENT] | KINDS[Effect.STEP]
    assert not kinds or kinds & KINDS[one.effect]


def test_what_changes_a_statement_names_the_claim_that_is_refuted() -> None:
    for one in ALL:
        if one.effect is Effect.STATEMENT:
            assert any(CLAIMS[name].verdict_expected is Status.REFUTED for name in one.ids), name_of(one)


def test_what_changes_a_step_names_a_claim() -> None:
    assert all(one.ids for one in ALL if one.effect is Effect.STEP)


def test_every_refuted_step_of_a_proof_is_in_the_list_or_is_no_misprint() -> None:
    """A new refuted step is looked at: is it a slip of the pen, or of the argument?"""
    named = {name for one in ALL for name in one.ids}
    steps = {
        name
        for name, claim in CLAIMS.items()
        if claim.refutation is not None and claim.refutation.kind is RefutationKind.PROOF_STEP
    }
    assert steps - named == NO_MISPRINTS


NO_MISPRINTS = {"BNS-J-6.2.utility.one-point", "BNS-X-Thm2.utility.pac", "HRS-4.9.structure.one-threshold-near-printed"}
"""Of another misprint's consequences, or of an argument that leaves something out."""
