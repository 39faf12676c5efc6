"""Privacy of Algorithm B and of Learn, from sanitizing to learning: Beimel, Nissim & Stemmer, Section 5.1."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw, Exact, exp, log, symbolic
from dpverify.mechanisms.sanitizers import learn_by_labels, learn_from_sanitized, sanitize_in_parts, small_database
from dpverify.mechanisms.sanitizers.label_sanitizer import Labelled, labelled_concept, sanitize_labelled, shuffled
from dpverify.verifiers import LabelledSamples, Tuples
from dpverify.verifiers.catalogue.families import HUNDREDTH, of_its_pair, the_other
from dpverify.verifiers.catalogue.finite import ONE_PAIR, ROW_BY_ROW
from dpverify.verifiers.catalogue.sanitizers.small_databases_privacy import OF_TWO_POINTS, given, small
from dpverify.verifiers.privacy.family import EveryDatabase, ExactLike, Mechanism, Row, family, rows_of

Sample: TypeAlias = Sequence[Labelled]
PAIRS: Final = tuple((x, y) for x in (0, 1) for y in (0, 1))


def small_labelled(draw: Draw, rows: Sample, *, epsilon: ExactLike) -> Any:
    """The small database of one labelled row, for thresholds on two points."""
    concepts = tuple(map(labelled_concept, OF_TWO_POINTS))
    return draw(small_database, rows, universe=PAIRS, concepts=concepts, size=1, epsilon=epsilon)


def response(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Distribution[tuple[int]]:
    """Randomized response: the only row, 0 or 1, or the other one; exactly ε-private."""
    (x,) = rows
    return Distribution({(x,): exp(epsilon), (1 - x,): 1})


def responses(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """A response for each row, in their order."""
    return sanitize_in_parts(draw, rows, sanitizer=given(response, epsilon), size=1)


def shuffled_responses(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """A response for each row, in random order."""
    return shuffled(draw, rows, sanitizer=given(responses, epsilon))


def algorithm_b(draw: Draw, sample: Sample, *, part: Exact, sanitizer: Mechanism, **given_to_b: Any) -> Any:
    """Algorithm B with a sanitizer, both at ε = `part`."""
    return sanitize_labelled(draw, sample, sanitizer=given(sanitizer, part), epsilon=part, filler=0, **given_to_b)


def learn(draw: Draw, sample: Sample, *, epsilon: ExactLike) -> Any:
    """Learn with the small database of one labelled row: which threshold."""
    return learn_from_sanitized(draw, sample, sanitizer=given(small_labelled, epsilon), concepts=OF_TWO_POINTS).j


def learn_through_b(draw: Draw, sample: Sample, *, part: Exact, **given_to_b: Any) -> Any:
    """Learn with Algorithm B: which threshold."""
    named: dict[str, Any] = {"concepts": OF_TWO_POINTS, "sanitizer": given(small, part), "epsilon": part, "filler": 0}
    return learn_by_labels(draw, sample, **named, **given_to_b).j


def small_or_told(draw: Draw, rows: Sequence[int], *, epsilon: ExactLike) -> Any:
    """The small database of one row, but with probability 1/100 the rows as they are: (ε, 1/100)-private."""
    tells = draw(Distribution({True: HUNDREDTH, False: 1 - HUNDREDTH}))
    return rows if tells else draw(small, rows, epsilon=epsilon)


def b_that_tells(draw: Draw, sample: Sample, *, part: Exact, **given_to_b: Any) -> Any:
    """Algorithm B with a sanitizer that may tell its rows: its database."""
    return algorithm_b(draw, sample, part=part, sanitizer=small_or_told, **given_to_b)


def learn_from_the_sample(draw: Draw, sample: Sample, **_: Any) -> Any:
    """Mutant: learns from the sample as it is."""
    return learn_from_sanitized(draw, sample, sanitizer=as_they_are, concepts=OF_TWO_POINTS).j


def as_they_are(draw: Draw, rows: Any) -> Any:
    """The rows."""
    return rows


def b_with_the_rows(draw: Draw, sample: Sample, *, part: Exact, block: int, most: int, **_: Any) -> Any:
    """Mutant: does not sanitize the rows of a label."""
    return sanitize_labelled(draw, sample, sanitizer=as_they_are, block=block, epsilon=part, filler=0, most=most)


SHIFTED: Final = (((1, 0), (0, 0), (1, 0), (0, 0), (1, 0)), ((1, 1), (0, 0), (1, 0), (0, 0), (1, 0)))
"""A row that is put in front moves all others, and both give as many rows of each label."""
RELABELLED: Final = (((0, 0), (0, 0), (0, 0), (0, 1), (0, 1)), ((0, 0), (0, 0), (0, 1), (0, 1), (0, 1)))
"""A row that moves no other, and is of the other label: without noise they give other numbers of rows."""
_ANY_PAIRS: Final = EveryDatabase(PAIRS)
_IN_TWOS: Final = {"block": 2, "most": 2, "part": log(2)}
_IN_FIVES: Final = {"block": 5, "most": 1, "part": log(2)}
algorithm_b_claims = family(
    Row("BNS-J-5.4.privacy.")
    .having(mechanism=algorithm_b, source="Beimel, Nissim & Stemmer, journal version, Figure 12 and Lemma 5.4")
    .having(mutant=b_with_the_rows),
    *rows_of(
        Row("printed", "Algorithm B in blocks of two rows is {} with a small database, on 3 rows")
        .having(domain=Tuples(PAIRS, size=3))
        .run_with(sanitizer=small, **_IN_TWOS),
        Row("", "6ε-private").having(epsilon=6 * log(2), all_sizes=_ANY_PAIRS.for_every(6 * symbolic, part=symbolic)),
        Row("-by-parts", "4ε-private, as its parts give,").having(
            epsilon=4 * log(2), all_sizes=_ANY_PAIRS.for_every(4 * symbolic, part=symbolic)
        ),
    ),
    Row("in-order")
    .says(
        "Algorithm B in blocks of five rows, shorter than the lemma's, is 6ε-private with the sanitizer of Lemma 5.1, "
        "made of one that does not look at order, as the proof assumes: it takes its rows in order, here one in each "
        "part, so that a row put in front moves all others"
    )
    .having(domain=SHIFTED, epsilon=6 * log(2), neighbours=the_other)
    .having(
        proof_step="The lemma says that a sanitizer exists. Its proof lets the one that it starts from shuffle its "
        "rows, where the one that it makes of that has to: shuffled it is private "
        "(BNS-J-5.4.privacy.shuffled-by-parts)."
    )
    .run_with(sanitizer=responses, **_IN_FIVES),
    Row("shuffled-by-parts")
    .says(
        "the same with the rows in random order is 4ε-private, as its parts give, also where a row is of the other "
        "label"
    )
    .having(domain=[*SHIFTED, *RELABELLED], epsilon=4 * log(2), neighbours=of_its_pair, finite_because=ONE_PAIR)
    .run_with(sanitizer=shuffled_responses, **_IN_FIVES),
)
learners = family(
    Row().having(mutant=learn_from_the_sample),
    Row("BNS-J-5.3.privacy.every-epsilon")
    .says("Learn with an ε-private sanitizer of labelled rows is ε-private, for every ε")
    .having(mechanism=learn, domain=LabelledSamples((0, 1), size=3), epsilon=symbolic, all_sizes=_ANY_PAIRS)
    .having(source="Beimel, Nissim & Stemmer, journal version, Lemma 5.3"),
    Row("BNS-J-5.5.privacy.printed", "Learn with Algorithm B and an ε-private sanitizer is 6ε-private")
    .having(mechanism=learn_through_b, domain=Tuples(PAIRS, size=3), epsilon=6 * log(2), parameters=_IN_TWOS)
    .having(source="Beimel, Nissim & Stemmer, journal version, Theorem 5.5")
    .having(all_sizes=_ANY_PAIRS.for_every(6 * symbolic, part=symbolic)),
    Row("BuNS-2.23.privacy.approximate")
    .says(
        "Algorithm B with an (ε,δ)-private sanitizer, which tells its rows with probability δ, is (4ε, "
        "2e^ε·δ)-private, as its parts give: the number of rows of a label, and what is sanitized of as many, are (2ε, "
        "e^ε·δ)-private together; on 2 rows in blocks of two, δ = 1/100"
    )
    .having(mechanism=b_that_tells, domain=Tuples(PAIRS, size=2), epsilon=4 * log(2), delta=4 * HUNDREDTH)
    .having(source="Bun, Nissim & Stemmer, Theorem 2.23, by Algorithm B; with constants of ours", parameters=_IN_TWOS)
    .having(finite_because=ROW_BY_ROW, mutant=b_with_the_rows),
)
