"""The catalogue: what the papers claim, by topic as in `mechanisms`, one module for each piece and kind of claim.

`<topic>/<piece>_<kind>.py` holds what is claimed of a piece: its `privacy`, `utility` or `structure`. Such a module is
found by its name, and a claim by lying in it at module level, or in a list or tuple there: it is listed nowhere else.
Modules with other names hold what several share, and no claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dpverify.verifiers.privacy.claim import Claim, Thing
    from dpverify.verifiers.structure.lemma import Lemma
    from dpverify.verifiers.utility.checker import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

TOPICS: Final = ("selection", "recursion", "sanitizers", "learners", "release")
"""The folders, in the order of the catalogue. A module of one imports no later one."""

KINDS: Final = ("privacy", "utility", "structure")
"""How the names of modules with claims end."""


def catalogue() -> list[Claim | UtilityClaim | PacClaim | Lemma]:
    """All claims of all kinds: by topic, by module in alphabetical order, and as they stand there.

    Raises `InputError` where two have one id.
    """
    from dpverify.verifiers.privacy.claim import Claim
    from dpverify.verifiers.structure.lemma import Lemma
    from dpverify.verifiers.utility.checker import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

    return _claims(KINDS, Claim, UtilityClaim, PacClaim, Lemma)


def privacy_claims() -> list[Claim]:
    """The privacy claims, in the order of the catalogue; modules of other kinds are not loaded."""
    from dpverify.verifiers.privacy.claim import Claim

    return _claims(["privacy"], Claim)


def utility_claims() -> list[UtilityClaim | PacClaim]:
    """The utility claims, those that are audited by samples too, in the order of the catalogue."""
    from dpverify.verifiers.utility.checker import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

    return _claims(["utility"], UtilityClaim, PacClaim)


def lemmas() -> list[Lemma]:
    """The structural lemmas, in the order of the catalogue."""
    from dpverify.verifiers.structure.lemma import Lemma

    return _claims(["structure"], Lemma)


def _claims(kinds: Sequence[str], *classes: type[Thing]) -> list[Thing]:
    from dpverify.verifiers.privacy.claim import Claim, all_in

    modules = [import_module(name) for name in modules_of(*kinds)]
    found = all_in({module.__name__: all_in(vars(module), *classes) for module in modules}, *classes)
    for claim in found:
        if isinstance(claim, Claim):
            claim.found_in("")
    return found


def modules_of(*kinds: str) -> list[str]:
    """The full names of the modules whose claims are of these kinds, in the order of the catalogue."""
    folders = [import_module(f"{__name__}.{topic}") for topic in TOPICS]
    return [
        f"{folder.__name__}.{name}"
        for folder in folders
        for name in sorted(module.name for module in iter_modules(folder.__path__))
        if name.rpartition("_")[2] in kinds
    ]
