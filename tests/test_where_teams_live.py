"""The hook of pre-commit, the action and the snippets of docs/ci.md: they are what their readers take, and they run.

Nothing here reaches a server: steps run in bash as runners start it, and a hook in a repository of its own.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.verifiers.commands.gates.five_mechanisms import CLAIMS, HALF_THE_NOISE, LIBRARY

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def snippets() -> dict[str, Any]:
    """The blocks of YAML in docs/ci.md, by the names of their files."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    found = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```\n", text, flags=re.DOTALL | re.MULTILINE)
    return {name: yaml.safe_load(block) for name, block in found}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "mylib.py").write_text(LIBRARY)
    (tmp_path / "claims_mylib.py").write_text(CLAIMS)
    (tmp_path / ".gitignore").write_text("__pycache__/\n")
    run(tmp_path, "git", "init", "--quiet")
    done = run(tmp_path, "dpverify", "audit", "claims_mylib.py", "--quiet", "--update-baseline")
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path


def broken(repository: Path) -> None:
    (repository / "mylib.py").write_text(LIBRARY.replace(*HALF_THE_NOISE))


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command where dpverify is installed, as somebody with a name commits; the caches are the folder's own."""
    given = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GIT_"))},
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
        "CI": "true",
        **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        **environment,
    }
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


def step(repository: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The action's step that audits, with its inputs, as the runner of GitHub starts it."""
    taken = action()["inputs"]
    assert inputs.keys() <= taken.keys()
    values = {name: inputs.get(name, one.get("default", "")) for name, one in taken.items()}
    audit = action()["runs"]["steps"][1]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], value)
        for name, value in audit["env"].items()
    }
    for name in ("output", "summary"):
        (repository.parent / name).touch()
    return run(
        repository,
        *("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", audit["run"]),
        GITHUB_ACTIONS="true",
        GITHUB_OUTPUT=str(repository.parent / "output"),
        GITHUB_STEP_SUMMARY=str(repository.parent / "summary"),
        **environment,
    )


def test_the_hooks_are_hooks() -> None:
    done = run(ROOT, "pre-commit", "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    known = {"dpverify": "system", "dpverify-lint": "system", "dpverify-isolated": "python"}
    assert {hook["id"]: hook["language"] for hook in hooks} == known
    (configured,) = snippets()[".pre-commit-config.yaml"]["repos"]
    assert {hook["id"] for hook in configured["hooks"]} <= known.keys()


def test_the_action_takes_what_the_snippet_gives() -> None:
    given = action()
    assert given["runs"]["using"] == "composite"
    for one in given["runs"]["steps"]:
        assert one["shell"] == "bash"
        assert "${{" not in one["run"]  # whatever an input holds it is no part of a script
        assert set(re.findall(r"inputs\.([\w-]+)", str(one))) <= given["inputs"].keys()
    steps = snippets()[".github/workflows/dpverify.yml"]["jobs"]["audit"]["steps"]
    (uses,) = [one for one in steps if one.get("id") == "dpverify"]
    assert uses["with"].keys() <= given["inputs"].keys()
    required = {name for name, one in given["inputs"].items() if one.get("required")}
    assert required <= uses["with"].keys()
    assert "sarif" in given["outputs"]


def test_what_others_wrote_is_used_by_the_hash_of_a_commit() -> None:
    """A tag may be moved; what is after the hash says which version it is."""
    steps = snippets()[".github/workflows/dpverify.yml"]["jobs"]["audit"]["steps"]
    used = [one["uses"] for one in [*steps, *action()["runs"]["steps"]] if "uses" in one]
    assert [name.partition("@")[0] for name in used] == [
        *("actions/checkout", "actions/setup-python", "you/dpverify", "github/codeql-action/upload-sarif")
    ]
    pinned = [name for name in used if re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)]
    assert [name for name in used if name not in pinned] == ["you/dpverify@v0.1.0"], "which nobody has published yet"
    (checkout,) = [one for one in steps if one.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"] == {"persist-credentials": False}


def test_an_action_without_claims_does_not_decide_the_catalogue(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = step(tmp_path / "empty", claims=" ")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: there is no claims_*.py in ")


@pytest.mark.deep
def test_the_action_is_green_and_red(repository: Path) -> None:
    given = {"baseline": "dpverify-baseline.txt", "junit": "a.xml"}
    green = step(repository, **given)
    assert green.returncode == 0, green.stdout + green.stderr
    assert "::error" not in green.stdout
    broken(repository)
    red = step(repository, **given)
    assert red.returncode == 1
    assert "::error file=mylib.py,line=16,title=mylib.noisy_count is worse::" in red.stdout
    assert "sarif=./dpverify.sarif\n" in (repository.parent / "output").read_text()
    assert "### ❌ WORSE `mylib.noisy_count`" in (repository.parent / "summary").read_text()
    assert (repository / "dpverify.sarif").is_file()
    assert (repository / "a.xml").is_file()


@pytest.mark.deep
def test_the_script_for_gitlab_is_green_and_red(repository: Path) -> None:
    job = snippets()[".gitlab-ci.yml"]["dpverify"]
    install, audit = job["script"]
    assert install.startswith("python -m pip install")
    assert run(repository, "bash", "-c", audit).returncode == 0
    broken(repository)
    red = run(repository, "bash", "-c", audit)
    assert red.returncode == 1
    assert "Gate failed: 1 worse" in red.stdout
    for name in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (repository / name).is_file()


@pytest.mark.deep
def test_a_commit_that_breaks_a_mechanism_is_not_made(repository: Path) -> None:
    """With the hook as it is here, `language: system`, in a repository of its own."""
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]
    configured = snippets()[".pre-commit-config.yaml"]["repos"][0]["hooks"][0]
    config = {"repos": [{"repo": "local", "hooks": [{**hook, **configured}]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    assert run(repository, "pre-commit", "install").returncode == 0
    run(repository, "git", "add", "--all")
    first = run(repository, "git", "commit", "-m", "five mechanisms")
    assert first.returncode == 0, first.stdout + first.stderr
    assert re.search(r"dpverify audit\.+Passed", first.stdout + first.stderr)
    broken(repository)
    refused = run(repository, "git", "commit", "-am", "less noise")
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1
    assert re.search(r"dpverify audit\.+Failed", said)
    assert "WORSE        mylib.noisy_count  (mylib.py:16 noisy_count)" in said
    assert run(repository, "git", "log", "--oneline").stdout.count("\n") == 1
