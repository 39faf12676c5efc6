"""Where claims and mechanisms are written, as the record has it: the same on every machine."""

import functools
import json
import linecache
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpverify.mechanisms import Draw, InputError, bernoulli
from dpverify.mechanisms.functions.places import is_kept_nowhere
from dpverify.mechanisms.numbers.shown import repr_in_full
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.gates.comparison import difference, read_loosely
from dpverify.reports.record import AuditRecord, Location
from dpverify.verifiers import Claim, audit
from dpverify.verifiers.auditing.cache.mechanism_sources import source_of
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.auditing.mutation.survey import refuse_what_has_no_source
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import sources
from dpverify.verifiers.command_line import main
from dpverify.verifiers.locations import located, location_of, project_of

pytestmark = pytest.mark.usefixtures("decided_here")

LIBRARY = """
from dpverify.mechanisms import bernoulli
from fractions import Fraction
from functools import cache, partial, wraps

def flip(draw, bit):
    return draw(bernoulli(Fraction(1, 2)))

def logged(function):
    @wraps(function)
    def inner(*args):
        return function(*args)
    return inner

@logged
def decorated(draw, bit):
    return flip(draw, bit)

class Flip:
    def __call__(self, draw, bit):
        return flip(draw, bit)

def claim(id, mechanism):
    from dpverify.verifiers import Claim
    return Claim(id=id, mechanism=mechanism, domain=(0, 1), neighbours=lambda bit: [1 - bit],
                 epsilon=0)
"""

CLAIMS = """
from functools import partial
from dataclasses import replace
from mylocated import *
import mylocated

one = claim("one", flip)
several = [
    claim(f"several.{name}", mechanism)
    for name, mechanism in {"decorated": decorated, "object": Flip(), "partial": partial(flip)}.items()
]
changed = replace(
    one,
    id="changed",
)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    (root / "src").mkdir()
    (root / "src" / "mylocated.py").write_text(LIBRARY)
    (root / "tests" / "claims_located.py").write_text(CLAIMS)
    monkeypatch.setattr(sys, "path", list(sys.path))
    project_of.cache_clear()
    yield root
    for name in [name for name in sys.modules if name.startswith(("mylocated", "claims_located"))]:
        del sys.modules[name]
    project_of.cache_clear()


def audited(root: Path) -> str:
    for name in [name for name in sys.modules if name.startswith(("mylocated", "claims_located"))]:
        del sys.modules[name]
    sys.path[:] = [folder for folder in sys.path if not folder.startswith(str(root.parent))]
    return to_json(audit(load_claims(root / "tests" / "claims_located.py"), recheck=False))


def places(record: AuditRecord) -> dict[str, tuple[str, str]]:
    return {
        claim.id: (
            claim.location.in_words if claim.location else "",
            claim.mechanism_location.in_words if claim.mechanism_location else "",
        )
        for claim in record.claims
    }


def test_claims_are_where_their_file_makes_them_and_mechanisms_where_they_are_defined(project: Path) -> None:
    record = read_audit(audited(project))
    assert places(record) == {
        "one": ("tests/claims_located.py:7", "src/mylocated.py:6"),
        "several.decorated": ("tests/claims_located.py:9", "src/mylocated.py:15"),
        "several.object": ("tests/claims_located.py:9", "src/mylocated.py:20"),
        "several.partial": ("tests/claims_located.py:9", "src/mylocated.py:6"),
        "changed": ("tests/claims_located.py:12", "src/mylocated.py:6"),
    }
    named = {claim.id: claim.mechanism_location.function for claim in record.claims if claim.mechanism_location}
    assert named["several.object"] == "mylocated.Flip"
    assert named["several.decorated"] == "mylocated.decorated"
    assert record.claims[0].location == Location("tests/claims_located.py", 7, "claims_located", "one")


def test_another_machine_says_the_same_bytes(project: Path, tmp_path: Path) -> None:
    here = audited(project)
    elsewhere = tmp_path / "another" / "deeper"
    shutil.copytree(project, elsewhere)
    assert audited(elsewhere) == here
    sys.modules["claims_located"] = sys  # the name is taken: the file is called otherwise in this process
    try:
        assert to_json(audit(load_claims(elsewhere / "tests" / "claims_located.py"), recheck=False)) == here
    finally:
        del sys.modules["claims_located"]


def test_the_repository_is_the_project_where_there_is_one(project: Path) -> None:
    (project.parent / ".git").mkdir()
    project_of.cache_clear()
    assert places(read_audit(audited(project)))["one"] == (
        "project/tests/claims_located.py:7",
        "project/src/mylocated.py:6",
    )


def test_what_is_not_of_the_project_has_no_file(project: Path, tmp_path: Path) -> None:
    claims = project / "tests" / "claims_located.py"
    claims.write_text(
        "from dpverify.mechanisms.sanitizers import stable_histogram\nfrom dpverify.verifiers import Claim\n"
        "one = Claim(id='one', mechanism=stable_histogram, domain=(0, 1), epsilon=1)\n"
    )
    (one,) = load_claims(claims)
    at = location_of(one.about[0], project)
    assert at == Location("", 0, "dpverify.mechanisms.selection.stable_histogram", "stable_histogram") or (
        at is not None and at.file == "" and at.name == "stable_histogram" and at.module.startswith("dpverify.")
    )
    installed = location_of(functools.partial(shutil.copy), Path(sys.base_prefix))
    assert installed is not None
    assert installed.file == ""
    assert location_of(json.dumps, None) == Location("", 0, "json", "dumps")


def test_the_catalogue_says_where_each_claim_is() -> None:
    root = Path(__file__).parents[2]
    for claim in catalogue()[::25]:
        found = located(claim, PLAIN)
        assert found.location is not None
        lines = (root / found.location.file).read_text(encoding="utf-8").splitlines()
        assert 0 < found.location.line <= len(lines), claim.id
        assert found.location.module == "dpverify." + found.location.file[: -len(".py")].replace("/", ".")
        if found.mechanism_location is not None and found.mechanism_location.file:
            assert (root / found.mechanism_location.file).is_file()


def coin(draw: Draw, bit: int) -> Any:
    return draw(bernoulli("1/2"))


PLAIN = audit([Claim(id="plain", mechanism=coin, domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=0)]).claims[0]


def test_claims_of_no_file_are_where_they_are_made() -> None:
    assert PLAIN.location is not None
    assert PLAIN.location.in_words.startswith("tests/verifiers/test_locations.py:")
    assert PLAIN.mechanism_location is not None
    assert PLAIN.mechanism_location.line == coin.__code__.co_firstlineno


class Awkward:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __call__(self, draw: Draw, bit: int) -> Any:
        return 0


def test_a_mechanism_that_raises_whatever_it_is_asked_costs_nothing() -> None:
    claim = Claim(id="awkward", mechanism=Awkward(), domain=(0, 1), neighbours=lambda bit: [1 - bit], epsilon=0)
    assert located(claim, PLAIN).location is not None


def test_check_says_where_the_function_is(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "src")
    done = CliRunner().invoke(
        main, ["check", "mylocated.py:flip", "--domain", "Tuples((0, 1), size=1)", "--epsilon", "0", "--json", "-"]
    )
    (claim,) = read_audit(done.stdout).claims
    assert claim.location is None
    assert claim.mechanism_location is not None
    assert claim.mechanism_location.in_words == "src/mylocated.py:6"


def test_records_without_places_are_read_and_moved_lines_are_no_difference(project: Path) -> None:
    now = audited(project)
    data = json.loads(now)
    unsaid = [
        {name: value for name, value in claim.items() if name not in ("location", "mechanism_location")}
        for claim in data["claims"]
    ]
    before = json.dumps({**data, "claims": unsaid})
    assert read_audit(before).claims[0].location is None
    assert difference(read_loosely(before), read_loosely(now)).is_none
    claims = project / "tests" / "claims_located.py"
    claims.write_text("\n\n" + claims.read_text())
    moved = audited(project)
    assert moved != now
    assert difference(read_loosely(now), read_loosely(moved)).is_none


def test_what_eval_compiles_has_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is kept under the name of its file, as Python 3.13 keeps the text of `python -c`."""
    monkeypatch.setitem(linecache.cache, "<string>", (20, None, ["def another(): ...\n"], "<string>"))
    function = eval("lambda draw, rows: 0")
    assert source_of(function) == ""
    assert sources([function]).strip() == repr_in_full(function)
    assert is_kept_nowhere(function.__code__)
    with pytest.raises(InputError, match=r"<lambda> has no source that could be changed, as <string> is no file: "):
        refuse_what_has_no_source(Claim(id="nowhere", mechanism=function, domain=[0, 1], epsilon=1))
    assert not is_kept_nowhere(repr_in_full.__code__)
