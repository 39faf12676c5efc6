"""What compares random programs fails where nothing is left to compare: if all is refused, or nothing decided."""

import ast
import re
import sys
from typing import Any, NoReturn

import pytest
from tests.adversary import test_laws, test_saturated
from tests.adversary.tally import HERE, Empty, Tally

from dpverify.mechanisms import InputError
from dpverify.mechanisms.drawing.enumerator import Enumeration


@pytest.mark.parametrize("words", ["noises at once", "anything else"])
def test_they_fail_where_the_enumerator_refuses_everything(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a reason that some programs may be refused for, and for another one."""

    def refuses(*_: Any, **__: Any) -> NoReturn:
        raise InputError(words)

    monkeypatch.setattr(Enumeration, "law", refuses)
    monkeypatch.setattr(Enumeration, "law_of_part", refuses)
    with pytest.raises((AssertionError, InputError)):
        test_laws.test_laws_are_those_of_brute_force("finite", batch=0, tally=Tally())
    with pytest.raises((AssertionError, InputError)):
        test_saturated.test_ties_are_proved_and_what_lies_below_is_refuted(0, Tally())


def test_every_file_that_compares_demands_that_something_was_compared() -> None:
    """Or has assertions of its own for each case."""
    own = {"faults", "impure", "kept_seeds", "mutants", "not_empty", "plain", "saturated", "traps"}
    files = {path.stem.removeprefix("test_"): path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py")}
    assert own <= files.keys()
    assert {name for name, text in files.items() if not re.search(r"\.demand\(|\bdecide\(|raise Empty", text)} <= own


@pytest.mark.parametrize(
    ("counts", "fine"),
    [
        ({"laws": 10}, True),
        ({"laws": 9}, False),
        ({"laws": 10, "refused: circle": 12}, True),
        ({"laws": 10, "refused: circle": 13}, False),
        ({"laws": 10, "a class: refused: circle": 13}, False),
        ({"laws": 10, "refused: another": 1}, False),
    ],
)
def test_what_is_demanded(counts: dict[str, int], fine: bool) -> None:
    tally = Tally()
    tally.counts.update(counts)
    try:
        tally.demand({"laws": 10}, {"circle": 0.5}, of=20)
    except Empty:
        assert not fine
    else:
        assert fine


ORACLES = sorted(path.stem for path in (HERE / "oracles").glob("*.py"))


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_shares_nothing_with_what_decides(name: str) -> None:
    """It imports the standard library, and other oracles."""
    tree = ast.parse((HERE / "oracles" / f"{name}.py").read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    ours = {f"tests.adversary.oracles.{other}" for other in ORACLES}
    assert len(ours) == 10
    assert modules
    assert all(module in ours or module.partition(".")[0] in sys.stdlib_module_names for module in modules), modules
