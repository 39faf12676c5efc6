"""Commands without names, and with folders: which files of claims they read, and what they say where something is wrong."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.examples import in_one
from tests.verifiers.commands.command_runs import dpverify

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.reasons import NO_SUCH_MODULE
from dpverify.verifiers.auditing.claim_folders import NoClaimFiles, claim_files
from dpverify.verifiers.catalogue import PAPERS, catalogue

ONE = """
from dpverify.verifiers import Claim, Tuples
from mylib import most_common
claim = Claim(id="{id}", mechanism=most_common, domain=Tuples(range(3), size=1), epsilon=1)
"""
DPVERIFY = '[tool.dpverify]\npaths = ["tests", "claims_top.py"]\n'
TESTPATHS = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


TREE = dict.fromkeys(
    (
        "claims_top.py",
        "notclaims_x.py",
        "claims_x.txt",
        "tests/claims_a.py",
        "tests/deep/claims_b.py",
        "lib/claims_c.py",
        ".hidden/claims_d.py",
        "env/pyvenv.cfg",
        "env/lib/claims_e.py",
        "node_modules/claims_f.py",
        "__pycache__/claims_g.py",
        "build/claims_h.py",
        "dist/claims_i.py",
    ),
    "",
)


@in_one(
    "settings, folder, found",
    [
        ("", ".", ["claims_top.py", "lib/claims_c.py", "tests/claims_a.py", "tests/deep/claims_b.py"]),
        ("[tool.pytest.ini_options]\n", "lib", ["lib/claims_c.py"]),
        (TESTPATHS, ".", ["tests/claims_a.py", "tests/deep/claims_b.py"]),
        (TESTPATHS.replace('["tests"]', '"tests lib"'), ".", ["tests/claims_a.py", "tests/deep/claims_b.py", "lib/claims_c.py"]),
        ('[tool.pytest]\ntestpaths = ["t*s"]\n', ".", ["tests/claims_a.py", "tests/deep/claims_b.py"]),
        (TESTPATHS.replace("tests\"", "gone\""), "lib", ["lib/claims_c.py"]),
        (DPVERIFY, ".", ["tests/claims_a.py", "tests/deep/claims_b.py", "claims_top.py"]),
        (DPVERIFY + TESTPATHS.replace("tests\"", "lib\""), ".", ["tests/claims_a.py", "tests/deep/claims_b.py", "claims_top.py"]),
        # a folder within a path, and one beside the paths
        (DPVERIFY, "tests/deep", ["tests/deep/claims_b.py"]),
        (DPVERIFY, "lib", ["lib/claims_c.py"]),
        # what is named is searched, whatever its name
        ("", "build", ["build/claims_h.py"]),
        ("", "env/lib", ["env/lib/claims_e.py"]),
    ],
)  # fmt: skip
def test_which_files_of_a_folder_hold_claims(tmp_path: Path, settings: str, folder: str, found: list[str]) -> None:
    (tmp_path / "claims_mine.py").unlink(missing_ok=True)
    write(tmp_path, TREE | {"pyproject.toml": settings})
    assert list(map(str, claim_files(Path(folder)))) == found
    assert list(map(str, claim_files(tmp_path / folder))) == found


@in_one(
    "settings, said",
    [
        ("[tool.dpverify]\npaths = 3\n", "pyproject.toml: [tool.dpverify] paths is not a list of texts"),
        ('[tool.dpverify]\npaths = "tests"\n', "paths is not a list of texts"),
        ('[tool.dpverify]\npath = ["tests"]\n', "[tool.dpverify]: the setting 'path' does not exist (did you mean paths?)"),
        ('[tool.dpverify]\npaths = ["tets"]\n', "[tool.dpverify] paths: 'tets' does not exist"),
        ("[tool", "cannot read pyproject.toml ("),
    ],
)  # fmt: skip
def test_bad_settings_are_one_line(tmp_path: Path, settings: str, said: str) -> None:
    write(tmp_path, {"pyproject.toml": settings})
    with pytest.raises(InputError) as error:
        claim_files(Path())
    assert said in str(error.value)
    done = dpverify("list")
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_tests_without_claims_leave_the_folder(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": TESTPATHS, "tests/test_x.py": ""})
    assert claim_files(Path()) == [Path("claims_mine.py")]
    write(tmp_path, {"pyproject.toml": '[tool.dpverify]\npaths = ["tests"]\n'})  # which is meant
    with pytest.raises(NoClaimFiles, match=r"no claims_\*\.py in '.*tests' or below"):
        claim_files(Path())


@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("names", [(), (".",), ("sub",)], ids=str)
def test_audit_and_list_take_a_folder(folder: Path, names: tuple[str, ...]) -> None:
    write(folder, {"sub/claims_more.py": ONE.format(id="more.one"), "pyproject.toml": ""})
    listed = dpverify("list", *names)
    mine = ["claims_mine.py", "  mine.one", "  mine.two", "  mine.late"] if names != ("sub",) else []
    lines = [line.partition("  privacy")[0].rstrip() for line in listed.stdout.splitlines()]
    assert lines == [*mine, "sub/claims_more.py", "  more.one"]
    audited = dpverify("audit", *names, "--no-recheck", "--no-cache", "--jobs", "1")
    assert audited.exit_code == 0
    assert audited.stdout.endswith(
        "3 claims: 2 PROVED, 1 REFUTED; all as expected\n" if mine else "1 PROVED; all as expected\n"
    )


@pytest.mark.usefixtures("decided_here")
def test_ids_are_looked_for_below_the_folder(folder: Path) -> None:
    write(folder, {"sub/claims_more.py": ONE.format(id="more.one"), "claims_broken.py": "1 / 0"})
    assert dpverify("list", "more.one").stdout.startswith("sub/claims_more.py\n  more.one  privacy  PROVED")
    both = dpverify("list", "*.one", "BNS-J-2.26.structure.gap").stdout
    assert [line.split()[0] for line in both.splitlines()] == [
        "claims_mine.py", "mine.one", "sub/claims_more.py", "more.one", "BNS-J-2.26.structure.gap",
    ]  # fmt: skip
    # an id of the papers runs no file of the folder
    assert dpverify("list", "BNS-J-2.26.structure.gap").exit_code == 0
    assert "claims_mine" not in sys.modules
    missing = dpverify("audit", "more.tow")
    assert missing.exit_code == 2 and missing.stdout == ""
    assert missing.stderr.startswith(
        "Error: claims_mine.py, sub/claims_more.py, claims_broken.py and the catalogue have no claim"
    )
    assert "[no-such-claim]; claims_broken.py, line 1: it raised ZeroDivi" in missing.stderr
    explained = dpverify("explain", "more.one", "--no-recheck")
    assert explained.exit_code == 0 and explained.stdout.startswith("more.one\n")


def test_every_id_of_the_catalogue_is_known_by_its_beginning() -> None:
    assert {claim.id for claim in catalogue() if not claim.id.startswith(PAPERS)} == set()
    assert all(any(claim.id.startswith(paper) for claim in catalogue()) for paper in PAPERS)


@pytest.mark.parametrize("command", ["audit", "list", "explain", "mutate", "utility", "lemmas"])
def test_a_folder_without_claims_says_how_to_begin(folder: Path, command: str) -> None:
    (folder / "claims_mine.py").unlink()
    done = dpverify(command)
    assert (done.exit_code, done.stdout) == (2, "")
    first, new, papers = done.stderr.splitlines()
    assert first == f"Error: there is no claims_*.py in '{folder.resolve()}' or below"
    assert new.split()[:3] == ["dpverify", "new", "NAME"]
    assert papers.split()[:3] == ["dpverify", "audit", "--catalogue"]


@in_one(
    "wrong, said",
    [
        ("from dpverfy import Claim", "there is no module dpverfy (did you mean dpverify?): "),
        ("import myne", "there is no module myne (did you mean mine?): "),
        ("import dpverify.nowhere", "there is no module dpverify.nowhere: "),
        ("import dpverify.verifier", "there is no module dpverify.verifier (did you mean dpverify.verifiers?): "),
        ("from dpverify.verifier import Tuples", "no module dpverify.verifier (did you mean dpverify.verifiers?): "),
        ("from mine import most_comon", "mine has no most_comon (did you mean most_common?): write most_common or x ["),
        (
            "Claim(epsilom=1)",
            "Claim has no parameter epsilom (did you mean epsilon?): it takes id, mechanism, domain, ",
        ),
        ("Claim(id='mine.a', mechanizm=len)", "Claim has no parameter mechanizm (did you mean mechanism?): it takes "),
        ("Claim(id='mine.a')", "Claim needs mechanism, domain, epsilon: write Claim(…, mechanism=…, domain=…, "),
        (
            "import dpverify as d; d.Claim(id='a', delt=0)",
            "Claim has no parameter delt (did you mean delta?): it takes ",
        ),
        ("Lemma(goal=[])", "Lemma has no parameter goal (did you mean goals?): it takes id, "),
        ("Claim(colour=1)", "Claim has no parameter colour: it takes id, "),
    ],
)
def test_a_name_that_is_none_of_a_module_or_a_field_says_which_is_meant(
    wrong: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import math\n\n\ndef most_common():\n    pass\n\n\nx = 1\n")
    (tmp_path / "claims_it.py").write_text(f"from dpverify import Claim, Lemma\n{wrong}\n")
    done = dpverify("list", "claims_it.py")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: claims_it.py, line 2: ") and said in done.stderr
    assert len(done.stderr.splitlines()) == 1 and done.stderr.endswith("]\n")


@pytest.mark.usefixtures("decided_here")
def test_a_file_that_fails_does_not_stop_the_others(folder: Path) -> None:
    (folder / "claims_broken.py").write_text("\nimport nowhere\n")
    where, why = "claims_broken.py", f"line 2: {NO_SUCH_MODULE.text(name='nowhere', near='')}"
    said = f"{where}, {why}"
    audited = dpverify("audit", "--no-recheck", "--no-cache", "--jobs", "1")
    assert audited.exit_code == 2
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row" in audited.stdout
    assert audited.stderr.startswith(f"Error: 1 of 3 not decided: {where}: {why}")
    listed = dpverify("list")
    assert (listed.exit_code, len(listed.stdout.splitlines())) == (2, 4)
    assert listed.stderr.startswith(f"Error: {said}")
    # with that file alone there is nothing else to say
    (folder / "claims_mine.py").unlink()
    for command in ("audit", "list", "explain", "mutate"):
        alone = dpverify(command)
        assert (alone.exit_code, alone.stdout) == (2, "") and alone.stderr.startswith(f"Error: {said}")


def test_a_file_that_fails_does_not_stop_mutants_of_the_others(folder: Path) -> None:
    (folder / "claims_broken.py").write_text("1 / 0")
    mutated = dpverify("mutate", "--limit", "1")
    assert mutated.exit_code == 2
    assert mutated.stdout.startswith("mine.one")
    assert "Error: claims_broken.py, line 1: it raised ZeroDivisionError: division by zero" in mutated.stderr


@pytest.mark.usefixtures("decided_here")
def test_two_folders_may_each_have_a_module_of_one_name(folder: Path) -> None:
    """A process has one of that name: what is PROVED would be proved of the other folder's mechanism."""
    noise = "from dpverify.mechanisms import laplace\ndef mylib_total(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace({}))\n"
    claims = "from dpverify.verifiers import Claim, Tuples\nfrom mylib_it import mylib_total\nx = Claim(id='{}', mechanism=mylib_total, domain=Tuples((0, 1), size=1), epsilon=1)\n"
    (folder / "claims_mine.py").unlink()
    right, wrong = noise.format("1 / epsilon"), noise.format("1 / (2 * epsilon)")
    write(
        folder,
        {
            "a/mylib_it.py": "from mylib_in import mylib_total",
            "a/mylib_in.py": right,
            "a/claims_a.py": claims.format("a"),
        },
    )
    # by way of a module of its own name the second file would have the first one's
    write(
        folder,
        {
            "b/mylib_it.py": "from mylib_in import mylib_total",
            "b/mylib_in.py": wrong,
            "b/claims_b.py": claims.format("b"),
        },
    )
    options = ("--no-cache", "--no-recheck", "--jobs", "1")
    both = dpverify("audit", *options)
    assert both.exit_code == 2
    assert "1 claim: 1 PROVED; all as expected; not decided: 1 row" in both.stdout
    assert (
        "b/claims_b.py imports mylib_it, and a/mylib_it.py is loaded by that name: decide it by itself" in both.stderr
    )
    sys.path[:] = [each for each in sys.path if each != str(folder / "a")]
    assert dpverify("audit", "b", *options).exit_code == 1
    # also where the module that the file itself imports is another one by name
    for name in ("a", "b"):
        (folder / name / "mylib_it.py").rename(folder / name / f"mylib_of_{name}.py")
        write(folder, {f"{name}/claims_{name}.py": claims.format(name).replace("mylib_it", f"mylib_of_{name}")})
    indirect = dpverify("audit", *options)
    assert indirect.exit_code == 2 and "imports mylib_in, and " in indirect.stderr


@pytest.mark.usefixtures("decided_here")
def test_two_claims_with_one_id_are_named_with_their_places(folder: Path) -> None:
    write(folder, {"sub/claims_more.py": ONE.format(id="mine.two")})
    for command in ("audit", "list", "mutate"):
        done = dpverify(command)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == (
            "Error: two claims have the id mine.two: claims_mine.py, line 4 and sub/claims_more.py, line 4: "
            "give one of them another id [two-claims-with-one-id]\n"
        )
    twice = (
        ONE.format(id="a")
        + "other = Claim(id='a', mechanism=most_common, domain=Tuples(range(3), size=1), epsilon=2)\n"
    )
    write(folder, {"sub/claims_more.py": twice})
    within = dpverify("audit", "--no-recheck", "--no-cache", "--jobs", "1")
    assert within.exit_code == 2  # and the other file is decided
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected; not decided: 1 row" in within.stdout
    assert "two claims have the id a: sub/claims_more.py, line 4 and sub/claims_more.py, line 5" in within.stderr
