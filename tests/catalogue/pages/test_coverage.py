"""The page of what is covered: every claim has a row, every row's aspects a claim or a reason, and what runs exists."""

import ast
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docs.pages.papers.coverage_rows import ASPECTS, RUNS, Row
from docs.pages.papers.coverage_statements import SECTIONS
from docs.pages.papers.coverage_table import (
    ASPECT_OF,
    DOCS,
    aspect_of,
    best_of,
    claims_by_row,
    findings,
    pages,
    weakest_links,
)
from tests.examples import in_one

from dpverify.mechanisms.counting.sample_sizes import formulas
from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES
from dpverify.reports.kinds import kinds
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue import catalogue

CLAIMS = catalogue()
EXPORTING = tuple(name for name in (*FACES, *EXPORTING_PACKAGES) if name.startswith("dpverify.mechanisms"))
BY_ROW = claims_by_row(CLAIMS)
ROWS = {row.ids[0]: row for rows in SECTIONS.values() for row in rows}


def test_the_pages_follow_the_claims_and_the_rows() -> None:
    for file, text in pages(CLAIMS).items():
        assert file.read_text(encoding="utf-8") == text, "run python -m docs.pages.papers.coverage_table"


def test_every_claim_is_of_one_row() -> None:
    placed = [claim.id for claims in BY_ROW.values() for claim in claims]
    assert sorted(placed) == sorted(claim.id for claim in CLAIMS)


def test_every_id_is_of_one_row() -> None:
    ids = [name for rows in SECTIONS.values() for row in rows for name in row.ids]
    assert len(set(ids)) == len(ids)


@in_one("row", ROWS.values())
def test_what_is_claimed_of_a_row_has_a_claim_or_a_reason(row: Row) -> None:
    found = {aspect_of(claim) for claim in BY_ROW[row.ids]}
    assert set(row.claims) <= found | set(row.without)
    assert set(row.claims) | set(row.without) <= {*ASPECTS, RUNS}
    assert all(row.without.values())


@in_one("row", ROWS.values())
def test_what_runs_a_row_exists_and_is_shown(row: Row) -> None:
    assert row.runs or RUNS in row.without
    for name in row.runs:
        module, _, function = name.rpartition(":")
        assert callable(getattr(import_module(module), function) if module else named(function)), name
    for place in row.shown_in:
        file, _, heading = place.partition("#")
        text = (DOCS / file if file.endswith(".md") else DOCS / "examples" / file).read_text(encoding="utf-8")
        if heading:
            assert any(line.lstrip("#").strip() == heading for line in text.splitlines() if line.startswith("#")), place
        else:
            assert _modules_of(row) & _reached(DOCS / "examples" / file), f"{place} runs none of {row.runs}"


@cache
def named(function: str) -> Any:
    """A public function of the papers' algorithms: an exported one, or one of their modules, such as a sample size."""
    for package in map(import_module, EXPORTING):
        if function in package.__all__:
            return getattr(package, function)
    homes = [vars(module)[function] for module in modules_of_the_papers() if function in vars(module)]
    assert all(home is homes[0] for home in homes), function
    return homes[0]


def modules_of_the_papers() -> list[ModuleType]:
    formulas()  # loads them
    return [module for name, module in sys.modules.items() if name.startswith(EXPORTING[1:]) and name.count(".") == 3]


def _modules_of(row: Row) -> set[str]:
    return {named(name).__module__ for name in row.runs}


def _reached(script: Path) -> set[str]:
    """The modules of mechanisms that a script imports, and that those import."""
    found: set[str] = set()
    waiting = [script]
    while waiting:
        for name in _imports(waiting.pop()) - found:
            found.add(name)
            waiting.append(Path(str(import_module(name).__file__)))
    return found


@cache
def _imports(file: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in EXPORTING:
            members = [getattr(import_module(node.module), alias.name) for alias in node.names]
            names |= {getattr(member, "__module__", node.module) for member in members}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module)
    return frozenset(name for name in names if name.startswith("dpverify.mechanisms."))


def test_every_kind_of_claims_has_a_column() -> None:
    """A kind that no column names is of structure, as steps of proofs are."""
    assert set(ASPECT_OF) <= set(kinds())
    assert set(ASPECT_OF.values()) <= set(ASPECTS)


def test_the_best_of_a_family_is_no_refuted_claim_where_another_stands() -> None:
    for claims in BY_ROW.values():
        stand = [claim for claim in claims if claim.verdict_expected is not Status.REFUTED]
        assert not stand or best_of(claims) in stand


def test_a_row_without_claims_is_as_weak_as_can_be() -> None:
    row = next(iter(ROWS.values()))
    assert {link.name for link in weakest_links(row, [])} == {"no claim"}


def test_witnesses_are_those_of_the_findings() -> None:
    found = findings()
    assert found["BNS-J-2.26.privacy.printed-counts"].startswith("(0,) and (1,)")
    assert found["BNS-J-6.2.utility.e3"].startswith("6,542 rows")
