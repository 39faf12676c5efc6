"""The page on the architecture, followed: what it says is enough to add a mechanism with its claims, and a kind of claims."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.examples import in_one

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = ("mechanisms", "reports", "verifiers")

A_KIND = {
    "verifiers/utility/range_claim.py": '''
"""The claim that all outcomes lie in a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.reports.kinds.range import RangeResult
from dpverify.reports.record import Scope, Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How


@dataclass(frozen=True, kw_only=True)
class RangeClaim(AnyClaim):
    mechanism: Mechanism
    databases: Sequence[Any]
    most: int

    kind: ClassVar[str] = "range"

    @property
    def claimed(self) -> str:
        return f"at most {self.most}"

    @property
    def mutants(self) -> tuple[Mechanism, ...]:
        return ()

    def decide(self, how: How = AS_USUAL) -> RangeResult:
        most = max(max(distribution(self.mechanism, x).probabilities) for x in self.databases)
        return RangeResult(
            id=self.id,
            source=self.source,
            statement=self.statement,
            mechanism=name_of(self.mechanism),
            expected=self.verdict_expected,
            verdict=Status.PROVED if most <= self.most else Status.REFUTED,
            reason="",
            scope=Scope("finite", "listed", "none", f"{len(self.databases)} databases"),
            claimed=self.most,
            most=most,
        )

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return Explanation(self.decide(how), [])
''',
    "reports/kinds/range.py": '''
"""Ranges of outcomes."""

from __future__ import annotations

from dpverify.reports.kind import Kind
from dpverify.reports.record import ClaimResult


class RangeResult(ClaimResult, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="range"):
    claimed: int
    most: int


KIND = Kind(
    name="range",
    rank=9,
    result=RangeResult,
    claimed=lambda result: f"at most {result.claimed}",
    found=lambda result: f"at most {result.most}",
    extent=lambda result: result.scope.text,
    prose=lambda result, detail: [],
    background=lambda result: [f"Scope: {result.scope.text}."],
)
''',
    "reports/templates/range.html": """
{% macro picture(claim) %}<span></span>{% endmacro %}
{% macro body(claim) %}<p>The largest outcome is {{ claim.most }}.</p>{% endmacro %}
""",
}

CLAIMS = """
from dpverify.mechanisms import Distribution
from dpverify.verifiers.utility.range_claim import RangeClaim

def shifted(draw, x):
    return draw(Distribution({x: 1, x + 1: 1}))

good = RangeClaim(id="good", mechanism=shifted, databases=(1, 2), most=3)
bad = RangeClaim(id="bad", mechanism=shifted, databases=(1, 2), most=2)
"""


def left_out(folder: str, names: list[str]) -> set[str]:
    found = shutil.ignore_patterns("*-pytest-*", "results")(folder, names)
    if Path(folder).parent.name == "catalogue" and Path(folder).name != "selection":
        found |= {name for name in names if name != "__init__.py"}
    return found


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages, as they are installed, with what has been compiled of them: one for all recipes.

    Of the catalogue the claims of one topic are enough to be found among. Each recipe adds files and lines of its own.
    """
    folder = tmp_path_factory.mktemp("copied")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / "dpverify" / name, ignore=left_out)
    shutil.copy(ROOT / ".src" / "dpverify" / "__init__.py", folder / "dpverify")
    return folder


@pytest.fixture(scope="module")
def example(copied: Path) -> Mapping[str, str]:
    """The files of the page's example, which are added to the copy."""
    files = dict(re.findall(r"^```python\n# (\S+/\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
    assert len(files) == 5
    assert sum((copied / "dpverify" / name).exists() for name in files) == 1  # the stub
    add(copied, files)
    return files


def add(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / "dpverify" / name
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + text, encoding="utf-8")


def python(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    first = f"import sys; sys.path.insert(0, {str(folder)!r}); "
    return subprocess.run(
        [sys.executable, "-I", "-c", first + code, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


IN_TURN = """
import json
from click.testing import CliRunner
from dpverify.verifiers.command_line import main
done = [CliRunner().invoke(main, arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([(run.exit_code, run.stdout) for run in done]))
"""


def run_in_turn(folder: Path, *commands: Sequence[str]) -> list[tuple[int, str]]:
    """The status of each command, and what it prints: in one process, which loads everything once."""
    done = python(folder, IN_TURN, json.dumps(commands))
    assert done.returncode == 0, done.stderr
    return [(status, said) for status, said in json.loads(done.stdout)]


@pytest.mark.deep
@pytest.mark.usefixtures("example")
def test_a_mechanism_with_its_claims_is_what_the_page_says(copied: Path) -> None:
    public = "from dpverify.mechanisms.selection import randomized_response as f; print(f.__module__); "
    audit = "from dpverify.verifiers.command_line import main; main()"
    done = python(copied, public + audit, "audit", "Toy-1*", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    module, *said = done.stdout.splitlines()
    assert module == "dpverify.mechanisms.selection.randomized_response"
    shown = re.search(r"^```\n(PROVED.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown is not None
    for line, told in zip(shown[1].splitlines(), said, strict=True):
        assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), told), told


@pytest.mark.deep
def test_the_example_of_the_page_passes_mypy(copied: Path, example: Mapping[str, str]) -> None:
    """Without the packages that are installed, of which the one to check would be a part."""
    checked = [f"dpverify/{name}" for name in example if name.endswith(".py")]
    options = ("--strict", "--no-site-packages", "--ignore-missing-imports", "--follow-imports=silent")
    command = [sys.executable, "-m", "mypy", *options, "--explicit-package-bases", *checked]
    environment = {**os.environ, "MYPYPATH": str(copied)}
    done = subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"in {len(checked)} source files" in done.stdout


def test_a_further_kind_needs_its_class_a_module_and_a_page(copied: Path) -> None:
    assert not any((copied / "dpverify" / name).exists() for name in A_KIND)
    add(copied, A_KIND)
    (copied / "claims_mine.py").write_text(CLAIMS, encoding="utf-8")
    reports = [f"--{name}={copied / name}" for name in ("json", "html", "markdown")]
    audited, same, listed, explained = run_in_turn(
        copied,
        ("audit", "claims_mine.py", "--kind", "range", *reports),
        ("compare", "json", "json"),
        ("list", "claims_mine.py"),
        ("explain", "claims_mine.py::good"),
    )
    assert audited[0] == 1, audited
    assert "2 claims: 1 PROVED, 1 REFUTED; 1 not as expected" in audited[1]
    assert "The largest outcome is 3." in (copied / "html").read_text(encoding="utf-8")
    assert "| `bad` | **REFUTED** (expected PROVED) | at most 2 | at most 3 |" in (copied / "markdown").read_text(
        "utf-8"
    )
    assert same == (
        0,
        "claims: 2 the same, 0 changed, 0 only in the first, 0 only in the second\n\n"
        "KNOWN        bad  (claims_mine.py:5 shifted)  not as expected, and known: expected PROVED; known violation\n"
        "Gate passed: 1 unchanged, 1 known violation\n",
    )
    assert listed[1].splitlines()[1].split() == ["good", "range", "PROVED", "at", "most", "3"]
    assert "found at most 3" in explained[1]


A_RELATION = """
from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any

from dpverify.verifiers.problems.questions.moves import Shifts, has_moves


def steps_of_two(solutions: int) -> Iterator[tuple[int, ...]]:
    return (step for step in product((-1, 0, 1), repeat=solutions) if 1 <= sum(map(abs, step)) <= 2)


@has_moves(Shifts(steps_of_two, lambda solutions: 2 * solutions**2))
def two_scores(scores: Hashable, domain: Any) -> Iterator[Hashable]:
    assert isinstance(scores, tuple)
    for step in steps_of_two(len(scores)):
        yield tuple(score + change for score, change in zip(scores, step, strict=True))
"""

BEST = """
from dpverify.mechanisms import laplace
from dpverify.verifiers import Claim, ScoreSpace
from dpverify.verifiers.problems.neighbours import two_scores

def best(draw, scores, *, epsilon):
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))

def halved(draw, scores, *, epsilon):
    return best(draw, scores, epsilon=2 * epsilon)

SPACE = ScoreSpace(range(3), solutions=2)
claim = Claim(id="best", mechanism=best, domain=SPACE, neighbours=two_scores, epsilon="1/2", mutant=halved)
"""


def put(path: Path, before: str, line: str) -> None:
    """Write a line before a text that a file holds once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, line + before), encoding="utf-8")


@pytest.mark.deep
def test_a_relation_is_a_file_and_its_line(copied: Path) -> None:
    """From the command line, on a finite domain and on one without end; and a claim of it, with its mutant."""
    pairs = copied / "dpverify" / "verifiers" / "problems" / "neighbours"
    add(copied, {"verifiers/problems/neighbours/two_scores.py": A_RELATION})
    put(pairs / "neighbours.py", "from dpverify.verifiers.problems.questions.domains import (", f"{TWO_SCORES}\n")
    put(pairs / "neighbours.py", "        bounded_growth,\n    )\n}", "        two_scores,\n")
    add(copied, {"verifiers/problems/neighbours/__init__.pyi": "from .two_scores import two_scores as two_scores\n"})
    (copied / "claims_best.py").write_text(BEST, encoding="utf-8")

    def check(domain: str, epsilon: str) -> tuple[str, ...]:
        asked = ("--domain", domain, "--neighbours", "two_scores", "--epsilon", epsilon, "--param", "epsilon=1")
        return ("check", "claims_best.py:best", *asked)

    questions = [(domain, epsilon) for domain in DOMAINS for epsilon in ("1", "1/2")]
    commands = [check(domain, epsilon) for domain, epsilon in questions]
    *checked, audited = run_in_turn(copied, *commands, ("audit", "claims_best.py", "--jobs", "1", "--no-cache"))
    for (domain, epsilon), (status, said) in zip(questions, checked, strict=True):
        holds = epsilon == "1"
        assert said.split()[0] == ("PROVED" if holds else "REFUTED"), said
        assert status == (0 if holds else 1)
        assert "(two_scores)" in said
        assert ("ALL score vectors" in said) is domain.startswith("Scores("), said
    assert audited[0] == 0, audited


TWO_SCORES = "from dpverify.verifiers.problems.neighbours.two_scores import two_scores"

DOMAINS = ("Scores(solutions=2)", "ScoreSpace(range(7), solutions=2)")

NOISE = """
from dpverify.mechanisms.noise import skewed
from dpverify.verifiers import Claim, Tuples, replace_one

def released(draw, rows, *, epsilon):
    return rows.count(1) + draw(skewed(2 / epsilon))

def compared(draw, rows, *, epsilon):
    return rows.count(1) + draw(skewed(2 / epsilon)) >= 1

def halved(draw, rows, *, epsilon):
    return released(draw, rows, epsilon=2 * epsilon)

BITS = Tuples((0, 1), size=2)
a = Claim(id="a", mechanism=released, domain=BITS, neighbours=replace_one, epsilon=1, mutant=halved)
b = Claim(id="b", mechanism=compared, domain=BITS, neighbours=replace_one, epsilon=1)
"""


@pytest.mark.deep
def test_a_noise_is_a_file_and_a_line(copied: Path) -> None:
    """Released, compared, with a mutant, and with noise multipliers."""
    skewed = (ROOT / "tests" / "mechanisms" / "noise" / "skewed.py").read_text(encoding="utf-8")
    line = "from .skewed import skewed as skewed\n"
    add(copied, {"mechanisms/noise/skewed.py": skewed, "mechanisms/noise/__init__.pyi": line})
    (copied / "claims_skewed.py").write_text(NOISE, encoding="utf-8")
    audit = ("audit", "claims_skewed.py", "--jobs", "1", "--no-cache", "--slack", "--json", "-", "--quiet")
    ((status, said),) = run_in_turn(copied, audit)
    assert status == 0, said
    results = {claim["id"]: claim for claim in json.loads(said)["claims"]}
    assert [results[id]["verdict"] for id in "ab"] == ["PROVED", "PROVED"]
    assert results["a"]["mutant"]["status"] == "REFUTED"
    assert results["a"]["headroom"] == "1"


A_FORMAT = """
from dpverify.reports.record import AuditRecord


def to_table(audit: AuditRecord) -> str:
    return "".join(f"{claim.id}\\t{claim.verdict.value}\\n" for claim in audit.claims)
"""


@pytest.mark.deep
def test_a_report_format_is_a_file_and_its_line(copied: Path) -> None:
    add(copied, {"reports/formats/table.py": A_FORMAT})
    line = '    Format("table", ".tsv", "a table, for a spreadsheet", "formats.table:to_table"),\n'
    put(copied / "dpverify" / "reports" / "formats" / "rendering.py", '    Format("sarif", ".sarif"', line)
    (copied / "claims_bit.py").write_text(A_BIT, encoding="utf-8")
    audited, helped = run_in_turn(
        copied, ("audit", "claims_bit.py", "--no-cache", "--table", "told.tsv"), ("audit", "--help")
    )
    assert audited[0] == 0, audited
    assert (copied / "told.tsv").read_text(encoding="utf-8") == "a\tPROVED\nb\tREFUTED\n"
    assert "a table, for a spreadsheet" in " ".join(helped[1].split())


A_BIT = """
from dpverify.mechanisms import Distribution, exp
from dpverify.reports.record import Status
from dpverify.verifiers import Claim

def told(draw, bit, *, epsilon):
    return draw(Distribution({bit: exp(epsilon), 1 - bit: 1}))

def twice(draw, bit, *, epsilon):
    return told(draw, bit, epsilon=2 * epsilon)

a = Claim(id="a", mechanism=told, domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=1, mutant=twice)
b = Claim(id="b", mechanism=twice, domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=1, expected=Status.REFUTED)
"""


def test_the_packages_of_the_picture_are_there_and_no_others() -> None:
    picture = PAGE.partition("```\n")[2].partition("```")[0]
    shown = set(re.findall(r"\b(\w+)/", picture)) - set(PACKAGES)
    folders = [path.parent for name in PACKAGES for path in (ROOT / name).rglob("*/__init__.py")]
    packages = {path.name for path in folders if ROOT / "verifiers" / "catalogue" not in path.parents}
    topics = {path.parent.name for path in (ROOT / "verifiers" / "catalogue").glob("*/__init__.py")}
    assert shown - {"results"} == packages
    assert topics <= packages


@in_one("path", sorted(set(re.findall(r"`((?:mechanisms|reports|verifiers|tests)/[\w/.]+\.\w+)`", PAGE))))
def test_files_that_the_page_names_are_there(path: str) -> None:
    assert (ROOT / path).is_file()


# --- Ideas are carried whole
MOST_ARGUMENTS = 6

TAKES_MORE = {
    "mechanisms/learners": "an algorithm of a paper takes what its figure takes",
    "mechanisms/recursion": "an algorithm of a paper takes what its figure takes",
    "mechanisms/release": "an algorithm of a paper takes what its figure takes",
    "mechanisms/sanitizers": "an algorithm of a paper takes what its figure takes",
    "mechanisms/selection": "an algorithm of a paper takes what its figure takes",
    "verifiers/catalogue": "a mutant takes what the algorithm takes that it breaks",
    "verifiers/privacy/checker.py:check_privacy": "public: everything that can be asked",
    "verifiers/privacy/calibration.py:calibrate": "public: what check_privacy takes, a parameter and its grid",
    "verifiers/profiles/neighbour_matrix.py:neighbour_matrix": "public: what check_privacy takes, sizes and relations",
    "verifiers/pytest_plugin.py:assert_private": "public: what check_privacy takes",
    "verifiers/steps/rows.py:says": "a row: an argument is a field",
    "verifiers/structure/rows.py:says": "a row: an argument is a field",
    "verifiers/utility/pac.py:audit_pac": "public: a learner, a population, and how sure one wants to be",
    "verifiers/optimal/best.py:best_mechanism": "public: everything that the optimum depends on",
    "verifiers/optimal/comparing.py:distance_from_optimal": "public: what best_mechanism takes, and a mechanism",
    "verifiers/auditing/auditing.py:audit": "public: everything that can be asked of an audit",
    "verifiers/commands/auditing.py:_audit": "a command: an argument is an option",
    "verifiers/commands/checking.py:check_command": "a command: an argument is an option",
    "verifiers/commands/mutating.py:mutate_command": "a command: an argument is an option",
}
"""Rooms and functions whose arguments are not counted, each with its reason."""


def definitions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node but for expressions, as definitions are none: to look at those takes most of the time."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from definitions(child)


def may_take_many(source: str) -> bool:
    """False only where no list of arguments has commas enough: to parse all modules takes long."""
    lists = re.findall(r"\bdef \w+\(((?:[^()]|\([^()]*\))*)\)", source)
    return len(lists) < source.count("def ") or any(text.count(",") >= MOST_ARGUMENTS for text in lists)


def functions_with_many(root: Path) -> Iterator[str]:
    """FILE:FUNCTION of those with more arguments than an idea that is carried whole needs."""
    for file in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for node in definitions(ast.parse(source)) if may_take_many(source) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = node.args
                named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
                count = sum(one is not None and one.arg not in ("self", "cls") for one in named)
                if count > MOST_ARGUMENTS:
                    yield f"{file.relative_to(root).as_posix()}:{node.name}"


def exception_of(function: str) -> str | None:
    return next((name for name in TAKES_MORE if function == name or function.startswith(f"{name}/")), None)


def test_no_function_below_the_public_face_takes_more_than_six_arguments() -> None:
    found = {function: exception_of(function) for function in functions_with_many(ROOT)}
    assert [function for function, because in found.items() if because is None] == []
    assert set(found.values()) == set(TAKES_MORE), "what takes no more is no exception"


def test_a_function_of_seven_arguments_is_seen(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    (tmp_path / "reports" / "a.py").write_text(
        "class A:\n"
        "    def six(self, a, b, /, c, *, d, e=1, f=2): ...\n"
        "    async def seven(self, a, b, *c, d, e, f, **g): ...\n",
        encoding="utf-8",
    )
    assert list(functions_with_many(tmp_path)) == ["reports/a.py:seven"]
    assert exception_of("reports/a.py:seven") is None
    assert exception_of("mechanisms/selection/a.py:seven") == "mechanisms/selection"
    assert exception_of("verifiers/auditing/auditing.py:audit_all") is None


AMBIENT = {
    "mechanisms/language/numpy_names.py:_DRAW": "functions of numpy and random in source have no argument for draw",
    "mechanisms/numbers/shown.py:_showing": "a repr that is asked for by a message goes through people's own classes",
    "mechanisms/drawing/failures.py:_debugging": "public: with debugging()",
    "mechanisms/functions/watching.py:_watcher": "who looks on finds nothing, as a tracer does not",
    "mechanisms/functions/watching.py:_known": "what who looks on is told",
}
"""Context variables, each with the reason why it is no argument."""


def ambient(root: Path) -> Iterator[str]:
    """FILE:NAME of the context variables."""
    for file in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "ContextVar" in text else ():
            if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Call):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                if ast.unparse(node.value.func).rpartition(".")[2] == "ContextVar":
                    yield f"{file.relative_to(root).as_posix()}:{ast.unparse(target)}"


def test_where_work_is_done_is_an_argument_and_nothing_that_is_in_the_air() -> None:
    assert set(ambient(ROOT)) == set(AMBIENT)


def test_a_context_variable_is_seen(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    (tmp_path / "verifiers" / "a.py").write_text("x = contextvars.ContextVar('x')\ny: Any = ContextVar('y')\nz = 3\n")
    assert list(ambient(tmp_path)) == ["verifiers/a.py:x", "verifiers/a.py:y"]
