"""Sparse vector for every ε at once: the published variants, with the printed noise and with discrete noise.

With the printed, continuous noise the probabilities hold powers of ε beside e^ε. As in `sparse_vector_privacy.py` a
refuted claim is what the variant's authors say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpverify.mechanisms import discrete_laplace, symbolic
from dpverify.verifiers.catalogue.finite import MANY_QUERIES, UNKNOWN_EPSILON
from dpverify.verifiers.catalogue.refuted import DISCRETE, OF_THE_STATEMENT
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import (
    ALL_PAIRS,
    FIRST,
    FIRST_BELOW,
    FOURTH,
    FOURTH_CORRECTED,
    NUMERICAL,
    ON_ALL_TRIPLES,
    SECOND,
    SIX,
    SIXTH,
    THREE,
    TWO,
)
from dpverify.verifiers.privacy.family import Row, claims

_EVERY: Final = Row("{}-every-epsilon", "sparse vector with scales {}, for every ε").having(
    domain=THREE, epsilon=symbolic
)
_ONE: Final = "2/ε and 4c/ε, c = 1, is ε-private{}"
_FOUR: Final = "4/ε and 4/(3ε), c = 1, is"
_VARIANTS: Final = (
    Row("", _ONE).of(_EVERY.of(FIRST)),
    Row("", "2c/ε, anew after each above, and 4c/ε, c = 2, is ε-private{}").run_with(count=2).of(_EVERY.of(SECOND)),
    Row("{}-every-epsilon", "the position of the first query below, scales 2/ε and 4/ε, is ε-private{}, for every ε")
    .having(domain=THREE, epsilon=symbolic)
    .of(FIRST_BELOW),
)
_REFUTED: Final = (
    Row("", f"{_FOUR} ε-private{{}}").of(_EVERY.of(FOURTH)),
    Row("", "2/ε and 2/ε, which never stops, is ε-private{}").of(_EVERY.of(SIXTH)),
)
_NUMERICAL: Final = (
    Row("", "3/ε and 6c/ε, that releases a query above with scale 3c/ε, is ε-private{}")
    .having(domain=TWO)
    .of(_EVERY.of(NUMERICAL))
)
_PRINTED: Final = Row("printed", ", of three queries")
_DISCRETE: Final = (
    Row("discrete{}", ", with discrete Laplace noise")
    .having(finite_because=MANY_QUERIES)
    .run_with(noise=discrete_laplace)
)

printed_at_every_epsilon = claims(
    *(ON_ALL_TRIPLES.of(_PRINTED.of(variant)) for variant in _VARIANTS),
    *(Row("claimed", ", of three queries").having(refuted=OF_THE_STATEMENT).of(variant) for variant in _REFUTED),
    Row("printed", ", of two queries").having(all_sizes=ALL_PAIRS).of(_NUMERICAL),
)
discrete_at_every_epsilon = claims(
    *(_DISCRETE.of(variant) for variant in _VARIANTS),
    *(Row().having(refuted=DISCRETE).of(_DISCRETE.of(variant)) for variant in _REFUTED),
    Row().having(finite_because=UNKNOWN_EPSILON).run_with(released=discrete_laplace).of(_DISCRETE.of(_NUMERICAL)),
    Row("-six-queries").having(domain=SIX, depth="full").of(_DISCRETE.of(_VARIANTS[0])),
)
_SEVEN_QUARTERS: Final = (
    Row("", f"{_FOUR} 7/4·ε-private{{}}").having(epsilon=symbolic * Fraction(7, 4)).of(_EVERY.of(FOURTH_CORRECTED))
)
fourth_corrected_at_every_epsilon = claims(
    Row("corrected", ", of three queries").run_with(epsilon=symbolic).of(ON_ALL_TRIPLES.of(_SEVEN_QUARTERS)),
    Row("corrected-discrete", ", with discrete noise")
    .having(finite_because=MANY_QUERIES)
    .run_with(noise=discrete_laplace, epsilon=symbolic)
    .of(_SEVEN_QUARTERS),
)
