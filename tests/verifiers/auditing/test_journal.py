"""An audit that was interrupted goes on from what was decided, and writes the bytes that it would have written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from tests.verifiers.auditing.origins import but_for_origins, origins

from dpverify.mechanisms import InputError, bernoulli
from dpverify.reports.audits.json_form import read_audit, result_from_json, to_json
from dpverify.reports.audits.summary import headline
from dpverify.reports.audits.table import to_table
from dpverify.reports.formats.github import summary
from dpverify.reports.formats.rendering import render
from dpverify.reports.record import AuditRecord, Status
from dpverify.verifiers import Claim, audit
from dpverify.verifiers.auditing.auditing import AuditStopped
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings
from dpverify.verifiers.auditing.cache.journal import Journal, _Line, journal_in
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.auditing.cache.verdict_cache import digest_of
from dpverify.verifiers.claims import How
from dpverify.verifiers.command_line import main
from dpverify.verifiers.locations import Reference

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is kept where nothing is forked")

CLAIMS = """
from dpverify.mechanisms import bernoulli, exponential
from dpverify.verifiers import Claim, Multisets

def most(draw, rows, *, epsilon):
    return draw(exponential({x: rows.count(x) for x in range(4)}, epsilon))

def first(draw, rows):
    return rows.count(0) if draw(bernoulli("1/3")) else 0

quick = Claim(id="quick", mechanism=most, domain=Multisets(range(3), size=2), epsilon=1, source="test")
refuted = Claim(id="refuted", mechanism=first, domain=Multisets(range(3), size=2), epsilon=1, source="test")
longer = [
    Claim(id=f"longer-{size}", mechanism=most, domain=Multisets(range(4), size=size), epsilon=1, source="test")
    for size in (13, 14)
]
"""


def begun(folder: Path, *options: str) -> subprocess.Popen[str]:
    arguments = ["audit", "claims_of_a_journal.py", "--jobs", "1", "--no-cache", *options]
    code = (
        "import signal, sys; sys.dont_write_bytecode = True\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it\n"
        "from dpverify.verifiers.command_line import main; main(sys.argv[1:])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def audited(folder: Path, *options: str) -> tuple[int, str]:
    with begun(folder, *options) as running:
        out, err = running.communicate()
    return running.returncode, out + err


REPORTS = ("audit.json", "audit.md", "audit.html")


def reports(folder: Path) -> list[str]:
    return [
        "--json",
        str(folder / "audit.json"),
        "--markdown",
        str(folder / "audit.md"),
        "--html",
        str(folder / "audit.html"),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "claims_of_a_journal.py").write_text(CLAIMS)
    time.sleep(0.3)  # a file that was written just now may not be what is loaded
    for name in ("whole", "half", "resumed"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.deep
def test_an_interrupted_audit_is_resumed(folder: Path) -> None:
    whole, text = audited(folder, *reports(folder / "whole"))
    assert (whole, "4 claims" in text) == (1, True), text
    with begun(folder, "--resume", "journal", *reports(folder / "half")) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if "refuted" in line:
                running.send_signal(signal.SIGINT)
                break
        running.communicate()
    assert running.returncode == 130
    lines = (folder / "journal").read_bytes().splitlines()
    assert 1 <= len(lines) < 4
    assert "interrupted before it was decided" in (folder / "half" / "audit.json").read_text()
    with (folder / "journal").open("ab") as journal:
        journal.write(lines[0][:50])  # what a power cut leaves
    resumed, text = audited(folder, "--resume", "journal", *reports(folder / "resumed"))
    assert resumed == whole, text
    assert "of the verdicts were taken from journal" in text
    first, second = (read_audit((folder / name / "audit.json").read_bytes()) for name in ("whole", "resumed"))
    assert but_for_origins(second) == but_for_origins(first), "and dates and command lines differ"
    assert set(origins(second)) == {"journal", "decided"}
    for name in REPORTS[1:]:
        texts = [(folder / of / name).read_text() for of in ("whole", "resumed")]
        assert [text.count("from a journal") for text in texts] == [0, 1 + origins(second).count("journal")]
    assert len((folder / "journal").read_bytes().splitlines()) == 4 + 1

    (folder / "claims_of_a_journal.py").write_text(CLAIMS.replace("1/3", "1/4"))
    time.sleep(0.3)
    audited(folder, "--resume", "journal", *reports(folder / "half"))
    assert "1/4" in (folder / "half" / "audit.json").read_text()


# --- In this process


def coin(draw: Any, rows: Any) -> Any:
    return draw(bernoulli("0.5"))


def claim(name: str, mechanism: Any = coin, **given: Any) -> Claim:
    domain = [(0,), (1,)]
    made = Claim(id=name, mechanism=mechanism, domain=domain, epsilon=1, neighbours_agree=True, **given)
    made.stands_at(Reference("/claims_of_a_journal.py", name))
    return made


def raises(draw: Any, rows: Any) -> Any:
    raise ValueError("no")


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Journal]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return lambda: Journal(tmp_path / "journal", lambda: Surroundings(2**80, tmp_path / "package"))


def said(record: AuditRecord) -> list[str]:
    return [render(record, suffix) for suffix in (".json", ".md", ".html")]


CLAIMS_HERE = [claim("a"), claim("b", lambda draw, rows: 0), claim("c", raises), claim("d"), claim("e")]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard, also where whoever started this process had it ignored, as shells do in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_what_was_decided_is_taken_and_the_rest_decided(journal: Callable[[], Journal], tmp_path: Path) -> None:
    def interrupt(done: int, _: object) -> None:
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)

    whole = audit(CLAIMS_HERE, recheck=False)
    assert origins(whole) == ["decided"] * 4
    with pytest.raises(AuditStopped) as interruption:
        audit(CLAIMS_HERE, recheck=False, cache=journal(), on_result=interrupt)
    assert interruption.value.record.not_decided
    before = (tmp_path / "journal").read_bytes()
    taken = before.count(b"\n")
    assert 2 <= taken < 5
    resumed = audit(CLAIMS_HERE, recheck=False, cache=journal())
    assert said(but_for_origins(resumed)) == said(whole)
    assert origins(resumed) == ["journal"] * taken + ["decided"] * (4 - taken)
    assert [claim.cached for claim in resumed.claims] == [True] * taken + [False] * (4 - taken)
    after = (tmp_path / "journal").read_bytes()
    assert (after.startswith(before), after.count(b"\n")) == (True, 4)
    again = journal()
    all_taken = audit(CLAIMS_HERE, recheck=False, cache=again)
    assert said(but_for_origins(all_taken)) == said(whole)
    assert origins(all_taken) == ["journal"] * 4
    assert again.said == f"4 of the verdicts were taken from {tmp_path / 'journal'}"
    assert (tmp_path / "journal").read_bytes() == after


def forged(line: bytes, **changed: Any) -> bytes:
    """A line of a journal that says something else, with the hash that it takes."""
    found = msgspec.json.decode(line, type=_Line)
    text = msgspec.json.encode(msgspec.structs.replace(result_from_json(bytes(found.result)), **changed))
    return msgspec.json.encode(_Line(found.key, digest_of(found.key, text), msgspec.Raw(text))) + b"\n"


@pytest.mark.usefixtures("decided_here")
def test_whoever_reads_any_report_can_tell_what_was_forged(journal: Callable[[], Journal], tmp_path: Path) -> None:
    """A journal is believed, whatever it says of itself: all reports say that there was one."""
    refuted = claim("refuted", lambda draw, rows: rows)
    refuted = replace(refuted, neighbours_agree=False)
    refuted.stands_at(Reference("/claims_of_a_journal.py", "refuted"))
    audit([refuted], recheck=False, cache=journal())
    (line,) = (tmp_path / "journal").read_bytes().splitlines()
    lie = {"verdict": Status.PROVED, "neighbours_agree": False, "witness": None}
    (tmp_path / "journal").write_bytes(forged(line, **lie, origin="decided", cached=False))
    record = audit([refuted, claim("sound")], recheck=False, cache=journal())
    assert record.as_expected
    assert origins(record) == ["journal", "decided"]
    assert headline(record).endswith("all as expected (1 from a journal)")
    assert '"origin": "journal"' in to_json(record)
    assert read_audit(to_json(record)) == record
    assert "refuted" in next(row for row in to_table(record).splitlines() if "from a journal" in row)
    told = {suffix: render(record, suffix) for suffix in (".md", ".html", ".xml", ".sarif")}
    told["the summary of a job"] = summary(record)
    for name, text in told.items():
        assert "from a journal" in text, name
    anew = audit([refuted, claim("sound")], recheck=False)
    assert not anew.as_expected
    for text in (render(anew, suffix) for suffix in (".md", ".html", ".xml", ".sarif")):
        assert "from a journal" not in text


def test_a_strict_audit_takes_nothing_from_a_journal(
    journal: Callable[[], Journal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="--strict and --resume exclude each other: a journal is believed"):
        audit([claim("a")], strict=True, cache=journal())
    assert not (tmp_path / "journal").exists()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims_strict.py").write_text("raise SystemExit('it is not loaded')")
    for command in (["audit"], ["utility"], ["lemmas"]):
        given = ["claims_strict.py", "--strict", "--resume", "journal", "--json", "audit.json"]
        result = CliRunner().invoke(main, [*command, *given])
        assert result.exit_code == 2, result.output
        assert "Error: --strict and --resume exclude each other" in result.output
        assert "leave out --resume" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["claims_strict.py"]


def test_a_line_that_is_not_whole_or_of_another_claim_is_not_taken(
    journal: Callable[[], Journal], tmp_path: Path
) -> None:
    audit([claim("a")], recheck=False, cache=journal())
    (line,) = (tmp_path / "journal").read_bytes().splitlines()
    (tmp_path / "journal").write_bytes(line.replace(b"PROVED", b"FUZZED") + b"\n" + line + b"\n" + line[:40])
    kept = journal()
    kept.begin()
    assert kept.earlier(claim("b"), How(recheck=False)) is None
    assert kept.earlier(claim("a"), How()) is None  # decided in another way
    assert kept.earlier(claim("a", delta=1), How(recheck=False)) is None
    assert (tmp_path / "journal").read_bytes().endswith(b"\n")


def test_what_changes_meanwhile_is_not_written(journal: Callable[[], Journal], tmp_path: Path) -> None:
    changing = journal()
    (tmp_path / "package" / "verifiers").mkdir(parents=True)

    def change(done: int, _: object) -> None:
        (tmp_path / "package" / "verifiers" / f"new_{done}.py").write_text("")

    audit([claim("a"), claim("b")], recheck=False, cache=changing, on_result=change)
    assert (tmp_path / "journal").read_bytes().count(b"\n") <= 1


def test_without_keys_there_is_no_journal(tmp_path: Path) -> None:
    def none() -> Surroundings:
        raise NoKey("a file has changed")

    with pytest.raises(InputError, match="could not be recognised: a file has changed"):
        audit([claim("a")], cache=Journal(tmp_path / "journal", none))


@pytest.mark.usefixtures("decided_here")
def test_a_journal_with_former_fields_is_a_journal_and_all_is_decided_again(
    journal: Callable[[], Journal], tmp_path: Path
) -> None:
    """What another version wrote is not taken, even under the key of now, and the audit goes on."""
    audit([claim("a")], recheck=False, cache=journal())
    (line,) = (tmp_path / "journal").read_bytes().splitlines()
    known = msgspec.json.decode(line, type=_Line)
    text = bytes(known.result).replace(b'"headroom"', b'"slack"')
    (tmp_path / "journal").write_bytes(
        msgspec.json.encode(_Line(known.key, digest_of(known.key, text), msgspec.Raw(text))) + b"\n"
    )
    assert b'"slack"' in (tmp_path / "journal").read_bytes()
    assert origins(audit([claim("a")], recheck=False, cache=journal())) == ["decided"]


def test_files_that_are_no_journals(journal: Callable[[], Journal], tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("no journal\n")
    with pytest.raises(InputError, match=r"--resume .*journal: it is no journal of an audit: name another file"):
        journal().begin()
    assert (tmp_path / "journal").read_text() == "no journal\n"
    for place in (tmp_path, tmp_path / "nowhere" / "journal"):
        with pytest.raises(InputError, match=f"--resume {place}: it is no file in a folder"):
            journal_in(place)
