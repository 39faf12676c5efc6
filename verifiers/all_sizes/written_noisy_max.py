"""Report noisy max that somebody has written by hand: run on unknown scores, it is that of the library, on all scores.

    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))

    return max(range(len(scores)), key=lambda i: scores[i] + draw(laplace(2 / epsilon)))

Where each score is any number from 0 on, or any below 0, a function that asks nothing of the scores, and returns the
first place of the largest of them with noise of one law, is report noisy max, however it computes that noise; with
Gumbel noise of scale b it is the exponential mechanism at ε = 2/b. What does anything else is decided as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.instructions.argmax import LargestFound, NothingFound, has_some, seeking_largest
from dpverify.mechanisms.instructions.as_written import are_read, as_written
from dpverify.mechanisms.instructions.tails import body_of
from dpverify.mechanisms.language.compiled import form_of
from dpverify.mechanisms.noise.law import NoiseLaw
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, as_parameter, exact
from dpverify.mechanisms.numbers.positivity.affine_regions import AffineRegion
from dpverify.mechanisms.numbers.symbols import notes
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.all_sizes.noisy_max_theorem import KNOWN
from dpverify.verifiers.all_sizes.regions.domains import Scores, affine_regions_of
from dpverify.verifiers.all_sizes.regions.laws import DistributionsOnRegions
from dpverify.verifiers.problems.questions.question import Question


def as_the_librarys(question: Question, solutions: int) -> Question | None:
    """The same question of a mechanism of the library, for one that does the same; None for any other."""
    if question.symbol is not None or not are_read() or solutions not in _NUMBERS:
        return None
    law = _noise(question, solutions)
    librarys = None if law is None else _of_the_library(law)
    if librarys is None:
        return None
    read = replace(question, mechanism=librarys.mechanism, parameters=librarys.given)
    return read if _agree(question, read, solutions) else None


_NUMBERS: Final = range(2, 9)
"""Solutions: on 256 regions, or fewer, is a mechanism run."""


def _noise(question: Question, solutions: int) -> NoiseLaw | None:
    """The law of the noise that each score gets; None where not the place of the largest is returned."""
    form = form_of(question.mechanism, question.arguments)
    body = None if form is None else body_of(form.value(question.mechanism))
    if body is None or not has_some(body):
        return None
    laws = DistributionsOnRegions(question, Scores(solutions=solutions))
    try:
        noises = {_noise_on(region, laws) for region in affine_regions_of(solutions)}
    except (NothingFound, Undecided, InputError):
        return None
    return noises.pop() if len(noises) == 1 else None


def _noise_on(region: AffineRegion, laws: DistributionsOnRegions) -> NoiseLaw:
    """The noise on one region. Raises `NothingFound` for another mechanism, and as a law on the region does."""
    first, *others = map(exact, region.numbers())
    try:
        with seeking_largest():
            laws.distribution(region)
    except LargestFound as found:  # a question that had no answer may have been caught by the mechanism
        if notes.refused is None and list(found.scores) == [ZERO, *(score - first for score in others)]:
            return found.law
    raise NothingFound


class _OfTheLibrary(NamedTuple):
    """A mechanism of the library, and what it is given."""

    mechanism: Mechanism
    given: Mapping[str, Any]


def _of_the_library(law: NoiseLaw) -> _OfTheLibrary | None:
    """The mechanism that returns the place of the largest score with this noise; None where theorems speak of none."""
    of_gumbel = law.exponential_scale
    scale = law.tail_scale if of_gumbel is None else of_gumbel
    if scale is None or scale.symbol is not None:
        return None
    epsilon = as_parameter(2 / scale)
    if of_gumbel is not None:
        return _OfTheLibrary(exponential_mechanism, {"epsilon": epsilon})
    for noise in KNOWN:
        if noise(scale) == law:
            return _OfTheLibrary(max_of_laplaces, {"epsilon": epsilon, "noise": noise})
    return None


def _agree(question: Question, read: Question, solutions: int) -> bool:
    """True where laws of the mechanism itself are those of the library: they are, or this module has a mistake."""
    given, size = exact_parameters(question.arguments), size_of_sample("scores of a noisy max that is read")
    tried = [(*scores, *[0] * (solutions - 2)) for scores in _SCORES[:size]]
    with as_written() if solutions <= _AS_WRITTEN else nullcontext():
        laws = [question.enumeration().law(question.mechanism, (scores,), given) for scores in tried]
    of_library = [read.enumeration().law(read.mechanism, (scores,), read.arguments) for scores in tried]
    return all(law == expected for law, expected in zip(laws, of_library, strict=True))


_SCORES: Final[Sequence[tuple[int, int]]] = ((0, 0), (3, -1), (-2, 1))

_AS_WRITTEN: Final = 4
"""Solutions: of more the orders of all comparisons take long."""
