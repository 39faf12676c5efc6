"""One pair for all that a symmetry makes of each other: the same verdicts as where every pair is decided."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations as all_orders
from typing import Any

import pytest
from tests.examples import in_one
from tests.verifiers.divergence.every_epsilon.every_epsilon import failing

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    Limits,
    distribution,
    exponential,
    laplace,
    symbolic,
    symmetric,
)
from dpverify.mechanisms.drawing import permutations, relabellings, shifts
from dpverify.mechanisms.drawing.symmetric import CanonicalForm, Relabellings, Symmetric, Symmetry
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.selection import choose_by_stability_discrete, exponential_mechanism
from dpverify.verifiers import (
    Claim,
    LabelledSamples,
    Multisets,
    Proved,
    Refuted,
    Scores,
    ScoreSpace,
    Status,
    Tuples,
    add_or_remove_one,
    change_one_label,
    check_privacy,
    privacy_profile,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.claims import How
from dpverify.verifiers.problems.neighbours import orbits
from dpverify.verifiers.problems.neighbours.neighbours import neighbouring_pairs
from dpverify.verifiers.problems.neighbours.orbits import orbits_of

pytestmark = pytest.mark.usefixtures("decided_here")

ROWS = (0, 1, 2)


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return exponential({x: rows.count(x) for x in ROWS}, epsilon)


def most_common_without_half(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return exponential({x: rows.count(x) for x in ROWS}, 2 * epsilon)


def first_most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """A tie-break by index, and another outcome now and then."""
    return draw(Distribution({max(ROWS, key=rows.count): 9, ROWS[-1]: 1, "none": 1}))


def two_of_them(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    first = draw(exponential({x: rows.count(x) for x in ROWS}, epsilon))
    return first, draw(Distribution({ROWS[0]: 1 + rows.count(ROWS[0]), ROWS[1]: 2}))


def best(draw: Draw, scores: Sequence[int], *, epsilon: Any) -> Any:
    """A tie-break by index, and scores that show."""
    return draw(
        Distribution({scores.index(max(scores)): 5, ("second", len(scores) - 1): 1, "low": 1 + abs(scores[-1])})
    )


def black_box(mechanism: Mechanism) -> Mechanism:
    """The same mechanism, of which nobody can know that it is symmetric."""

    def unknown(draw: Draw, database: Any, *, epsilon: Any) -> Any:
        return draw(mechanism, database, epsilon=epsilon)

    return unknown


ON_ROWS: list[tuple[Any, Any]] = [
    (Multisets(ROWS, size=3), replace_one),
    (Multisets(ROWS, sizes=(1, 3)), replace_one),
    (Multisets(ROWS, sizes=range(1, 4)), add_or_remove_one),
    (Multisets(ROWS, sizes=(0, 1, 3)), add_or_remove_one),
    (Multisets((2, 0), size=4), replace_one),
    (Tuples(ROWS, size=3), replace_one),
    (Tuples(ROWS, sizes=(1, 2)), replace_one),
]
ON_SCORES: list[tuple[Any, Any]] = [
    (ScoreSpace(range(3), solutions=3), scores_linf),
    (ScoreSpace((0, 1, 3, 4), solutions=2), scores_linf),
    (ScoreSpace(range(-1, 2), solutions=3), scores_l1),
]
FAR_APART: tuple[Any, Any] = (ScoreSpace((-1, 10**6, 10**6 + 1), solutions=2), scores_linf)
"""A pair of which is no one number where pairs are compared."""
CASES: list[Any] = [
    *((mechanism, relabellings(ROWS), domain, relation)
      for mechanism in (most_common, most_common_without_half, first_most_common, two_of_them)
      for domain, relation in ON_ROWS),
    *((mechanism, under, domain, relation)
      for mechanism in (exponential_mechanism, best)
      for under in (permutations, shifts, permutations | shifts)
      for domain, relation in ON_SCORES),
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("delta", [0, Fraction(1, 20)])
@pytest.mark.parametrize(("mechanism", "under", "domain", "relation"), CASES)
def test_the_verdict_is_that_on_every_pair(
    mechanism: Any, under: Symmetry, domain: Any, relation: Any, delta: Any
) -> None:
    wrapped = symmetric(mechanism, under=under)
    claim: dict[str, Any] = {"epsilon": 1, "delta": delta, "recheck": False}
    found = check_privacy(wrapped, domain, relation, **claim)
    every = check_privacy(black_box(wrapped), domain, relation, **claim)
    assert found.status is every.status
    assert found.delta is not None and every.delta is not None
    assert found.delta.exact == every.delta.exact
    assert (found.epsilon is None) == (every.epsilon is None)
    if found.epsilon is not None and every.epsilon is not None:
        assert found.epsilon.exact == every.epsilon.exact
    assert (found.pairs.covered, found.pairs.outside, found.basis.databases) == (
        every.pairs.covered,
        every.pairs.outside,
        every.basis.databases,
    )
    assert found.basis.experiment is not None and every.basis.experiment is not None
    if under is shifts:  # some domains hold no two databases that are shifts of each other
        assert found.basis.experiment.pairs.count <= every.basis.experiment.pairs.count
    else:
        assert found.basis.experiment.pairs.count < every.basis.experiment.pairs.count
    assert "make of each other" in found.scope
    for pair in (found.basis.worst, None if found.witness is None else (found.witness.left, found.witness.right)):
        assert pair is None or pair in ordered_pairs(domain, relation)


def test_the_cases_are_proved_and_refuted() -> None:
    """So that agreement on them is no accident of what always holds."""
    statuses = {
        check_privacy(symmetric(f, under=relabellings(ROWS)), Multisets(ROWS, size=3), epsilon=1, recheck=False).status
        for f in (most_common, most_common_without_half, first_most_common)
    }
    assert statuses == {Status.PROVED, Status.REFUTED}


def ordered_pairs(domain: Any, relation: Any) -> set[tuple[Hashable, Hashable]]:
    databases = list(domain)
    pairs = neighbouring_pairs(databases, domain, relation)
    return {(databases[i], databases[j]) for i, j in zip(pairs.left, pairs.right, strict=True)}


# What one pair stands for, by brute force
def images(under: Any, pair: tuple[Any, Any]) -> Iterator[tuple[Hashable, Hashable]]:
    """All that the group makes of a pair, as multisets of rows, or as scores less the least where these are shifted."""
    if isinstance(under, Relabellings):
        for names in all_orders(ROWS):
            left, right = (tuple(sorted(names[ROWS.index(row)] for row in rows)) for rows in pair)
            yield left, right
        return
    for order in all_orders(range(len(pair[0]))) if under.permuted else (tuple(range(len(pair[0]))),):
        least = [min(scores) if under.shifted else 0 for scores in pair]
        left, right = (tuple(scores[i] - low for i in order) for scores, low in zip(pair, least, strict=True))
        yield left, right


@in_one(
    "under, domain, relation",
    [
        *((relabellings(ROWS), domain, relation) for domain, relation in ON_ROWS),
        *(
            (under, *each)
            for under in (permutations, shifts, permutations | shifts)
            for each in [*ON_SCORES, FAR_APART]
        ),
    ],
)
def test_there_is_exactly_one_pair_of_each_orbit(under: Any, domain: Any, relation: Any) -> None:
    found = orbits_of(under, domain, relation, 1000)
    assert found is not None
    chosen, order = found
    every = ordered_pairs(domain, relation)
    assert set(chosen.pairs) <= every
    keys = [min(images(under, pair)) for pair in chosen.pairs]
    assert sorted(keys) == sorted({min(images(under, pair)) for pair in every})
    assert sorted(domain, key=order) == list(domain)


@pytest.mark.parametrize("under", [permutations, permutations | shifts])
def test_orbits_are_the_same_in_many_blocks(under: Symmetry, monkeypatch: pytest.MonkeyPatch) -> None:
    for domain, relation in ON_SCORES:
        whole = orbits_of(under, domain, relation, 1000)
        with monkeypatch.context() as patched:
            patched.setattr(orbits, "_AT_ONCE", 1)
            in_blocks = orbits_of(under, domain, relation, 1000)
        assert whole is not None and in_blocks is not None
        assert whole[0]._replace(pairs=sorted(whole[0].pairs)) == in_blocks[0]._replace(
            pairs=sorted(in_blocks[0].pairs)
        )


# Nothing is assumed of what is not symmetric by construction
class Cheating(Symmetric):
    """Looks like a symmetric mechanism, and is none."""

    def __call__(self, draw: Draw, database: Any, /, **parameters: Any) -> Any:
        return 0 if database[0] == 0 else 1


class NoSymmetry(Relabellings):
    """Looks like a symmetry, and says of each database that it is a form of its own."""

    def form(self, database: Any) -> CanonicalForm:
        return CanonicalForm(database, range(len(self.universe)), {})


@pytest.mark.parametrize(
    "mechanism",
    [
        first_most_common,
        Cheating(most_common, relabellings(ROWS)),
        symmetric(first_most_common, under=NoSymmetry(ROWS)),
        black_box(first_most_common),
    ],
)
def test_of_a_black_box_every_pair_is_decided(mechanism: Any) -> None:
    verdict = check_privacy(mechanism, Tuples(ROWS, size=2), epsilon=1, recheck=False)
    assert verdict.status is Status.REFUTED
    assert verdict.basis.experiment is not None
    assert verdict.basis.experiment.pairs.count == verdict.pairs.covered


def last_row_falls(rows: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A relation of one's own, which the symmetry does not leave as it is."""
    if rows and rows[-1] > 0:
        yield (*rows[:-1], rows[-1] - 1)


@pytest.mark.parametrize(
    ("domain", "relation"),
    [
        (Multisets(ROWS, size=3), last_row_falls),
        ([(0, 0), (0, 1), (1, 1)], replace_one),
        (LabelledSamples((0, 1), size=2), change_one_label),
        (Tuples(ROWS, sizes=(1, 2)), add_or_remove_one),
        (Multisets((0, 1, 2, 3), size=2), replace_one),
    ],
)
def test_where_orbits_are_not_known_every_pair_is_decided(domain: Any, relation: Any) -> None:
    def any_row(draw: Draw, rows: Sequence[Any], *, epsilon: Any) -> Any:
        return draw(Distribution(dict.fromkeys((*rows, universe[0]), 1)))

    universe = ((0, 0), (0, 1), (1, 0), (1, 1)) if isinstance(domain, LabelledSamples) else (0, 1, 2, 3)
    under = relabellings(universe if 3 not in getattr(domain, "universe", ()) else (*universe, 4))
    wrapped = symmetric(any_row, under=under)
    verdict, every = (
        check_privacy(f, domain, relation, epsilon=1, recheck=False) for f in (wrapped, black_box(wrapped))
    )
    assert verdict.basis.experiment is not None
    if relation is replace_one and 3 in getattr(domain, "universe", ()):  # a part of the universe is known
        assert "make of each other" in verdict.scope
    else:
        assert verdict.basis.experiment.pairs.count == verdict.pairs.covered
        assert "every pair decided, as relabellings of 4 rows are not known" in verdict.scope
    assert (verdict.status, verdict.pairs.covered) == (every.status, every.pairs.covered)


def test_bad_input_is_refused_as_of_any_mechanism() -> None:
    wrapped: Any = symmetric(most_common, under=relabellings(ROWS))
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: check_privacy(wrapped, Multisets(ROWS, size=0), epsilon=1), "has no pair of neighbours"),
        (lambda: check_privacy(wrapped, Multisets(ROWS, size=3), epsilon=1, parameters={"x": 1}), "no parameter x"),
        (lambda: check_privacy(wrapped, Multisets(ROWS, size=3), epsilon=1, parameters=3), "is not a mapping"),  # type: ignore[arg-type]  # on purpose
        (
            lambda: check_privacy(wrapped, Multisets(ROWS, size=9), epsilon=1, limits=Limits(databases=5)),
            "more than 5 databases that are not made of each other",
        ),
        (lambda: check_privacy(wrapped, Multisets((7, 8), size=2), epsilon=1), "the row 7 is not in the universe"),
        # although the databases of one pair of each orbit, (0,) and (1,), are made of rows that it knows
        (lambda: check_privacy(wrapped, Multisets((*ROWS, 3), size=1), epsilon=1), "the row 3 is not in the universe"),
    ]
    for check, message in cases:
        with pytest.raises(InputError, match=message):
            check()


# Every ε, released noise, and the whole record
@pytest.mark.parametrize("mechanism", [most_common, most_common_without_half])
def test_for_every_epsilon(mechanism: Any) -> None:
    wrapped = symmetric(mechanism, under=relabellings(ROWS))
    found, every = (
        check_privacy(f, Multisets(ROWS, size=3), epsilon=symbolic, recheck=True) for f in (wrapped, black_box(wrapped))
    )
    assert found.status is every.status
    assert failing(found) == failing(every)
    assert isinstance(found, Proved | Refuted) and isinstance(every, Proved | Refuted)
    assert found.tight == every.tight
    assert found.pairs.covered == every.pairs.covered
    assert "output distributions recomputed in" in found.scope


def noisy_count(draw: Draw, rows: Sequence[str], *, epsilon: Any) -> Any:
    """The most frequent row with a noisy count: texts beside real numbers."""
    frequent = max("abc", key=rows.count)
    return frequent, rows.count(frequent) + draw(laplace(2 / epsilon))


def test_real_numbers_beside_labels() -> None:
    wrapped = symmetric(noisy_count, under=relabellings(tuple("abc")))
    found, every = (
        check_privacy(f, Multisets(tuple("abc"), size=3), epsilon=1, delta=Fraction(1, 2), recheck=False)
        for f in (wrapped, black_box(wrapped))
    )
    assert found.status is every.status
    assert found.delta is not None and every.delta is not None
    assert found.delta.exact == every.delta.exact
    assert found.pairs.covered == every.pairs.covered


@pytest.mark.parametrize("factor", [1, 2])
def test_real_numbers_beside_labels_for_every_epsilon(factor: int) -> None:
    def label_and_count(draw: Draw, rows: Sequence[str], *, epsilon: Any) -> Any:
        counts = {x: rows.count(x) for x in "abc"}
        return draw(exponential(counts, factor * epsilon / 2)), max(counts.values()) + draw(laplace(2 / epsilon))

    wrapped = symmetric(label_and_count, under=relabellings(tuple("abc")))
    found, every = (
        check_privacy(f, Multisets(tuple("abc"), size=2), epsilon=symbolic, recheck=False)  # 18 pairs in 4 orbits
        for f in (wrapped, black_box(wrapped))
    )
    assert found.status is every.status is (Status.PROVED if factor == 1 else Status.REFUTED)
    assert isinstance(found, Proved | Refuted) and isinstance(every, Proved | Refuted)
    assert (failing(found), found.tight) == (failing(every), every.tight)


@pytest.mark.parametrize("mechanism", [most_common, two_of_them])
def test_the_record_is_that_of_every_pair(mechanism: Any) -> None:
    wrapped = symmetric(mechanism, under=relabellings(ROWS))
    broken = symmetric(most_common_without_half, under=relabellings(ROWS))

    def claim(f: Any, mutant: Any) -> Claim:
        return Claim(
            id="T.orbits", source="here", mechanism=f, domain=Multisets(ROWS, size=3), epsilon=1, mutant=mutant
        )

    found = claim(wrapped, broken).decide(How(slack=True))
    every = claim(black_box(wrapped), black_box(broken)).decide(How(slack=True))
    for name in (
        "verdict",
        "tight_epsilon",
        "smallest_delta",
        "profile",
        "curve",
        "tight_over_claimed",
        "noise_multipliers",
        "pairs",
    ):
        assert getattr(found, name) == getattr(every, name), name
    assert found.mutant is not None and every.mutant is not None
    assert found.mutant.status is every.mutant.status
    assert found.distinct_pairs < every.distinct_pairs


def test_a_mutant_that_is_not_symmetric_is_decided_on_every_pair() -> None:
    """It is as the mechanism is on the pairs that are decided of that, and not on others."""

    def only_elsewhere(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
        """Mutant: another one on databases without the first row."""
        return most_common(draw, rows, epsilon=epsilon if 0 in rows else 9 * epsilon)

    claim = Claim(
        id="T.mutant",
        source="here",
        mechanism=symmetric(most_common, under=relabellings(ROWS)),
        domain=Multisets(ROWS, size=2),
        epsilon=1,
        mutant=only_elsewhere,
    )
    result = claim.decide()
    assert result.verdict is Status.PROVED
    assert result.mutant is not None
    assert result.mutant.status is Status.REFUTED
    assert result.mutant.description == "another one on databases without the first row."


@pytest.mark.parametrize("factor", [1, 2])
def test_scores_without_end_are_sorted_region_by_region(factor: int) -> None:
    def chosen(draw: Draw, scores: Any, *, epsilon: Any) -> Any:
        return exponential(scores, factor * epsilon)

    verdict = check_privacy(symmetric(chosen, under=permutations | shifts), Scores(solutions=2), scores_linf, epsilon=1)
    assert verdict.status is (Status.PROVED if factor == 1 else Status.REFUTED)
    assert verdict.basis.for_all_sizes


def test_a_profile_is_that_of_every_pair() -> None:
    wrapped = symmetric(choose_by_stability_discrete, under=permutations | shifts)

    def unknown(draw: Draw, scores: Any, *, epsilon: Any, delta: Any) -> Any:
        return draw(wrapped, scores, epsilon=epsilon, delta=delta)

    given = {"epsilon": 1, "delta": Fraction(1, 10)}
    found, every = (
        privacy_profile(f, ScoreSpace(range(6), solutions=3), scores_linf, parameters=given, recheck=False)
        for f in (wrapped, unknown)
    )
    assert [str(piece) for piece in found.pieces] == [str(piece) for piece in every.pieces]


def test_many_rows_are_no_burden() -> None:
    """No database is listed: of 8·10^6 there are 56 kinds."""
    universe = tuple(range(16))

    def frequent(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
        return exponential({x: rows.count(x) for x in universe}, epsilon)

    domain = Multisets(universe, size=11)
    verdict = check_privacy(symmetric(frequent, under=relabellings(universe)), domain, epsilon=1, recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.basis.databases == len(domain)


TWICE = symmetric(most_common_without_half, under=relabellings(ROWS))


def test_the_line_of_a_witness_names_what_was_wrapped() -> None:
    witness = check_privacy(TWICE, Multisets(ROWS, size=3), epsilon=1, recheck=False).witness
    assert witness is not None and witness.reproduce is not None
    assert "import TWICE; " in witness.reproduce
    assert "distribution(TWICE, x" in witness.reproduce


def test_the_witness_is_drawn_anew_by_its_line() -> None:
    wrapped = symmetric(exponential_mechanism, under=permutations | shifts)
    verdict = check_privacy(
        wrapped, ScoreSpace(range(4), solutions=2), scores_linf, epsilon=1, parameters={"epsilon": 2}, recheck=False
    )
    witness = verdict.witness
    assert witness is not None and witness.reproduce is not None
    assert "Symmetric(mechanism=exponential_mechanism, under=ScoreSymmetry(" in witness.reproduce
    again = distribution(wrapped, witness.left, epsilon=2).probability(*witness.event)
    assert again == witness.p
