"""Mistyped words: one line that says what may be meant, or what may be given."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.examples import in_one
from tests.verifiers.commands.command_runs import ONE, dpverify

from dpverify.verifiers.command_line import main
from dpverify.verifiers.commands.errors import load_command
from dpverify.verifiers.commands.short_help import ShortHelp

CHECK = ("check", "mylib:most_common", "--epsilon", "1", "--domain")
TUPLES = "Tuples((0, 1), size=1)"


@in_one(
    "arguments, said",
    [
        (("audit", "--kind", "privcy"), "privcy is none of privacy, utility, "),
        (("audit", "--kind", "privcy"), "sampled: did you mean privacy? (see main audit --help)"),
        (("audit", "--depth", "quik"), "quik is none of quick, report, full: did you mean quick?"),
        (("audit", "--jobs", "two"), "'--jobs': two is no whole number from 1 on"),
        (("mutate", "--seed", "x"), "'--seed': x is no whole number ("),
        (("audit", "--timeout", "soon"), "'--timeout': soon is no time: give seconds, more than 0, such as 60 or 0.5"),
        (("audit", "--limit", "path=3"), "--limit path=3 (did you mean paths?)"),
        (("audit", "claim_mine.py"), "claim_mine.py is not a file (did you mean claims_mine.py?)"),
        (("check", "mylib.py"), "mylib.py names no function: write mylib.py:most_common"),
        (("audit", "claims_mine"), "and the catalogue have no claim claims_mine: did you mean claims_mine.py?"),
        (("audit", "mine.oen"), "claims_mine.py and the catalogue have no claim mine.oen: did you mean mine.one"),
        (("audit", "mine.*x"), "no claim mine.*x: the nearest ids are mine.two and mine.one"),
        (("audit", "--catalogue", "claims_mine.py"), "ids of the catalogue, and claims_mine.py exclude each other"),
        (
            ("audit", "claims_mine.py::mine.one", "--coverage", "mylb"),
            "the package 'mylb' does not exist (did you mean mylib?)",
        ),
        ((*CHECK, "mylib:nope"), "mylib has no nope: write most_common"),
        ((*CHECK, "Tuples((0, 1), size=1)", "--delta", "symbolic"), "epsilon=1 is a number, and delta=ε is not: write"),
        (("check", "mylb:most_common", *ONE), "there is no module mylb (did you mean mylib?)"),
        (("check", "mylib.py", "answer", "more", *ONE), "of check, mylib.py and answer and more, is not one mechanism"),
        (
            ("check", "claims_mine.py::mine.one", *ONE),
            "mine.one is a claim, and no mechanism: `dpverify audit claims_mine.py mine.one` decides it",
        ),
        ((*CHECK, "Multiset((0, 1), size=1)"), "size=1): Multiset is not known here (did you mean Multisets?)"),
        (
            (*CHECK, "Tuples((0, 1), rows=1)"),
            "Tuples((0, 1), rows=1): Tuples has no rows=: it has universe, size, sizes",
        ),
        ((*CHECK, "Blurb(2)"), "domain Blurb(2): Blurb is not known here"),
        (
            ("check", "mylib:answer", "--domain", TUPLES, "--epsilon", "symbollic"),
            "symbollic is not known here (did you mean symbolic?)",
        ),
    ],
)
def test_one_line_says_what_may_be_meant(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    done = dpverify(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_a_file_and_a_function_beside_it_are_a_mechanism(folder: Path) -> None:
    beside = dpverify("check", "mylib.py", "answer", *ONE, "--no-recheck")
    assert beside.exit_code == 1
    assert beside.stdout == dpverify("check", "mylib.py:answer", *ONE, "--no-recheck").stdout


def test_the_help_of_all_commands_fits_on_one_screen() -> None:
    lines = CliRunner().invoke(main, ("--help",), terminal_width=80).stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80


@pytest.mark.parametrize("command", sorted(main.commands))
def test_the_help_of_a_command_fits_on_one_screen(command: str) -> None:
    """40 lines of 80 columns; what it leaves out stands in --help-all, where each option is one sentence."""
    lines = CliRunner().invoke(main, (command, "--help"), terminal_width=80).stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    options = [one for one in load_command(main.commands[command]).params if isinstance(one, click.Option)]
    if isinstance(load_command(main.commands[command]), ShortHelp):
        whole = CliRunner().invoke(main, (command, "--help-all"), terminal_width=80)
        assert whole.exit_code == 0
        listed = re.findall(r"^  (?:-\w, |/ )?(--[\w-]+)", whole.stdout, flags=re.MULTILINE)
        assert listed == [one.opts[-1] for one in options if one.opts[-1] != "--help-all"] + ["--help-all", "--help"]
        assert [line.split()[-1] for line in lines[-2:]] == ["exit.", "exit."]
        assert len(listed) > len(re.findall(r"^  -", "\n".join(lines), flags=re.MULTILINE)) > 8
    for one in options:
        assert re.fullmatch(r"[A-Z][^.]*(?:\.\w[^.]*)*(?:\.\.\.[^.]*)?\.", one.help or ""), one.help
