"""The verdict on a privacy claim, of one of four kinds, and the record of it: in audits, reports and notebooks.

`Verdict` is an abstract class and not the union of its kinds: what can be read on every verdict, that none has a truth
value, and how one is shown, are said once, and `isinstance` and annotations take it as they take any other class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NoReturn, final

from msgspec import UNSET

from dpverify.mechanisms.drawing.enumerator import WholeRuns
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.reasons.reason import id_in
from dpverify.reports.kinds.privacy import result_in_lines
from dpverify.reports.privacy_record import FINITE_DOMAIN, PrivacyResult, WholeRunsRecord, WitnessRecord
from dpverify.reports.record import Quantity, Scope, SmallInstance, Status, no_truth_value, refuse_text, storable
from dpverify.verifiers.divergence.every_epsilon.epsilon_sets import EpsilonInterval
from dpverify.verifiers.divergence.every_epsilon.few_rows_sets import FailingSet
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed, enclosed
from dpverify.verifiers.line_coverage.results import RunRecord
from dpverify.verifiers.problems.preparation.experiment import Experiment, PairCount
from dpverify.verifiers.problems.preparation.repetition import Mode
from dpverify.verifiers.problems.questions.in_words import domain_in_words
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.readable import advice_in_brackets, did_you_mean, readable, shown_parameter
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.profile import PrivacyProfile
from dpverify.verifiers.verdicts.profile_record import curve_of, for_all_epsilon, pieces_of, profile_or_none
from dpverify.verifiers.verdicts.witness import Witness


@dataclass(frozen=True, kw_only=True)
class VerdictBasis:
    """The basis that a verdict rests on, for the record and for further checks of the same distributions."""

    experiment: Experiment | None
    """Decided data, for another mechanism to be put in its place; None of a domain without end, but for two of its
    databases that refute a claim."""
    laws: Laws | None = None
    """The distributions that were compared at one ε; None where there is no result, or not of one ε."""
    worst: tuple[Hashable, Hashable] | None = None
    """The first pair of databases that attains the worst δ; None where that is 0, or not known."""
    recheck: Mode = "none"
    """Process that computed distributions a second time."""
    has_scaled: bool = False
    """True where noise of a scale was drawn, of which another share may be tried."""
    whole_runs: tuple[WholeRuns, ...] = field(compare=False, default=())
    """The mechanisms with more than a few paths that were not found by steps."""
    before_post_processing: bool = False
    """True where it is of the noises before they are computed with."""
    by_all_drawn: bool = False
    """True where these are all noises that are drawn, also such as are only compared."""
    is_upper_bound: bool = False
    """True where `delta` and `epsilon` are upper bounds alone, since what is computed from the noises may need less."""
    refuted_before_post_processing: bool = False
    """True if it is UNDECIDED since the noises need more, from which nothing follows for what is computed from them."""
    of_sorted_rows: bool = False
    """True where it is of rows in sorted order, and not every other order of them was run."""
    for_all_sizes: bool = False
    """True where the claim is of a domain without end."""
    small_instance: SmallInstance | None = None
    """Further databases on which a verdict by sub-mechanisms was decided."""
    outside: tuple[OutsidePlace, ...] = ()
    """Places of the mechanism that are outside the language; empty of one that lies inside."""
    ran: RunRecord | None = field(repr=False, compare=False, default=None)
    """Code of the mechanism that ran while its distributions were computed; None where nobody looked on."""

    @property
    def databases(self) -> int:
        """The number of databases that were decided, one by one."""
        return 0 if self.experiment is None else self.experiment.number_of_databases


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Verdict(ABC):
    """The decision on a privacy claim on a domain: `Proved`, `Refuted`, `Checked`, `Undecided` or `Vacuous`.

    On each can be read `status`; the `reason` for it, its `reason_id`, and its `scope`, in words; `delta`, the worst
    δ at the claimed ε, between bounds where it is not known exactly, and None where it is not known at all;
    `epsilon`, the exact pure ε on the domain, None where it is infinite or not known; `witness`, the smallest
    counterexample, and `worst`, that of the largest δ, None where nothing is refuted; `proved_for`, what it is PROVED
    for, in words; and `pairs`, how many ordered neighbours were decided. Of a claim for all ε, `delta` and `epsilon`
    are None.

    A verdict has no truth value, so that `assert check_privacy(…)`, which a refuted one would pass, raises
    `InputError`; and so does comparing it with a text.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> verdict = check_privacy(response, Tuples((0, 1), size=1), replace_one, epsilon=1)
    >>> isinstance(verdict, Verdict), verdict.epsilon
    (True, <1.09861228867 = ln 3>)
    """

    reason: str
    scope: str
    pairs: PairCount
    delta: Enclosed | None = None
    epsilon: Enclosed | None = None
    witness: Witness | None = field(default=None, init=False)
    basis: VerdictBasis
    question: Question | None = field(compare=False, default=None)
    """Subject of the verdict; None of what is decided on the way to a verdict."""

    @property
    def worst(self) -> Witness | None:
        """The counterexample that needs the largest δ: see `Refuted`; None of other verdicts."""
        return None

    @property
    def proved_for(self) -> str:
        """The databases that a claim is PROVED for, in words, and that it is for every ε; empty of other verdicts."""
        if not isinstance(self, Proved) or self.question is None:
            return ""
        of_delta = self.question.of_every_delta  # of which no symbol is asked
        of_epsilon = (self.question.claim.epsilon if of_delta else self.question).symbol is not None
        words = domain_in_words(self.question.domain, self.basis.databases)
        every = (name for name, is_said in (("every ε", of_epsilon), ("every δ", of_delta)) if is_said)
        return ", ".join([words, *(name for name in every if name not in words)])

    @property
    def reason_id(self) -> str:
        """The id of the first reason that `reason` names, a row of docs/errors.md or undecided.md; empty for none."""
        return id_in(self.reason)

    @property
    @abstractmethod
    def status(self) -> Status:
        """The kind of the verdict, as reports have it."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raises `AttributeError`, which says what a verdict has, for what it has not."""
            if name.startswith("_"):
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            near = did_you_mean(name, (one for one in dir(type(self)) if not one.startswith("_")))
            raise AttributeError(reasons.NO_SUCH_ATTRIBUTE.text(name=name, near=advice_in_brackets(near)))

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        return no_truth_value("a verdict", "verdict.status is Status.PROVED")

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        refuse_text("a verdict", other, "verdict.status == …")
        if type(other) is not type(self):
            return NotImplemented
        names = [one.name for one in fields(self) if one.compare]
        return [getattr(self, name) for name in names] == [getattr(other, name) for name in names]

    __hash__ = None  # type: ignore[assignment]  # distributions and parameters have none

    def __repr__(self) -> str:
        """The verdict in a line, and its witness below it."""
        if self.question is None:
            return f"<Verdict {self.status}: {self.reason}>"
        return "\n".join(result_in_lines(_shown_by_itself(self, self.question, None)))

    def _repr_html_(self) -> str | None:
        """The HTML for a notebook: the row of a report, its witness, and the worst δ at every ε as a curve."""
        if self.question is None:
            return None
        from dpverify.reports.formats.html import row_of  # what a page is made with takes long to load

        return row_of(_shown_by_itself(self, self.question, profile_or_none(self.basis.laws)))


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Proved(Verdict):
    """No pair of neighbours violates the claim.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> verdict = check_privacy(response, Tuples((0, 1), size=1), replace_one, epsilon=log(3))
    >>> isinstance(verdict, Proved), verdict.epsilon
    (True, <1.09861228867 = ln 3>)
    """

    status = Status.PROVED
    tight: bool = False
    """Of a claim for all ε, whether some pair meets it with equality, for all ε of an interval."""
    hint: str = ""
    """Part that the claim leaves unseen on this domain, in words: what is drawn guarantees less. Empty where that
    is not known."""
    neighbours_agree: bool = False
    """True if all neighbours have one output distribution although the claim allows more, so that it says little."""


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Refuted(Verdict):
    """Some pair of neighbours violates the claim, and is shown.

    >>> def response(draw, rows):
    ...     return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]
    >>> verdict = check_privacy(response, Tuples((0, 1), size=1), replace_one, epsilon=1)
    >>> isinstance(verdict, Refuted), verdict.witness.event
    (True, (0,))
    """

    status = Status.REFUTED
    witness: Witness = field()
    """The smallest violation, in the domain's order; of a claim for all ε, at one of those where it fails."""
    fails_at: tuple[EpsilonInterval, ...] | None = None
    """Of a claim for all ε, those at which it fails, by rising ε; None of a claim for one ε, or for every δ."""
    fails_in: FailingSet | None = None
    """Of a claim for every δ, the (ε, δ) at which it fails; None of other claims, and where that is not known."""
    tight: bool = False
    """As of a proved one, where it holds."""
    find_worst: Callable[[], Witness | None] | None = field(default=None, compare=False)
    """The search for `worst`, which costs up to half of a small check: it is run where somebody asks."""

    @cached_property
    def worst(self) -> Witness | None:
        """The pair that needs the largest δ at the claimed ε, and its event: `witness` itself where that is the one.

        None of a claim for all ε or δ, and where it is not known.
        """
        return None if self.find_worst is None else self.find_worst()


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Checked(Verdict):
    """No counterexample in two runs of code outside the language of mechanisms, on every path and every database."""

    status = Status.CHECKED
    neighbours_agree: bool = False
    """As of a proved one."""


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Undecided(Verdict):
    """It is not known, for the reason that is given; of `delta` there may be bounds."""

    status = Status.UNDECIDED


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Vacuous(Verdict):
    """Nothing was put to the test: no two databases are neighbours."""

    status = Status.VACUOUS


def with_agreement(verdict: Proved, claim: PrivacyGuarantee, agree: bool) -> Proved:
    """The verdict, saying so where all neighbours have one distribution: of no note if ε = δ = 0 is claimed."""
    if not agree:
        return verdict
    if all(number.symbol is None and number == 0 for number in claim):
        return replace(verdict, reason=f"{verdict.reason}; all neighbours have one output distribution")
    laws = verdict.basis.laws
    if laws is not None and laws.densities is None and list(laws.table.outcomes) == [None]:
        return replace(verdict, neighbours_agree=True, reason=reasons.RETURNED_NOTHING.text())
    reason = f"{verdict.reason}; {reasons.NEIGHBOURS_AGREE.text()}"
    return replace(verdict, neighbours_agree=True, reason=reason)


def record_of(verdict: Verdict, question: Question, scope: Scope, profile: PrivacyProfile | None) -> PrivacyResult:
    """The verdict as a record under the mechanism's name, as expected, without what takes further checks."""
    claim = question.claim
    fails_in = verdict.fails_in if isinstance(verdict, Refuted) else None
    for_all = for_all_epsilon(claim, question.parameters, _fails_at(verdict), fails_in)
    return PrivacyResult(
        id=name_of(question.mechanism),
        source="",
        statement="",
        mechanism=name_of(question.mechanism),
        # by name, as the JSON form has them, so that an audit that is read back is rendered as it was
        parameters={name: shown_parameter(value) for name, value in sorted(question.parameters.items())},
        domain=repr(question.domain),
        neighbours=name_of(question.neighbours),
        epsilon=None if for_all is not None else enclosed(claim.epsilon).quantity,
        delta=None if for_all is not None else enclosed(claim.delta).quantity,
        for_all_epsilon=for_all,
        expected=verdict.status,
        verdict=verdict.status,
        reason=verdict.reason,
        scope=scope,
        databases=verdict.basis.databases,
        pairs=verdict.pairs.covered,
        distinct_pairs=verdict.pairs.distinct,
        skipped_neighbours=verdict.pairs.outside,
        tight_epsilon=_quantity(verdict.epsilon, verdict),
        smallest_delta=_quantity(verdict.delta, verdict),
        worst_pair=None if verdict.basis.worst is None else [readable(database) for database in verdict.basis.worst],
        profile=pieces_of(profile),
        curve=curve_of(profile, claim),
        sweep=[],
        trend="",
        witness=None if verdict.witness is None else verdict.witness.record,
        worst=_worst(verdict),
        proved_for=verdict.proved_for,
        hint=verdict.hint if isinstance(verdict, Proved) else "",
        mutant=None,
        neighbours_agree=isinstance(verdict, Proved | Checked) and verdict.neighbours_agree,
        neighbours_agree_expected=True,
        own_parameters=dict(question.contradictions) or UNSET,
        whole_runs=[WholeRunsRecord(*each) for each in verdict.basis.whole_runs] or UNSET,
        strict=False,
    )


def _worst(verdict: Verdict) -> WitnessRecord | None:
    """The worst counterexample, for the record, where it is not the witness."""
    return None if verdict.worst is None or verdict.worst is verdict.witness else verdict.worst.record


def _quantity(found: Enclosed | None, verdict: Verdict) -> Quantity | None:
    """The finding, for the record: no more than a bound where less may be needed."""
    if found is None:
        return None
    return found.bound if verdict.basis.is_upper_bound else found.quantity


def scope_on(verdict: Verdict, why: str) -> Scope:
    """The scope of a verdict on the domain that it is of; `why` says why that is finite."""
    everything = verdict.basis.for_all_sizes and isinstance(verdict, Proved)
    of_sorted_rows = isinstance(verdict, Proved) and verdict.basis.of_sorted_rows
    extent: Literal["all", "finite"] = "all" if everything else "finite"
    why = "" if everything else why
    small = verdict.basis.small_instance
    return Scope(extent, why, verdict.basis.recheck, verdict.scope, of_sorted_rows, small)


def _shown_by_itself(verdict: Verdict, question: Question, profile: PrivacyProfile | None) -> PrivacyResult:
    """The record as an audit would have it, but for what takes further checks."""
    return storable(record_of(verdict, question, scope_on(verdict, FINITE_DOMAIN), profile))


def _fails_at(verdict: Verdict) -> tuple[EpsilonInterval, ...] | None:
    """The ε at which a claim for all ε fails: none, if it is proved; None where that is not known."""
    match verdict:
        case Proved():
            return ()
        case Refuted():
            return verdict.fails_at
    return None
