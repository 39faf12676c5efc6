"""Mechanisms broken by hand in a copy of the tree, and claims that are decided there.

    python -m tests.mutants.broken [WORD…]

prints of each row of `broken_mechanisms.json`, or of those whose `what` has one of the words, what its own quick claims
say: those of a module that imports the file that is changed, or whose mechanism is in it. Each row has 20 s of CPU.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import cache, partial
from importlib import import_module
from inspect import isclass, isfunction, unwrap
from pathlib import Path
from typing import Final, NamedTuple, cast

import msgspec

from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.claims import AnyClaim, Depth, claims_in

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 20
"""What the claims that are decided of one row may take of a processor together."""


_DECIDED: Final = ("PROVED", "REFUTED")


class Broken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of a mechanism: which text is replaced by which, and what is known of it."""

    what: str
    file: str
    old: str
    new: str
    killed_by: str = ""
    """A claim that does not come out as expected of it …"""
    depth: Depth = "quick"
    """… in an audit of this depth."""
    keeps: str = ""
    """Or else a quick claim that comes out as expected of it, too, …"""
    because: str = ""
    """… and the reason why the change is none that a claim could notice."""

    def of(self, text: str) -> str:
        """The text of its file, changed. Raises `ValueError` where the text to be replaced does not occur once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has the text of “{self.what}” {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


BROKEN: Final = msgspec.json.decode(Path(__file__).with_name("broken_mechanisms.json").read_bytes(), type=list[Broken])


class Decided(NamedTuple):
    """A claim that was decided of a changed mechanism."""

    id: str
    verdict: str
    """Or the error that it ends with."""
    surprise: str
    """What is not as expected of it; empty where all is."""


@contextmanager
def copy_of_the_tree() -> Iterator[Path]:
    """The three packages in a folder of their own, which is deleted at the end."""
    with tempfile.TemporaryDirectory() as folder:
        for package in ("mechanisms", "verifiers", "reports"):
            shutil.copytree(ROOT / package, Path(folder) / "dpverify" / package, symlinks=True)
        shutil.copy(
            ROOT / ".src" / "dpverify" / "__init__.py", Path(folder) / "dpverify"
        )  # without it the other tree is loaded
        yield Path(folder)


def decided_of(broken: Broken, tree: Path, ids: Sequence[str], depth: Depth = "quick") -> list[Decided]:
    """The claims, one after another up to the first with another verdict, decided of a mechanism that is changed.

    They are fewer where the time is up. The tree is as it was before, afterwards.
    """
    file = tree / "dpverify" / broken.file
    text = file.read_text(encoding="utf-8")
    file.write_text(broken.of(text), encoding="utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-B", __file__, "--decide", depth, *ids],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (SECONDS, SECONDS)),
        )
    finally:
        file.write_text(text, encoding="utf-8")
    if done.returncode > 0:
        raise RuntimeError(done.stderr)
    return [Decided(*json.loads(line)) for line in done.stdout.splitlines() if line.endswith("]")]


def own_claims(file: str) -> list[str]:
    """The quick claims about what stands in a file of mechanisms, and those of modules that import it."""
    return [claim.id for claim, files in _quick_claims() if file in files]


@cache
def _quick_claims() -> list[tuple[AnyClaim, set[str]]]:
    """All quick claims, with the files that their functions stand in and that their modules import from."""
    from dpverify.verifiers.catalogue import endings, modules_of

    found = []
    for module in modules_of(endings()):
        standing = vars(import_module(module))
        imported = {_file_of_module(each.__module__) for each in standing.values() if _runs(each)}
        found += [(claim, imported | _files_of(claim)) for claim in claims_in(standing)]
    return [(claim, files) for claim, files in found if claim.depth == "quick" and claim.id not in TAKES_LONG]


def _runs(value: object) -> bool:
    return isfunction(value) or (isclass(value) and not issubclass(value, Enum))


def _file_of_module(name: str) -> str:
    return f"{name.removeprefix('dpverify.').replace('.', '/')}.py"


def _files_of(claim: AnyClaim) -> set[str]:
    return {_file_of_module(unwrap(getattr(each, "func", each)).__module__) for each in claim.about}


def _decide(depth: Depth, ids: Sequence[str]) -> None:
    """Decide claims and print each, up to the first with another verdict: in the process of a changed tree."""
    from dpverify.verifiers.auditing.selection import selected
    from dpverify.verifiers.claims import How

    for claim in selected(ids):
        try:
            result = claim.decide(How(recheck=False, depth=depth))
            said, surprise = str(result.verdict), result.surprise
        except Exception as error:  # a mutant may raise anything
            said = surprise = f"{type(error).__name__}: {error}"
        print(json.dumps(Decided(claim.id, said, surprise)), flush=True)
        if surprise and said in _DECIDED:
            return


def _survey(words: Sequence[str]) -> None:
    with copy_of_the_tree() as tree:
        for broken in BROKEN:
            if not words or any(word in broken.what for word in words):
                ids = own_claims(broken.file)
                print(f"{broken.what}: {_said(ids, decided_of(broken, tree, ids))}", flush=True)


def _said(ids: Sequence[str], decided: Sequence[Decided]) -> str:
    others = [each for each in decided if each.surprise]
    if others:
        best = next((each for each in others if each.verdict in _DECIDED), others[0])
        return f"killed by {best.id}: {best.verdict}"
    if len(decided) < len(ids):
        return f"out of time after {len(decided)} of {len(ids)} claims, at {ids[len(decided)]}"
    return f"survives {len(ids)} claims"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--decide"]:
        _decide(cast("Depth", sys.argv[2]), sys.argv[3:])
    else:
        _survey(sys.argv[1:])
