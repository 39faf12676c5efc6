"""Which claims a person means: ids of the catalogue, patterns of ids, files of claims, and claims of files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.kinds import kinds as kinds_of_claims
from dpverify.reports.record import DEPTHS
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim, reaches
from dpverify.verifiers.readable import did_you_mean


def selected(names: Sequence[str], depth: str = "full", kinds: Collection[str] | None = None) -> list[AnyClaim]:
    """The claims that `names` stand for, in order and each once; the whole catalogue for no names.

    A name is an id or a pattern of ids such as BNS-J-2.26*, a file of claims, or FILE::ID. An id beside files is one of
    theirs, and chooses among all of their claims; only where they have none it is one of the catalogue. Claims of other
    kinds than these, where some are given, are left out, and those that are left to a later depth, unless named by
    their id. Raises `InputError` for a name that stands for nothing, an id of another kind, and where nothing is left.
    """
    if not names:
        return [claim for claim in catalogue() if _within(claim, depth) and _is_of(claim, kinds)]
    meant = [(name, claim) for name, claims in meant_by(names) for claim in claims]
    of_kinds = [(name, claim) for name, claim in meant if _is_of(claim, kinds)]
    others = [name for name, claim in meant if not _is_of(claim, kinds) and _is_named(claim, name)]
    if kinds is not None and (others or not of_kinds):
        name = (others or names)[0]
        results = {claim.kind for given, claim in meant if given == name}
        raise InputError(f"{name} stands for no claim of kind {_in_order(kinds)}, but of kind {_in_order(results)}")
    chosen = [claim for name, claim in of_kinds if _within(claim, depth) or _is_named(claim, name)]
    if not chosen:
        least = min((claim.depth for _, claim in of_kinds), key=DEPTHS.index)
        raise InputError(f"{', '.join(names)} stands for claims of depth {least} only: add --depth {least}")
    return _each_once(chosen)


def _in_order(found: Collection[str]) -> str:
    return ", ".join(kind for kind in kinds_of_claims() if kind in found)


def _is_named(claim: AnyClaim, name: str) -> bool:
    return claim.id == (name.partition("::")[2] if "::" in name else name)


def meant_by(names: Sequence[str]) -> list[tuple[str, list[AnyClaim]]]:
    """Each name with the claims that it means. Raises `InputError` for one that means none.

    A file beside ids, some of which are of such files, is where they are looked for, and means nothing by itself.
    """
    files = [name for name in names if _is_of_a_file(name) and "::" not in name]
    held = [claim for name in files for claim in _of_a_file(name)]
    chosen = {name: _matching(name, held) for name in names if not _is_of_a_file(name)}
    is_narrowed = any(chosen.values())
    return [
        (name, chosen.get(name) or _meant_by(name, held, files))
        for name in names
        if not (is_narrowed and name in files)
    ]


def _meant_by(name: str, held: Sequence[AnyClaim], files: Sequence[str]) -> list[AnyClaim]:
    """The claims of a file, FILE::ID, or else of the catalogue; `held` are those of the `files` that are named, too."""
    if _is_of_a_file(name):
        file, _, pattern = name.partition("::")
        claims, where = _of_a_file(file), f"{file} has"
    else:
        claims, where, pattern = catalogue(), "the catalogue has", name
    results = _matching(pattern, claims) if pattern else claims
    if not results:
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder: name the files of claims in it")
        if files and not _is_of_a_file(name):
            where = f"{', '.join(files)} and the catalogue have"
            claims = [*held, *claims]
        raise InputError(f"{where} no claim {pattern}{_advice(pattern, [claim.id for claim in claims])}")
    return results


def _matching(pattern: str, claims: Sequence[AnyClaim]) -> list[AnyClaim]:
    return [claim for claim in claims if claim.id == pattern or fnmatchcase(claim.id, pattern)]


def _of_a_file(name: str) -> list[AnyClaim]:
    if Path(name).is_dir():
        raise InputError(f"{name} is a folder: name the files of claims in it")
    return load_claims(Path(name))


_FEW: Final = 4
"""Ids that are named in an error."""


def _advice(pattern: str, ids: Sequence[str]) -> str:
    """Advice on what to write instead of an id that there is none of: those that begin so, or that are near."""
    begin = [name for name in ids if name.startswith(pattern)]
    if len(begin) == 1:
        return f": {begin[0]} begins so"
    if begin:
        said = ", ".join(begin) if len(begin) <= _FEW else f"such as {', '.join(begin[:_FEW])}"
        return f": {len(begin)} begin so, {said}; '{pattern}*' means all of them"
    if Path(f"{pattern}.py").is_file():
        return f": did you mean {pattern}.py?"
    return did_you_mean(pattern, ids, 3) or "; see `dpverify list`, or name the file that holds it, too"


def every_claim_of(names: Sequence[str]) -> list[AnyClaim]:
    """All claims of the files that are named, and of the catalogue where it is; none of what cannot be read."""
    files = list(dict.fromkeys(name.partition("::")[0] for name in names if _is_of_a_file(name)))
    claims = [] if names and all(map(_is_of_a_file, names)) else list(catalogue())
    for file in files:
        with suppress(InputError):  # of which a row says so
            claims += load_claims(Path(file))
    return claims


def _is_of_a_file(name: str) -> bool:
    return "::" in name or name.endswith(".py")


def _each_once(found: Iterable[AnyClaim]) -> list[AnyClaim]:
    once: dict[str, AnyClaim] = {}
    for claim in found:
        if once.setdefault(claim.id, claim) is not claim:
            raise InputError(f"two claims have the id {claim.id}: audit their files one by one")
    return list(once.values())


def _within(claim: AnyClaim, depth: str) -> bool:
    return reaches(depth, claim.depth)


def _is_of(claim: AnyClaim, kinds: Collection[str] | None) -> bool:
    return kinds is None or claim.kind in kinds
