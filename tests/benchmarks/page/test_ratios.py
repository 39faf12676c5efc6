"""`make performance` fails for a row that has become slower, by its name, and for nothing that a loaded machine does."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from docs.pages.performance import measures, ratios
from docs.pages.performance.ratios import FILE, Measured, beside, compared, failure, read, rows_of_today, written
from hypothesis import given
from hypothesis import strategies as st

DOCS = Path(__file__).parents[3] / "docs"
COMMITTED = {"long": Measured(0.2, 10.0), "short": Measured(0.004, 10.0)}


def says(*ratios_found: float, committed: float = 10.0, seconds: float = 0.2) -> str:
    """What three rounds with these ratios say of a row."""
    (row,) = compared({"row": Measured(0.2, committed)}, [{"row": Measured(seconds, ratio)} for ratio in ratios_found])
    return row.says


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ((10.0, 10.0, 10.0), ratios.IS_SAME),
        ((12.4, 12.4, 12.4), ratios.IS_SAME),
        ((12.5, 10.0, 12.5), ratios.IS_SLOWER),
        ((30.0, 10.0, 10.0), ratios.IS_SAME),  # one noisy round
        ((30.0, 12.4, 5.0), ratios.IS_SAME),
        ((8.0, 10.0, 8.0), ratios.IS_FASTER),
        ((8.0, 10.0, 10.0), ratios.IS_SAME),
    ],
)
def test_a_row_is_slower_where_two_rounds_are(found: tuple[float, ...], expected: str) -> None:
    assert says(*found) == expected


@given(st.lists(st.floats(0.1, 100), min_size=3, max_size=3), st.floats(1, 4))
def test_slowing_all_rounds_never_hides_a_slower_row(found: list[float], factor: float) -> None:
    if says(*found) == ratios.IS_SLOWER:
        assert says(*(ratio * factor for ratio in found)) == ratios.IS_SLOWER
    assert says(*([10.0 * max(factor, 1.25)] * 3)) == ratios.IS_SLOWER


def test_a_row_is_ignored_where_it_is_short_now_and_before() -> None:
    short = Measured(0.019, 90.0)
    (row,) = compared({"row": Measured(0.019, 10.0)}, [{"row": short}] * 3)
    assert row.says == ratios.IS_SHORT and not row.fails
    (row,) = compared({"row": Measured(0.019, 10.0)}, [{"row": Measured(0.2, 90.0)}] * 3)
    assert row.says == ratios.IS_SLOWER
    assert says(90.0, 90.0, 90.0, seconds=0.019) == ratios.IS_SLOWER


def test_a_missing_row_fails_by_its_name() -> None:
    measured = {"long": Measured(0.2, 10.0)}
    absent = compared(COMMITTED, [measured] * 3)
    assert [row.name for row in absent if row.fails] == ["short"]
    assert failure(absent) == "short: NOT MEASURED"
    further = compared(measured, [measured | {"further": Measured(0.2, 1.0)}] * 3)
    assert failure(further) == "further: NOT COMMITTED"
    once = compared(measured, [measured, measured, {}])
    assert failure(once) == "long: NOT MEASURED"


def test_a_comparison_of_nothing_fails() -> None:
    short = {"short": COMMITTED["short"]}
    for rows in (compared({}, []), compared({}, [{}] * 3), compared(short, [short] * 3)):
        assert failure(rows) is not None
    assert failure(compared(COMMITTED, [COMMITTED] * 3)) is None


def test_the_file_is_read_as_it_was_written() -> None:
    rows = {"A_dist, {0..12}^3": Measured(0.234567, 123.456), "import numpy": Measured(1e-05, 1.0)}
    assert read(written(rows)) == {"A_dist, {0..12}^3": Measured(0.235, 123.0), "import numpy": Measured(1e-05, 1.0)}


def test_the_committed_file_has_the_rows_of_today() -> None:
    committed = read((DOCS / FILE).read_text(encoding="utf-8"))
    assert [*committed] == [*rows_of_today()], "make performance UPDATE=1"
    assert all(row.seconds > 0 and row.ratio > 0 for row in committed.values())


def test_a_row_stands_beside_its_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds by a clock of the test: the reference takes 1/500 s, and is repeated until it can be seen."""
    calls: list[int] = []
    monkeypatch.setattr(measures, "cpu_seconds", lambda function: _counted(function, calls) / 500)
    assert beside(lambda: 0.5, lambda: calls.append(1)) == Measured(0.5, 250.0)
    assert len(calls) == 1 + 2 * 5  # one to see how long it takes, and two rounds, in which the row takes a second


def _counted(function: Callable[[], object], calls: list[int]) -> int:
    before = len(calls)
    function()
    return len(calls) - before


class Planted:
    """Rows that take what the test says, and the folder of their committed ratios."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.slow: dict[str, float] = {}
        rows = {name: partial(self._measured, name) for name in COMMITTED}
        monkeypatch.setattr(ratios, "rows_of_today", lambda: rows)

    def _measured(self, name: str) -> Measured:
        factor = self.slow.get(name, 1.0)
        return Measured(COMMITTED[name].seconds * factor, COMMITTED[name].ratio * factor)

    def run(self, *options: str) -> tuple[int, str]:
        """The exit status and the output of the command."""
        result = CliRunner().invoke(ratios.main, [str(self.folder), *options])
        return result.exit_code, result.output

    def kept(self) -> Mapping[str, Mapping[str, float]]:
        """The rows of the file."""
        rows: Mapping[str, Mapping[str, float]] = json.loads((self.folder / FILE).read_text(encoding="utf-8"))
        return rows


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    return Planted(tmp_path, monkeypatch)


def test_a_slower_row_ends_the_command_with_its_name(planted: Planted) -> None:
    status, output = planted.run()
    assert status == 1 and "long: NOT COMMITTED" in output  # there is no file
    assert planted.run("--update")[0] == 0
    assert planted.run()[0] == 0
    planted.slow = {"long": 1.3, "short": 1.3}
    status, output = planted.run()
    assert status == 1
    assert "\nlong: SLOWER\n" in output and "short: SLOWER" not in output
    assert planted.kept()["long"]["ratio"] == 10
    assert planted.run("--update")[0] == 0
    assert planted.kept()["long"]["ratio"] == 13
    assert planted.run()[0] == 0


def test_some_rows_are_chosen_by_name(planted: Planted) -> None:
    planted.run("--update")
    planted.slow = {"long": 2.0, "short": 2.0}
    status, output = planted.run("--rows", "sh*")
    assert status == 1 and "nothing was compared" in output and "long" not in output
    assert planted.run("--rows", "lo*", "--update")[0] == 0
    assert [planted.kept()[name]["ratio"] for name in COMMITTED] == [20, 10]
    status, output = planted.run("--rows", "lng")
    assert status == 2 and "no such row" in output and "long" in output
