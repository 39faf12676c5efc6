"""Examples of the language of mechanisms for its pages: what is inside, what is outside, and what differs from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.language import numpy_names

START: Final = "from dpverify.mechanisms import bernoulli, discrete_laplace, uniform\n"
"""What stands above each example."""

SYNTAX: Final[Mapping[str, Mapping[str, str]]] = {
    "Statements": {
        "FunctionDef": "`def`, also in a function",
        "Return": "`return`",
        "Yield YieldFrom": "`yield`, `yield from`",
        "Expr Pass": "an expression by itself, `pass`",
        "Assign AugAssign AnnAssign NamedExpr": "`=`, `+=` and the like, `name: int = 1`, `:=`",
        "Delete": "`del` of a name or an item",
        "If IfExp": "`if`, `elif`, `else`, `a if b else c`",
        "For While Break Continue": "`for`, `while`, with `else`, `break`, `continue`",
        "Match match_case MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr": (
            "`match` with all patterns"
        ),
        "Raise Assert": "`raise`, `assert`",
        "Try ExceptHandler": "`try` with named errors, `else`, `finally` that does not leave it",
        "Nonlocal": "`nonlocal`, of a name of the same run",
        "Import ImportFrom alias": "`import` of modules by their full names",
    },
    "Expressions": {
        "Constant Name": "numbers, texts, `None`, `True`, `False`, `...`, names",
        "BoolOp UnaryOp BinOp boolop operator unaryop": "`and`, `or`, `not`, arithmetic, but not `@`",
        "Compare cmpop": "`==`, `<`, `in`; `is` with `None`, a truth value, a member of an Enum, a sentinel",
        "List Tuple Set Dict Starred": "`[…]`, `(…)`, `{…}`, `*rows`, `**options`",
        "ListComp SetComp DictComp GeneratorExp comprehension": "comprehensions, generators",
        "Subscript Slice": "`rows[0]`, `rows[1:]`",
        "Call arguments arg keyword Lambda": "calls, `lambda`, parameters of all kinds",
        "Attribute": "attributes of modules, of objects whose class is read, and those below",
        "JoinedStr FormattedValue": "f-strings of scalars and tuples",
    },
}
"""Nodes of the tree, and how they are written."""
NOT_WRITTEN: Final = ("expr_context", "withitem")
"""Nodes that are only a part of others."""


class Example(NamedTuple):
    """A group of the tables, and a mechanism that uses it."""

    group: str
    code: str


MODULES: Final[Mapping[str, Any]] = numpy_names._MODULES
"""What stands for the modules of numpy and of chance."""

_OF_MODULES: Final = (
    Example(
        "numpy", "import numpy as np\n\ndef clipped(draw, rows):\n    return int(np.clip(np.array(rows), 0, 1).sum())"
    ),
    Example("numpy.random", "import numpy as np\n\ndef coin(rows):\n    return int(np.random.binomial(1, 0.5))"),
    Example(
        "numpy.linalg", "import numpy as np\n\ndef size(draw, rows):\n    return np.linalg.norm(np.array(rows)) > 1"
    ),
    Example("random", "import random\n\ndef one_of(rows):\n    return random.choice((0, 1, 2))"),
    Example("secrets", "import secrets\n\ndef below(rows):\n    return secrets.randbelow(3)"),
)

EXAMPLES: Final[Sequence[Example]] = (
    *(one for one in _OF_MODULES if one.group in MODULES),
    Example(
        "Statements",
        """def first_heads(draw, rows):
    for i, row in enumerate(rows):
        match row:
            case 1 if draw(bernoulli("1/2")):
                return i
    return None""",
    ),
    Example("Expressions", 'def text(draw, rows):\n    return f"{sum(x * x for x in rows[1:])} of {len(rows)}"'),
    Example(
        "Classes",
        """from dataclasses import dataclass

@dataclass(frozen=True)
class Answer:
    name: str
    noisy: int

def answer(draw, rows):
    return Answer("ones", sum(rows) + draw(uniform((-1, 0, 1))))""",
    ),
    Example(
        "builtins", "def most(draw, rows):\n    return max(set(rows), key=lambda value: (rows.count(value), value))"
    ),
    Example("math", "from math import comb\n\ndef pairs(draw, rows):\n    return comb(len(rows), 2)"),
    Example(
        "itertools",
        "from itertools import accumulate\n\ndef sums(draw, rows):\n    return tuple(accumulate(sorted(rows)))",
    ),
    Example(
        "functools",
        "from functools import reduce\n\ndef parity(draw, rows):\n    return reduce(lambda a, b: a ^ b, rows)",
    ),
    Example(
        "operator", "from operator import itemgetter\n\ndef last(draw, rows):\n    return itemgetter(-1)(sorted(rows))"
    ),
    Example(
        "collections",
        "from collections import Counter\n\ndef counts(draw, rows):\n    return tuple(Counter(sorted(rows)).items())",
    ),
    Example(
        "collections.abc",
        "from collections.abc import Sequence\n\ndef rows_are(draw, rows):\n    return isinstance(rows, Sequence)",
    ),
    Example("heapq", "from heapq import nsmallest\n\ndef least(draw, rows):\n    return tuple(nsmallest(2, rows))"),
    Example(
        "bisect", "from bisect import bisect_left\n\ndef zeros(draw, rows):\n    return bisect_left(sorted(rows), 1)"
    ),
    Example(
        "fractions",
        "from fractions import Fraction\n\ndef mean(draw, rows):\n    return Fraction(sum(rows), len(rows))",
    ),
    Example("statistics", "from statistics import median_low\n\ndef middle(draw, rows):\n    return median_low(rows)"),
    Example(
        "dataclasses",
        """from dataclasses import astuple, dataclass

@dataclass(frozen=True)
class Count:
    ones: int

def as_tuple(draw, rows):
    return astuple(Count(sum(rows)))""",
    ),
    Example(
        "copy",
        "from copy import copy\n\ndef but_one(draw, rows):\n    left = copy(list(rows))\n    left.pop()\n    return len(left)",
    ),
    Example(
        "types",
        'from types import MappingProxyType\n\nWORDS = MappingProxyType({0: "no", 1: "yes"})\n\ndef word(draw, rows):\n    return WORDS[rows[0]]',
    ),
    Example("typing", "from typing import cast\n\ndef number(draw, rows):\n    return cast(int, rows[0])"),
    Example(
        "enum",
        "from enum import Enum\n\nclass Side(Enum):\n    LOW = 0\n    HIGH = 1\n\ndef side(draw, rows):\n    return Side(rows[0]).name",
    ),
    Example(
        "Exceptions",
        "def ratio(draw, rows):\n    try:\n        return len(rows) // sum(rows)\n    except ZeroDivisionError:\n        return 0",
    ),
    Example(
        "Methods",
        'def kept(draw, rows):\n    left = [row for row in rows if draw(bernoulli("1/2"))]\n    left.sort()\n    return tuple(left)',
    ),
    Example("This library", "def noisy(draw, rows):\n    return sum(rows) + draw(discrete_laplace(1))"),
)

# --- outside
OUTSIDE: Final[Sequence[tuple[str, str]]] = (
    ('with open("rows.txt") as file:\n    return len(file.read())', "Read the file before, and pass its content."),
    ("print(rows)\nreturn len(rows)", "Return it, or print it where the mechanism is called."),
    ("return hash(rows) % 2", "Compare, or count, the values themselves."),
    ("return rows is SEEN", "`is` only with `None`, `True`, `False`, members of an Enum, sentinels."),
    ("SEEN.append(len(rows))\nreturn len(SEEN)", "Begin with `seen = list(SEEN)`, or pass it as a parameter."),
    ("global LAST\nLAST = rows\nreturn 0", "Pass the value, and return it."),
    ("return time.time() < 0", "Pass the time as a parameter."),
    ('return os.environ.get("HOME")', "Pass the setting as a parameter."),
    ("return uuid.uuid4().int % 2", "All chance comes from `draw`."),
    ("return np.nansum(rows)", "Write it with numbers of Python, or compute it before."),
    ("return statistics.fmean(rows)", "`statistics.mean` is exact, and inside."),
    ("try:\n    return 1 // sum(rows)\nexcept:\n    return 0", "Name the error, so that no other one is hidden."),
    ('return "{0.real}".format(sum(rows))', "An f-string says which attributes it asks for."),
    ('return type("Pair", (), {})()', "Define the class in the module."),
    ("return rows @ rows", "Write `sum(a * b for a, b in zip(rows, rows))`."),
    ('return eval("len(rows)")', "Write the code itself."),
    ("return json.dumps(rows)", "Return the value, and make the text of it afterwards."),
    ('return setattr(rows, "size", 2)', "Write `thing.size = 2`, of an object that the mechanism makes."),
)
"""The body of a mechanism that is outside, and what to do about it."""

OUTSIDE_START: Final = "import json\nimport os\nimport statistics\nimport time\nimport uuid\n\nimport numpy as np\n\nSEEN = []\nLAST = None\n\n\n"


# --- traps that are CHECKED, and leak
class Trap(NamedTuple):
    """A program outside the language of which no run of a check shows that it leaks."""

    name: str
    """By which `tests.verifiers.deciding.test_outside` knows it."""
    what: str
    why: str
    leaks: str
    code: str = ""
    leaking: str = ""
    """What has to happen for it to leak, as statements of its module."""


_AFTER: Final = "return rows[0] if {} else 0"

TRAPS: Final[Sequence[Trap]] = (
    Trap(
        "environment_variable",
        "reads a variable of the environment, or an argument of the command",
        "both interpreters of a check have the same environment",
        "the rows, where the variable is set",
        _AFTER.format('os.environ.get("SHOW_ROWS")'),
        'os.environ["SHOW_ROWS"] = "1"',
    ),
    Trap(
        "clock",
        "reads the clock",
        "a check takes seconds, and what it does later does not show",
        "the rows, from a date on",
        _AFTER.format("time.time() > 4_000_000_000"),
        "time = type('time', (), {'time': lambda: 5_000_000_000})",
    ),
    Trap(
        "file",
        "asks for a file, or another process",
        "it is the same in all runs of a check",
        "the rows, where the file is there",
        _AFTER.format('os.path.exists("show_rows")'),
        'open("show_rows", "w").close()',
    ),
    Trap(
        "many_runs",
        "counts its runs, and does otherwise after many",
        "a check has as many runs as databases and paths, and `run` may have more",
        "the rows of a later run, or of an earlier one that was kept",
        "RUNS.append(rows)\nreturn rows[0] if len(RUNS) > 1000 else 0",
        "RUNS += range(1000)",
    ),
    Trap(
        "compiled_code",
        "asks a compiled package for a setting that other code may change",
        "nobody changes it while a check runs",
        "the rows, where it is changed",
        _AFTER.format('np.geterr()["divide"] == "raise"'),
        'np.seterr(divide="raise")',
    ),
    Trap(
        "output",
        "prints, logs, writes to a file or sends something",
        "a check compares what is returned",
        "the rows, to whoever reads it, in each run",
        "print(rows)\nreturn 0",
    ),
    Trap(
        "held_chance",
        "draws from a generator of its own that an iterator, a special method or a metaclass holds",
        "what they run is not read, and a rare path is not met in a check",
        "the rows, in rare runs",
        _AFTER.format("next(CHANCES) < 1e-9"),
        "CHANCES = iter([0] * 1000)",
    ),
)


# --- differences from Python
class Difference(NamedTuple):
    """Something that means more, or less, than in Python: with a mechanism, and what it gives for the rows (2, 0, 1)."""

    title: str
    text: str
    code: str
    outcome: object


ROWS: Final = (2, 0, 1)

DIFFERENCES: Final[Sequence[Difference]] = (
    Difference(
        "Sets are ordered",
        "A set keeps the order in which it was filled, with all operators. A set from outside is sorted. In Python the order of a "
        "set of texts is another one in each process.",
        'def first(draw, rows):\n    return next(iter({f"row {row}" for row in rows}))',
        "row 2",
    ),
    Difference(
        "Numbers are exact",
        "`0.1` is one tenth, `/` of whole numbers is exact, and `log`, `exp`, `sqrt` are the functions of real numbers. A fraction that is "
        "whole is that number: `Fraction(2)` and `2` are one outcome. `run` rounds what is returned. The text of such a number needs a format, such as `{mean:.2f}`. What rounding "
        "adds where Python itself runs a program of floats is not covered.",
        "def exact(draw, rows):\n    return 0.1 * sum(rows) == 0.3 and 0.1 + 0.2 == 0.3",
        True,
    ),
    Difference(
        "Texts are those of scalars and tuples",
        "`str`, `repr`, `format` and f-strings take numbers, texts, truth values, `None`, members of an Enum, and tuples of these. The "
        "text of another object may hold its address, and is refused with its line: write the text of its parts.",
        'def text(draw, rows):\n    kept = [row for row in rows if row]\n    return f"{len(kept)} of {rows}: {tuple(kept)}"',
        "2 of (2, 0, 1): (2, 1)",
    ),
    Difference(
        "Values from outside are copies",
        "Lists, dicts, sets and objects that a mechanism names from outside, or is given, are copied at the beginning of each run, and a "
        "change of one is refused with its line: nothing passes from one run to the next. Change a copy that the mechanism makes. For "
        "the same reason `functools.cache` remembers for one run.",
        "SEEN = [5]\n\ndef longer(draw, rows):\n    seen = list(SEEN)\n    seen.append(len(rows))\n    return tuple(seen)",
        (5, 3),
    ),
    Difference(
        "`is` compares with what there is one of",
        "`is` takes `None`, `True`, `False`, `...`, members of an Enum, classes, functions, and sentinels, `MISSING = object()`, that a "
        "module names. Whether two equal numbers, texts or tuples are one object depends on the version of Python: write `==`.",
        "MISSING = object()\n\ndef found(draw, rows):\n    value = {2: None}.get(rows[0], MISSING)\n    return value is None and value is not MISSING",
        True,
    ),
    Difference(
        "Annotations in a function do not run",
        "Those of parameters and results of functions that a mechanism defines are left out. In Python they run each time.",
        "def double(draw, rows):\n    def twice(row: 1 // 0) -> int:\n        return 2 * row\n\n    return [twice(row) for row in rows]",
        [4, 0, 2],
    ),
)
