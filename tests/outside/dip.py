"""The language of DiPApprox (github bhusalb/approximate-dp), as mechanisms: `translated(text)` runs a program of it.

    INPUTSIZE 2;  OUTPUT = [0, 0];  RANDOM Q = gauss(eps/2, INPUT[0]);  NUMERIC T = 1;  IF Q < T THEN { … } ELSE { … }

`gauss(a, m)` is Gaussian noise of scale 1/a around m, `lap(a, m)` Laplace noise. Variables are set anew where they are
declared anew. What is given out is the list OUTPUT, of which entries are set one by one.

`python -m tests.outside.dip FOLDER 25` compares the programs in a copy of theirs with the families of `dipapprox.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, Final

from tests.outside.dipapprox import FAMILIES, Family, Queries

from dpverify.mechanisms import Draw, Limits, Undecided, exact, gaussian, laplace
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.enclosure import enclosure

_TOKEN: Final = re.compile(r"\s*(?:(\d+(?:\.\d+)?|[A-Za-z_]\w*|[\[\](){};,=<>/-]))")

Program = Callable[..., tuple[int, ...]]


class NotTheLanguage(ValueError):
    """A text that is no program."""


@dataclass(frozen=True)
class Noisy:
    """Noise of scale 1/(ε/over) around what an operand is."""

    kind: str
    over: Fraction
    around: Operand


@dataclass(frozen=True)
class Input:
    """An entry of the input."""

    place: int


Operand = int | str | Input
"""A number, a variable, or an entry of the input."""


@dataclass(frozen=True)
class Set:
    """A variable, or an entry of the output, that becomes something."""

    name: str | int
    value: Operand | Noisy


@dataclass(frozen=True)
class If:
    """Two operands that are compared, and what is done then, or else."""

    left: Operand
    relation: str
    right: Operand
    then: Sequence[Statement]
    otherwise: Sequence[Statement]


Statement = Set | If


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    @property
    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _taken(self) -> str:
        token = self._next
        self._at += 1
        return token

    def _expect(self, *tokens: str) -> None:
        for token in tokens:
            if (found := self._taken()) != token:
                raise NotTheLanguage(f"{token} was expected, and {found or 'the end'} found")

    def statements(self, end: str = "") -> tuple[int, list[Statement]]:
        """What is written up to an end, and how many entries the output has."""
        found: list[Statement] = []
        entries = 0
        while self._next != end:
            word = self._taken()
            if word == "INPUTSIZE":
                self._number()
                self._expect(";")
            elif word == "OUTPUT":
                if self._next == "[":
                    self._expect("[")
                    place = int(self._number())
                    self._expect("]", "=")
                    found.append(Set(place, int(self._number())))
                else:
                    self._expect("=")
                    entries = self._entries()
                self._expect(";")
            elif word in ("RANDOM", "NUMERIC"):
                name = self._taken()
                self._expect("=")
                found.append(Set(name, self._value()))
                self._expect(";")
            elif word == "IF":
                found.append(self._condition())
            else:
                raise NotTheLanguage(f"{word or 'the end'} was found where a statement would begin")
        return entries, found

    def _entries(self) -> int:
        self._expect("[")
        count = 1
        self._expect("0")
        while self._next == ",":
            self._expect(",", "0")
            count += 1
        self._expect("]")
        return count

    def _condition(self) -> If:
        left, relation, right = self._operand(), self._taken(), self._operand()
        if relation not in ("<", ">"):
            raise NotTheLanguage(f"{relation} was found where < or > was expected")
        self._expect("THEN")
        then = self._block()
        otherwise: Sequence[Statement] = ()
        if self._next == "ELSE":
            self._expect("ELSE")
            otherwise = self._block()
        return If(left, relation, right, then, otherwise)

    def _block(self) -> Sequence[Statement]:
        self._expect("{")
        _, found = self.statements("}")
        self._expect("}")
        return found

    def _value(self) -> Operand | Noisy:
        if self._next not in ("gauss", "lap"):
            return self._operand()
        kind = self._taken()
        self._expect("(", "eps", "/")
        over = self._number()
        self._expect(",")
        around = self._operand()
        self._expect(")")
        return Noisy(kind, over, around)

    def _operand(self) -> Operand:
        if self._next == "INPUT":
            self._expect("INPUT", "[")
            place = int(self._number())
            self._expect("]")
            return Input(place)
        if self._next == "-" or self._next[:1].isdigit():
            return int(self._number())
        return self._taken()

    def _number(self) -> Fraction:
        sign = 1
        if self._next == "-":
            self._taken()
            sign = -1
        word = self._taken()
        if not word[:1].isdigit():
            raise NotTheLanguage(f"{word or 'the end'} was found where a number was expected")
        return sign * Fraction(word)


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotTheLanguage(f"{text[at:].strip()[:10]} is no word")
        yield match[1]
        at = match.end()


def translated(text: str) -> Program:
    """A mechanism of queries and `epsilon` that does what a program says. Raises `NotTheLanguage`."""
    entries, statements = _Reader(text).statements()

    def program(draw: Draw, queries: Queries, *, epsilon: Any) -> tuple[int, ...]:
        output = [0] * entries
        _run(statements, draw, queries, exact(epsilon), {}, output)
        return tuple(output)

    return program


def _run(
    statements: Sequence[Statement],
    draw: Draw,
    queries: Queries,
    epsilon: Any,
    variables: dict[str, Any],
    output: list[int],
) -> None:
    def value(operand: Operand) -> Any:
        if isinstance(operand, Input):
            return queries[operand.place]
        return variables[operand] if isinstance(operand, str) else operand

    for statement in statements:
        if isinstance(statement, If):
            left, right = value(statement.left), value(statement.right)
            holds = left > right if statement.relation == ">" else left < right
            _run(statement.then if holds else statement.otherwise, draw, queries, epsilon, variables, output)
        elif isinstance(statement.name, int):
            assert isinstance(statement.value, int)
            output[statement.name] = statement.value
        elif isinstance(statement.value, Noisy):
            noise = gaussian if statement.value.kind == "gauss" else laplace
            around = value(statement.value.around)
            variables[statement.name] = around + draw(noise(statement.value.over / epsilon))
        else:
            variables[statement.name] = value(statement.value)


# --- A copy of theirs against the families
def agree(program: Program, family: Family, inputs: Sequence[Queries]) -> bool:
    """Whether a program has the laws of a family on inputs: as numbers, or where balls are known alone, by these."""
    for queries in inputs:
        laws = [
            Enumeration(Limits()).law(mechanism, (queries,), {"epsilon": Fraction(1, 2), **parameters})
            for mechanism, parameters in ((program, {}), (family.program, family.parameters))
        ]
        mine, theirs = (dict(law.probabilities) for law in laws)
        if {*theirs} and not all(isinstance(outcome, tuple) for outcome in theirs):
            theirs = {(outcome,): p for outcome, p in theirs.items()}
        if mine.keys() != theirs.keys():
            return False
        for outcome, p in mine.items():
            try:
                if p != theirs[outcome]:
                    return False
            except Undecided:
                if not abs(enclosure(p - theirs[outcome], 256)) < 1e-30:
                    return False
    return True


def main(folder: Path, largest: int) -> int:
    """Compares the programs of a copy, up to a size, with the families; how many there are that do not agree."""
    off = 0
    for family in FAMILIES:
        for size in (size for size in family.sizes if size <= largest):
            path = folder / "examples" / family.folder / family.file.format(size)
            program = translated(path.read_text(encoding="utf-8"))
            width = family.width or size
            inputs = list(product((0, 1), repeat=width)) if width <= 3 else [(0,) * width, (0,) * (width - 1) + (1,)]
            same = agree(program, family, inputs)
            off += not same
            print(f"{'agrees' if same else 'DIFFERS':8} {path.relative_to(folder)}", flush=True)
    return off


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
