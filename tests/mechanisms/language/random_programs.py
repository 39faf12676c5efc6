"""Random programs of the language, as source, and their output distributions as plain Python gives them.

A program takes some of `DEFINITIONS`, and has statements and expressions of its templates and of those that all have.
Run as a program, this prints how the files end that it is given.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tests.mechanisms.language.program_templates import (
    BLOCKS,
    DEFINITIONS,
    EXPRESSIONS,
    IMPORTS,
    OF_SETS,
    RETURNED,
    STATEMENTS,
)

from dpverify.mechanisms import Distribution, distribution
from dpverify.mechanisms.numbers.errors import InputError


class _Writer:
    def __init__(self, chance: random.Random, *, goes_through_sets: bool) -> None:
        self.returned = {**RETURNED, "set": OF_SETS} if goes_through_sets else RETURNED
        self.chance = chance
        self.names = chance.sample(sorted(DEFINITIONS), 4)
        self.names += [] if "bit" in self.names else ["bit"]
        self.variables: dict[str, list[str]] = defaultdict(list)
        self.new = 0
        self.expressions = {kind: each.split("; ") for kind, each in EXPRESSIONS.items()}
        for name in self.names:
            for kind, more in DEFINITIONS[name][1].items():
                self.expressions[kind] += more.split("; ") * 3
        if "box" in self.names:
            self.expressions["box"].remove("None")

    def expression(self, kind: str, depth: int = 0) -> str:
        if kind.endswith(":v"):
            known = self.variables[kind[:-2]]
            return self.chance.choice(known) if known else ""
        if self.variables[kind] and self.chance.random() < 0.4:
            return self.chance.choice(self.variables[kind])
        fitting = [each for each in self.expressions[kind] if self.can_be(each)]
        templates = [each for each in fitting if depth < 3 or "<" not in re.sub(r"<=? |[a-z]:v", "", each)]
        return self.filled(self.chance.choice(templates or fitting), depth + 1)

    def filled(self, text: str, depth: int = 1) -> str:
        return re.sub(r"<([a-z]+(?::v)?)>", lambda found: self.hole(found[1], depth), text)

    def hole(self, kind: str, depth: int) -> str:
        made = self.expression(kind, depth)
        return made if re.fullmatch(r"\w*", made) or kind.endswith(":v") else f"({made})"

    def can_be(self, template: str) -> bool:
        return all(self.variables[each] for each in re.findall(r"<([a-z]+):v>", template))

    def statement(self, depth: int) -> list[str]:
        if depth < 2 and self.chance.random() < 0.35:
            return self.block(self.chance.choice([each for each in BLOCKS if self.can_be(each)]), depth)
        if self.chance.random() < 0.5:
            return [self.filled(self.chance.choice([each for each in STATEMENTS if self.can_be(each)]))]
        kind = self.chance.choice(["int", "list", "set", "dict", "query", "str", "bool"])
        value = self.expression(kind)
        again = bool(self.variables[kind]) and self.chance.random() < 0.2
        name = self.chance.choice(self.variables[kind]) if again else self.name("v")
        self.variables[kind].append(name)
        return [f"{name} = {value}"]

    def name(self, letter: str) -> str:
        self.new += 1
        return f"{letter}{self.new}"

    def block(self, text: str, depth: int) -> list[str]:
        """The lines of a block; the names that statements within it bind are forgotten after it."""
        own = {found: self.name(found[1:]) for found in re.findall(r"#[a-z]", text)}
        for found, name in own.items():
            text = text.replace(found, name)
        lines: list[str] = []
        for line in text.split("\n"):
            before = {kind: [*names] for kind, names in self.variables.items()}
            indent, _, body = line.partition("<body")
            if text.startswith("def"):  # which changes nothing of others: some function may go through it
                self.variables.clear()
            self.variables["int"] += [body[1:-1]] if len(body) > 2 else []
            if body:
                every = [each for _ in range(self.chance.randrange(1, 3)) for each in self.statement(depth + 1)]
                lines += [indent + each for each in every]
            else:
                lines.append(self.filled(line))
            self.variables = defaultdict(list, before)
        for found, name in own.items():
            if found in ("#n", "#f", "#s"):
                self.variables[{"#n": "int", "#f": "query", "#s": "list"}[found]].append(name)
        return lines

    def program(self) -> str:
        body: list[str] = []
        for kind in ("list", "dict", "int"):
            self.new += 1
            body.append(f"v{self.new} = {self.expression(kind)}")
            self.variables[kind].append(f"v{self.new}")
        for _ in range(self.chance.randrange(3, 8)):
            body += self.statement(0)
        kinds = self.chance.choices([*self.returned], k=3)
        body.append(f"return {', '.join(self.filled(self.returned[kind]) for kind in kinds)}")
        definitions = "\n".join(DEFINITIONS[name][0] for name in self.names)
        return f"{IMPORTS}{definitions}\n\ndef mechanism(draw, rows):\n" + "".join(f"    {line}\n" for line in body)


def program(seed: int, *, goes_through_sets: bool = False) -> str:
    """The source of a program, whose function is `mechanism`; it may raise."""
    return _Writer(random.Random(seed), goes_through_sets=goes_through_sets).program()


def loaded(file: Path) -> Any:
    """The mechanism of a file."""
    spec = importlib.util.spec_from_file_location(f"program_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module.mechanism


class Missed(Exception):
    """A mechanism of too many paths."""


def plain_law(mechanism: Callable[..., Any], rows: Any, most: int = 200) -> dict[Any, Fraction]:
    """The output distribution of a mechanism as CPython runs it, by a run for each way in which its draws fall.

    Raises what a run raises, and `Missed` for more than so many runs. Outcomes are told apart with their types.
    """
    law: dict[Any, Fraction] = defaultdict(Fraction)
    paths: list[tuple[int, ...]] = [()]
    for _ in range(most):
        if not paths:
            return dict(law)
        run = _Run(paths.pop())
        outcome = mechanism(run, rows)
        law[with_types(outcome)] += run.weight
        paths += run.others
    raise Missed


class _Run:
    """A `draw` that answers by a list of places, and by the first ones after it."""

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path, self.weight = path, Fraction(1)
        self.taken: tuple[int, ...] = ()
        self.others: list[tuple[int, ...]] = []

    def __call__(self, source: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(source, Distribution):
            return source(self, *args, **kwargs)
        chances = [(each, source.probability(each)) for each in source.probabilities]
        place = self.path[len(self.taken)] if len(self.taken) < len(self.path) else 0
        if len(self.taken) >= len(self.path):
            self.others += [(*self.taken, other) for other in range(1, len(chances))]
        self.taken = (*self.taken, place)
        outcome, chance = chances[place]
        self.weight *= Fraction(str(chance))
        return outcome

    def each(self, function: Callable[..., Any], items: Any) -> tuple[Any, ...]:
        return tuple(function(self, item) for item in items)


def with_types(value: Any) -> Any:
    """A value that is equal for the same content of the same types alone."""
    return (
        (type(value).__name__, *map(with_types, value)) if isinstance(value, tuple) else (type(value).__name__, value)
    )


def end(mechanism: Callable[..., Any], rows: Any) -> Any:
    """The output distribution, or the error, with types."""
    try:
        law = distribution(mechanism, rows)
    except InputError as error:
        return str(error)
    return {with_types(outcome): Fraction(str(law.probability(outcome))) for outcome in law.probabilities}


DATABASES: Final = ((0,), (1, 2), (True, 0))

if __name__ == "__main__":
    found = []
    for file in sys.argv[2:]:
        own = loaded(Path(file))
        found.append([repr(end(own, rows)) for rows in DATABASES[:: int(sys.argv[1])]])
    print(json.dumps(found))
