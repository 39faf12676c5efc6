"""What a claim is known by: whatever it names is part of it, however it is named, and what cannot be read has no key."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from tests.examples import in_one

from dpverify.verifiers import Claim
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.auditing.cache.sources_read import digest_of_claim
from dpverify.verifiers.auditing.digests.function_form import Forms

HEAD = """
import collections, dataclasses, enum, functools, math, operator
from fractions import Fraction
from typing import NamedTuple
import sr_values
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim, Tuples, replace_one

"""
MECHANISM = """
def mechanism(draw, rows):
    return draw(bernoulli(Fraction(1, 2))) + {}

claim = Claim(id="a", mechanism=mechanism, domain=[(0,), (1,)], epsilon=1)
"""
VALUES = "K = 1\n"


def digest(folder: Path, text: str, values: str = VALUES) -> str:
    """The digest of the claim of a file, which is loaded anew, as another process would."""
    return digest_of_claim(claim_of(folder, text, values))


def claim_of(folder: Path, text: str, values: str) -> Claim:
    found = {}
    for name, content in (("sr_values", values), ("sr_claims", text)):
        file = folder / f"{name}.py"
        file.write_text(content)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = found[name] = sys.modules[name] = importlib.util.module_from_spec(spec)
        exec(compile(content, str(file), "exec", dont_inherit=True), vars(module))
    claim = found["sr_claims"].claim
    assert isinstance(claim, Claim)
    return claim


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in ("sr_values", "sr_claims"):
        monkeypatch.setitem(sys.modules, name, None)  # so that it is as it was afterwards
    return tmp_path


def reading(before: str, named: str) -> str:
    return HEAD + before + MECHANISM.format(named)


NAMED = {
    "a number of a module": reading("", "sr_values.K"),
    "a number by its own name": reading("from sr_values import K\n", "K"),
    "a module that is imported as it runs": HEAD
    + MECHANISM.replace("    return", "    import sr_values as v\n    return").format("v.K"),
    "a list": reading("held = [0, {'a': (sr_values.K,)}]\n", "held[1]['a'][0]"),
    "a function": reading("def helper():\n    return sr_values.K\n", "helper()"),
    "a closure": reading("def made(k):\n    return lambda: k\nhelper = made(sr_values.K)\n", "helper()"),
    "a default": reading("def helper(k=sr_values.K):\n    return k\n", "helper()"),
    "a partial": reading("helper = functools.partial(max, sr_values.K)\n", "helper(0)"),
    "a class": reading("class Kept:\n    _k = sr_values.K\n    def k(self):\n        return self._k\n", "Kept().k()"),
    "a field of a class": reading("@dataclasses.dataclass(frozen=True)\nclass P:\n    k: int = sr_values.K\n", "P().k"),
    "a method of a row": HEAD
    + "class Row(NamedTuple):\n    k: int\n    def value(self):\n        return sr_values.K\n"
    + MECHANISM.format("rows[0].value()").replace("[(0,), (1,)]", "[(Row(0),), (Row(1),)]"),
    "a parameter": HEAD
    + MECHANISM.format("k")
    .replace("rows)", "rows, *, k)")
    .replace("epsilon", "parameters={'k': sr_values.K}, epsilon"),
    "a domain": HEAD + MECHANISM.format("0").replace("(1,)]", "(sr_values.K,)]"),
    "a relation": HEAD
    + "def near(a, b):\n    return a != b and sr_values.K\n"
    + MECHANISM.format("0").replace("epsilon", "neighbours=near, epsilon"),
    "a mutant": HEAD
    + "def worse(draw, rows):\n    return rows[0] * sr_values.K\n"
    + MECHANISM.format("0").replace("epsilon", "mutant=worse, epsilon"),
    "a value that was looked up outside": reading(
        "import os\nos.environ['SR_K'] = str(sr_values.K)\nmany = int(os.environ['SR_K'])\n", "many"
    ),
}


@in_one("name", list(NAMED))
def test_what_is_named_is_part_of_it(folder: Path, name: str) -> None:
    text = NAMED[name]
    one, other = digest(folder, text), digest(folder, text, "K = 2\n")
    assert one != other
    assert digest(folder, text) == one
    assert digest(folder, f"{text}\n") != one, "a text that says something else of it"


def test_the_body_of_what_it_calls_is_part_of_it(folder: Path) -> None:
    text = reading("from sr_values import helper\n", "helper()")
    digests = {digest(folder, text, f"def helper():\n    return {k}\n") for k in (1, 2, 1)}
    assert len(digests) == 2


RECURSIVE = "def f(x):\n    return x and g(x - 1)\ndef g(x):\n    return {}\n"
AFTER_ITSELF = "def f(x):\n    return x and x\ndef g(x):\n    return {}\n"
SET = "object.__setattr__(held[0], 'x', {})\n"
OF_A_BASE = "class A:\n    def m(self):\n        return 1\nclass B:\n    def m(self):\n        return 2\nclass C({}):\n    pass\nheld = [C()]\n"
OF_A_CLASS = (
    "@dataclasses.dataclass(frozen={})\nclass P:\n    k: int = {}\n    def m(self):\n        return {}\nheld = [P()]\n"
)


@in_one(
    "one, other, named",
    [
        (RECURSIVE.format("f(x)"), RECURSIVE.format("g(x)"), "f(0) + g(0)"),
        (AFTER_ITSELF.format("f(x)"), AFTER_ITSELF.format("g(x)"), "f(0) + g(0)"),
        (RECURSIVE.format("f(x)"), RECURSIVE.format("f(x + 1)"), "f(0)"),
        (OF_A_CLASS.format(True, 1, "self.k"), OF_A_CLASS.format(True, 2, "self.k"), "held[0].m()"),
        (OF_A_CLASS.format(True, 1, "self.k"), OF_A_CLASS.format(True, 1, "self.k + 1"), "held[0].m()"),
        (OF_A_CLASS.format(True, 1, "self.k"), OF_A_CLASS.format(False, 1, "self.k"), "held[0].m()"),
        ("class E(enum.Enum):\n    A = 1\n    B = 2\n", "class E(enum.Enum):\n    B = 2\n    A = 1\n", "len(E)"),
        ("held = {1: 2, 3: 4}\n", "held = {3: 4, 1: 2}\n", "[*held][0]"),
        ("held = (1,)\n", "held = [1]\n", "held[0]"),
        ("held = (1, 2)\n", "held = ((1, 2),)\n", "len(held)"),
        ("held = 1\n", "held = True\n", "held"),
        (OF_A_CLASS.format(True, 1, 1) + SET.format(1), OF_A_CLASS.format(True, 1, 1) + SET.format(2), "held[0].x"),
        (OF_A_BASE.format("A"), OF_A_BASE.format("B"), "held[0].m()"),
        ("K = 1\ndef f(k=K):\n    return k\nK = 3\n", "K = 2\ndef f(k=K):\n    return k\nK = 3\n", "f()"),
        ("f = (lambda x: x, lambda x: -x)[0]\n", "f = (lambda x: x, lambda x: -x)[1]\n", "f(1)"),
        ("import statistics\n", "from statistics import fmean as statistics\n", "statistics.mean(rows)"),
    ],
)
def test_forms_of_other_things_are_others(folder: Path, one: str, other: str, named: str) -> None:
    """The forms themselves, without the hashes of the files that they stand in."""
    forms = []
    for before in (one, other):
        claim = claim_of(folder, reading(before, named), VALUES)
        forms.append(Forms(lambda file: file.startswith(str(folder))).of(claim.mechanism))
    assert forms[0] != forms[1]


@in_one(
    "before, named",
    [
        ("import statistics\n", "statistics.mean(rows)"),
        ("import heapq\nheld = heapq.merge\n", "len(list(held(rows, rows)))"),
        ("def f(x):\n    return x\ndef g(x):\n    return f(x)\nheld = frozenset([f, g])\n", "len(held)"),
        (
            "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(150)) + "def f150(x):\n    return x\n",
            "f0(0)",
        ),
        ("".join(f"def f{i}(x):\n    return [f{', f'.join(map(str, range(12)))}]\n" for i in range(12)), "len(f0(0))"),
    ],
)
def test_what_is_read_has_a_key_however_much_it_leads_to(folder: Path, before: str, named: str) -> None:
    text = reading(before, named)
    assert digest(folder, text) == digest(folder, text)


@in_one(
    "before, named",
    [
        ("held = iter([1])\n", "next(held)"),
        ("held = (x for x in [1])\n", "sum(held)"),
        ("import io\nheld = io.BytesIO(b'1')\n", "len(held.read())"),
        ("import os\n", "len(os.environ)"),
        ("import random\n", "random.getrandbits(1)"),
        ("import numpy\nheld = numpy.array([[1]])\n", "len(held)"),
        ("def f():\n    return eval('1')\n", "f()"),
        ("exec('def f(): return 1')\n", "f()"),
        ("import weakref\ndef f(): pass\nheld = weakref.ref(f)\n", "len([held])"),
    ],
)
def test_what_cannot_be_read_has_no_key(folder: Path, before: str, named: str) -> None:
    with pytest.raises(NoKey):
        digest(folder, reading(before, named))


@in_one(
    "part",
    [
        "domain=iter([(0,), (1,)])",
        "neighbours=lambda a, b: hash(a) != b",
        "parameters={'k': iter([1])}",
        "parameters={'k': __import__('os').getpid}",
    ],
)
def test_what_asks_the_question_is_read_as_well(folder: Path, part: str) -> None:
    domain = "" if part.startswith("domain") else "domain=[(0,), (1,)], "
    text = f"{HEAD}def mechanism(draw, rows, *, k=0):\n    return 0\nclaim = Claim(id='a', mechanism=mechanism, {domain}{part}, epsilon=1)\n"
    with pytest.raises(NoKey):
        digest(folder, text)


def test_a_file_that_changed_since_it_was_loaded_has_no_key(folder: Path) -> None:
    text = reading("", "0")
    digest(folder, text)
    loaded = sys.modules["sr_claims"].claim
    (folder / "sr_claims.py").write_text(text.replace("+ 0", "+ 1"))
    with pytest.raises(NoKey, match="has changed since it was imported"):
        digest_of_claim(loaded)
