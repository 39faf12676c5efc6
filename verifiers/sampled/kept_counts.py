"""Counts that are kept in a file beside the claim, so that a rerun decides the same: of samplers without a seed.

They are known by all that they are counts of: the sampler with the versions of its libraries, what was drawn from and
how often. Where any of that is another, fresh draws take their place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.writing import write_reports
from dpverify.verifiers.sampled.statement import SampledStatement
from dpverify.verifiers.sampling.samplers import Sampler

_Counts = TypeVar("_Counts", bound=msgspec.Struct)

_FORMAT: Final = 1


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
    if key in known:
        return msgspec.convert(known[key], form), claim.counts
    found = draw()
    if not getattr(found, "interrupted", False):
        others = {other: value for other, value in known.items() if not other.startswith(_owner(claim, sampler))}
        _write(path, {**others, key: msgspec.to_builtins(found)})
    return found, claim.counts


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


def _read(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"cannot read the counts in {path}: {error.strerror}") from None
    try:
        held = msgspec.json.decode(content, type=dict[str, Any])
        if held.get("format") != _FORMAT:
            raise msgspec.ValidationError(f"of format {held.get('format')}")
        return dict(held["counts"])
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} holds no counts of dpverify ({one_line(str(error))}): take it back as it was committed, or "
            "delete it to draw anew"
        ) from None


def _write(path: Path, counts: dict[str, Any]) -> None:
    text = json.dumps({"format": _FORMAT, "counts": dict(sorted(counts.items()))}, indent=1, ensure_ascii=False)
    write_reports({path: text + "\n"})
