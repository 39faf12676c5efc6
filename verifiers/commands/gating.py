"""The acts of a gate on a baseline, for commands and for pytest alike: it compares, refuses, and writes a new one.

And with packages: which of their functions that draw no claim reaches.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.reports.gates.baseline import BASELINE, Baseline, BaselineLine, baseline_line, read_baseline, to_text
from dpverify.reports.gates.gate import AuditRequest, Gate, answers, gate, gate_in_lines
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, Location
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.locations import claim_location, project_of

if TYPE_CHECKING:
    from dpverify.verifiers.auditing.coverage import Coverage
    from dpverify.verifiers.claims import AnyClaim


class Asking(NamedTuple):
    """The file of a baseline, what it holds, and whether it is to be replaced."""

    path: Path
    baseline: Baseline
    update: bool

    @property
    def how_to_update(self) -> str:
        """The way to accept what it asks for."""
        named = "" if self.path == BASELINE else f" --baseline {self.path}"
        return f"accept what is meant by the same audit with{named} --update-baseline, and have the difference reviewed"


def baseline_of_command(path: Path | None, update: bool) -> Asking | None:
    """The baseline that the options name; None where they name none.

    Raises `InputError` where it cannot be read or written, or is none: a bad one is not written over.
    """
    if path is None and not update:
        return None
    path = path or BASELINE
    if path == STANDARD_OUTPUT:
        raise InputError(bad_input.NEEDS, "a baseline", "a file", "name one")
    if update:
        check_targets([path])
        return Asking(path, _read(path) if path.exists() else Baseline({}), update)
    return Asking(path, _read(path), update)


def _read(path: Path) -> Baseline:
    return read_baseline(path)


def _below_root(path: Path) -> str:
    """The folder of a baseline, below the root of its project; of one of dpverify's own nothing, as of its claims."""
    folder = path.resolve().parent
    root = project_of(str(folder / path.name))
    if root == project_of(__file__):
        return ""
    return folder.relative_to(root).as_posix() if root is not None and folder.is_relative_to(root) else ""


class GateJudgement(NamedTuple):
    """The judgement on an audit beside its claims: against a baseline, and of the functions of packages."""

    gate: Gate | None = None
    covered: Sequence[Coverage] = ()
    strict: bool = False

    @property
    def uncovered(self) -> list[Location]:
        """The functions without a claim that fail the audit."""
        return [place for one in self.covered for place in one.without] if self.strict else []

    def in_words(self, asking: Asking | None, told: Collection[str] = (), *, quiet: bool = False) -> list[str]:
        """A text for the gate, which was of this baseline, and for each package; `told` have their witness above."""
        texts = []
        if asking is not None and self.gate is not None:
            written = [f"wrote {asking.path}"] if asking.update else []
            lines = gate_in_lines(self.gate, asking.how_to_update, judged=not asking.update, told=told)
            texts.append("\n".join([*lines, *written]))
        texts += ["\n".join(one.in_lines(quiet=quiet)) for one in self.covered]
        if self.uncovered:
            texts[-1] += f"\n--strict fails: {counted(len(self.uncovered), 'function')} without a claim"
        return texts


def refuse_missing_package(packages: Sequence[str]) -> None:
    """Raises `InputError` where there is no such package, before anything is decided."""
    if packages:
        from dpverify.verifiers.auditing.coverage import refuse_no_package

        for package in packages:
            refuse_no_package(package)


def covered(packages: Sequence[str], names: Sequence[str], claims: Sequence[AnyClaim]) -> list[Coverage]:
    """Functions of the packages that claims reach, at any depth. Raises `InputError` as an import does."""
    if not packages:
        return []
    from dpverify.verifiers.auditing.coverage import coverage
    from dpverify.verifiers.auditing.selection import every_claim_of

    known = every_claim_of(names) or list(claims)
    return [coverage(package, known) for package in packages]


def claims_of_names(
    baseline: Baseline, record: AuditRecord, names: Sequence[str], kinds: Collection[str] | None, depth: str
) -> AuditRequest:
    """The claims that an audit by names on the command line has left out of a baseline, and why."""
    decided = {claim.id for claim in record.claims} | {row.id for row in record.not_decided}
    if all(name in decided for name in baseline.lines):
        return AuditRequest()
    from dpverify.verifiers.auditing.selection import every_claim_of, selected

    unread = [row.id for row in record.not_decided if row.kind == "file"]
    readable = [name for name in names if name not in unread]
    try:
        meant = selected(readable, "full", kinds) if readable or not names else []
    except InputError:  # which is said of the audit itself
        meant = []
    files = {Path(name.partition("::")[0]) for name in names if "::" in name or name.endswith(".py")}
    return asked(baseline, decided, Named(meant, every_claim_of(names), files, unread), depth)


class Named(NamedTuple):
    """The named or collected claims: those that are meant, all that exist there, the files, and those not read."""

    meant: Iterable[AnyClaim]
    existing: Iterable[AnyClaim]
    files: Collection[Path]
    unread: Sequence[str]


def asked(baseline: Baseline, decided: Collection[str], named: Named, depth: str) -> AuditRequest:
    """Claims that exist and were not meant, and those of other files, as long as they exist.

    Of those that were meant, which are left to a later depth than that of the audit.
    """
    from dpverify.verifiers.claims import reaches

    later = {
        claim.id: (str(claim.depth), claim_location(claim))
        for claim in named.meant
        if claim.id not in decided and not reaches(depth, claim.depth)
    }
    known = {(claim.id, claim.kind) for claim in named.existing if claim.id not in later}
    folder = (Path() if baseline.path is None else baseline.path).resolve().parent
    files = {file.resolve() for file in named.files}
    left = [
        name
        for name, line in baseline.lines.items()
        if (name, line.kind) in known or _is_elsewhere(line, files, folder)
    ]
    unread = {from_baseline(Path(file), folder) for file in named.unread}
    below = "" if baseline.path is None else _below_root(baseline.path)
    return AuditRequest(frozenset(left) - set(decided) - later.keys(), later, unread, below)


def from_baseline(file: Path, folder: Path) -> str:
    """A file as a baseline in a folder names it."""
    return Path(os.path.relpath(file.resolve(), folder)).as_posix()


def _is_elsewhere(line: BaselineLine, files: Collection[Path], folder: Path) -> bool:
    """True where a claim stands in a file that is there, and that is not among these."""
    if not line.file or not files:
        return False
    return (folder / line.file).is_file() and (folder / line.file).resolve() not in files


def files_of(claims: Iterable[AnyClaim], path: Path) -> dict[str, str]:
    """The files of claims as a baseline names them, by id: those of the catalogue are below dpverify itself."""
    folder = path.resolve().parent
    places = {claim.id: claim.reference.place for claim in claims if claim.reference is not None}
    return {name: from_baseline(Path(place), folder) for name, place in places.items() if place}


def baseline_changes(asking: Asking, record: AuditRecord, asked: AuditRequest, claims: Iterable[AnyClaim]) -> Gate:
    """The changes from the baseline to the audit of claims."""
    from dpverify.verifiers.commands.containing import shown_of

    not_decided = {row.id: row.reason for row in record.not_decided}
    known = list(claims)
    results = answers(record, files_of(known, asking.path))
    return gate(asking.baseline.lines, results, not_decided, asked, shown_of(known))


def updated(asking: Asking, record: AuditRecord, found: Gate, claims: Iterable[AnyClaim]) -> None:
    """Write the audit in the place of the baseline; what nobody asked for stays.

    Raises `InputError` where the audit is partial, or leaves a claim of the baseline to a later depth.
    """
    if record.partial:
        first = record.not_decided[0].id
        raise InputError(bad_input.PARTIAL_AUDIT, "a partial audit", counted(len(record.not_decided), "row"), first)
    later = [row for row in found.rows if row.mark == "WORSE" and row.name not in {one.id for one in record.claims}]
    if later:
        depth = later[0].changes[0].after
        raise InputError(bad_input.LATER_DEPTH, f"{later[0].name} is", depth)
    kept = {name: line for name, line in asking.baseline.lines.items() if name in found.left_out}
    files = files_of(claims, asking.path)
    asked = [claim for claim in record.claims if claim.question is not msgspec.UNSET]
    lines = kept | {claim.id: baseline_line(claim, files.get(claim.id)) for claim in asked}
    write_reports({asking.path: to_text(lines.values())})
