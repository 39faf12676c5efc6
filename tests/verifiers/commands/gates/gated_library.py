"""A small library under a gate, and edits of it: harmful ones, with what stops each, and harmless ones, which pass."""

from typing import NamedTuple

LIBRARY = '''\
"What a gate is to guard."

import os
import sys
from pathlib import Path

from dpverify.mechanisms import bernoulli, exp, exponential, laplace

DEBUG = False


def responses(draw, rows, *, epsilon):
    """Each bit, told truly or not."""
    return tuple(_told(draw, bit, epsilon) for bit in rows)


def _told(draw, bit, epsilon):
    odds = exp(epsilon)
    truly = draw(bernoulli(odds / (1 + odds)))
    return bit if truly else 1 - bit


def total(draw, rows, *, epsilon):
    found = sum(rows)
    return found + draw(laplace(1 / epsilon))


def most_common(draw, rows, *, epsilon):
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon))


def served(rows, epsilon, source):
    return sum(rows) + source.laplace(0, 1 / epsilon)
'''

CLAIMS = """\
from dpverify.mechanisms import Rng, exact, exp
from dpverify.verifiers import Case, Claim, Multisets, Status, Tuples, UtilityClaim, replace_one

import dplib

BITS = Tuples((0, 1), size=2)
SHARE = 1


def told(draw, rows, *, epsilon):
    return dplib.responses(draw, rows, epsilon=2 * epsilon)


def exact_total(draw, rows, *, epsilon, times=1):
    return sum(rows)


def loud(draw, rows, *, epsilon):
    return dplib.most_common(draw, rows, epsilon=3 * epsilon)


def served(draw, rows, *, epsilon, times=1):
    share = exact(epsilon) * SHARE * times
    return dplib.served(rows, share, Rng(draw))


def unsure(draw, rows, *, epsilon):
    return dplib.responses(draw, rows, epsilon=epsilon / 2)


def is_right(case, told):
    return told == case.database


CLAIMS = [
    Claim(id="dplib.responses", mechanism=dplib.responses, domain=BITS, epsilon=1, mutant=told, source="README, 1"),
    Claim(id="dplib.total", mechanism=dplib.total, domain=BITS, epsilon=1, mutant=exact_total),
    Claim(id="dplib.most_common", mechanism=dplib.most_common, domain=Multisets(range(3), size=3), epsilon=1, mutant=loud),
    Claim(id="dplib.served", mechanism=served, domain=BITS, epsilon=1, mutant=exact_total),
    Claim(id="dplib.total.known", mechanism=dplib.total, domain=BITS, epsilon="1/4", parameters={"epsilon": 1}, expected=Status.REFUTED),
    UtilityClaim(
        id="dplib.responses.truth", mechanism=dplib.responses, cases=[Case((bit,), {"epsilon": 1}) for bit in (0, 1)],
        succeeds=is_right, beta=lambda case: 1 / (1 + exp(1)), mutant=unsure,
    ),
]
"""

LIB, FILE = "dplib.py", "claims_dplib.py"


class Edit(NamedTuple):
    """What somebody does: files with what is replaced by what, and how the gate takes it."""

    name: str
    changes: list[tuple[str, str, str]]
    stopped: str = ""
    """The beginning of the row, and a part of it after "|"; empty where the gate passes."""


TOTAL = 'Claim(id="dplib.total", mechanism=dplib.total, domain=BITS, epsilon=1, mutant=exact_total)'
NOISE = "found + draw(laplace(1 / epsilon))"
HALF = "found + draw(laplace(1 / (2 * epsilon)))"
A_2000TH = "found + draw(laplace(1 / (2000 * epsilon)))"


def of_total(text: str) -> tuple[str, str, str]:
    """The claim of the total, with another one in its place."""
    return (FILE, TOTAL, text)


DELETED = (FILE, f"    {TOTAL},\n", "")

FIRST_BIT = """

def other_first(rows):
    return [(1 - rows[0], *rows[1:])]


CLAIMS = ["""

LEAK = "\n\ndef leak(draw, rows, *, epsilon):\n    return rows\n"
LEAKS = (LIB, "\n\ndef most_common", f"{LEAK}\n\ndef most_common")
FREE = (
    'Claim(id="dplib.free", mechanism=dplib.leak, domain=BITS, epsilon=1000, mutant=exact_total), ' + TOTAL,
    'Claim(id="dplib.leak", mechanism=dplib.leak, domain=BITS, epsilon=1, expected=Status.REFUTED), ' + TOTAL,
)

TABLE = [
    Edit(
        "noise divided by 2000, and the parameter, too",
        [(LIB, NOISE, A_2000TH), of_total(TOTAL.replace("mutant", 'parameters={"epsilon": "0.0005"}, mutant'))],
        "CHANGED      dplib.total|parameter epsilon: 1 → 1/2000",
    ),
    Edit(
        "depth full, then the noise",
        [(LIB, NOISE, A_2000TH), of_total(TOTAL.replace("mutant", 'depth="full", mutant'))],
        "WORSE        dplib.total|depth: quick → full",
    ),
    Edit(
        "depth full, then the rows themselves",
        [
            (LIB, "return bit if truly else 1 - bit", "return bit"),
            (FILE, 'source="README, 1"', 'depth="full", source="README, 1"'),
        ],
        "WORSE        dplib.responses|depth: quick → full",
    ),
    Edit(
        "depth report, then the noise",
        [(LIB, NOISE, A_2000TH), of_total(TOTAL.replace("mutant", 'depth="report", mutant'))],
        "WORSE        dplib.total|depth: quick → report",
    ),
    Edit(
        "half the noise, on rows of 1/2",
        [
            (LIB, NOISE, HALF),
            of_total(TOTAL.replace("BITS", "Tuples((0, Fraction(1, 2)), size=2)")),
            (FILE, "import dplib\n", "from fractions import Fraction\nimport dplib\n"),
        ],
        "CHANGED      dplib.total|domain: Tuples((0, 1), size=2) (4, ",
    ),
    Edit(
        "only the first bit, by a relation of one's own",
        [
            (LIB, "tuple(_told(draw, bit, epsilon) for bit in rows)", "(_told(draw, rows[0], epsilon), *rows[1:])"),
            (FILE, "\n\nCLAIMS = [", FIRST_BIT),
            (
                FILE,
                "mechanism=dplib.responses, domain=BITS",
                "mechanism=dplib.responses, neighbours=other_first, domain=Tuples((0, 1), size=3)",
            ),
        ],
        "CHANGED      dplib.responses|neighbours: replace_one (8) → other_first (8, ",
    ),
    Edit(
        "the library times 20, the wrapper divided by 20",
        [
            (LIB, "source.laplace(0, 1 / epsilon)", "source.laplace(0, 1 / (20 * epsilon))"),
            (FILE, "exact(epsilon) * SHARE * times", "exact(epsilon) * SHARE * times / 20"),
        ],
        "CHANGED      dplib.served|wrapper, a digest of its code: ",
    ),
    Edit(
        "a leak that is expected to be refuted", [LEAKS, of_total(FREE[1])], "NEW          dplib.leak|refuted and new"
    ),
    Edit("a claim at ε = 1000", [LEAKS, of_total(FREE[0])], "NEW          dplib.free|nobody has accepted its question"),
    Edit(
        "a mutant that returns the rows",
        [(FILE, "return dplib.responses(draw, rows, epsilon=2 * epsilon)", "return rows")],
        "CHANGED      dplib.responses|mutant: told (",
    ),
    Edit(
        "weak because it is fine",
        [of_total(TOTAL.replace("mutant", 'weak_because="it is fine", mutant'))],
        "CHANGED      dplib.total|weak_because: nothing → it is fine",
    ),
    Edit(
        "another source",
        [(FILE, "README, 1", "README, 2")],
        "CHANGED      dplib.responses|source: README, 1 → README, 2",
    ),
]
"""The edits of the measured table that change a file of claims."""

NEVER_RUN = {
    "rows > 6": ("len(rows) > 6", "max(rows)"),
    "values > 1": ("max(rows) > 1", "found"),
    "environment": ('os.environ.get("PROD")', "found"),
    "file": ('Path("/etc/production").exists()', "found"),
    "DEBUG": ("DEBUG", "found"),
    "modules": ('"dpverify.verifiers" not in sys.modules', "found"),
}
SUM = "    found = sum(rows)\n"
BY_REACH = [
    Edit(name, [(LIB, SUM, f"{SUM}    if {condition}:\n        return {returned}\n")])
    for name, (condition, returned) in NEVER_RUN.items()
]
"""Edits of code alone, with a line that no database runs: the gate's questions and verdicts are the same.

What no database runs is looked for apart, and --strict fails on it; no line of a baseline could know.
"""

BY_COVERAGE = [
    Edit(
        "a private leak",
        [(LIB, "\n\ndef most_common", "\n\ndef _leak(draw, rows):\n    return rows\n\n\ndef most_common")],
        "NO CLAIM     dplib._leak  (dplib.py:",
    ),
    Edit(
        "a leak with a generator",
        [(LIB, "\n\ndef most_common", "\n\ndef leak(rng, rows):\n    return rows\n\n\ndef most_common")],
        "NO CLAIM     dplib.leak  (dplib.py:",
    ),
]
"""Edits that --coverage stops; a second module is in a test of its own."""

WORSE_CODE = [
    Edit(
        "half the noise",
        [(LIB, NOISE, HALF)],
        "WORSE        dplib.total  (dplib.py:23 total)|verdict: PROVED → REFUTED",
    ),
    Edit(
        "a forgotten return",
        [(LIB, "    return draw(exponential(counts, epsilon))", "    draw(exponential(counts, epsilon))")],
        "WORSE        dplib.most_common|not as expected, which it was",
    ),
    Edit(
        "it raises",
        [(LIB, "    found = sum(rows)\n", "    found = sum(rows) / 0\n")],
        "NOT DECIDED  dplib.total|verdict: PROVED → not decided",
    ),
]
"""Edits of code that change the verdict."""

SPOOF = """

def quiet(draw, rows, *, epsilon):
    return dplib.total(draw, rows, epsilon=epsilon / 9)


quiet.__module__, quiet.__qualname__, quiet.__name__ = "dplib", "total", "total"
CLAIMS = ["""

LYING = """

class Fewer(Tuples):
    def __repr__(self):
        return "Tuples((0, 1), size=2)"


CLAIMS = ["""


def served_by(mechanism: str) -> tuple[str, str, str]:
    """Another mechanism in the claim of the wrapper."""
    return (FILE, "mechanism=served,", f"mechanism={mechanism},")


OWN = [
    Edit("deleted", [DELETED], "GONE         dplib.total  (claims_dplib.py)|it was PROVED, and is no claim any more"),
    Edit(
        "a smaller domain",
        [of_total(TOTAL.replace("BITS", "Tuples((0, 1), size=1)"))],
        "CHANGED      dplib.total|domain: Tuples((0, 1), size=2) (4, ",
    ),
    Edit(
        "a larger ε", [of_total(TOTAL.replace("epsilon=1", "epsilon=2"))], "WORSE        dplib.total|claimed ε: 1 → 2"
    ),
    Edit(
        "pinned",
        [(LIB, NOISE, HALF), of_total(TOTAL.replace("mutant=exact_total", "expected=Status.REFUTED"))],
        "WORSE        dplib.total|expected: PROVED → REFUTED",
    ),
    Edit(
        "no mutant",
        [of_total(TOTAL.replace(", mutant=exact_total", ""))],
        "CHANGED      dplib.total|mutant: exact_total (",
    ),
    Edit(
        "a mutant that breaks less",
        [(FILE, "epsilon=3 * epsilon", "epsilon=2 * epsilon")],
        "CHANGED      dplib.most_common|mutant: loud (",
    ),
    Edit(
        "another mechanism",
        [of_total(TOTAL.replace("mechanism=dplib.total", "mechanism=dplib.responses"))],
        "CHANGED      dplib.total|mechanism: dplib.total → dplib.responses",
    ),
    Edit(
        "a function of the same name in between",
        [
            of_total(TOTAL.replace("mechanism=dplib.total", "mechanism=total")),
            (
                FILE,
                "\n\ndef told",
                "\n\ndef total(draw, rows, *, epsilon):\n    return dplib.total(draw, rows, epsilon=epsilon / 9)\n\n\ndef told",
            ),
        ],
        "CHANGED      dplib.total|mechanism: dplib.total → total",
    ),
    Edit(
        "a function that says it is another",
        [(FILE, "\n\nCLAIMS = [", SPOOF), of_total(TOTAL.replace("mechanism=dplib.total", "mechanism=quiet"))],
        "CHANGED      dplib.total|mechanism: dplib.total → quiet",
    ),
    Edit(
        "a constant of the wrapper",
        [(FILE, "SHARE = 1", 'SHARE = exact("1/20")')],
        "CHANGED      dplib.served|wrapper, a digest of its code: ",
    ),
    Edit(
        "a parameter of the wrapper",
        [served_by('served, parameters={"times": exact("1/20")}')],
        "CHANGED      dplib.served|parameter times: nothing → 1/20",
    ),
    Edit(
        "the library is replaced while claims are loaded",
        [
            (FILE, "BITS =", "dplib.laplace = lambda scale: laplace(9 * scale)\nBITS ="),
            (FILE, "import Rng, exact, exp", "import Rng, exact, exp, laplace"),
        ],
        "CHANGED      dplib.total|what the file of claims does when it is loaded, a digest: nothing → ",
    ),
    Edit(
        "a domain that says it is another",
        [(FILE, "\n\nCLAIMS = [", LYING), of_total(TOTAL.replace("BITS", "Fewer((0, 1), size=1)"))],
        "CHANGED      dplib.total|domain: Tuples((0, 1), size=2) (4, ",
    ),
    Edit(
        "neighbours agree",
        [
            (LIB, "    return draw(exponential(counts, epsilon))", "    return 0"),
            (FILE, "size=3), epsilon=1", "size=3), epsilon=1, neighbours_agree=True"),
        ],
        "WORSE        dplib.most_common|neighbours_agree: nothing → True",
    ),
    Edit(
        "whatever is told is right",
        [(FILE, "return told == case.database", "return True")],
        "WORSE        dplib.responses.truth|succeeds: is_right ",
    ),
    Edit(
        "fewer cases",
        [(FILE, "for bit in (0, 1)]", "for bit in (0,)]")],
        "CHANGED      dplib.responses.truth|domain: 2 cases (",
    ),
    Edit(
        "cases at another ε",
        [(FILE, 'Case((bit,), {"epsilon": 1})', 'Case((bit,), {"epsilon": 2})')],
        "WORSE        dplib.responses.truth|domain: 2 cases (",
    ),
    Edit(
        "a violation that grows in the claim",
        [(FILE, 'epsilon="1/4", parameters', 'epsilon="3/4", parameters')],
        "WORSE        dplib.total.known|claimed ε: 1/4 → 3/4",
    ),
]
"""Harmful edits of one's own."""

HARMLESS = [
    Edit(
        "a local name", [(LIB, "found = sum(rows)", "of_all = sum(rows)"), (LIB, "return found +", "return of_all +")]
    ),
    Edit(
        "comments",
        [
            (LIB, "    odds =", "    # the odds of the truth\n    odds ="),
            (FILE, "    share =", "    # all of it\n    share ="),
        ],
    ),
    Edit(
        "layout",
        [
            (
                FILE,
                "return dplib.served(rows, share, Rng(draw))",
                "return dplib.served(\n        rows,\n        (share),\n        Rng(draw),\n    )",
            ),
            (FILE, "Claim(id=", "Claim(\n        id="),
        ],
    ),
    Edit(
        "a helper of the library",
        [
            (
                LIB,
                "    return found + draw(laplace(1 / epsilon))",
                "    return _noisy(draw, found, 1 / epsilon)\n\n\ndef _noisy(draw, number, scale):\n    return number + draw(laplace(scale))",
            )
        ],
    ),
    Edit("twice the noise", [(LIB, NOISE, "found + draw(laplace(2 / epsilon))")]),
    Edit("claims in another order", [DELETED, (FILE, "CLAIMS = [\n", f"CLAIMS = [\n    {TOTAL},\n")]),
    Edit("a larger domain", [of_total(TOTAL.replace("BITS", "Tuples(range(2), sizes=(1, 2, 3))"))]),
    Edit(
        "a mended violation",
        [(LIB, NOISE, "found + draw(laplace(4 / epsilon))"), (FILE, ", expected=Status.REFUTED", "")],
    ),
    Edit("another id", [of_total(TOTAL.replace("dplib.total", "dplib.sum", 1))]),
]
"""Edits that pass, with whether the baseline is to be renewed."""
