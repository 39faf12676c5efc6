"""The README and the pages of docs/ do what they say: their code, commands, outputs, options, links and names.

A page is followed from its beginning to its end, in a folder of its own. A block of Python is run, or, where its first
line is `# name.py`, written to that file; what it prints is the block without a language that follows at once. A line
`$ command` is run, and what it prints follows it. In what is shown, … stands for anything, on a line of its own for any lines.
"""

import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner
from tests.adversary.tally import deep
from tests.deciding import decide_here, look_at_few_again
from tests.examples import in_one

from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES
from dpverify.reports.record import Status
from dpverify.verifiers.auditing.mutation.codes import Loaded
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.command_line import main
from dpverify.verifiers.commands.errors import load_command

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = (README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md")
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]
BY_THE_PAGE = ("docs/architecture.md", "docs/undecided.md")
"""A page that tests/test_architecture.py follows."""
LEFT_TO_DEEP_RUNS = (
    "dpverify audit BNS-J-2.26.privacy.corrected-ln2 BNS-X-Prop2.utility.gap BNS-J-2.26.structure.gap",
    "dpverify explain BuNS-4.3.lower-bound.words",
    "dpverify mutate claims_mylib.py",
    "dpverify mutate LSL-Num.privacy.released-discrete --seed 6 --limit 3 --stronger '[(0,0,0,0,0,1), (1,1,1,1,1,0)]'",
)
"""Commands of pages that take seconds for what is decided elsewhere, and what is shown of them with it."""
SECTIONS_LEFT = {
    "docs/adapting-existing-code.md": {"A compiled library": 2},
    "docs/gallery/choosing.md": {"Sparse vector": 2, "The best few": 4, "Select and measure": 2},
    "docs/gallery/counts.md": {"Class counts": 4},
    "docs/gallery/one-person.md": {"Answers that are shuffled": 2},
    "docs/gallery/programs.md": {"Prefixes that many have": 2},
    "docs/gaussian.md": {"Noisy max of votes, as PATE has it": 2},
    "docs/tracing.md": {"Learners of many concepts": 4},
    "docs/tutorial.md": {"Relations and sizes": 4},
    "docs/writing-mechanisms.md": {"Symmetric mechanisms": 4},
}
"""Sections that are left to deep runs as well, half the time of a page, and how many of its blocks are theirs."""
WITHOUT = [word for name in ("benchmark", "cacheprovider", "randomly", "xdist") for word in ("-p", f"no:{name}")]
"""For a run of pytest: plugins that it need not load, or ask others for what."""
CHECK = ("--domain", "Multisets(range(3), sizes=range(1, 7))", "--epsilon", "1")


class Block(NamedTuple):
    """A block of code: the line that it starts on, and whether it follows the one before at once."""

    line: int
    language: str
    text: str
    follows: bool


def blocks_of(text: str) -> list[Block]:
    found, end = [], 0
    for match in re.finditer(r"^```(\w*)\n(.*?)^```\n", text, flags=re.DOTALL | re.MULTILINE):
        between = text[end : match.start()]
        found.append(Block(text.count("\n", 0, match.start()) + 2, match[1], match[2], not between.strip()))
        end = match.end()
    return found


def shows(shown: str, printed: str) -> bool:
    """Whether what is shown is what was printed, with … for what is left out."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "…" else ".*".join(map(re.escape, line.split("…"))) + r"[ ]*\n"
        for line in shown.rstrip().splitlines()
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed.rstrip().splitlines())) is not None


class Reader:
    """Somebody who follows a page, block by block."""

    def __init__(self, folder: Path, pytester: pytest.Pytester | None = None) -> None:
        self._folder = folder
        self._pytester = pytester
        self._names: dict[str, Any] = {"__name__": "page"}
        self._source: list[str] = []

    def follow(self, text: str) -> int:
        """Do what the blocks say, and return how many of them did something. Raises where one shows something else."""
        done, printed, self._source = 0, "", []
        for block in blocks_of(text):
            before, printed = printed, ""
            where = f"line {block.line}"
            if block.language == "python":
                assert not before, f"{where}: nothing shows what the block before it prints"
                printed = self._python(block)
                done += 1
            elif block.text.startswith("$ "):
                for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, flags=re.MULTILINE):
                    if command in LEFT_TO_DEEP_RUNS and not deep():
                        continue
                    assert shows(shown, found := self._run(command)), f"{where}: {command} printed\n{found}"
                    assert "Error:" in shown or "Error:" not in found, f"{where}: {command} printed\n{found}"
                done += 1
            elif block.follows and before:
                assert shows(block.text, before), f"{where}: printed was\n{before}"
                done += 1
        assert not printed
        return done

    def _python(self, block: Block) -> str:
        if re.match(r"# \w+/", block.text):  # a file of the packages, which tests/test_architecture.py adds to a copy
            return ""
        if name := re.match(r"# (\w+\.py)\n", block.text):
            (self._folder / name[1]).write_text(block.text, encoding="utf-8")
            return ""
        forget_modules(self._folder)
        self._source += [""] * (block.line - 1 - len(self._source)) + block.text.split("\n")[:-1]
        linecache.cache["page"] = 0, None, [f"{line}\n" for line in self._source], "page"  # where its readers look
        code = compile("\n" * (block.line - 1) + block.text, "page", "exec", dont_inherit=True)
        with redirect_stdout(io.StringIO()) as output, pytest.MonkeyPatch.context() as patch:
            if ".scope" not in block.text:  # which says where laws were computed a second time
                decide_here(patch)
                look_at_few_again(patch)
            exec(code, self._names)
        return output.getvalue()

    def _run(self, command: str) -> str:
        program, *arguments = shlex.split(command)
        if program == "dpverify":
            return in_process(self._folder, *arguments)
        if program == "python":  # of examples, on files that tests/test_examples.py has; here they have to be there
            assert (ROOT / arguments[0]).is_file()
            return ""
        if program == "pytest":  # in this process, which has loaded what it takes
            assert self._pytester is not None
            forget_modules(self._folder)
            run = self._pytester.runpytest_inprocess(*WITHOUT, *arguments)
            return f"{run.stdout}\n{run.stderr}\n"
        assert program == "sed", f"nobody runs {program}"
        done = subprocess.run([program, *arguments], cwd=self._folder, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


def in_process(folder: Path, *arguments: str) -> str:
    forget_modules(folder)
    with pytest.MonkeyPatch.context() as patch:
        if arguments[0] == "mutate":
            Loaded.now().forget()  # here once, and not in the process of each mutant
        else:
            decide_here(patch)
            look_at_few_again(patch)
        return CliRunner().invoke(main, arguments).output


def forget_modules(folder: Path) -> None:
    """Those of a folder, which are written anew as a page goes on."""
    start = str(folder)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__dict__", {}).get("__file__") or "").startswith(start):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder, from which modules are imported and never from a file of before."""
    forget_modules(tmp_path.parent)  # of other tests
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path
    forget_modules(tmp_path)


RUN = {"README.md": 5, "docs/tutorial.md": 33, "docs/writing-mechanisms.md": 26, "docs/adapting-existing-code.md": 19}
RUN |= {
    "docs/all-sizes.md": 4,
    "docs/api.md": 2,
    "docs/auditing-libraries.md": 8,
    "docs/choosing-a-domain.md": 2,
    "docs/ci.md": 10,
    "docs/composites.md": 7,
    "docs/command-line.md": 5,
    "docs/findings.md": 1,
    "docs/gallery.md": 1,
    "docs/gallery/choosing.md": 32,
    "docs/gallery/counts.md": 36,
    "docs/gallery/one-person.md": 20,
    "docs/gallery/programs.md": 18,
    "docs/gaussian.md": 25,
    "docs/large-audits.md": 3,
    "docs/lower-bounds.md": 2,
    "docs/optimal.md": 10,
    "docs/real-data.md": 11,
    "docs/relations.md": 2,
    "docs/tracing.md": 12,
}
"""How many blocks of a page do something, so that none is passed over unseen."""
LEFT_TO_DEEP_PAGES = (
    "docs/gallery/choosing.md",
    "docs/gaussian.md",
    "docs/optimal.md",
    "docs/tracing.md",
)
"""Pages that deep runs follow alone: each of their programs is much like one that a test decides each time."""
BEGINNINGS = {"docs/gallery": "docs/gallery.md"}
"""Where pages of a folder say that they begin with what another page does."""


@pytest.mark.forks  # a page shows who computed laws a second time
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in LEFT_TO_DEEP_PAGES else name for name in RUN]
)
def test_a_page_does_what_it_shows(pytester: pytest.Pytester, folder: Path, name: str) -> None:
    left = {} if deep() else SECTIONS_LEFT.get(name, {})
    title, *sections = (ROOT / name).read_text(encoding="utf-8").split("\n## ")
    followed = [title, *(section for section in sections if section.partition("\n")[0] not in left)]
    assert len(followed) == 1 + len(sections) - len(left)
    reader = Reader(folder, pytester)
    if before := BEGINNINGS.get(name.rpartition("/")[0]):
        reader.follow((ROOT / before).read_text(encoding="utf-8"))
    assert reader.follow("\n## ".join(followed)) == RUN[name] - sum(left.values())


def test_no_page_with_code_is_left_out() -> None:
    for name, path in zip(NAMES, PAGES, strict=True):
        code = [b for b in blocks_of(path.read_text("utf-8")) if b.language == "python" or b.text.startswith("$ ")]
        assert name in (*RUN, *BY_THE_PAGE) or not code


def test_what_is_shown_has_to_be_printed() -> None:
    assert shows("a\n…\nb…c\n", "a\nx\ny\nb 1 c\n")
    assert shows("…\n", "")
    assert not shows("a\n…\nb\n", "a\nx\n")
    assert not shows("a\n", "a\nb\n")
    with pytest.raises(AssertionError, match="line 6: printed was"):
        Reader(Path()).follow("```python\nprint(2)\n```\n\n```\n3\n```\n")
    with pytest.raises(AssertionError):
        Reader(Path()).follow("```python\nprint(2)\n```\n")


def test_the_line_that_reproduces_a_witness(folder: Path) -> None:
    """In another process, where there is no checker."""
    text = next(block.text for block in blocks_of(README.read_text("utf-8")) if block.text.startswith("# mylib.py"))
    (folder / "mylib.py").write_text(text.replace("(counts, epsilon)", "(counts, 2 * epsilon)"), encoding="utf-8")
    printed = in_process(folder, "check", "mylib.py:most_common", *CHECK)
    (line,) = (line.strip() for line in printed.splitlines() if "python -c" in line)
    _, *arguments = shlex.split(line)
    again = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    assert again.stdout == "1/(2 + e^(-1)) e^(-2)/(1 + 2·e^(-2)) True\n"


LONGEST = {"README.md": 900, "docs/comparison.md": 600, "docs/installing.md": 500}
"""Words of pages that everybody begins with."""


@pytest.mark.parametrize("name", LONGEST)
def test_what_everybody_reads_is_short(name: str) -> None:
    words = len((ROOT / name).read_text(encoding="utf-8").split())
    assert LONGEST[name] // 2 < words <= LONGEST[name]


@in_one("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for path in PAGES[1:]:
        if path != ROOT / "docs" / "README.md":
            assert f"({os.path.relpath(path, ROOT / 'docs')})" in index


def code_of(name: str) -> list[str]:
    """What stands in backquotes, and the lines of blocks without a language."""
    return code_in((ROOT / name).read_text(encoding="utf-8"))


def code_in(text: str) -> list[str]:
    blocks = (block.text for block in blocks_of(text) if not block.language)
    prose = re.sub(r"^```.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)
    return [*re.findall(r"`([^`]+)`", prose), *(line for block in blocks for line in block.splitlines())]


@in_one("name", NAMES)
def test_commands_and_their_options_are_there(name: str) -> None:
    for code in code_of(name):
        if given := re.match(r"(?:\$ )?dpverify ([a-z]+)\b(.*)", code):
            listed = main.commands.get(given[1])
            assert listed is not None, code
            known = {
                option
                for parameter in load_command(listed).params
                for option in (*parameter.opts, *parameter.secondary_opts)
            }
            assert {*re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", given[2].split("   ")[0])} <= {*known, "--help"}, code


def test_every_option_of_the_page_on_the_command_line_is_one_of_a_command() -> None:
    of_commands = {
        option
        for command in main.commands.values()
        for parameter in load_command(command).params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    shown = {option for code in code_of("docs/command-line.md") for option in re.findall(r"--[a-z][a-z0-9-]*", code)}
    assert shown - of_commands == {"--help"}
    assert {option for option in of_commands if option.startswith("--")} - shown <= {"--help"}


@in_one("name", NAMES)
def test_names_of_files_and_of_the_makefile_are_there(name: str) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for code in code_of(name):
        if re.fullmatch(r"(?:mechanisms|verifiers|reports|tests|docs)/[\w./-]+", code):
            assert (ROOT / code).exists(), code
        if target := re.match(r"make ([a-z]+)\b", code):
            assert target[1] in targets, code


def test_what_there_is_to_run_is_there() -> None:
    page = (ROOT / "docs" / "writing-mechanisms.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z]\w+)`", page.partition("## What else there is to run")[2])
    assert len(named) > 30
    exported = {name for room in (*FACES, *EXPORTING_PACKAGES) for name in import_module(room).__all__}
    assert [name for name in named if name not in exported] == []


def verdicts(record: Any) -> Iterator[tuple[str, str]]:
    """The ids and verdicts anywhere in a report."""
    if isinstance(record, dict):
        if "id" in record and "verdict" in record:
            yield record["id"], record["verdict"]
        record = list(record.values())
    if isinstance(record, list):
        for each in record:
            yield from verdicts(each)


def test_what_findings_call_refuted_is_so_in_the_committed_report() -> None:
    reports = (ROOT / "reports" / "results").glob("*.json")
    found = dict(pair for path in reports for pair in verdicts(json.loads(path.read_text(encoding="utf-8"))))
    refuted, proved = (
        [code for code in code_in(part) if re.fullmatch(r"[A-Z][\w.-]+\.(privacy|utility|structure)\.[\w-]+", code)]
        for part in parts_of_findings()
    )
    assert len(refuted) > 40 and len(proved) > 10
    assert {id: found.get(id) for id in refuted if found.get(id) != "REFUTED"} == {}
    expected = {claim.id: claim.verdict_expected for claim in catalogue()}
    assert {id: expected.get(id) for id in proved if expected.get(id) is not Status.PROVED} == {}


def parts_of_findings() -> tuple[str, str]:
    """What is refuted, and from what is weak on what is proved."""
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    before, heading, after = text.partition("\n## Proofs that far less noise earns, too\n")
    assert heading
    return before, after
