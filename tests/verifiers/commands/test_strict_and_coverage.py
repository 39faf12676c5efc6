"""dpverify audit --strict, which refuses claims that say little, and --coverage, which finds what has no claim."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.verifiers.commands.command_runs import ONE, dpverify

pytestmark = pytest.mark.usefixtures("decided_here")

CLAIMS = """
from dpverify.mechanisms import discrete_laplace
from dpverify.verifiers import Claim, Status, Tuples
from mylib import answer

def noisy(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(1 / epsilon))

def quiet(draw, rows, *, epsilon):
    return sum(rows) + draw(discrete_laplace(8 / epsilon))

BITS = Tuples((0, 1), size=1)
good = Claim(id="good", mechanism=noisy, domain=BITS, epsilon=1, mutant=answer)
bare = Claim(id="bare", mechanism=noisy, domain=BITS, epsilon=1)
weak = Claim(id="weak", mechanism=quiet, domain=BITS, epsilon=1, mutant=answer)
excused = Claim(id="excused", mechanism=quiet, domain=BITS, epsilon=1, mutant=answer, weak_because="it is an example")
leak = Claim(id="leak", mechanism=answer, domain=BITS, epsilon=1, expected=Status.REFUTED)
"""


def test_strict_refuses_weak_claims_and_those_without_a_mutant(folder: Path) -> None:
    (folder / "claims_mine.py").write_text(CLAIMS)
    assert dpverify("audit", "claims_mine.py", "--no-cache").exit_code == 0
    done = dpverify("audit", "claims_mine.py", "--no-cache", "--strict", "--quiet")
    assert done.exit_code == 1
    said = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("PROVED")]
    assert said == ["bare", "weak"]
    assert "    it has no mutant, which --strict asks for: nobody knows whether the check can fail\n" in done.stdout
    assert (
        "    it is weak, and nobody says why: it needs a quarter of its noise, or of ε and δ, or no noise at all\n"
        in done.stdout
    )
    assert dpverify("check", "claims_mine.py:noisy", *ONE, "--strict").exit_code == 0  # no place for a mutant there


PACKAGE = {
    "__init__.py": "from .counts import count, outer\n",
    "counts.py": """
from dpverify.mechanisms import Draw, bernoulli
from functools import wraps

def logged(function):
    @wraps(function)
    def inner(*args): return function(*args)
    return inner

def count(draw, rows): return draw(bernoulli("1/2"))
def other(d: Draw, rows): return 0
def outer(draw, rows): return draw(count, rows)
@logged
def wrapped(draw, rows): return 0
def plain(rows): return 0
def _private(draw, rows): return 0
class Flip:
    def __call__(self, draw, rows): return 0
    def release(self, draw, rows): return 0
    def _own(self, draw, rows): return 0
""",
    "_hidden.py": "def hidden(draw, rows): return 0\n",
    "deeper/__init__.py": "",
    "deeper/more.py": "from covered.counts import count\ndef more(draw, rows): return 0\n",
}


@pytest.fixture
def package(folder: Path) -> Iterator[Path]:
    for name, text in PACKAGE.items():
        (folder / "covered" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "covered" / name).write_text(text)
    (folder / "claims_mine.py").write_text(
        "from functools import partial\nfrom covered.counts import *\nfrom dpverify.verifiers import Claim\n"
        "def other_bit(bit): return [1 - bit]\n"
        "given = dict(domain=(0, 1), neighbours=other_bit, epsilon=0)\n"
        "CLAIMS = [Claim(id='a', mechanism=partial(count), **given), Claim(id='b', mechanism=Flip(), depth='full', **given),"
        " Claim(id='c', mechanism=wrapped, **given)]\n"
    )
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "covered"]:
        del sys.modules[name]


def test_what_draws_and_has_no_claim_is_listed(package: Path) -> None:
    done = dpverify("audit", "claims_mine.py::a", "--coverage", "covered")
    assert done.exit_code == 0
    assert done.stdout.endswith(
        "NO CLAIM     covered._hidden.hidden  (covered/_hidden.py:1)\n"
        "NO CLAIM     covered.counts.other  (covered/counts.py:11)\n"
        "NO CLAIM     covered.counts.outer  (covered/counts.py:12)\n"
        "NO CLAIM     covered.counts._private  (covered/counts.py:16)\n"
        "NO CLAIM     covered.counts.Flip.release  (covered/counts.py:19)\n"
        "NO CLAIM     covered.counts.Flip._own  (covered/counts.py:20)\n"
        "NO CLAIM     covered.deeper.more.more  (covered/deeper/more.py:2)\n"
        "NO DRAW      covered.counts.plain  (covered/counts.py:15)  "
        "returns data without draw: make it private, or write `# dp: exact, because …` at its def\n"
        "COVERED      covered.counts.count  (covered/counts.py:10)  by a\n"
        "COVERED      covered.counts.wrapped  (covered/counts.py:13)  by c\n"
        "COVERED      covered.counts.Flip.__call__  (covered/counts.py:18)  by b\n"
        "coverage of covered: 3 of 10 functions that draw are reached by a claim\n"
    )
    assert dpverify("audit", "claims_mine.py::a", "--coverage", "covered.deeper.more", "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("package_name", "message"),
    [
        ("nowhere", "the package 'nowhere' does not exist: give what `import` takes, or FILE.py"),
        ("nowhere.deeper", "the package 'nowhere.deeper' does not exist: give what `import` takes, or FILE.py"),
        ("nowhere.py", "the file nowhere.py does not exist"),
        ("broken", "broken: it raised ZeroDivisionError: division by zero"),
        ("..", "no package specified"),
    ],
)
def test_what_is_no_package(folder: Path, package_name: str, message: str) -> None:
    (folder / "broken.py").write_text("1 / 0")
    done = dpverify("audit", "claims_mine.py::mine.one", "--no-recheck", "--coverage", package_name)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


NUMPY_WAY = """
import random
import numpy as np
GENERATOR = np.random.default_rng(1)

def by_argument(rows, rng): return sum(rows) + rng.laplace(0, 1)
def by_another_name(rows, source): return sum(rows) + source.integers(3)
def by_annotation(rows, chance: np.random.Generator): return chance
def by_module(rows): return sum(rows) + np.random.laplace(0, 1)
def by_global(rows): return sum(rows) + GENERATOR.normal()
def by_library(rows): return sum(rows) + random.gauss(0, 1)
def by_call(rows): return [by_module(rows)]
def plain(rows): return sorted(rows)
class Service:
    def __init__(self, rng): self.rng = rng
    def release(self, rows): return self._noisy(sum(rows))
    def _noisy(self, number): return by_argument([number], self.rng)
    def other(self, rows, rng): return rng.normal()
"""

CLAIMS_OF_IT = """
from dpverify.mechanisms import Rng
from dpverify.verifiers import Claim
import numpyway
def wrapper(draw, rows): return numpyway.Service(Rng(draw)).release(rows)
def other_bit(bit): return [1 - bit]
a = Claim(id="a", mechanism=wrapper, domain=(0, 1), neighbours=other_bit, epsilon=1, depth="full")
b = Claim(id="b", mechanism=lambda draw, rows: 0, domain=(0, 1), neighbours=other_bit, epsilon=0)
"""


def test_what_draws_by_any_means_is_counted_and_found_through_wrappers_and_helpers(folder: Path) -> None:
    (folder / "numpyway.py").write_text(NUMPY_WAY)
    (folder / "claims_way.py").write_text(CLAIMS_OF_IT)
    done = dpverify("audit", "claims_way.py::b", "--no-recheck", "--coverage", "numpyway.py")
    sys.modules.pop("numpyway", None)
    rows = [line for line in done.stdout.splitlines() if line.startswith(("COVERED", "NO CLAIM"))]
    said = {row.split("numpyway.")[1].split()[0]: row.partition("  by ")[2] for row in rows}
    assert said == {
        "by_another_name": "",
        "by_annotation": "",
        "by_module": "",
        "by_global": "",
        "by_library": "",
        "by_call": "",
        "Service.other": "",
        "by_argument": "a",
        "Service.__init__": "a",
        "Service.release": "a",
        "Service._noisy": "a",
    }
    assert "coverage of numpyway.py: 4 of 11 functions" in done.stdout
