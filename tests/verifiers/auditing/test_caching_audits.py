"""`dpverify audit` from one run to the next, in processes of its own as people have it."""

from __future__ import annotations

import json
import os
import py_compile
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is kept where nothing is forked")

CLAIMS = """
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim

def coin(draw, rows):
    from cz_numbers import AT_ONE
    return draw(bernoulli(AT_ONE if rows[0] else "0.5"))

def constant(draw, rows):
    return 0

coin_is_private = Claim(id="coin", mechanism=coin, domain=[(0,), (1,)], epsilon=1)
constant_is = Claim(id="constant", mechanism=constant, domain=[(0,), (1,)], epsilon=1, neighbours_agree=True)
"""

RUN = """
import gc, json, os, sys
from dpverify.verifiers.auditing import auditing, selection
from dpverify.verifiers.auditing.cache import cache_keys, verdict_cache
from dpverify.verifiers.command_line import main

if "warm" in sys.argv:
    import dpverify.verifiers.catalogue.selection.stability.stability_privacy, dpverify.verifiers.privacy.result
    import dpverify.reports.audits.json_form, dpverify.reports.audits.table, dpverify.reports.kinds.privacy
    import dpverify.verifiers.auditing.cache.journal, numpy.ma, numpy.random
gc.collect(), gc.freeze()

sys.dont_write_bytecode = True  # a compiled file that is as young as its source is part of the key
for line in sys.stdin:
    folder, arguments, environment = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        sys.argv[0], cache_keys.BEGAN = "dpverify", 2**80  # as if this process were a command that has just begun
        os.environ.update(environment)
        sys.pycache_prefix = environment.get("PYTHONPYCACHEPREFIX")
        sys.stdout, sys.stderr = open("out", "w"), open("err", "w")
        try:
            main(arguments)
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(0)
    os.waitpid(child, 0)
    print("done", flush=True)
"""
"""One process that knows dpverify, and forks for each audit: nothing is left from one to the next but the cache.

A warm one has loaded what most audits load, too.
"""


class Project:
    """A folder of claims, and what becomes of them by the command line."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder = folder
        self._process = process
        self.write("claims_cz.py", CLAIMS)
        self.write("cz_numbers.py", "AT_ONE = '0.6'\n")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def audit(self, *arguments: str, file: str = "claims_cz.py", recheck: bool = False, **environment: str) -> Any:
        """What the record has of each claim: its verdict, and whether it was decided earlier."""
        options = ["audit", file, "--json", "-", *arguments, *([] if recheck else ["--no-recheck"])]
        named = {"XDG_CACHE_HOME": str(self.folder / "cache"), "CI": "", **environment}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([str(self.folder), options, named]) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"
        self.said = (self.folder / "err").read_text()
        found = json.loads((self.folder / "out").read_text() or self.said)
        return {claim["id"]: (claim["verdict"], claim["cached"]) for claim in found["claims"]}


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def warm() -> Iterator[subprocess.Popen[str]]:
    with started("warm") as process:
        yield process


@pytest.fixture
def project(tmp_path: Path, warm: subprocess.Popen[str]) -> Project:
    return Project(tmp_path, warm)


@pytest.fixture
def cold_project(tmp_path: Path) -> Iterator[Project]:
    """Of a process that loads libraries when a file of claims asks for them."""
    with started() as process:
        yield Project(tmp_path, process)


ANEW = {"coin": ("PROVED", False), "constant": ("PROVED", False)}
EARLIER = {"coin": ("PROVED", True), "constant": ("PROVED", True)}


def test_what_did_not_change_was_decided_earlier_and_what_did_is_decided_anew(project: Project) -> None:
    assert project.audit() == ANEW
    assert project.audit() == EARLIER
    assert "(2 decided earlier)" in project.said
    project.write("cz_numbers.py", "AT_ONE = '0.9'\n")
    assert project.audit() == {"coin": ("REFUTED", False), "constant": ("PROVED", True)}
    assert project.audit() == {"coin": ("REFUTED", True), "constant": ("PROVED", True)}
    project.write("cz_numbers.py", "AT_ONE = '0.6'\n")
    assert project.audit() == EARLIER


@pytest.mark.deep
def test_it_can_be_left_out_and_is_where_ci_is_set(project: Project) -> None:
    assert project.audit("--no-cache") == ANEW
    assert project.audit(CI="true") == ANEW
    assert project.audit("--profile", "deep") == ANEW
    assert not (project.folder / "cache" / "dpverify" / "verdicts").exists()
    project.audit()
    assert project.audit("--no-cache") == ANEW
    assert project.audit(CI="true") == ANEW
    assert project.audit("--limit", "draws=9") == ANEW
    assert project.audit() == EARLIER


# --- What has run is what counts, and in which order

SETTINGS = "K = 1\n"

CLAIMS_A = """
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim
import settings

def a(draw, rows):
    return draw(bernoulli("0.9" if rows[0] and settings.K == 2 else "0.5"))

is_a = Claim(id="a", mechanism=a, domain=[(0,), (1,)], epsilon=1, neighbours_agree=True)
"""

CLAIMS_B = """
from dpverify.verifiers import Claim
import settings

settings.K = 2

def b(draw, rows):
    return 0

is_b = Claim(id="b", mechanism=b, domain=[(0,), (1,)], epsilon=1, neighbours_agree=True)
"""


@pytest.fixture
def patching(project: Project) -> Project:
    """Two files of claims, of which one changes what the other one reads."""
    project.write("settings.py", SETTINGS)
    project.write(
        "claims_a.py", CLAIMS_A.replace("settings.K", "K").replace("import settings", "from settings import K")
    )
    project.write("claims_b.py", CLAIMS_B)
    return project


def test_files_that_were_loaded_in_another_order_are_decided_anew(patching: Project) -> None:
    """`a` reads K as it is loaded: 1, or the 2 of `b`, where that was loaded before."""
    for earlier in (False, True):
        assert patching.audit("claims_b.py", file="claims_a.py") == {"a": ("PROVED", earlier), "b": ("PROVED", earlier)}
    for earlier in (False, True):
        found = patching.audit("claims_a.py", file="claims_b.py")
        assert found == {"a": ("REFUTED", earlier), "b": ("PROVED", True)}, "nothing that b names is another one"
    assert patching.audit("claims_b.py", file="claims_a.py")["a"] == ("PROVED", True)


def test_a_module_that_another_file_patches_is_another_one(patching: Project) -> None:
    patching.write("claims_a.py", CLAIMS_A)
    assert patching.audit(file="claims_a.py") == {"a": ("PROVED", False)}
    assert patching.audit("claims_b.py", file="claims_a.py")["a"] == ("REFUTED", False)
    assert patching.audit(file="claims_a.py") == {"a": ("PROVED", True)}


LONG_AGO = 10**9


def rewritten(file: Path, text: str) -> None:
    """Write a file as `tar`, `rsync -t` and reproducible images do, which put its time back."""
    file.write_text(text)
    os.utime(file, (LONG_AGO, LONG_AGO))


INSIDE = CLAIMS_A.replace("import settings\n", "").replace("    return", "    import settings\n    return")
"""The settings are loaded when the mechanism runs."""

COMPILED = ["as it is loaded", "as it runs", "never checked", "elsewhere"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("how", COMPILED)
def test_a_compiled_file_that_is_not_of_its_source_leaves_no_verdict_to_the_source(project: Project, how: str) -> None:
    """Python takes one of the same size and second; its verdict is known by what has run, and not by the text."""
    settings = project.folder / "settings.py"
    project.write("claims_a.py", INSIDE if how == "as it runs" else CLAIMS_A)
    rewritten(settings, SETTINGS)
    elsewhere: dict[str, Any] = {"PYTHONPYCACHEPREFIX": str(project.folder / "compiled")} if how == "elsewhere" else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "pycache_prefix", elsewhere.get("PYTHONPYCACHEPREFIX"))
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH if how == "never checked" else None
        compiled = Path(str(py_compile.compile(str(settings), doraise=True, invalidation_mode=mode)))
    os.utime(compiled, (LONG_AGO + 10, LONG_AGO + 10))

    def audit() -> tuple[str, bool]:
        found: tuple[str, bool] = project.audit(file="claims_a.py", **elsewhere)["a"]
        return found

    assert [audit(), audit()] == [("PROVED", False), ("PROVED", True)]
    rewritten(settings, "K = 2\n")
    assert [verdict for verdict, _ in (audit(), audit())] == ["PROVED"] * 2, "which is what Python runs"
    compiled.unlink()
    assert [audit(), audit()] == [("REFUTED", False), ("REFUTED", True)]
    rewritten(settings, SETTINGS)
    assert audit() == ("PROVED", True), "the same code of the same text, compiled or not"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reloads", CLAIMS_A.replace("import settings", "import importlib, settings; importlib.reload(settings)")),
        ("has no source", CLAIMS_A),
    ],
)
def test_what_a_module_holds_is_what_counts_however_it_came_there(project: Project, name: str, text: str) -> None:
    project.write("claims_a.py", text)

    def write(content: str) -> None:
        project.write("settings.py", content)
        if name == "has no source":
            settings = project.folder / "settings.py"
            py_compile.compile(str(settings), cfile=str(project.folder / "settings.pyc"), doraise=True)
            settings.unlink()

    for content, verdict in ((SETTINGS, "PROVED"), ("K = 2\n", "REFUTED")):
        write(content)
        for earlier in (False, True):
            assert project.audit(file="claims_a.py") == {"a": (verdict, earlier)}


@pytest.mark.deep
def test_claims_of_the_catalogue_are_kept_too(project: Project) -> None:
    for earlier in (False, True):
        found = project.audit(file="BNS-J-2.25.privacy.scores", recheck=True)
        assert found == {"BNS-J-2.25.privacy.scores": ("PROVED", earlier)}
