"""Claims as tests: the file that holds them, each as an item, and what the report of a test carries of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from dpverify.reports.gates.gate import GatedClaim
    from dpverify.reports.record import ClaimResult, NotDecided
    from dpverify.verifiers.claims import AnyClaim, How
    from dpverify.verifiers.commands.gating import Asking

PROPERTY: Final = "dpverify"
"""The name under which a test's report carries its results, as JSON: workers of pytest-xdist pass it on."""


SOURCE: Final = "dpverify-source"
"""The name under which it carries the source of a mechanism, as JSON."""


ERROR: Final = "dpverify-error"
"""The name under which it carries the row of a claim that could not be decided, as JSON."""


NAMED_KEY: Final = pytest.StashKey[Sequence[str]]()
"""Key of a run for the files, folders and tests that were named on the command line itself."""


BASELINE_KEY: Final = pytest.StashKey["Asking | None"]()
"""Key of a run for its baseline."""


class ClaimFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterator[ClaimItem]:
        """A test for each claim, under its id."""
        from dpverify.mechanisms.numbers.errors import InputError
        from dpverify.verifiers.auditing.claim_files import load_claims

        try:
            claims = load_claims(self.path)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for claim in claims:
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """A claim as a test: it passes where its verdict is the expected one."""

    def __init__(self, *, claim: AnyClaim, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def runtest(self) -> None:
        """Decide the claim."""
        from dpverify.reports.audits.table import claim_lines
        from dpverify.verifiers.auditing.auditing import make_ready
        from dpverify.verifiers.auditing.digests.question import decided_with_question
        from dpverify.verifiers.locations import located

        if is_left(self.claim, self.config):
            pytest.skip(left_to(self.claim))
        how = how_of(self.config)
        make_ready([self.claim], how)
        with note_undecided(self, self.claim):
            result = located(self.claim, decided_with_question(self.claim, how))
        note_finding(self, self.claim, result)
        asking = self.config.stash[BASELINE_KEY]
        if asking is None:
            if not result.as_expected:
                raise ClaimNotAsExpected(claim_lines(result))
            return
        present = [item.claim.id for item in self.session.items if isinstance(item, ClaimItem)]
        row = _row_of(result, self.claim, asking, present)
        if row is not None and row.fails:
            from dpverify.reports.gates.gate import gate_row_lines as gate_lines

            raise ClaimNotAsExpected([*claim_lines(result), *gate_lines(row, witness=False)])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict and the witness, or the message of bad input, without a traceback."""
        return _without_traceback(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the claim, from line 0 on, and its name: a test that is skipped has to have a line."""
        from dpverify.verifiers.locations import claim_location

        place = claim_location(self.claim)
        return self.path, max(0, place.line - 1) if place is not None else 0, f"claim {self.name}"


def _row_of(result: ClaimResult, claim: AnyClaim, asking: Asking, present: Sequence[str]) -> GatedClaim | None:
    """The answer of the gate on a claim, where others are `present`: the same as at the end, of all."""
    from dpverify.reports.gates.baseline import baseline_line
    from dpverify.reports.gates.gate import Answered, AuditRequest, gate
    from dpverify.verifiers.commands.containing import shown_of
    from dpverify.verifiers.commands.gating import files_of

    others = AuditRequest(left_out=frozenset(present) - {result.id})
    line = baseline_line(result, files_of([claim], asking.path).get(claim.id))
    outcome = gate(asking.baseline.lines, {result.id: Answered(line, result)}, {}, others, shown_of([claim]))
    return outcome.of_claims.get(result.id)


def how_of(config: pytest.Config) -> How:
    """The way in which claims are decided, by the options of the run."""
    from dpverify.verifiers.claims import How

    depth, strict = config.getoption("--dp-depth"), config.getoption("--dp-strict")
    recheck = not config.getoption("--dp-no-recheck")
    reach = True if config.getoption("--dp-reach") else None
    is_long = depth != "quick"
    return How(recheck=recheck, strict=strict, slack=strict or is_long, depth=depth, reach=reach, lines=is_long)


def is_left(claim: AnyClaim, config: pytest.Config) -> bool:
    """True where a claim is of a later depth than that of the run."""
    from dpverify.verifiers.claims import reaches

    return not reaches(config.getoption("--dp-depth"), claim.depth)


def left_to(claim: AnyClaim) -> str:
    """Reason why a claim of another depth is skipped."""
    return f"decided with --dp-depth {claim.depth}"


@contextmanager
def note_undecided(item: pytest.Item, claim: AnyClaim) -> Iterator[None]:
    """Let the report of a test carry why its claim could not be decided, whatever it was that the mechanism raised."""
    try:
        yield
    except BaseException as error:
        from dpverify.verifiers.auditing.attempts import not_decided
        from dpverify.verifiers.auditing.exit_status import reason_of
        from dpverify.verifiers.blackbox.sampling.samplers import NEEDS_A_LIBRARY

        row = not_decided(claim, reason_of(error).removeprefix(f"{claim.id}: "))
        item.user_properties.append((ERROR, _row_to_json(row)))
        if row.reason.startswith(NEEDS_A_LIBRARY):
            pytest.skip(row.reason)
        raise


def note_finding(item: pytest.Item, claim: AnyClaim, result: ClaimResult) -> None:
    """Let the report of a test carry what is found of its claim, and the source of its mechanism."""
    import msgspec

    from dpverify.reports.audits.json_form import result_to_json
    from dpverify.verifiers.auditing.cache.mechanism_sources import sources_of

    item.user_properties.append((PROPERTY, result_to_json(result)))
    for source in sources_of([claim], [result]):
        item.user_properties.append((SOURCE, msgspec.json.encode(source).decode()))


def _row_to_json(row: NotDecided) -> str:
    import msgspec

    from dpverify.reports.record import storable

    return msgspec.json.encode(storable(row)).decode()


def _without_traceback(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """The message of what is no error of a program, and nothing for any other."""
    from dpverify.mechanisms.numbers.errors import InputError
    from dpverify.mechanisms.numbers.shown import in_words, one_line

    if isinstance(excinfo.value, ClaimNotAsExpected):
        return str(excinfo.value)
    return one_line(in_words(excinfo.value)) if isinstance(excinfo.value, InputError) else ""


class ClaimNotAsExpected(AssertionError):
    """A claim whose verdict is not the expected one, or whose mutant was not refuted: it says so in lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
