"""Laws by pattern against laws of single runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from tests.examples import in_one
from tests.mechanisms.drawing.laws_as_written import are_the_same, as_python_has_it, made_of_text
from tests.verifiers.divergence.output_tables.test_laws_together import assert_same_tables, what_is_said

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Limits,
    MechanismError,
    Undecided,
    bernoulli,
    discrete_laplace,
    distribution,
    exp,
    exponential,
    exponential_noise,
    laplace,
)
from dpverify.mechanisms.counting import all_at_once
from dpverify.mechanisms.functions.mechanism import exact_parameters
from dpverify.mechanisms.numbers.decision import sign
from dpverify.mechanisms.numbers.positivity.affine_regions import coordinate
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.selection import Selection, choose_by_stability_journal, exponential_mechanism, max_of_laplaces
from dpverify.reports.record import Status
from dpverify.verifiers import LabelledSamples, Multisets, ScoreSpace, Tuples, check_privacy, replace_one, scores_linf
from dpverify.verifiers.divergence.output_tables import by_pattern, distribution_arrays
from dpverify.verifiers.divergence.output_tables.by_pattern import distributions_by_pattern
from dpverify.verifiers.divergence.output_tables.distribution_arrays import as_distribution_array
from dpverify.verifiers.divergence.output_tables.distribution_table import DistributionArray, DistributionTable
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question


@pytest.fixture(autouse=True)
def _of_few_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pattern, "_MANY", 1)
    monkeypatch.setattr(by_pattern, "_FEW_LEAVES", 16)
    monkeypatch.setattr(by_pattern, "_HELD", 1)


class Found(NamedTuple):
    laws: Sequence[Any]
    leaves: int


def found(mechanism: Any, domain: Any) -> Found | None:
    """The laws by pattern, and the number of leaves; None where it is run on each database."""
    first = next(iter(domain))
    question = Question(mechanism, domain, lambda _: (first,), None, exact_parameters({"epsilon": 1}), Limits())
    asked = prepared_in_full(question, never_repeated)
    runs: list[Any] = []
    together = distributions_by_pattern(asked, asked.enumeration(), runs.append)
    assert notes.answers is None and notes.refused is None
    return None if together is None else Found(together.laws, len(runs))


def assert_as_single_runs(laws: Sequence[Any], mechanism: Any, domain: Any) -> None:
    single = [distribution(mechanism, database, epsilon=1) for database in domain]
    assert len(laws) == len(single)
    for law, other in zip(laws, single, strict=True):
        assert same_distribution(law, other)
    mine, expected = table(as_distribution_array(laws)), table(single)
    if isinstance(mine, DistributionTable) and isinstance(expected, DistributionTable):
        assert_same_tables(mine, expected)
    assert isinstance(mine, DistributionTable) or mine == expected


def table(laws: Sequence[Any]) -> DistributionTable | str:
    """The table of laws, or the error where outcomes of some are equal and not the same."""
    try:
        return DistributionTable(laws)
    except InputError as error:
        return str(error)


def mixed(chance: random.Random) -> list[tuple[str, ...]]:
    """Databases in no order, some of them with the same rows in another order."""
    some = [tuple(chance.choices("abc", k=chance.randrange(6))) for _ in range(40)]
    return list(dict.fromkeys([*some, *(row[::-1] for row in some)]))


DOMAINS: Final[Sequence[tuple[Callable[[random.Random], Any], Sequence[Any]]]] = (
    (lambda _: Multisets(range(3), sizes=range(5)), (0, 1, 2, 7)),
    (lambda _: Tuples((5, -2), sizes=range(5)), (5, -2)),
    (lambda _: LabelledSamples(("p", "q"), size=3), (("p", 0), ("p", 1), ("q", 1))),
    (lambda _: Multisets((None, "x", Fraction(1, 2)), size=4), (None, "x", Fraction(1, 2))),
    (mixed, ("a", "b", "c", "")),
    (lambda _: ScoreSpace(range(-1, 3), solutions=3), ()),
)


class Writer:
    """A writer of random programs, of questions and sums of counts above all."""

    def __init__(self, chance: random.Random, rows: Sequence[Any]) -> None:
        self.chance, self.rows, self.known = chance, rows, [f"rows.count({row!r})" for row in rows] + ["len(rows)"]
        if not rows:  # the databases are vectors of numbers
            self.rows, self.known = (
                (0, 1, 2),
                ["rows[0]", "rows[1]", "rows[2]", "max(rows)", "sum(rows)", "rows.count(1)"],
            )

    def number(self, depth: int = 0) -> str:
        if depth > 1 or self.chance.random() < 0.4:
            return self.chance.choice([*self.known, *self.known, str(self.chance.randrange(-1, 4))])
        left, right = self.number(depth + 1), self.number(depth + 1)
        forms = (
            "{} + {}",
            "{} - {}",
            "max({}, {})",
            "min({}, {})",
            "({} if {} > 1 else 2)",
            "3 * {} - {}",
            "abs({} - {})",
        )
        return f"({self.chance.choice(forms).format(left, right)})"

    def condition(self, depth: int = 0) -> str:
        if depth < 1 and self.chance.random() < 0.3:
            word = self.chance.choice((" and ", " or ", ") and not ("))
            return f"({self.condition(1)}{word}{self.condition(1)})"
        if self.chance.random() < 0.2:
            return f"{self.chance.choice(self.rows)!r} {self.chance.choice(('in', 'not in'))} rows"
        if self.chance.random() < 0.15:
            return self.number()
        times = self.chance.choice(("", "", "Fraction(2, 3) * "))
        return f"{times}{self.number()} {self.chance.choice(('<', '<=', '==', '!=', '>', '>='))} {self.number()}"

    def returned(self) -> str:
        scores = [self.number() for _ in range(self.chance.randrange(1, 4))]
        forms: tuple[str, ...] = (
            f"draw(exponential([{', '.join(scores)}], epsilon))",
            f"exponential({{{', '.join(f'{name!r}: {score}' for name, score in zip('uvw', scores, strict=False))}}}, epsilon)",
            f"draw(exponential(sorted([{', '.join(scores)}], reverse=True), epsilon, sensitivity=2))",
            f"draw(bernoulli(Fraction(1, 3))) if {self.condition()} else 2",
            repr(self.chance.choice(("a", (1, "b"), None, True))),
            f"({', '.join(f'{score} > 1' for score in scores)},)",
            f"draw(Distribution({{0: 1, 'a': 2 if {self.condition()} else 3}}))",
            f"draw(Distribution({{0: 1, 'a': 1 + abs({scores[0]})}}))",
            f"{scores[0]} + draw(laplace(1)) {self.chance.choice('<>')} {scores[-1]}",
            f"{scores[0]} + draw(discrete_laplace(1))",
            f"(2 * draw(laplace(1)) <= {scores[0]}, draw({self.chance.choice(NOISES)}) - {scores[0]} > {scores[-1]})",
            f"[(n > 1, n >= {scores[0]}) for n in [{scores[-1]} - draw({self.chance.choice(NOISES)})]][0]",
            f"'abcdefghijklmnop'[min(abs({scores[0]}), 12)]",
            *((f"{scores[0]}",) if self.chance.random() < 0.2 else ()),
        )  # fmt: skip
        return self.chance.choice(forms)

    def program(self) -> str:
        lines = ["def mechanism(draw, rows, *, epsilon):"]
        for name in ("m", "n")[: self.chance.randrange(3)]:
            lines.append(f"    {name} = {self.number()}")
            self.known.append(name)
        for _ in range(self.chance.randrange(3)):
            lines += [f"    if {self.condition()}:", f"        return {self.returned()}"]
        return "\n".join([*lines, f"    return {self.returned()}\n"])


NOISES: Final = ("laplace(1)", "discrete_laplace(Fraction(3, 2))", "exponential_noise(2)")
NAMES: Final[Mapping[str, Any]] = {
    "bernoulli": bernoulli,
    "exponential": exponential,
    "Distribution": Distribution,
    "laplace": laplace,
    "discrete_laplace": discrete_laplace,
    "exponential_noise": exponential_noise,
    "Fraction": Fraction,
}


def test_random_programs_have_the_laws_of_single_runs() -> None:
    chance, by_leaves, one_by_one, fewer, kinds = random.Random(57), 0, 0, 0, set()
    for i in range(300):
        make, rows = DOMAINS[i % len(DOMAINS)]
        domain, text = make(chance), Writer(chance, rows).program()
        try:
            mechanism, databases = made_of_text(text, NAMES), list(domain)
            result = found(mechanism, domain)
            if result is None:
                one_by_one += 1
                continue
            by_leaves += 1
            fewer += result.leaves * 2 < len(databases)
            kinds.add((type(result.laws).__name__, min(result.leaves, 5)))
            assert_as_single_runs(result.laws, mechanism, databases)
        except BaseException as error:
            error.add_note(text)
            raise
    assert (by_leaves, one_by_one, fewer) == (294, 6, 245)
    assert {kind for kind, _ in kinds} == {"ScoredDistributions", "SharedDistributions", "list"} and {5} < {
        leaves for _, leaves in kinds
    }


def kind_of(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    counts = {x: rows.count(x) for x in range(8)}
    return draw(exponential(counts, epsilon))


def test_the_example_of_the_readme_has_one_leaf_and_22_patterns() -> None:
    domain = Multisets(range(8), size=8)
    result = found(kind_of, domain)
    assert result is not None and result.leaves == 1 and len(result.laws) == 6435
    laws = as_distribution_array(result.laws)
    assert isinstance(laws, DistributionArray)
    assert len(np.unique(np.sort(laws.places, axis=1), axis=0)) == 22


# --- What is run on each database


@dataclass(frozen=True)
class Point:
    x: Any


class Own:
    """What equals every row."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


OTHERS: Final = """rows[0] if rows else 0
sorted(rows)[-1] if rows else 0
max(rows, default=0)
(rows.count(0), len(rows))
[rows.count(0)]
{"a": rows.count(0)}
Point(rows.count(0))
frozenset({rows.count(0) > 1, len(rows)})
draw(bernoulli(Fraction(1, 2 + rows.count(0))))
draw(exponential([rows.count(0) * rows.count(1), 1], epsilon))
draw(exponential([rows.count(0) * Fraction(1, 2), 1], epsilon))
draw(exponential([rows.count(0) // 2, 1], epsilon))
draw(exponential([rows.count(0), 2**70], epsilon))
draw(other, rows.count(0))
f"{rows.count(0)}"
f"{rows.count(0)}" == "4"
{0: "a", 1: "b"}.get(rows.count(0))
rows.count(rows.count(0)) > 0
rows.count(0) in rows
rows.count((rows.count(0), 1)) > 0
rows.count(Own()) > 1
rows.count([]) > 1
rows.count(0) * rows.count(1) > 2
rows.count(0) % 2 == 0
rows.count(0) > exp(1)
type(rows.count(0)) is int
isinstance(rows.count(0), int)
rows.count(0) is rows.count(1)"""


ALONE: Final = ("rows[0]", "sorted(", "max(", "Fraction(1, 2), 1]", "2**70", "draw(other", "Own()", " is rows.count(1)")
"""Parts of those that are run on each database; others are read of rows that are unknown numbers."""


@in_one("returned", OTHERS.split("\n"))
def test_what_reads_more_is_run_on_each_database_or_has_the_laws_of_single_runs(returned: str) -> None:
    mechanism = made_of_text(f"def mechanism(draw, rows, *, epsilon):\n    return {returned}\n", READ_BY_OTHERS)
    together = found(mechanism, Multisets(range(3), size=4))
    assert (together is None) == any(part in returned for part in ALONE)
    if together is not None:
        assert_as_single_runs(together.laws, mechanism, Multisets(range(3), size=4))


def other(draw: Draw, count: int) -> int:
    return count + 1


READ_BY_OTHERS: Final[Mapping[str, Any]] = {
    **NAMES, "Point": Point, "Own": Own, "other": other, "exp": exp,
}  # fmt: skip


def test_what_a_mechanism_catches_is_run_on_each_database() -> None:
    text = """def mechanism(draw, rows, *, epsilon):
    try:
        return int(rows.count(0)) == 4
    except Exception:
        return False
"""
    assert found(made_of_text(text, NAMES), Multisets(range(3), size=4)) is None


def order(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    counts = [rows.count(x) for x in range(6)]
    return tuple(sorted(range(6), key=lambda x: counts[x]))


def test_many_patterns_of_few_databases_each_are_run_on_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pattern, "_HELD", 8)
    assert found(order, Multisets(range(6), size=5)) is None


def noisy_max(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    best = max(range(3), key=lambda x: rows[x])
    return best if rows[best] - rows[0] + draw(laplace(1)) > 1 else None


def a_dist(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return choose_by_stability_journal(draw, rows, epsilon=epsilon, delta=Fraction(1, 1000))


@in_one("mechanism, leaves", [(noisy_max, 4), (a_dist, 6), (exponential_mechanism, 1)])
def test_vectors_of_numbers_are_run_by_pattern(mechanism: Any, leaves: int) -> None:
    domain: Any = ScoreSpace(range(-1, 5), solutions=3)
    result = found(mechanism, domain)
    assert result is not None and result.leaves == leaves
    assert_as_single_runs(result.laws, mechanism, domain)
    for domain in (
        *(ScoreSpace(range(least, least + 2), solutions=3) for least in (2**61, 2**70, -(2**63))),
        [(True, 1, 0), (0, 1, 1)],
        [(0, 1, 2), (0, 1)],
    ):
        assert found(mechanism, domain) is None


def test_numbers_of_more_than_64_bits_are_no_error_that_a_mechanism_could_catch() -> None:
    text = """def mechanism(draw, rows, *, epsilon):
    try:
        return rows[0] * 2**70 < 1
    except OverflowError:
        return "caught"
"""
    mechanism = made_of_text(text, NAMES)
    assert found(mechanism, [(0, 1), (0, 2)]) is None
    assert distribution(mechanism, (0, 1), epsilon=1).probability(True) == 1


def test_noise_of_scale_0_in_any_leaf_is_told() -> None:
    text = """def mechanism(draw, rows, *, epsilon):
    return draw(laplace(0 if rows[0] == 3 else 1)) > 0
"""
    verdict = check_privacy(made_of_text(text, NAMES), ScoreSpace(range(4), solutions=3), scores_linf, epsilon=1)
    assert "scale 0" in verdict.reason


def every_leaf_is_wrong(patch: pytest.MonkeyPatch, method: str) -> None:
    """Let databases stay in a leaf that answer otherwise, or have other chances."""
    if method == "codes_of":
        patch.setattr(by_pattern, method, lambda rows, _: np.zeros(len(rows), dtype=np.int64))
        return
    plain = getattr(by_pattern._Answers, method)

    def answered(self: Any, *question: Any) -> Any:
        before = self.databases
        answer = plain(self, *question)
        self.databases = before
        return answer

    patch.setattr(by_pattern._Answers, method, answered)


def letter(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    return "abcdefgh"[rows[0] + 1] if draw(laplace(1)) > 0 else "z"


@in_one("method, mechanism", [("holds", noisy_max), ("value", letter), ("codes_of", noisy_max)])
def test_a_leaf_with_other_answers_in_it_is_found(method: str, mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    every_leaf_is_wrong(monkeypatch, method)
    with pytest.raises(MechanismError, match="differs the second time"):
        check_privacy(mechanism, ScoreSpace(range(-1, 5), solutions=3), scores_linf, epsilon=1)


OPEN: Final = """draw(laplace(1)) > rows[0], draw(laplace(1)) > rows[1]
draw(laplace(1)) > rows[0], draw(laplace(2)) > rows[0]
draw(laplace(1)) > rows[0], 2 * draw(laplace(1)) > rows[0]
draw(discrete_laplace(1)) > rows[0], draw(discrete_laplace(1)) >= rows[0]"""
ASKED: Final = """[(n > 0, n > rows[0]) for n in [draw(laplace(1))]][0]
0 < draw(laplace(1)) + rows[0] < 2
[(n > 0, n) for n in [draw(laplace(1)) + rows[0]]][0]
[(n > 0, min(max(n, 0), 3)) for n in [draw(discrete_laplace(1)) + rows[0]]][0]
draw(discrete_laplace(1)) + rows[0] == rows[1]"""


@in_one("returned", [*OPEN.split("\n"), *ASKED.split("\n")])
def test_noise_of_which_more_is_asked_is_not_left_open(returned: str) -> None:
    mechanism = made_of_text(f"def mechanism(draw, rows, *, epsilon):\n    return {returned}\n", NAMES)
    result = found(mechanism, domain := ScoreSpace(range(3), solutions=2))
    assert result is not None and (result.leaves == 1) is (returned in OPEN)
    assert_as_single_runs(result.laws, mechanism, domain)


def test_a_chance_that_is_open_has_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "refused", None)
    monkeypatch.setattr(notes, "answers", SimpleNamespace(refuse=by_pattern._refuse))
    with pytest.raises(Undecided):
        sign((2 * coordinate(0) - 1) ** 2 - Fraction(1, 100))  # which is above 0 for all whole numbers


# --- Verdicts


def with_a_cut(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
    if rows.count(0) > 1 and 1 in rows:
        return "many"
    return draw(exponential([max(rows.count(x), 1) for x in range(3)], epsilon))


def times(rows: Any, x: int) -> Any:
    return 2 * rows.count(x) - len(rows)


@in_one(
    "mechanism, refuted, by_leaves",
    [
        (kind_of, False, True),
        (lambda draw, rows, *, epsilon: exponential({x: 2 * rows.count(x) for x in range(3)}, epsilon), True, True),
        (with_a_cut, True, True),
        (
            lambda draw, rows, *, epsilon: bernoulli(Fraction(1, 3)) if len(rows) > 2 else bernoulli(Fraction(1, 4)),
            False,
            True,
        ),
        (Selection(times, range(3)), True, True),
        (Selection(all_at_once(lambda rows: [rows.count(x) for x in range(3)]), range(3)), False, True),
        (Selection(times, range(3), max_of_laplaces), True, True),
    ],
)
def test_verdicts_and_counterexamples_are_those_of_single_runs(
    mechanism: Any, refuted: bool, by_leaves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for domain in (Multisets(range(3), size=4), Tuples(range(3), size=3)):
        assert (found(mechanism, domain) is not None) is by_leaves
        verdict = check_privacy(mechanism, domain, replace_one, epsilon=1)
        assert verdict.status is (Status.REFUTED if refuted else Status.PROVED)
        with monkeypatch.context() as patch:
            patch.setattr(by_pattern, "_MANY", 10**6)
            single = check_privacy(mechanism, domain, replace_one, epsilon=1)
        assert what_is_said(verdict) == what_is_said(single)


LARGEST: Final = (
    ("noisy.index(max(noisy))", 1),
    ("'abc'[max(range(len(scores)), key=noisy.__getitem__)]", 1),
    ("('best', sorted(range(len(scores)), key=lambda i: noisy[i])[0])", 1),
    ("None if noisy.index(max(noisy)) < 2 else 'last'", 1),
    ("(noisy.index(max(noisy)), scores[0] > 0)", 2),
    ("scores[noisy.index(max(noisy))]", None),
    ("(noisy.index(max(noisy)), noisy[0] > noisy[1])", 19),
)


@in_one("law", ("laplace(2)", "discrete_laplace(2)"))
def test_a_function_of_the_place_of_the_largest_is_found_in_one_run(law: str) -> None:
    """What is returned besides is asked for; the winner's own score is another number on each database."""
    domain = ScoreSpace(range(3), solutions=3)
    for outcome, leaves in LARGEST:
        lines = "def mechanism(draw, scores, *, epsilon):", f"noisy = [score + draw({law}) for score in scores]"
        mechanism = made_of_text("\n    ".join((*lines, f"return {outcome}\n")), NAMES)
        result = found(mechanism, domain)
        assert (result and result.leaves, outcome) == (leaves, outcome)
        for one, scores in zip(result.laws if result else (), domain, strict=result is not None):
            assert are_the_same(one, as_python_has_it(partial(mechanism, epsilon=1), scores)[1])


def test_equal_outcomes_of_several_places_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_of_two(draw: Draw, scores: tuple[int, ...], *, epsilon: Any) -> bool:
        noisy = [score + draw(laplace(2)) for score in scores]
        return noisy.index(max(noisy)) < 2

    result = found(one_of_two, ScoreSpace(range(3), solutions=3))
    assert result is not None
    for mistake in (None, lambda numbers: numbers[0]):
        if mistake is not None:  # it is seen, and the laws are found one by one
            monkeypatch.setattr(distribution_arrays, "total", mistake)
        laws = as_distribution_array(result.laws)
        assert isinstance(laws, DistributionArray) is (mistake is None)
        assert all(map(same_distribution, laws, result.laws))
