"""Every sample that a check takes: what for, how large, where, and what it cannot detect.

Code that looks at some of many things asks here how many: `size_of_sample`. So what docs/samples.md says is what is
done, and no sample is taken beside it. For each of them a test plants a program that differs in one place, which the
sample finds, and does not where its size is 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class SampleRow:
    """A sample: its size, in what it counts, and the words of the page."""

    name: str
    size: int
    counts: str
    purpose: str
    where: str
    """The rule of the sample, and the inputs on which results can differ."""
    misses: str
    """The differences that it cannot detect."""
    asked_in: str
    """The module that takes it, below the packages."""


_ROWS: Final = (
    SampleRow(
        "orders of rows",
        20_000,
        "runs of a claim on other orders",
        "On `Multisets` and `LabelledSamples` the output distribution is that of sorted rows: is it that of others?",
        "every order of every multiset whose order is read, while that takes no more runs; beyond that the reverse, "
        "each swap of two adjacent rows that differ, and a shuffle",
        "beyond that another order: the verdict is PROVED for rows in sorted order",
        "verifiers.divergence.output_tables.tabulation",
    ),
    SampleRow(
        "shuffles of rows",
        1,
        "shuffles of each multiset",
        "Where the orders are too many: is an output distribution that of rows in no order at all?",
        "every multiset whose order is read, by a seed of its own for each pattern of equal rows",
        "another order: the verdict is PROVED for rows in sorted order",
        "verifiers.problems.questions.row_orders",
    ),
    SampleRow(
        "databases computed again",
        8,
        "databases",
        "Do whole runs of the mechanism, by an enumerator that reads nothing and knows no special form, have the "
        "distributions that were found? Of code outside the language all databases are run again.",
        "of code that is run once for many databases one of these, four times; one database of each pattern of equal "
        "rows, the rarest first; then the first ones",
        "a database that is not chosen; what both enumerators have in common",
        "verifiers.problems.preparation.repetition",
    ),
    SampleRow(
        "runs computed again",
        200,
        "runs at least, and a tenth of the paths of the first time",
        "How many whole runs are made for that?",
        "the databases computed again, one after another",
        "a mistake on databases that take more runs: the scope says how many were compared",
        "verifiers.problems.preparation.repetition",
    ),
    SampleRow(
        "numbers for a symbolic ε",
        4,
        "numbers: 1, ln 2, 1/3 and 5/2",
        "What is claimed for every ε is tried at numbers: three rational ones and one whose e^ε is rational.",
        "by turns on the databases of each region",
        "what happens at other ε alone",
        "verifiers.all_sizes.regions.spot_check",
    ),
    SampleRow(
        "neighbours of a theorem",
        8,
        "questions of the finite checker, most of one pair of neighbours",
        "What a theorem proves for all sizes: does the finite checker agree on real neighbours?",
        "those on which the claim would fail first, at four ε and δ where these are symbols; of rows that are counted "
        "all databases of up to four rows of three kinds",
        "neighbours that are not chosen",
        "verifiers.all_sizes.verdicts",
    ),
    SampleRow(
        "databases of each region",
        1,
        "databases, beside the smallest one",
        "Is the output distribution on unknown numbers that on real rows, in each region that is looked at?",
        "where no row occurs once: 3, 2, 5, … times",
        "other databases of the region",
        "verifiers.all_sizes.regions.distributions",
    ),
    SampleRow(
        "small instances of compositions",
        9,
        "databases of the fewest rows, and as many of one row more; at most 32 paths for each with all inlined",
        "What is PROVED by sub-mechanisms rests on two theorems and on what is known of each. Does the whole, by its "
        "full output distribution, meet the (ε, δ) that these give?",
        "all databases over rows spread over the universe; of many rows, two of them and what replacing one row makes",
        "a guarantee that is too small where only larger databases, or another ε, need more; more than 1,000 rows",
        "verifiers.all_sizes.compositions.small_instances",
    ),
    SampleRow(
        "examples of a utility claim",
        90,
        "inputs",
        "Does a claim of usefulness fail on an input, where these are too many to be enumerated? FUZZED, and no proof.",
        "what Hypothesis draws from the claim's strategy, seeded with its id; the claim's own examples before",
        "an input that is not drawn: rare, or far from what the strategy favours",
        "verifiers.utility.checker",
    ),
    SampleRow(
        "examples of a deep search",
        2_000,
        "inputs",
        "The same by `--search deep`, with new inputs each time.",
        "as before, and first those that have failed",
        "as before",
        "verifiers.utility.checker",
    ),
    SampleRow(
        "samples of a population",
        30,
        "samples of each population",
        "Does a learner fail more often than is claimed? INCONCLUSIVE where not, and no proof.",
        "independent samples of a population, from seed 0",
        "a probability of failure that is a little above β",
        "verifiers.utility.pac",
    ),
    SampleRow(
        "samples of a population, deep",
        2_000,
        "samples of each population",
        "The same by `--search deep`, from another seed each time.",
        "as before",
        "as before, by less",
        "verifiers.utility.pac",
    ),
    SampleRow(
        "examples of a strategy",
        40,
        "databases",
        "Which databases is a sampler that cannot be read run on, where its domain is a Hypothesis strategy?",
        "what Hypothesis draws, the same each time",
        "a violation on other databases",
        "verifiers.blackbox.proposals",
    ),
    SampleRow(
        "pairs of a pilot",
        64,
        "ordered pairs",
        "On which neighbours does a pilot look for a violation of a sampler that cannot be read?",
        "evenly over all pairs of the domain, the first and the last among them",
        "a violation on a pair between them",
        "verifiers.blackbox.proposals",
    ),
    SampleRow(
        "draws of a sampler that are compared",
        4_096,
        "draws of two blocks",
        "Is a sampler that cannot be read independent from draw to draw, or does it repeat a block, or one noise?",
        "the first draws of the first two blocks",
        "draws that depend on each other in another way, as by little or at longer distances",
        "verifiers.blackbox.sampling.samplers",
    ),
    SampleRow(
        "orders of a hard instance",
        24,
        "orders of each database",
        "Is success in a lower bound the same for all orders of the rows, as its distance takes it?",
        "the first orders",
        "success that depends on an order of more than four rows",
        "verifiers.lower_bounds.instance",
    ),
    SampleRow(
        "choices found together",
        32,
        "patterns of scores",
        "Output distributions of a choice that are found as one array: are they those that its own code has?",
        "the last database of each pattern of scores; of more patterns evenly among them",
        "a pattern that is not chosen",
        "verifiers.divergence.output_tables.distribution_arrays",
    ),
)

SAMPLES: Final[Mapping[str, SampleRow]] = MappingProxyType({row.name: row for row in _ROWS})
"""All of them, by name."""

_SIZES: Final = {row.name: row.size for row in _ROWS}


def size_of_sample(name: str) -> int:
    """The size of the sample of that name."""
    return _SIZES[name]
