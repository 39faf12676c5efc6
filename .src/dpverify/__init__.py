"""The public names of `dpverify.mechanisms`, `.verifiers` and `.reports`, resolved on first use, and `__version__`.

PYTEST_DONT_REWRITE: pytest marks the modules of a package that brings a plugin, to explain their assertions. It would
compile hundreds of them again wherever dpverify was just installed, and run code that is not what was installed.
"""

from __future__ import annotations

import sys
from typing import Any

if "_pytest.assertion.rewrite" in sys.modules:
    from importlib.abc import MetaPathFinder
    from importlib.machinery import ModuleSpec, PathFinder

    class _Unmodified(MetaPathFinder):
        """Finds the modules of dpverify before pytest's hook does."""

        def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
            return PathFinder.find_spec(fullname, path) if fullname.startswith("dpverify.") else None

    sys.meta_path.insert(0, _Unmodified())


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from pathlib import Path  # importlib.metadata takes 20 ms

        found = (folder.name for place in sys.path for folder in Path(place).glob("dpverify-*.dist-info"))
        return next((name[len("dpverify-") : -len(".dist-info")] for name in found), "not installed")
    from dpverify.mechanisms.exported import public

    return public(name)


def __dir__() -> list[str]:
    from dpverify.mechanisms.exported import public_names

    return sorted({*globals(), "__version__", *public_names()})
