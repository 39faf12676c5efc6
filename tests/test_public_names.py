"""`import dpverify`: its public names, what it says of others, its version, and what pytest does with its modules."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import dpverify
from dpverify.mechanisms.exported import FACES, public_names
from dpverify.verifiers.command_line import main
from dpverify.verifiers.commands.version import commit, version_line


def test_each_public_name_is_one_of_dpverify() -> None:
    names = public_names()
    assert len(names) > 60 and len(set(names)) == len(names)
    assert {*names, "__version__", "__getattr__"} <= set(dir(dpverify))
    for face in FACES:
        module = sys.modules[face]
        assert getattr(dpverify, face.rpartition(".")[2]) is module
        assert [name for name in module.__all__ if getattr(dpverify, name) is not getattr(module, name)] == []


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("from dpverify import Laplace", "dpverify has no Laplace: did you mean laplace?"),
        ("from dpverify import Histogram", "dpverify has no Histogram: did you mean Histograms?"),
        ("from dpverify import Clam", "dpverify has no Clam: did you mean Claim?"),
        (
            "from dpverify import maximise_quasi_concave",
            "maximise_quasi_concave is in dpverify.mechanisms.recursion: "
            "write from dpverify.mechanisms.recursion import maximise_quasi_concave",
        ),
        (
            "from dpverify.mechanisms import chek_privacy",
            "dpverify.mechanisms has no chek_privacy: did you mean dpverify.verifiers.check_privacy?",
        ),
    ],
)
def test_a_name_that_is_elsewhere_is_an_error_of_one_line(written: str, told: str) -> None:
    with pytest.raises(ImportError) as error:
        exec(written)
    assert str(error.value) == told


def test_other_names_are_errors_of_python() -> None:
    of: Any = dpverify
    for name in ("xyzzy", "rec_concave", "_private", "__wrapped__"):
        assert not hasattr(of, name)
    with pytest.raises(AttributeError, match=r"no attribute 'Laplac': .*did you mean laplace\?"):
        _ = of.Laplac
    with pytest.raises(ImportError, match="cannot import name 'rec_concave' from 'dpverify'"):
        exec("from dpverify import rec_concave")  # like replace_one, and not what was meant


def test_its_import_loads_nothing_and_pytest_rewrites_nothing_of_it() -> None:
    """As pytest does with an installed package, in a process of its own."""
    code = """if True:
        import sys
        import dpverify
        print(sorted(name for name in sys.modules if name.startswith("dpverify")), len(sys.meta_path))

        from _pytest.config import get_config
        from _pytest.assertion import install_importhook
        install_importhook(get_config()).mark_rewrite("dpverify")  # warns of a module that is loaded and not rewritten
        del sys.modules["dpverify"]
        from dpverify.mechanisms.numbers import errors
        print(type(errors.__loader__).__name__, hasattr(errors, "@pytest_ar"))
    """
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("['dpverify'] ")
    assert second == "SourceFileLoader False"


def test_the_version_is_that_of_the_distribution() -> None:
    assert dpverify.__version__ == version("dpverify")
    done = CliRunner().invoke(main, ["--version"])
    assert done.exit_code == 0
    assert re.fullmatch(
        r"dpverify \d+\.\d+\.\d+, commit (?:[0-9a-f]{12}(?:-dirty)?|unknown), Python 3\.\d+\.\d+\S*\n", done.output
    )


def test_the_commit_is_that_of_a_checkout_and_of_no_repository_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        own = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path))
        return subprocess.run(["git", *own, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    inner = tmp_path / "site"
    inner.mkdir()
    (tmp_path / "file").write_text("1")
    assert commit(tmp_path) == "unknown"
    git("init", "--quiet")
    assert commit(tmp_path) == "unknown"  # no commit yet
    git("add", "file")
    git("commit", "--quiet", "--message", "one", "--no-verify")
    git("tag", "v1")
    head = git("rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "of a hook"))
    assert commit(tmp_path) == head[:12]
    assert commit(inner) == "unknown"
    assert version_line(inner).split(", ")[1] == "commit unknown"
    (tmp_path / "file").write_text("2")
    assert commit(tmp_path) == f"{head[:12]}-dirty"
    monkeypatch.setenv("PATH", str(inner))
    assert commit(tmp_path) == "unknown"  # there is no git
