"""Privacy of the stability-based histogram for every δ, every ε and databases of every size, by Theorem 10."""

from __future__ import annotations

from typing import Any, Final

from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.noise.laplace import laplace
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.sanitizers.stable_histogram import stable_histogram
from dpverify.mechanisms.signs.delta_symbol import symbolic_delta
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.sanitizers.histograms.stable_histogram_privacy import counts_that_occur
from dpverify.verifiers.charts.domains import Histograms
from dpverify.verifiers.privacy.claim import Claim

_POINTS: Final = "Bun, Nissim & Stemmer, Algorithm 1 and Proposition 2.20"
_EVERY: Final = "for every ε > 0, every 0 < δ < 1 and databases of every size on four points"


def _claim(variant: str, noise: Any, statement: str, delta: Exact = symbolic_delta) -> Claim:
    return Claim(
        id=f"BuNS-2.20.privacy.{variant}-every-delta",
        source=_POINTS,
        statement=f"the stability-based histogram, with {statement}-private, {_EVERY}",
        mechanism=stable_histogram,
        domain=Histograms(range(4)),
        epsilon=symbolic,
        delta=delta,
        parameters={"d": 2, "noise": noise, "delta": symbolic_delta},
        scope="all",
        mutant=counts_that_occur,
    )


printed = _claim("printed-stability", laplace, "Lap(2/(εn)), is (ε,δ)")
a_quarter = _claim("printed-stability-quarter", laplace, "Lap(2/(εn)), is (ε,δ/4)", symbolic_delta / 4)
discrete = _claim("stability", discrete_laplace, "discrete Laplace noise on counts, is (ε,δ)")
