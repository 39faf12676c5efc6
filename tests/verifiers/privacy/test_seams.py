"""Random programs across what is decided in different ways: nothing is proved, or refuted, against plain enumeration."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.verifiers.privacy.seam_programs import (
    CHECKED,
    DATABASES,
    PLAIN,
    PlainDistribution,
    Program,
    TooManyPaths,
    claims,
    code_of_program,
    least_delta,
    least_epsilon,
    plain_law,
)

from dpverify.mechanisms import InputError, Limits, Undecided, exp
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

LIMITS: Final = Limits(paths=3_000)


def compiled(code: str, names: Mapping[str, Any], file: Path) -> Program:
    """The program, in a file: what stands in a comprehension is read there."""
    file.write_text(code, encoding="utf-8")
    known = dict(names)
    exec(compile(code, str(file), "exec"), known)
    program: Program = known["program"]
    return program


def plain_laws(program: Program) -> Mapping[int, PlainDistribution] | None:
    """The laws on all databases; None where there are too many paths, or the program is none."""
    try:
        return {x: plain_law(program, x) for x in DATABASES}
    except (TooManyPaths, ArithmeticError, TypeError, ValueError):
        return None


def others(x: int) -> list[int]:
    return [y for y in DATABASES if y != x]


def verdicts_of(seed: int, folder: Path) -> list[str]:
    """The verdicts on a program that were given, each of which agrees with what is enumerated."""
    code = code_of_program(seed)
    laws = plain_laws(compiled(code, PLAIN, folder / f"plain_{seed}.py"))
    if laws is None:
        return []
    program = compiled(code, CHECKED, folder / f"checked_{seed}.py")
    found = []
    for epsilon, delta in claims(laws):
        needed = least_delta(laws, float(epsilon))
        try:
            verdict = check_privacy(
                program, DATABASES, others, epsilon=epsilon, delta=delta, recheck=False, limits=LIMITS
            )
        except (InputError, Undecided):  # refused
            break
        if verdict.status is Status.UNDECIDED:
            continue
        found.append(verdict.status.name)
        assert verdict.delta is None or float(verdict.delta.upper) >= needed - 1e-9, code
        assert verdict.epsilon is None or float(verdict.epsilon.upper) >= least_epsilon(laws) * 0.99 - 1e-4, code
        if verdict.status is Status.PROVED:
            assert needed <= float(delta) + 1e-9, code
        elif verdict.witness is not None:
            assert verdict.witness.p > exp(epsilon) * verdict.witness.q + delta
            assert delta == 0 or needed > float(delta) - 1e-4 * math.exp(epsilon), code
    return found


@pytest.mark.one_in(100)
@pytest.mark.parametrize("start", range(0, 400, 4))
def test_no_program_needs_more_than_what_is_proved_of_it(start: int, tmp_path: Path) -> None:
    found = [verdict for seed in range(start, start + 4) for verdict in verdicts_of(seed, tmp_path)]
    assert found  # else nothing was tried
