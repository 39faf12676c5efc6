"""The ε that the choices of a mechanism guarantee by themselves: a hint beside PROVED where it exceeds the claimed one.

A choice by noisy scores, or by the exponential mechanism, is private up to what scores move against each other, by
Theorems 1, 2, 15 of docs/theorems.md. On a small domain less may show: between two candidates half the noise can be
enough. So the mechanism is run once on the databases of some neighbours, with a `draw` that notes the choices, and what
their scores move there is put in these theorems. A hint never changes a verdict, and says nothing where a choice, or
what is done with noise, is not known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from dpverify.mechanisms.functions.mechanism import exact_parameters
from dpverify.mechanisms.language.compiled import CompiledForm, form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.language.values_from_outside import OutsideLanguage
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, exact
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.selection.exponential_mechanism import choice_of
from dpverify.mechanisms.selection.noisy_max import noisy_choice_of
from dpverify.reports.numbers import equal_to
from dpverify.verifiers.all_sizes.comparison_theorem import compared_in, needed_by_moves
from dpverify.verifiers.all_sizes.noisy_max_theorem import rate_of_largest
from dpverify.verifiers.all_sizes.regions.domains import Endless, Histograms, Scores
from dpverify.verifiers.divergence.output_tables.distribution_arrays import ScoredDistributions
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.questions.domains import Multisets, Tuples
from dpverify.verifiers.problems.questions.question import Question
from dpverify.verifiers.problems.questions.score_domains import ScoreSpace
from dpverify.verifiers.verdicts.verdict import Proved, Verdict

_DATABASES: Final = 128
"""Up to which all pairs are looked at."""

_PAIRS: Final = 64
"""Neighbours that are looked at on a larger domain."""

_MOST_DRAWS: Final = 1_000
"""In a run, which may not end where outcomes are not by chance."""

_ENOUGH: Final = 3
"""Candidates from which on more of them are not asked for."""


class DrawnChoice(NamedTuple):
    """A choice among candidates, each with the weight e^(rate·score), or by the largest of scores with noise 1/rate."""

    rate: Exact
    scores: Mapping[Hashable, Any]


Drawn: TypeAlias = Sequence[DrawnChoice]
"""The choices of a run, in order."""


def with_hint(verdict: Verdict) -> Verdict:
    """The verdict, with a hint where it is PROVED and there is one."""
    found = _hint(verdict) if isinstance(verdict, Proved) else ""
    return replace(verdict, hint=found) if found else verdict  # type: ignore[call-arg]  # it is Proved


def _hint(verdict: Proved) -> str:
    """The words "what it draws guarantees ε = 2: try three candidates" of a pure claim of less; else empty."""
    experiment, question = verdict.basis.experiment, verdict.question
    if experiment is None or question is None or question.symbol is not None or question.claim.delta != 0:
        return ""
    laws = None if verdict.basis.laws is None else verdict.basis.laws.tabulation.laws
    scored = laws if isinstance(laws, ScoredDistributions) and experiment.representatives is None else None
    if scored is None and (found := _of_comparisons(question)) is not None:
        return _words(*found, question.claim.epsilon)
    drawn: dict[int, Drawn | None] = {}
    same: dict[Hashable, Drawn] = {}  # many databases have the same scores
    compared: set[tuple[int, int]] = set()
    most: Exact = ZERO
    candidates = 0
    form, mechanism, given = form_of(question.mechanism, question.arguments), question.mechanism, question.arguments
    if form is not None:  # what it is as Python runs it, with floats, may be another program
        mechanism, given = form.mechanism, form.arguments((), given)[1]
    given = exact_parameters(given)
    for sides in _some_pairs(experiment):
        for at in sides:
            if at not in drawn:
                choices: Drawn | None = None if scored is None else _as_drawn(scored[at])
                if scored is None:
                    choices = _choices(form, mechanism, experiment.databases[at], given)
                drawn[at] = choices and same.setdefault(tuple(map(_key, choices)), choices)
        left, right = (drawn[at] for at in sides)
        if not left or not right:
            return ""
        if (id(right), id(left)) in compared or (id(left), id(right)) in compared:
            continue
        compared.add((id(left), id(right)))
        moved = _guarantee(left, right)
        if moved is not None and moved > most:
            most, candidates = moved, max(len(choice.scores) for choice in left)
    return _words(most, candidates, question.claim.epsilon)


def _of_comparisons(question: Question) -> tuple[Exact, int] | None:
    """The ε that moves of noise prove on all scores, or rows, and how many noises; None where more is asked."""
    domain = question.domain
    everything: Endless | None = Scores(solutions=domain.solutions) if isinstance(domain, ScoreSpace) else None
    if isinstance(domain, Tuples | Multisets):
        everything = Histograms(domain.universe)
    compared = None if everything is None else compared_in(question, everything)
    if everything is None or compared is None:
        return None
    needed = needed_by_moves(question, everything, compared)
    return None if needed is None else (needed, len(compared.numbers) - 1)


def _words(most: Exact, candidates: int, claimed: Exact) -> str:
    if most <= claimed:
        return ""
    more = "three candidates" if candidates < _ENOUGH else "a larger domain"
    return f"what it draws guarantees ε {equal_to(enclosed(most).quantity)}: try {more}"


def _key(choice: DrawnChoice) -> Hashable:
    return choice.rate, tuple(choice.scores.items())


def _some_pairs(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """The neighbours that are looked at: the same ones each time, in no pattern that a domain may have."""
    pairs = experiment.pairs
    if len(experiment.databases) <= _DATABASES and pairs.count <= _DATABASES * _PAIRS:
        return zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    return iter(pairs.at(sorted(Random(0).sample(range(pairs.count), min(pairs.count, _PAIRS)))))


def _guarantee(left: Drawn, right: Drawn) -> Exact | None:
    """The sum of what choices on two databases guarantee; None where they are not the same choices."""
    if [(choice.rate, choice.scores.keys()) for choice in left] != [(c.rate, c.scores.keys()) for c in right]:
        return None
    result: Exact = ZERO
    for one, other in zip(left, right, strict=True):
        moved = [other.scores[name] - score for name, score in one.scores.items()]
        if spread := max(moved) - min(moved):
            result += one.rate * exact(spread)
    return result


def _choices(form: CompiledForm | None, mechanism: Any, database: Hashable, given: Mapping[str, Any]) -> Drawn | None:
    """The choices of one run; None where what it does with noise is not known."""
    draw = _NotingDraw()
    try:
        (rows,) = (database,) if form is None else form.arguments((database,), {})[0]
        with drawn_by(lambda: draw):
            draw(mechanism, rows, **given)
        return draw.choices
    except (Exception, OutsideLanguage):  # it does what no hint is known of
        return None


class _NotingDraw:
    """A `draw` that gives the first outcome of each law, and no noise: of what compares it see `_of_comparisons`."""

    def __init__(self) -> None:
        self.choices: list[DrawnChoice] = []
        self._number = count()

    def __call__(self, source: Any, /, *args: Any, **kwargs: Any) -> Any:
        if next(self._number) >= _MOST_DRAWS or isinstance(source, NoiseLaw):
            raise OverflowError
        if not isinstance(source, Distribution):
            result = source(self, *args, **kwargs)
            return self(result) if isinstance(result, Distribution) else result
        chosen = _as_drawn(source)
        self.choices += chosen
        return next(iter(chosen[0].scores if chosen else source.probabilities))


def _as_drawn(law: Distribution[Any]) -> Drawn:
    """The choice of a law that is one by scores; none of another one."""
    chosen = choice_of(law)
    if chosen is None and (noisy := noisy_choice_of(law)) is not None:
        chosen = None if (rate := rate_of_largest(noisy[0])) is None else (rate, noisy[1])
    return [] if chosen is None else [DrawnChoice(*chosen)]
