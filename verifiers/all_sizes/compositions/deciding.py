"""The verdict on a mechanism by its parts, for databases of every size: PROVED as an upper bound, or UNDECIDED."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.errors import InputError, Overtime, Undecided, bad_input, bad_mechanism, not_known
from dpverify.mechanisms.numbers.roots.delta_symbol import at_depth, holds_delta, holds_depth, symbolic_depth
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.numbers import counted
from dpverify.reports.record import SmallInstance
from dpverify.verifiers.all_sizes.claimed_shares import never_exceeds
from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase, EveryQuality
from dpverify.verifiers.all_sizes.compositions.guarantees import guarantee_tree
from dpverify.verifiers.all_sizes.compositions.induction import by_induction, largest_needs, need_in_words
from dpverify.verifiers.all_sizes.compositions.known import known_rule
from dpverify.verifiers.all_sizes.compositions.own_parts import own_rule
from dpverify.verifiers.all_sizes.compositions.parts import EVERY_VALUE, SealedDatabase, SealedScores, part_told
from dpverify.verifiers.all_sizes.compositions.paths import AnyDatabase, PathMet, RuleOf, paths_met
from dpverify.verifiers.all_sizes.compositions.small_instances import instance_told, small_instance
from dpverify.verifiers.problems.neighbours.neighbours import change_one_label, replace_one, scores_linf
from dpverify.verifiers.problems.preparation.experiment import PairCount
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.problems.questions.score_domains import OrMore
from dpverify.verifiers.processes.stopwatch import stopwatch
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.verdict import Verdict, VerdictBasis


def decided_by_parts(question: Question, domain: EveryDatabase | EveryQuality) -> Verdict:
    """The verdict on all databases of a domain by the parts of the mechanism.

    Raises `InputError` for a relation that it does not know, and as `check_privacy` does of a mechanism.
    """
    sealed = _sealed(domain, question.neighbours)
    question = replace(question, parameters=question.arguments)
    scope = f"ALL pairs of neighbours ({name_of(question.neighbours)}) among ALL {domain.everything}"
    try:
        parts = domain.parts if isinstance(domain, EveryDatabase) else ()
        rule_of: RuleOf = lambda part: own_rule(part, parts, question.limits) or known_rule(part)  # noqa: E731
        if holds_depth((*question.claim, dict(question.parameters))):
            return _decided_by_induction(question, sealed, rule_of, scope)
        paths = _paths(question, sealed, rule_of)
        return _decided(paths, question, sealed, scope)
    except (Undecided, Overtime) as doubt:
        return undecided_by_parts(str(doubt), scope)


def _sealed(domain: EveryDatabase | EveryQuality, neighbours: NeighbourRelation) -> AnyDatabase:
    """A domain with its neighbours as parts know it."""
    if isinstance(domain, EveryQuality):
        sealed: Mapping[NeighbourRelation, AnyDatabase] = {
            scores_linf: SealedScores(None if isinstance(domain.solutions, OrMore) else domain.solutions - 1)
        }
    else:
        rows = SealedDatabase(domain.universe, domain.sizes.least)
        sealed = {replace_one: rows, change_one_label: replace(rows, labels_alone=True)}
    if neighbours not in sealed:
        words = " or ".join(map(name_of, sealed))
        raise InputError(bad_input.WRONG_RELATION, shown(domain), words, name_of(neighbours))
    return sealed[neighbours]


def _paths(question: Question, database: AnyDatabase, rule_of: RuleOf) -> Sequence[PathMet]:
    """The paths, which are the same in the reverse order."""
    mechanism, parameters = question.mechanism, question.parameters
    with stopwatch(mechanism, question.limits.seconds) as restart:
        restart("rows that hold nothing")
        paths = paths_met(mechanism, database, parameters, rule_of)
        again = paths_met(mechanism, database, parameters, rule_of, backwards=True)
    _refuse_others(mechanism, paths, again)
    return paths


def _refuse_others(mechanism: Mechanism, paths: Sequence[PathMet], again: Sequence[PathMet]) -> None:
    if [*reversed(again)] != paths:
        raise InputError(
            bad_mechanism.NOT_DETERMINISTIC, name_of(mechanism), "its paths differ when they are run in another order"
        )


def _decided_by_induction(question: Question, database: AnyDatabase, rule_of: RuleOf, scope: str) -> Verdict:
    asked = question.mechanism, database, question.parameters, question.claim, rule_of
    with stopwatch(question.mechanism, question.limits.seconds) as restart:
        restart("rows that hold nothing")
        proof = by_induction(*asked)
        again = by_induction(*asked, backwards=True)
    _refuse_others(question.mechanism, proof.base, again.base)
    _refuse_others(question.mechanism, proof.step, again.step)
    scope = f"{scope}, and ALL depths N ≥ 1"
    if not proof.holds:
        return undecided_by_parts(not_known.NO_INDUCTION.text(proof.in_words), scope)
    told = [f"at N = {depth} {instance_told(_at_depth(question, database, depth))}" for depth in _SOME_DEPTHS]
    scope, reason = "; ".join((scope, proof.parts_in_words, *told)), f"by induction over the depth: {proof.in_words}"
    return verdicts.Proved(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


_SOME_DEPTHS: Final = (1, 2, 3)


def _at_depth(question: Question, database: AnyDatabase, depth: int) -> SmallInstance:
    """A small instance of a depth, with 1 in the place of every value."""
    bound = PrivacyGuarantee(*at_depth(tuple(question.claim), depth))
    given: dict[str, Any] = dict(question.arguments)
    for name, value in given.items():
        given[name] = depth if value is symbolic_depth else 1 if value is EVERY_VALUE else value
    return small_instance(replace(question, claimed=bound, parameters=given), database, bound)


def _decided(paths: Sequence[PathMet], question: Question, database: AnyDatabase, scope: str) -> Verdict:
    claim = question.claim
    if holds_delta((*claim, dict(question.parameters))):
        return _decided_by_sums(paths, question, database, scope)
    tree = guarantee_tree(dict.fromkeys(tuple(part.guarantee for part in each.parts) for each in paths))
    parts = list(dict.fromkeys(part_told(part) for path in paths for part in path.parts))
    of_parts = f"by its parts, an upper bound: {'; '.join(parts)}" if parts else "no part sees the rows"
    number, tried = counted(len(paths), "path"), f"{scope}; {of_parts}"
    if tree.most_epsilon <= claim.epsilon and tree.most_leaked <= claim.delta:
        bound = PrivacyGuarantee(tree.most_epsilon, tree.most_leaked)
        reason = f"ε is at most {bound.epsilon} and δ {bound.delta} on each of {number}"
    elif claim.epsilon.symbol is None and tree.delta_at(claim.epsilon) <= claim.delta:
        bound, reason = claim, f"by the optimum of composition, on {number}"
    else:
        words = f"({tree.most_epsilon}, {tree.most_leaked})"
        needed = not_known.PARTS_NEED_MORE.text(words, number, "; ".join(parts))
        return undecided_by_parts(needed, scope)
    return _proved(reason, tried, small_instance(question, database, bound))


def _decided_by_sums(paths: Sequence[PathMet], question: Question, database: AnyDatabase, scope: str) -> Verdict:
    """By basic composition for every δ: what is added up on each path."""
    needs, number = largest_needs(paths), counted(len(paths), "path")
    parts = "; ".join(dict.fromkeys(part_told(part) for path in paths for part in path.parts))
    words = " or ".join(map(need_in_words, needs))
    if not all(all(map(never_exceeds, own, question.claim)) for own, _ in needs):
        return undecided_by_parts(not_known.PARTS_NEED_MORE.text(words, number, parts), scope)
    scope = f"{scope}; by its parts, an upper bound: {parts}"
    reason = f"(ε, δ) add up to {words}, or less, on each of {number}"
    return _proved(reason, scope, small_instance(question, database, question.claim))


_OF_ALL: Final = VerdictBasis(experiment=None, for_all_sizes=True)
_NOT_COUNTED: Final = PairCount(0, 0, 0)


def _proved(reason: str, scope: str, instance: SmallInstance) -> verdicts.Proved:
    scope, basis = f"{scope}; {instance_told(instance)}", replace(_OF_ALL, small_instance=instance)
    return verdicts.Proved(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=basis)


def undecided_by_parts(reason: str, scope: str) -> verdicts.Undecided:
    """The verdict that the parts do not tell."""
    return verdicts.Undecided(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)
