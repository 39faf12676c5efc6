"""The plugin in a repository of its user's: built in a temporary folder, run as its user runs it."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import dpverify.verifiers.pytest_plugin
from dpverify.reports.audits.json_form import read_audit
from dpverify.reports.record import Status
from dpverify.verifiers.auditing import auditing
from dpverify.verifiers.problems.neighbours import neighbours
from dpverify.verifiers.structure import lemma

pytest_plugins = ["pytester"]

LOADED = (dpverify.verifiers.pytest_plugin, auditing, lemma, neighbours)
"""A run in this process forgets the modules that it has loaded, and numpy can be loaded once only."""

MYLIB = """
from dpverify.mechanisms import exponential

def most_common(draw, rows, *, epsilon):
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))

def without_half(draw, rows, *, epsilon):
    "Mutant: forgets the half."
    return most_common(draw, rows, epsilon=2 * epsilon)

def raises(draw, rows, *, epsilon):
    return 1 // 0

class Stop(BaseException):
    pass

def stops(draw, rows):
    raise Stop("now")

def forgets(draw, rows):
    draw(exponential({x: rows.count(0) * x for x in range(3)}, 1))
"""

CLAIMS = """
from dpverify.verifiers import Claim, Multisets, Status, replace_one
from mylib import most_common, without_half

most_common_is_private = Claim(id="mylib.most_common", mechanism=most_common, domain=Multisets(range(3), size=6),
                               neighbours=replace_one, epsilon=1, delta=0, source="docs, section 2", mutant=without_half)
known = Claim(id="mylib.known_violation", mechanism=without_half, domain=Multisets(range(3), size=2), epsilon=1,
              expected=Status.REFUTED)
"""

TESTS = """
import pytest
from dpverify.verifiers import Multisets, replace_one
from mylib import most_common, without_half

def test_private(assert_private):
    verdict = assert_private(most_common, Multisets(range(3), size=3), replace_one, epsilon=1)
    assert verdict.pairs.covered == 36

@pytest.mark.parametrize("size", [2, 3])
def test_not_private(assert_private, size):
    assert_private(most_common, Multisets(range(3), size=size), epsilon=1)
    assert_private(without_half, Multisets(range(3), size=size), epsilon=1)
"""


USEFUL = """
from dpverify.mechanisms.selection import exponential_mechanism
from dpverify.verifiers import Case, UtilityClaim
from dpverify.verifiers.catalogue import lemmas

def halved(draw, quality, *, epsilon):
    "Half the ε."
    return exponential_mechanism(draw, quality, epsilon=epsilon / 2)

def best(name, beta):
    return UtilityClaim(
        id=name, source="docs", statement="the best of two is chosen", mechanism=exponential_mechanism,
        cases=[Case((10, 0), {"epsilon": 1})], succeeds=lambda case, chosen: chosen == 0,
        beta=lambda case: beta, mutant=halved,
    )

holds, fails, refused = best("mine.holds", "1/100"), best("mine.fails", "1/1000"), best("mine.refused", "many")
lemma = lemmas()[0]
"""


def pytest_in(repository: pytest.Pytester, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run in this process, which starts sooner; its workers, if it has any, are processes of their own."""
    unused = ["benchmark", "cacheprovider", "hypothesispytest", "randomly", *([] if "-n" in arguments else ["xdist"])]
    options = [*(word for name in unused for word in ("-p", f"no:{name}")), *arguments]
    done = repository.runpytest_inprocess(*options)
    return subprocess.CompletedProcess(options, done.ret, done.stdout.str() + "\n", done.stderr.str())


@pytest.fixture
def repository(decided_here: None, with_workers: pytest.Pytester) -> pytest.Pytester:
    """Where laws are computed again in this process."""
    return with_workers


@pytest.fixture
def with_workers(pytester: pytest.Pytester) -> pytest.Pytester:
    """Where that is done by others, as workers do it, too."""
    (pytester.path / "mylib.py").write_text(MYLIB)
    (pytester.path / "claims_mylib.py").write_text(CLAIMS)
    return pytester


def test_claims_are_tests_under_their_ids(repository: pytest.Pytester) -> None:
    done = pytest_in(repository, "-v")
    assert done.returncode == 0, done.stdout
    assert "claims_mylib.py::mylib.most_common PASSED" in done.stdout
    assert "claims_mylib.py::mylib.known_violation PASSED" in done.stdout
    assert " claims =" in done.stdout
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected" in done.stdout
    selected = pytest_in(repository, "-v", "claims_mylib.py::mylib.most_common")
    assert "1 passed" in selected.stdout


def test_a_broken_mechanism_turns_the_build_red_with_its_witness(repository: pytest.Pytester) -> None:
    (repository.path / "mylib.py").write_text(
        MYLIB.replace("exponential(counts, epsilon)", "exponential(counts, 2 * epsilon)")
    )
    done = pytest_in(repository)
    assert done.returncode == 1
    assert "expected PROVED" in done.stdout
    assert "left   (0, 0, 0, 0, 0, 1)" in done.stdout
    assert "Pr[event | left]" in done.stdout
    assert "python -c 'from dpverify.mechanisms import distribution" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_mutant_that_survives_fails_the_claim(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(CLAIMS.replace("mutant=without_half", "mutant=most_common"))
    done = pytest_in(repository)
    assert done.returncode == 1
    assert "its mutant most_common is PROVED: on this domain the check cannot fail" in done.stdout


def test_the_fixture_passes_and_fails_with_the_witness(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").unlink()
    (repository.path / "test_mylib.py").write_text(TESTS)
    done = pytest_in(repository, "--dp-report", "audit.json")
    assert done.returncode == 1
    assert "1 passed" in done.stdout
    assert "2 failed" in done.stdout
    assert "left   (0, 1)" in done.stdout
    audit = read_audit((repository.path / "audit.json").read_text())
    assert {claim.id: claim.verdict for claim in audit.claims} == {
        "test_mylib.py::test_private": Status.PROVED,
        "test_mylib.py::test_not_private[2]": Status.PROVED,
        "test_mylib.py::test_not_private[2]#2": Status.REFUTED,
        "test_mylib.py::test_not_private[3]": Status.PROVED,
        "test_mylib.py::test_not_private[3]#2": Status.REFUTED,
    }
    assert all(source.text.startswith("def ") for source in audit.sources)
    assert [len(source.claims) for source in audit.sources] == [3, 2]


def test_results_are_properties_of_the_junit_report(repository: pytest.Pytester) -> None:
    pytest_in(repository, "--junitxml", "junit.xml")
    properties = ElementTree.parse(repository.path / "junit.xml").getroot().iter("property")
    values = [element.attrib["value"] for element in properties if element.attrib["name"] == "dpverify"]
    assert len(values) == 2
    assert '"verdict":"PROVED"' in values[0]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("import nowhere", "claims_mylib.py, line 1: there is no module nowhere: write"),
        ("x = 1", "claims_mylib.py holds no claims"),
        (
            "from dpverify.verifiers import Claim\nc = Claim(id='a b', mechanism=print, domain=[], epsilon=1)",
            "line 2: id='a b'",
        ),
        (
            "from dpverify.verifiers import Claim\nc = Claim(id='a', mechanism=print, domain=[], epsilon=0.1)",
            "a: epsilon=0.1 is a float",
        ),
        ("def f(:\n", "line 1: it raised SyntaxError"),
        (
            CLAIMS + "again = Claim(id='mylib.most_common', mechanism=most_common, domain=[], epsilon=1)",
            "two claims have the id mylib.most_common",
        ),
    ],
)
def test_bad_files_are_collection_errors_on_one_line(repository: pytest.Pytester, claims: str, message: str) -> None:
    (repository.path / "claims_mylib.py").write_text(claims)
    done = pytest_in(repository)
    assert done.returncode == 2
    assert message in done.stdout
    assert "Traceback" not in done.stdout


GONE = """
from dpverify.verifiers import SampledClaim, Tuples
from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines
gone = SampledClaim(id="shop.gone", sampler=JsonLines(("/nowhere/python",), seeded=True), epsilon=1,
                    domain=Tuples((0, 1), size=1))
"""


def test_a_claim_of_a_library_that_is_not_installed_is_skipped_with_its_reason(repository: pytest.Pytester) -> None:
    (repository.path / "claims_gone.py").write_text(GONE)
    done = pytest_in(repository, "-rs", "claims_gone.py", "--dp-report", "audit.json")
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout and "needs what is not installed: /nowhere/python" in done.stdout
    assert list(rows(repository.path / "audit.json")) == ["shop.gone"]


def test_a_file_of_claims_named_on_the_command_line_is_collected_once(repository: pytest.Pytester) -> None:
    (repository.path / "pytest.ini").write_text("[pytest]\npython_files = *.py")
    for arguments in ((), ("claims_mylib.py",)):
        done = pytest_in(repository, *arguments)
        assert "2 passed" in done.stdout, done.stdout
        assert "error" not in done.stdout


BAD = """
from mylib import raises, stops
bad = Claim(id='mylib.bad', mechanism=raises, domain=[0, 1], epsilon=1, neighbours=lambda x: [1 - x], source="§3")
late = Claim(id='mylib.late', mechanism=raises, domain=[0, 1], epsilon=1, depth="full")
stop = Claim(id='mylib.stop', mechanism=stops, domain=[0, 1], epsilon=1, neighbours=lambda x: [1 - x])
"""


def rows(path: Path) -> dict[str, str]:
    """The rows that are not decided: their ids and reasons."""
    return {row.id: row.reason for row in read_audit(path.read_text(encoding="utf-8")).not_decided}


@pytest.mark.deep
@pytest.mark.forks  # in both
@pytest.mark.parametrize("count", ["1", pytest.param("2", marks=pytest.mark.deep)])
def test_what_is_decided_and_what_is_not_is_in_the_report_with_and_without_workers(
    with_workers: pytest.Pytester, count: str
) -> None:
    """Claims of all kinds, tests with the fixture; bad input, any exception, what is left to another depth or deselected."""
    (with_workers.path / "claims_mylib.py").write_text(CLAIMS + BAD, encoding="utf-8")
    (with_workers.path / "claims_useful.py").write_text(USEFUL, encoding="utf-8")
    (with_workers.path / "test_mylib.py").write_text(TESTS)
    deselected = ("--deselect", "claims_mylib.py::mylib.known_violation")
    headline = "9 claims: 6 PROVED, 3 REFUTED; 3 not as expected; not decided: 5 rows; this report is partial"
    for name, workers in (("alone", ()), ("workers", ("-n", count))):
        wanted = (f"--dp-report={name}.{suffix}" for suffix in ("json", "html", "md"))
        done = pytest_in(with_workers, *workers, *deselected, *wanted)
        assert done.returncode == 1
        assert done.stdout.count(headline) == done.stdout.count("claims: ") == 1
        assert f"wrote {name}.json" in done.stdout
        assert "mine.fails" in done.stdout.partition(" claims =")[2]
        assert "NOT DECIDED  mylib.bad\n    raises on 0 raised ZeroDivisionError" in done.stdout
        found = rows(with_workers.path / f"{name}.json")
        assert found.keys() == {"mylib.bad", "mylib.late", "mylib.stop", "mylib.known_violation", "mine.refused"}
        assert found["mylib.known_violation"] == "deselected"
        assert found["mylib.late"] == "decided with --dp-depth full"
        assert found["mylib.stop"] == "stops on 0 raised Stop: now (mylib.py, line 19)"
    for suffix in ("json", "html", "md"):
        alone, by_workers = (
            (with_workers.path / f"{name}.{suffix}").read_text("utf-8") for name in ("alone", "workers")
        )
        assert alone == by_workers
        assert headline in alone or suffix == "json"
    assert alone.startswith("# dpverify audit")


def test_what_was_not_asked_for_is_not_decided(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(CLAIMS + BAD, encoding="utf-8")
    without = pytest_in(repository, "-k", "not bad and not stop").stdout
    assert "2 claims: 1 PROVED, 1 REFUTED; all as expected" in without, "nobody asked for a report"
    assert "not decided" not in without


def test_a_report_says_what_was_deselected(repository: pytest.Pytester) -> None:
    (repository.path / "test_mylib.py").write_text(TESTS)
    (repository.path / "audit.json").write_text("of another run")
    done = pytest_in(repository, "-k", "nothing", "--dp-report", "audit.json")
    assert done.returncode == 5
    assert "no claim was decided; not decided: 5 rows; this report is partial" in done.stdout
    assert set(rows(repository.path / "audit.json").values()) == {"deselected"}


def test_a_report_says_what_was_not_collected(repository: pytest.Pytester) -> None:
    (repository.path / "claims_broken.py").write_text("import nowhere")
    done = pytest_in(repository, "--dp-report", "audit.json")
    assert done.returncode == 2
    found = rows(repository.path / "audit.json")
    assert found["claims_broken.py"].startswith("not collected: claims_broken.py, line 1: there is no module ")
    assert found["mylib.most_common"] == "not run: the session ended before it"


def test_a_session_that_stops_early_leaves_rows(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(CLAIMS + BAD, encoding="utf-8")
    pytest_in(repository, "-x", "--dp-report", "audit.json")
    assert rows(repository.path / "audit.json")["mylib.stop"] == "not run: the session ended before it"
    assert len(read_audit((repository.path / "audit.json").read_text(encoding="utf-8")).claims) == 2


def test_neighbours_that_agree_are_red(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(
        "from dpverify.verifiers import Claim, Tuples\nfrom mylib import forgets\n"
        "a, b = (Claim(id=name, mechanism=forgets, domain=Tuples((0, 1), size=1), epsilon=1, neighbours_agree=agree)"
        " for name, agree in (('silent', False), ('said', True)))"
    )
    (repository.path / "test_mylib.py").write_text(
        "from dpverify.verifiers import Tuples\nfrom mylib import forgets\n"
        "def test_silent(assert_private):\n    assert_private(forgets, Tuples((0, 1), size=1), epsilon=1)\n"
        "def test_said(assert_private):\n"
        "    verdict = assert_private(forgets, Tuples((0, 1), size=1), epsilon=1, neighbours_agree=True)\n"
        "    assert verdict.neighbours_agree\n"
    )
    done = pytest_in(repository, "--dp-no-recheck", "--dp-report", "audit.json")
    assert "2 failed, 2 passed" in done.stdout
    assert "the claim does not say neighbours_agree=True" in done.stdout
    assert done.stdout.count("it returned None on every database") >= 2
    claims = read_audit((repository.path / "audit.json").read_text(encoding="utf-8")).claims
    assert all(claim.neighbours_agree and claim.scope.recomputation == "none" for claim in claims)
    assert [claim.as_expected for claim in claims] == [True, False, True, False]


def test_a_float_is_refused_with_its_message_alone(repository: pytest.Pytester) -> None:
    (repository.path / "test_mylib.py").write_text(
        "from dpverify.verifiers import Tuples\nfrom mylib import most_common\n"
        "def test_it(assert_private):\n    assert_private(most_common, Tuples((0, 1), size=1), epsilon=0.5)\n"
    )
    done = pytest_in(repository, "test_mylib.py")
    assert done.returncode == 1
    assert "epsilon=0.5 is a float, which is not exact" in done.stdout
    assert "__post_init__" not in done.stdout, "lines of the library"


def test_bad_mechanisms_fail_with_their_message_alone(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(
        "from dpverify.verifiers import Claim, Tuples\nfrom mylib import raises\n"
        "c = Claim(id='mylib.raises', mechanism=raises, domain=Tuples((0, 1), size=2), epsilon=1)"
    )
    done = pytest_in(repository)
    assert done.returncode == 1
    assert "mylib.raises: raises on (0, 0) raised ZeroDivisionError" in done.stdout
    assert "Traceback" not in done.stdout


def test_claims_that_take_long_wait_for_depth_full(repository: pytest.Pytester) -> None:
    (repository.path / "claims_mylib.py").write_text(CLAIMS.replace("epsilon=1, delta=0,", "epsilon=1, depth='full',"))
    assert "1 passed, 1 skipped" in pytest_in(repository).stdout
    assert "2 passed" in pytest_in(repository, "--dp-depth", "full").stdout


@pytest.mark.parametrize(
    ("report", "message"),
    [("audit.txt", "must end in .json, .md, .html, .sarif or .xml"), ("mylib.py/audit.json", "cannot write")],
)
def test_bad_reports_are_usage_errors(repository: pytest.Pytester, report: str, message: str) -> None:
    done = pytest_in(repository, "--dp-report", report)
    assert done.returncode == 4
    assert message in done.stdout + done.stderr


def test_importing_the_plugin_loads_nothing_heavy() -> None:
    script = (
        "import sys, dpverify.verifiers.pytest_plugin\n"
        "print([name for name in ('flint', 'numpy', 'jinja2', 'msgspec', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_utility_claims_and_lemmas_are_tests(pytester: pytest.Pytester) -> None:
    (pytester.path / "claims_useful.py").write_text(USEFUL, encoding="utf-8")
    done = pytest_in(pytester)
    assert "3 failed" not in done.stdout
    assert "2 failed, 2 passed" in done.stdout
    shown = done.stdout.partition(" claims =")[2]
    assert "PROVED       mine.holds" in shown
    assert "REFUTED      mine.fails" in shown
    # the failing one shows the input and its probability, the refused one its message, and neither a traceback
    assert "(10, 0) with epsilon=1" in done.stdout
    assert "fails with probability 0.0066928509242" in done.stdout
    assert "mine.refused, on (10, 0) with epsilon=1: beta" in done.stdout
    assert "Traceback" not in done.stdout
    assert "could not be decided" not in done.stdout
    assert "claims_useful.py" in done.stdout
    quiet = pytest_in(pytester, "-q").stdout.partition(" claims =")[2]
    assert "mine.fails" in quiet
    assert "mine.holds" not in quiet


def test_a_mistyped_id_or_option_says_what_is_near(repository: pytest.Pytester) -> None:
    done = pytest_in(repository, "claims_mylib.py::mylib.most_comon")
    assert done.returncode == 4
    assert "claims_mylib.py::mylib.most_comon: did you mean mylib.most_common?\n" in done.stderr
    done = pytest_in(repository, "claims_mylib.py", "--dp-dept", "full")
    assert done.returncode == 4
    assert done.stderr.strip() == "ERROR: there is no option --dp-dept: did you mean --dp-depth?"
    (repository.path / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--dp-dept')")
    assert pytest_in(repository, "claims_mylib.py", "--dp-dept", "full").returncode == 0  # it is somebody else's
    assert "unrecognized arguments: --dp-zzz" in pytest_in(repository, "claims_mylib.py", "--dp-zzz").stderr
    (repository.path / "conftest.py").unlink()
    assert set(dpverify.verifiers.pytest_plugin.OPTIONS) == {
        word for word in pytest_in(repository, "--help").stdout.replace("=", " ").split() if word.startswith("--dp-")
    }
