"""Counts that are kept in a file beside the claim, so that a rerun decides the same: of samplers without a seed.

They are known by all that they are counts of: the sampler with the versions of its libraries, what was drawn from and
how often. Where any of that is another, fresh draws take their place.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.writing import write_reports
from dpverify.verifiers.blackbox.sampling.samplers import NEEDS_A_LIBRARY, MissingLibrary, Sampler
from dpverify.verifiers.blackbox.statement import SampledStatement

_Counts = TypeVar("_Counts", bound=msgspec.Struct)

_FORMAT: Final = 1


@dataclass(frozen=True)
class StoredSampler:
    """A sampler that is not here, of which counts are kept: what it was called, and of which versions."""

    name: str
    versions: Mapping[str, str]
    missing: MissingLibrary

    @property
    def seeded(self) -> bool:
        """It cannot be drawn from."""
        return False

    def draw(self, rows: Any, size: int, seed: int) -> Any:
        """Raises `MissingLibrary`: the counts that are kept are of something else."""
        raise MissingLibrary(
            f"{str(self.missing).removeprefix(NEEDS_A_LIBRARY)}; the counts that are kept answer another question"
        )


class _Held(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a file: counts by all that they are of, and what was drawn from, to be known without it."""

    format: int = _FORMAT
    counts: dict[str, Any] = {}
    samplers: dict[str, dict[str, Any]] = {}


def stored_sampler(claim: SampledStatement, missing: MissingLibrary) -> StoredSampler | None:
    """The sampler of which the claim's file has counts, where that itself is missing; None where it has none."""
    held = _read(_path(claim)).samplers if claim.counts else {}
    mine = [of for key, of in held.items() if key.startswith(f"{claim.id} ")]
    return StoredSampler(mine[0]["name"], mine[0]["versions"], missing) if len(mine) == 1 else None


def kept(
    claim: SampledStatement,
    sampler: Sampler,
    form: type[_Counts],
    of: list[Any],
    seed: int,
    draw: Callable[[], _Counts],
) -> tuple[_Counts, str]:
    """The counts, from the claim's file where it has them, and else drawn and written to it; and the file's name.

    Counts of draws that were interrupted are not written. Raises `InputError` where the file is bad, or not writable.
    """
    if not claim.counts:
        return draw(), ""
    path = _path(claim)
    key = _key(claim, sampler, of, seed)
    known = _read(path)
    if key in known.counts:
        return msgspec.convert(known.counts[key], form), claim.counts
    result = draw()
    if not getattr(result, "interrupted", False):
        mine = _owner(claim, sampler)
        counts = {other: value for other, value in known.counts.items() if not other.startswith(mine)}
        samplers = {other: value for other, value in known.samplers.items() if not other.startswith(mine)}
        told = {"name": sampler.name, "versions": dict(sampler.versions)}
        _write(path, {**counts, key: msgspec.to_builtins(result)}, {**samplers, key: told})
    return result, claim.counts


def _owner(claim: SampledStatement, sampler: Sampler) -> str:
    return f"{claim.id} {sampler.name} "


def _key(claim: SampledStatement, sampler: Sampler, of: list[Any], seed: int) -> str:
    asked = [
        claim.draws,
        str(claim.confidence),
        claim.claimed,
        seed if sampler.seeded else None,
        dict(sampler.versions),
        of,
    ]
    digest = sha256(json.dumps(asked, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()[:16]
    return _owner(claim, sampler) + digest


def _path(claim: SampledStatement) -> Path:
    """Beside the file that the claim is written in, unless it is a path of its own."""
    place = claim.reference.place if claim.reference is not None else None
    file = place or next((file for file, _ in claim.made_at), "")
    return Path(file).parent / claim.counts if file and not file.startswith("<") else Path(claim.counts)


def _read(path: Path) -> _Held:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return _Held()
    except OSError as error:
        raise InputError(reasons.CANNOT_READ.text(file=path, why=error.strerror)) from None
    try:
        held = msgspec.json.decode(content, type=_Held)
        if held.format != _FORMAT:
            raise msgspec.ValidationError(f"of format {held.format}")
        return held
    except msgspec.DecodeError as error:
        raise InputError(
            reasons.CANNOT_READ.text(
                file=f"the counts in {path}",
                why=f"it was not written by dpverify: {one_line(str(error))}",
                instead="restore it, or delete it to draw again",
            )
        ) from None


def _write(path: Path, counts: dict[str, Any], samplers: dict[str, Any]) -> None:
    held = {"format": _FORMAT, "counts": dict(sorted(counts.items())), "samplers": dict(sorted(samplers.items()))}
    write_reports({path: json.dumps(held, indent=1, ensure_ascii=False) + "\n"})
