"""Lines that no database runs: of each edit of code alone, and of none that is harmless.

Each is told by `sys.monitoring` where there is one, and by tracing everywhere, with the same result.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.examples import in_one
from tests.verifiers.line_coverage import edited_library

from dpverify.reports.never_run import NeverRun
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.verifiers import Claim, Tuples
from dpverify.verifiers.claims import How
from dpverify.verifiers.line_coverage import collecting
from dpverify.verifiers.line_coverage.collecting import IS_CHEAP
from dpverify.verifiers.privacy.result import privacy_result

pytestmark = pytest.mark.usefixtures("decided_here")

FILE = "tests/verifiers/line_coverage/edited_library.py"
LINES = Path(edited_library.__file__).read_text().splitlines()
LOOKING = How(recheck=False, reach=True)

ways = pytest.mark.parametrize("is_cheap", [False, *([True] if IS_CHEAP else [])], ids=lambda on: f"monitoring-{on}")


def result(mechanism: Any, how: How = LOOKING, **given: Any) -> PrivacyResult:
    domain = given.pop("domain", Tuples((0, 1), size=3))
    return privacy_result(
        Claim(id="c", mechanism=mechanism, domain=domain, epsilon=given.pop("epsilon", 3), **given), how
    )


def found(mechanism: Any, **given: Any) -> NeverRun:
    never_run = result(mechanism, **given).never_run
    assert never_run is not None
    return never_run


def name(mechanism: Any) -> str:
    return next(key for key, value in vars(edited_library).items() if value is mechanism)


def marked(mark: str, functions: set[str]) -> set[int]:
    """The lines with a mark, in these functions."""
    lines, inside = set(), False
    for number, line in enumerate(LINES, 1):
        if line and not line.startswith((" ", "#")):
            inside = any(line.startswith((f"def {one}(", f"class {one}:")) for one in functions)
        if inside and f"# {mark}" in line:
            lines.add(number)
    return lines


def _code(first: int, last: int) -> list[int]:
    return [line for line in range(first, last + 1) if LINES[line - 1].strip() != "else:"]


PARTS = {
    "in_a_helper": {"_helper"},
    "in_a_part": {"_part"},
    "in_independent_parts": {"_part"},
    "in_a_quality": {"_quality"},
    "in_an_object": {"Scaled"},
    "in_a_generator": {"_each"},
}


@pytest.mark.one_in(6)
@ways
@pytest.mark.parametrize("mechanism", [*edited_library.EDITED, *edited_library.HARMLESS], ids=name)
def test_what_is_named_is_what_is_marked(mechanism: Any, is_cheap: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "IS_CHEAP", is_cheap)
    functions = PARTS.get(name(mechanism), {name(mechanism)})
    seen = found(mechanism)
    assert {(one.file, line) for one in seen.lines for line in _code(one.first, one.last)} == {
        (FILE, line) for line in marked("never", functions)
    }
    raising = {line for one in seen.lines if one.raises for line in _code(one.first, one.last)}
    assert raising == marked("raises", functions)
    is_harmless = mechanism in edited_library.HARMLESS
    strict = result(mechanism, How(recheck=True, strict=True, reach=True))
    assert strict.as_expected is is_harmless, strict.surprise
    assert result(mechanism).as_expected  # it is told, and does not fail without --strict


def test_the_parts_of_a_line_are_named_as_they_are_written() -> None:
    parts = {name(one): [line.part for line in found(one).lines] for one in edited_library.EDITED[3:7]}
    assert parts == {"one_line": ["rows"], "constant_arm": ["0"], "by_and_or": ["rows"], "by_a_lambda": ["rows"]}


def test_lines_beside_one_another_are_one_place() -> None:
    (lines,) = found(edited_library.several).lines
    assert lines.last - lines.first == 3
    assert lines.in_words == f"{FILE}:{lines.first}-{lines.last}"


@in_one("mechanism", edited_library.OUTSIDE)
def test_what_looks_outside_is_outside_the_language(mechanism: Any) -> None:
    seen = result(mechanism)
    assert seen.verdict.value in ("CHECKED", "REFUTED")
    assert seen.never_run is None


def test_a_wider_domain_reaches_what_a_narrow_one_does_not() -> None:
    wide = result(edited_library.longer_than_six, domain=Tuples((0, 1), size=7), epsilon=3)
    assert wide.verdict.value == "REFUTED"  # which is what the line was to hide
    assert wide.never_run is None  # a witness says more


def test_nobody_looks_where_it_is_not_asked_for() -> None:
    assert result(edited_library.longer_than_six, How(recheck=False, reach=False)).never_run is None
    by_default = result(edited_library.longer_than_six, How(recheck=False)).never_run
    assert (by_default is not None) is IS_CHEAP
    strict = result(edited_library.longer_than_six, How(recheck=True, strict=True))
    assert strict.never_run is not None
    assert "never run by any of the 8 databases" in strict.surprise


def test_it_is_kept_with_a_verdict_and_read_back() -> None:
    one = result(edited_library.constant)
    again = msgspec.json.decode(msgspec.json.encode(one), type=PrivacyResult)
    assert again.never_run == one.never_run
    earlier = msgspec.json.decode(msgspec.json.encode(one))
    earlier["never_run"]["reads"] = [{"file": "a.py", "line": 1, "what": "b", "because": ""}]  # as records once had
    assert msgspec.convert(earlier, PrivacyResult) == one
    del earlier["never_run"]  # as in a record that was written before
    assert msgspec.convert(earlier, PrivacyResult).never_run is None
