"""What `dpverify audit` does with a baseline: it compares, refuses what got worse, and writes a new one.

And with packages: of which of their functions no claim speaks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dpverify.mechanisms.exact.errors import InputError
from dpverify.reports.baseline import BASELINE, baseline_of, earlier_record, read_baseline
from dpverify.reports.comparison import Audit, read_audit
from dpverify.reports.gate import Gate, gate, in_lines
from dpverify.reports.json_form import to_json
from dpverify.reports.numbers import counted
from dpverify.reports.record import AuditRecord, Location
from dpverify.reports.writing import STANDARD_OUTPUT, check_targets, write_reports
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.locations import project_of

if TYPE_CHECKING:
    from dpverify.verifiers.audit.coverage import Coverage


class Baseline(NamedTuple):
    """The file of a baseline, what it says, and whether it is to be replaced."""

    path: Path
    audit: Audit | None
    """None where there is none yet."""
    update: bool

    @property
    def how_to_update(self) -> str:
        """What to do where things got better."""
        named = "" if self.path == BASELINE else f" --baseline {self.path}"
        return (
            f"better than {self.path}: keep it by the same command with{named} --update-baseline, and commit the file"
        )


def baseline_asked(path: Path | None, update: bool) -> Baseline | None:
    """The baseline that the options name; None where they name none.

    Raises `InputError` where it cannot be read or written, or is partial.
    """
    if path is None and not update:
        return None
    path = path or BASELINE
    if path == STANDARD_OUTPUT:
        raise InputError("a baseline is a file that is kept: name one")
    if update:
        check_targets([path])
        before = earlier_record(path)
        return Baseline(path, None if before is None else read_audit(to_json(before)), update)
    return Baseline(path, read_baseline(path), update)


class Judged(NamedTuple):
    """What is said of an audit beside its claims: against a baseline, and of the functions of packages."""

    gate: Gate | None = None
    covered: Sequence[Coverage] = ()
    strict: bool = False

    @property
    def uncovered(self) -> list[Location]:
        """The functions without a claim that fail the audit."""
        return [place for one in self.covered for place in one.without] if self.strict else []

    def in_words(self, baseline: Baseline | None) -> list[str]:
        """A text for the gate, which was of this baseline, and for each package."""
        texts = []
        if baseline is not None and self.gate is not None:
            how = "" if baseline.update else baseline.how_to_update
            written = [f"wrote {baseline.path}"] if baseline.update else []
            texts.append("\n".join([*in_lines(self.gate, how, judged=not baseline.update), *written]))
        texts += ["\n".join(one.in_lines) for one in self.covered]
        if self.uncovered:
            texts[-1] += f"\n--strict fails: {counted(len(self.uncovered), 'function')} without a claim"
        return texts


def refuse_no_package(packages: Sequence[str]) -> None:
    """Raises `InputError` where there is no such package, before anything is decided."""
    if packages:
        from dpverify.verifiers.audit.coverage import refuse_no_package

        for package in packages:
            refuse_no_package(package)


def covered(packages: Sequence[str], names: Sequence[str], claims: Sequence[AnyClaim]) -> list[Coverage]:
    """Of which functions of the packages a claim speaks, at any depth. Raises `InputError` as an import does."""
    if not packages:
        return []
    from dpverify.verifiers.audit.coverage import coverage
    from dpverify.verifiers.audit.selection import every_claim_of

    known = every_claim_of(names) or list(claims)
    return [coverage(package, known) for package in packages]


def compared(baseline: Baseline, record: AuditRecord, names: Sequence[str], asked: Sequence[AnyClaim]) -> Gate:
    """What the audit says otherwise than the baseline, of which claims may be there that nobody asked for."""
    before = baseline.audit or Audit({}, {})
    return gate(before, read_audit(to_json(record)), _not_asked(before, record, names, asked))


def updated(baseline: Baseline, record: AuditRecord, found: Gate) -> None:
    """Write the audit in the place of the baseline. Raises `InputError` where it is partial."""
    text = baseline_of(record, earlier_record(baseline.path), found.left_out)
    write_reports({baseline.path: text})


def _not_asked(before: Audit, record: AuditRecord, names: Sequence[str], asked: Sequence[AnyClaim]) -> set[str]:
    """Claims of the baseline that are still claims, and that a narrower question has left out.

    Of a file that is named, those that it still holds; of another file, all, as long as the file is there.
    """
    missing = {name for name in before.claims if name not in {claim.id for claim in record.claims}}
    missing -= {claim.id for claim in asked} | {row.id for row in record.not_decided}
    if not missing:
        return set()
    from dpverify.verifiers.audit.selection import every_claim_of

    existing = {claim.id for claim in every_claim_of(names)}
    files = {Path(name.partition("::")[0]).resolve() for name in names if "::" in name or name.endswith(".py")}
    return {name for name in missing if name in existing or _is_elsewhere(before.claims[name].get("location"), files)}


def _is_elsewhere(place: object, files: Collection[Path]) -> bool:
    """Whether a claim stands in a file that is there, and that is not among these."""
    file = place.get("file") if isinstance(place, dict) else None
    if not file or not files:
        return False
    roots = {project_of(str(named)) or Path.cwd() for named in files}
    return any((root / file).is_file() and (root / file).resolve() not in files for root in roots)
