"""Structure of a fingerprinting code: its columns are thresholds."""

from typing import Final

from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.verifiers.structure.formulas import whole_value
from dpverify.verifiers.structure.rows import FalseVariant, Goal, PaperLemmas, Values, goal, instance

lemma: Final = PaperLemmas("BuNS-", "Bun, Nissim & Stemmer, ")


# Columns of the code of Boneh & Shaw: of type i, the first i of n users have 1 and the others 0.
def _column(then: str, *given: str) -> Goal:
    return goal("column", "QF_LIA", "n i user: Int").given(
        "(and (>= n 2) (<= 1 i) (< i n) (<= 1 user) (<= user n))", *given, then=then
    )


def column_is(values: Values, shift: int) -> tuple[bool, str]:
    """True where column i is the threshold c_(i + shift) of the users 0, …, n − 1."""
    n, i = whole_value(values, "n"), whole_value(values, "i")
    column = [int(user <= i) for user in range(1, n + 1)]
    labels = [Threshold(i + shift)(x) for x in range(n)]
    return column == labels, f"n = {n}: column {i} is {column}, and c_{i + shift} is {labels}"


columns = lemma(
    "4.5.structure.columns", "Section 4 and Lemma 4.5, where the code of Boneh & Shaw is compatible with thresholds"
).says(
    "each column of the code is a threshold of the users, c_i on user − 1, for every number of users",
    _column("(= (<= user i) (< (- user 1) i))"),
    FalseVariant("c_(i+1)", _column("(= (<= user i) (< (- user 1) (+ i 1)))", "(<= n 5)"), lambda v: column_is(v, 1)),
    example=instance(_column("true"), ("n", "i"), "(= n 5)", "(= i 3)"),
    replay=lambda values: column_is(values, 0),
)


# Theorems 4.3 and 4.7, Remarks 4.4 and 4.8, Proposition 4.11: the word of an accurate learner is feasible. Of n users
# and N rows, `zeros` is how many of the rows a hypothesis gives 1 where all users have 0, and `ones` where all have 1.
_TERMS: Final = ("N", "zeros", "ones")


def _word(name: str, then: str, *given: str) -> Goal:
    sizes = "(and (>= n 1) (>= N n) (<= 0 zeros N) (<= 0 ones N))"
    return goal(name, "QF_LIA", "n N zeros ones: Int").given(sizes, *given, then=then)


def _accurate(part: int) -> str:
    """Wrong on at most N/part rows, all of them labelled alike."""
    return f"(and (<= (* {part} zeros) N) (<= (* {part} (- N ones)) N))"


def rounds(values: Values, part: int) -> tuple[bool, str]:
    """True where averages of hypotheses that err on at most N/part of the rows round to the labels."""
    n, zeros, ones = (whole_value(values, name) for name in _TERMS)
    assert part * zeros <= n
    assert part * (n - ones) <= n
    return 2 * zeros < n <= 2 * ones, f"averages {zeros}/{n} for labels 0 and {ones}/{n} for labels 1"


_ROUNDED: Final = "(and (< (* 2 zeros) N) (<= N (* 2 ones)))"
feasible = lemma("4.3.structure.feasible", "the proofs of Theorems 4.3 and 4.7").says(
    "rounded averages of hypotheses with errors ≤ 1/3 are 0 where all rows are labelled 0, and 1 where all are "
    "labelled 1, for every number of rows",
    _word("rounded", _ROUNDED, _accurate(3)),
    FalseVariant("errors ≤ 1/2", _word("rounded", _ROUNDED, _accurate(2), "(<= N 6)"), lambda v: rounds(v, 2)),
    example=instance(_word("rounded", "true", _accurate(3)), _TERMS, "(= N 3)"),
    replay=lambda values: rounds(values, 3),
)


def padded(values: Values, factor: int) -> tuple[bool, str]:
    """True where n/2 ones tell a column of 0s from one of 1s, among N ≤ n/(factor·α) rows, errors ≤ αN."""
    n, zeros, ones = (whole_value(values, name) for name in ("n", "zeros", "ones"))
    assert factor * zeros <= n
    assert factor * (n - ones) <= n
    return 2 * zeros < n <= 2 * ones, f"n = {n}: {zeros} ones for labels 0, and {ones} for labels 1"


def _padded(factor: int, *given: str) -> Goal:
    # αN ≤ n/factor, and at least n − αN of the users' rows are 1 where all have 1
    errors = f"(and (<= (* {factor} zeros) n) (<= (* {factor} (- n ones)) n))"
    return _word("padded", "(and (< (* 2 zeros) n) (<= n (* 2 ones)))", errors, *given)


padding = lemma("4.4.structure.padding", "Remarks 4.4 and 4.8").says(
    "with n rows of users among N ≤ n/(3α), the others labelled 0, hypotheses with errors ≤ α are 1 on less than n/2 "
    "of the N rows where all users have 0, and on n/2 or more where all have 1",
    _padded(3),
    FalseVariant("N ≤ n/(2α)", _padded(2, "(<= n 6)"), lambda values: padded(values, 2)),
    example=instance(
        _word("padded", "true", "(= (* 3 zeros) n)", "(= (* 3 (- n ones)) n)"), ("n", "zeros", "ones"), "(= n 6)"
    ),
    replay=lambda values: padded(values, 3),
)


# Proposition 4.11: no parity but 0 is 1 on more than half of all points, so that errors are up to 1/2 + α there.
def _of_parities(part: int, *given: str) -> Goal:
    errors = f"(and (<= (* {part} zeros) N) (<= (* {2 * part} (- N ones)) (+ (* {part} N) (* 2 N))))"
    return _word("parities", "(< zeros ones)", errors, *given)


def told_apart(values: Values, part: int) -> tuple[bool, str]:
    """True where there are more ones for labels 1 than for labels 0, errors ≤ 1/part above the best parity's."""
    n, zeros, ones = (whole_value(values, name) for name in _TERMS)
    assert part * zeros <= n
    assert 2 * part * (n - ones) <= (part + 2) * n
    return zeros < ones, f"{zeros} of {n} for labels 0, and {ones} of {n} for labels 1"


parities = lemma("4.11.structure.parities", "the proof of Proposition 4.11, where α is lost").says(
    "hypotheses with errors ≤ 1/5 above that of the best parity, which is 0 for labels 0 and 1/2 for labels 1, are 1 "
    "on more rows for labels 1 than for labels 0, for every number of rows",
    _of_parities(5),
    FalseVariant("errors ≤ 1/4", _of_parities(4, "(<= N 8)"), lambda values: told_apart(values, 4)),
    example=instance(_word("parities", "true", "(= (* 5 zeros) N)", "(= (* 10 ones) (* 3 N))"), _TERMS, "(= N 10)"),
    replay=lambda values: told_apart(values, 5),
)
