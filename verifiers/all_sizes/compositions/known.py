"""The sub-mechanisms of which something is known, and what they release: Theorem 11 of docs/theorems.md."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.improper_points_learner import on_hashed_points
from dpverify.mechanisms.learners.label_private_learner import label_private_learner
from dpverify.mechanisms.learners.large_margin_learner import learn_by_large_margin
from dpverify.mechanisms.learners.multi_learners import on_column, on_points
from dpverify.mechanisms.learners.rectangles_learner import number_of_axes, on_axis
from dpverify.mechanisms.learners.threshold_search import one_of_thresholds
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.integers.whole_numbers import WHOLE
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.release.itemsets import frequent_itemset, itemset_levels
from dpverify.mechanisms.sanitizers.concepts import checked_points, numbers_of_correct_labels
from dpverify.mechanisms.sanitizers.label_sanitizer import on_label, rows_with_label
from dpverify.mechanisms.sanitizers.multiplicative_weights import first_far_off
from dpverify.mechanisms.sanitizers.small_databases import refuse_rows_outside, sanitize_in_parts, small_database
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.mechanisms.sanitizers.two_parts import on_left_points, on_right_points
from dpverify.mechanisms.selection.choosing import choosing_mechanism
from dpverify.mechanisms.selection.of_rows import (
    noisy_number,
    number_of_rows,
    on_each_row,
    on_quality,
    on_some_rows,
    select_by_growth,
    select_by_quality,
)
from dpverify.mechanisms.selection.stability import Bottom
from dpverify.reports.numbers import counted
from dpverify.verifiers.all_sizes.compositions.guarantees import guarantee_tree
from dpverify.verifiers.all_sizes.compositions.parts import (
    NUMBER,
    OUTCOME,
    HandedOn,
    KnownPart,
    PartRule,
    SealedDatabase,
    SealedScores,
)
from dpverify.verifiers.all_sizes.compositions.paths import paths_met
from dpverify.verifiers.all_sizes.compositions.qualities import (
    known_growth,
    known_quality,
    refuse_no_bits,
    refuse_other_number,
)
from dpverify.verifiers.all_sizes.compositions.scores import SCORE_RULES
from dpverify.verifiers.all_sizes.compositions.selections import STABLE, selected_guarantee
from dpverify.verifiers.all_sizes.known_guarantees import GROWTH, RELABELLED, SUBSTITUTED, known_bound
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee


def known_part(
    mechanism: Mechanism, given: Mapping[str, Any], outcomes: Sequence[Any], scope: str = SUBSTITUTED, name: str = ""
) -> KnownPart:
    """A function of `known_guarantees.py` as a part. Raises `Undecided` where nothing is known, and as it does."""
    guarantee, theorem = known_bound(mechanism, given, scope)
    return KnownPart(name or name_of(mechanism), guarantee, outcomes, theorem)


def _selected(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A solution by a quality that one row moves by at most 1, by a selection that is private of such."""
    quality = known_quality(given["quality"], database)
    selection = given["selection"]
    if quality.two_best_alone and selection not in STABLE:
        raise Undecided(
            not_known.PRIVACY_UNKNOWN,
            f"{name_of(selection)} with {name_of(given['quality'])}, which lists the two best candidates for an A_dist",
        )
    guarantee, others, theorem = selected_guarantee(selection, given["parameters"], is_whole=quality.is_whole)
    return KnownPart(
        f"{name_of(selection)} by {name_of(given['quality'])}", guarantee, (*quality.solutions, *others), theorem
    )


def _selected_by_growth(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A solution by the choosing mechanism, and a quality to which each row adds 1 for few solutions."""
    known = known_growth(given["quality"], database)
    size = database.least if given["size"] is None else given["size"]
    if type(size) not in WHOLE or size < 1:
        raise Undecided(not_known.NOT_ROWS, shown(size), "a number of rows", "write size=1, or more")
    name = f"{name_of(choosing_mechanism)} by {name_of(given['quality'])}, from {counted(size, 'row')} on"
    of_growth = {**given, "rows": size, "growth": known.growth}
    return known_part(choosing_mechanism, of_growth, (*known.solutions, Bottom.BOTTOM), GROWTH, name)


def _on_quality(database: SealedDatabase, given: Mapping[str, Any]) -> HandedOn:
    """A mechanism of a quality of the points 0, 1, … that one row moves by at most 1."""
    quality = known_quality(given["quality"], database)
    if quality.two_best_alone or not isinstance(quality.solutions, range):
        raise Undecided(not_known.SENSITIVITY_UNKNOWN, f"{name_of(given['quality'])} is a utility of points 0, 1, …")
    return HandedOn(given["mechanism"], SealedScores(len(quality.solutions) - 1), given["parameters"])


def _noisy_number(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A number that one row moves by at most 1, with Laplace noise."""
    refuse_other_number(given["number"], database)
    name = f"{name_of(given['number'])} with {type(given['noise']).__name__} noise"
    return known_part(noisy_number, given, (NUMBER,), name=name)


def _number_of_rows(_: SealedDatabase, __: Mapping[str, Any]) -> KnownPart:
    """It is the same of neighbours."""
    return known_part(number_of_rows, {}, (NUMBER,))


def _number_of_axes(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """It is that of all vectors of the universe, which are of one length."""
    return known_part(number_of_axes, given, (number_of_axes(None, database.universe, **given),))


def _row_by_row(part: Mechanism) -> PartRule:
    """The rule of a part that puts something in the place of each row, and hands these on.

    What that is, and what they are handed to, is seen of the universe as rows.
    """

    def rule(database: SealedDatabase, given: Mapping[str, Any]) -> HandedOn:
        handed: list[HandedOn] = []

        def draw(mechanism: Mechanism, rows: tuple[Any, ...], **parameters: Any) -> None:
            assert len(rows) == len(database.universe), "each row is mapped"
            keeps_points = database.labels_alone and rows == database.universe
            mapped = replace(database, universe=tuple(dict.fromkeys(rows)), labels_alone=keeps_points)
            handed.append(HandedOn(mechanism, mapped, parameters))

        further = given.get("parameters", {})
        part(draw, database.universe, **{name: given[name] for name in given if name != "parameters"}, **further)
        (found,) = handed
        return found

    return rule


def _on_label(database: SealedDatabase, given: Mapping[str, Any]) -> HandedOn:
    """So many points of a label: neighbours differ in one, as what is cut off or filled up makes up for a row."""
    universe = tuple(dict.fromkeys((*(x for x, _ in database.universe), given["filler"])))
    rows_with_label(database.universe, label=given["label"])
    if type(given["size"]) not in WHOLE or given["size"] < 1:
        raise Undecided(not_known.NOT_ROWS, shown(given["size"]), "a number of rows", "give len(rows), or a number")
    points = SealedDatabase(universe, given["size"], in_any_order=True)
    return HandedOn(given["mechanism"], points, given["parameters"])


def _generic(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A hypothesis by how many examples it labels as they are labelled."""
    hypotheses = given["hypotheses"]
    numbers_of_correct_labels(hypotheses, database.universe)  # refuses rows that are no examples
    return known_part(generic_learner, given, tuple(dict.fromkeys(hypotheses)))


def _large_margin_learner(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A concept by how many examples it labels as they are labelled."""
    concepts = given["concepts"]
    numbers_of_correct_labels(concepts, database.universe)  # refuses rows that are no examples
    return known_part(learn_by_large_margin, {**given, **given["given"]}, tuple(dict.fromkeys(concepts)))


def _frequent_itemset(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """An itemset by how many baskets hold it."""
    r, items = given["r"], given["items"]
    itemset_levels(database.universe, r=r, items=items, longest=given["longest"])  # refuses rows that are no baskets
    if comb(items, r) > MOST_LISTED:
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            f"{comb(items, r):,} itemsets are more than the {MOST_LISTED:,} outcomes that are listed",
            "use fewer items, or smaller itemsets",
        )
    return known_part(frequent_itemset, {**given, **given["given"]}, tuple(combinations(range(items), r)))


MOST_LISTED: Final = 20_000


def _one_of_thresholds(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A threshold by how many examples it labels as they are labelled."""
    law = one_of_thresholds(None, database.universe, **given)  # type: ignore[arg-type]  # it draws nothing
    return known_part(one_of_thresholds, given, tuple(law.probabilities))


def _label_private(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A hypothesis by the labels of all rows but the first, of which the points alone matter, and are the same."""
    if not database.labels_alone:
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            f"{name_of(label_private_learner)} is private of labels alone",
            "claim it with change_one_label",
        )
    if database.least < given["split"]:
        raise Undecided(
            not_known.CLAIM_DIFFERENTLY,
            f"databases of {database.least} rows have no first {given['split']}",
            f"take sizes=OrMore({given['split']})",
        )
    hypotheses = tuple(given["concepts"])
    numbers_of_correct_labels(hypotheses, database.universe)  # refuses rows that are no examples
    return known_part(label_private_learner, given, tuple(dict.fromkeys(hypotheses)), RELABELLED)


def _small_database(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A small database, whose quality is minus the largest difference of counts, of which each moves by 1 at most."""
    law = small_database(None, database.universe, **given)  # refuses rows that are not of the universe
    for concept in given["concepts"]:  # a row may equal one of the universe, and be of another type
        refuse_no_bits(map(concept, (*given["universe"], *database.universe)))
    return known_part(small_database, given, tuple(law.probabilities))


def _first_far_off(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A sparse vector of counts, of which each is off by 1 more or less, at most."""
    refuse_rows_outside(database.universe, given["universe"])
    for concept in given["concepts"]:
        refuse_no_bits(map(concept, database.universe))
    return known_part(first_far_off, given, tuple(range(len(given["concepts"]) + 1)))


def _stable_histogram(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """Noisy shares of some points that occur, each of which may be any number."""
    points = sorted(database.universe)
    if len(points) > 1:
        if not all(isinstance(x, int) for x in points):
            raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(stable_histogram)} of rows that are no points")
        checked_points(points, given["d"])
    outcomes = [
        tuple((x, NUMBER) for x in chosen) for size in range(len(points) + 1) for chosen in combinations(points, size)
    ]
    return known_part(stable_histogram, given, outcomes)


def _in_parts(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A sanitizer of each `size` rows, one after another: one row is in one part, and the others have the same laws."""
    size = given["size"]
    if type(size) not in WHOLE or size < 1:
        raise Undecided(not_known.NOT_ROWS, shown(size), "a number of rows", "give len(rows), or a number")
    of_part = replace(database, least=size)
    tree = guarantee_tree(
        [part.guarantee for part in path.parts] for path in paths_met(given["sanitizer"], of_part, {}, known_rule)
    )
    guarantee = PrivacyGuarantee(tree.most_epsilon, tree.most_leaked)
    name = f"{name_of(sanitize_in_parts)}, by {name_of(given['sanitizer'])}"
    return KnownPart(name, guarantee, (OUTCOME,), "Theorem 11 (i)")


ROW_RULES: Final[Mapping[Mechanism, PartRule]] = {
    select_by_quality: _selected,
    select_by_growth: _selected_by_growth,
    number_of_rows: _number_of_rows,
    number_of_axes: _number_of_axes,
    noisy_number: _noisy_number,
    on_quality: _on_quality,
    on_each_row: _row_by_row(on_each_row),
    on_some_rows: _row_by_row(on_some_rows),
    on_label: _on_label,
    on_axis: _row_by_row(on_axis),
    on_column: _row_by_row(on_column),
    on_points: _row_by_row(on_points),
    on_left_points: _row_by_row(on_left_points),
    on_right_points: _row_by_row(on_right_points),
    on_hashed_points: _row_by_row(on_hashed_points),
    generic_learner: _generic,
    learn_by_large_margin: _large_margin_learner,
    frequent_itemset: _frequent_itemset,
    label_private_learner: _label_private,
    one_of_thresholds: _one_of_thresholds,
    small_database: _small_database,
    sanitize_in_parts: _in_parts,
    first_far_off: _first_far_off,
    stable_histogram: _stable_histogram,
}


def known_rule(mechanism: Mechanism) -> PartRule | None:
    """The rule of a mechanism that is known as a part; None for others."""
    if not inspect.isfunction(mechanism):
        return None
    of_rows, of_scores = ROW_RULES.get(mechanism), SCORE_RULES.get(mechanism)
    if of_rows is None and of_scores is None:
        return None

    def rule(database: SealedDatabase | SealedScores, given: Mapping[str, Any]) -> KnownPart | HandedOn:
        known = of_rows if isinstance(database, SealedDatabase) else of_scores
        if known is None:
            raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(mechanism)} on {type(database).__name__}")
        return known(database, given)

    return rule
