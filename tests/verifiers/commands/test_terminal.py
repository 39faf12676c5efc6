"""What a terminal shows: colour and width as its user has them, the claim in hand, and ids that a shell completes."""

import io
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from tests.verifiers.commands.command_runs import dpverify

from dpverify.mechanisms import Draw
from dpverify.reports.audits.table import claim_lines, last_lines
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Tuples, audit
from dpverify.verifiers.commands.auditing import Deciding, Telling, audit_command, decide_and_report
from dpverify.verifiers.commands.naming import complete_name
from dpverify.verifiers.commands.terminal import Progress, Terminal


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def usual(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.parametrize(
    ("stream", "given", "coloured", "width"),
    [
        (Tty, {}, True, 60),
        (Tty, {"NO_COLOR": "1"}, False, 60),
        (Tty, {"NO_COLOR": ""}, True, 60),
        (Tty, {"TERM": "dumb"}, False, None),
        (Tty, {"COLUMNS": "132"}, True, 132),
        (io.StringIO, {}, False, None),
        (io.StringIO, {"FORCE_COLOR": "1"}, True, None),
        (io.StringIO, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, None),
        (io.StringIO, {"FORCE_COLOR": ""}, False, None),
    ],
)
def test_colour_and_width_are_the_user_s(
    monkeypatch: pytest.MonkeyPatch, stream: Any, given: dict[str, str], coloured: bool, width: int | None
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    to = stream()
    terminal = Terminal(to)
    terminal.say([terminal.paint("PROVED", Status.PROVED)])
    assert to.getvalue() == ("\x1b[32mPROVED\x1b[0m\n" if coloured else "PROVED\n")
    assert terminal.width == width or given.get("TERM") == "dumb"


def row(draw: Draw, rows: tuple[int, ...]) -> Any:
    """The first row, which nobody is to see."""
    return rows[0]


def nothing(draw: Draw, rows: tuple[int, ...]) -> Any:
    return 0


CLAIMS = [
    Claim(id="lib.a-mechanism-with-quite-a-long-name", mechanism=row, domain=Tuples((0, 1), size=30 // 10), epsilon=1),
    Claim(id="lib.nothing", mechanism=nothing, domain=Tuples((0, 1), size=1), epsilon=0),
    Claim(id="lib.known", mechanism=row, domain=Tuples((0, 1), size=1), epsilon=1, expected=Status.REFUTED),
]


def plain(text: str, _: Status) -> str:
    return text


@pytest.mark.one_in(4)
@pytest.mark.parametrize("columns", [30, 60, 100, 200])
@pytest.mark.parametrize("detail", ["", "all"])
@pytest.mark.usefixtures("decided_here")
def test_lines_are_as_wide_as_the_terminal(columns: int, detail: Any) -> None:
    record = audit(CLAIMS, recheck=False)
    for claim in record.claims:
        free = claim_lines(claim, 0, plain, detail)
        lines = claim_lines(claim, 0, plain, detail, columns)
        copied = [line for line in lines if line.lstrip().startswith("python -c ")]
        assert len(copied) == sum(line.lstrip().startswith("python -c ") for line in free)
        assert all(len(line) <= max(columns, 13 + len(claim.id)) for line in lines if line not in copied)
        said = " ".join(" ".join(free).replace(", ", " ").split())
        assert " ".join(" ".join(lines).replace(", ", " ").split()) == said
    assert all(len(line) <= columns for line in last_lines(record, plain, below_claims=True, columns=columns))


def test_progress_says_what_is_in_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown = Tty()
    monkeypatch.setattr(sys, "stderr", shown)
    decide_and_report(CLAIMS, Deciding(recheck=False), {}, Telling())
    said = shown.getvalue()
    hands = [f"{i}/3 decided  {claim.id[:20]}" for i, claim in enumerate(CLAIMS)]
    assert [said.index(hand) for hand in hands] == sorted(said.index(hand) for hand in hands)
    assert said.rstrip().endswith("\x1b[2K") and "\x1b[?25h" in said  # it leaves nothing behind, and the cursor
    out = capsys.readouterr().out
    assert "REFUTED" in out and "\x1b" not in out


def test_a_terminal_is_shown_how_far_the_pairs_of_one_claim_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := Tty())
    now = [0.0]
    progress = Progress(1, clock=lambda: now[0])
    for moment, said in (
        (2, "lib.a"),
        (4, "lib.a (1 of 9 pairs)"),
        (4.5, "lib.a (2 of 9 pairs)"),
        (6, "lib.a (3 of 9 pairs)"),
    ):
        now[0] = moment
        progress.waiting([said], 0)
        if said == "lib.a":
            assert shown.getvalue() == ""
    progress.clear()
    assert [f"({pairs} of 9" in shown.getvalue() for pairs in (1, 2, 3)] == [True, False, True]


def test_a_log_is_told_how_far_the_pairs_are_after_a_silence(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = Progress(1, clock=lambda: now[0])
    for moment in (1, 29, 30, 59):
        now[0] = moment
        progress.waiting(["lib.a (1 of 9 pairs)"], 0)
    assert capsys.readouterr().err == "30 s: 0/1 decided, in hand: lib.a (1 of 9 pairs)\n"


@pytest.mark.parametrize("telling", [Telling(surprises_only=True), Telling()])
def test_logs_hold_no_progress(monkeypatch: pytest.MonkeyPatch, telling: Telling) -> None:
    shown = Tty() if telling.surprises_only else io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    decide_and_report(CLAIMS[1:], Deciding(recheck=False), {}, telling)
    assert shown.getvalue() == ""


def test_a_terminal_that_cannot_is_shown_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", shown := Tty())
    progress = Progress(5)
    progress.show("lib.a")
    progress.at(1, 5)
    progress.clear()
    assert shown.getvalue() == ""


def completed(begun: str, of_catalogue: bool = False) -> list[tuple[str, str]]:
    context = click.Context(audit_command)
    context.params["of_catalogue"] = of_catalogue
    return [(item.type, item.value) for item in complete_name(context, audit_command.params[0], begun)]


def test_a_shell_completes_ids_and_files() -> None:
    *ids, (kind, _) = completed("BNS-J-2.26.privacy.printed-at")
    assert kind == "file" and len(ids) == 3
    assert all(kind == "plain" and name.startswith("BNS-J-2.26.privacy.printed-at") for kind, name in ids)
    assert completed("claims/") == [("file", "claims/")]
    assert len(completed("HR")) > 100 and completed("HR")[0][1].startswith("HRS-")


def test_a_shell_completes_ids_of_the_folder_and_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "claims_mine.py").write_text("raise SystemExit\nx = Claim(id='mine.one')\ny = Claim(id=\"mine.two\")\n")
    assert completed("") == [("plain", "mine.one"), ("plain", "mine.two"), ("file", "")]
    assert completed("mine.t") == [("plain", "mine.two"), ("file", "mine.t")]
    assert ("plain", "mine.one") not in completed("", of_catalogue=True)
    assert len(completed("", of_catalogue=True)) > 900
    (tmp_path / "claims_mine.py").unlink()
    assert completed("m") == [("file", "m")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("BNS-J-2.26", "begin so, such as BNS-J-2.26.privacy.printed, BNS-J-2.26.privacy.printed-ln2,"),
        ("BNS-J-2.26", "'BNS-J-2.26*' means all of them"),
        ("BNS-J-2.26.structure", ": BNS-J-2.26.structure.gap begins so"),
        ("BNS-J-2.26.privacy.printed-at", ": 3 begin so, BNS-J-2.26.privacy.printed-at-2epsilon, "),
        ("BNS-J-2.26.structure.gapp", "did you mean BNS-J-2.26.structure.gap"),
    ],
)
def test_an_unknown_id_says_which_begin_so(name: str, said: str) -> None:
    done = dpverify("audit", name)
    assert done.exit_code == 2
    assert said in done.stderr
