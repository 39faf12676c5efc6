"""The adversary itself: it notices when dpverify is broken in one place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_every_mutant_is_noticed() -> None:
    """In a fresh interpreter, where nothing has been computed by the unbroken code."""
    script = Path(__file__).with_name("mutants.py")
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"survivors: {found.stdout}\n{found.stderr[-2_000:]}"
