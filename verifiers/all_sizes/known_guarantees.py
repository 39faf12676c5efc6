"""Guarantees of mechanisms of this library, each by a theorem of docs/theorems.md, which shows this table.

A row speaks of one function: of a mechanism that is that very function, with the code, the defaults and the globals
that it names as they were when this module was loaded. It says nothing of a wrapper of it, a `partial`, a subclass, or
of a copy of its attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.learners.generic_learner import generic_learner
from dpverify.mechanisms.learners.label_private_learner import label_private_learner
from dpverify.mechanisms.learners.large_margin_learner import learn_by_large_margin
from dpverify.mechanisms.learners.rectangles_learner import number_of_axes
from dpverify.mechanisms.learners.threshold_search import one_of_thresholds
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.geometric import geometric
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.errors import Undecided, not_known
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, share
from dpverify.mechanisms.recursion.quasi_concave import last_point, one_of_points
from dpverify.mechanisms.release.itemsets import frequent_itemset
from dpverify.mechanisms.sanitizers.multiplicative_weights import first_far_off
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.mechanisms.selection.choosing import choosing_mechanism, choosing_with_enough_rows
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism, rate_of
from dpverify.mechanisms.selection.laplace_mechanism import (
    clamped_laplace_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
)
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces, max_of_laplaces_drawn
from dpverify.mechanisms.selection.of_rows import noisy_number, number_of_rows
from dpverify.mechanisms.selection.stability import (
    choose_by_stability,
    choose_by_stability_discrete,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    choose_by_stability_with,
)
from dpverify.verifiers.all_sizes import (
    additive_theorem,
    every_delta_theorem,
    exponential_theorem,
    large_margin_theorem,
    noisy_max_theorem,
    stability_theorem,
)
from dpverify.verifiers.all_sizes.claimed_shares import EveryDelta, claimed_shares
from dpverify.verifiers.all_sizes.every_delta_theorem import with_noise
from dpverify.verifiers.all_sizes.growth_theorem import NEEDED_WITH_ENOUGH_ROWS, Chooses, needed_with_enough_rows
from dpverify.verifiers.all_sizes.regions.domains import Endless, Scores
from dpverify.verifiers.all_sizes.regions.question import OfScores, Pair
from dpverify.verifiers.all_sizes.stable_histogram_theorem import NEEDED_OF_DELTA, needed_by_histogram
from dpverify.verifiers.divergence.every_epsilon.epsilon_delta_sets import StableChoices
from dpverify.verifiers.problems.neighbours.neighbours import scores_linf
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.problems.questions.score_domains import OrMore

GivenArguments: TypeAlias = Mapping[str, Any]
"""The arguments of a mechanism beside its database, by name."""

OnDomain: TypeAlias = Callable[[Question, Endless], EveryDelta | None]
"""The answer of a theorem for every δ, on a domain of the scope; None where it has none. Raises as the mechanism."""


@dataclass(frozen=True)
class ScoreTheorem:
    """A theorem on all scores as procedures: when it speaks, whether a claim holds by it, and where it fails if not."""

    name: str
    is_meant: Callable[[OfScores], bool]
    holds: Callable[[OfScores], bool]
    supremum: Callable[[OfScores], Exact | None]
    pure: Callable[[OfScores], Exact | None]
    suspects: Callable[[OfScores], Iterator[Pair]]


SCORES: Final = "scores that move by at most 1 each"
ONE_SCORE: Final = "one score moves by at most 1"
SUBSTITUTED: Final = "any number of rows, one substituted"
RELABELLED: Final = "any number of rows, one label changed"
GROWTH: Final = "sums over rows, one substituted"


@dataclass(frozen=True)
class KnownGuarantee:
    """Guarantee of a function, in words and by its arguments; on which neighbours; and by which theorem."""

    mechanism: Mechanism
    says: str
    scope: str
    theorem: str
    bound: Callable[[GivenArguments], PrivacyGuarantee]
    """Raises `Undecided` where the theorem does not speak of the arguments, and `InputError` as the mechanism does."""
    on_scores: ScoreTheorem | None = None
    """The theorem that settles every (ε, δ) at once on all scores, where there is one."""
    for_every_delta: OnDomain | None = None
    """The theorem for the symbolic δ, where there is one."""
    _as_loaded: tuple[Any, ...] = field(default=(), repr=False)

    def is_of_whole_scores(self, given: GivenArguments) -> bool:
        """True where whole scores alone are meant, as the noise is whole."""
        return self.mechanism in _OF_WHOLE_SCORES or any(given.get("noise") is noise for noise in _WHOLE_NOISES)

    @property
    def is_as_loaded(self) -> bool:
        """True where the function has the code, the defaults and the globals that it had when this table was made."""
        return _code(self.mechanism) == self._as_loaded


def _code(function: Mechanism) -> tuple[Any, ...]:
    assert isinstance(function, FunctionType)
    named = tuple(function.__globals__.get(name) for name in function.__code__.co_names)
    return function.__code__, function.__defaults__, tuple((function.__kwdefaults__ or {}).items()), named


def guarantee_of(mechanism: Mechanism) -> KnownGuarantee | None:
    """The row of a mechanism; None where it is no function of the table, or its code is another one now."""
    row = next((row for row in GUARANTEES if row.mechanism is mechanism), None)
    return row if row is not None and row.is_as_loaded else None


def known_bound(
    mechanism: Mechanism, given: GivenArguments, scope: str, *, is_whole: bool = True
) -> tuple[PrivacyGuarantee, str]:
    """Guarantee of a mechanism in a scope, of scores that are whole or not, and by which theorem.

    Raises `Undecided` where that is not known, and `InputError` as the mechanism does.
    """
    row = guarantee_of(mechanism)
    if row is None or row.scope != scope or (row.is_of_whole_scores(given) and not is_whole):
        raise _not_known(mechanism)
    return row.bound(given), row.theorem


def _not_known(mechanism: Mechanism) -> Undecided:
    return Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(mechanism)} with these arguments, on all scores,")


def _nothing(_: GivenArguments) -> PrivacyGuarantee:
    return PrivacyGuarantee(ZERO, ZERO)


def _pure(given: GivenArguments) -> PrivacyGuarantee:
    return PrivacyGuarantee(positive(given["epsilon"], "epsilon"), ZERO)


def _both(given: GivenArguments) -> PrivacyGuarantee:
    return PrivacyGuarantee(positive(given["epsilon"], "epsilon"), open_unit(given["delta"], "delta"))


def _by_rate(given: GivenArguments) -> PrivacyGuarantee:
    return PrivacyGuarantee(2 * rate_of(given["epsilon"], given.get("sensitivity", 1)), ZERO)


def _noisy_max(given: GivenArguments) -> PrivacyGuarantee:
    if not noisy_max_theorem.is_of_known_noise(given):
        raise _not_known(max_of_laplaces)
    return _pure(given)


def _stable(mechanism: Mechanism, settles: OnDomain, given: GivenArguments) -> PrivacyGuarantee:
    claim, domain = _both(given), Scores(solutions=OrMore(2))
    question = Question(mechanism, domain, scores_linf, claim, given, Limits())
    known, claimed = settles(question, domain), claimed_shares(question)
    if known is None or claimed is None or not known.holds(claimed):
        raise _not_known(mechanism)
    return claim


def _left_open(mechanism: Mechanism, _: GivenArguments) -> PrivacyGuarantee:
    raise _not_known(mechanism)


def _as_printed(given: GivenArguments) -> PrivacyGuarantee:
    raise Undecided(
        not_known.CLAIM_DIFFERENTLY,
        "the A_dist of the journal version is not private as printed, by Theorem 9 (e)",
        f"draw from {name_of(choose_by_stability)}",
    )


def _added(given: GivenArguments) -> PrivacyGuarantee:
    if not any(given.get("noise", laplace) is noise for noise in (laplace, discrete_laplace)):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"a number with {name_of(given['noise'])}")
    epsilon, sensitivity = (positive(given.get(name, 1), name) for name in ("epsilon", "sensitivity"))
    return PrivacyGuarantee(epsilon / sensitivity, ZERO)


def _noisy_number(given: GivenArguments) -> PrivacyGuarantee:
    noise, scale = given["noise"], given["noise"].tail_scale
    # another class may say that it equals one of these
    known = () if scale is None else (make(scale) for make in (laplace, discrete_laplace))
    if not any(type(noise) is type(law) and noise == law for law in known):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"a number with {type(noise).__name__} noise")
    return PrivacyGuarantee(1 / scale, ZERO)


def _large_margin(given: GivenArguments) -> PrivacyGuarantee:
    if not large_margin_theorem.has_printed_tests(given):
        raise Undecided(
            not_known.PRIVACY_UNKNOWN,
            "the large margin mechanism with a smaller `slack`, or other noise, than is printed",
        )
    return _both(given)


def _first_far_off(given: GivenArguments) -> PrivacyGuarantee:
    if not any(given["noise"] is noise for noise in (laplace, discrete_laplace)):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(first_far_off)} with {name_of(given['noise'])}")
    return _pure(given)


def _histogram(given: GivenArguments) -> PrivacyGuarantee:
    epsilon, delta = _both(given)
    needed = next((part for noise, part in NEEDED_OF_DELTA if given["noise"] is noise), None)
    if needed is None:
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"{name_of(stable_histogram)} with this noise")
    return PrivacyGuarantee(epsilon, delta * needed)


def _chooses(given: GivenArguments) -> PrivacyGuarantee:
    """On so many `rows` or more, by a quality to which a row adds 1 for `growth` solutions."""
    noise, threshold = given.get("noise", laplace), share(given["alpha"], "alpha") * given["rows"] / 2
    if not any(noise is known for known, _ in NEEDED_WITH_ENOUGH_ROWS):
        raise Undecided(not_known.PRIVACY_UNKNOWN, f"the choosing mechanism with {name_of(noise)}")
    if threshold.symbol is not None:
        raise _not_known(choosing_mechanism)
    epsilon, growth = positive(given["epsilon"], "epsilon"), given["growth"]
    chooses = Chooses(noise, epsilon, threshold, growth)
    delta = chooses.bound if epsilon.symbol is not None or growth == 1 else chooses.supremum
    return PrivacyGuarantee(epsilon, delta)


def _several(question: OfScores) -> bool:
    return question.scores.solutions > 1 or question.scores.every


def _not_found(_: OfScores) -> None:
    return None


_THEOREM_1: Final = ScoreTheorem(
    "Theorem 1 of docs/theorems.md, on the exponential mechanism: every number of solutions",
    _several,
    exponential_theorem.holds,
    exponential_theorem.supremum,
    exponential_theorem.most_log_odds,
    exponential_theorem.suspects,
)
_THEOREM_2: Final = ScoreTheorem(
    "Theorem 2 of docs/theorems.md, on report noisy max: every number of solutions",
    lambda question: _several(question) and noisy_max_theorem.is_of_known_noise(question.arguments),
    lambda question: noisy_max_theorem.covers(noisy_max_theorem.pure_epsilon(question), question.claim),
    noisy_max_theorem.supremum,
    noisy_max_theorem.pure_epsilon,
    noisy_max_theorem.suspects,
)
_THEOREM_3: Final = ScoreTheorem(
    "Theorem 3 of docs/theorems.md, on A_dist: three solutions stand for every number of them",
    _several,
    stability_theorem.holds,
    stability_theorem.supremum,
    _not_found,
    stability_theorem.suspects,
)
_THEOREM_4: Final = ScoreTheorem(
    "Theorem 4 of docs/theorems.md, on added noise: one pair stands for all",
    additive_theorem.is_meant,
    additive_theorem.holds,
    _not_found,
    _not_found,
    additive_theorem.suspects,
)
_THEOREM_14: Final = ScoreTheorem(
    large_margin_theorem.THEOREM_14,
    lambda question: large_margin_theorem.has_printed_tests(question.arguments),
    large_margin_theorem.holds,
    _not_found,
    _not_found,
    lambda _: iter(()),
)


_WHOLE_NOISES: Final = (discrete_laplace, geometric)
_OF_WHOLE_SCORES: Final = (choose_by_stability_discrete, discrete_laplace_mechanism, clamped_laplace_mechanism)


def _row(
    mechanism: Mechanism,
    says: str,
    scope: str,
    theorem: str,
    bound: Callable[[GivenArguments], PrivacyGuarantee],
    on_scores: ScoreTheorem | None = None,
) -> KnownGuarantee:
    return KnownGuarantee(mechanism, says, scope, theorem, bound, on_scores, _as_loaded=_code(mechanism))


def _a_dist(
    mechanism: Mechanism, choices: Callable[[GivenArguments], StableChoices | None], *, is_exact: bool
) -> KnownGuarantee:
    settles = partial(every_delta_theorem.at_gaps, choices, is_exact)
    row = _row(mechanism, "(ε, δ)", SCORES, "Theorem 9", partial(_stable, mechanism, settles), _THEOREM_3)
    return replace(row, for_every_delta=settles)


GUARANTEES: Final[tuple[KnownGuarantee, ...]] = (
    _row(exponential_mechanism, "(ε/sensitivity, 0)", SCORES, "Theorem 1", _by_rate, _THEOREM_1),
    _row(one_of_points, "(ε, 0)", SCORES, "Theorem 1", _pure),
    *(
        _row(each, "(ε, 0)", SUBSTITUTED, "Theorem 1", _pure)
        for each in (generic_learner, one_of_thresholds, small_database)
    ),
    _row(label_private_learner, "(ε, 0)", RELABELLED, "Theorem 1", _pure),
    _row(max_of_laplaces, "(ε, 0)", SCORES, "Theorem 2", _noisy_max, _THEOREM_2),
    _row(max_of_laplaces_drawn, "(ε, 0)", SCORES, "Theorem 2", _noisy_max, _THEOREM_2),
    _a_dist(choose_by_stability, with_noise((laplace, every_delta_theorem.CORRECTED)), is_exact=True),
    _a_dist(choose_by_stability_discrete, with_noise((laplace, every_delta_theorem.CORRECTED)), is_exact=False),
    _a_dist(
        choose_by_stability_extended_abstract,
        with_noise(
            (laplace, every_delta_theorem.EXTENDED_ABSTRACT),
            (discrete_laplace, every_delta_theorem.EXTENDED_ABSTRACT_DISCRETE),
        ),
        is_exact=False,
    ),
    replace(
        _a_dist(choose_by_stability_journal, with_noise((laplace, every_delta_theorem.PRINTED)), is_exact=True),
        says="none",
        bound=_as_printed,
    ),
    replace(
        _a_dist(choose_by_stability_with, every_delta_theorem.with_constants, is_exact=True),
        says="by its constants",
        bound=partial(_left_open, choose_by_stability_with),
        on_scores=None,
    ),
    *(
        _row(each, "(ε/sensitivity, 0)", ONE_SCORE, "Theorem 4", _added, _THEOREM_4)
        for each in (laplace_mechanism, discrete_laplace_mechanism, clamped_laplace_mechanism)
    ),
    _row(noisy_number, "(1/scale, 0)", SUBSTITUTED, "Theorem 4", _noisy_number),
    _row(number_of_rows, "(0, 0)", SUBSTITUTED, "neighbours have one size", _nothing),
    _row(number_of_axes, "(0, 0)", SUBSTITUTED, "all rows have as many", _nothing),
    _row(last_point, "(0, 0)", SCORES, "neighbours have the same points", _nothing),
    _row(first_far_off, "(ε, 0)", SUBSTITUTED, "Theorem 11 (g)", _first_far_off),
    replace(
        _row(stable_histogram, "(ε, δ/4), or (ε, δ/2) with discrete noise", SUBSTITUTED, "Theorem 10", _histogram),
        for_every_delta=needed_by_histogram,
    ),
    _row(choosing_mechanism, "(ε, k·p(1)), or less", GROWTH, "Theorem 13", _chooses),
    replace(
        _row(
            choosing_with_enough_rows,
            "(ε, δ), or (ε, 2δ) with discrete noise",
            GROWTH,
            "Theorem 13",
            partial(_left_open, choosing_with_enough_rows),
        ),
        for_every_delta=needed_with_enough_rows,
    ),
    replace(
        _row(large_margin_mechanism, "(ε, δ)", SCORES, "Theorem 14", _large_margin, _THEOREM_14),
        for_every_delta=large_margin_theorem.needed_by_large_margin,
    ),
    *(
        _row(each, "(ε, δ)", SUBSTITUTED, "Theorem 14", _large_margin)
        for each in (learn_by_large_margin, frequent_itemset)
    ),
)
