"""The page of degrees, docs/degrees.md: that of Claim 5.4 of Hardt, Rothblum & Servedio as it is claimed, and of (14).

`python -m tests.catalogue.pages.degrees_table` writes it, in a second.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2, sqrt
from pathlib import Path
from typing import Final

from dpverify.mechanisms.release.chebyshev import dropping_polynomial
from dpverify.mechanisms.release.least_degree import least_dropping_polynomial
from dpverify.verifiers.catalogue.release.polynomials.degree_of_signs_utility import degree_of_14

PAGE: Final = Path(__file__).parents[3] / "docs" / "degrees.md"

KS: Final = (2, 4, 8, 13, 16, 32, 64)
NS: Final = (1, 2, 10, 100, 10**4, 10**6)

_TEXT: Final = """\
# Degrees of polynomials that drop below k

Hardt, Rothblum & Servedio learn thresholds of conjunction counts as signs of polynomials. Claim 5.4 is what the degree
rests on: there is a polynomial s with s(k) = 1 and |s(j)| ≤ ε for j = 0, …, k − 1 whose degree is O(√(k·log(1/ε))). The
proof is cited (Buhrman, Cleve, de Wolf & Zalka, by a quantum algorithm); what is printed, (14), has ⌈√k⌉·⌈log₂(1/ε)⌉.
Lemma 5.3 puts s in for each of n rows with ε = 1/(3n), and its degree is that of s.

## By k and n

Of each k and n: the *least* degree there is, found by an exchange in whole numbers, with a certificate from both sides
that is checked by other code (`HRS-5.4.utility.least-degree`); the root of the paper's order, with the logarithm to base
2; and the degree of (14). Where one is k or more it says nothing: C(j, k) is 1 at k and 0 below.

{table}

## What is claimed

- For every k ≤ 64 and every ε ≤ 1/3 the least degree is at most 9/8 of √(k·log₂(1/ε)), and at least half of it while
  ε ≥ 1/(2^k − 1) (`HRS-5.4.utility.degree-order`). The root itself is not enough: just below ε = 1/3 at k = 2 the degree
  is 2 and the root 1.78, and for n = 10⁴ at k = 35 it is 24, where the root rounded up is 23.
- With the least s in it, the polynomial of Lemma 5.3 has on all databases of up to two rows of up to four attributes the
  right signs, in a degree of at most (9/8)·√(k·log₂(3n)) (`HRS-5.3.utility.construction-of-least-degree`, and of the
  width `HRS-5.7.utility.construction-of-least-degree`); with (14) in it, on wide rows for k up to 16
  (`HRS-5.3.utility.construction-14-wide`), where that bound is below k.
- Of the least degree in which f^D_t itself is a sign nothing is claimed: it can be less, as the signs of a sum have to
  be right, and not its terms.
- For every k and every ε ≤ 1/2 a degree of at most 12·√(k·⌈log₂(1/ε)⌉) is enough, by a polynomial of ours,
  `dropping_by_scales`: the m = ⌈log₂(1/ε)⌉ points below k are its zeros, and factors as in (14) at the distances m, 2m, 4m,
  … from k hold down what the zeros grow to. How large each factor is, SMT solvers prove for all sizes
  (`HRS-5.4.structure.scales`); that all of it is ε or less, and its degree, are steps in symbols (`HRS-5.4.step.factorial`,
  `HRS-5.4.step.scales`, `HRS-5.4.step.sum-of-scales`, `HRS-5.4.step.degree-of-scales`); induction over the factors, by
  hand, puts them together. With it Lemmas 5.3 and 5.7 have 28·√(k·ln n) for n ≥ 2 (`HRS-5.3.step.order-of-scales`), and
  Lemma 5.9 46·d^(1/3)·(ln n)^(2/3) (`HRS-5.9.step.degree`, c = 28). By these bounds it
  is below (14) from log₂(1/ε) = 144 on.
- With (14), which is proved for every k (`HRS-5.4.structure.chebyshev`), Lemma 5.9 has 18·d^(1/3)·(ln n)^(7/6)
  (`HRS-5.9.step.degree-by-14`).

`learn_polynomial_threshold` takes the degree of (14), or k if that is less, unless it is given another `degree`.

`python -m tests.catalogue.pages.degrees_table` writes this page.
"""


def page() -> str:
    """The page, as Markdown."""
    lines = ["| k | n | least degree | √(k·log₂(3n)) | degree of (14) |", "| --- | --- | --- | --- | --- |"]
    return _TEXT.format(table="\n".join([*lines, *(line(k, n) for k in KS for n in NS)]))


def line(k: int, n: int) -> str:
    """A line of the table; what says nothing stands in brackets."""
    least = least_dropping_polynomial(k, Fraction(1, 3 * n)).degree
    of_14 = dropping_polynomial(k, Fraction(1, 3 * n)).degree
    assert of_14 == degree_of_14(n, k)
    shown = (str(degree) if degree < k else f"({degree})" for degree in (least, of_14))
    return f"| {k} | {n:,} | {next(shown)} | {sqrt(k * log2(3 * n)):.1f} | {next(shown)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
