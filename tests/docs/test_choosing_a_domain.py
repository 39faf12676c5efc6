"""The table of domains by mechanism: a mechanism of each row is decided on the domains that it names."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, exp, exponential, laplace, log
from dpverify.verifiers import Proved, check_privacy, replace_one

PAGE: Final = Path(__file__).parents[2] / "docs" / "choosing-a-domain.md"
LOW, MIDDLE, HIGH = 0, 2, 4
VERIFIERS: Final = import_module("dpverify.verifiers")
NAMES: Final = {name: getattr(VERIFIERS, name) for name in VERIFIERS.__all__} | {
    "low": LOW,
    "middle": MIDDLE,
    "high": HIGH,
    "n": 6,
    "values": (0, 1, 2),
}
"""What stands in the expressions of the table."""


def table() -> dict[str, tuple[str, str, str]]:
    """For each mechanism: its symbolic domain, its finite one and its neighbours, as they are written."""
    text = PAGE.read_text("utf-8").partition("## By mechanism")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: (row[1], row[2], row[3]) for row in rows[2:]}


def count(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return rows.count(1) + draw(discrete_laplace(1 / epsilon))


def histogram(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return tuple(rows.count(value) + draw(discrete_laplace(2 / epsilon)) for value in range(3))


def mean(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    total: Any = sum(clamp(row, LOW, HIGH) for row in rows)
    return Fraction(total, len(rows)) + draw(laplace(Fraction(HIGH - LOW, len(rows)) / epsilon))


def chosen(draw: Draw, scores: Sequence[int], *, epsilon: Any) -> Any:
    return draw(exponential(dict(enumerate(scores)), epsilon))


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return draw(exponential({value: rows.count(value) for value in range(3)}, epsilon))


def above(draw: Draw, scores: Sequence[int], *, epsilon: Any) -> Any:
    threshold = draw(laplace(2 / epsilon))
    for place, score in enumerate(scores):
        if score + draw(laplace(4 / epsilon)) >= threshold:
            return place
    return None


def keys(draw: Draw, rows: Sequence[int], *, epsilon: Any, delta: Any) -> Any:
    least = 1 + log(1 / delta) / epsilon
    return tuple(key for key in range(2) if key in rows and rows.count(key) + draw(laplace(1 / epsilon)) >= least)


def median(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    far = {x: -abs(sum(row < x for row in rows) - sum(row > x for row in rows)) for x in range(4)}
    return draw(exponential(far, epsilon / 2))


def response(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    told = draw(bernoulli(exp(epsilon) / (exp(epsilon) + 2)))
    return rows[0] if told else draw(exponential({x: 0 for x in range(3) if x != rows[0]}, epsilon))


def learner(draw: Draw, sample: Sequence[tuple[int, int]], *, epsilon: Any) -> Any:
    right = {cut: sum((point >= cut) == label for point, label in sample) for cut in range(4)}
    return draw(exponential(right, epsilon))


def prefixes(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    noises = [draw(discrete_laplace(1 / epsilon)) for _ in rows]
    return tuple(row + noise for row, noise in zip(rows, noises, strict=True))


def of_users(draw: Draw, users: Sequence[tuple[int, ...]], *, epsilon: Any) -> Any:
    return sum(len(user[:1]) for user in users) + draw(discrete_laplace(1 / epsilon))


MECHANISMS: Final[Mapping[str, Callable[..., Any]]] = {
    "a count": count,
    "a histogram": histogram,
    "a sum or a mean": mean,
    "a selection by scores: ": chosen,
    "a selection by scores that": most_common,
    "sparse vector": above,
    "partition selection": keys,
    "a median": median,
    "randomized response": response,
    "a learner": learner,
    "prefix sums": prefixes,
    "one user": of_users,
}
"""A mechanism for each row of the table, by how the row begins."""


def row_of(begins: str) -> tuple[str, str, str]:
    (found,) = (cells for name, cells in table().items() if name.startswith(begins))
    return found


def relations_of(cell: str) -> list[Any]:
    return [NAMES[name] for name in re.findall(r"`(\w+)`", cell) if name != "scores_l1"] or [replace_one]


def test_every_row_has_a_mechanism_here() -> None:
    left = [name for name in table() if not any(name.startswith(begins) for begins in MECHANISMS)]
    assert left == ["others"]


TAKE_SECONDS = ("a median", "sparse vector")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "begins", [pytest.param(begins, marks=[pytest.mark.deep] * (begins in TAKE_SECONDS)) for begins in MECHANISMS]
)
def test_a_mechanism_is_decided_on_the_domains_of_its_row(begins: str) -> None:
    every_size, finite, neighbours = row_of(begins)
    for written in (every_size, finite):
        if code := re.search(r"`([^`]+)`", written):
            domain = eval(code[1], dict(NAMES))
            for relation in relations_of(neighbours):
                delta = "0.1" if MECHANISMS[begins] is keys else 0
                verdict = check_privacy(MECHANISMS[begins], domain, relation, epsilon=1, delta=delta)
                assert isinstance(verdict, Proved), (written, verdict)
                assert not verdict.neighbours_agree, written
