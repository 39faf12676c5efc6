"""A green and a red gate on a small library, as CI has them, with the reports read back: `make gate`.

The library of `tests/verifiers/commands/gates/five_mechanisms.py` is made a repository, and its audit a baseline. Then a commit
halves the noise of a mechanism, shrinks a domain and deletes the claim of a third.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import junitparser
from jsonschema import Draft4Validator
from tests.verifiers.commands.gates.five_mechanisms import CLAIMS, HALF_THE_NOISE, LIBRARY

from dpverify.reports.numbers import counted

SCHEMA = Path(__file__).parent / "reports" / "formats" / "schemas" / "sarif-2.1.0.json"
AUDIT = ("dpverify", "audit", "claims_mylib.py", "--quiet", "--jobs", "1")
GATE = (*AUDIT, "--baseline", "dpverify-baseline.txt", "--sarif", "a.sarif", "--junit", "a.xml", "--html", "a.html")


def main() -> None:
    """Print what each command says, with its status, and what the reports of a red gate hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mylib.py").write_text(LIBRARY)
        (folder / "claims_mylib.py").write_text(CLAIMS)
        run(folder, "git", "init", "--quiet")
        heading("A baseline")
        run(folder, *AUDIT, "--update-baseline")
        heading("A green gate")
        run(folder, *GATE)
        for line in read_back(folder):
            print(line)
        heading(
            "A commit halves the noise of noisy_count, shrinks the domain of most_common, deletes the claim of above"
        )
        (folder / "mylib.py").write_text(LIBRARY.replace(*HALF_THE_NOISE))
        kept = [line for line in CLAIMS.splitlines() if 'id="mylib.above"' not in line]
        (folder / "claims_mylib.py").write_text("\n".join(kept).replace("size=4", "size=3"))
        heading("A red gate")
        run(folder, *GATE, "--coverage", "mylib", "--strict", GITHUB_ACTIONS="true")
        for line in read_back(folder):
            print(line)
        heading("A gate with a claim by samples, five times")
        (folder / "claims_sampled.py").write_text(SAMPLED)
        sampled = ("dpverify", "audit", "claims_sampled.py", "--no-cache", "--baseline", "sampled.txt")
        run(folder, *sampled, "--update-baseline")
        said = {(done.stdout, done.stderr, done.returncode) for done in (told(folder, *sampled) for _ in range(5))}
        print(f"5 runs, different outputs: {len(said)}")
        print("".join(said.pop()[:2]), end="")


SAMPLED = """
from dpverify.verifiers import SampledClaim, Tuples

def told(rows, rng, size):
    return rng.random(size) < (0.75 if rows[0] else 0.25)

def told_too_often(rows, rng, size):
    return rng.random(size) < (0.95 if rows[0] else 0.05)

promised = SampledClaim(id="shop.told", sampler=told, mutant=told_too_often, epsilon="1.1",
                        domain=Tuples((0, 1), size=1), draws=20_000)
"""


def heading(text: str) -> None:
    """A line that says what follows."""
    print(f"\n== {text}", flush=True)


def run(folder: Path, *command: str, **environment: str) -> None:
    """Run a command where dpverify is installed, outside of any CI, and print it, what it says and its status."""
    done = told(folder, *command, **environment)
    print("$", " ".join(command))
    print(done.stdout + done.stderr, end="")
    print(f"[status {done.returncode}]", flush=True)


def told(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a command says, without what is special to a CI."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = {**kept, "PATH": path, "CI": "true", **environment}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


def read_back(folder: Path) -> Iterator[str]:
    """What SARIF and JUnit XML hold, as their readers have it, beside the lines of the files that they name."""
    log = json.loads((folder / "a.sarif").read_text(encoding="utf-8"))
    Draft4Validator(json.loads(SCHEMA.read_bytes())).validate(log)
    results = log["runs"][0]["results"]
    yield f"\nSARIF, valid against the schema: {counted(len(results), 'result')}"
    for one in results:
        place = one["locations"][0]["physicalLocation"]
        file, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
        suppressed = ", suppressed" if one.get("suppressions") else ""
        yield f"  {one['level']} {one['ruleId']} ({one.get('baselineState', 'no state')}{suppressed}) at {file}:{line}"
        yield f"      {(folder / file).read_text().splitlines()[line - 1]}"
        yield from (f"      | {text}" for text in one["message"]["text"].splitlines()[:4])
    yield from page(folder / "a.html")
    suites: Any = junitparser.JUnitXml.fromstring((folder / "a.xml").read_bytes())
    yield f"JUnit XML: {suites.tests} tests, {suites.failures} failures, {suites.errors} errors"
    for suite in suites:
        yield from (f"  failed: {case.name}: {case.result[0].message}" for case in suite if not case.is_passed)


def page(file: Path) -> Iterator[str]:
    """What the page begins with, and of which colour that is."""
    text = file.read_text(encoding="utf-8")
    found = re.search(r'<section aria-label="The gate" class="card gate (\w+)".*?</section>', text, flags=re.DOTALL)
    assert found is not None
    yield f"HTML, which begins with a card that is {found[1]}:"
    plain = html.unescape(re.sub(r"<[^>]*>", " ", found[0].replace("<br>", "\n    ")))
    yield from (f"  {' '.join(line.split())}" for line in plain.splitlines() if line.strip())


if __name__ == "__main__":
    main()
