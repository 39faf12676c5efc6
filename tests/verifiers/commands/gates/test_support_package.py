"""What a claim reaches in a package beside its file: edits that are another question, and edits that are the same."""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.verifiers.commands.gates.support_package import EVERY, FILES, HARMFUL, HARMLESS, Edit

from dpverify.reports.gates.baseline import BaselineLine
from dpverify.reports.gates.gate import Answered, AuditRequest, Gate, gate
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.auditing.digests.question import neighbour_pairs, question_of
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.commands.containing import shown_of
from dpverify.verifiers.commands.gating import from_baseline
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.questions.domains import listed_databases


@pytest.fixture(autouse=True)
def modules() -> Iterator[None]:
    """Each project has its own modules, and what they have replaced is put back."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    forget()
    vars(sys.modules["builtins"]).pop("total", None)


def forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("dplib", "checks", "claims")]:
        del sys.modules[name]


def lines(folder: Path, claims: Sequence[AnyClaim]) -> dict[str, BaselineLine]:
    """The lines of claims that are all PROVED: what they ask is looked at here, and not what is found."""
    results = {}
    for claim in claims:
        assert claim.reference is not None
        pairs = (
            list(neighbour_pairs(claim.question.domain, claim.question.neighbours)) if isinstance(claim, Claim) else []
        )
        results[claim.id] = BaselineLine(
            id=claim.id,
            kind=claim.kind,
            verdict="PROVED",
            expected="PROVED",
            file=from_baseline(Path(str(claim.reference.place)), folder),
            databases=len(listed_databases(claim.domain, 1_000)) if isinstance(claim, Claim) else 0,
            pairs=len(pairs),
            question=question_of(claim),
        )
    return results


def project(
    folder: Path, edit: Edit, files: dict[str, str] = FILES
) -> tuple[dict[str, BaselineLine], Sequence[AnyClaim]]:
    """The lines and claims of the project after an edit, in a folder of its own."""
    written = dict(files)
    for name, before, after in edit.changes:
        assert before in written.get(name, ""), (edit.name, name, before)
        written[name] = written.get(name, "").replace(before, after) if before else after
    old, new = edit.moved
    if old:
        written[new] = written.pop(old)
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    forget()
    sys.path.insert(0, str(folder))
    claims = load_claims(folder / next(name for name in written if name.endswith("claims.py")))
    return lines(folder, claims), claims


@cache
def accepted() -> dict[str, BaselineLine]:
    """The lines of the project as it is."""
    with TemporaryDirectory() as name:
        return project(Path(name).resolve(), Edit("none", []))[0]


def gated(folder: Path, edit: Edit) -> Gate:
    before = accepted()
    after, claims = project(folder, edit)
    return gate(before, {name: Answered(line, None) for name, line in after.items()}, {}, shown=shown_of(claims))


def check(edit: Edit, folder: Path) -> Gate:
    outcome = gated(folder, edit)
    said = {row.name: (row.mark, row.in_lines) for row in outcome.rows}
    assert said.keys() == edit.marks.keys(), said
    for name, expected in edit.marks.items():
        mark, _, part = expected.partition("|")
        assert said[name][0] == mark, said
        assert any(part in line for line in said[name][1]), said[name]
    assert outcome.same == len(accepted()) - len(edit.marks)
    return outcome


@pytest.mark.parametrize("edit", HARMFUL, ids=lambda edit: edit.name)
def test_what_is_harmful_is_another_question(edit: Edit, tmp_path: Path) -> None:
    assert edit.marks
    assert check(edit, tmp_path).failing


@pytest.mark.parametrize("edit", HARMLESS, ids=lambda edit: edit.name)
def test_what_is_harmless_passes(edit: Edit, tmp_path: Path) -> None:
    assert not check(edit, tmp_path).failing


@pytest.mark.parametrize("inside", [False, True])
def test_no_line_depends_on_where_the_repository_begins(inside: bool, tmp_path: Path) -> None:
    folder = tmp_path / "repository" / "sub"
    if inside:
        (folder.parent / ".git").mkdir(parents=True)
    outcome = gated(folder, Edit("none", []))
    assert (outcome.rows, outcome.same) == ((), len(EVERY))


def test_a_claim_that_is_gone_is_said_where_the_repository_has_its_file() -> None:
    lines = accepted()
    (row,) = gate({"lib.sum": lines["lib.sum"]}, {}, {}, AuditRequest(folder="sub")).rows
    assert (row.mark, row.claim_at and row.claim_at.file) == ("GONE", "sub/claims.py")
