"""Sparse vector for every ε at once: the published variants, with the printed noise and with discrete noise.

With the printed, continuous noise the probabilities hold powers of ε beside e^ε. As in `sparse_vector_privacy.py` a
refuted claim is what the variant's authors say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.noise.discrete_laplace import discrete_laplace
from dpverify.mechanisms.selection.sparse_vector import first_below, numerical_svt, svt1, svt2, svt4, svt6
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.catalogue.families import at_every_epsilon
from dpverify.verifiers.catalogue.finite import MANY_QUERIES, UNKNOWN_EPSILON
from dpverify.verifiers.catalogue.refuted import DISCRETE, OF_THE_STATEMENT, as_expected
from dpverify.verifiers.catalogue.selection.noise.sparse_vector_privacy import (
    ON_ALL_PAIRS,
    ON_ALL_TRIPLES,
    SIX,
    THREE,
    TWO,
    svt_without_query_noise,
)
from dpverify.verifiers.pairs.neighbours import scores_linf

_DISCRETE: Final = {"noise": discrete_laplace}


class _Variant(NamedTuple):
    """A published variant: what is said of it, and whether that is refuted."""

    row: str
    source: str
    statement: str
    mechanism: Mechanism
    parameters: dict[str, Any] = {}  # noqa: RUF012  # nobody writes to it
    is_refuted: bool = False


_VARIANTS: Final = (
    _Variant(
        "LSL-Alg1",
        "Lyu, Su & Li 2017, Algorithm 1",
        "sparse vector with scales 2/ε and 4c/ε, c = 1, is ε-private",
        svt1,
    ),
    _Variant(
        "LSL-Alg2",
        "Lyu, Su & Li 2017, Algorithm 2",
        "sparse vector with scales 2c/ε, anew after each above, and 4c/ε, c = 2, is ε-private",
        svt2,
        {"count": 2},
    ),
    _Variant(
        "LSL-Alg4",
        "Lyu, Su & Li 2017, Algorithm 4, after Lee & Clifton 2014",
        "sparse vector with scales 4/ε and 4/(3ε), c = 1, is ε-private",
        svt4,
        is_refuted=True,
    ),
    _Variant(
        "LSL-Alg6",
        "Lyu, Su & Li 2017, Algorithm 6, after Chen et al. 2015",
        "sparse vector with scales 2/ε and 2/ε, which never stops, is ε-private",
        svt6,
        is_refuted=True,
    ),
    _Variant(
        "LSL-Num",
        "Ding et al. 2018, NumericalSVT",
        "sparse vector with scales 3/ε and 6c/ε, that releases a query above with scale 3c/ε, is ε-private",
        numerical_svt,
    ),
    _Variant(
        "LICS20-SVT",
        "Barthe et al., LICS 2020, sparse vector",
        "the position of the first query below, scales 2/ε and 4/ε, is ε-private",
        first_below,
    ),
)

printed_at_every_epsilon = tuple(
    at_every_epsilon(
        variant.row,
        variant="claimed-" if variant.is_refuted else "printed-",
        source=variant.source,
        statement=f"{variant.statement}, of {'two' if variant.mechanism is numerical_svt else 'three'} queries, for "
        "every ε",
        mechanism=variant.mechanism,
        domain=TWO if variant.mechanism is numerical_svt else THREE,
        neighbours=scores_linf,
        parameters=variant.parameters,
        **as_expected(OF_THE_STATEMENT if variant.is_refuted else None),
        **({} if variant.is_refuted else ON_ALL_PAIRS if variant.mechanism is numerical_svt else ON_ALL_TRIPLES),
        mutant=svt_without_query_noise,
    )
    for variant in _VARIANTS
)
discrete_at_every_epsilon = tuple(
    at_every_epsilon(
        variant.row,
        variant="discrete-",
        source=variant.source,
        statement=f"{variant.statement}, with discrete Laplace noise, for every ε",
        mechanism=variant.mechanism,
        domain=TWO if variant.mechanism is numerical_svt else THREE,
        neighbours=scores_linf,
        parameters={
            **_DISCRETE,
            **variant.parameters,
            **({"released": discrete_laplace} if variant.mechanism is numerical_svt else {}),
        },
        **as_expected(DISCRETE if variant.is_refuted else None),
        finite_because=UNKNOWN_EPSILON if variant.mechanism is numerical_svt else MANY_QUERIES,
        mutant=svt_without_query_noise,
    )
    for variant in _VARIANTS
)
six_queries_at_every_epsilon = at_every_epsilon(
    "LSL-Alg1",
    variant="discrete-six-queries-",
    source="Lyu, Su & Li 2017, Algorithm 1",
    statement="sparse vector with scales 2/ε and 4c/ε, c = 1, is ε-private, with discrete Laplace noise, for every ε",
    mechanism=svt1,
    domain=SIX,
    neighbours=scores_linf,
    parameters=_DISCRETE,
    finite_because=MANY_QUERIES,
    mutant=svt_without_query_noise,
    depth="full",
)
fourth_corrected_at_every_epsilon = at_every_epsilon(
    "LSL-Alg4",
    variant="corrected-",
    source="Lyu, Su & Li 2017, Algorithm 4",
    statement="sparse vector with scales 4/ε and 4/(3ε), c = 1, is 7/4·ε-private, of three queries, for every ε",
    mechanism=svt4,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=symbolic * Fraction(7, 4),
    parameters={"epsilon": symbolic},
    **ON_ALL_TRIPLES,
    mutant=svt_without_query_noise,
)
fourth_corrected_discrete_at_every_epsilon = at_every_epsilon(
    "LSL-Alg4",
    variant="corrected-discrete-",
    source="Lyu, Su & Li 2017, Algorithm 4",
    statement="sparse vector with scales 4/ε and 4/(3ε), c = 1, is 7/4·ε-private, with discrete noise, for every ε",
    mechanism=svt4,
    domain=THREE,
    neighbours=scores_linf,
    epsilon=symbolic * Fraction(7, 4),
    parameters={**_DISCRETE, "epsilon": symbolic},
    finite_because=MANY_QUERIES,
    mutant=svt_without_query_noise,
)
