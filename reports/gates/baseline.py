"""A baseline: what a reviewer has accepted of each claim, a line each, in a text file that is read as a difference.

A line is a JSON object with its keys in one order, and ends with a check of itself: a line that was edited by hand is
known, two branches that change other lines can be merged, and a change of one claim is a difference of one line.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.reports.audits.json_form import conflict
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import ClaimResult, QuestionRecord, Status

BASELINE: Final = Path("dpverify-baseline.txt")
"""Default name of a baseline."""

INFINITE: Final = "∞"

FORMAT: Final = 4
"""Changes whenever the meaning of a line does."""

_TITLE: Final = "# dpverify baseline, format "
_LARGEST: Final = 64 << 20
"""Bytes of a file that is read."""

_RENEW: Final = "the same audit with --update-baseline"
_HEADER: Final = (
    f"{_TITLE}{FORMAT}: what was accepted of each claim, a line each, by id. Not to be edited: renew it by {_RENEW}, "
    "also after a merge that conflicts in it, and review the difference."
)


class BaselineLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A line that is kept of a claim: its question, its verdict and the expected one, and what was accepted of it."""

    id: str
    kind: str
    verdict: str
    """The verdict."""
    expected: str
    file: str = ""
    """Place of the claim, relative to the folder of the baseline."""
    all_sizes: bool = False
    """True where the verdict is of all sizes."""
    rider: str = ""
    """The restriction of the verdict, such as rows in sorted order; empty where nothing is left out."""
    surprise: str = ""
    """Accepted reason why it is not as expected; empty where it is."""
    source: str = ""
    refutation: str = ""
    """Refuted statement and the reason, as the claim says it."""
    databases: int = 0
    pairs: int = 0
    """Of neighbours, ordered; for a person: the digests of the question say which they are."""
    violation: dict[str, str] = {}
    """Of a claim that is refuted, how far it fails: the ε, or the δ, with which it would hold on its domain."""
    question: QuestionRecord | None = None
    """None of records that were written before questions were kept."""


@dataclass(frozen=True)
class Baseline:
    """The lines of a baseline, by the ids of their claims."""

    lines: Mapping[str, BaselineLine]
    path: Path | None = None


def baseline_line(claim: ClaimResult, file: str | None = None) -> BaselineLine:
    """The line that is to be kept of a claim; `file` is its own as seen from the baseline, if it is another one."""
    of_pairs = claim if isinstance(claim, PrivacyResult) else None
    refutation = claim.refutation
    known = "" if claim.location is None else claim.location.file
    return BaselineLine(
        id=claim.id,
        kind=claim.kind,
        verdict=str(claim.verdict),
        expected=str(claim.expected),
        file=known if file is None else file,
        all_sizes=claim.scope.extent == "all",
        rider=claim.rider,
        surprise=one_line(claim.surprise),
        source=claim.source,
        refutation="" if refutation is None else f"{refutation.kind}: {refutation.why}",
        databases=0 if of_pairs is None else of_pairs.databases,
        pairs=0 if of_pairs is None else of_pairs.pairs,
        violation={} if of_pairs is None or claim.verdict is not Status.REFUTED else _violation(of_pairs),
        question=None if claim.question is msgspec.UNSET else claim.question,
    )


def _violation(claim: PrivacyResult) -> dict[str, str]:
    """The extent of a violation: the tight ε of a pure one, and the smallest δ, as far as known."""
    found = {}
    if claim.is_pure and claim.smallest_delta is not None and claim.tight_epsilon is None:
        found["tight ε"] = INFINITE
    if claim.is_pure and claim.tight_epsilon is not None:
        found["tight ε"] = _rounded(claim.tight_epsilon.upper)
    if claim.smallest_delta is not None:
        found["smallest δ"] = _rounded(claim.smallest_delta.upper)
    return found


def _rounded(number: str) -> str:
    """Twelve digits of a fraction, which a person can compare."""
    value = Fraction(number)
    return f"{float(value):.12g}" if abs(value) < _LARGEST else number


def to_text(lines: Iterable[BaselineLine]) -> str:
    """The lines as a file holds them, sorted by id."""
    return "\n".join([_HEADER, *(_written(line) for line in sorted(lines, key=lambda line: line.id)), ""])


def _written(line: BaselineLine) -> str:
    plain = msgspec.to_builtins(line)
    return json.dumps(_in_order(plain) | {"check": _check(plain)}, ensure_ascii=False)


def _in_order(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in their order, and what they hold by name in the order of the names: whoever has decided a claim."""
    question = {
        name: dict(sorted(value.items())) if isinstance(value, dict) else value
        for name, value in plain.get("question", {}).items()
    }
    return {**plain, "question": question} if question else dict(plain)


def _check(plain: Mapping[str, Any]) -> str:
    """A few digits that another line has not: they tell a slip of the hand, and are no signature."""
    return sha256(json.dumps(plain, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:8]


def read_baseline(path: Path) -> Baseline:
    """The baseline that a file holds. Raises `InputError`, with the way out, where there is none, or a bad one."""
    try:
        if path.stat().st_size > _LARGEST:
            said = bad_input.NOT_A_BASELINE.text(f"has more than {_LARGEST >> 20} MB", "name another file")
            raise InputError(f"{path}{said}")
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            bad_input.NO_NAME, f"the baseline {path}", "", "--update-baseline as well, which writes it"
        ) from None
    except OSError as error:
        raise InputError(reasons.CANNOT_READ.text(file=path, why=error.strerror)) from None
    try:
        return Baseline(from_text(content.decode()), path)
    except UnicodeDecodeError:
        raise InputError(reasons.CANNOT_READ.text(file=path, why="it is no text in UTF-8")) from None
    except InputError as error:
        raise InputError(f"{path}{error}") from None


def from_text(text: str) -> dict[str, BaselineLine]:
    """The lines of a file, by id. Raises `InputError`, whose text goes on behind the file's name."""
    if marks := conflict(text):
        raise InputError(f": {marks}")
    baseline_lines: dict[str, BaselineLine] = {}
    first, *rest = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").split("\n")
    _refuse_other_formats(first.rstrip("\r"))
    for number, written in enumerate(rest, 2):
        if not written.strip():
            continue
        line = _line(written, f", line {number}")
        if baseline_lines.setdefault(line.id, line) is not line:
            raise InputError(
                bad_input.BASELINE_LINE, f", line {number}", f"a second line of {one_line(line.id)}", _RENEW
            )
    return baseline_lines


def _refuse_other_formats(first: str) -> None:
    if first.lstrip().startswith("{"):
        raise InputError(
            bad_input.NOT_A_BASELINE,
            "is of an earlier version, in JSON, which holds no questions",
            f"delete it, and write {BASELINE} by {_RENEW} --baseline {BASELINE}",
        )
    if not first.startswith(_TITLE):
        raise InputError(
            bad_input.NOT_A_BASELINE, f"does not begin with “{_TITLE}{FORMAT} …”", f"write one by {_RENEW}"
        )
    said = first.removeprefix(_TITLE).partition(":")[0].strip()
    if said != str(FORMAT):
        raise InputError(
            bad_input.NOT_A_BASELINE,
            f"is of format {cut(one_line(said), 20)}, and this version of dpverify reads {FORMAT}",
            f"use the version that wrote it, or delete it and renew it by {_RENEW}",
        )


def _line(written: str, where: str) -> BaselineLine:
    try:
        plain = msgspec.json.decode(written)
        if not isinstance(plain, dict):
            raise InputError(bad_input.BASELINE_LINE, where, "no line of a baseline", _RENEW)
        check = plain.pop("check", None)
        line = msgspec.convert(plain, BaselineLine)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(bad_input.BASELINE_LINE, where, f"not readable ({one_line(str(error))})", _RENEW) from None
    if check != _check(plain):
        raise InputError(bad_input.BASELINE_LINE, where, f"the line of {one_line(line.id)} was edited by hand", _RENEW)
    return line
