"""The code that runs is noted as it runs, and one thing is told from another by what it is."""

from __future__ import annotations

import importlib.util
import json
import marshal
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest
from tests.examples import in_one

from dpverify.verifiers.auditing.cache import loaded_code
from dpverify.verifiers.auditing.cache.cache_keys import NoKey, Surroundings
from dpverify.verifiers.auditing.cache.loaded_code import LoadedCode, code_to_run, digest_of_code
from dpverify.verifiers.auditing.cache.reached_files import ReachedFiles

TEXT = """
'''A text about it.'''
LARGE, SHARE, NAMES, PART = 10**5000, 0.1, {1, 2.5, "a", None, ...}, slice(1, 2)

def first(x, /, y: int = -3, *z, w=(1, (2, b"3"))):
    def inner():
        return x in {"b", "a", "c"}, x[1:2], 1j
    try:
        return inner
    except ValueError:
        return lambda: w
"""


def digest(text: str, name: str = "a.py") -> str:
    return digest_of_code(compile(text, name, "exec", dont_inherit=True))


def test_equal_code_is_equal_however_it_came_about() -> None:
    code = compile(TEXT, "a.py", "exec", dont_inherit=True)
    assert digest_of_code(code) == digest_of_code(marshal.loads(marshal.dumps(code))) == digest(TEXT) != ""
    exec(code, {"__name__": "a"})
    assert digest_of_code(code) == digest(TEXT)
    program = (
        "import sys; from dpverify.verifiers.auditing.cache.loaded_code import digest_of_code; "
        "print(digest_of_code(compile(sys.argv[1], 'a.py', 'exec')))"
    )
    for seed in ("1", "2"):  # the order of a set of names is another one
        said = subprocess.run(
            [sys.executable, "-c", program, TEXT],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        assert said.stdout.strip() == digest(TEXT)


@in_one(
    "one, other",
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = True"),
        ("x = 1", "x = 1.0"),
        ("x = 0.0", "x = -0.0"),
        ("x = 'a'", "x = b'a'"),
        ("x = ('a',)", "x = 'a'"),
        ("x = 1", "y = 1"),
        ("x = 1", "\nx = 1"),
        ("x = y in {1, 2}", "x = y in {1, 3}"),
        ("x = y in {1, 2}", "x = y in (1, 2)"),
        ("x = lambda: 1", "x = lambda: 2"),
        ("def f(a, b): return a", "def f(a, b): return b"),
        ("def f(a, b): return a", "def f(a, *, b): return a"),
        ("def f(a, b): return a", "def f(a, b, /): return a"),
        ("def f(): yield", "async def f(): yield"),
        ("x = 10**5000", "x = 10**5001"),
    ],
)
def test_what_differs_is_told_apart(one: str, other: str) -> None:
    assert digest(one) != digest(other)
    assert digest(one) != digest(one, "b.py")


def test_a_constant_that_no_compiler_makes_has_no_digest() -> None:
    code = compile("x = 1", "a.py", "exec")
    assert digest_of_code(code.replace(co_consts=(*code.co_consts, object()))) == ""


PROGRAM = """
import importlib, json, sys
from dpverify.verifiers.auditing.cache.outside_looks import watch
from dpverify.verifiers.auditing.cache.loaded_code import ran_so_far
sys.path.insert(0, ".")
import before
watch()
import first, second, collections.abc, wave
importlib.reload(second)
exec(compile("y = 1", "<string>", "exec"))
import dataclasses
dataclasses.make_dataclass("Made", ["x"])
print(json.dumps([tuple(one) for one in ran_so_far()]))
"""


def test_what_runs_is_noted_in_order_and_each_time(tmp_path: Path) -> None:
    for name, text in {"before": "", "first": "import third\n", "second": "x = 1\n", "third": "y = 1\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    ran = [LoadedCode(*one) for one in json.loads(said)]
    assert [Path(one.file).stem for one in ran] == ["first", "third", "second", "second"]
    assert all(one.digest == digest(Path(one.file).read_text(), one.file) for one in ran)


def test_nothing_but_people_s_own_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loaded_code, "_ran", [])
    for name in ("<string>", os.__file__, pytest.__file__, loaded_code.__file__):
        loaded_code.note_code(compile("x = 1", name, "exec"))
    loaded_code.note_code("x = 1")
    assert loaded_code.ran_so_far() == ()
    loaded_code.note_code(compile("x = 1", str(tmp_path / "a.py"), "exec"))
    assert [one.file for one in loaded_code.ran_so_far()] == [str(tmp_path / "a.py")]


@pytest.mark.parametrize("mode", list(py_compile.PycInvalidationMode))
def test_the_code_that_would_run_is_that_of_the_compiled_file_where_python_takes_it(
    tmp_path: Path, mode: py_compile.PycInvalidationMode
) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    os.utime(file, (10**9, 10**9))
    assert code_to_run("a", file) == digest("x = 1\n", str(file))
    assert not (tmp_path / "__pycache__").exists(), "nothing is written"
    py_compile.compile(str(file), invalidation_mode=mode)
    file.write_text("x = 2\n")
    os.utime(file, (10**9, 10**9))
    spec = importlib.util.spec_from_file_location("a", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    checked = mode is py_compile.PycInvalidationMode.CHECKED_HASH
    assert module.x == (2 if checked else 1), "what Python does"
    assert code_to_run("a", file) == digest(f"x = {module.x}\n", str(file))


def test_what_cannot_be_run_has_no_digest_and_no_key(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    assert code_to_run("a", file) == ""
    file.write_text("x = 1\n")
    compiled = Path(str(py_compile.compile(str(file))))
    compiled.write_bytes(compiled.read_bytes()[:16] + b"\xff")
    assert code_to_run("a", file) == ""
    with pytest.raises(NoKey, match=r"Python would run of .*a\.py"):
        _ = Surroundings(ReachedFiles({"a": file}), 2**80, tmp_path / "package").digest
    with pytest.raises(NoKey, match=r"was run of .*a\.py"):
        _ = Surroundings(
            ReachedFiles({"a": file}), 2**80, tmp_path / "package", ran=(LoadedCode(str(file), ""),)
        ).digest


def test_the_order_in_which_code_ran_and_what_it_was_make_the_key(tmp_path: Path) -> None:
    files = {}
    for name in ("a", "b"):
        files[name] = tmp_path / f"{name}.py"
        files[name].write_text("x = 1\n")
    one, other = (LoadedCode(str(file), code_to_run(name, file)) for name, file in files.items())

    def digest_where(*ran: LoadedCode) -> str:
        return Surroundings(ReachedFiles(files), 2**80, tmp_path / "package", ran=ran).digest

    orders = [(one, other), (other, one), (one,), (other,), (), (one, other, one), (one._replace(digest="0"), other)]
    assert len({digest_where(*ran) for ran in orders}) == len(orders)
    assert digest_where(one, other) == digest_where(one, other)


def test_what_is_run_later_is_what_was_foreseen_or_it_is_said(tmp_path: Path) -> None:
    loaded, later = tmp_path / "a.py", tmp_path / "b.py"
    for file in (loaded, later):
        file.write_text("x = 1\n")
    ran = LoadedCode(str(loaded), code_to_run("a", loaded))
    found = Surroundings(ReachedFiles({"a": loaded, "b": later}), 2**80, tmp_path / "package", ran=(ran,))
    assert found.digest
    foreseen = LoadedCode(str(later), code_to_run("b", later))
    assert found.against([]) == found.against([foreseen, ran]) == ""
    for one in (
        foreseen._replace(digest="0"),
        ran._replace(digest="0"),
        LoadedCode(str(tmp_path / "c.py"), ran.digest),
    ):
        assert found.against([ran, one]) == f"{one.file} was run, and is not what it was"
