"""Comments that accept a line: of what they are, what they need, and what a gate is given of them."""

import sys
from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers import Claim, Tuples
from dpverify.verifiers.claims import How
from dpverify.verifiers.line_coverage.accepted import accepted_lines
from dpverify.verifiers.privacy.result import privacy_result

BEGIN = """
from dpverify.mechanisms import discrete_laplace

"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    invalidate_caches()
    yield tmp_path
    sys.modules.pop("accepting", None)


def claim(folder: Path, text: str, name: str = "mechanism") -> Claim:
    (folder / "accepting.py").write_text(BEGIN + text)
    mechanism: Any = getattr(import_module("accepting"), name)
    return Claim(id="c", mechanism=mechanism, domain=Tuples((0, 1), size=2), epsilon=1)


def open_lines(found: Claim) -> list[int]:
    never_run = privacy_result(found, How(recheck=False, reach=True)).never_run
    assert never_run is not None
    return [line.first for line in never_run.open_lines]


BLOCK = """
def mechanism(draw, rows):
    if len(rows) > 6:{header}
        {above}
        first = rows[0]{first}
        return first{second}
    return sum(rows) + draw(discrete_laplace(1))
"""
WHY = "  # dp: unreached, because rows are at most six where it is called"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({}, [7]),
        ({"header": WHY}, []),
        ({"first": WHY, "second": WHY}, []),
        ({"above": WHY.strip(), "second": WHY}, []),
        ({"first": WHY}, [7]),  # the line below it is another one
        ({"second": WHY}, [7]),
        ({"first": WHY.replace("unreached", "exact"), "second": WHY}, [7]),
    ],
)
def test_a_comment_is_of_its_line_or_of_the_block_that_it_begins(
    folder: Path, given: dict[str, str], left: list[int]
) -> None:
    text = BLOCK.format(**{"header": "", "above": "# ...", "first": "", "second": ""} | given)
    assert open_lines(claim(folder, text)) == [line + 1 for line in left]


BRANCHES = """
def mechanism(draw, rows):
    if len(rows) > 7:{first}
        return 1
    elif len(rows) > 6:{second}
        return 2
    else:{third}
        if len(rows) > 5:{fourth}
            return 3
    return sum(rows) + draw(discrete_laplace(1))
"""


@pytest.mark.parametrize(
    ("at", "left"), [("", [7, 9, 12]), ("first", [9, 12]), ("second", [7, 12]), ("third", [7, 9]), ("fourth", [7, 9])]
)
def test_a_comment_on_a_header_is_of_its_own_block(folder: Path, at: str, left: list[int]) -> None:
    text = BRANCHES.format(**{name: WHY if name == at else "" for name in ("first", "second", "third", "fourth")})
    assert open_lines(claim(folder, text)) == left


def test_the_record_has_what_is_accepted_and_why(folder: Path) -> None:
    found = claim(folder, BLOCK.format(header=WHY, above="# ...", first="", second=""))
    never_run = privacy_result(found, How(recheck=True, strict=True, reach=True)).never_run
    assert never_run is not None
    assert never_run.surprise == ""
    assert [line.because for line in never_run.lines] == ["rows are at most six where it is called"]
    assert never_run.in_words == ["accepting.py:8-9: accepted, because rows are at most six where it is called."]


@pytest.mark.parametrize(
    "comment",
    [
        "# dp: unreached",
        "# dp: unreached, because",
        "# dp: unreached, because …",
        "# dp: unreached because  .",
        "# dp: exact",
        "# dp: outside, because it was once known",
        "# dp: unreachable, because it is",
        "# dp: because it is",
        "#dp:",
    ],
)
def test_a_comment_without_a_reason_is_an_error_with_its_line(folder: Path, comment: str) -> None:
    text = BLOCK.format(header="", above="# ...", first=f"  {comment}", second="")
    with pytest.raises(InputError, match=r"^c: accepting.py:8: .* because …"):
        open_lines(claim(folder, text))
    with pytest.raises(InputError, match=r"^accepting.py:8: "):
        accepted_lines(claim(folder, text))


def test_a_text_that_looks_like_a_comment_is_none(folder: Path) -> None:
    text = 'def mechanism(draw, rows):\n    "# dp: unreached"\n    return draw(discrete_laplace(1)) + sum(rows)\n'
    assert open_lines(claim(folder, text)) == []


SEVERAL = """
def helper(rows):
    # dp: unreached, because nobody calls it so
    return 1 if len(rows) > 6 else sum(rows)

def other(rows):
    return 2  # dp: unreached, because it is of another mechanism

class Part:
    def kept(self, rows):
        if not rows:  # dp: unreached, because there are rows
            return 1
        return helper(rows)

PART = Part()

def mechanism(draw, rows):
    # dp: unreached, because rows are few
    return rows if len(rows) > 6 else PART.kept(rows) + draw(discrete_laplace(1))
"""


def test_a_gate_is_given_what_a_mechanism_reaches_by_name(folder: Path) -> None:
    found = accepted_lines(claim(folder, SEVERAL))
    assert [(one.file, one.what, one.because) for one in found] == [
        ("accepting.py", "unreached", "nobody calls it so"),
        ("accepting.py", "unreached", "there are rows"),
        ("accepting.py", "unreached", "rows are few"),
    ]
    assert found[0].text == "return 1 if len(rows) > 6 else sum(rows)"


def test_layout_and_comments_do_not_change_what_a_gate_is_given(folder: Path) -> None:
    before = accepted_lines(claim(folder, SEVERAL))
    sys.modules.pop("accepting")
    moved = "\n\n# more\n" + SEVERAL.replace("if len(rows) > 6 else sum", "if len( rows )>6  else sum")
    (folder / "accepting.py").unlink()
    after = accepted_lines(claim(folder, moved))
    assert [one._replace(first=0, last=0) for one in after] == [one._replace(first=0, last=0) for one in before]
    assert [one.first for one in after] != [one.first for one in before]
