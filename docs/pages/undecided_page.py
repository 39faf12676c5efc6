"""The page of what is left undecided, docs/undecided.md: every reason in the code, by group, with examples that run.

`python -m docs.pages.undecided_page` writes it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from dpverify.mechanisms.numbers import reasons as registry
from dpverify.mechanisms.reasons import not_known
from dpverify.mechanisms.reasons.reason import Reason

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "undecided.md"

SAYING: Final = ("Undecided", "LimitMet", "TooManyLosses", "undecided")
"""Calls by which a reason is said, by the last part of their name; `verdicts.Undecided(reason=…)` is one."""


class Group(NamedTuple):
    """Reasons of one kind: where they are said in the code, an example, and the way out."""

    title: str
    files: tuple[str, ...]
    """The beginnings of their files' paths."""
    example: str
    says: str
    """How the reason of the example begins."""
    way_out: str


GROUPS: Final[Sequence[Group]] = (
    Group(
        "A limit was met",
        (
            "mechanisms/comparing/trail.py",
            "mechanisms/drawing/",
            "mechanisms/outputs/folding.py",
            "verifiers/divergence/output_tables/noisy_parts.py",
            "verifiers/processes/",
        ),
        """def coins(draw, rows):
    return sum(2**k * draw(bernoulli("0.5")) for k in range(20))


check_privacy(coins, Tuples((0, 1), size=1), replace_one, epsilon=1, limits=Limits(paths=1000))""",
        "coins on (0,) has more than 1,000 paths",
        "Return a distribution in place of a draw from it, draw from sub-mechanisms, draw independent parts by `draw.each` or in a "
        "comprehension, take a smaller domain; or raise the limit that is named, `limits=Limits(…)`.",
    ),
    Group(
        "A sign is not known to enough digits",
        (
            "mechanisms/numbers/",
            "mechanisms/numbers/roots/",
            "mechanisms/comparing/evaluated.py",
            "verifiers/divergence/finite/",
            "verifiers/optimal/",
            "verifiers/divergence/output_tables/distribution_table.py",
        ),
        """def told(draw, x):  # √(5 + 2√6) is √2 + √3
    return draw(bernoulli(exp(x * (sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3))) / 2))


check_privacy(told, [0, 1], lambda x: [1 - x], epsilon=0)""",
        "the sign of a number within 10^-",
        "Write equal numbers alike, keep roots and logarithms out of exponents, or claim a little more than what is met "
        "with equality. Of rational numbers, powers, and logarithms of rational numbers every sign is known.",
    ),
    Group(
        "A mechanism on all databases by its parts",
        ("verifiers/all_sizes/compositions/", "verifiers/privacy/checker.py"),
        """from dpverify.verifiers.all_sizes.compositions import EveryDatabase


def large(draw, rows):
    return len(rows) > 100


check_privacy(large, EveryDatabase((0, 1)), replace_one, epsilon=1)""",
        "what is around the parts of a mechanism asked its rows for __len__",
        "Hand rows to a part that is known, or to one of yours that is decided by itself: see [parts](composites.md).",
    ),
    Group(
        "Databases of any number of rows",
        (
            "verifiers/all_sizes/",
            "verifiers/all_sizes/regions/",
            "verifiers/problems/questions/unknown_rows.py",
            "mechanisms/numbers/positivity/",
        ),
        """def summed(draw, rows):
    total = 0
    for row in rows:
        total += row
    return total + draw(geometric(1))


check_privacy(summed, Histograms((0, 1)), replace_one, epsilon=1)""",
        "a database of unknown size was gone through row by row",
        "Write what is computed of rows by `rows.count(x)`, `len(rows)`, `Counter(rows)` or `sum(… for row in rows if …)`; or "
        "claim it on databases up to a size, where all is run as it is.",
    ),
    Group(
        "Released numbers that come about in several ways, or are tied",
        (
            "mechanisms/outputs/ratio_masses.py",
            "verifiers/divergence/densities/",
            "verifiers/verdicts/",
            "verifiers/divergence/output_tables/independent_parts.py",
            "verifiers/divergence/output_tables/lumping.py",
        ),
        """def either(draw, rows):
    sigma = 1 if draw(bernoulli("0.5")) else 2
    return sum(rows) + draw(gaussian(sigma))


check_privacy(either, Tuples((0, 1), size=1), replace_one, epsilon=1, delta="0.1")""",
        "a number is released in several ways that the outcome does not tell apart",
        'Return what tells the ways apart, `("one", number)`; draw a noise for each number; use one kind of noise, of one '
        "scale; or discretise. What tells more than the outcome is an upper bound of what it needs.",
    ),
    Group(
        "What is computed from noisy numbers",
        ("mechanisms/finer_releases/", "verifiers/deciding/"),
        """def mean(draw, rows):
    return (sum(rows) + draw(laplace(2))) / (len(rows) + draw(laplace(2)))


check_privacy(mean, Tuples((0, 1), sizes=range(1, 4)), add_or_remove_one, epsilon="0.9")""",
        "before post-processing it needs ε = 1, an upper bound",
        "Claim the ε that is named, which is proved; or return what has an output distribution in closed form. A quotient may need less than "
        "its two numbers do, and that is not known.",
    ),
)

_TEXT: Final = """\
# Why UNDECIDED

*Generated by `python -m docs.pages.undecided_page`.*

UNDECIDED is not a fault of the mechanism: neither a proof nor a counterexample was found, and the reason is given. Below is each
reason in the code, by kind, with an example and a way out. `…` stands for what depends on the claim.
[Errors by message](errors.md) lists what is refused; [how dpverify decides](how-it-decides.md) explains verdicts.

{groups}
`python -m docs.pages.undecided_page` writes this page.
"""


@cache
def reasons() -> Sequence[tuple[str, str]]:
    """Each reason that is said in so many words in the code: its file, and the text with … for what is put in."""
    return [
        (path.relative_to(ROOT).as_posix(), text)
        for room in ("mechanisms", "verifiers")
        for path in sorted((ROOT / room).rglob("*.py"))
        for text in _reasons_in(path.read_text(encoding="utf-8"))
    ]


def _reasons_in(source: str) -> Iterator[str]:
    if not any(word in source for word in (*(f"{said}(" for said in SAYING), "not_known.")):
        return
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "not_known":
            yield _said(getattr(not_known, node.attr))
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in ([node.target] if isinstance(node, ast.AnnAssign) else node.targets)
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2].lstrip("_") in SAYING:
            yield from _texts(node, named)


def _texts(call: ast.Call, named: dict[str, ast.expr]) -> Iterator[str]:
    for value in (*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "reason")):
        said = named.get(value.id, value) if isinstance(value, ast.Name) else value
        text = shown(said)
        if any(letter.isalpha() for letter in text.replace("…", "")):
            yield text


def shown(value: ast.expr) -> str:
    """The text of an expression, with … for all that is no constant."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.JoinedStr):
        return "".join(shown(part) for part in value.values)
    if isinstance(value, ast.Call) and ast.unparse(value.func).startswith("reasons."):
        return _said(getattr(registry, ast.unparse(value.func).split(".")[1]))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return shown(value.left) + shown(value.right)
    return "…"


def _said(row: Reason) -> str:
    return re.sub(r"\{.*?\}", "…", f"{row.sentence}: {row.instead} [{row.id}]")


def group_of(file: str) -> Group | None:
    """The group of a file's reasons, of which the longest beginning counts; None where none knows it."""
    beginnings = [(len(each), i) for i, group in enumerate(GROUPS) for each in group.files if file.startswith(each)]
    return GROUPS[max(beginnings)[1]] if beginnings else None


def page() -> str:
    """The page, as Markdown."""
    said = reasons()
    return _TEXT.format(groups="\n".join(_section(group, said) for group in GROUPS))


def _section(group: Group, said: Sequence[tuple[str, str]]) -> str:
    texts = sorted({" ".join(text.split()) for file, text in said if group_of(file) is group})
    listed = "\n".join(f"- {text.replace('*', chr(92) + '*')}" for text in texts)
    return (
        f"## {group.title}\n\n```python\n{group.example}\n```\n\nUNDECIDED: {group.says} …\n\n**The way out.** "
        f"{group.way_out}\n\n{listed}\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
