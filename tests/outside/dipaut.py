"""The 46 automata of DiPAut (github bhusalb/DiPAut), as mechanisms over streams of numbers: their states, written anew.

A state draws Laplace noise of scale 1/(rate·ε) around its mean, and around the next input if it reads one. The first
branch whose guard holds is taken: it may store what was drawn, gives out a word or what was drawn, and goes on. A run
ends in a state that is none, where the stream is at its end, and where no branch holds. Theirs count runs of the first
two kinds alone; here the others are one outcome, `("stuck",)`.

`python -m tests.outside.dipaut FOLDER` compares them with a copy of theirs.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from dpverify.mechanisms import Draw, exact, laplace

Stream = tuple[int, ...]
Run = Callable[..., tuple[Any, ...]]

DRAWN: Final = "drawn"
"""The output of a branch that gives out the number drawn."""
STUCK: Final = "stuck"

_HOLDS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
)


@dataclass(frozen=True)
class Branch:
    """What is done where each comparison of what was drawn with a variable holds."""

    guard: tuple[tuple[str, str], ...]
    output: str
    goto: int
    store: str = ""


@dataclass(frozen=True)
class State:
    """Noise around a mean, and what is done with it."""

    rate: Fraction
    mean: int
    branches: tuple[Branch, ...]
    reads: bool = True


@dataclass(frozen=True)
class Automaton:
    """States by their numbers, of which the first is 1, and what is published of it: a weight, or that it has none."""

    name: str
    states: Mapping[int, State]
    weight: Fraction | None = None

    @property
    def reads(self) -> bool:
        """Whether a state of it reads an input."""
        return any(state.reads for state in self.states.values())


def branch(text: str) -> Branch:
    """A branch by a line of its own: `<=x >y : bot 2 x` is taken between y and x, gives out bot, goes to 2, stores x."""
    guard, _, action = text.rpartition(":")
    output, goto, *store = action.split()
    comparisons = tuple((match[1], match[2]) for match in re.finditer(r"([<>]=?)(\w+)", guard))
    return Branch(comparisons, output, int(goto), *store)


def state(rate: str, *branches: str, mean: int = 0, reads: bool = True) -> State:
    """A state by its rate and the lines of its branches."""
    return State(Fraction(rate), mean, tuple(map(branch, branches)), reads)


def translated(
    automaton: Automaton, given_out: Callable[[Any], Any] = lambda drawn: drawn, *, says_where: bool = False
) -> Run:
    """A mechanism of a stream and `epsilon` that does what an automaton does; what it draws is given out as `given_out`.

    It ends with its stream. Of steps that read nothing there are as many at most as the stream has entries. A run that
    is stuck gives out where it is if it `says_where`: all that it gave out until then.
    """

    def run(draw: Draw, stream: Stream, *, epsilon: Any) -> tuple[Any, ...]:
        variables: dict[str, Any] = {}
        found: list[Any] = []
        left, idle, at = list(stream), len(stream), 1
        while at in automaton.states:
            now = automaton.states[at]
            if not (left if now.reads else idle):
                break
            idle -= not now.reads
            centre = now.mean + (left.pop(0) if now.reads else 0)
            drawn = centre + draw(laplace(1 / (now.rate * exact(epsilon))))
            for way in now.branches:
                if all(_HOLDS[relation](drawn, variables[name]) for relation, name in way.guard):
                    break
            else:
                return (*found, STUCK) if says_where else (STUCK,)
            if way.store:
                variables[way.store] = drawn
            found.append(given_out(drawn) if way.output == DRAWN else way.output)
            at = way.goto
        return tuple(found)

    return run


def _numbered(*states: State) -> Mapping[int, State]:
    return MappingProxyType(dict(enumerate(states, start=1)))


def _without_input(automaton: Automaton, weight: Fraction | None = None) -> Automaton:
    states = {number: replace(state, reads=False) for number, state in automaton.states.items()}
    return Automaton(f"{automaton.name}_non_input", MappingProxyType(states), weight)


def _named(name: str, *states: State, weight: str = "") -> Automaton:
    return Automaton(name, _numbered(*states), Fraction(weight) if weight else None)


# --- What most of them begin with
_STORED: Final = state("1/4", ": input 2 x")
_BELOW_AGAIN: Final = state("1/4", "<=x : bot 2", ">=x : top 3")
_KEPT: Final = state("1/4", ": bot 2 x")
_GIVEN: Final = state("1/4", f": {DRAWN} 2 x")
_ROUND: Final = state("1/2", "<=x : top 1", ">x : bot 3")
_TWO_SIDED: Final = state("1/6", ">=x1 <x2 : top 3", ">=x1 >=x2 : top 4", "<x1 <x2 : top 4")


def _between(low: str, high: str, goto: int) -> State:
    return state("1/16", f">={low} <{high} : continue {goto}", f">={low} >{high} : top 13", f"<{low} <{high} : bot 13")


# --- Theirs, by folder

_CYCLE_4: Final = _named("leaking_cycle/example_4", _STORED, _BELOW_AGAIN, state("1/4", ": input 2 x"))
_PAIR_4: Final = replace(_CYCLE_4, name="leaking_pair/example_4")
_CYCLE_7: Final = _named(
    "leaking_cycle/example_7", state("1/4", ": top 2 x"), state("1/2", ">=x : bot 1 x", "<x : top 3")
)
_CYCLE_17: Final = _named(
    "leaking_cycle/example_17", _KEPT, _ROUND, state("1/2", ">=x : bot 4 x"), state("1/2", f">=x : {DRAWN} 5")
)
_DISCLOSING_13: Final = _named(
    "disclosing_cycle/example_13", _KEPT, state("1/2", f": {DRAWN} 3 x"), state("1/2", f": {DRAWN} 2 x")
)
_LEAKING_PAIRS: Final = (
    _PAIR_4,
    _named("leaking_pair/example_8", _STORED, _BELOW_AGAIN, state("1/4", ">=x : bot 3", "<x : top 4")),
    _named(
        "leaking_pair/example_9",
        _STORED,
        state("1/4", ">=x : bot 2", "<x : top 3"),
        state("1/4", "<x : bot 3", ">x : top 4"),
    ),
    _named("leaking_pair/example_10", _STORED, state("1/4", ">=x : top 2", "<x : bot 2")),
    _named(
        "leaking_pair/example_11",
        _STORED,
        state("1/4", ">=x : top 2", "<x : bot 3 x"),
        state("1/5", "<x : bot 3", ">x : top 4", mean=1),
    ),
    _named(
        "leaking_pair/example_12",
        _STORED,
        state("1/4", ">=x : top 2", "<x : bot 3 x"),
        state("1/5", "<=x : bot 3", "<x : top 4", mean=1),
    ),
)
_WELL_FORMED: Final = (
    _named("well_formed/example_1", _STORED, state("1/2", "<=x : bot 2", ">=x : top 3"), weight="3/2"),
    _named("well_formed/example_2", _STORED, state("1/2", ">x : top 2", "<x : bot 3"), weight="3/2"),
    _named("well_formed/example_3", _STORED, _BELOW_AGAIN, state("1/4", "<=x : bot 4", ">=x : top 4"), weight="3/2"),
    _named(
        "well_formed/example_5",
        _STORED,
        _BELOW_AGAIN,
        state("1/4", ": input 4 x"),
        state("1/4", ">x : top 4", "<x : bot 5"),
        weight="2",
    ),
    _named("well_formed/example_6", _STORED, _BELOW_AGAIN, state("1/4", "<=x : bot 3", ">=x : top 4"), weight="3/2"),
)
_WEIGHTS_WITHOUT_INPUT: Final = ("3/4", "3/4", "3/4", "1", "3/4")

AUTOMATA: Final[Sequence[Automaton]] = (
    _DISCLOSING_13,
    _named("leaking_cycle/example_15", _KEPT, _ROUND, state("1/2", ">=x : bot 4 x"), state("1/2", f"<=x : {DRAWN} 5")),
    _named(
        "leaking_cycle/example_16",
        _KEPT,
        _ROUND,
        state("1/2", ">=x : bot 4 x"),
        state("1/2", ": bot 5 x"),
        state("1/2", f">=x : {DRAWN} 6"),
    ),
    _CYCLE_17,
    _named("leaking_cycle/example_18", _KEPT, _ROUND, state("1/2", "<=x : bot 4 x"), state("1/2", f">=x : {DRAWN} 5")),
    _named(
        "leaking_cycle/example_28_4_1307",
        state("1/2", ": bot 2 x1"),
        state("1/2", ": bot 3 x2", mean=10),
        state("1/6", "<x2 >=x1 : bot 4"),
        state("1/6", "<x2 : bot 3 x2"),
    ),
    _CYCLE_4,
    _without_input(_CYCLE_4),
    _CYCLE_7,
    _without_input(_CYCLE_7),
    *_LEAKING_PAIRS,
    *map(_without_input, _LEAKING_PAIRS),
    _named(
        "privacy_violating_path/example_14",
        _GIVEN,
        state("1/2", "<=x : top 3"),
        state("1/2", "<=x : bot 4"),
        state("1/2", ": bot 3"),
    ),
    replace(_CYCLE_17, name="privacy_violating_path/example_17"),
    _named(
        "privacy_violating_path/example_21",
        _GIVEN,
        state("1/2", "<=x : top 3 x"),
        state("1/2", "<=x : bot 4"),
        state("1/2", "<=x : bot 3"),
    ),
    _named(
        "privacy_violating_path/example_22",
        _GIVEN,
        state("1/2", "<=x : top 3 x"),
        state("1/2", ">=x : bot 4"),
        state("1/2", "<=x : bot 5"),
        state("1/2", "<=x : bot 4"),
    ),
    _named(
        "privacy_violating_path/example_24",
        _GIVEN,
        state("1/2", "<=x : top 3"),
        state("1/2", "<=x : bot 4"),
        state("1/2", "<=x : bot 3"),
    ),
    *_WELL_FORMED,
    *(_without_input(each, Fraction(of)) for each, of in zip(_WELL_FORMED, _WEIGHTS_WITHOUT_INPUT, strict=True)),
    _without_input(replace(_DISCLOSING_13, name="well_formed/example_13"), Fraction(1, 4)),
    _named(
        "well_formed/example_23",
        _GIVEN,
        state("1/2", "<=x : top 3 x"),
        state("1/2", ": bot 4 x"),
        state("1/2", "<=x : bot 5"),
        state("1/2", "<=x : bot 4"),
        weight="5/2",
    ),
    _named(
        "well_formed/example_25",
        state("1/3", ": bot 2 x1"),
        state("1/3", ": bot 3 x2", mean=10),
        _TWO_SIDED,
        weight="5/3",
    ),
    _named(
        "well_formed/example_26",
        state("1/3", ": bot 2 x1"),
        state("1/3", "<=x1 : bot 3", mean=10),
        state("1/6", ": top 4 x2"),
        state("1/6", ">=x1 : top 5"),
        state("1/6", ">x1 >x2 : top 5"),
        weight="2",
    ),
    _named(
        "well_formed/example_27",
        state("1/2", ": bot 2 x1"),
        state("1/2", ": bot 3 x2", mean=10),
        _TWO_SIDED,
        weight="7/3",
    ),
    _named(
        "well_formed/example_28_1_1307",
        state("1/2", ": bot 2 x1"),
        state("1/2", "<x1 : bot 3 x2", mean=10),
        state("1/6", "<x2 >=x1 : bot 4"),
        weight="2",
    ),
    _named(
        "well_formed/example_28_2_1307",
        state("1/2", ": bot 2 x1"),
        state("1/2", ">=x1 : bot 3 x2", mean=10),
        state("1/6", "<x2 >=x1 : bot 4"),
        weight="7/3",
    ),
    _named(
        "well_formed/example_28_3_1307",
        state("1/2", ": bot 2 x1"),
        state("1/2", ": bot 3 x2", mean=10),
        state("1/6", "<x2 >=x1 : bot 4"),
        state("1/6", "<x1 : bot 3 x2"),
        weight="8/3",
    ),
    _named(
        "well_formed/example_n_equal_3",
        *(
            state("1/16", f": bot {i + 2} {'lr'[i % 2]}{i // 2 + 1}", reads=False)  # l1, r1, l2, … r4
            for i in range(8)
        ),
        *(_between(f"l{i}", f"r{i}", 9 + i % 4) for i in (1, 2, 3, 4)),
        weight="5/8",
    ),
)


# --- A copy of theirs
_STATE: Final = re.compile(r"\(q(\d+)(:non-input)?,\s*([\d/]+),\s*(\d+)\)\s*:(.*)")
_ACTION: Final = re.compile(
    r"\s*(?:(?:else)?if\s*\(([^)]*)\)\s*then)?\s*(?:(\w+)\s*:=\s*insample;)?\s*output\s+(?:o(\w+)|insample);\s*goto\s+q(\d+)\s*"
)


def read(text: str) -> Mapping[int, State]:
    """The states of a text in the language of theirs. Raises `ValueError` for what is not."""
    states = {}
    for line in text.splitlines():
        head = _STATE.fullmatch(line.strip())
        if head is None:
            raise ValueError(f"{line} is no state")
        branches, at = [], 0
        while at < len(head[5].rstrip()):
            action = _ACTION.match(head[5], at)
            if action is None:
                raise ValueError(f"{head[5][at:]} is no statement")
            guard = tuple(re.findall(r"insample\s*([<>]=?)\s*(\w+)", action[1] or ""))
            branches.append(Branch(guard, action[3] or DRAWN, int(action[4]), action[2] or ""))
            at = action.end()
        states[int(head[1])] = State(Fraction(head[3]), int(head[4]), tuple(branches), head[2] is None)
    return states


def main(folder: Path) -> int:
    """Compares each automaton with the file of a copy; how many differ, or are in one of the two alone."""
    off = 0
    for automaton in AUTOMATA:
        theirs = read((folder / "examples" / f"{automaton.name}.dipa").read_text(encoding="utf-8"))
        same = theirs == dict(automaton.states)
        off += not same
        print(f"{'agrees' if same else 'DIFFERS':8} {automaton.name}")
    return off + len({*(folder / "examples").rglob("*.dipa")}) - len(AUTOMATA)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
