"""Files that an installer has put where they are: a package of other people's, wherever it was installed."""

import csv
from functools import lru_cache
from pathlib import Path


def is_installed(file: str) -> bool:
    """True where a file is on the list of an installed package: also of `pip install --target`, found by PYTHONPATH."""
    path = Path(file).resolve()
    return any(path in _installed_in(folder) for folder in path.parents)


@lru_cache(maxsize=1 << 10)
def _installed_in(folder: Path) -> frozenset[Path]:
    """The files of the packages that are installed in a folder, as each says in its RECORD; none of most folders."""
    files: set[Path] = set()
    try:
        for record in sorted(folder.glob("*.dist-info/RECORD")):
            with record.open(encoding="utf-8", newline="") as lines:
                files.update(folder / row[0] for row in csv.reader(lines) if row)
    except (OSError, ValueError):  # not to be read, or no list
        return frozenset(files)
    return frozenset(files)
