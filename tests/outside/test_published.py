"""Eighty programs that libraries, books and papers publish: what is decided of each, and what is refused, and how."""

import ast
import inspect
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import pytest
from tests.outside import book, diffprivlib_models, google_opendp, papers
from tests.outside.published import PROGRAMS, Program

from dpverify.mechanisms import Limits, MechanismError, exp
from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy

SOURCES: Final = (book, diffprivlib_models, google_opendp, papers)

IMPORTS: Final = """
from dpverify.mechanisms import *
from dpverify.mechanisms import exact
from dpverify.verifiers import *
from dpverify.verifiers import AtLeast as _A
"""
"""How the programs begin where they were written."""

SLOW: Final = frozenset(
    {
        "histogram (GeometricTruncated, sens 1), replace one",
        "the same, add/remove one",
        "shuffled randomized response, n=8: (e0=1) claim e=.7,d=.05",
        "PrivBayes: pick a parent set, noisy conditional",
        "free-gap noisy max: winner and gap",
        "private heavy hitters: prefix tree, keep if noisy count > t",
        "range_query_svt: sparse, then Laplace",
    }
)
"""What takes half a second and more: counts up to 1,000, 256 paths of eight people. Smaller ones are in the gallery."""


def cases(programs: Iterable[Program]) -> list[Any]:
    """The programs, the slow ones among the deep tests."""
    return [
        pytest.param(program, marks=[pytest.mark.deep] if program.name in SLOW else [], id=program.name)
        for program in programs
    ]


SHORT: Final = Limits(draws=60)
"""A loop without end is given up at the same place for any limit."""


def decided(program: Program, limits: Limits | None = None) -> Verdict:
    return check_privacy(
        program.mechanism,
        program.domain,
        program.neighbours,
        epsilon=program.epsilon,
        delta=program.delta,
        parameters=program.given,
        recheck=False,
        limits=limits,
    )


def refusal(program: Program) -> str:
    """What is said where the program is refused; "" where it is decided."""
    try:
        verdict = decided(program, SHORT)
    except MechanismError as error:
        return str(error)
    return " ".join(str(verdict).split()) if verdict.status is Status.UNDECIDED else ""


DECIDED: Final = [program for program in PROGRAMS if program.found]
REFUSED: Final = [program for program in PROGRAMS if program.refused]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("program", cases(DECIDED))
def test_it_is_decided_as_it_stands(program: Program) -> None:
    verdict = decided(program)
    assert verdict.status is (Status.PROVED if program.private else Status.REFUTED)
    assert f"found {program.found}, " in str(verdict)
    if not program.private:
        witness = verdict.witness
        assert witness is not None
        assert witness.p > exp(program.epsilon) * witness.q + program.delta


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", cases(REFUSED))
def test_it_is_refused_in_these_words(program: Program) -> None:
    assert program.refused in refusal(program)


def test_their_imports_are_those_of_the_public_face() -> None:
    """Programs by others write `from dpverify.mechanisms import *`: what they name is found where they import it."""
    face: dict[str, Any] = {}
    exec(IMPORTS, face)
    for source in SOURCES:
        for node in ast.walk(ast.parse(inspect.getsource(source))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dpverify"):
                assert node.module in {"dpverify.mechanisms", "dpverify.verifiers"}
                assert {alias.name for alias in node.names} <= set(face)


def test_what_is_refused_is_of_few_kinds() -> None:
    assert len(PROGRAMS) == 80
    assert Counter(program.private for program in DECIDED) == {True: 71, False: 8}
    assert {program.mechanism.__name__ for program in REFUSED} == {
        "synth",  # divides 0 by 0, as published
    }
