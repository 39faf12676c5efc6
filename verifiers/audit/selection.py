"""Which claims a person means: ids of the catalogue, patterns of ids, files of claims, and claims of files."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Generic

from dpverify.mechanisms.exact.errors import InputError
from dpverify.verifiers.audit.claim_files import load_all
from dpverify.verifiers.privacy.claim import Claim, Thing

if TYPE_CHECKING:
    from dpverify.verifiers.structure.lemma import Lemma
    from dpverify.verifiers.utility.checker import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim


def selected(names: Sequence[str], depth: str = "full") -> list[Claim]:
    """The privacy claims that `names` stand for, in order and each once; the whole catalogue for no names.

    A name is an id or a pattern of ids such as BNS-J-2.26*, a file of claims, or FILE::ID. Claims of depth "full" are
    left out at depth "quick", unless named by their id. Raises `InputError` for a name that stands for nothing.
    """
    from dpverify.verifiers.catalogue import privacy_claims

    kind = Kind("claim", privacy_claims, lambda path: load_all(path, Claim), "`dpverify list`")
    if not names:
        return [claim for claim in kind.known() if _within(claim, depth)]
    return _each_once(claim for name in names for claim in _of_depth(name, kind.meant_by(name), depth))


def selected_utility(names: Sequence[str]) -> list[UtilityClaim | PacClaim]:
    """The utility claims that `names` stand for, as `selected` has it; all of the catalogue for no names."""
    from dpverify.verifiers.catalogue import utility_claims
    from dpverify.verifiers.utility.checker import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

    def load(path: Path) -> list[UtilityClaim | PacClaim]:
        return load_all(path, UtilityClaim, PacClaim)

    return Kind("utility claim", utility_claims, load, "`dpverify utility`").all_meant_by(names)


def selected_lemmas(names: Sequence[str]) -> list[Lemma]:
    """The lemmas that `names` stand for, as `selected` has it; all of the catalogue for no names."""
    from dpverify.verifiers.catalogue import lemmas
    from dpverify.verifiers.structure.lemma import Lemma

    return Kind("lemma", lemmas, lambda path: load_all(path, Lemma), "`dpverify lemmas`").all_meant_by(names)


@dataclass(frozen=True)
class Kind(Generic[Thing]):
    """A kind of claims: what one is called, those of the catalogue, how a file of them is loaded, what shows all."""

    what: str
    known: Callable[[], Sequence[Thing]]
    load: Callable[[Path], Sequence[Thing]]
    listing: str

    def all_meant_by(self, names: Sequence[str]) -> list[Thing]:
        """Those that the names mean, each once; all of the catalogue for none. Raises `InputError` as `meant_by`."""
        return _each_once(thing for name in names for thing in self.meant_by(name)) if names else list(self.known())

    def meant_by(self, name: str) -> list[Thing]:
        """Those that an id means, a pattern of ids, a file, or FILE::ID. Raises `InputError` where there is none."""
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder: name the files of claims in it")
        file, separator, pattern = name.partition("::")
        if separator or name.endswith(".py"):
            things, where = self.load(Path(file)), file
        else:
            things, where, pattern = self.known(), "the catalogue", name
        chosen = [thing for thing in things if not pattern or thing.id == pattern or fnmatchcase(thing.id, pattern)]
        if not chosen:
            near = difflib.get_close_matches(pattern, [thing.id for thing in things], n=3)
            raise InputError(
                f"{where} has no {self.what} {pattern}"
                + (
                    f": did you mean {' or '.join(near)}?"
                    if near
                    else f"; see {self.listing}, or name a file as FILE::ID"
                )
            )
        return chosen


def _each_once(found: Iterable[Thing]) -> list[Thing]:
    once: dict[str, Thing] = {}
    for thing in found:
        if once.setdefault(thing.id, thing) is not thing:
            raise InputError(f"two claims have the id {thing.id}: audit their files one by one")
    return list(once.values())


def _of_depth(name: str, chosen: Sequence[Claim], depth: str) -> list[Claim]:
    pattern = name.partition("::")[2] if "::" in name else name
    within = [claim for claim in chosen if claim.id == pattern or _within(claim, depth)]
    if not within:
        raise InputError(f"{name} stands for claims of depth full only: add --depth full")
    return within


def _within(claim: Claim, depth: str) -> bool:
    return depth == "full" or claim.depth == "quick"
