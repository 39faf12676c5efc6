"""Domains in a few words, as they follow "PROVED for"."""

from collections.abc import Iterator

from tests.examples import in_one

from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase, EveryQuality
from dpverify.verifiers.all_sizes.regions.domains import Histograms, Scores
from dpverify.verifiers.problems.questions.domains import LabelledSamples, Listed, Multisets, Tuples
from dpverify.verifiers.problems.questions.in_words import domain_in_words
from dpverify.verifiers.problems.questions.score_domains import BoundedGrowth, OrMore, ScoreGaps, ScoreSpace

WORDS = {
    "n = 4, rows from {0, 1}": Tuples((0, 1), size=4),
    "n ≤ 6, rows from {0, 1, 2}": Multisets(range(3), sizes=range(7)),
    "1 ≤ n ≤ 6, rows from {'a', 'b'}": Multisets("ab", sizes=range(1, 7)),
    "n = 2, 4, 8, rows from 12 values": Tuples(range(12), sizes=(8, 2, 4)),
    "10 sizes n ≤ 18, rows from {0}": Tuples((0,), sizes=range(0, 20, 2)),
    "n = 3, rows from 8 values": LabelledSamples(range(4), size=3),
    "n = 1, rows from 1 value": Tuples(("a row of very many characters, that fills a line",), size=1),
    "scores 0 to 4, 3 candidates": ScoreSpace(range(5), solutions=3),
    "scores from {0, 3}, 1 candidate": ScoreSpace((3, 0), solutions=1),
    "gaps of at most 4 between scores, 2 candidates": ScoreGaps(4, solutions=2),
    "all gaps between scores, 2 candidates": ScoreGaps(solutions=2),
    "n = 4, growth 1, 2 candidates": BoundedGrowth(rows=4, solutions=2, growth=1),
    "every n ≥ 3, growth 1, 2 or more candidates": BoundedGrowth(rows=OrMore(3), solutions=OrMore(2), growth=1),
    "all scores, 3 candidates": Scores(solutions=3),
    "all scores, any number of candidates": Scores(solutions=OrMore(1)),
    "every n, rows from {0, 1}": Histograms((0, 1)),
    "every n ≥ 5, rows from {0, 1}": Histograms((0, 1), sizes=OrMore(5)),
    "every n, rows from {0, 1, 2}": EveryDatabase(range(3)),
    "all scores, 9 candidates": EveryQuality(solutions=9),
}


@in_one("words", WORDS)
def test_a_domain_is_said_in_a_few_words(words: str) -> None:
    assert domain_in_words(WORDS[words], 7) == words
    assert len(words) <= 60


class Fewer(Tuples):
    """A domain of the user's own, which holds less than the one that it is derived from."""

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter([(0,), (1,)])


def test_a_domain_of_ones_own_is_said_by_its_number_of_databases() -> None:
    databases = [(0,), (1,)]
    assert domain_in_words(databases, 2) == domain_in_words(Listed(databases, databases), 9) == "these 2 databases"
    own = Fewer((0, 1), size=1)
    assert domain_in_words(own, 2) == domain_in_words(Listed(list(own), own), 9) == "these 2 databases"
