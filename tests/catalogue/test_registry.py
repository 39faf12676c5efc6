"""The registry: how claims are found, in which order, what is loaded, and how those of two commits are compared."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from tests.catalogue.compare_claims import differences, main

import dpverify.verifiers.catalogue as registry
from dpverify.verifiers import Claim, Lemma, PacClaim, UtilityClaim
from dpverify.verifiers.catalogue import (
    calculations,
    catalogue,
    endings,
    lemmas,
    lower_bounds,
    modules_of,
    privacy_claims,
    steps,
    utility_claims,
)
from dpverify.verifiers.catalogue import selection as a_topic
from dpverify.verifiers.claims import claims_in

CLASSES = (Claim, UtilityClaim, PacClaim, Lemma)


def everywhere() -> list[str]:
    return [module.name for module in walk_packages(registry.__path__, f"{registry.__name__}.") if not module.ispkg]


def test_each_claim_lies_in_a_module_of_its_kind() -> None:
    """Else it would be a claim of the whole catalogue, and of no kind; or of none at all."""
    of_kinds = [*privacy_claims(), *utility_claims(), *calculations(), *lemmas(), *lower_bounds(), *steps()]
    anywhere = [claim for name in everywhere() for claim in claims_in(vars(import_module(name)))]
    assert {claim.id for claim in catalogue()} == {claim.id for claim in of_kinds} == {claim.id for claim in anywhere}
    assert len(catalogue()) == len(of_kinds)


def test_the_order_is_by_topic_and_then_by_module() -> None:
    parts = [name.partition(".catalogue.")[2].split(".") for name in modules_of(endings())]
    assert len(parts) > 60
    assert parts == sorted(parts, key=lambda part: (registry.TOPICS.index(part[0]), part[-1]))
    ids = [claim.id for claim in catalogue()]
    for kind in (privacy_claims(), utility_claims(), calculations(), lemmas(), lower_bounds(), steps()):
        places = [ids.index(claim.id) for claim in kind]
        assert places == sorted(places)


def test_topics_are_the_folders_and_have_the_names_of_those_of_the_mechanisms() -> None:
    folders = {path.parent.name for path in Path(registry.__path__[0]).glob("*/__init__.py")}
    assert folders == set(registry.TOPICS)
    for topic in registry.TOPICS:
        assert import_module(f"dpverify.mechanisms.{topic}")


def test_modules_of_claims_have_claims() -> None:
    for name in modules_of(endings()):
        assert claims_in(vars(import_module(name))), name


@pytest.fixture
def further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose modules are of a topic."""
    monkeypatch.setattr(a_topic, "__path__", [*a_topic.__path__, str(tmp_path)])
    yield tmp_path
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(f"{a_topic.__name__}.{path.stem}", None)
        vars(a_topic).pop(path.stem, None)


def test_a_claim_needs_its_module_and_nothing_else(further: Path) -> None:
    (further / "toy_privacy.py").write_text(
        "from dpverify.verifiers import Claim\n"
        "toys = [Claim(id='toy.privacy.one', mechanism=lambda draw, bit: 0, domain=(0, 1), epsilon=1)]\n"
    )
    found = [claim for claim in privacy_claims() if claim.id == "toy.privacy.one"]
    assert len(found) == 1
    assert found[0] in catalogue()
    assert found[0].reference is not None
    assert found[0].reference.place == ""


def test_what_is_loaded_for_privacy_and_for_all() -> None:
    """In another process, where nothing has been loaded before."""
    code = (
        "import sys; from dpverify.verifiers.catalogue import *\n"
        "privacy_claims(); print([name for name in sys.modules if name.endswith(('_utility', '_calculation', '_structure', '_lower_bound', '_step'))])\n"
        "catalogue(); print([name for name in ('z3', 'cvc5', 'hypothesis') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["[]", "[]"]


# --- The comparison of the claims of two commits
CLAIM = {"id": "a", "kind": "step", "says": "x ≤ 1", "mutants": [{"change": "2"}], "location": {"line": 1}}


def compared(folder: Path, old: object, new: object) -> int:
    for name, data in (("old", old), ("new", new)):
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return main(["compare", str(folder / "old"), str(folder / "new")])


def test_a_difference_is_printed_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = {**CLAIM, "mutants": [{"change": "3"}]}
    assert compared(tmp_path, {"a": CLAIM}, {"a": other}) == 1
    assert 'a mutants[0] change:\n    - "2"\n    + "3"\n1 claims compared, 1 differences' in capsys.readouterr().out


def test_places_alone_do_not_differ_and_records_are_compared_as_well(tmp_path: Path) -> None:
    moved = {**CLAIM, "location": {"line": 2}}
    assert compared(tmp_path, {"a": CLAIM}, {"a": moved}) == 0
    assert compared(tmp_path, {"claims": [CLAIM]}, {"claims": [moved]}) == 0
    assert compared(tmp_path, {"claims": [CLAIM]}, {"claims": [{**moved, "says": "x < 1"}]}) == 1


def test_a_claim_that_is_gone_or_new_differs_and_nothing_to_compare_fails(tmp_path: Path) -> None:
    assert compared(tmp_path, {"a": CLAIM, "b": CLAIM}, {"a": CLAIM}) == 1
    assert compared(tmp_path, {"a": CLAIM}, {"a": CLAIM, "b": CLAIM}) == 1
    assert compared(tmp_path, {}, {}) == 1
    assert compared(tmp_path, {"claims": []}, {"claims": []}) == 1


def test_values_of_two_types_differ() -> None:
    assert list(differences({"a": 1}, {"a": True})) == ["a:\n    - 1\n    + true"]
    assert len(list(differences({"a": [1, 2]}, {"a": [1]}))) == 1
    assert len(list(differences({"a": None}, {}))) == 1
