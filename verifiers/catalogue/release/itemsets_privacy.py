"""Privacy of frequent itemsets, with and without a universe: Chaudhuri, Hsu & Song, Section 4.1.

The baskets of twelve rows are such that some hold no pair, some one, and one three; at large ε the loop of LMM stops
on them before all pairs are kept, and at ε = 1 it seldom does.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.drawing.sorted_rows import in_sorted_order
from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.laws.distributions import Distribution
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.release.itemsets import (
    Basket,
    frequent_itemset,
    frequent_itemset_by_exponential,
    frequent_itemset_by_laplaces,
    frequent_itemset_or_none,
    frequent_itemset_that_occurs,
    itemset_counts,
)
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.families import on_all, the_other
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.learners.large_margin_learner_privacy import AT
from dpverify.verifiers.catalogue.refuted import as_expected, reconstruction, variant
from dpverify.verifiers.catalogue.selection.large_margin_privacy import of_the_tests
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Multisets

TENTH: Final = Fraction(1, 10)

BASKETS: Final = Multisets(((0,), (0, 1), (1, 2), (0, 1, 2)), size=12)
AT_LARGE_TOO: Final = (*AT, ("-100", 100))


def most_frequent(draw: Draw, baskets: Sequence[Basket], *, r: int, epsilon: Exact, **_: Any) -> Any:
    """Mutant: the itemset that most baskets hold, the first of equals, without noise."""
    counts = itemset_counts(baskets, r)
    return min(counts, key=lambda itemset: (-counts[itemset], itemset)) if counts else None


def or_none_of_many(draw: Draw, database: tuple[int, tuple[int, ...]], *, epsilon: Exact, delta: Exact) -> Any:
    """`frequent_itemset_or_none` on (n, basket): n baskets of the pair of 0 and 1, and one other."""
    pairs, basket = database
    return frequent_itemset_or_none(draw, ((0, 1),) * pairs + (basket,), r=2, epsilon=epsilon, delta=delta)


def most_frequent_of_many(draw: Draw, database: tuple[int, tuple[int, ...]], **_: Any) -> Any:
    """Mutant: the last pair in the other basket."""
    return database[1][-2:]


def by_exponential_at_four_times_epsilon(
    draw: Draw, baskets: Sequence[Basket], *, epsilon: Exact, **given: Any
) -> Distribution[Any]:
    """Mutant: four times the ε."""
    return frequent_itemset_by_exponential(draw, baskets, epsilon=4 * epsilon, **given)


# At ε = 1 the printed T^(1), 104, is far beyond twelve rows. A tenth of it is 10.4, which rows reach; a third is 35.
_A_TENTH: Final = of_the_tests("1/10", "1/11")
_A_THIRD: Final = of_the_tests("1/3", "3/10")
_FIM: Final = "Chaudhuri, Hsu & Song, Section 4.1"
_KNOWN: Final = {"r": 2, "items": 3}
_UNKNOWN: Final = {"r": 2}

with_universe = (
    *(
        Claim(
            id=f"CHS-4.1.privacy.printed{suffix}",
            source=_FIM,
            statement="LMM on all pairs of three items is (α,δ)-private on twelve baskets",
            mechanism=frequent_itemset,
            domain=BASKETS,
            epsilon=epsilon,
            delta=TENTH,
            parameters=_KNOWN,
            **on_all(EveryDatabase(BASKETS.universe)),
            mutant=most_frequent,
            least=_A_TENTH if epsilon == 1 else None,
        )
        for suffix, epsilon in AT
    ),
    Claim(
        id="CHS-4.1.privacy.tenth-of-the-slack",
        source=_FIM,
        statement="LMM on all pairs of three items, with a tenth of T^(r), is (α,δ)-private on twelve baskets",
        mechanism=in_sorted_order(frequent_itemset),
        domain=BASKETS,
        epsilon=1,
        delta=TENTH,
        parameters={**_KNOWN, "slack": Fraction(1, 10)},
        finite_because=ROW_BY_ROW,
        mutant=most_frequent,
        least=_A_TENTH,
    ),
    Claim(
        id="CHS-4.1.privacy.cut",
        source=_FIM,
        statement="the same, where no more than two items of a basket count, is (α,δ)-private",
        mechanism=frequent_itemset,
        domain=BASKETS,
        epsilon=30,
        delta=TENTH,
        parameters={**_KNOWN, "longest": 2},
        finite_because=ROW_BY_ROW,
        mutant=most_frequent,
    ),
    Claim(
        id="CHS-4.1.privacy.exponential-every-epsilon",
        source=_FIM,
        statement="the exponential mechanism on the levels of all pairs of three items is ε-private, for every ε",
        mechanism=frequent_itemset_by_exponential,
        domain=Multisets(BASKETS.universe, size=4),
        epsilon=symbolic,
        parameters=_KNOWN,
        finite_because=ROW_BY_ROW,
        mutant=by_exponential_at_four_times_epsilon,
    ),
)
without_universe = (
    *(
        Claim(
            id=f"CHS-4.1.privacy.without-universe{suffix}",
            source=_FIM,
            statement="LMM on the pairs that occur, and ⊥ of quality 0 for all others, is (α,δ)-private on twelve "
            "baskets",
            mechanism=frequent_itemset_that_occurs,
            domain=BASKETS,
            epsilon=epsilon,
            delta=TENTH,
            parameters=_UNKNOWN,
            expected=Status.REFUTED,
            refutation=reconstruction(
                "Section 4.1 says that LMM need not know the universe of items, and not how it is then run: to run it "
                "on what occurs, with ⊥ for all else, is our reading."
            ),
            mutant=most_frequent,
        )
        for suffix, epsilon in AT_LARGE_TOO
    ),
    *(
        Claim(
            id=f"CHS-4.1.privacy.or-none{suffix}",
            source=f"{_FIM}, corrected",
            statement="LMM on the pairs that occur, and ⊥ unless its loop stops among them, is (α,δ)-private on twelve "
            "baskets",
            mechanism=frequent_itemset_or_none,
            domain=BASKETS,
            epsilon=epsilon,
            delta=TENTH,
            parameters=_UNKNOWN,
            finite_because=ROW_BY_ROW,
            mutant=most_frequent,
            least=_A_THIRD if epsilon == 1 else None,
        )
        for suffix, epsilon in AT_LARGE_TOO
    ),
    *(
        Claim(
            id=f"CHS-4.1.privacy.or-none-{name}",
            source=f"{_FIM}, corrected",
            statement=f"the same with {slack} of the printed T^(r)",
            mechanism=frequent_itemset_or_none,
            domain=BASKETS,
            epsilon=1,
            delta=TENTH,
            parameters={**_UNKNOWN, "slack": slack},
            **as_expected(refuted),
            finite_because=ROW_BY_ROW,
            mutant=most_frequent,
            least=_A_THIRD if refuted is None else None,
        )
        for name, slack, refuted in (
            ("third-of-the-slack", Fraction(1, 3), None),
            ("fifth-of-the-slack", Fraction(1, 5), variant("The paper's slack is five times as large.")),
        )
    ),
)
long_basket = Claim(
    id="CHS-4.1.privacy.or-none-long-basket",
    source=f"{_FIM}, corrected",
    statement="the same on 1,500 baskets that hold one pair, of which one may hold six: an end of the loop at an ℓ "
    "from 2 to 6 counts where six pairs occur, and not where one does",
    mechanism=or_none_of_many,
    domain=((1499, (0, 1)), (1499, (0, 1, 2, 3))),
    neighbours=the_other,
    epsilon=TENTH,
    delta=TENTH**2,
    expected=Status.REFUTED,
    refutation=variant("It is a correction of ours that is refuted here, and nothing that the paper prints."),
    mutant=most_frequent_of_many,
)


def laplaces_at_three_times_epsilon(draw: Draw, baskets: Any, *, epsilon: Exact, **given: Any) -> Any:
    """Mutant: three times the ε."""
    return frequent_itemset_by_laplaces(draw, baskets, epsilon=3 * epsilon, **given)


laplaces = Claim(
    id="CHS-4.1.privacy.laplaces",
    source="Chaudhuri, Hsu & Song, Section 4.1",
    statement="the pair in most baskets with noise Lap(2/ε), of pairs of three items, is ε-private on four baskets",
    mechanism=frequent_itemset_by_laplaces,
    domain=Multisets(((0, 1), (0, 2), (0, 1, 2)), size=4),
    epsilon=1,
    parameters={"r": 2, "items": 3},
    finite_because=ROW_BY_ROW,
    mutant=laplaces_at_three_times_epsilon,
)
