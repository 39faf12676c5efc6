"""Files of claims: what they may import, how their objects are named, and errors of any kind with their line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import InputError
from dpverify.verifiers import Claim
from dpverify.verifiers.auditing.claim_files import load_claims, load_file, load_object
from dpverify.verifiers.auditing.claim_folders import importable_folders

CLAIM = """
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim
from {module} import HALF

def coin(draw, rows):
    return draw(bernoulli(HALF))

coin_is_private = Claim(id="coin", mechanism=coin, domain=[(0,), (1,)], epsilon=1)
"""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """The modules and the path of this process as they were."""
    modules, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith("dpverify"):
            del sys.modules[name]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("pyproject.toml", ""),
        ("setup.cfg", ""),
        ("pytest.ini", ""),
        (".git", ""),
        ("pyproject.toml", "not = toml = at all"),
    ],
)
def test_the_projects_root_is_importable(tmp_path: Path, mark: str, text: str) -> None:
    written(tmp_path / "project" / mark, text)
    written(tmp_path / "project" / "lib_of_root.py", "HALF = '0.5'")
    file = written(tmp_path / "project" / "tests" / "deep" / "claims_x.py", CLAIM.format(module="lib_of_root"))
    (claim,) = load_claims(file)
    assert claim.id == "coin"
    assert importable_folders(file) == [file.parent, tmp_path / "project"]


@pytest.mark.parametrize("setting", ['["src", "more"]', '"src more"'])
def test_the_pythonpath_of_pytest_is_importable(tmp_path: Path, setting: str) -> None:
    written(tmp_path / "pyproject.toml", f"[tool.pytest.ini_options]\npythonpath = {setting}\n")
    written(tmp_path / "more" / "lib_of_more.py", "HALF = '0.5'")
    file = written(tmp_path / "tests" / "claims_x.py", CLAIM.format(module="lib_of_more"))
    assert importable_folders(file) == [tmp_path / "tests", tmp_path, tmp_path / "src", tmp_path / "more"]
    assert isinstance(load_claims(file)[0], Claim)


@pytest.mark.parametrize("setting", ["3", "[3]", "{a = 1}"])
def test_a_pythonpath_that_is_none_is_left_to_pytest(tmp_path: Path, setting: str) -> None:
    written(tmp_path / "pyproject.toml", f"[tool.pytest.ini_options]\npythonpath = {setting}\n")
    assert importable_folders(tmp_path / "claims_x.py") == [tmp_path]


def test_the_files_own_folder_comes_first(tmp_path: Path) -> None:
    written(tmp_path / "pyproject.toml", "")
    written(tmp_path / "lib_of_both.py", "HALF = 7")
    written(tmp_path / "tests" / "lib_of_both.py", "HALF = '0.5'")
    file = written(tmp_path / "tests" / "claims_x.py", "from lib_of_both import HALF\n")
    assert load_file(file).HALF == "0.5"


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("raise SystemExit(3)", "line 2: it raised SystemExit: 3"),
        ("raise GeneratorExit", "line 2: it raised GeneratorExit"),
        ("class Own(BaseException): pass\nraise Own('x')", "line 3: it raised Own: x"),
        ("1 / 0", "line 2: it raised ZeroDivisionError"),
        ("x = (", "line 2: it raised SyntaxError"),
        (
            "class E(Exception):\n def __str__(self): 1/0\nraise E",
            "line 4: it raised E: <its text raises ZeroDivisionError>",
        ),
        ("raise ValueError('x' * 10**6)", "line 2: it raised ValueError: xxx"),
    ],
)
def test_a_file_that_raises_anything_is_an_error_with_its_line(tmp_path: Path, raised: str, words: str) -> None:
    file = written(tmp_path / "claims_raises.py", f"import sys\n{raised}\n")
    for load in (lambda: load_claims(file), lambda: load_object(f"{file}:anything")):
        with pytest.raises(InputError, match=words) as refused:
            load()
        assert len(str(refused.value)) <= 2_000
    assert "claims_raises" not in sys.modules


def test_a_module_that_raises_anything_is_an_error_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "module_raises.py", "\n\nraise GeneratorExit('x')\n")
    with pytest.raises(InputError, match=r"module_raises: it raised GeneratorExit: x \(module_raises.py, line 3\)"):
        load_object("module_raises:f")


def test_an_interrupt_is_no_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_file(written(tmp_path / "interrupted.py", "raise KeyboardInterrupt"))


def test_objects_are_named_with_one_colon_or_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path / "lib_named.py", "class Some:\n    value = 3\n")
    for reference in ("lib_named:Some.value", "lib_named::Some.value", f"{file}:Some.value", f"{file}::Some.value"):
        assert load_object(reference) == 3


@pytest.mark.parametrize("reference", ["lib", ":f", "::f", "lib:", "lib::", "x" * 10**5])
def test_what_names_no_object_is_refused(reference: str) -> None:
    with pytest.raises(InputError, match=r"names no function: write MODULE:NAME or FILE\.py:NAME") as refused:
        load_object(reference)
    assert len(str(refused.value)) < 300


def test_a_loop_of_links_is_no_file(tmp_path: Path) -> None:
    loop: Any = tmp_path / "loop.py"
    loop.symlink_to(loop)
    for name in (loop, Path("a\0b.py")):
        with pytest.raises(InputError, match="is not a file"):
            load_file(name)


def test_a_file_cannot_end_the_process(tmp_path: Path) -> None:
    (tmp_path / "claims_ending.py").write_text("import os\nos._exit(0)\n")
    with pytest.raises(InputError, match=r"claims_ending.py, line 2: os\._exit\(0\) was called while it was imported"):
        load_file(tmp_path / "claims_ending.py")
    assert os._exit.__module__ == "posix"


def test_an_edit_of_the_same_size_and_second_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python itself would take the compiled file of before."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "half.py").write_text("HALF = '0.5'")
    file = tmp_path / "claims_edited.py"
    for bound in (1, 2):
        file.write_text(CLAIM.format(module="half").replace("epsilon=1", f"epsilon={bound}"))
        os.utime(file, (10**9, 10**9))
        (claim,) = load_claims(file)
        assert isinstance(claim, Claim)
        assert claim.epsilon == bound
        del sys.modules["claims_edited"]
