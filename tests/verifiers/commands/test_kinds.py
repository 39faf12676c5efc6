"""One command line for claims of all kinds: selecting, deciding, reporting, explaining and comparing them."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.kinds import kinds
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.command_line import main

PRIVATE, USEFUL, STRUCTURE = (
    "BNS-J-2.25.privacy.scores",
    "BuNS-3.11.utility.gap",
    "BNS-J-3.11.structure.maximum-and-minimum",
)
THREE = (PRIVATE, USEFUL, STRUCTURE)
QUICK = "BNS-J-6.2.utility.one-point"

pytestmark = pytest.mark.usefixtures("decided_here")
"""A utility claim that is not fuzzed."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dpverify(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_one_audit_of_all_kinds_has_one_table_one_status_and_one_report(folder: Path) -> None:
    done = dpverify("audit", *THREE, "--json", "a.json", "--html", "a.html", "--markdown", "a.md")
    assert done.exit_code == 0, done.output
    assert [line.split()[:2] for line in done.stdout.splitlines() if line[:1].isupper()] == [
        ["PROVED", PRIVATE],
        ["FUZZED", USEFUL],
        ["PROVED", STRUCTURE],
    ]
    assert "3 claims: 2 PROVED, 1 FUZZED; all as expected" in done.stdout
    record = read_audit((folder / "a.json").read_text())
    assert [(claim.id, claim.kind, claim.scope.extent) for claim in record.claims] == [
        (PRIVATE, "privacy", "all"),
        (USEFUL, "utility", "finite"),
        (STRUCTURE, "structure", "all"),
    ]
    for report in ("a.html", "a.md"):
        text = (folder / report).read_text()
        for claim in record.claims:
            assert claim.statement.partition("|")[0].partition("'")[0].partition("<")[0] in text
            assert kinds()[claim.kind].found(claim) in text


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [("privacy", [PRIVATE]), ("utility,pac", [USEFUL]), ("structure, privacy", [PRIVATE, STRUCTURE])],
)
def test_kinds_are_chosen_in_files_and_in_the_catalogue(folder: Path, kind: str, chosen: list[str]) -> None:
    (folder / "claims_all.py").write_text(
        "from dpverify.verifiers.catalogue import catalogue\n"
        f"CLAIMS = [claim for claim in catalogue() if claim.id in {THREE!r}]\n"
    )
    listed = dpverify("list", "claims_all.py", "--kind", kind)
    assert listed.exit_code == 0
    assert sorted(line.split()[0] for line in listed.stdout.splitlines()) == sorted(chosen)
    of_catalogue = dpverify("list", "--catalogue", "--kind", kind).stdout.splitlines()
    assert {line.split()[1] for line in of_catalogue} == {part.strip() for part in kind.split(",")}
    assert len(of_catalogue) == len(selected([], kinds=[part.strip() for part in kind.split(",")]))


def test_the_catalogue_is_all_kinds() -> None:
    whole = {claim.id for claim in selected([])}
    by_kind = [{claim.id for claim in selected([], kinds=[kind])} for kind in kinds()]
    assert set().union(*by_kind) == whole
    assert sum(map(len, by_kind)) == len(whole)
    assert [kind for kind, ids in zip(kinds(), by_kind, strict=True) if not ids] == [
        "sampled"
    ]  # of libraries of others


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "--kind", "privat"), "privat is none of privacy, utility, calculation, pac, structure"),
        (
            ("audit", PRIVATE, "--kind", "structure"),
            f"{PRIVATE} stands for no claim of kind structure, but of kind privacy",
        ),
        (("utility", PRIVATE), f"{PRIVATE} stands for no claim of kind utility, pac, but of kind privacy"),
        (("lemmas", USEFUL), f"{USEFUL} stands for no claim of kind structure, but of kind utility"),
        (
            ("compare", "none.json", "none.json"),
            "cannot read none.json (No such file or directory): write the path of a file",
        ),
        (
            ("compare", "bad.json", "bad.json"),
            "bad.json: not an audit of dpverify (Input data was truncated): write one with ",
        ),
        (("compare", "bad.json"), "Missing argument 'NEW'"),
    ],
)
def test_bad_usage_is_one_line(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "bad.json").write_text("{")
    done = dpverify(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("claim_id", "said"),
    [
        (QUICK, ["source: ", "mechanism: ", "beta: ", "mutant: ", "largest failure/β"]),
        (STRUCTURE, ["source: ", "(assert", "Z3 unsat, cvc5 unsat"]),
    ],
)
def test_claims_of_other_kinds_are_explained(claim_id: str, said: list[str]) -> None:
    done = dpverify("explain", claim_id)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{claim_id}\n")
    for text in said:
        assert text in done.stdout


def test_shorthands_are_audits_of_their_kinds(folder: Path) -> None:
    assert dpverify("utility", QUICK, "--json", "u.json").exit_code == 0
    assert dpverify("audit", QUICK, "--kind", "utility", "--json", "a.json").exit_code == 0
    one, other = (read_audit((folder / name).read_bytes()) for name in ("u.json", "a.json"))
    assert msgspec.structs.replace(one, provenance=other.provenance) == other


def test_compare(folder: Path) -> None:
    assert dpverify("audit", PRIVATE, STRUCTURE, "--json", "a.json").exit_code == 0
    same = dpverify("compare", "a.json", "a.json")
    assert (same.exit_code, same.stdout) == (
        0,
        "claims: 2 the same, 0 changed, 0 only in the first, 0 only in the second\n\nGate passed: 2 unchanged\n",
    )
    data = json.loads((folder / "a.json").read_text())
    data["claims"][0]["verdict"] = "REFUTED"
    (folder / "b.json").write_text(json.dumps(data))
    other = dpverify("compare", "a.json", "b.json")
    assert other.exit_code == 1
    assert other.stdout.startswith(
        f"{PRIVATE}\n    verdict: PROVED → REFUTED\n\n"
        "claims: 1 the same, 1 changed, 0 only in the first, 0 only in the second\n\n"
        f"WORSE        {PRIVATE}  (mechanisms/"
    )
    assert other.stdout.endswith("    verdict: PROVED → REFUTED\nGate failed: 1 worse, 1 unchanged\n")
