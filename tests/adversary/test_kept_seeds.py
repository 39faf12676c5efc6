"""Programs whose seeds are kept: those that failed once, which a run never forgets."""

import os
import random
from pathlib import Path

import pytest
from tests.adversary import test_every_epsilon
from tests.adversary.checking import claims, compare_claim, compare_law, found_law
from tests.adversary.classes import CLASSES
from tests.adversary.oracles.oracle import law_of
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import CONTINUOUS, subject, sums
from tests.adversary.tally import Tally
from tests.adversary.test_continuous import compared_with_quadrature
from tests.adversary.test_laws import EXACT, STYLES

KEPT = [
    line
    for line in Path(__file__).with_name("kept_seeds.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
NAMED = os.environ.get("ADVERSARY_KEPT")
"""A seed that is tried in their place."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [NAMED] if NAMED else KEPT)
def test_a_program_that_is_kept_is_decided_as_the_oracle_says(seed: str, tally: Tally) -> None:
    again(seed, tally)


def again(seed: str, tally: Tally) -> None:
    """The program of a seed, of whatever class, compared anew. Raises `Wrong`."""
    name, is_of_class, _ = seed.partition("/")
    if is_of_class:
        CLASSES[name].attempt(seed, tally, name)
        return
    label, style = [*seed.split(":"), "", ""][1:3]
    if label == "continuous":
        compared_with_quadrature(subject(seed, CONTINUOUS), tally, runs=True, verdicts=True)
        return
    if label == "every":
        test_every_epsilon.compare(seed, subject(seed, test_every_epsilon.STYLES[style]), style, tally)
        return
    made = sums(seed) if label == "sums" else subject(seed, STYLES[style])
    laws = [law_of(made.program, rows, made.chance) for rows in made.domain]
    for rows, expected in zip(made.domain, laws, strict=True):
        for inlined in (False, True):
            law = found_law(tally, made, rows, inlined=inlined)
            if law is not None:
                compare_law(tally, made, rows, expected, law)
    if style in EXACT:
        of = dict(zip(made.domain, laws, strict=True))
        pairs = [(of[left], of[right]) for left, right in made.neighbours()]
        for claim in claims(pairs, random.Random(seed)):
            compare_claim(tally, made, function_of(made.program), laws, claim, recheck=False)


def test_every_class_has_a_seed_that_is_kept() -> None:
    assert {seed.partition("/")[0] for seed in KEPT} >= CLASSES.keys()
    assert {seed.split(":")[2] for seed in KEPT if ":laws:" in seed} == STYLES.keys()
    assert {seed.split(":")[2] for seed in KEPT if ":every:" in seed} == test_every_epsilon.STYLES.keys()
