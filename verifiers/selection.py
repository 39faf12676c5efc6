"""Which claims a person means: ids of the catalogue, patterns of ids, files of claims, and claims of files."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from dpverify.mechanisms.errors import InputError
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claim_files import load_claims
from dpverify.verifiers.claims import Claim


def selected(names: Sequence[str], depth: str = "full") -> list[Claim]:
    """The claims that `names` stand for, in order and each once; the whole catalogue for no names.

    A name is an id or a pattern of ids such as BNS-J-2.26*, a file of claims, or FILE::ID. Claims of depth "full" are
    left out at depth "quick", unless named by their id. Raises `InputError` for a name that stands for nothing.
    """
    if not names:
        return [claim for claim in catalogue() if _within(claim, depth)]
    found: dict[str, Claim] = {}
    for name in names:
        for claim in _named(name, depth):
            if found.setdefault(claim.id, claim) is not claim:
                raise InputError(f"two claims have the id {claim.id}: audit their files one by one")
    return list(found.values())


def _within(claim: Claim, depth: str) -> bool:
    return depth == "full" or claim.depth == "quick"


def _named(name: str, depth: str) -> list[Claim]:
    if Path(name).is_dir():
        raise InputError(f"{name} is a folder: name the files of claims in it")
    file, separator, pattern = name.partition("::")
    if separator or name.endswith(".py"):
        claims, where = load_claims(Path(file)), file
    else:
        claims, where, pattern = catalogue(), "the catalogue", name
    chosen = [claim for claim in claims if not pattern or claim.id == pattern or fnmatchcase(claim.id, pattern)]
    if not chosen:
        near = difflib.get_close_matches(pattern, [claim.id for claim in claims], n=3)
        raise InputError(
            f"{where} has no claim {pattern}"
            + (f": did you mean {' or '.join(near)}?" if near else "; see `dpverify list`, or name a file as FILE::ID")
        )
    within = [claim for claim in chosen if claim.id == pattern or _within(claim, depth)]
    if not within:
        raise InputError(f"{name} stands for claims of depth full only: add --depth full")
    return within
