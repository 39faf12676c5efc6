"""Claims that a person means: those of files and folders, ids, and patterns of ids."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.kinds import kinds as kinds_of_claims
from dpverify.reports.record import DEPTHS
from dpverify.verifiers.auditing.claim_files import files_near, load_claims
from dpverify.verifiers.auditing.claim_folders import NoClaimFiles, claim_files
from dpverify.verifiers.auditing.exit_status import reason_of
from dpverify.verifiers.catalogue import PAPERS, catalogue
from dpverify.verifiers.claims import AnyClaim, reaches, two_of_one_id
from dpverify.verifiers.readable import did_you_mean


def selected(names: Sequence[str], depth: str = "full", kinds: Collection[str] | None = None) -> list[AnyClaim]:
    """The claims that `names` stand for, in order and each once; the whole catalogue for no names.

    A name is an id of the catalogue or a pattern of ids such as BNS-J-2.26*, a file of claims, or FILE::ID. Claims of
    other kinds than these, where some are given, are left out, and those that are left to a later depth, unless named
    by their id. Raises `InputError` for a name that stands for nothing, an id of another kind, where nothing is left,
    and where two claims have one id.
    """
    if not names:
        return [claim for claim in catalogue() if _within(claim, depth) and _is_of(claim, kinds)]
    found = [(name, claim) for name in names for claim in _meant_by(name)]
    of_kinds = [(name, claim) for name, claim in found if _is_of(claim, kinds)]
    others = [name for name, claim in found if not _is_of(claim, kinds) and _is_named(claim, name)]
    if kinds is not None and (others or not of_kinds):
        asked = others[:1] or names
        results = {claim.kind for name, claim in found if name in asked}
        raise InputError(
            bad_input.NO_SUCH_CLAIM,
            _those(asked, "stands for", "stand for"),
            f"of kind {_in_order(kinds)}, but of kind {_in_order(results)}",
            "one of these",
        )
    chosen = [claim for name, claim in of_kinds if _within(claim, depth) or _is_named(claim, name)]
    if not chosen:
        least = min((claim.depth for _, claim in of_kinds), key=DEPTHS.index)
        raise InputError(bad_input.LATER_DEPTH, _those(names, "is", "are"), least)
    return _each_once(chosen)


def _those(names: Sequence[str], one: str, several: str) -> str:
    return f"{names[0]} {one}" if len(names) == 1 else f"these {len(names)} names {several}"


def _in_order(found: Collection[str]) -> str:
    return ", ".join(kind for kind in kinds_of_claims() if kind in found)


def _is_named(claim: AnyClaim, name: str) -> bool:
    return claim.id == (name.partition("::")[2] if "::" in name else name)


class Meant(NamedTuple):
    """The names of a command, read: files, FILE::ID, and ids of the catalogue; none stand for the whole catalogue."""

    names: tuple[str, ...]
    unread: Mapping[str, str]
    """Those of the names that cannot be read, each with the reason."""

    @property
    def read(self) -> tuple[str, ...]:
        """The others."""
        return tuple(name for name in self.names if name not in self.unread)


def meant(names: Sequence[str], *, of_catalogue: bool = False) -> Meant:
    """The meaning of `names`: a folder stands for its files of claims, and no name for the working folder.

    An id, or a pattern of ids, is looked for in the files and folders beside it. Where there are none it is looked for
    in the files of the working folder, unless it begins as ids of the catalogue do. It stands for FILE::ID there, and a
    file beside it means nothing by itself. Where no file has it, it is one of the catalogue. `of_catalogue` leaves
    files out. Raises `InputError` for an id that nothing has, and `NoClaimFiles` for a folder without claims.
    """
    if of_catalogue:
        for name in names:
            if _is_of_a_file(name) or _is_folder(name):
                raise InputError(bad_input.EXCLUDE, "--catalogue, which takes ids of the catalogue,", name)
        return Meant(tuple(names), {})
    named = list(dict.fromkeys(file for name in names or ["."] for file in _files_of(name)))
    held, unread = _held([name for name in named if _is_of_a_file(name)])
    ids = [name for name in named if not _is_of_a_file(name)]
    near, unread_near = (held, unread) if held or unread else _held_near(ids)
    beside = {file: claims for file, claims in near.items() if "::" not in file}
    places = {name: [f"{file}::{name}" for file in beside if _matching(name, beside[file])] for name in ids}
    for name in ids:
        if not places[name]:
            _of_catalogue(name, beside, unread_near)
    is_narrowed = any(places.values())
    kept = [name for name in named if not (is_narrowed and name in beside)]
    return Meant(tuple(place for name in kept for place in places.get(name) or [name]), unread)


def _files_of(name: str) -> list[str]:
    """The files of a folder; any other name as it is."""
    return [str(file) for file in claim_files(Path(name))] if _is_folder(name) else [name]


def _held(names: Iterable[str]) -> tuple[dict[str, list[AnyClaim]], dict[str, str]]:
    """The claims of files, and of FILE::ID, by these names; and why others cannot be read."""
    held, unread = {}, {}
    for name in names:
        try:
            held[name] = load_claims(Path(name.partition("::")[0]))
        except InputError as error:
            unread[name] = reason_of(error)
    return held, unread


def _held_near(ids: Collection[str]) -> tuple[dict[str, list[AnyClaim]], dict[str, str]]:
    """The claims of the working folder, if some of the ids may be theirs."""
    if all(name.startswith(PAPERS) for name in ids):
        return {}, {}
    try:
        return _held(map(str, claim_files(Path())))
    except NoClaimFiles:
        return {}, {}


def _meant_by(name: str) -> list[AnyClaim]:
    """The claims of a file, of FILE::ID, or of the catalogue. Raises `InputError` where there is none."""
    if not _is_of_a_file(name):
        return _of_catalogue(name)
    file, _, pattern = name.partition("::")
    claims = load_claims(Path(file))
    results = _matching(pattern, claims) if pattern else claims
    if not results:
        advice = _advice(pattern, [claim.id for claim in claims])
        raise InputError(bad_input.NO_SUCH_CLAIM.text(f"{file} has", pattern, instead=advice))
    return results


def _of_catalogue(
    pattern: str, beside: Mapping[str, Sequence[AnyClaim]] | None = None, unread: Mapping[str, str] | None = None
) -> list[AnyClaim]:
    """The claims of the catalogue by an id or a pattern. Raises `InputError` where neither it nor a file has one."""
    results = _matching(pattern, catalogue())
    if not results:
        files = [*(beside or {}), *(unread or {})]
        few = files if len(files) <= _FEW else [f"{len(files)} files"]
        where = f"{', '.join(few)} and the catalogue have" if files else "the catalogue has"
        ids = [claim.id for claims in [*(beside or {}).values(), catalogue()] for claim in claims]
        said = bad_input.NO_SUCH_CLAIM.text(where, pattern, instead=_advice(pattern, ids))
        reasons = [said, *(unread or {}).values()]
        raise InputError("; ".join(reasons))
    return results


def _matching(pattern: str, claims: Sequence[AnyClaim]) -> list[AnyClaim]:
    return [claim for claim in claims if claim.id == pattern or fnmatchcase(claim.id, pattern)]


_FEW: Final = 4
"""Ids that are named in an error."""


def _advice(pattern: str, ids: Sequence[str]) -> str:
    """Advice on what to write instead of an id that there is none of: those that begin so, or that are near."""
    literal = re.split(r"[*?[]", pattern)[0]
    begin = [name for name in ids if name.startswith(literal)]
    if literal != pattern:
        nearest = get_close_matches(pattern, begin or ids, n=2, cutoff=0)
        if nearest:
            return f"the nearest ids are {' and '.join(nearest)}"
    if len(begin) == 1:
        return f"{begin[0]} begins so"
    if begin:
        said = ", ".join(begin) if len(begin) <= _FEW else f"such as {', '.join(begin[:_FEW])}"
        return f"{len(begin)} begin so, {said}; '{pattern}*' means all of them"
    if Path(f"{pattern}.py").is_file():
        return f"did you mean {pattern}.py?"
    near = did_you_mean(pattern, ids, 3) or files_near(Path(pattern))
    return near.removeprefix(": ") or "see `dpverify list`, or name the file that holds it, too"


def every_claim_of(names: Sequence[str]) -> list[AnyClaim]:
    """All claims of the files that are named, and of the catalogue where it is; none of what cannot be read."""
    files = list(dict.fromkeys(name.partition("::")[0] for name in names if _is_of_a_file(name)))
    claims = [] if names and all(map(_is_of_a_file, names)) else list(catalogue())
    for file in files:
        with suppress(InputError):  # of which a row says so
            claims += load_claims(Path(file))
    return claims


def _is_of_a_file(name: str) -> bool:
    return "::" in name or (name.endswith(".py") and not _is_folder(name))


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # a name that no folder can have
        return False


def _each_once(found: Iterable[AnyClaim]) -> list[AnyClaim]:
    once: dict[str, AnyClaim] = {}
    for claim in found:
        if once.setdefault(claim.id, claim) is not claim:
            raise InputError(two_of_one_id(once[claim.id], claim))
    return list(once.values())


def _within(claim: AnyClaim, depth: str) -> bool:
    return reaches(depth, claim.depth)


def _is_of(claim: AnyClaim, kinds: Collection[str] | None) -> bool:
    return kinds is None or claim.kind in kinds
