"""The door: whether a mechanism is (ε,δ)-differentially private for all neighbours of a domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.errors import not_known
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_depth
from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase, EveryQuality
from dpverify.verifiers.all_sizes.compositions.drawn_guarantees import with_hint
from dpverify.verifiers.all_sizes.compositions.parts import refuse_every_value
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.deciding.outside import decided_outside
from dpverify.verifiers.privacy.expressions import as_domain, as_relation
from dpverify.verifiers.problems.neighbours.neighbours import replace_one
from dpverify.verifiers.problems.preparation.experiment import prepared
from dpverify.verifiers.problems.preparation.repetition import Repeating, never_repeated, repeated_here
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.outside import asked_outside, outside_places
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.processes.workplace import HERE, Workplace
from dpverify.verifiers.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor


def check_privacy(
    mechanism: Mechanism,
    domain: Domain | str,
    neighbours: NeighbourRelation | str = replace_one,
    *,
    epsilon: ExactLike,
    delta: ExactLike = 0,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    recheck: bool = True,
    executor: Executor | None = None,
) -> Verdict:
    """Decide Pr[M(D) ∈ F] ≤ e^ε·Pr[M(D′) ∈ F] + δ for all events F and all neighbours D, D′ of the domain.

    `domain` and `neighbours` are objects, or texts as on the command line: "Multisets(range(3), size=6)",
    "replace_one". `epsilon` ≥ 0 and 0 ≤ `delta` ≤ 1 are the claim. The mechanism is given them where it has parameters
    of these names without a value, a default or one that is bound: a value is kept, and the verdict says so.
    `parameters` override: a mechanism run at ε can be claimed at 2ε. The verdict is PROVED or REFUTED, with the
    smallest witness in the domain's order; UNDECIDED, with the reason, where a sign has no complete test, or one of
    the `limits` is met, as by a mechanism that does not end. Raises `InputError`, naming the argument, for bad input:
    a float, a claim out of range, an empty domain or one without neighbours, and a mechanism that raises, is not
    deterministic, has chance of its own, or depends on the order of the rows of a multiset.

    Distributions are computed a second time for a few of the databases, by whole runs, and of code outside the language
    for all, in a process that is forked before the first run; `recheck=False` leaves that out. The scope says so, and
    that the hash seed is not varied: more than three claims in files are repeated in another interpreter (see `audit`).

    With `symbolic` as `epsilon`, or in it, the claim is decided for all ε > 0 at once, and a refuted one says at which
    ε it fails. That needs probabilities that are quotients of polynomials in ε and e^(ε/L) with rational coefficients.

    With `symbolic_delta` as `delta`, or a multiple of it, the claim is decided for all 0 < δ < 1 at once, by theorems
    alone: of the A_dist of this library on `Scores`, and of `stable_histogram` on `Histograms`. A refuted one may have
    in `fails_in` the (ε, δ) at which it fails.

    With an `executor` of `concurrent.futures`, a pool of processes or that of a cluster, the distributions of a check
    that takes long are found by its processes, and its pairs compared: the mechanism is one of a module that they
    import. The verdict is the same.

    The mechanism runs in this process: one that swallows its interruption by a bare `except:` hangs it, and one that
    calls `os._exit` ends it. `dpverify check` and `audit` guard against both.

    >>> def noisy(draw, rows):
    ...     return sum(rows) + draw(laplace(2))
    >>> check_privacy(noisy, Tuples((0, 1), size=1), replace_one, epsilon="1/2").status
    <Status.PROVED: 'PROVED'>
    >>> check_privacy(noisy, Tuples((0, 1), size=1), replace_one, epsilon="1/3").delta
    <0.0799555853707 = 1 - e^(-1/12)>
    """
    claim = privacy_guarantee(epsilon, delta, every_delta=True)
    given = {} if parameters is None else parameters
    asked = as_domain(domain), as_relation(neighbours)
    question = Question(mechanism, *asked, claim, given, checked_limits(limits))
    where = HERE if executor is None else _helped_by(executor, question)
    return with_hint(decided_question(question, repeated_here if recheck else never_repeated, where))


def _helped_by(executor: Executor, question: Question) -> Workplace:
    from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers

    return Workplace(ExecutorHelpers(executor, question.mechanism, question.parameters))


def decided_question(question: Question, repeating: Repeating = never_repeated, where: Workplace = HERE) -> Verdict:
    """The verdict on a question, and what it is about; `repeating` says who computes distributions a second time.

    Raises `InputError` as `check_privacy` does.
    """
    verdict = _decided(question, repeating, where)
    asked = asked_outside({"neighbours": question.neighbours, "the domain": type(question.domain)})
    return replace(verdict, question=question, scope=f"{verdict.scope}{asked}")


def _decided(question: Question, repeating: Repeating, where: Workplace) -> Verdict:
    endless = as_endless(question.domain)
    by_parts = isinstance(endless, EveryDatabase | EveryQuality)
    refuse_every_value(question.mechanism, question.parameters, is_meant=by_parts)
    databases = _some_databases(question.domain) if endless is None else ()
    places = outside_places(question.mechanism, question.parameters, databases)
    if places:
        return decided_outside(question, places, repeating, is_finite=endless is None)
    if endless is None and not question.of_every_delta:
        return decided_on(prepared(question, repeating, where))
    # loaded where it is needed: it takes as long as what a finite domain needs
    from dpverify.verifiers.all_sizes.compositions.deciding import decided_by_parts, undecided_by_parts
    from dpverify.verifiers.all_sizes.verdicts import decided_for_all_sizes, refuted_at_some_delta

    if isinstance(endless, EveryDatabase | EveryQuality):
        return decided_by_parts(question, endless)
    if holds_depth((*question.claim, dict(question.parameters))):
        return undecided_by_parts(not_known.NO_INDUCTION.text(_NO_DEPTH), "")
    return refuted_at_some_delta(question) if endless is None else decided_for_all_sizes(question, endless)


_NO_DEPTH: Final = "a depth is symbolic_depth on EveryDatabase and EveryQuality alone"


def _some_databases(domain: Any) -> Sequence[Any]:
    """The first databases of a domain, or what they are made of; none of a bad one, of which more is said later on."""
    if type(domain) in BUILT_IN:
        return [getattr(domain, "universe", ())]  # otherwise of whole numbers
    try:
        return () if isinstance(domain, Iterator) else list(islice(domain, _LOOKED_AT))
    except BaseException:  # a user's domain may raise anything
        return ()


_LOOKED_AT: Final = 4096
"""Databases whose rows are looked at, for the classes that they are of."""
