"""What is shipped: the wheel, installed beside a user's repository, does what the clone does."""

import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from _pytest.config import _iter_rewritable_modules
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dpverify.verifiers.auditing.extras import EXTRAS

ROOT = Path(__file__).parents[1]

CLAIMS = """
from dpverify import exponential
from dpverify.verifiers import Claim, Multisets, replace_one

def most_common(draw, rows, *, epsilon):
    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))

most_common_is_private = Claim(id="mylib.most_common", mechanism=most_common, domain=Multisets(range(3), size=6),
                               neighbours=replace_one, epsilon=1, delta=0, source="docs, section 2")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    tracked = {
        path.relative_to(ROOT).as_posix()
        for package in ("mechanisms", "verifiers", "reports")
        for path in (ROOT / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and not path.is_relative_to(ROOT / "reports" / "results")  # what was committed of this repository's own audit
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"dpverify-{version('dpverify')}.dist-info"
    held = {name for name in names if not name.startswith(info)}
    own = {path.name for path in (ROOT / ".src" / "dpverify").iterdir() if path.is_file()}
    assert own == {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
    assert held == {f"dpverify/{name}" for name in (*tracked, *own)}
    for needed in (
        "mechanisms/py.typed",
        "mechanisms/__init__.pyi",
        "reports/templates/audit.html",
        "reports/audit.schema.json",
    ):
        assert f"dpverify/{needed}" in names
    entry_points = zipfile.ZipFile(wheel).read(f"{info}/entry_points.txt").decode()
    assert "dpverify = dpverify.verifiers.command_line:main" in entry_points
    assert "dpverify = dpverify.verifiers.pytest_plugin" in entry_points


def test_what_an_index_shows_is_the_readme_without_links_to_files(wheel: Path) -> None:
    metadata = zipfile.ZipFile(wheel).read(f"dpverify-{version('dpverify')}.dist-info/METADATA").decode()
    head, _, text = metadata.partition("\n\n")
    assert "\nDescription-Content-Type: text/markdown" in head
    assert "Project-URL" not in head and "Home-page" not in head  # there is no address yet
    assert [link for link in re.findall(r"\]\(([^)]*)\)", text) if not link.startswith("https://")] == []
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.split("](")[0].startswith(readme.split("[")[0])
    for file in re.findall(r"\]\((?!https://)([^)]+)\)", readme):
        assert f"`{file}`" in text


@pytest.mark.deep
def test_the_wheel_and_the_clone_are_run_by_their_names(wheel: Path, tmp_path: Path) -> None:
    """Where the command is not on the path; a module that is run and does nothing would end with 0."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "claims_mylib.py").write_text(CLAIMS.replace("epsilon=1, delta", "epsilon='0.9', delta"))

    def run(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = "import dpverify.verifiers as v, runpy, sys; print(v.__file__); sys.argv = sys.argv[1:]; "
        code += f"runpy.run_module({name!r}, run_name='__main__', alter_sys=True)"
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, "-c", code, "dpverify", *arguments]
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)

    for folder in (tmp_path, ROOT / ".src"):
        for name in ("dpverify", "dpverify.verifiers.command_line"):
            audited = run(folder, name, "audit", "claims_mylib.py", "--no-recheck", "--no-cache")
            where, _, said = audited.stdout.partition("\n")
            assert Path(where).is_relative_to(folder)
            assert audited.stderr == ""
            assert said.startswith("PROVED       mylib.most_common  ε = 9/10")
            assert audited.returncode == 0
    (repository / "claims_mylib.py").write_text(
        CLAIMS.replace("epsilon=1, delta", "epsilon=1, parameters={'epsilon': 2}, delta")
    )
    for name in ("dpverify", "dpverify.verifiers.command_line"):
        assert run(tmp_path, name, "audit", "claims_mylib.py", "--no-recheck", "--no-cache").returncode == 1
    marked = set(_iter_rewritable_modules(zipfile.ZipFile(wheel).namelist()))
    assert marked == {"dpverify"}  # of __main__ pytest would warn in every run; tests/test_public_names.py has the rest
    helped = subprocess.run(
        [sys.executable, "-m", "dpverify", "--help"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert helped.stdout.startswith("Usage: python -m dpverify [OPTIONS] COMMAND")
    assert f"dpverify {version('dpverify')}, commit unknown, Python 3." in run(tmp_path, "dpverify", "--version").stdout


@pytest.mark.deep
def test_a_repository_with_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    """`pip install dpverify`, a file of claims, and `pytest`: the whole of what a user does."""
    site, repository = tmp_path / "site", tmp_path / "repository"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--no-deps",
            "--no-index",
            "--target",
            str(site),
            str(wheel),
        ],
        check=True,
    )
    repository.mkdir()
    (repository / "claims_mylib.py").write_text(CLAIMS)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)

    where = run("-c", "import dpverify.verifiers as v; print(v.__file__)")
    assert where.stdout.startswith(str(site))
    tested = run("-m", "pytest", "-v", "-W", "error", "-p", "no:cacheprovider", "--dp-report", "audit.html")
    assert tested.returncode == 0, tested.stdout
    assert "claims_mylib.py::mylib.most_common PASSED" in tested.stdout
    assert "mylib.most_common" in (repository / "audit.html").read_text()
    audited = run("-c", "from dpverify.verifiers.command_line import main; main()", "audit", "claims_mylib.py")
    assert audited.returncode == 0, audited.stderr
    assert "1 claim: 1 PROVED; all as expected" in audited.stdout


@pytest.mark.deep
def test_the_sdist_builds_the_same_wheel_and_passes_tests(tmp_path: Path, wheel: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (sdist,) = tmp_path.glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(tmp_path)], check=True)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=unpacked,
        check=True,
        capture_output=True,
    )
    (rebuilt,) = tmp_path.glob("*.whl")
    assert sorted(zipfile.ZipFile(rebuilt).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())
    site = tmp_path / "site"
    zipfile.ZipFile(rebuilt).extractall(site)
    tests = ["tests/mechanisms/numbers/test_exact_numbers.py", "tests/test_public_names.py", "tests/test_readme.py"]
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", "not does_what_it_shows"],
        cwd=unpacked,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout
    assert re.search(r"\n[0-9]{2,} passed", tested.stdout)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-site.lock"])
def test_no_file_names_a_machine_or_a_registry(name: str) -> None:
    """The lock file pins by hash; where packages come from is the user's setting."""
    lock = (ROOT / name).read_text()
    assert "--hash=sha256:" in lock
    for word in ("http:", "https:", "file:", "index-url", "find-links", "/opt", "/root", "/tmp", "/home"):
        assert word not in lock


def _bare(name: str, found: dict[str, int]) -> None:
    """Note the bytes of a package, as it is installed, and of all that it requires without its extras."""
    key = canonicalize_name(name)
    if key in found:
        return
    of = distribution(name)
    files = [Path(str(of.locate_file(file))) for file in of.files or ()]
    found[key] = sum(file.stat().st_size for file in files if file.is_file())
    for requirement in map(Requirement, of.requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            _bare(requirement.name, found)


def test_a_bare_installation_is_light() -> None:
    found: dict[str, int] = {}
    _bare("dpverify", found)
    found["dpverify"] = sum(
        path.stat().st_size
        for package in ("mechanisms", "verifiers", "reports")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not path.is_relative_to(ROOT / "reports" / "results")
    )
    assert not {"z3-solver", "cvc5", "scipy", "hypothesis", "highspy"} & set(found)
    assert "numpy" in found
    assert sum(found.values()) < 140_000_000, found


def test_the_extras_are_those_that_a_missing_module_asks_for() -> None:
    optional = [one for one in map(Requirement, distribution("dpverify").requires or ()) if one.marker is not None]
    distributions = {"z3": "z3-solver"}
    for module, extra in EXTRAS.items():
        markers = [str(one.marker) for one in optional if one.name == distributions.get(module, module)]
        assert sorted(markers) == [f'extra == "{name}"' for name in sorted(["all", extra])]
    assert len(optional) == 2 * len(EXTRAS)
