"""Claims of what is computed from noise, where its law has no closed form: decided by the noises themselves.

Leaves and label decide the outcome, whatever is done with them. So a claim that is PROVED of them holds of the outcome.
One that fails of them fails of the outcome only where the outcome tells leaves and label; elsewhere nothing follows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

from dpverify.mechanisms.drawing.symmetric import Symmetric
from dpverify.mechanisms.finer_releases.before_post_processing import BeforePostProcessing
from dpverify.mechanisms.finer_releases.finer import CHOICES, Leaves
from dpverify.mechanisms.finer_releases.finer_labels import (
    WHERE,
    ExclusiveLabels,
    Label,
    NumberBeside,
    Of,
    PlainConstant,
    Then,
)
from dpverify.mechanisms.finer_releases.seen_by_value import difference_of
from dpverify.mechanisms.functions.places import place_in_brackets
from dpverify.mechanisms.numbers.enclosure import decimal_of_fraction
from dpverify.mechanisms.numbers.errors import MechanismError, Undecided, not_known
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.deciding.one_epsilon import verdict_at_epsilon
from dpverify.verifiers.deciding.own_events import refuted_on_its_own
from dpverify.verifiers.divergence.densities.mixture_components import atoms_of, mixture_components_of
from dpverify.verifiers.divergence.densities.one_to_one import tells_leaves
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed
from dpverify.verifiers.divergence.output_tables.tabulation import DependsOnOrder
from dpverify.verifiers.problems.preparation.answers import AnyDistribution
from dpverify.verifiers.problems.preparation.experiment import Experiment
from dpverify.verifiers.problems.preparation.repetition import never_repeated, repeated_here
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.compared_distributions import tabulated
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict

_SHORT: Final = 60


class _Tried(NamedTuple):
    """A verdict on the leaves and the label, for one choice of leaves, and the distributions of them."""

    verdict: Verdict
    laws: Sequence[AnyDistribution]
    choice: Leaves

    @property
    def is_told(self) -> bool:
        """True where the outcome tells leaves and label; it never tells leaves that it does not hold."""
        return not self.choice.all_drawn and tells_leaves(self.laws)


def decided_before_post_processing(experiment: Experiment, without_a_law: str = "") -> Verdict | None:
    """The verdict on an experiment by its finer release; None where that has no distribution in closed form either.

    `without_a_law` says why the outcome has none, which is all there is to say where the noises tell databases apart.

    Choices of leaves are tried until one proves the claim. Raises `InputError` as a check does of a mechanism, and
    `Undecided` where a function that is applied to what is released sees what cannot be compared.
    """
    question = experiment.question
    if isinstance(question.mechanism, Symmetric):
        return None
    repeating = experiment.repeating if experiment.repeating is never_repeated else repeated_here
    tried: list[_Tried] = []
    doubt: Undecided | None = None
    for choice in CHOICES:
        leaves = BeforePostProcessing(question.mechanism, choice)
        finer = replace(question, mechanism=leaves, parameters=question.arguments)
        inner = replace(experiment, question=finer, repeating=repeating)
        try:
            laws = tabulated(inner)
            verdict = verdict_at_epsilon(inner, laws)
        except Undecided as error:
            doubt = doubt or error
            continue
        except DependsOnOrder as error:
            doubt = doubt or Undecided(_of_order(inner, str(error)))
            continue
        except MechanismError as error:
            if not error.no_closed_form and not choice.all_drawn:
                raise
            continue
        result = _Tried(verdict, laws.tabulation.laws, choice)
        if isinstance(verdict, Proved):
            return _said(result, f"before post-processing {verdict.reason}, and what is computed from it needs no more")
        tried.append(result)
    refuted = [each for each in tried if isinstance(each.verdict, Refuted)]
    for each in refuted:
        if each.is_told:
            return _said(each, f"{each.verdict.reason}; in the event, x1, x2 and so on are the noisy numbers")
    if refuted:
        own = _on_its_own(experiment, refuted)
        return _undecided(refuted, without_a_law) if own is None else own
    if tried:
        return _said(tried[0], tried[0].verdict.reason)
    if doubt is not None:
        raise doubt
    return None


BEFORE: Final = (
    "decided before post-processing: by the noises and what is done with them, not by the outcome's distribution"
)


def _said(found: _Tried, reason: str) -> Verdict:
    """The verdict, saying of what it is. What is of the outcome as well is no bound."""
    is_bound = not found.is_told
    scope = f"{found.verdict.scope}; {BEFORE}{'' if is_bound else ', from which they can be told'}"
    by_all = found.choice.all_drawn
    basis = replace(found.verdict.basis, before_post_processing=True, by_all_drawn=by_all, is_upper_bound=is_bound)
    basis = replace(basis, laws=None) if is_bound else basis
    return replace(found.verdict, reason=reason, scope=scope, basis=basis)


def _undecided(refuted: Sequence[_Tried], without_a_law: str) -> Verdict:
    """Nothing follows from a refutation of a finer release."""
    best = min(refuted, key=_needed)
    seen = _seen_differently(best.laws)
    if seen:
        reason = not_known.SEES_DATABASE.text(seen)
    elif best.verdict.epsilon is None and _released_differently(best.laws):
        reason = not_known.RELEASED_OTHERWISE.text(_released_differently(best.laws))
    elif (
        without_a_law
        and best.verdict.epsilon is None
        and best.verdict.delta is not None
        and best.verdict.delta.lower >= 1
    ):
        reason = f"{without_a_law}; the noises in it tell the databases apart, so that they decide nothing"
    elif best.verdict.epsilon is None and best.verdict.delta is not None:
        reason = not_known.NEEDS_MORE_BEFORE.text(f"no ε suffices at δ = 0, and {_delta(best.verdict.delta)} at this ε")
    else:
        reason = not_known.NEEDS_MORE_BEFORE.text(f"it needs ε = {_epsilon(best.verdict.epsilon)}")
    said = _said(best, reason)
    basis = replace(said.basis, worst=None, laws=None, refuted_before_post_processing=not seen)
    return verdicts.Undecided(reason=reason, scope=said.scope, pairs=said.pairs, basis=basis)


def _on_its_own(experiment: Experiment, refuted: Sequence[_Tried]) -> Verdict | None:
    """The claim refuted by an event about the outcome itself; None where none is found."""
    best = min(refuted, key=_needed)
    assert best.verdict.witness is not None, "it is refuted"
    shapes = {_parts_of(label.expression) for law in best.laws for label in path_labels(law)}
    if len(shapes) != 1 or any(map(_applied_in, best.laws)):
        return None
    pair = best.verdict.witness.left, best.verdict.witness.right
    witness = refuted_on_its_own(experiment.question, pair, *shapes)
    if witness is None:
        return None
    return Refuted(
        reason="a pair of neighbours needs more at this ε, by what can be told from the outcome alone",
        scope=best.verdict.scope,
        pairs=best.verdict.pairs,
        witness=witness,
        basis=replace(best.verdict.basis, worst=None, laws=None),
    )


def _parts_of(expression: Hashable) -> int | None:
    if isinstance(expression, Of) and expression.operator == WHERE:
        return _parts_of(expression.operands[0])
    return len(expression.operands) if isinstance(expression, Of) and expression.operator == "tuple" else None


def _needed(tried: _Tried) -> tuple[bool, float]:
    epsilon = tried.verdict.epsilon
    return (True, 0.0) if epsilon is None else (False, float(epsilon.upper))


def _epsilon(epsilon: Enclosed | None) -> str:
    return "∞" if epsilon is None else _number(epsilon)


def _delta(delta: Enclosed) -> str:
    return f"δ = {_number(delta)}"


def _number(number: Enclosed) -> str:
    form = None if number.exact is None else readable_within(number.exact, _SHORT)
    return form or decimal_of_fraction((number.lower + number.upper) / 2)


def _of_order(experiment: Experiment, said: str) -> str:
    """Message where leaves or label depend on the order of the rows: a function may see them, to no effect."""
    enumeration, question = experiment.enumeration(), experiment.question
    laws = []
    for rows in experiment.databases:
        assert isinstance(rows, tuple), "a multiset has rows"
        laws += [enumeration.law(question.mechanism, (order,), question.arguments) for order in {rows, rows[::-1]}]
    seen = _seen_differently(laws)
    if seen:
        return not_known.SEES_DATABASE.text(seen)
    return f"before post-processing {said}"


# --- Functions that see the database


def _seen_differently(laws: Sequence[AnyDistribution]) -> str:
    """Values that functions of released numbers see and that differ between databases; empty for none."""
    applied = [_applied_in(law) for law in laws]
    for these in applied[1:]:
        mine, theirs = ({then.function: then for then in each} for each in (applied[0], these))
        others = {seen.function: seen for seen in theirs if seen not in mine}
        for seen, then in mine.items():
            if seen not in theirs and seen.function in others:
                return f"{difference_of(seen, others[seen.function])}{place_in_brackets(then.place)}"
    return ""


def _released_differently(laws: Sequence[AnyDistribution]) -> str:
    """The functions that are applied, or plain values that they get, where databases differ in them; empty for none.

    Noise is not looked at, nor what functions see: see `_seen_differently`.
    """
    applied = [{(then.function, _plain_in(then.released)): then.place for then in _applied_in(law)} for law in laws]
    for these in applied[1:]:
        mine = [each for each in applied[0] if each not in these]
        theirs = [each for each in these if each not in applied[0]]
        for (one, numbers), (other, others) in product(mine, theirs):
            place = place_in_brackets(applied[0][one, numbers])
            if one != other:
                return f"{one.function} is applied on one database, and {other.function} on another one{place}"
            for number, another in zip(numbers, others, strict=False):
                if number != another:
                    values = f"{shown(number)} on one database, and {shown(another)} on another one"
                    return f"{one.function} is given a plain value, {values}{place}"
    return ""


def _applied_in(law: AnyDistribution) -> list[Then]:
    """The functions that are applied on the paths of a distribution, with what they are applied to."""
    return [then for label in path_labels(law) for then in _thens_in(label.expression)]


def _plain_in(expression: object) -> tuple[object, ...]:
    """The plain values in what is released."""
    if isinstance(expression, PlainConstant | NumberBeside):
        return (expression.value,)
    if isinstance(expression, Of):
        return tuple(value for part in expression.operands for value in _plain_in(part))
    return ()


def path_labels(law: AnyDistribution) -> list[Label]:
    """The labels of the paths of a finer release."""
    return [label for outcome in (*atoms_of(law), *mixture_components_of(law)) for label in labels_in(outcome)]


def labels_in(outcome: Hashable) -> Sequence[Label]:
    """The labels of the paths that an outcome, or a template, of a finer release stands for; none of a plain one."""
    if not isinstance(outcome, tuple) or not outcome:
        return ()
    first = outcome[0]
    if isinstance(first, ExclusiveLabels):
        return sorted(first.of, key=str)
    return (first,) if isinstance(first, Label) else ()


def _thens_in(expression: object) -> Sequence[Then]:
    if isinstance(expression, Then):
        return [expression, *_thens_in(expression.released)]
    if isinstance(expression, Of):
        return [then for part in expression.operands for then in _thens_in(part)]
    return ()
