"""Random programs that compute with noise: what is proved of them against plain enumeration."""

from fractions import Fraction
from itertools import product

import pytest
from tests.verifiers.privacy.post_processed_programs import (
    as_mechanism,
    clamped,
    code_of_program,
    compiled,
    least_delta,
    plain_law,
)

from dpverify.mechanisms import InputError, Limits, clamp
from dpverify.reports.record import Status
from dpverify.verifiers import Tuples, check_privacy

TWO_BITS = Tuples((0, 1), size=2)

CLAIMS = ((1, 0), (Fraction(1, 2), 0), (Fraction(1, 4), Fraction(1, 2)))

PAIRS = tuple(
    (left, right)
    for left, right in product([(0, 0), (0, 1), (1, 0), (1, 1)], repeat=2)
    if sum(a != b for a, b in zip(left, right, strict=True)) == 1
)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("seed", range(40))
def test_programs_need_no_more_than_what_is_proved_of_them(seed: int) -> None:
    code = code_of_program(seed)
    mechanism = as_mechanism(compiled(code, clamp))
    laws = None
    for epsilon, delta in CLAIMS:
        try:
            verdict = check_privacy(
                mechanism, TWO_BITS, epsilon=epsilon, delta=delta, recheck=False, limits=Limits(paths=3_000)
            )
        except InputError:  # what no law can be found of, such as a float of two plain numbers
            return
        if verdict.status is Status.UNDECIDED:
            continue
        if laws is None:
            plain = compiled(code, clamped)
            laws = {(i, j): plain_law(plain, (i, j)) for i, j in product((0, 1), repeat=2)}
        needed = max(least_delta(laws[left], laws[right], float(epsilon)) for left, right in PAIRS)
        if verdict.status is Status.PROVED:
            assert verdict.delta is not None and needed <= float(verdict.delta.upper) + 1e-9, code
        else:
            assert needed > float(delta) - 1e-6, code
