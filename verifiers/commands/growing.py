"""Reports that grow while claims are decided: partial ones, each replaced whole by the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.formats.rendering import Format, render
from dpverify.reports.provenance import Provenance
from dpverify.reports.record import SCHEMA_VERSION, TO_BE_DECIDED, AuditRecord, ClaimResult, NotDecided
from dpverify.reports.writing import STANDARD_OUTPUT, write_reports

if TYPE_CHECKING:
    from dpverify.verifiers.claims import AnyClaim

LEAST: Final = 2.0
"""Seconds between two reports."""

SHARE: Final = 20.0
"""Ratio of the time until the next report to the time of writing the last: writing takes a twentieth, at most."""


class GrowingReports:
    """The reports of an audit that goes on, in formats that grow: what was decided by then, and what is still to be.

    The first is written before anything is decided. Where one cannot be written no more are: the audit does not stop
    for it, and says so when it writes the last.
    """

    def __init__(
        self,
        outputs: Mapping[Path, Format],
        claims: Sequence[AnyClaim],
        unread: Sequence[NotDecided] = (),
        clock: Callable[[], float] = time.monotonic,
        provenance: Provenance | None = None,
    ) -> None:
        self._files = [path for path, form in outputs.items() if form.grows and path != STANDARD_OUTPUT]
        self._suffixes = [outputs[path].suffix for path in self._files]
        self._claims = claims
        self._unread = unread
        self._found: list[ClaimResult | NotDecided] = []
        self._clock = clock
        self._provenance = provenance
        self._write()

    def note(self, found: ClaimResult | NotDecided) -> None:
        """Note the result of the next claim."""
        self._found.append(found)
        if self._clock() >= self._next and len(self._found) < len(self._claims):
            self._write()

    def _write(self) -> None:
        """A report that costs the audit a twentieth of its time, at most."""
        begun = self._clock()
        texts = {path: render(self.record, suffix) for path, suffix in zip(self._files, self._suffixes, strict=True)}
        try:
            write_reports(texts)
        except InputError:
            self._files, self._suffixes = [], []
        now = self._clock()
        self._next = now + max(LEAST, SHARE * (now - begun))

    @property
    def record(self) -> AuditRecord:
        """The audit by now."""
        from dpverify.verifiers.auditing.attempts import not_decided
        from dpverify.verifiers.auditing.auditing import installed_version
        from dpverify.verifiers.auditing.cache.mechanism_sources import sources_of

        results = [row for row in self._found if isinstance(row, ClaimResult)]
        left = [row for row in self._found if isinstance(row, NotDecided)]
        to_come = [not_decided(claim, TO_BE_DECIDED) for claim in self._claims[len(self._found) :]]
        sources = sources_of(self._claims, results)
        rows = [*self._unread, *left, *to_come]
        return AuditRecord(SCHEMA_VERSION, installed_version(), results, rows, sources, provenance=self._provenance)
