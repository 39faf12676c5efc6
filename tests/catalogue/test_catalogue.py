"""The catalogue: its ids, mutants, branches and witnesses, and the committed audit."""

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from types import CodeType, FrameType
from typing import Any

import pytest
from tests.browser.report_pages import report_pages
from tests.catalogue.committed import RESULTS, but_for_measures, committed_audit, committed_privacy
from tests.catalogue.refutations import WITNESSES
from tests.examples import in_one

from dpverify.mechanisms import distribution, exact
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.mechanisms.selection import stability as stability_module
from dpverify.reports.formats.rendering import render
from dpverify.verifiers import Claim, ScoreSpace, Status, audit
from dpverify.verifiers.auditing.auditing import installed_version
from dpverify.verifiers.catalogue import catalogue, privacy_claims
from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.privacy.result import verdict_on_claim
from dpverify.verifiers.readable import readable
from dpverify.verifiers.verdicts.witness import Witness

CLAIMS = privacy_claims()
HALF = Fraction(1, 2)
BY_ID = {claim.id: claim for claim in CLAIMS}


def test_ids_say_paper_number_aspect_and_variant() -> None:
    for claim in CLAIMS:
        assert re.fullmatch(
            r"(BNS-J|BNS-X|BuNS|CHS|HRS|LSL|LICS20)-[A-Za-z0-9]+(\.[0-9]+)*(-MoL)?\.privacy\.[a-z0-9-]+", claim.id
        ), claim.id


def test_of_each_family_with_claims_that_take_long_others_are_decided() -> None:
    depths = {claim.id: claim.depth for claim in catalogue()}
    assert {depths[name] for name in TAKES_LONG} == {"report"}
    quick = {name.rpartition(".")[0] for name, depth in depths.items() if depth == "quick"}
    assert {name.rpartition(".")[0] for name in TAKES_LONG} <= quick


def test_every_building_block_is_there_as_printed_discrete_and_corrected() -> None:
    rows = {claim.id.rsplit(".", 2)[0] for claim in CLAIMS}
    assert rows == {
        "BNS-J-2.3",
        "BNS-J-2.4",
        "BNS-J-2.5",
        "BuNS-2.16",
        "BuNS-2.19",
        "BuNS-2.20",
        "BuNS-2.23",
        "BuNS-2.24",
        "BuNS-2.25",
        "BNS-J-2.24",
        "BNS-J-2.25",
        "BNS-J-2.26",
        "BNS-J-6.2",
        "BNS-J-3.2",
        "BNS-J-2.19",
        "BNS-J-3.12",
        "BNS-J-3.22",
        "BNS-J-3.5",
        "BNS-J-5.1",
        "BNS-J-5.3",
        "BNS-J-5.4",
        "BNS-J-5.5",
        "BNS-J-3.18",
        "BNS-X-Lem1",
        "BNS-X-Lem2",
        "BNS-X-Thm2",
        "BNS-J-4.4",
        "BNS-J-4.6",
        "BNS-J-4.7",
        "BNS-J-4.8",
        "BNS-J-4.13",
        "BNS-J-4.16",
        "BNS-X-Lem4",
        "BNS-X-Thm1",
        "BNS-J-KLNRS",
        "BNS-J-BKN",
        "BNS-X-Prop2",
        "BuNS-3.11",
        "BuNS-3.12",
        "BuNS-3.13",
        "BuNS-3.2",
        "BuNS-3.7",
        "BuNS-3.8",
        "BuNS-3.9",
        "CHS-2.2-MoL",
        "CHS-Alg1",
        "HRS-3.10",
        "HRS-4.10",
        "HRS-5.10",
        "HRS-6.2",
        "HRS-6.4",
        "CHS-4.1",
        "CHS-4.2",
        "HRS-Fig1",
        "HRS-Fig2",
        "LSL-Alg1",
        "LSL-Alg2",
        "LSL-Alg3",
        "LSL-Alg4",
        "LSL-Alg5",
        "LSL-Alg6",
        "LSL-Num",
        "LICS20-SVT",
    }
    for row in ("BNS-J-2.26", "BNS-X-Prop2", "BuNS-3.11"):
        assert f"{row}.privacy.printed" in BY_ID
        assert f"{row}.privacy.printed-counts" in BY_ID
        assert f"{row}.privacy.discrete" in BY_ID
    for constant in ("scale", "shift", "discrete"):
        assert BY_ID[f"BNS-J-2.26.privacy.corrected-{constant}-below"].expected is Status.REFUTED


def test_every_claim_has_a_mutant_of_its_own_a_source_and_a_statement() -> None:
    for claim in CLAIMS:
        assert claim.mutant is not None, claim.id
        assert claim.mutant is not claim.mechanism
        assert inspect.getdoc(claim.mutant), claim.id
        assert claim.source
        assert claim.statement


def test_the_pinned_witnesses_are_those_of_the_refuted_claims() -> None:
    assert set(WITNESSES) == {claim.id for claim in CLAIMS if claim.expected is Status.REFUTED}


def witness_of(claim: Claim) -> Witness:
    witness = verdict_on_claim(claim, recheck=False).witness
    assert witness is not None
    return witness


@in_one("claim_id", WITNESSES)
def test_the_checker_finds_the_pinned_witness(claim_id: str) -> None:
    # a claim that is in the committed audit is decided, and compared with that, in claims_catalogue.py
    committed = committed_privacy().get(claim_id)
    record = witness_of(BY_ID[claim_id]).record if committed is None else committed.witness
    assert record is not None
    left, right, event = WITNESSES[claim_id]
    assert (record.left, record.right) == (readable(left), readable(right))
    assert record.event == [readable(outcome) for outcome in event]


def test_reproducing_lines_print_a_violation(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = (
        "BNS-J-2.24.privacy.discrete-below",
        "BNS-J-2.26.privacy.printed-counts",
        "BNS-J-2.26.privacy.discrete-ln2",
    )
    for claim_id in chosen:
        witness = witness_of(BY_ID[claim_id])
        assert witness.reproduce is not None
        assert "\n" not in witness.reproduce
        exec(witness.reproduce, {})
        printed = capsys.readouterr().out
        assert printed == f"{witness.p} {witness.q} True\n"


# Every branch of every mechanism is reached on the claim's domain.


def place_of(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


class Lines:
    """The lines of some functions that run, and those that there are."""

    def __init__(self, functions: list[Callable[..., Any]]) -> None:
        self.codes = {code for function in functions for code in nested(function.__code__)}
        self.places = {place_of(code) for code in self.codes}
        self.reached: set[tuple[str, int]] = set()

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Notes lines also of what is compiled from the source of the functions, which has their names and lines."""
        if place_of(frame.f_code) not in self.places:
            return None
        self.reached.add((frame.f_code.co_name, frame.f_lineno))
        return self.trace

    def missed(self) -> set[tuple[str, int]]:
        existing = {
            (code.co_name, line)
            for code in self.codes
            for _, _, line in code.co_lines()
            if line not in (None, code.co_firstlineno)
        }
        return {(name, line) for name, line in existing - self.reached if line is not None}


def nested(code: CodeType) -> list[CodeType]:
    return [code, *(inner for part in code.co_consts if isinstance(part, CodeType) for inner in nested(part))]


def is_recursive(claim: Claim) -> bool:
    """Whether the mechanism runs A_dist on step functions, which the tests of Section 3's mechanisms look at."""
    return claim.id.startswith(
        ("BNS-J-3.", "BNS-X-Lem1", "BNS-X-Lem2", "BNS-X-Thm2", "BNS-J-4.8", "BuNS-3.12", "BuNS-3.13")
    )


def parts_of(claim: Claim) -> list[Callable[..., Any]]:
    """The functions in which a mechanism of the A_dist family takes its branches."""
    if "A_dist" not in claim.statement or is_recursive(claim):
        return []
    own_steps = claim.id.startswith("BNS-X")
    chosen = [claim.parameters["selection"]] if "selection" in claim.parameters else []
    return [*chosen, stability_module.best_and_gap, *([] if own_steps else [stability_module.stable_choice])]


VARIANTS = (
    "printed",
    "discrete",
    "corrected",
    "corrected-discrete",
    "clamped",
    "printed-sum",
    "printed-vector",
    "printed-histogram",
    "counts",
    "scores",
    "point",
    "thresh",
)
AT_FIRST_EPSILON = [claim for claim in CLAIMS if claim.id.rpartition(".")[2] in VARIANTS]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("claim", AT_FIRST_EPSILON, ids=lambda claim: claim.id)
def test_every_line_of_a_mechanism_is_reached(claim: Claim) -> None:
    given = dict(claim.question.arguments)
    functions = [inspect.unwrap(claim.mechanism), *parts_of(claim)]
    lines = Lines(functions)
    # an only solution is released without noise: a domain of several solutions cannot reach that, nor step functions
    unreachable = {line for function in functions for line in of_other_domains(function)}
    before = sys.gettrace()
    sys.settrace(lines.trace)
    try:
        for database in claim.domain:
            distribution(claim.mechanism, database, **given)
            if lines.missed() <= unreachable:
                break
    finally:
        sys.settrace(before)
    assert lines.missed() <= unreachable


def of_other_domains(function: Callable[..., Any]) -> set[tuple[str, int]]:
    """The lines right after `if gap is None:` and `if isinstance(quality, StepFunction):`."""
    lines, first = inspect.getsourcelines(function)
    heads = ("if gap is None:", "if isinstance(quality, StepFunction):")
    return {(function.__name__, first + i + 1) for i, line in enumerate(lines) if any(head in line for head in heads)}


def at_one(claim: Claim) -> dict[str, Any]:
    """The parameters of a claim's mechanism; of one for every ε, those at ε = 1."""
    given = dict(claim.question.arguments)
    symbol = symbol_in(given)
    return given if symbol is None else DistributionSubstitution(symbol, exact(1))(given)


def with_each_gap(claim: Claim) -> Sequence[Any]:
    """Of scores, one vector for each gap that there is, since nothing else decides what is released; else all."""
    domain = claim.domain
    return vectors_with_each_gap(domain.scores, domain.solutions) if isinstance(domain, ScoreSpace) else tuple(domain)


@cache
def vectors_with_each_gap(scores: tuple[int, ...], solutions: int) -> Sequence[Any]:
    vectors = ScoreSpace(scores, solutions=solutions)
    return tuple({stability_module.best_and_gap(vector)[1]: vector for vector in vectors}.values())


def test_both_sides_of_every_threshold_are_reached() -> None:
    """In each A_dist claim some gap is released with probability below ½ and some with probability above it."""
    for claim in CLAIMS:
        if "A_dist" not in claim.statement or is_recursive(claim) or claim.is_of_every_delta:
            continue
        released, given, databases = set(), at_one(claim), with_each_gap(claim)
        for database in (databases[-1], *databases):  # the last one has the largest gap, or nearly
            law = distribution(claim.mechanism, database, **given)
            released |= {p > HALF for outcome, p in law.probabilities.items() if not str(outcome).startswith("⊥")}
            if len(released) == 2:
                break
        assert released == {True, False}, claim.id


def test_claims_for_every_epsilon_fail_where_they_are_said_to() -> None:
    """By the committed audit, with which `claims_catalogue.py` compares what it decides."""
    found = {
        claim.id: committed_privacy()[claim.id].reason.removeprefix("fails for ε in ").partition(";")[0]
        for claim in CLAIMS
        if claim.id in WITNESSES and claim.id.endswith("every-epsilon")
    }
    assert found == {
        "BNS-J-2.26.privacy.printed-every-epsilon": "(-ln z with 100·z^21 - 18·z^10 + 1 = 0 = 0.213912279514, ∞)",
        "BNS-J-2.26.privacy.whole-threshold-scale-1-every-epsilon": "(-ln z with z^3 + z^2 + z - 1 = 0 = "
        "0.609377863436, ∞)",
        "BNS-J-4.4.privacy.eight-rows-every-epsilon": "(0, 4/3·ln 5 = 2.14591721658)",
        "LSL-Alg4.privacy.claimed-every-epsilon": "(0, ∞)",
        "LSL-Alg6.privacy.claimed-every-epsilon": "(0, ∞)",
        "LSL-Alg4.privacy.discrete-every-epsilon": "(0, ∞)",
        "LSL-Alg6.privacy.discrete-every-epsilon": "(0, ∞)",
        "BuNS-2.25.privacy.exponential-every-epsilon": "(-8·ln z with 15·z^3 + 15·z^2 + 15·z - 1 = 0 = 22.1788772546, "
        "∞)",
        "BuNS-2.25.privacy.noisy-sum-every-epsilon": "(-8·ln z with 15·z^7 + 15·z^6 + 15·z^5 - z^4 - z^3 - z^2 - z - 1"
        " = 0 = 4.07184844764, ∞)",
    }


# The audit that is committed.


def test_the_committed_audit_has_the_claims_of_the_catalogue_in_all_formats() -> None:
    """What it says of each claim is compared where that is decided, by `conftest.py`, in `claims_catalogue.py`."""
    committed = committed_audit()
    assert committed.as_expected
    assert not re.search(r"\bat 0x[0-9a-f]+", render(committed, ".json")), "an address, another in each process"
    assert committed.dpverify == installed_version()
    assert [claim.id for claim in committed.claims] == [claim.id for claim in catalogue() if claim.depth != "full"]
    for file, text in {RESULTS / "audit.json": render(committed, ".json"), **report_pages()}.items():
        assert file.read_text(encoding="utf-8") == text, f"run `make report-pages` and commit {file.name}"


@pytest.mark.deep
def test_audits_do_not_depend_on_the_number_of_processes() -> None:
    chosen = [claim for claim in CLAIMS if re.search(r"\.26\.privacy\.printed-(counts|add-remove)$", claim.id)]
    of_id = committed_privacy()
    for jobs in (1, 2):
        decided = audit(chosen, jobs=jobs).claims
        assert list(map(but_for_measures, decided)) == [but_for_measures(of_id[claim.id]) for claim in chosen]


def test_the_committed_audit_reads_back() -> None:
    committed = committed_audit()
    assert {claim.id: claim.verdict for claim in committed.claims} == {
        claim.id: claim.verdict_expected for claim in catalogue() if claim.depth != "full"
    }
    mechanisms = {name_of(claim.mechanism) for claim in CLAIMS}
    assert {claim.mechanism for claim in committed_privacy().values()} <= mechanisms
