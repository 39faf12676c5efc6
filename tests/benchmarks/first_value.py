"""Write docs/first-value.md, what a newcomer waits for: python -m tests.benchmarks.first_value docs.

It does, in a folder that is gone afterwards, what the pages say: a clone, an environment, the README's mechanism, its
witness, a gate that is green and red. Installing asks the package index for what dpverify depends on.
"""

from __future__ import annotations

import platform
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click

ROOT: Final = Path(__file__).parents[2]
CHECK: Final = "dpverify check mylib.py:most_common --domain 'Multisets(range(3), sizes=range(1, 7))' --epsilon 1"
BREAK: Final = "sed -i 's/(counts, epsilon)/(counts, 2 * epsilon)/' mylib.py"
MEND: Final = r"sed -i 's/(counts, 2 \* epsilon)/(counts, epsilon)/' mylib.py"
GATE: Final = "dpverify audit claims_mylib.py --baseline dpverify-baseline.txt"

HEAD: Final = """# What a newcomer waits for

The seconds of each command from a clean clone to a gate, by the commands of [Installing](installing.md), the
[README](../README.md) and [Continuous integration](ci.md). The page is written by `python -m tests.benchmarks.first_value docs`, which
runs them and stops where one does not print what is expected. Reading and typing are not in it.
"""


class Command(NamedTuple):
    """A command, its exit status and what it has to print; `{witness}` is the line that replays one."""

    line: str
    status: int = 0
    prints: str = ""


class Measured(NamedTuple):
    """What a command took, in seconds."""

    command: Command
    waited: float
    cpu: float


INSTALL: Final = "Install"
STEPS: Final[dict[str, Sequence[Command]]] = {
    INSTALL: (
        Command(f"git clone --quiet {ROOT} dpverify"),
        Command("python3 -m venv venv"),
        Command("pip install --quiet --disable-pip-version-check ./dpverify"),
        Command("dpverify --version", prints="dpverify, version"),
    ),
    "A mechanism of one's own, PROVED": (Command(CHECK, prints="1 claim: 1 PROVED; all as expected"),),
    "A witness, and its probabilities anew": (
        Command(BREAK),
        Command(CHECK, 1, "Pr[event | left] - e^ε·Pr[event | right] = 0.132802812851 > δ = 0"),
        Command("{witness}", prints="True"),
        Command(MEND),
    ),
    "A gate": (
        Command("pytest -q -p no:cacheprovider", prints="1 passed"),
        Command(f"{GATE} --update-baseline", prints="wrote dpverify-baseline.txt"),
        Command(GATE, prints="Gate passed"),
        Command(BREAK),
        Command(GATE, 1, "Gate failed: 1 worse"),
    ),
}


def measured(folder: Path) -> Iterator[tuple[str, Measured]]:
    """Each step with a command of it and its seconds. Raises `AssertionError` where one does something else."""
    own = folder / "own"
    own.mkdir()
    for name in ("mylib.py", "claims_mylib.py"):
        (own / name).write_text(file_of_the_readme(name), encoding="utf-8")
    said = ""
    for step, commands in STEPS.items():
        for command in commands:
            line = (
                re.findall(r"^ *(python -c .*)$", said, flags=re.MULTILINE)[0]
                if "{" in command.line[:1]
                else command.line
            )
            start, before = time.perf_counter(), _cpu()
            done = subprocess.run(
                ["bash", "-c", f"[ ! -e {folder}/venv/bin/pip ] || . {folder}/venv/bin/activate; {line}"],
                cwd=folder if step == INSTALL else own,
                capture_output=True,
                text=True,
                check=False,
            )
            taken = Measured(command, time.perf_counter() - start, _cpu() - before)
            printed = done.stdout + done.stderr
            assert done.returncode == command.status and command.prints in printed, f"{line}\n{printed}"
            said = printed if "python -c" in printed else said
            yield step, taken


def file_of_the_readme(name: str) -> str:
    """A file that the README shows."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if block.startswith(f"# {name}\n"))


def page(found: Sequence[tuple[str, Measured]]) -> str:
    """The text of the page."""
    rows = "\n".join(_rows(found))
    machine = (
        f"Measured with Python {platform.python_version()} on {platform.machine()}. Others used the machine, too.\n"
    )
    return f"{HEAD}\n{machine}\n| what | command | waited, s | CPU, s |\n| --- | --- | ---: | ---: |\n{rows}\n"


def _rows(found: Sequence[tuple[str, Measured]]) -> Iterator[str]:
    for step in STEPS:
        own = [each for name, each in found if name == step]
        yield f"| **{step}** | | **{sum(each.waited for each in own):.1f}** | **{sum(each.cpu for each in own):.1f}** |"
        for each in own:
            line = each.command.line.replace(str(ROOT), "URL").replace("{witness}", "python -c '…'")
            yield f"| | `{line}` | {each.waited:.1f} | {each.cpu:.1f} |"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Measure, and write first-value.md into FOLDER."""
    with tempfile.TemporaryDirectory() as scratch:
        found = list(measured(Path(scratch)))
    (folder / "first-value.md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
