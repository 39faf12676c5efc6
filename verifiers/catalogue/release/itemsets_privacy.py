"""Privacy of frequent itemsets, with and without a universe: Chaudhuri, Hsu & Song, Section 4.1.

The baskets of twelve rows are such that some hold no pair, some one, and one three; at large ε the loop of LMM stops
on them before all pairs are kept, and at ε = 1 it seldom does.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, symbolic
from dpverify.mechanisms.drawing import in_sorted_order
from dpverify.mechanisms.release import (
    frequent_itemset,
    frequent_itemset_by_exponential,
    frequent_itemset_by_laplaces,
    frequent_itemset_or_none,
    frequent_itemset_that_occurs,
)
from dpverify.mechanisms.release.itemsets import Basket, itemset_counts
from dpverify.verifiers import Multisets
from dpverify.verifiers.catalogue.families import SYMBOLS, TENTH, the_other
from dpverify.verifiers.catalogue.finite import ROW_BY_ROW
from dpverify.verifiers.catalogue.mutants import at_times_epsilon
from dpverify.verifiers.catalogue.selection.large_margin_privacy import of_the_tests
from dpverify.verifiers.privacy.family import EveryDatabase, Row, family, rows_of

BASKETS: Final = Multisets(((0,), (0, 1), (1, 2), (0, 1, 2)), size=12)


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


# At ε = 1 the printed T^(1), 104, is far beyond twelve rows. A tenth of it is 10.4, which rows reach; a third is 35.
_A_TENTH: Final = of_the_tests("1/10", "1/11")
_A_THIRD: Final = of_the_tests("1/3", "3/10")
_FIM: Final = Row("CHS-4.1.privacy.").having(source="Chaudhuri, Hsu & Song, Section 4.1")
_OF_TWELVE: Final = Row().having(domain=BASKETS, delta=TENTH, mutant=most_frequent)
with_universe = family(
    Row().run_with(r=2, items=3).of(_FIM),
    *rows_of(
        _OF_TWELVE,
        *rows_of(
            Row("printed", "LMM on all pairs of three items is (α,δ)-private on twelve baskets").having(
                mechanism=frequent_itemset, all_sizes=EveryDatabase(BASKETS.universe).for_every(*SYMBOLS)
            ),
            Row().having(epsilon=1, least=_A_TENTH),
            Row("-30").having(epsilon=30),
        ),
        Row("tenth-of-the-slack")
        .says("LMM on all pairs of three items, with a tenth of T^(r), is (α,δ)-private on twelve baskets")
        .having(mechanism=in_sorted_order(frequent_itemset), epsilon=1, finite_because=ROW_BY_ROW, least=_A_TENTH)
        .run_with(slack=TENTH),
        Row("cut", "the same, where no more than two items of a basket count, is (α,δ)-private")
        .having(mechanism=frequent_itemset, epsilon=30, finite_because=ROW_BY_ROW)
        .run_with(longest=2),
    ),
    Row("exponential-every-epsilon")
    .says("the exponential mechanism on the levels of all pairs of three items is ε-private, for every ε")
    .having(mechanism=frequent_itemset_by_exponential, domain=Multisets(BASKETS.universe, size=4), epsilon=symbolic)
    .having(finite_because=ROW_BY_ROW)
    .having(mutant=at_times_epsilon(4, frequent_itemset_by_exponential, "by_exponential_at_four_times_epsilon")),
    Row("laplaces")
    .says("the pair in most baskets with noise Lap(2/ε), of pairs of three items, is ε-private on four baskets")
    .having(mechanism=frequent_itemset_by_laplaces, domain=Multisets(((0, 1), (0, 2), (0, 1, 2)), size=4), epsilon=1)
    .having(finite_because=ROW_BY_ROW)
    .having(mutant=at_times_epsilon(3, frequent_itemset_by_laplaces, "laplaces_at_three_times_epsilon")),
)
without_universe = family(
    Row().run_with(r=2).of(_OF_TWELVE.of(_FIM)),
    Row("without-universe")
    .says("LMM on the pairs that occur, and ⊥ of quality 0 for all others, is (α,δ)-private on twelve baskets")
    .having(mechanism=frequent_itemset_that_occurs, epsilon={"": 1, "-30": 30, "-100": 100})
    .having(
        reconstruction="Section 4.1 says that LMM need not know the universe of items, and not how it is then run: to "
        "run it on what occurs, with ⊥ for all else, is our reading."
    ),
    *rows_of(
        Row("or-none")
        .having(source="Chaudhuri, Hsu & Song, Section 4.1, corrected", mechanism=frequent_itemset_or_none)
        .having(finite_because=ROW_BY_ROW),
        *rows_of(
            Row().says(
                "LMM on the pairs that occur, and ⊥ unless its loop stops among them, is (α,δ)-private on twelve "
                "baskets"
            ),
            Row().having(epsilon=1, least=_A_THIRD),
            Row().having(epsilon={"-30": 30, "-100": 100}),
        ),
        *rows_of(
            Row("-{}-of-the-slack", "the same with {} of the printed T^(r)").having(epsilon=1),
            Row("third", "1/3").having(least=_A_THIRD).run_with(slack=Fraction(1, 3)),
            Row("fifth", "1/5")
            .having(variant="The paper's slack is five times as large.")
            .run_with(slack=Fraction(1, 5)),
        ),
    ),
)
long_basket = family(
    _FIM,
    Row("or-none-long-basket")
    .says(
        "the same on 1,500 baskets that hold one pair, of which one may hold six: an end of the loop at an ℓ from 2 to "
        "6 counts where six pairs occur, and not where one does"
    )
    .having(source="Chaudhuri, Hsu & Song, Section 4.1, corrected", mechanism=or_none_of_many, neighbours=the_other)
    .having(domain=((1499, (0, 1)), (1499, (0, 1, 2, 3))), epsilon=TENTH, delta=TENTH**2, mutant=most_frequent_of_many)
    .having(variant="It is a correction of ours that is refuted here, and nothing that the paper prints."),
)
