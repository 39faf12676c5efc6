"""The registry of samples: each finds a program that differs in one place, and misses it where its size is 0."""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest
from docs.pages.samples_page import PAGE, page
from hypothesis import strategies as st

from dpverify.mechanisms import Draw, Limits, bernoulli, exponential, laplace, symbolic
from dpverify.mechanisms.finer_releases.seen_by_value import Reached
from dpverify.mechanisms.functions import samples
from dpverify.mechanisms.functions.samples import SAMPLES, size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, MechanismError
from dpverify.mechanisms.numbers.exact_numbers import Exact, Unknown, exact
from dpverify.mechanisms.numbers.integers.sealed import Sealed
from dpverify.mechanisms.outputs.scored import Chooser
from dpverify.mechanisms.release.threshold_oracle import rows_that_satisfy
from dpverify.mechanisms.selection import laplace_mechanism, noisy_number
from dpverify.verifiers import (
    Case,
    Histograms,
    Multisets,
    PacClaim,
    Scores,
    Tuples,
    UtilityClaim,
    check_privacy,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.all_sizes import known_guarantees
from dpverify.verifiers.all_sizes.compositions import EveryDatabase, known
from dpverify.verifiers.all_sizes.decision import decided_on_regions
from dpverify.verifiers.all_sizes.known_guarantees import guarantee_of
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.blackbox.proposals import pairs_of_domain
from dpverify.verifiers.blackbox.sampling import samplers
from dpverify.verifiers.claims import How
from dpverify.verifiers.divergence.output_tables.distribution_arrays import (
    ScoredDistributions,
    as_distribution_array,
    held_distributions,
)
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.problems.questions.row_orders import some_orders
from dpverify.verifiers.verdicts import compared_distributions

ROOT: Final = Path(__file__).parents[1]

pytestmark = pytest.mark.forks

Patch = pytest.MonkeyPatch

SMALL = Tuples((0, 1), size=1)


def resized(patch: Patch, name: str, size: int) -> None:
    assert name in SAMPLES
    patch.setitem(samples._SIZES, name, size)


def nothing_is_watched(patch: Patch) -> None:
    """What keeps from one run to another by means that are looked at is let pass: to see what else finds it."""
    patch.setattr(Reached, "refuse_changes", lambda _: None)


def is_refused(*of: Any, words: str, **given: Any) -> bool:
    """True where a check is refused in these words; False where it is PROVED."""
    try:
        verdict = check_privacy(*of, **given)
    except InputError as error:
        assert re.search(words, str(error)), str(error)
        return True
    if verdict.status == "UNDECIDED":
        assert re.search(words, verdict.reason), verdict.reason
        return True
    assert verdict.status == "PROVED"
    return False


# --- Finite domains
def orders_of_rows(patch: Patch) -> bool:
    """No reverse, and no swap of two adjacent rows of those that are sorted."""

    def told(draw: Draw, rows: Any) -> Any:
        return rows == (1, 0, 1, 0, 0)

    return is_refused(told, Multisets((0, 1), size=5), words="depends on the order of the rows", epsilon=1)


*_, SHUFFLED_ROWS = some_orders(tuple("aabbccdd"))


def shuffles_of_rows(patch: Patch) -> bool:
    """An order that is the shuffle's alone, where there are too many to run all."""
    resized(patch, "orders of rows", 0)

    def told(draw: Draw, rows: Any) -> Any:
        return rows == SHUFFLED_ROWS

    return is_refused(told, Multisets("abcd", size=8), words="depends on the order of the rows", epsilon=1)


def with_a_wrong_law(patch: Patch) -> None:
    """Let the enumerator give the law of the first database to all."""
    held = held_distributions

    def wrong(laws: Any) -> Any:
        first, *others = laws
        return held([first, *[first] * len(others)])

    patch.setattr(compared_distributions, "held_distributions", wrong)


def databases_computed_again(patch: Patch) -> bool:
    with_a_wrong_law(patch)
    return is_refused(told_of_a_row, SMALL, words="differs the second time", epsilon=9)


def runs_computed_again(patch: Patch) -> bool:
    with_a_wrong_law(patch)
    return is_refused(told_of_a_row, SMALL, words="differs the second time", epsilon=9)


def told_of_a_row(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli(Fraction(1 + rows[0], 4)))


# --- All sizes
def finds(words: str, mechanism: Callable[..., Any], epsilon: Any = 0, given: Any = None) -> bool:
    """True where the laws of regions are found to be other ones on databases, whatever would be refused before."""
    domain = as_endless(Histograms((0, 1)))
    assert domain is not None
    claim = PrivacyGuarantee(exact(epsilon), exact(0))
    laws = DistributionsOnRegions(Question(mechanism, domain, replace_one, claim, given or {}, Limits()), domain)
    try:
        decided_on_regions(domain.regions(replace_one), laws, claim)
    except MechanismError as error:
        assert re.search(words, str(error)), str(error)
        return True
    return False


def is_known(number: Any) -> bool:
    return not (
        issubclass(type(number), Unknown | Sealed) or (issubclass(type(number), Exact) and number.symbol is not None)
    )


def neighbours_of_a_theorem(patch: Patch) -> bool:
    """A theorem that says of Laplace noise that it is enough for half of its ε."""
    row = guarantee_of(laplace_mechanism)
    assert row is not None and row.on_scores is not None
    wrong = replace(row.on_scores, holds=lambda _: True, supremum=lambda _: None, pure=lambda _: None)
    patch.setattr(known_guarantees, "GUARANTEES", (replace(row, on_scores=wrong),))
    of = laplace_mechanism, Scores(solutions=1), scores_linf
    return is_refused(*of, words="violates the claim on", epsilon="1/2", parameters={"epsilon": 1})


def numbers_for_a_symbolic_epsilon(patch: Patch) -> bool:
    def told_at_5_halves(draw: Draw, rows: Any, *, epsilon: Any) -> Any:
        return bool((is_known(epsilon) or epsilon.symbol is None) and epsilon == Fraction(5, 2))

    return finds("at ε = 5/2", told_at_5_halves, epsilon=symbolic, given={"epsilon": symbolic})


def databases_of_each_region(patch: Patch) -> bool:
    def told_at_3(draw: Draw, rows: Any) -> Any:
        n = rows.count(0)
        return is_known(n) and n == len("four") and rows.count(1) == len("it")

    return finds("does otherwise on 6 rows", told_at_3)


# --- Compositions
def is_0(row: Any) -> bool:
    return bool(row == 0)


def small_instances_of_compositions(patch: Patch) -> bool:
    """A guarantee that is stated half as large as it is."""

    def count(draw: Draw, rows: Any) -> Any:
        return draw(noisy_number, rows, number=partial(rows_that_satisfy, query=is_0), noise=laplace(1))

    rule = known.ROW_RULES[noisy_number]

    def wrong(database: Any, given: Any) -> Any:
        found: Any = rule(database, given)
        return replace(found, guarantee=PrivacyGuarantee(found.guarantee.epsilon / 2, exact(0)))

    patch.setattr(known, "ROW_RULES", {**known.ROW_RULES, noisy_number: wrong})
    return is_refused(count, EveryDatabase((0, 1)), words="contradict each other", epsilon="1/2")


# --- Usefulness, and what cannot be read
def utility_of(deep: bool) -> Callable[[Patch], bool]:
    def caught(patch: Patch) -> bool:
        claim = UtilityClaim(
            id="lib.fails-at-three",
            mechanism=lambda draw, n: n != 3,
            strategy=lambda: st.builds(Case, st.integers(0, 9), st.just({})),
            succeeds=lambda case, outcome: outcome,
            beta=lambda case: 0,
            mutant=lambda draw, n: n != 4,
            corners={"zero": lambda case: case.database == 0},
        )
        return claim.decide(how(deep)).verdict == "REFUTED"

    return caught


def how(deep: bool) -> Any:
    return How(search="deep" if deep else "derandomized")


def population_of(deep: bool) -> Callable[[Patch], bool]:
    def caught(patch: Patch) -> bool:
        """Without samples the claim is refused."""
        claim = PacClaim(
            id="lib.constant",
            learner=lambda draw, sample: 0,
            cases=[Case((((0, 1), Fraction(1)),), {})],
            succeeds=lambda case, label: label == 1,
            size=lambda case: 2,
            beta=lambda case: Fraction(1, 2),
            mutant=lambda draw, sample: 0,
        )
        with suppress(InputError):
            return claim.decide(how(deep)).verdict == "REFUTED"
        return False

    return caught


def examples_of_a_strategy(patch: Patch) -> bool:
    """Neighbours that tell a sampler's secret are among those that are drawn."""
    with suppress(InputError):
        strategy: Any = st.tuples(st.integers(0, 2))
        found = pairs_of_domain(strategy, lambda rows: [(x,) for x in range(3)])
        return ((2,) in found.databases) and len(found.pairs) == 6
    return False


def pairs_of_a_pilot(patch: Patch) -> bool:
    found = pairs_of_domain(Tuples(range(20), size=1), replace_one)
    assert found.of == 380
    named = [(found.databases[a], found.databases[b]) for a, b in found.pairs]
    return ((19,), (18,)) in named and ((0,), (1,)) in named


def draws_that_are_compared(patch: Patch) -> bool:
    """One noise for all draws of a block."""
    sampler: Any = SimpleNamespace(name="shared")
    with suppress(InputError):
        samplers._heed_repeats(sampler, (0,), np.full(64, 0.25), np.full(64, 0.5))
        return False
    return True


def orders_of_a_hard_instance(patch: Patch) -> bool:
    instance = HardInstance(
        databases=[(0, 1, 1), (1, 0, 0)],
        outcomes=(0, 1),
        succeeds=lambda rows, outcome: rows[0] == outcome,
        distance=rows_replaced,
    )
    return instance.depends_on_order() is not None


class Doubled(Chooser):
    """A chooser that goes by more than differences of scores: from 2 on they count twice."""

    def choice(self, scores: Any) -> Any:
        times = 1 + (max(scores) >= 2)
        return exponential({x: times * score for x, score in zip(self.solutions, scores, strict=True)}, 1)

    def at_share(self, scores: Any, share: Fraction) -> Any:
        raise NotImplementedError

    def among(self, solutions: Any) -> Any:
        return Doubled(solutions)


def choices_found_together(patch: Patch) -> bool:
    chooser, scores = Doubled("ab"), [(0, 1), (1, 0), (1, 2), (2, 1)]
    laws = as_distribution_array(ScoredDistributions(chooser, scores))
    assert laws[0].probabilities == chooser.choice((0, 1)).probabilities
    return bool(laws[3].probabilities == chooser.choice((2, 1)).probabilities)


PLANTED: Final[dict[str, Callable[[Patch], bool]]] = {
    "orders of rows": orders_of_rows,
    "shuffles of rows": shuffles_of_rows,
    "databases computed again": databases_computed_again,
    "runs computed again": runs_computed_again,
    "neighbours of a theorem": neighbours_of_a_theorem,
    "numbers for a symbolic ε": numbers_for_a_symbolic_epsilon,
    "databases of each region": databases_of_each_region,
    "small instances of compositions": small_instances_of_compositions,
    "examples of a utility claim": utility_of(deep=False),
    "examples of a deep search": utility_of(deep=True),
    "samples of a population": population_of(deep=False),
    "samples of a population, deep": population_of(deep=True),
    "examples of a strategy": examples_of_a_strategy,
    "pairs of a pilot": pairs_of_a_pilot,
    "draws of a sampler that are compared": draws_that_are_compared,
    "orders of a hard instance": orders_of_a_hard_instance,
    "choices found together": choices_found_together,
}
"""A program for each sample that differs in one place: True where it is caught."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_planted_program_is_caught_and_is_not_without_the_sample(
    name: str, monkeypatch: Patch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where a deep search keeps what has failed
    with pytest.MonkeyPatch.context() as patch:
        assert PLANTED[name](patch), "by the sample as it is"
    resized(monkeypatch, name, 0)
    assert not PLANTED[name](monkeypatch), "by something else than this sample"


def test_each_sample_has_a_planted_program() -> None:
    assert PLANTED.keys() == SAMPLES.keys()


# --- None is taken beside the registry
MODULES: Final = [
    path
    for package in ("mechanisms", "verifiers")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "catalogue" not in path.parts
]

IN_CHANCE: Final = frozenset(("Random", "SystemRandom", "Chances", "default_rng", "PCG64", "randrange", "shuffle"))
"""Calls by which some of many are chosen."""

NAMES: Final = re.compile(r"TRIED|TRIES|EXAMPLES|SAMPLE|FEWEST|TURNS|SPREAD|COMPARED|REPEATED|DATABASES_OF")
"""Of a constant that is a number, and may be the size of a sample."""

NO_SAMPLES: Final = {
    "mechanisms.drawing.sampler": "draws of `run`",
    "mechanisms.drawing.unmodified": "the name of a generator that source takes",
    "mechanisms.language.values_from_outside": "so many contents are compared at once, and all of more of them later",
    "mechanisms.language.numpy_names": "the name of a generator that source makes",
    "verifiers.all_sizes.compositions.drawn_guarantees": "pairs for a hint, which is no part of a verdict",
    "verifiers.auditing.mutation.mutating": "mutants, of which it is said how many were tried",
    "verifiers.optimal.simplex": "against cycles: the optimum is certified",
    "verifiers.profiles.nearby": "pairs that refute at once; else all are decided",
    "verifiers.blackbox.result": "the seed of a deep audit, whose confidence is said",
}
"""Modules that choose by chance, or have such a name, and why that is no sample on which anything rests."""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def chooses(tree: ast.Module) -> Iterator[str]:
    """The calls and constants by which a module may take a sample."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in IN_CHANCE or any(word.arg == "max_examples" for word in node.keywords):
                yield name
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            value, name = statement.value, statement.target.id
            if isinstance(value, ast.Constant) and type(value.value) is int and NAMES.search(name):
                yield name


def asks_for(tree: ast.Module) -> set[str]:
    """The samples that a module names."""
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts & SAMPLES.keys()


def test_each_sample_is_asked_for_where_it_says_and_none_is_taken_elsewhere() -> None:
    asked: dict[str, set[str]] = {}
    choosing = set()
    words = re.compile("|".join((*map(re.escape, SAMPLES), *IN_CHANCE, "max_examples", NAMES.pattern)))
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        if not words.search(text):
            continue
        tree, module = ast.parse(text), module_of(path)
        if module != "mechanisms.functions.samples" and (names := asks_for(tree)):
            asked[module] = names
        if any(chooses(tree)):
            choosing.add(module)
    said: dict[str, set[str]] = {}
    for sample in SAMPLES.values():
        if sample.asked_in:
            said.setdefault(sample.asked_in, set()).add(sample.name)
    assert asked == said
    assert choosing - said.keys() == NO_SAMPLES.keys(), "register a sample, or say why it is none"


def test_a_module_that_takes_a_sample_of_its_own_is_found() -> None:
    for text in (
        "from random import Random\nchosen = Random(1).sample(range(9), 3)",
        "_TRIED: Final = 12",
        "settings(max_examples=3)",
    ):
        assert list(chooses(ast.parse(text)))
    assert not list(chooses(ast.parse("_MOST: Final = 12\nlen(rows)")))


def test_the_page_is_that_of_the_registry() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.pages.samples_page"
    assert len(SAMPLES) == len({sample.name.lower() for sample in SAMPLES.values()})
    for sample in SAMPLES.values():
        assert size_of_sample(sample.name) == sample.size > 0
        assert all((sample.purpose, sample.counts, sample.where, sample.misses)), sample.name
