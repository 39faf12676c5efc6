"""Two neighbours of a domain without end, decided by their laws as those of any finite domain are."""

from collections.abc import Hashable, Sequence

from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.reports.record import Status
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.problems.preparation.experiment import prepared_in_full
from dpverify.verifiers.problems.preparation.repetition import Repeating, never_repeated, repeated_here
from dpverify.verifiers.problems.questions.question import Question


def fails_on(question: Question, pair: Sequence[Hashable]) -> bool:
    """True where a claim fails on two neighbours, by their laws alone. Raises `Undecided`."""
    try:
        return fails_on_two(question.of_two(pair), never_repeated)
    except InputError as refusal:  # as of polynomials in e^ε of very many terms
        raise Undecided(str(refusal)) from None


def fails_on_two(question: Question, repeating: Repeating = repeated_here) -> bool:
    """True where a claim fails on the two databases of its domain. Raises `Undecided`, and as `check_privacy` does."""
    verdict = decided_on(prepared_in_full(question, repeating))
    if verdict.status is Status.UNDECIDED:
        raise Undecided(verdict.reason)
    return verdict.status is Status.REFUTED
