"""Breaks dpverify in one place at a time, and tries whether the adversary notices: `python mutants.py` prints what.

Each mutant lives in a process of its own, made before anything has been computed, so that no cache hides it.
"""

import inspect
import json
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.adversary import test_classes, test_continuous, test_every_epsilon, test_impure, test_laws, test_saturated
from tests.adversary.tally import Tally

from dpverify.mechanisms.comparing import comparisons
from dpverify.mechanisms.counting import qualities
from dpverify.mechanisms.drawing import distribution_so_far as law_so_far
from dpverify.mechanisms.drawing import runs, sampler, symmetric
from dpverify.mechanisms.functions import fixed_values
from dpverify.mechanisms.noise import derived, discrete_laplace, exponential, geometric
from dpverify.mechanisms.noise.staircase import Staircase
from dpverify.mechanisms.numbers.roots import exponential_polynomials
from dpverify.mechanisms.outputs import distributions, released, released_reals, templates
from dpverify.verifiers import Claim
from dpverify.verifiers.all_sizes import decision
from dpverify.verifiers.deciding import on_cell
from dpverify.verifiers.divergence.finite import excesses, hockey_stick, ratios
from dpverify.verifiers.divergence.output_tables import tabulation

Check = Callable[[], object]


def rewritten(owner: Any, name: str, old: str, new: str) -> None:
    """Put a function in the place of owner.name that has `new` for `old` in its source, which has to be there."""
    raw = inspect.getattr_static(owner, name)
    function: FunctionType = getattr(raw, "func", None) or getattr(raw, "__func__", None) or inspect.unwrap(raw)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{old!r} is {source.count(old)} times in {function.__qualname__}: write it anew"
    lines = source.replace(old, new).split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("def "))
    scope = dict(vars(inspect.getmodule(function)))
    exec("from __future__ import annotations\n" + "\n".join(lines[start:]), scope)
    # the same function object gets the new code, wherever it has been imported or cached
    function.__code__ = scope[function.__name__].__code__


def laws(*styles: str) -> list[Check]:
    return [
        lambda style=style, batch=batch: test_laws.test_laws_are_those_of_brute_force(style, batch, Tally())  # type: ignore[misc]
        for batch in range(2)
        for style in styles
    ]


def claims(*styles: str) -> list[Check]:
    return [
        lambda style=style: test_laws.test_verdicts_are_those_of_the_definition(style, Tally())  # type: ignore[misc]
        for style in styles
    ]


def frequencies(*styles: str) -> list[Check]:
    return [
        lambda style=style: test_laws.test_runs_are_as_frequent_as_the_law_says(style, Tally())  # type: ignore[misc]
        for style in styles
    ]


def programs(name: str, count: int) -> list[Check]:
    return [lambda: test_classes.decide(name, 0, count, Tally())]


SUMS: Final[list[Check]] = [lambda: test_laws.test_sums_of_noises_are_convolved(Tally())]
SATURATED: Final[list[Check]] = [lambda: test_saturated.test_ties_are_proved_and_what_lies_below_is_refuted(0, Tally())]
CONTINUOUS: Final[list[Check]] = [lambda: test_continuous.test_continuous_noise_is_integrated("", Tally())]
EVERY: Final[list[Check]] = [
    lambda: test_every_epsilon.test_a_claim_fails_at_the_epsilon_that_brute_force_says("lumped", "", Tally())
]
IMPURE: Final[list[Check]] = [
    lambda mechanism=mechanism: test_impure.test_what_changes_between_enumerations_is_refused(mechanism, Tally())  # type: ignore[misc]
    for mechanism in (test_impure.plain_outcome, test_impure.plain_beside_released, test_impure.released_shift)
]


MUTANTS: Final[dict[str, tuple[tuple[Any, str, str, str], Sequence[Check]]]] = {
    "a sign of the convolution": ((exponential_polynomials, "_stretch", "(-1) ** m", "(-2) ** m"), SUMS),
    "same_distribution without its finite part": (
        (tabulation, "_same_as_they_are", "_same_part(left.finite, right.finite)", "True"),
        IMPURE,
    ),
    "a factor of a path dropped": (
        (runs.MechanismRun, "probability", "product(factors)", "product(factors[1:])"),
        laws("finite"),
    ),
    "paths to one outcome not added": (
        (law_so_far, "_sum", "paths[0] if len(paths) == 1 else total(paths)", "paths[0]"),
        laws("finite"),
    ),
    "a part remembered without its arguments": (
        (fixed_values, "key_of_call", "tuple([fixed(arg, met) for arg in args])", "()"),
        laws("finite", "lumped"),
    ),
    "> taken for ≥": (
        (comparisons, "_split", 'if relation == ">=" else', 'if relation in (">=", ">") else'),
        laws("lumped"),
    ),
    "the sign of a coefficient ignored": (
        (comparisons, "_answers_to", "if decision.sign(scale) < 0:", "if False:"),
        laws("lumped"),
    ),
    "a truncated law that is not normalised": (
        (derived.Derived, "probability", "self.known)), self._of_known)", "self.known)), ONE)"),
        laws("truncated"),
    ),
    "the upper tail one off": (
        (discrete_laplace.DiscreteLaplace, "tail", "self.ratio**threshold", "self.ratio**(threshold + 1)"),
        laws("lumped"),
    ),
    "a clamped end one off": (
        (templates, "clamp_cells", "((from_high, None), high)", "((from_high + 1, None), high)"),
        laws("lumped", "truncated"),
    ),
    "a released number not mirrored": (
        (released.Lattice, "release", "negated(known) if self.negated else known", "known"),
        laws("truncated"),
    ),
    "a released number one off": (
        (released.Release, "probability", "-self.centre", "1 - self.centre"),
        laws("released"),
    ),
    "weights of a distribution not normalised": (
        (distributions._Normal, "_divided_by", "product((weight, scale))", "weight"),
        laws("finite"),
    ),
    "a tie counted as a violation": (
        (
            hockey_stick.HockeyStick,
            "violating",
            "ordering(self.divergence(i), delta) > 0",
            "ordering(self.divergence(i), delta) >= 0",
        ),
        SATURATED,
    ),
    "what floats cannot tell taken for a tie": (
        (hockey_stick.HockeyStick, "violating", "ordering(self.divergence(i), delta) > 0", "False"),
        SATURATED,
    ),
    "p = e^ε·q counted as more": (
        (excesses.Excesses, "_decided", "return decision.sign(", "return 1 + 0 * decision.sign("),
        claims("lumped"),
    ),
    "the least ratio taken for the largest": (
        (ratios.LargestRatio, "_compare", "if way == 1", "if way != 1"),
        claims("truncated"),
    ),
    "a pair that violates for some ε passed over": (
        (on_cell._OnCell, "_exceeding", "if not self._never(p, q)", "if self._never(p, q)"),
        EVERY,
    ),
    "events of every ε without their last": (
        (on_cell._OnCell, "_event_exceeding", "for p, q in event]", "for p, q in event[1:]]"),
        EVERY,
    ),
    "a break of continuous noise not turned": (
        (exponential_polynomials.Piecewise, "_moved", "(exact(b) - shift) / slope", "exact(b) - shift"),
        CONTINUOUS,
    ),
    "a sampled comparison turned round": (
        (
            sampler.SamplingDraw,
            "holds",
            "HOLDS[relation](1 if ball > 0 else -1)",
            "HOLDS[relation](-1 if ball > 0 else 1)",
        ),
        CONTINUOUS,
    ),
    "a sampled clamp that does not clamp": (
        (sampler.SamplingDraw, "clamped", "min(max(", "min(min("),
        frequencies("lumped", "truncated"),
    ),
    "truncated noise sampled without its bound": (
        (derived.Derived, "quantile", "low + level / enclosure(self._of_known, precision)", "level"),
        frequencies("truncated"),
    ),
    "regions that are cut, without their second side": (
        (
            decision,
            "decided_on_regions",
            "((side, splits) for side in region.sides(cut))",
            "[(side, splits) for side in list(region.sides(cut))[:1]]",
        ),
        programs("all sizes", 10),
    ),
    "pairs of all sizes in one direction alone": (
        (decision, "_compared", "((left, right), (right, left))", "((left, right),)"),
        programs("all sizes", 20),
    ),
    "a step of a staircase one further": (
        (Staircase, "tail", "number - k * self.width", "0 * number"),
        programs("staircase", 5),
    ),
    "geometric noise from 1 on": (
        (geometric.Geometric, "tail", "threshold > 0", "threshold > 1"),
        programs("geometric", 5),
    ),
    "exponential noise that falls twice as fast": (
        (exponential.Exponential, "tail", "exp(-number * self.rate)", "exp(-2 * number * self.rate)"),
        programs("exponential_noise", 5),
    ),
    "ties of a symmetric mechanism that are not shared": (
        (symmetric.Symmetric, "mean", "p if ways == 1 else product((p, rational(fmpq(1, ways))))", "p"),
        programs("symmetric on rows", 15),
    ),
    "the smaller count for the larger": ((qualities, "largest", "max", "min"), programs("of_counts", 5)),
    "parts drawn apart that are all the first": (
        (
            runs.MechanismRun,
            "each_by",
            "kept(mechanism, args, parameters) for args in calls",
            "kept(mechanism, args, parameters) for args in [next(iter(calls))] * len(calls)",
        ),
        programs("parts drawn apart", 5),
    ),
    "a released real number that is not moved": (
        (released_reals.RealRelease, "density", "negative(product((factor, self.centre)))", "ZERO"),
        programs("released numbers", 5),
    ),
}


def survives(checks: Sequence[Check]) -> str | None:
    """None where some check fails; else says so."""
    for check in checks:
        try:
            check()
        except Exception as error:
            print("   ", type(error).__name__, str(error).split("\n")[0][:110], file=sys.stderr)
            return None
    return "no check fails"


def main(names: Sequence[str]) -> int:
    """Tries the mutants of these names, or all; the survivors are printed as JSON."""
    survivors: dict[str, str] = {}
    for late in Claim.modules:  # each process would load them
        import_module(late)
    for name, (change, checks) in MUTANTS.items():
        if names and name not in names:
            continue
        print(name, file=sys.stderr, flush=True)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                rewritten(*change)
                found = survives(checks)
            except BaseException as error:
                found = f"not made: {error!r}"
            os.write(writing, json.dumps(found).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        result = json.loads(said) if said else "died"
        if result is not None:
            survivors[name] = result
    print(json.dumps(survivors, ensure_ascii=False))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
