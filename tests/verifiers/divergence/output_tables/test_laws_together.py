"""Laws of declared selections, found by pattern as arrays, against those that are enumerated one by one.

The qualities, rules and domains at the top, and the law taken one by one, are what most tests here compare with.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import (
    Draw,
    InputError,
    Limits,
    MechanismError,
    discrete_laplace,
    distribution,
    exp,
    log,
    run,
    symbolic,
)
from dpverify.mechanisms.counting import all_at_once, of_counts
from dpverify.mechanisms.counting.qualities import Counts
from dpverify.mechanisms.functions.mechanism import exact_parameters, name_of
from dpverify.mechanisms.outputs.noisiest import Noisiest
from dpverify.mechanisms.selection import Selection, exponential_mechanism, max_of_laplaces
from dpverify.reports.record import Status
from dpverify.verifiers import (
    Histograms,
    LabelledSamples,
    Multisets,
    ScoreSpace,
    Tuples,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.divergence.output_tables import by_pattern
from dpverify.verifiers.divergence.output_tables.distribution_arrays import as_distribution_array
from dpverify.verifiers.divergence.output_tables.distribution_table import (
    DistributionArray,
    DistributionTable,
    codes_of,
)
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment, prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import never_repeated
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.verdicts.compared_distributions import tabulated
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict
from dpverify.verifiers.verdicts.witness import Witness

pytestmark = pytest.mark.usefixtures("decided_here")


@pytest.fixture(autouse=True)
def _of_few_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pattern, "_MANY", 1)


def count(rows: tuple[int, ...], x: int) -> int:
    return rows.count(x)


def squared_distance(rows: tuple[int, ...], x: int) -> int:
    """Of sensitivity 4 on rows from 0 to 2, and with more patterns of differences than counts have."""
    return -sum((row - x) ** 2 for row in rows)


def first_row(rows: tuple[int, ...], x: int) -> int:
    return 2 * (rows[:1] == (x,))


def votes(counts: Counts, x: Any) -> Any:
    return counts[x]


def distance_from_median(counts: Counts, x: int) -> Any:
    """With a pattern of differences for each database, nearly."""
    below: Any = sum(counts[row] for row in range(x))
    return -abs(below - sum(counts[row] for row in range(x + 1, 4)))


RULES: Final[tuple[tuple[Any, Mapping[str, Any]], ...]] = (
    (exponential_mechanism, {}),
    (exponential_mechanism, {"sensitivity": Fraction(3, 2)}),
    (max_of_laplaces, {}),
    (max_of_laplaces, {"noise": discrete_laplace}),
)
EPSILONS: Final = (1, Fraction(2, 3), log(4), symbolic)

DOMAINS: Final[tuple[tuple[Any, Any], ...]] = (
    (Multisets(range(3), sizes=range(4)), Selection(count, range(3))),
    (Multisets(range(3), size=3), Selection(squared_distance, (2, 0, 1))),
    (Tuples("ab", sizes=range(4)), Selection(count, "ba")),
    (Tuples(range(2), sizes=range(3)), Selection(first_row, range(2))),
    ([(0, 0, 1), (5, 5, 5), (1, 7)], Selection(count, (5, 1, 7, 9))),
    (Multisets(range(3), sizes=range(4)), Selection(of_counts(votes), range(3))),
    (Multisets(range(4), size=3), Selection(of_counts(distance_from_median), (3, 0, 1))),
    (Tuples("ab", sizes=range(4)), Selection(of_counts(votes), "ba")),
    (LabelledSamples(range(2), size=2), Selection(of_counts(votes), [(x, y) for x in range(2) for y in range(2)])),
    ([(0, 0, 1), (5, 5, 5), (1, 7)], Selection(of_counts(lambda counts, x: 3 if x == 9 else counts[x]), (5, 1, 7, 9))),
    (Tuples("ab", sizes=range(3)), Selection(all_at_once(lambda rows: [rows.count(x) for x in "ba"]), "ba")),
    (ScoreSpace(range(3), solutions=3), None),
    (ScoreSpace(range(-2, 2), solutions=2), None),
)


def drawn_one_by_one(selection: Selection) -> Callable[..., Any]:
    """The same as a function of which nothing is known."""

    def undeclared(draw: Draw, database: Any, **parameters: Any) -> Any:
        return selection(draw, database, **parameters)

    undeclared.__signature__ = selection.__signature__  # type: ignore[attr-defined]  # which inspect looks for
    undeclared.__qualname__ = name_of(selection)
    return undeclared


def case(mechanism: Any, domain: Any, parameters: Mapping[str, Any], epsilon: Any) -> Experiment:
    given = exact_parameters({"epsilon": epsilon, **parameters})
    return prepared_in_full(Question(mechanism, domain, lambda _: list(domain), None, given, Limits()), never_repeated)


def together(found: Experiment) -> Sequence[AnyDistribution]:
    """The laws as they are compared."""
    return as_distribution_array(tabulated(found).tabulation.laws)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("place", range(len(RULES)))
def test_every_law_on_every_small_domain_is_the_one_that_is_enumerated(place: int, epsilon: Any) -> None:
    """The very same numbers, and the same table of them: columns, numbers and laws in one order."""
    rule, parameters = RULES[place]
    for domain, scored in DOMAINS:
        mechanism = rule if scored is None else Selection(scored.quality, scored.solutions, rule)
        asked = case(mechanism, domain, parameters, epsilon)
        found = together(asked)
        one_by_one = [distribution(mechanism, db, epsilon=epsilon, **parameters) for db in asked.databases]
        for mine, other in zip(found, one_by_one, strict=True):
            assert mine.probabilities.keys() == other.probabilities.keys()
            assert all(mine.probabilities[outcome] is p for outcome, p in other.probabilities.items())
        assert_same_tables(DistributionTable(found), DistributionTable(one_by_one))


def assert_same_tables(mine: DistributionTable, other: DistributionTable) -> None:
    assert list(mine.outcomes) == list(other.outcomes)
    assert len(mine.numbers) == len(other.numbers)
    assert all(p is q for p, q in zip(mine.numbers, other.numbers, strict=True))
    assert mine.law_of.tolist() == other.law_of.tolist()
    assert list(mine.rows) == list(other.rows)
    everything, others = mine.everything, other.everything
    assert everything is not None
    assert others is not None
    assert everything.tolist() == others.tolist()
    assert [dense_row(row, len(other.outcomes)) for row in other.rows] == others.tolist()
    last_first = mine.law_of[::-1]
    assert mine.dense(last_first).tolist() == other.dense(last_first).tolist()


def dense_row(row: tuple[tuple[int, int], ...], width: int) -> list[int]:
    found = dict(row)
    return [found.get(column, 0) for column in range(width)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("epsilon", [1, Fraction(1, 3), "log(2)"], ids=str)
@pytest.mark.parametrize("rule", [exponential_mechanism, max_of_laplaces])
@pytest.mark.parametrize("recheck", [True, False])
def test_a_verdict_is_the_same_word_for_word(rule: Any, epsilon: Any, recheck: bool) -> None:
    claimed = log(2) if epsilon == "log(2)" else epsilon
    for quality, domain in (
        (count, Multisets(range(3), size=4)),
        (squared_distance, Tuples(range(3), size=2)),
        (of_counts(votes), Multisets(range(3), size=4)),
        (of_counts(distance_from_median), Multisets(range(3), size=3)),
    ):
        declared = Selection(quality, range(3), rule)
        found = check_privacy(declared, domain, replace_one, epsilon=claimed, recheck=recheck)
        other = check_privacy(drawn_one_by_one(declared), domain, replace_one, epsilon=claimed, recheck=recheck)
        assert what_is_said(found) == what_is_said(other)


def what_is_said(verdict: Verdict) -> tuple[Verdict, Witness | None]:
    """A verdict that decides, without what it was found from, what it is about, and which orders of rows were run."""
    assert verdict.status in (Status.PROVED, Status.REFUTED)
    scope = "; ".join(each for each in verdict.scope.split("; ") if "order of" not in each and "no order" not in each)
    verdict = replace(verdict, question=None, scope=scope, basis=replace(verdict.basis, laws=None, experiment=None))
    if isinstance(verdict, Refuted):
        shown = replace(verdict, witness=replace(verdict.witness, reproduce=None))
        worst = None if verdict.worst is None else replace(verdict.worst, reproduce=None)
        return shown, worst
    return verdict, None


def test_a_score_space_is_decided_as_by_a_function_of_which_nothing_is_known() -> None:
    def hidden(draw: Draw, scores: tuple[int, ...], *, epsilon: Any) -> Any:
        return exponential_mechanism(draw, scores, epsilon=epsilon)

    domain = ScoreSpace(range(4), solutions=3)
    for epsilon in (1, Fraction(1, 2)):
        found = check_privacy(exponential_mechanism, domain, scores_linf, epsilon=epsilon)
        other = check_privacy(hidden, domain, scores_linf, epsilon=epsilon)
        assert what_is_said(found) == what_is_said(other)


def test_every_epsilon_is_decided_as_by_a_function_of_which_nothing_is_known() -> None:
    declared = Selection(count, range(3))
    domain = Multisets(range(3), size=3)
    found = check_privacy(declared, domain, replace_one, epsilon=symbolic)
    other = check_privacy(drawn_one_by_one(declared), domain, replace_one, epsilon=symbolic)
    assert what_is_said(found) == what_is_said(other)


def test_the_order_of_rows_matters_or_not() -> None:
    declared = Selection(first_row, range(3))
    messages = []
    for mechanism in (declared, drawn_one_by_one(declared)):
        with pytest.raises(MechanismError) as refused:
            check_privacy(mechanism, Multisets(range(3), size=3), replace_one, epsilon=1)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert "first_row depends on the order of the rows" in messages[0]


def test_chance_in_a_quality_function_is_refused() -> None:
    calls = [0]

    def chosen(rows: tuple[int, ...], x: int) -> int:
        calls[0] += 1
        return rows.count(x) + (calls[0] == 7 and random.randrange(2))

    with pytest.raises(InputError, match="chance"):
        check_privacy(Selection(chosen, range(2)), Multisets(range(2), size=3), replace_one, epsilon=1)


@pytest.mark.parametrize("rule", [exponential_mechanism, max_of_laplaces])
def test_a_share_of_the_noise_is_that_of_laws_one_by_one(rule: Any) -> None:
    asked = case(Selection(count, range(3), rule), Multisets(range(3), size=3), {}, 1)
    for share in (Fraction(0), Fraction(1, 2)):
        scaled = replace(asked, share=share)
        found, enumeration = together(scaled), scaled.enumeration()
        for mine, database in zip(found, asked.databases, strict=True):
            assert mine == enumeration.law(asked.question.mechanism, (database,), asked.question.arguments)


@pytest.mark.usefixtures("nothing_is_watched")
def test_what_a_quality_function_keeps_is_found_by_the_repetition() -> None:
    seen: set[Any] = set()

    def newer(rows: tuple[int, ...], x: int) -> int:
        if (rows, x) in seen:
            return rows.count(x)
        seen.add((rows, x))
        return rows.count(x) + len(seen) % 2

    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(Selection(newer, range(3)), Tuples(range(3), size=2), replace_one, epsilon=1)


def test_an_error_of_a_quality_function_is_told_as_one_of_a_mechanism() -> None:
    def fails(rows: tuple[int, ...], x: int) -> int:
        if rows == (0, 1):
            raise ValueError("no score")
        return rows.count(x)

    messages = []
    for mechanism in (Selection(fails, range(2)), drawn_one_by_one(Selection(fails, range(2)))):
        with pytest.raises(MechanismError) as refused:
            check_privacy(mechanism, Multisets(range(2), size=2), replace_one, epsilon=1)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert "no score" in messages[0]


@pytest.mark.parametrize(
    "of",
    [
        lambda count, x: Fraction(count, 2),
        lambda count, x: count * log(2),
        lambda count, x: count + 2**70,
        lambda count, x: count + 2**61,
        lambda count, x: count if x else Fraction(count),
    ],
)
def test_scores_that_are_no_plain_whole_numbers_are_taken_one_by_one(of: Any) -> None:

    declared = Selection(lambda rows, x: of(rows.count(x), x), range(2))
    domain = Multisets(range(2), size=2)
    found = check_privacy(declared, domain, replace_one, epsilon=1)
    assert what_is_said(found) == what_is_said(
        check_privacy(drawn_one_by_one(declared), domain, replace_one, epsilon=1)
    )


def test_counts_of_multisets_of_every_size_are_decided() -> None:
    for quality, of_rows in ((votes, count), (lambda counts, x: 2 * counts[x], lambda rows, x: 2 * rows.count(x))):
        found, other = (
            check_privacy(Selection(each, range(3)), Histograms(range(3)), epsilon=1)
            for each in (of_counts(quality), of_rows)
        )
        assert found.status is other.status
        assert found.status in (Status.PROVED, Status.REFUTED)
        # the numbers in their code differ, and so does what they are tried on
        assert found.scope.partition("; tried on ")[0] == other.scope.partition("; tried on ")[0]


def test_a_truth_value_is_refused_as_a_quality() -> None:
    declared = Selection(lambda rows, x: bool(rows.count(x)), range(2))
    with pytest.raises(InputError, match="quality"):
        check_privacy(declared, Multisets(range(2), size=2), replace_one, epsilon=1)


def test_a_rule_that_is_not_what_it_is_taken_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discrete noise breaks ties by place, so its law does not move along with scores: choices are compared."""
    monkeypatch.setattr(Noisiest, "in_any_order", True)
    declared, domain = Selection(count, range(2), max_of_laplaces), Multisets(range(2), size=3)
    asked = case(declared, domain, {"noise": discrete_laplace}, 1)
    for mine, database in zip(together(asked), asked.databases, strict=True):
        assert mine == distribution(declared, database, epsilon=1, noise=discrete_laplace)


def test_a_selection_runs_and_is_drawn_from() -> None:
    declared = Selection(count, ("a", "b"))

    def twice(draw: Draw, rows: tuple[str, ...], *, epsilon: Any) -> tuple[Any, Any]:
        return draw(declared, rows, epsilon=epsilon), draw(declared, rows, epsilon=epsilon)

    one = distribution(declared, ("a", "a", "b"), epsilon=2)
    both = distribution(twice, ("a", "a", "b"), epsilon=2)
    assert one.probability("a") == exp(1) / (1 + exp(1))
    assert both.probability(("a", "b")) == one.probability("a") * one.probability("b")
    assert {run(declared, ("a", "a", "b"), seed=seed, epsilon=2) for seed in range(40)} == {"a", "b"}


@in_one(
    "arguments, told",
    [
        ((count, ()), "solutions is empty"),
        ((count, (1, True)), "twice"),
        ((count, 3), "no iterable"),
        ((count, ([],)), "cannot be hashed"),
        ((3, (1, 2)), "quality=3 is not a function"),
        ((count, (1, 2), "exponential"), "rule='exponential' is not a function"),
    ],
)
def test_a_bad_selection_is_refused(arguments: tuple[Any, ...], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Selection(*arguments)


@pytest.mark.parametrize("base", [2, 8, 2**20, 2**31, 2**61])
def test_rows_have_one_code_each_however_many_columns_there_are(base: int) -> None:
    """Also where the digits of a row in the base are more than 64 bits."""
    chosen = random.Random(1)
    distinct = {tuple(chosen.choice((0, 1, base - 1)) for _ in range(9)) for _ in range(300)}
    rows = np.array([*distinct, *distinct], dtype=np.int64)
    codes = codes_of(rows, base)
    assert codes[: len(distinct)].tolist() == codes[len(distinct) :].tolist()
    assert len(set(codes.tolist())) == len(distinct)


def test_no_laws_are_an_array_too() -> None:
    assert list(DistributionArray(("a",), [], np.zeros((0, 1), dtype=np.int64))) == []
