"""The laws of a mechanism on every database of a domain, and the checks that it is a function of them and of `draw`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from dpverify.mechanisms.exact.errors import MechanismError
from dpverify.mechanisms.exact.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.exact.exponential_polynomials import Piecewise
from dpverify.mechanisms.exact.polynomial_form import is_formally_zero
from dpverify.mechanisms.exact.shown import shown
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.keeping import expanded, outcomes_in
from dpverify.mechanisms.laws.lookalikes import refuse_lookalike
from dpverify.mechanisms.laws.mechanism import name_of
from dpverify.mechanisms.laws.released import ReleasedDistribution, Releases
from dpverify.mechanisms.laws.released_parts import FEW, PartRelease
from dpverify.mechanisms.laws.tied_reals import TiedReal
from dpverify.verifiers.privacy.domains import Domain, Multisets
from dpverify.verifiers.privacy.law_arrays import Together
from dpverify.verifiers.privacy.repetition import (
    Asked,
    Failure,
    Law,
    Mode,
    NoAnswer,
    Probabilities,
    Repetition,
    Restart,
    Subject,
    budget,
    probabilities_of,
    sample,
)
from dpverify.verifiers.privacy.row_orders import with_fewest_orders
from dpverify.verifiers.processes.stopwatch import stopwatch

Found = TypeVar("Found")

_FEWEST_ORDERS: Final = 100
"""How many further orders of rows are tried at least; of many databases, one for every four."""


class DependsOnOrder(MechanismError):
    """A mechanism that has another law on other orders of the rows of a multiset."""


class Repeated(NamedTuple):
    """Who computed laws a second time, and of how many databases."""

    mode: Mode
    databases: int

    def __str__(self) -> str:
        if self.mode == "none":
            return "not repeated"
        fixed = "" if self.mode == "another interpreter" else ", the hash seed not varied"
        return f"repeated in {self.mode} for {self.databases:,} of them{fixed}"


NOT_REPEATED: Final = Repeated("none", 0)


@dataclass(frozen=True)
class Tabulation(Generic[Found]):
    """The laws in the order of the databases; of how many of them every order of the rows was run, and a repetition."""

    laws: Sequence[Found]
    databases_in_every_order: int = 0
    repeated: Repeated = NOT_REPEATED
    has_scaled: bool = False
    """Whether noise of a scale was drawn, of which another share may be tried."""


LawsHere: TypeAlias = Callable[[Iterable[int]], list[Found]]
"""The laws on the databases at these positions, one after another, as this process finds them."""


class FoundOfAll(NamedTuple, Generic[Found]):
    """The laws on all databases, and what other processes did for that, if there were any."""

    laws: list[Found]
    paths: int = 0
    """How many of the paths were theirs."""
    in_every_order: frozenset[int] = frozenset()
    """The positions at which they ran every order of the rows, without a difference."""
    has_scaled: bool = False


Sharing: TypeAlias = Callable[[Subject, Domain, Sequence[int], Enumeration, LawsHere[Found]], FoundOfAll[Found]]
"""Who finds the laws on all databases, and runs every order of the rows at some positions: this process or several."""


def found_alone(
    subject: Subject, _: Domain, __: Sequence[int], ___: Enumeration, here: LawsHere[Found]
) -> FoundOfAll[Found]:
    """See `Sharing`: all are found by this process."""
    return FoundOfAll(here(range(len(subject.databases))))


class AtOneEpsilon(NamedTuple):
    """A law as it is at one ε; None where it was found for a number."""

    epsilon: Exact | None
    law: Law


FoundTogether: TypeAlias = Callable[[Enumeration, Restart, Sequence[Hashable]], Together[Found] | None]
"""From who enumerates, whom to tell of a database that is run, and further databases, to the laws at once."""


def tabulate(
    subject: Subject,
    domain: Domain,
    law: Callable[[Hashable, Enumeration], Found],
    at_one_epsilon: Callable[[Found], AtOneEpsilon],
    same: Callable[[Found, Found], bool],
    repetition: Repetition | None,
    together: FoundTogether[Found] = lambda *_: None,
    sharing: Sharing[Found] = found_alone,
) -> Tabulation[Found]:
    """The exact law of the mechanism on every database: `law` gives it, and `same` says whether two are equal.

    `together` gives those of all databases at once, and of others in other orders, where that is possible. Else
    `sharing` says who finds them; what comes of it does not depend on that.

    Raises `InputError` where the mechanism cannot be enumerated (see `distribution`), where a repetition of some
    databases differs from the first time, or where, on multisets, the order of the rows matters.
    """
    mechanism, databases, limits = subject.mechanism, subject.databases, subject.limits
    with stopwatch(mechanism, limits.seconds) as restart:

        def law_of(database: Hashable, enumeration: Enumeration) -> Found:
            restart(database)
            return law(database, enumeration)

        enumeration = subject.enumeration()

        def here(positions: Iterable[int]) -> list[Found]:
            with enumeration.looking_out(mechanism, subject.parameters):
                return [law_of(databases[i], enumeration) for i in positions]

        most = max(_FEWEST_ORDERS, len(databases) // 4)
        small = with_fewest_orders(databases, most) if isinstance(domain, Multisets) else []
        others = list(_other_orders(domain, databases, small))
        at_once = together(enumeration, restart, [rows for _, rows in others])
        if at_once is not None:
            laws, of_laws, has_scaled = at_once.laws, at_once.paths, False
            differing = (others[other] for other in at_once.differing([i for i, _ in others]))
        else:
            found = sharing(subject, domain, small, enumeration, here)
            laws, of_laws, has_scaled = found.laws, enumeration.runs + found.paths, found.has_scaled
            differing = (
                (i, rows)
                for i, rows in others
                if i not in found.in_every_order and not same(laws[i], law_of(rows, enumeration))
            )
        with enumeration.looking_out(mechanism, subject.parameters) if others else nullcontext():
            for i, rows in differing:
                raise DependsOnOrder(
                    f"{name_of(mechanism)} depends on the order of the rows: {shown(databases[i])} and {shown(rows)} "
                    "have different laws; use Tuples in place of Multisets"
                )
        has_scaled = has_scaled or enumeration.has_scaled
    if repetition is None:
        return Tabulation(laws, len(small), has_scaled=has_scaled)
    with stopwatch(mechanism, limits.seconds) as restart:  # whose time begins where this process is asked
        positions = sample(len(databases), of_laws)
        repeated = _compare(subject, laws, positions, of_laws, at_one_epsilon, repetition, restart)
    return Tabulation(laws, len(small), repeated, has_scaled)


def _compare(
    subject: Subject,
    laws: Sequence[Found],
    positions: Sequence[int],
    paths: int,
    at_one_epsilon: Callable[[Found], AtOneEpsilon],
    repetition: Repetition,
    restart: Restart,
) -> Repeated:
    """Compare laws with those that the repetition finds. Raises `MechanismError` where one is another."""
    first = [at_one_epsilon(laws[i]) for i in positions]
    asked = [Asked(i, known.epsilon) for i, known in zip(positions, first, strict=True)]
    answers = repetition.answers(asked, budget(len(laws), paths), restart)
    for i, known in zip(positions, first, strict=True):
        who = f"{name_of(subject.mechanism)} on {shown(subject.databases[i])}"
        try:
            answer = next(answers)
        except NoAnswer as silence:
            raise MechanismError(
                f"the law of {who} was to be computed a second time, in {repetition.mode}, which {silence}"
            ) from None
        if isinstance(answer, Failure):
            raise MechanismError(f"{who} is not deterministic: the second time, in {repetition.mode}, {answer.message}")
        if not all(_agrees(known.law, law) for law in answer):
            raise MechanismError(
                f"{who} is not deterministic: its law was another one when computed a second time, in "
                f"{repetition.mode}, from the last database to the first and with sub-mechanisms inlined; "
                f"{_KEEP_NOTHING}"
            )
    return Repeated(repetition.mode, len(positions))


_KEEP_NOTHING: Final = (
    "let all chance come from `draw`, keep nothing between calls, pass on what a sub-mechanism has drawn by returning "
    "it and in no other way, and do not depend on the order of a set"
)


def _agrees(law: Law, other: Law | Probabilities) -> bool:
    """Whether a law is one that has come from elsewhere."""
    if isinstance(other, Probabilities):
        mine = probabilities_of(law).rising
        return len(mine) == len(other.rising) and all(map(_equal, mine, other.rising))
    return same_law(law, other)


def _equal(left: Exact, right: Exact) -> bool:
    return left == right


def same_law(left: Law, right: Law) -> bool:
    """Whether two laws are equal, outcome by outcome. Raises `InputError` where outcomes are equal but not the same."""
    if _same_as_they_are(left, right):
        return True
    in_parts = [law for law in (left, right) if isinstance(law, ReleasedDistribution) and law.has_parts]
    most = FEW if len(in_parts) == 2 else _MOST_IN_FULL
    if not in_parts or max(map(outcomes_in, in_parts)) > most:
        return False
    return _same_as_they_are(expanded(left), expanded(right))  # one law in other parts


_MOST_IN_FULL: Final = 1 << 20
"""Outcomes of parts that are put in full to compare them with those of a law that is: it has a path for each."""


def _same_as_they_are(left: Law, right: Law) -> bool:
    if isinstance(left, ReleasedDistribution) and isinstance(right, ReleasedDistribution):
        return (
            _same_part(left.finite, right.finite)
            and left.released.keys() == right.released.keys()
            and all(_same_releases(parts, right.released[template]) for template, parts in left.released.items())
        )
    return left.is_finite and right.is_finite and _same_part(left.probabilities, right.probabilities)


def _same_part(left: Mapping[Any, Exact], right: Mapping[Any, Exact]) -> bool:
    if left.keys() != right.keys():
        return False
    mine = {outcome: (outcome, p) for outcome, p in left.items()}
    for other, q in right.items():
        outcome, p = mine[other]
        if not _are_equal(p, q):
            return False
        refuse_lookalike(outcome, other, " on one database")
    return True


def _are_equal(p: Exact, q: Exact) -> bool:
    """Whether two numbers are equal that are expected to be: algebra sees it faster than balls, which cannot."""
    if p is q:
        return True
    difference = p - q
    return (difference.symbol is None and is_formally_zero(difference)) or difference == 0


def _same_releases(left: Mapping[Releases, Exact], right: Mapping[Releases, Exact]) -> bool:
    """Whether two mixtures of releases are one law; of several numbers at once, whether they are mixed alike."""
    if left == right:
        return True
    mine, others = _densities(left), _densities(right)
    if mine is None or others is None:
        return False
    difference = reduce(Piecewise.plus, [*mine, *(density.scaled(negative(ONE)) for density in others)])
    return all(c == 0 for piece in difference.pieces for c in piece.values())


def _densities(parts: Mapping[Releases, Exact]) -> list[Piecewise] | None:
    """The densities of a mixture of releases of one number each; None for several numbers at once, and for parts."""
    found = []
    for releases, weight in parts.items():
        if len(releases) != 1 or isinstance(releases[0], TiedReal | PartRelease):
            return None
        found.append(releases[0].density.scaled(weight))
    return found


def _other_orders(
    domain: Domain, databases: Sequence[Hashable], positions: Sequence[int]
) -> Iterator[tuple[int, Hashable]]:
    """Each position of a multiset with each other order of its rows."""
    for i in positions:
        rows = databases[i]
        assert isinstance(rows, tuple) and isinstance(domain, Multisets)
        for order in domain.other_orders(rows):
            yield i, order
