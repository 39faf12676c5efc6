"""Fingerprinting codes: that somebody is accused of a feasible word, and nobody who had no part in it.

Of the code of Boneh & Shaw all adversaries are covered: the columns are in a random order, so that what one does is a
mixture of numbers of 1s in each group of columns that it cannot tell apart. The mechanism of these claims is that law.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import shake_256
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any, Final, cast

from dpverify.mechanisms import Distribution, Draw, exp
from dpverify.mechanisms.learners import PIRATE_STRATEGIES, BonehShaw, Tardos, accusation_of_pirates, boneh_shaw
from dpverify.mechanisms.learners.tardos import factor_as_printed, suspicion_of_innocent_of_bias
from dpverify.verifiers.catalogue.families import BUNS, HALF, MILLIONTH, TENTH, THIRD, THOUSANDTH
from dpverify.verifiers.utility.family import Case, Family, MadeOnce, Mechanism, as_named, least_of
from dpverify.verifiers.utility.pac import PacClaim, Population

if TYPE_CHECKING:
    import numpy as np

_BONEH_SHAW: Final = f"{BUNS}, Lemma 4.5 and Definition 4.1; Boneh & Shaw (1998), Algorithm 1"
_TARDOS: Final = f"{BUNS}, Proposition 4.9; Tardos (2008), Theorems 1.1 and 1.2"


def security(case: Case) -> Fraction:
    """ξ."""
    found: Fraction = case.facts["security"]
    return found


def of_one(case: Case) -> Fraction:
    """ξ/(2n), which n users share so that all of them have half of ξ."""
    return security(case) / (2 * int(case.facts["users"]))


# Completeness: somebody is accused, whatever the word.
def nobody_is_accused(draw: Draw, users: int, *, copies: int, security: Fraction, ends: bool) -> Distribution[Any]:
    """Weights of a feasible word of which nobody is accused, or None where there are none."""
    return Distribution({boneh_shaw.word_that_accuses_nobody(BonehShaw(users, copies, security, ends)): 1})


_FEWER_COPIES: Final = as_named(
    "nobody_is_accused_of_fewer_copies",
    "A twelfth of the copies.",
    lambda draw, users, *, copies, **given: nobody_is_accused(draw, users, copies=max(1, copies // 12), **given),
)


def with_copies(copies: int, *, ends: bool) -> Iterator[Case]:
    """Three users, ξ = 1/10."""
    yield Case(3, {"copies": copies, "security": TENTH, "ends": ends}, {"security": TENTH})


complete = tuple(
    Family(nobody_is_accused, lambda case, weights: weights is None, security, _FEWER_COPIES)(
        f"BuNS-4.5.utility.completeness{name}",
        source,
        f"with {words} of each type somebody is accused of every {word}; n ≤ 10, ξ in {{1/2, 1/10, 1/1000}}",
        tuple(  # one user as well where there are columns of the types 0 and n
            Case(users, {"copies": copies(users, xi), "security": xi, "ends": ends}, {"security": xi})
            for users, xi in product(range(1 if ends else 2, 11), (HALF, TENTH, THOUSANDTH))
        ),
        sharpness=least_of(
            "copies of each type, n = 3, ξ = 1/10", copies(3, TENTH), partial(with_copies, ends=ends), ours=name != ""
        ),
    )
    for name, words, word, source, copies, ends in (
        ("", "d = ⌈2n²·ln(2n/ξ)⌉ columns", "word", _BONEH_SHAW, boneh_shaw.copies_as_printed, False),
        (
            "-least-copies",
            "⌊(n − 2)(n − 1)·ln(2n/ξ)⌋ + 1 columns",
            "word",
            f"{_BONEH_SHAW}; the constant is ours",
            lambda n, xi: boneh_shaw.copies_needed(n, xi, ends=False),
            False,
        ),
        (
            "-ends",
            "⌊n(n + 1)·ln(2n/ξ)⌋ + 1 columns, and as many of 0s and of 1s,",
            "feasible word",
            f"{_BONEH_SHAW}; with columns of 0s and of 1s, which are ours",
            lambda n, xi: boneh_shaw.copies_needed(n, xi, ends=True),
            True,
        ),
    )
)


# Soundness: who has no part in the word is not accused.
def innocent_is_accused(draw: Draw, ones: int, *, code: BonehShaw) -> Distribution[bool]:
    """True where user s is accused of a word that others made, with so many 1s in the columns of types s − 1 and s."""
    return boneh_shaw.suspicion_of_innocent(code, ones)


def innocent_of_an_unbalanced_code(draw: Draw, ones: int, *, code: BonehShaw) -> Distribution[bool]:
    """Half as many columns of type s − 1 as of type s."""
    few, many = code.copies // 2, code.copies
    if ones > few + many:
        return Distribution({False: 1})
    lefts = range(max(0, ones - many), min(few, ones) + 1)
    yes = sum(comb(few, a) * comb(many, ones - a) for a in lefts if code.suspects(2, a, ones - a))
    return Distribution({True: yes, False: comb(few + many, ones) - yes})


each_is_safe = Family(innocent_is_accused, lambda case, accused: not accused, of_one, innocent_of_an_unbalanced_code)(
    "BuNS-4.5.utility.soundness-of-each",
    f"{_BONEH_SHAW}, its test of two weights",
    "whatever a coalition without user s does, 1 < s < n, it makes the test accuse s with probability "
    "≤ ξ/(2n); n from 3 to 5, ξ in {1/2, 1/10}, at the printed length",
    MadeOnce(
        lambda: (
            Case(ones, {"code": code}, {"users": code.users, "security": code.security})
            for n, xi in product((3, 4, 5), (HALF, TENTH))
            for code in [BonehShaw(n, boneh_shaw.copies_as_printed(n, xi), xi)]
            for ones in range(2 * code.copies + 1)
        )
    ),
)


def accused_of(draw: Draw, ones: Sequence[int], *, code: BonehShaw, coalition: Sequence[int]) -> Any:
    """The user whom Acc accuses of the coalition's word with so many 1s in each group of columns alike to it."""
    return accusation_of_pirates(code, coalition, ones)


def accused_with_slack(name: str, meaning: str, slack: Fraction) -> Mechanism:
    """A mutant: Acc with another slack."""

    def accused(draw: Draw, ones: Sequence[int], *, code: BonehShaw, coalition: Sequence[int]) -> Any:
        return accusation_of_pirates(replace(code, slack=slack), coalition, ones)

    return as_named(name, meaning, accused)


THREE: Final = BonehShaw(3, boneh_shaw.copies_as_printed(3, TENTH), TENTH)


def words_of_pairs(ones_of: Callable[[tuple[int, ...]], Iterable[tuple[int, ...]]]) -> Iterator[Case]:
    """The words of each coalition of one or two of three users, by their numbers of 1s."""
    for coalition in ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3)):
        for ones in ones_of(coalition):
            yield Case(ones, {"code": THREE, "coalition": coalition}, {"security": TENTH})


sound = Family(
    accused_of,
    lambda case, accused: accused is None or accused in case.parameters["coalition"],
    security,
    accused_with_slack("accused_at_half_the_slack", "The threshold is w/2 − sqrt((w/2)·ln(2n/ξ))/2.", HALF),
)
sound_if_feasible = sound(
    "BuNS-4.5.utility.soundness-feasible",
    _BONEH_SHAW,
    "for each coalition of 3 users, and each feasible word, somebody else is accused with probability ≤ ξ; "
    "ξ = 1/10, at the printed length",
    MadeOnce(lambda: words_of_pairs(THREE.feasible_ones)),
)
FRAMED: Final = Case((THREE.copies, THREE.copies), {"code": THREE, "coalition": (2, 3)}, {"security": TENTH})
"""Users 2 and 3 write 1 everywhere, also where both have 0: in the columns of type 1."""
sound_of_any_word = sound(
    "BuNS-4.5.utility.soundness-printed",
    _BONEH_SHAW,
    "for each coalition of 3 users, and each word, feasible or not, somebody else is accused with "
    "probability ≤ ξ; ξ = 1/10, at the printed length",
    MadeOnce(lambda: words_of_pairs(THREE.all_ones)),
    examples=(FRAMED,),
    reconstruction="The formula of Definition 4.1 is lost; the proof of Theorem 4.3 needs soundness for a learner that "
    "has lost a row, whose word need not be feasible; Boneh & Shaw show it for feasible words. Users 1 and n are "
    "accused without a test of two weights. Columns of 0s and of 1s, which are thresholds, too, if on one point more, "
    "make the test theirs as well.",
)
WITH_ENDS: Final = BonehShaw(3, boneh_shaw.copies_as_printed(3, TENTH), TENTH, ends=True)


def words_without_one(code: BonehShaw) -> Iterator[Case]:
    """All words of all users but one, with 0s or 1s alone in the columns that they can tell apart."""
    for missing in range(1, code.users + 1):
        coalition = tuple(user for user in range(1, code.users + 1) if user != missing)
        choices = [range(len(g) * code.copies + 1) if len(g) > 1 else (0, code.copies) for g in code.groups(coalition)]
        for ones in product(*choices):
            facts = {"users": code.users, "security": code.security}
            yield Case(ones, {"code": code, "coalition": coalition}, facts)


_NO_SLACK: Final = accused_with_slack(
    "accused_without_a_test", "The user with the largest jump of weights is accused in any case: no slack.", MILLIONTH
)
sound_with_ends = replace(sound, beta=of_one, mutant=_NO_SLACK)(
    "BuNS-4.5.utility.soundness-ends",
    f"{_BONEH_SHAW}; with columns of 0s and of 1s, which are ours",
    "with d columns of 0s and d of 1s beside the printed ones, whoever of 3 users is missing is accused with "
    "probability ≤ ξ/(2n) of any word of the others, feasible or not; ξ = 1/10, d = 74",
    MadeOnce(lambda: words_without_one(WITH_ENDS)),
)


# Tardos.
def innocent_of_tardos(draw: Draw, ones: int, *, code: Tardos, odds: Fraction) -> Distribution[bool]:
    """The law of whether an innocent user is accused of a word with so many 1s in columns of one bias."""
    return suspicion_of_innocent_of_bias(code, odds, ones)


safe_of_tardos = Family(
    innocent_of_tardos,
    lambda case, accused: not accused,
    lambda case: exp(-case.parameters["code"].factor),
    as_named(
        "innocent_of_half_the_threshold",
        "Half the threshold.",
        lambda draw, ones, *, code, odds: innocent_of_tardos(draw, ones, code=replace(code, threshold=HALF), odds=odds),
    ),
)(
    "BuNS-4.9.utility.soundness-of-one-bias",
    f"{_TARDOS}; which holds for any biases",
    "an innocent user is accused with probability ≤ e^−f, f = ⌈ln(n/ξ)⌉, of words on 100n²f columns all of "
    "one bias; n ≤ 3, biases from 1/290 to 289/290",
    MadeOnce(
        lambda: (
            Case(int(share * code.length), {"code": code, "odds": odds})
            for code in (Tardos(1, 1), Tardos(1, 3), Tardos(2, 2), Tardos(3, 4))
            for odds in (Fraction(1, 17), THIRD, Fraction(1), Fraction(4), Fraction(17))
            for share in (Fraction(1, 50), TENTH, HALF, Fraction(1))
        )
    ),
)


class _OfSeed:
    """The generator that `Tardos.codebook` asks for, from a seed and by SHAKE-256: the same numbers on each machine."""

    def __init__(self, seed: int) -> None:
        self._seed, self._asked = seed, 0

    def random(self, shape: Any, dtype: Any = None) -> Any:
        """Numbers in [0, 1) of that shape, multiples of 2^−32."""
        import numpy as np

        self._asked += 1
        count = int(np.prod(shape))
        found = shake_256(f"{self._seed} {self._asked}".encode()).digest(4 * count)
        return (np.frombuffer(found, dtype="<u4") / 2.0**32).reshape(shape)

    def uniform(self, low: float, high: float, size: int) -> Any:
        """Numbers in [low, high)."""
        return low + (high - low) * self.random((size,))


@lru_cache(maxsize=64)
def codebook_of_seed(code: Tardos, seed: int) -> tuple[Any, Any]:
    """The codebook that a seed gives."""
    return code.codebook(cast("np.random.Generator", _OfSeed(seed)))


def accused_by_tardos(draw: Draw, sample: Sequence[int], *, code: Tardos, strategy: str) -> tuple[int, ...]:
    """The users accused of the word that all users but the last make, in the codebook of a seed."""
    biases, matrix = codebook_of_seed(code, sample[0])
    word = PIRATE_STRATEGIES[strategy](matrix[:-1], cast("np.random.Generator", None))
    return code.accused(biases, matrix, word)


SEEDS: Final[Population] = tuple((seed, Fraction(1, 1000)) for seed in range(1000))
traced_by_tardos = PacClaim(
    id="BuNS-4.9.utility.sampled",
    source=_TARDOS,
    statement="somebody of a coalition of all but one is accused, and the one is not, but with probability ξ; n in "
    "{4, 6}, ξ = 1/10, 100n²·⌈ln(n/ξ)⌉ columns, five strategies, codebooks by a thousand seeds",
    learner=accused_by_tardos,
    succeeds=lambda case, accused: bool(accused) and case.parameters["code"].users not in accused,
    size=lambda case: 1,
    beta=lambda case: TENTH,
    cases=tuple(
        Case(SEEDS, {"code": Tardos(n, factor_as_printed(n, TENTH)), "strategy": strategy})
        for n in (4, 6)
        for strategy in ("majority", "minority", "one of them", "1 where possible", "0 where possible")
    ),
    mutant=as_named(
        "accused_on_few_columns",
        "A tenth of the columns, with the same threshold.",
        lambda draw, sample, *, code, strategy: accused_by_tardos(
            draw, sample, code=replace(code, columns=code.length // 10), strategy=strategy
        ),
    ),
)
