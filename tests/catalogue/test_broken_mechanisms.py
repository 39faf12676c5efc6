"""Mechanisms broken by hand, as people err: own claims that every audit decides are refuted of each.

`broken_mechanisms.json` has the text that is replaced, in which file, and a claim that notices. All of them break
privacy; two are of the threshold oracle, which answers one query too many, or has noise for one too few.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from dpverify.verifiers import Claim
from dpverify.verifiers.auditing.auditing import load_modules
from dpverify.verifiers.auditing.selection import selected
from dpverify.verifiers.mutation.codes import Loaded, text_of_file
from dpverify.verifiers.mutation.mutation import Edit, Mutation
from dpverify.verifiers.mutation.subjects import Trials, surveys
from dpverify.verifiers.processes.versions import PACKAGE

BROKEN: Final[list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("broken_mechanisms.json").read_text(encoding="utf-8")
)

QUICK: Final = (
    "comp: one more part",
    "lap: scale by data",
    "choosing: data in cut",
)
"""Those that are decided in each run of the tests, some of different families; the others take longer together."""


def mutation_of(broken: dict[str, Any], file: str) -> Mutation:
    """The change as one of the mutations that `dpverify mutate` makes, where its text stands in the file now."""
    source = text_of_file(file)
    assert source is not None
    parts = source.split(broken["old"])
    assert len(parts) > broken["occurrence"] + 1, "its line is another one by now"
    start = len(broken["old"].join(parts[: broken["occurrence"] + 1]).encode())
    edit = Edit(start, start + len(broken["old"].encode()), broken["new"])
    return Mutation(broken["what"], file, (), 1, broken["old"], broken["new"], (edit,), 1)


@pytest.mark.parametrize("broken", BROKEN, ids=[broken["what"] for broken in BROKEN])
def test_each_is_where_it_was(broken: dict[str, Any]) -> None:
    file = str(PACKAGE / broken["file"])
    mutated = mutation_of(broken, file).of(text_of_file(file) or "")
    compile(mutated, broken["file"], "exec")
    (claim,) = selected([broken["killed_by"]])
    assert claim.depth == "quick"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """All code, with that of all claims, and nothing remembered: to look for it takes longer than what follows."""
    load_modules(selected([broken["killed_by"] for broken in BROKEN]))
    found = Loaded.now()
    found.forget()
    return found


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(broken, id=broken["what"], marks=() if broken["what"] in QUICK else pytest.mark.deep)
        for broken in BROKEN
    ],
)
def test_an_own_claim_is_refuted_of_it(broken: dict[str, Any], loaded: Loaded) -> None:
    (claim,) = selected([broken["killed_by"]])
    assert isinstance(claim, Claim)
    ((subject,), rows, _) = surveys([claim], loaded, 1, with_strength=False)
    assert rows == []
    place = (PACKAGE / broken["file"]).resolve()
    (file,) = (file for file, _ in subject.survey.running if Path(file).resolve() == place)  # as its code names it
    mutation = mutation_of(broken, file)
    key = mutation.file, mutation.edits
    subject.mutations = {key: mutation}
    Trials(loaded, 20, "quick", 1, lambda done, known: None).decide([(subject, key)])
    assert subject.outcomes[key].fate == "killed", subject.outcomes[key]


def test_those_of_each_run_are_among_them() -> None:
    assert set(QUICK) <= {broken["what"] for broken in BROKEN}
