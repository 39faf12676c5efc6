"""A library, a package that its claims use, and edits of both: harmful ones with what stops each, and harmless ones."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

FILES = {
    "dplib/__init__.py": "from dplib.counts import clipped_sum, guess, histogram, noisy_count\n",
    "dplib/noise.py": """\
from dpverify.mechanisms import laplace


def noisy(draw, value, sensitivity, epsilon):
    return value + draw(laplace(sensitivity / epsilon))
""",
    "dplib/counts.py": """\
import json
from pathlib import Path

from dpverify.mechanisms import bernoulli

from dplib.noise import noisy

CONFIG = json.loads((Path(__file__).parent / "data.json").read_text())


def noisy_count(draw, rows, *, epsilon):
    return noisy(draw, sum(rows), 1, epsilon)


def clipped_sum(draw, rows, *, epsilon):
    cap = CONFIG["cap"]
    return noisy(draw, sum(min(r, cap) for r in rows), cap, epsilon)


def guess(draw, rows):
    return draw(bernoulli("1/2"))


def histogram(draw, rows, *, epsilon):
    return tuple(noisy(draw, rows.count(x), 2, epsilon) for x in range(3))
""",
    "dplib/data.json": '{"cap": 3}\n',
    "checks/__init__.py": "",
    "checks/settings.py": "FACTOR = 1\n",
    "checks/broken.py": """\
from dplib.noise import noisy


def too_little(draw, value, epsilon):
    return noisy(draw, value, 1, 2 * epsilon)
""",
    "checks/scales.py": """\
from checks import settings

RATE = sum(range(2))


class Shares:
    WHOLE = 1
    PART = 1

    def of(self, epsilon):
        return epsilon * self.PART


def whole(epsilon, share=1):
    part = epsilon * settings.FACTOR * share
    return Shares().of(part) * Shares.WHOLE * RATE
""",
    "checks/wrapping.py": """\
import functools


def as_asked(function):
    @functools.wraps(function)
    def inner(draw, rows, *, epsilon):
        return function(draw, rows, epsilon=epsilon)

    return inner
""",
    "checks/near.py": """\
MOST = 1


def is_near(case, outcome):
    distance = abs(outcome - sum(case.database))
    return distance <= MOST


def flips(rows):
    return [flipped(rows, i) for i in range(len(rows))]


def flipped(rows, i):
    return rows[:i] + (1 - rows[i],) + rows[i + 1 :]
""",
    "checks/ready.py": "",
    "claims.py": """\
import checks.ready
from checks import settings
from checks.broken import too_little
from checks.near import flips, is_near
from checks.scales import whole
from checks.wrapping import as_asked
from dpverify.verifiers import Case, Claim, Multisets, Tuples, UtilityClaim, replace_one

import dplib


def count_broken(draw, rows, *, epsilon):
    return too_little(draw, sum(rows), epsilon)


def half_sum(draw, rows, *, epsilon):
    return dplib.clipped_sum(draw, rows, epsilon=2 * epsilon)


def wrapped(draw, rows, *, epsilon):
    return dplib.histogram(draw, rows, epsilon=epsilon * settings.FACTOR)


def helped(draw, rows, *, epsilon):
    return dplib.histogram(draw, rows, epsilon=whole(epsilon))


def late(draw, rows, *, epsilon):
    from checks.settings import FACTOR as factor

    return dplib.histogram(draw, rows, epsilon=epsilon * factor)


def wrapped_broken(draw, rows, *, epsilon):
    return dplib.histogram(draw, rows, epsilon=2 * epsilon)


BITS = Tuples((0, 1), size=2)
CLAIMS = [
    Claim(id="lib.count", mechanism=dplib.noisy_count, domain=BITS, neighbours=flips, epsilon=1, mutant=count_broken),
    Claim(id="lib.sum", mechanism=dplib.clipped_sum, domain=Tuples((0, 5), size=2), epsilon=1, mutant=half_sum),
    Claim(id="lib.wrapped", mechanism=wrapped, domain=Multisets(range(3), size=2), epsilon=1, mutant=wrapped_broken),
    Claim(id="lib.helped", mechanism=helped, domain=Multisets(range(3), size=2), epsilon=1, mutant=wrapped_broken),
    Claim(id="lib.late", mechanism=late, domain=Multisets(range(3), size=2), epsilon=1, mutant=wrapped_broken),
    Claim(id="lib.decorated", mechanism=as_asked(dplib.noisy_count), domain=BITS, epsilon=1, mutant=count_broken),
    UtilityClaim(
        id="lib.near", mechanism=dplib.guess, cases=[Case((0, 1))], succeeds=is_near,
        beta=lambda case: 0, mutant=lambda draw, rows: 9,
    ),
]
""",
}


class Edit(NamedTuple):
    """What somebody does: files with what is replaced by what, and each claim that the gate marks, with what it says."""

    name: str
    changes: list[tuple[str, str, str]]
    marks: Mapping[str, str] = MappingProxyType({})
    """By id; the mark, and behind "|" a part of what is said of it."""
    moved: tuple[str, str] = ("", "")
    """A file, and where it is then."""


WRAPPERS = ("lib.wrapped", "lib.helped", "lib.late")
WRAPPER, MUTANT = "CHANGED|wrapper, a digest of its code: ", "CHANGED|mutant: "
FRACTION = "from fractions import Fraction\n"
EVERY = ("lib.count", "lib.sum", *WRAPPERS, "lib.decorated", "lib.near")


HARMFUL = [
    Edit(
        "settings_factor",
        [
            ("checks/settings.py", "FACTOR = 1", f"{FRACTION}FACTOR = Fraction(1, 2)"),
            ("dplib/counts.py", "rows.count(x), 2, epsilon", "rows.count(x), 1, epsilon"),
        ],
        dict.fromkeys(WRAPPERS, WRAPPER),
    ),
    Edit(
        "mutant_helper_sillier",
        [("checks/broken.py", "return noisy(draw, value, 1, 2 * epsilon)", "return value")],
        dict.fromkeys(("lib.count", "lib.decorated"), MUTANT),
    ),
    Edit(
        "a method of a support class",
        [("checks/scales.py", "        return epsilon * self.PART\n", "        return epsilon * self.PART / 2\n")],
        {"lib.helped": WRAPPER},
    ),
    Edit(
        "a decorator", [("checks/wrapping.py", "epsilon=epsilon)", "epsilon=epsilon / 2)")], {"lib.decorated": WRAPPER}
    ),
    Edit(
        "a helper of a neighbour relation",
        [("checks/near.py", "def flipped(rows, i):\n", "def flipped(rows, i):\n    i = 0\n")],
        {"lib.count": "CHANGED|neighbours: flips (8, "},
    ),
    Edit("a constant of a predicate", [("checks/near.py", "MOST = 1", "MOST = 9")], {"lib.near": "CHANGED|succeeds: "}),
    Edit(
        "what a wrapper imports while it runs",
        [
            ("claims.py", "import FACTOR as factor", "import HALF as factor"),
            ("checks/settings.py", "FACTOR", "HALF = 2\nFACTOR"),
        ],
        {"lib.late": WRAPPER},
    ),
    Edit(
        "a domain that does not hold the old one",
        [("claims.py", "BITS = Tuples((0, 1), size=2)", "BITS = Tuples((0, 1), size=3)")],
        dict.fromkeys(("lib.count", "lib.decorated"), "CHANGED|to claim both, keep this claim as it was and add one"),
    ),
    Edit(
        "a claim of another function of the same name",
        [
            (
                "dplib/__init__.py",
                "guess, histogram, noisy_count\n",
                "guess, histogram\nfrom dplib.old import noisy_count\n",
            ),
            (
                "dplib/old.py",
                "",
                "from dplib.counts import clipped_sum, noisy\n\n\ndef noisy_count(draw, rows, *, epsilon):\n    return noisy(draw, sum(rows), 1, epsilon)\n",
            ),
        ],
        {"lib.count": "CHANGED|mechanism: dplib.counts.noisy_count → dplib.old.noisy_count"}
        | {"lib.decorated": "CHANGED|calls of the library: dplib.counts:noisy_count → dplib.old:noisy_count"},
    ),
]

HARMLESS = [
    Edit(
        "constant_named_in_wrapper",
        [("claims.py", "rows, epsilon=2 * epsilon)\n\n\nBITS", "rows, epsilon=TWICE * epsilon)\n\n\nTWICE = 2\nBITS")],
    ),
    Edit(
        "a helper in another file",
        [
            ("checks/near.py", "def flipped(rows, i):\n    return rows[:i] + (1 - rows[i],) + rows[i + 1 :]\n", ""),
            ("checks/near.py", "MOST = 1\n", "from checks.moves import flipped\n\nMOST = 1\n"),
            ("checks/moves.py", "", "def flipped(rows, i):\n    return rows[:i] + (1 - rows[i],) + rows[i + 1 :]\n"),
        ],
    ),
    Edit("a local name", [("checks/scales.py", "part", "some")]),
    Edit(
        "comments and docstrings",
        [
            ("checks/scales.py", "    part =", '    """All of it."""\n    # a part\n    part ='),
            ("checks/broken.py", "    return", '    "Too little."\n    return'),
        ],
    ),
    Edit(
        "code of the library",
        [
            ("dplib/noise.py", "    return value +", "    scale = sensitivity / epsilon\n    return value +"),
            ("dplib/noise.py", "laplace(sensitivity / epsilon)", "laplace(scale)"),
        ],
    ),
    Edit(
        "a larger domain, under a relation of one's own",
        [("claims.py", "BITS = Tuples((0, 1), size=2)", "BITS = Tuples((0, 1), sizes=(2, 3))")],
        dict.fromkeys(("lib.count", "lib.decorated"), "STRONGER|domain: Tuples((0, 1), size=2) (4, "),
    ),
    Edit(
        "a file of the library that moved",
        [("dplib/__init__.py", "dplib.counts", "dplib.sums")],
        dict.fromkeys(WRAPPERS, "RENAMED|calls of the library: dplib.counts:histogram → dplib.sums:histogram")
        | {
            "lib.decorated": "RENAMED|mechanism: ",
            "lib.count": "RENAMED|mechanism: dplib.counts.noisy_count → dplib.sums.noisy_count",
            "lib.sum": "RENAMED|mechanism: dplib.counts.clipped_sum → dplib.sums.clipped_sum",
            "lib.near": "RENAMED|file of the mechanism: dplib/counts.py → dplib/sums.py",
        },
        ("dplib/counts.py", "dplib/sums.py"),
    ),
    Edit(
        "claims that moved",
        [],
        dict.fromkeys(EVERY, "RENAMED|file: claims.py → tests/claims.py"),
        ("claims.py", "tests/claims.py"),
    ),
    Edit(
        "a support file that moved",
        [("claims.py", "from checks.near", "from checks.close")],
        {},
        ("checks/near.py", "checks/close.py"),
    ),
]
