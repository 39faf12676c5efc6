"""The adversary itself: it notices when dpverify is broken in one place."""

import subprocess
import sys
from pathlib import Path

from tests.adversary.mutants import MUTANTS
from tests.adversary.tally import deep

TAKES_SECONDS = "pairs of all sizes in one direction alone"
"""A mutant that is noticed after twenty programs."""


def test_every_mutant_is_noticed() -> None:
    """In a fresh interpreter, where nothing has been computed by the unbroken code; each time one in two of those that take no seconds."""
    script, names = Path(__file__).with_name("mutants.py"), list(MUTANTS)
    if not deep():
        names = [name for name in names if name != TAKES_SECONDS][::2]
    found = subprocess.run([sys.executable, str(script), *names], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"survivors: {found.stdout}\n{found.stderr[-2_000:]}"
    assert TAKES_SECONDS in MUTANTS and all(name in found.stderr for name in names)
