"""The verdict on a domain without end: by theorems, by regions, and for REFUTED by two databases."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.finer_releases.finer import CHOICES
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime, Undecided, bad_mechanism, not_known
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.mechanisms.path_conditions.noise_tree import forget_eliminated
from dpverify.reports.numbers import counted
from dpverify.reports.privacy_record import REFUTED_ON_TWO
from dpverify.verifiers.all_sizes import every_delta_theorem, growth_theorem
from dpverify.verifiers.all_sizes.caught_errors import not_followed
from dpverify.verifiers.all_sizes.claimed_shares import claimed_shares
from dpverify.verifiers.all_sizes.decision import ProvedOnRegions, ViolatingPoint, decided_on_regions
from dpverify.verifiers.all_sizes.known_guarantees import guarantee_of
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions, TimeOfDistributions
from dpverify.verifiers.all_sizes.regions.domains import AnyGrowth, Endless, Histograms
from dpverify.verifiers.all_sizes.regions.question import AllScores, OfScores, Pair, all_scores
from dpverify.verifiers.all_sizes.regions.spot_check import SOME_NUMBERS
from dpverify.verifiers.all_sizes.theorems import holds_on_growth, known_for_every_delta, settled
from dpverify.verifiers.deciding.before_post_processing import BEFORE
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed, enclosed
from dpverify.verifiers.problems.preparation.experiment import PairCount, prepared_in_full
from dpverify.verifiers.problems.questions.domains import Multisets
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict, VerdictBasis, with_agreement


def decided_for_all_sizes(
    question: Question,
    domain: Endless,
    *,
    as_named: bool = True,
    time: TimeOfDistributions | None = None,
) -> Verdict:
    """The verdict on a domain without end: by a theorem where one settles the claim, else region by region.

    What a theorem proves is decided by the finite checker on a few neighbours, too; output distributions of regions are
    compared with those of databases where they are found. A mechanism that is not `as_named`, as its code was changed
    in place, is left to its regions: theorems know a function by being that very one. All that is done together has ten
    times the limit of seconds, of which others may have used some `time`. Raises `InputError` as `check_privacy` does.
    """
    time = TimeOfDistributions() if time is None else time
    with time.counted(question, domain):
        return _decided(question, domain, time, as_named=as_named)


def _decided(question: Question, domain: Endless, time: TimeOfDistributions, *, as_named: bool) -> Verdict:
    of_claim = {**question.claim._asdict(), **domain.given}
    question = replace(question, parameters=parameters_for(question.mechanism, of_claim, question.parameters))
    if question.of_every_delta:
        return _Deciding(question, domain, time).for_every_delta(as_named)
    if question.symbol is not None:
        question = question.at(DistributionSubstitution(question.symbol, number_of(EpsilonSymbol(handed_out=True))))
    deciding = _Deciding(question, domain, time)
    by_theorem = deciding.by_theorem() if as_named else None
    if by_theorem is not None:
        return by_theorem
    doubt = not_followed(question.mechanism, question.arguments) if as_named else None
    if doubt is not None:
        return deciding.undecided(f"on unknown numbers: {doubt}; claim it on databases up to a size")
    return deciding.by_regions()


@dataclass(frozen=True)
class _Deciding:
    """A claim on a domain without end, with its parameters, and the ways in which it is decided."""

    question: Question
    domain: Endless
    time: TimeOfDistributions
    """The seconds that all has taken together."""

    @property
    def scope(self) -> str:
        """All that the claim speaks of, in words."""
        return f"ALL pairs of neighbours ({name_of(self.question.neighbours)}) among ALL {self.domain.everything}"

    def by_theorem(self) -> Verdict | None:
        """The verdict where a theorem settles the claim; None where none does."""
        if isinstance(self.domain, AnyGrowth):
            return self._on_growth(self.domain)
        scores = all_scores(self.domain, self.question.neighbours)
        if scores is not None and self.question.symbol is not None:
            theorem = self._theorem_for_every_delta()
            if theorem is not None:
                return self._by_name(theorem, self._suspects(scores))
        try:
            settles = settled(self.question, self.domain)
        except Undecided as doubt:
            return self.undecided(str(doubt)) if self.domain.by_theorems_alone else None
        if settles is None:
            return None
        scope = f"{self.scope}; by {settles.theorem}"
        if settles.pair is not None:
            return _refuted(_on_two(self.question.of_two(settles.pair)), scope)
        reason = f"no pair of neighbours needs more, by {settles.theorem}"
        proved = replace(_proved(reason, scope), delta=_plain(settles.delta), epsilon=_plain(settles.epsilon))
        return self._also_decided(proved, self._on_few_rows() if scores is None else self._suspects(scores))

    def for_every_delta(self, as_named: bool) -> Verdict:
        """The verdict on a claim for every δ: by a theorem, or REFUTED at an ε and δ that are tried, or UNDECIDED."""
        domain = self.domain
        if isinstance(domain, AnyGrowth):
            return self._for_every_delta_on_growth(domain, as_named)
        scores = all_scores(domain, self.question.neighbours)
        if scores is None:
            theorem = self._theorem_for_every_delta() if as_named else None
            if theorem is None:
                return self._refuted_at_some_delta()
            return self._by_name(theorem, self._on_few_rows())
        asked = OfScores(self.question, scores)
        try:
            known = known_for_every_delta(self.question, domain) if as_named else None
            found = None if known is None else every_delta_theorem.settled_for_every_delta(asked, known)
        except Undecided as doubt:
            return self.undecided(str(doubt))
        if known is None or found is None:
            return self._refuted_on_some_scores(asked)
        if found.failing is None:
            return self._by_name(known.theorem, self._suspects(scores))
        assert found.asked is not None, "where it fails two neighbours are shown"
        scope = f"{self.scope}; by {known.theorem}"
        refuted = _at_one_delta(_refuted(_on_two(found.asked), scope), found.asked)
        reason = f"fails where {found.failing}; the witness is at {found.at}"
        return replace(refuted, reason=reason, fails_in=found.failing)

    def _theorem_for_every_delta(self) -> str | None:
        """The name of the theorem from which the claim follows for every δ; None where from none."""
        known = known_for_every_delta(self.question, self.domain)
        claimed = None if known is None else claimed_shares(self.question)
        return None if known is None or claimed is None or not known.holds(claimed) else known.theorem

    def _by_name(self, name: str, also: Iterable[Question]) -> Verdict:
        """PROVED by a theorem, and decided on other questions."""
        of_any = ", for any δ" if self.question.of_every_delta else ""
        proved = _proved(f"no pair of neighbours needs more{of_any}, by {name}", f"{self.scope}; by {name}")
        return self._also_decided(proved, also)

    def _on_growth(self, domain: AnyGrowth) -> Verdict | None:
        """The verdict where Theorem 13 settles the claim; None where regions may."""
        holds = holds_on_growth(self.question, domain)
        if holds:
            return self._by_theorem_13(domain)
        if holds is not None:
            for question in self._at_some_numbers():
                found = self._refuted_on_growth(question, domain)
                if found is not None:
                    return found
        return self.undecided(_ON_GROWTH) if domain.by_theorems_alone else None

    def _by_theorem_13(self, domain: AnyGrowth, questions: Iterable[Question] | None = None) -> Verdict:
        """PROVED, and decided on neighbours on which a claim with numbers would fail first."""
        suspects = (growth_theorem.suspects_on_growth(each, domain) for each in questions or self._at_some_numbers())
        of_each = (each for some in suspects for each in islice(some, _SUSPECTS_OF_EACH))
        return self._by_name(growth_theorem.THEOREM_13, of_each)

    def _refuted_on_growth(self, question: Question, domain: AnyGrowth) -> Refuted | None:
        """REFUTED where a claim with numbers fails on some neighbours; None where it does not."""
        for each in growth_theorem.suspects_on_growth(question, domain):
            found = _on_two(each)
            if isinstance(found, Refuted):
                return _refuted(found, self.scope)
        return None

    def _for_every_delta_on_growth(self, domain: AnyGrowth, as_named: bool) -> Verdict:
        """PROVED for every δ by Theorem 13, or REFUTED at an ε and δ that are tried, or UNDECIDED."""
        numbers = [
            every_delta_theorem.at_numbers(self.question, epsilon, delta)
            for delta in growth_theorem.SOME_DELTA_OF_GROWTH
            for epsilon in growth_theorem.SOME_EPSILON_OF_GROWTH
        ]
        if as_named and self._theorem_for_every_delta() is not None:
            return self._by_theorem_13(domain, numbers)
        known = known_for_every_delta(self.question, domain) if as_named else None
        claimed = None if known is None else claimed_shares(self.question)
        for at in numbers:
            found = self._refuted_on_growth(at, domain)
            if found is not None:
                failing = None if known is None or claimed is None else known.fails_in(claimed)
                refuted = _at_one_delta(found, at)
                if failing is None:
                    return refuted
                reason = f"fails where {failing}; the witness is at ε = {at.claim.epsilon} and δ = {at.claim.delta}"
                return replace(refuted, reason=reason, fails_in=failing)
        return self.undecided(_ONE_DELTA)

    def _refuted_on_some_scores(self, asked: OfScores) -> Verdict:
        """REFUTED where the claim fails at some ε and δ, on some neighbours that are tried; else UNDECIDED."""
        for epsilon, delta in SOME_NUMBERS:
            at = every_delta_theorem.at_numbers(asked.question, epsilon, delta)
            pairs = every_delta_theorem.some_neighbours(asked.scores)
            databases = [*dict.fromkeys(side for pair in pairs for side in pair)]
            found = _on_two(at.of_others(databases, partial(_partners, pairs)))
            if isinstance(found, Refuted):
                return _at_one_delta(_refuted(found, self.scope), at)
        return self.undecided(_ONE_DELTA)

    def _refuted_at_some_delta(self) -> Verdict:
        """The same of a domain of other databases: on two rows of two kinds first."""
        for epsilon, delta in SOME_NUMBERS[::5]:
            at = every_delta_theorem.at_numbers(self.question, epsilon, delta)
            on_two_rows = self._on_two_rows(at)
            if isinstance(on_two_rows, Refuted):
                return _at_one_delta(_refuted(on_two_rows, self.scope), at)
            found = decided_for_all_sizes(at, self.domain, as_named=False, time=self.time)
            if isinstance(found, Refuted):
                return _at_one_delta(found, at)
            if isinstance(found, verdicts.Vacuous):
                return found
        return self.undecided(_ONE_DELTA)

    def _on_two_rows(self, question: Question) -> Verdict | None:
        """The verdict on databases of two rows of two kinds, where a domain has them, and they have neighbours."""
        if not isinstance(self.domain, Histograms) or self.domain.sizes.least > _TWO_ROWS:
            return None
        try:
            return _on_two(question.of_others(Multisets(self.domain.universe[:2], size=_TWO_ROWS), question.neighbours))
        except InputError:  # they have none, or the mechanism raises: then regions say so
            return None

    def by_regions(self) -> Verdict:
        """The verdict by the laws on all regions of neighbours, and by two databases where the claim fails."""
        laws = self._laws(self.question, is_open=True)
        try:
            found = self._on_regions(laws, self.question.claim)
        except (Undecided, InputError) as doubt:
            if isinstance(doubt, MechanismError) and doubt.no_closed_form:
                verdict = self._before_post_processing(str(doubt))
                if verdict is not None:
                    return verdict
            if _is_of_the_mechanism(doubt, self.question.symbol):
                raise
            return self.undecided(str(doubt))
        if isinstance(found, ViolatingPoint):
            return _refuted(self._on_pair(found), self.scope)
        return self._proved_on_regions(found, laws)

    def _proved_on_regions(self, found: ProvedOnRegions, laws: DistributionsOnRegions) -> Verdict:
        """PROVED; VACUOUS where there are no neighbours."""
        if not found.cases:
            return verdicts.Vacuous(
                reason=f"no two databases are neighbours ({name_of(self.question.neighbours)}): nothing was put to the "
                "test, so choose a domain or a relation that has some",
                scope=self.scope,
                pairs=_NOT_COUNTED,
                basis=_OF_ALL,
            )
        count = f"{counted(found.cases, 'region')}, {counted(found.charts, 'law')}"
        scope = f"{self.scope}; output distributions compared with those of {counted(laws.real.tried, 'database')}"
        proved = _proved(f"no pair of neighbours needs more, of whatever size: {count}{laws.remark}", scope)
        return with_agreement(proved, self.question.claim, found.agree)

    def _before_post_processing(self, without_a_law: str) -> Verdict | None:
        """The verdict by the laws of the noises, and of what is done with them, where what is returned has none.

        Choices of leaves are tried until one proves the claim, as on databases that end. None where none decides it,
        and there is nothing to say but why the outcome has no law.
        """
        violation: ViolatingPoint | None = None
        doubt = ""
        for choice in CHOICES if self.question.symbol is None else ():
            leaves = BeforePostProcessing(self.question.mechanism, choice)
            question = replace(self.question, mechanism=leaves, parameters=self.question.arguments)
            deciding = replace(self, question=question)
            laws = deciding._laws(question)
            try:
                found = deciding._on_regions(laws, question.claim)
            except (Undecided, InputError) as error:
                if not (isinstance(error, MechanismError) and error.no_closed_form):
                    doubt = doubt or f"{_BEFORE_NOT_DECIDED}, {error}"
                continue
            if isinstance(found, ViolatingPoint):
                violation = violation or found
                continue
            proved = deciding._proved_on_regions(found, laws)
            if not isinstance(proved, verdicts.Proved):
                return proved
            reason = f"before post-processing {proved.reason}, and what is computed from it needs no more"
            basis = replace(
                proved.basis, before_post_processing=True, by_all_drawn=choice.all_drawn, is_upper_bound=True
            )
            return replace(proved, reason=reason, scope=f"{proved.scope}; {BEFORE}", basis=basis)
        on_two = None if violation is None else self._on_pair(violation)
        if isinstance(on_two, Refuted):
            return _refuted(on_two, self.scope)
        if violation is not None and on_two is not None:
            sides = " and ".join(shown(self.domain.whole(side)) for side in (violation.left, violation.right))
            of_two = _NO_MORE if isinstance(on_two, verdicts.Proved) else on_two.reason
            return self.undecided(f"on {sides}, two of them: {of_two}")
        if not_known.NO_CLOSED_FORM.instead not in without_a_law:
            return None
        return self.undecided(without_a_law.replace(not_known.NO_CLOSED_FORM.instead, _OF_ANY_SIZE) + doubt)

    def undecided(self, reason: str) -> verdicts.Undecided:
        """The verdict that says no more than that."""
        return verdicts.Undecided(reason=reason, scope=self.scope, pairs=_NOT_COUNTED, basis=_OF_ALL)

    def _laws(self, question: Question, *, is_open: bool = False) -> DistributionsOnRegions:
        return DistributionsOnRegions(question, self.domain, time_of_laws=self.time, is_open=is_open)

    def _on_regions(self, laws: DistributionsOnRegions, claim: PrivacyGuarantee) -> ProvedOnRegions | ViolatingPoint:
        forget_eliminated()
        small = partial(self._violated_on_small, replace(laws.question, claimed=claim))
        return decided_on_regions(self.domain.regions(self.question.neighbours), laws, claim, small)

    def _violated_on_small(self, question: Question) -> ViolatingPoint | None:
        """Neighbours among databases of few rows that violate the claim; None where none do, or it is not known."""
        if not isinstance(self.domain, Histograms) or question.symbol is not None:
            return None
        try:
            verdict = _on_two(question.of_others(self._few_rows(self.domain), question.neighbours))
        except InputError:  # regions say what is wrong with a mechanism
            return None
        if not isinstance(verdict, Refuted):
            return None
        left, right = map(self._counts, (verdict.witness.left, verdict.witness.right))
        return ViolatingPoint(left, right)

    def _counts(self, rows: Hashable) -> tuple[int, ...]:
        """The number of times that each row of the universe is in a database."""
        assert isinstance(self.domain, Histograms) and isinstance(rows, tuple), "a database of some rows"
        return tuple(map(rows.count, self.domain.universe))

    def _on_pair(self, pair: ViolatingPoint) -> Verdict | None:
        """The finite checker's verdict on a pair; None where both are one database."""
        databases = [self.domain.whole(pair.left), self.domain.whole(pair.right)]
        if databases[0] == databases[1]:
            return None
        parameters = self.domain.parameters(self.question.arguments, pair.left)
        return _on_two(self.question.of_two(databases, parameters))

    def _also_decided(self, proved: verdicts.Proved, questions: Iterable[Question]) -> Verdict:
        """A verdict by a theorem, after the finite checker has decided the claim on some neighbours.

        It is a test, and no part of the proof. Raises `MechanismError` where the claim fails on these.
        """
        decided = 0
        for question in islice(questions, size_of_sample("neighbours of a theorem")):
            try:
                found = _on_two(question)
            except MechanismError:
                raise
            except InputError:  # as of polynomials in e^ε of very many terms
                continue
            if isinstance(found, Refuted):
                raise MechanismError(
                    bad_mechanism.OTHERWISE,
                    name_of(self.question.mechanism),
                    f"violates the claim on {shown(found.witness.left)} and {shown(found.witness.right)}, at ε = "
                    f"{question.claim.epsilon} and δ = {question.claim.delta}, and by a theorem it does not",
                    "report this",
                )
            decided += found.pairs.covered if isinstance(found, verdicts.Proved) else 0
        of_these = f"also decided on {counted(decided, 'pair')} of neighbours" if decided else ""
        return replace(proved, scope="; ".join(filter(None, (proved.scope, of_these))))

    def _at_some_numbers(self) -> Iterator[Question]:
        """The claim at some ε and δ, where these are symbols."""
        every_delta = self.question.of_every_delta
        has_symbols = every_delta or self.question.symbol is not None
        for epsilon, delta in SOME_NUMBERS[::5] if has_symbols else SOME_NUMBERS[:1]:
            question = self.question.at_delta(delta) if every_delta else self.question
            yield (
                question if question.symbol is None else question.at(DistributionSubstitution(question.symbol, epsilon))
            )

    def _suspects(self, scores: AllScores) -> Iterator[Question]:
        """Neighbours on which a claim on a mechanism of the library would fail first, at some ε and δ."""
        row = guarantee_of(self.question.mechanism)
        for question in self._at_some_numbers() if row is not None else ():
            asked = OfScores(question, scores)
            suspects = row.on_scores.suspects(asked) if row is not None and row.on_scores is not None else iter(())
            some = [*islice(suspects, _SUSPECTS_OF_EACH)] or every_delta_theorem.some_neighbours(scores)
            yield from (question.of_two(pair) for pair in some[:_SUSPECTS_OF_EACH])

    def _on_few_rows(self) -> Iterator[Question]:
        """The claim on databases of few rows of few kinds; one without rows has no neighbours."""
        assert isinstance(self.domain, Histograms), "theorems speak of scores, and of rows that are counted"
        for question in self._at_some_numbers():
            yield question.of_others(self._few_rows(self.domain, 1), question.neighbours)

    def _few_rows(self, domain: Histograms, fewest: int = 0) -> Multisets:
        least = max(fewest, domain.sizes.least)
        return Multisets(domain.universe[:_FEW_KINDS], sizes=range(least, max(least, _FEW_ROWS) + 1))


_ONE_DELTA: Final = (
    "for every δ at once only theorems of docs/theorems.md settle a claim, and none does this one, which was not "
    "refuted at the ε and δ that were tried: give δ a value"
)
_OF_ANY_SIZE: Final = (
    "return the noisy numbers, hand them to draw.release(noise, then=function), or claim it on databases up to a size"
)
_NO_MORE: Final = (
    "before post-processing more is needed, though what is returned of these two needs no more; on databases of every "
    "size its law has no closed form"
)
_BEFORE_NOT_DECIDED: Final = "; before post-processing it is not decided"
_ON_GROWTH: Final = (
    "Theorem 13 of docs/theorems.md leaves it open, and no neighbours that violate the claim are found: decide it for "
    "a given number of solutions"
)
_TWO_ROWS: Final = 2
_SUSPECTS_OF_EACH: Final = 4
"""Pairs of neighbours of one ε and δ, of those on which a claim would fail first."""
_FEW_ROWS: Final = 4
_FEW_KINDS: Final = 3


def _partners(pairs: Sequence[Pair], database: Hashable) -> list[Hashable]:
    return [right if database == left else left for left, right in pairs if database in (left, right)]


def refuted_at_some_delta(question: Question) -> Verdict:
    """The verdict on a claim for every δ on databases that end: REFUTED at one of some ε and δ, else UNDECIDED.

    Raises `InputError` as `check_privacy` does.
    """
    found: Verdict | None = None
    for epsilon, delta in SOME_NUMBERS[::5]:
        at = every_delta_theorem.at_numbers(question, epsilon, delta)
        found = decided_on(prepared_in_full(at))
        if isinstance(found, Refuted):
            return _at_one_delta(found, at)
    assert found is not None, "some numbers are tried"
    if isinstance(found, verdicts.Vacuous):
        return found
    way_out = "give δ a value, or claim it on Scores(solutions=OrMore(1))"
    reason = _ONE_DELTA.replace("give δ a value", way_out)
    return verdicts.Undecided(reason=reason, scope=found.scope, pairs=found.pairs, basis=found.basis)


def _at_one_delta(verdict: Refuted, asked: Question) -> Refuted:
    """A verdict at numbers as one for every δ: what is found at these says nothing of others."""
    claim = asked.claim
    reason = f"at ε = {claim.epsilon} and δ = {claim.delta}: {verdict.reason}"
    basis = replace(verdict.basis, laws=None, worst=None)
    return replace(verdict, reason=reason, delta=None, epsilon=None, basis=basis)


def _is_of_the_mechanism(doubt: Undecided | InputError, symbol: EpsilonSymbol | None) -> bool:
    """True where it says what is wrong with the mechanism, not what is not decided; a time that is up is no fault."""
    if isinstance(doubt, Overtime):
        return False
    return isinstance(doubt, MechanismError) or (symbol is None and isinstance(doubt, InputError))


def _on_two(question: Question) -> Verdict:
    """The verdict on two databases, which are neighbours, or on some."""
    return decided_on(prepared_in_full(question))


_OF_ALL: Final = VerdictBasis(experiment=None, for_all_sizes=True)
_NOT_COUNTED: Final = PairCount(0, 0, 0)


def _proved(reason: str, scope: str) -> verdicts.Proved:
    return verdicts.Proved(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


def _refuted(verdict: Verdict | None, scope: str) -> Refuted:
    """The verdict that two neighbours give of a domain without end, which the finite checker has refuted."""
    assert isinstance(verdict, Refuted), "two neighbours violate the claim"
    basis = replace(verdict.basis, for_all_sizes=True)
    return replace(verdict, scope=f"{scope}; {REFUTED_ON_TWO}", basis=basis)


def _plain(number: Exact | None) -> Enclosed | None:
    """A number as a verdict gives it; None where it depends on ε."""
    return None if number is None or number.symbol is not None else enclosed(number)
