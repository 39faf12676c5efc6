"""The catalogue: what the papers claim, by topic as in `mechanisms`, one module for each piece and kind of claim.

`<topic>/<piece>_<kind>.py`, or such a file in a package of the topic, holds what is claimed of a piece: its `privacy`,
`utility` or `structure`, a `calculation`, a `lower_bound`, or each `step` of a proof. Such a module is found by its
name, and a claim by lying in it at module level, or in a list or tuple there: it is listed nowhere else. Modules with
other names hold what several share, and no claims.

Families of claims of privacy are rows, of `verifiers/privacy/family.py`; `mutants.py` breaks mechanisms as many rows
need it. It imports deciders, and no audit. Begin with `selection/`. A change, here and in the packages below, keeps the
ids, which baselines name, and a refuted claim beside the corrected one: `tests/catalogue`, `make report`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

from dpverify.reports.kinds import kinds
from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.claims import AnyClaim, claims_in

if TYPE_CHECKING:
    from dpverify.verifiers.calculations.claim import Calculation
    from dpverify.verifiers.lower_bounds.claim import LowerBound
    from dpverify.verifiers.privacy.claim import Claim
    from dpverify.verifiers.steps.claim import Step
    from dpverify.verifiers.structure.lemma import Lemma
    from dpverify.verifiers.utility.claim import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

TOPICS: Final = ("selection", "recursion", "sanitizers", "learners", "release")
"""The folders, in the order of the catalogue. A module of one imports no later one."""
PAPERS: Final = ("BNS-", "BuNS-", "CHS-", "HRS-", "LICS20-", "LSL-")
"""The beginnings of ids, by which an id is known as one of the catalogue before the catalogue is loaded."""


def catalogue() -> list[AnyClaim]:
    """All claims of all kinds: by topic, by module in alphabetical order, and as they stand there.

    Raises `InputError` where two have one id.
    """
    return _claims(endings())


def privacy_claims() -> list[Claim]:
    """The privacy claims, in the order of the catalogue; modules of other kinds are not loaded."""
    from dpverify.verifiers.privacy.claim import Claim

    return [claim for claim in _claims(["privacy"]) if isinstance(claim, Claim)]


def utility_claims() -> list[UtilityClaim | PacClaim]:
    """The utility claims, those that are audited by samples too, in the order of the catalogue."""
    from dpverify.verifiers.utility.claim import UtilityClaim
    from dpverify.verifiers.utility.pac import PacClaim

    return [claim for claim in _claims(["utility"]) if isinstance(claim, UtilityClaim | PacClaim)]


def calculations() -> list[Calculation]:
    """The calculations, in the order of the catalogue."""
    from dpverify.verifiers.calculations.claim import Calculation

    return [claim for claim in _claims(["calculation"]) if isinstance(claim, Calculation)]


def lower_bounds() -> list[LowerBound]:
    """The lower bounds, in the order of the catalogue."""
    from dpverify.verifiers.lower_bounds.claim import LowerBound

    return [claim for claim in _claims(["lower_bound"]) if isinstance(claim, LowerBound)]


def steps() -> list[Step]:
    """The steps of proofs, in the order of the catalogue."""
    from dpverify.verifiers.steps.claim import Step

    return [claim for claim in _claims(["step"]) if isinstance(claim, Step)]


def lemmas() -> list[Lemma]:
    """The structural lemmas, in the order of the catalogue."""
    from dpverify.verifiers.structure.lemma import Lemma

    return [claim for claim in _claims(["structure"]) if isinstance(claim, Lemma)]


def endings() -> list[str]:
    """The endings of the names of modules of claims: the names of the kinds, as files have them."""
    return [kind.file_name for kind in kinds().values()]


def _claims(endings: Collection[str]) -> list[AnyClaim]:
    """The claims of the modules whose names have these endings."""
    found = claims_in({name: _claims_of_module(name) for name in modules_of(endings)})
    for claim in found:
        claim.found_in("")
    return found


@cache
def _claims_of_module(name: str) -> tuple[AnyClaim, ...]:
    standing = claims_in(vars(import_module(name)))
    return tuple(claim.at_depth("report") if claim.id in TAKES_LONG else claim for claim in standing)


def modules_of(endings: Collection[str]) -> list[str]:
    """The full names of the modules whose names have one of these endings, in the order of the catalogue."""
    return [
        name
        for topic in TOPICS
        for name in sorted(_modules_below(f"{__name__}.{topic}"), key=_by_own_name)
        if any(name.endswith(f"_{ending}") for ending in endings)
    ]


def _modules_below(package: str) -> Iterator[str]:
    """The full names of the modules of a topic, and of its packages."""
    for module in iter_modules(import_module(package).__path__, f"{package}."):
        if module.ispkg:
            yield from _modules_below(module.name)
        else:
            yield module.name


def _by_own_name(module: str) -> tuple[str, str]:
    """The key by which modules are ordered: their own name first, so that packages do not show in the catalogue."""
    return module.rpartition(".")[2], module
