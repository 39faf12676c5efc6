"""The parts of which something is known: Theorem 11 of docs/theorems.md."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, Final

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.improper_points_learner import on_hashed_points
from dpverify.mechanisms.learners.label_private_learner import label_private_learner
from dpverify.mechanisms.learners.large_margin_learner import learn_by_large_margin
from dpverify.mechanisms.learners.multi_learners import on_column, on_points
from dpverify.mechanisms.learners.rectangles_learner import number_of_axes, on_axis
from dpverify.mechanisms.learners.threshold_search import one_of_thresholds
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.release.itemsets import frequent_itemset, itemset_levels
from dpverify.mechanisms.sanitizers.concepts import numbers_of_correct_labels
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
from dpverify.mechanisms.unknowns.parameters import open_unit, positive
from dpverify.mechanisms.unknowns.whole_numbers import WHOLE
from dpverify.reports.numbers import counted
from dpverify.verifiers.all_sizes.stable_histogram_theorem import NEEDED_OF_DELTA, stable_histogram_domain
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.composites.guarantees import tree_of
from dpverify.verifiers.composites.parts import (
    NUMBER,
    OUTCOME,
    HandedOn,
    KnownPart,
    PartRule,
    SealedDatabase,
    SealedScores,
)
from dpverify.verifiers.composites.paths import paths_met
from dpverify.verifiers.composites.qualities import known_growth, known_quality, refuse_no_bits, refuse_other_number
from dpverify.verifiers.composites.scores import SCORE_RULES
from dpverify.verifiers.composites.selections import (
    STABLE,
    growing_guarantee,
    large_margin_guarantee,
    selected_guarantee,
)
from dpverify.verifiers.pairs.neighbours import replace_one
from dpverify.verifiers.questions.question import PrivacyGuarantee, Question

_NOTHING: Final = PrivacyGuarantee(ZERO, ZERO)


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
        raise Undecided(not_known.NOT_ROWS, shown(size), "a number of rows", "give len(rows), or a number")
    guarantee = growing_guarantee(given, size, known.growth)
    name = f"{name_of(choosing_mechanism)} by {name_of(given['quality'])}, from {counted(size, 'row')} on"
    return KnownPart(name, guarantee, (*known.solutions, Bottom.BOTTOM), "Theorem 13")


def _on_quality(database: SealedDatabase, given: Mapping[str, Any]) -> HandedOn:
    """A mechanism of a quality of the points 0, 1, … that one row moves by at most 1."""
    quality = known_quality(given["quality"], database)
    if quality.two_best_alone or not isinstance(quality.solutions, range):
        raise Undecided(not_known.SENSITIVITY_UNKNOWN, f"{name_of(given['quality'])} is a utility of points 0, 1, …")
    return HandedOn(given["mechanism"], SealedScores(len(quality.solutions) - 1), given["parameters"])


def _noisy_number(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A number that one row moves by at most 1, with Laplace noise."""
    refuse_other_number(given["number"], database)
    noise = given["noise"]
    scale = noise.tail_scale
    if scale is None or not any(_is_that(noise, make(scale)) for make in (laplace, discrete_laplace)):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"a number with {type(noise).__name__} noise")
    guarantee = PrivacyGuarantee(1 / scale, ZERO)
    name = f"{name_of(given['number'])} with {type(noise).__name__} noise"
    return KnownPart(name, guarantee, (NUMBER,), "Theorem 4")


def _is_that(noise: Any, known: NoiseLaw) -> bool:
    """True where it is this noise: another class may say that it equals it."""
    return type(noise) is type(known) and noise == known


def _number_of_rows(_: SealedDatabase, __: Mapping[str, Any]) -> KnownPart:
    """It is the same of neighbours."""
    return KnownPart(name_of(number_of_rows), _NOTHING, (NUMBER,), "neighbours have one size")


def _number_of_axes(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """It is that of all vectors of the universe, which are of one length."""
    axes = number_of_axes(None, database.universe, **given)
    return KnownPart(name_of(number_of_axes), _NOTHING, (axes,), "all rows have as many")


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
    guarantee = PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)
    return KnownPart(name_of(generic_learner), guarantee, tuple(dict.fromkeys(hypotheses)), "Theorem 1")


def _large_margin_learner(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A concept by how many examples it labels as they are labelled."""
    concepts = given["concepts"]
    numbers_of_correct_labels(concepts, database.universe)  # refuses rows that are no examples
    guarantee = large_margin_guarantee({**given, **given["given"]})
    return KnownPart(name_of(learn_by_large_margin), guarantee, tuple(dict.fromkeys(concepts)), "Theorem 14")


def _frequent_itemset(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """An itemset by how many baskets hold it."""
    r, items = given["r"], given["items"]
    itemset_levels(database.universe, r=r, items=items, longest=given["longest"])  # refuses rows that are no baskets
    if comb(items, r) > MOST_LISTED:
        raise Undecided(not_known.TOO_MANY_CHOICES, f"lists {comb(items, r):,} itemsets, more than {MOST_LISTED:,}")
    guarantee = large_margin_guarantee({**given, **given["given"]})
    return KnownPart(name_of(frequent_itemset), guarantee, tuple(combinations(range(items), r)), "Theorem 14")


MOST_LISTED: Final = 20_000


def _one_of_thresholds(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A threshold by how many examples it labels as they are labelled."""
    law = one_of_thresholds(None, database.universe, **given)  # type: ignore[arg-type]  # it draws nothing
    guarantee = PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)
    return KnownPart(name_of(one_of_thresholds), guarantee, tuple(law.probabilities), "Theorem 1")


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
    guarantee = PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)
    return KnownPart(name_of(label_private_learner), guarantee, tuple(dict.fromkeys(hypotheses)), "Theorem 1")


def _small_database(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A small database, whose quality is minus the largest difference of counts, of which each moves by 1 at most."""
    law = small_database(None, database.universe, **given)  # refuses rows that are not of the universe
    for concept in given["concepts"]:
        refuse_no_bits(map(concept, given["universe"]))
    guarantee = PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)
    return KnownPart(name_of(small_database), guarantee, tuple(law.probabilities), "Theorem 1")


def _first_far_off(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A sparse vector of counts, of which each is off by 1 more or less, at most."""
    refuse_rows_outside(database.universe, given["universe"])
    for concept in given["concepts"]:
        refuse_no_bits(map(concept, database.universe))
    if given["noise"] not in (laplace, discrete_laplace):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(first_far_off)} with {name_of(given['noise'])}")
    guarantee = PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)
    positions = tuple(range(len(given["concepts"]) + 1))
    return KnownPart(name_of(first_far_off), guarantee, positions, "Theorem 11 (g)")


def _stable_histogram(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """Noisy shares of some points that occur, each of which may be any number."""
    epsilon, delta = positive(given["epsilon"], "epsilon"), open_unit(given["delta"], "delta")
    points = sorted(database.universe)
    needed = next((part for noise, part in NEEDED_OF_DELTA if given["noise"] is noise), None)
    claim = PrivacyGuarantee(epsilon, delta if needed is None else delta * needed)
    question = Question(stable_histogram, Histograms(points), replace_one, claim, given, Limits())
    if needed is None or (len(points) > 1 and stable_histogram_domain(question, Histograms(points)) is None):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(stable_histogram)} with this noise")
    outcomes = [
        tuple((x, NUMBER) for x in chosen) for size in range(len(points) + 1) for chosen in combinations(points, size)
    ]
    return KnownPart(name_of(stable_histogram), claim, outcomes, "Theorem 10")


def _in_parts(database: SealedDatabase, given: Mapping[str, Any]) -> KnownPart:
    """A sanitizer of each `size` rows, one after another: one row is in one part, and the others have the same laws."""
    size = given["size"]
    if type(size) not in WHOLE or size < 1:
        raise Undecided(not_known.NOT_ROWS, shown(size), "a number of rows", "give len(rows), or a number")
    of_part = replace(database, least=size)
    tree = tree_of(
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
