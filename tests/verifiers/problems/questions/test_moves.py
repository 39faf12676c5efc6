"""A relation is its moves: pairs, orbits and all sizes follow from them as from the function, for a new one too."""

import re
from collections.abc import Hashable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import InputError, laplace, symmetric
from dpverify.mechanisms.drawing import permutations
from dpverify.mechanisms.drawing.symmetric import ScoreSymmetry
from dpverify.reports.record import Status
from dpverify.verifiers import Scores, ScoreSpace, check_privacy, scores_l1, scores_linf
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS, neighbouring_pairs
from dpverify.verifiers.problems.neighbours.orbits import orbits_of
from dpverify.verifiers.problems.questions.moves import Shifts, has_moves, moves_of

ROOT = Path(__file__).parents[4]


def steps_of_two(solutions: int) -> Iterator[tuple[int, ...]]:
    """At most two scores, by 1 each."""
    return (step for step in product((-1, 0, 1), repeat=solutions) if 1 <= sum(map(abs, step)) <= 2)


@has_moves(Shifts(steps_of_two, lambda solutions: 2 * solutions**2))
def two_scores(scores: Hashable, domain: Any) -> Iterator[Hashable]:
    assert isinstance(scores, tuple)
    for step in steps_of_two(len(scores)):
        yield tuple(score + change for score, change in zip(scores, step, strict=True))


def two_scores_as_a_function(scores: Hashable, domain: Any) -> Iterator[Hashable]:
    return two_scores(scores, domain)


def best(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    noisy = [score + draw(laplace(2 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


def test_the_steps_are_as_many_as_is_said() -> None:
    for relation in (two_scores, scores_linf, scores_l1):
        moves = moves_of(relation)
        assert isinstance(moves, Shifts)
        for solutions in range(1, 5):
            steps = list(moves.steps(solutions))
            assert steps == sorted(steps)
            assert moves.count(solutions) == len(steps) == len({tuple(-n for n in step) for step in steps} & set(steps))


def test_its_pairs_are_those_of_the_function() -> None:
    domain = ScoreSpace(range(4), solutions=3)
    databases = list(domain)
    one, other = (
        neighbouring_pairs(databases, domain, relation) for relation in (two_scores, two_scores_as_a_function)
    )
    assert one.count == other.count > 500
    assert one.left.tolist() == other.left.tolist()
    assert one.right.tolist() == other.right.tolist()


def test_its_orbits_are_known() -> None:
    domain = ScoreSpace(range(4), solutions=3)
    found = orbits_of(ScoreSymmetry(permuted=True, shifted=False), domain, two_scores, 10**6)
    assert found is not None
    orbits, _ = found
    assert orbits.covered == neighbouring_pairs(list(domain), domain, two_scores).count
    assert {tuple(sorted(zip(*pair, strict=True))) for pair in orbits.pairs} == {  # type: ignore[call-overload]
        tuple(sorted(zip(left, right, strict=True)))
        for left in domain
        for right in two_scores(left, domain)
        if right in set(domain)
    }
    verdict = check_privacy(
        symmetric(best, under=permutations), domain, two_scores, epsilon=2, parameters={"epsilon": 2}
    )
    assert verdict.status is Status.PROVED


def test_it_is_decided_for_all_sizes_and_no_theorem_speaks_of_it() -> None:
    verdict = check_privacy(best, Scores(solutions=2), two_scores, epsilon=1)
    assert verdict.status is check_privacy(best, Scores(solutions=2), scores_linf, epsilon=1).status is Status.PROVED
    assert "Theorem" not in verdict.scope
    with pytest.raises(InputError, match="has neighbours by scores_linf or scores_l1, and not by"):
        check_privacy(best, Scores(solutions=2), two_scores_as_a_function, epsilon=1)


def test_all_built_in_relations_have_moves_and_no_decider_asks_which_one_it_is() -> None:
    assert all(moves_of(relation) is not None for relation in RELATIONS.values())
    assert len(RELATIONS) == 7
    names = "|".join(RELATIONS)
    asking = re.compile(rf"\b(?:is|in|==|!=) \(?(?:{names})\b")
    deciders = [path for path in (ROOT / "verifiers").rglob("*.py") if "catalogue" not in path.parts]
    assert len(deciders) > 200
    assert asking.search("if question.neighbours is scores_linf:")
    for path in deciders:
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.strip().startswith(("#", "from", "import")) and '"' not in line:
                assert not asking.search(line), f"{path.name}: {line}"
