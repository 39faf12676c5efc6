"""A noise of one's own is one file: it is compared, released, rounded, mirrored, sampled and halved like the others."""

import importlib
import pkgutil
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.mechanisms.noise.skewed import Skewed, skewed

import dpverify.mechanisms.noise
from dpverify.mechanisms import exact, log, run
from dpverify.mechanisms.language.compiled import outside_of
from dpverify.mechanisms.noise.law import NoiseLaw, NoiseOfScale, SymmetricNoise, probability
from dpverify.mechanisms.numbers.roots.intervals import EVERYTHING, half_open
from dpverify.reports.record import Status
from dpverify.verifiers import Scores, Tuples, check_privacy, replace_one, scores_linf

ROOT = Path(__file__).parents[3]


def counted(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return rows.count(1) + draw(skewed(2 / epsilon))


def turned(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return rows.count(1) - draw(skewed(2 / epsilon))


def rounded(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return round(rows.count(1) + draw(skewed(2 / epsilon)))


def above(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return rows.count(1) + draw(skewed(2 / epsilon)) > 2


def best(draw: Any, scores: Any, *, epsilon: Any) -> Any:
    noisy = [score + draw(skewed(4 / epsilon)) for score in scores]
    return noisy.index(max(noisy))


BITS = Tuples((0, 1), size=3)


@pytest.mark.parametrize("mechanism", [counted, turned, rounded, above])
def test_it_is_decided_compared_released_mirrored_and_rounded(mechanism: Any) -> None:
    """Its log-density has slopes 1/b and -2/b: a count with b = 2/ε is ε-private, and in what is released no less."""
    verdict = check_privacy(mechanism, BITS, replace_one, epsilon=1)
    assert verdict.status is Status.PROVED
    assert verdict.epsilon is not None
    assert verdict.epsilon.exact is not None or mechanism is rounded
    assert verdict.epsilon.upper <= 1
    if mechanism in (counted, turned):
        assert verdict.epsilon.exact == 1
        assert check_privacy(mechanism, BITS, replace_one, epsilon="0.999", parameters={"epsilon": 1}).witness


KEPT: list[int] = []


class Keeping(Skewed):
    """A law that tells how often it was asked, past what a reader sees."""

    def mass(self, low: Any, high: Any) -> Any:
        kept = [KEPT][0]
        kept.append(1)
        return super().mass(low, high) / len(kept)


def test_a_law_that_changes_what_is_outside_is_not_proved() -> None:
    assert outside_of(lambda draw, rows: rows.count(1) + draw(Keeping(exact(2))))
    assert not outside_of(counted)


def test_with_half_the_noise_it_is_refuted() -> None:
    assert check_privacy(counted, BITS, replace_one, epsilon=1, parameters={"epsilon": 2}).status is Status.REFUTED


def test_it_is_decided_for_all_sizes() -> None:
    assert check_privacy(best, Scores(solutions=2), scores_linf, epsilon=2).status is Status.PROVED


def test_it_has_a_share_of_its_noise() -> None:
    law = Skewed(exact(3))
    assert law.scaled(Fraction(1, 3)) == Skewed(exact(1))
    assert law.with_numbers(lambda number: number * 2) == Skewed(exact(6))


def test_its_law_is_one() -> None:
    law = Skewed(exact(2))
    assert probability(law, EVERYTHING) == 1
    assert probability(law, half_open(exact(0), None)) == Fraction(2, 3)
    assert probability(law.mirror_image(), half_open(None, exact(0))) == Fraction(2, 3)
    assert law.density.cumulative is not None
    assert law.mirror_image().mirror_image() == law


def test_it_is_sampled() -> None:
    draws = [run(above, (1, 1, 1), seed=seed, epsilon=log(2)) for seed in range(300)]
    assert 200 < sum(draws) < 290  # Pr[N > -1] = 1 - e^(-ln 2)/3 = 5/6 of 300: 250, and five standard deviations


def test_no_reader_asks_which_noise_it_is() -> None:
    """Outside its own file a noise is known by what it answers alone."""
    for module in pkgutil.iter_modules(dpverify.mechanisms.noise.__path__):
        importlib.import_module(f"dpverify.mechanisms.noise.{module.name}")
    importlib.import_module("dpverify.mechanisms.path_conditions.added_noise")  # a sum of them, which is one as well
    bases = NoiseLaw, SymmetricNoise, NoiseOfScale
    named = {kind.__name__ for base in bases for kind in base.__subclasses__()}
    # the last two are none, as who draws the one asks, and nobody draws the other
    kinds = named - {"Skewed", "SymmetricNoise", "NoiseOfScale", "PointMass", "UnknownWeight"}
    assert len(kinds) == 13
    asking = re.compile(rf"isinstance\([^()]*, [^()]*\b(?:{'|'.join(kinds)})\b")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for folder in ("mechanisms", "verifiers")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "derived.py"
        for match in asking.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found
