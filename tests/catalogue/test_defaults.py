"""What runs unless told otherwise is what is proved: every public function that draws, in one of three lists."""

import ast
import dis
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from importlib import import_module
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from dpverify.mechanisms import Distribution, Exact, distribution, exact, run
from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES
from dpverify.mechanisms.functions.mechanism import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ZERO, total
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.outputs.substitution import DistributionSubstitution
from dpverify.mechanisms.recursion.quasi_concave import _intervals, maximise_quasi_concave
from dpverify.mechanisms.sanitizers import Threshold, error_as_printed
from dpverify.mechanisms.sanitizers.thresholds_sanitizer import dense_interval
from dpverify.verifiers import Claim, Status, UtilityClaim
from dpverify.verifiers.calculations.claim import Calculation
from dpverify.verifiers.catalogue import catalogue, privacy_claims

BY_ID = {claim.id: claim for claim in privacy_claims()}
HUNDREDTH = Fraction(1, 100)

PROVED_BY_DEFAULT = {
    "choose_by_stability": "BNS-J-2.26.privacy.corrected",
    "choose_by_stability_discrete": "BNS-J-2.26.privacy.corrected-discrete",
    "choose_by_stability_extended_abstract": "BNS-X-Prop2.privacy.printed",
    "choosing_mechanism": "BNS-J-4.4.privacy.printed",
    "clamped_laplace_mechanism": "BNS-J-2.24.privacy.clamped",
    "composition": "BNS-J-2.3.privacy.two-mechanisms",
    "cut_off_histogram": "BuNS-2.20.privacy.cut-offs",
    "direct_sum": "BuNS-3.2.privacy.every-epsilon",
    "discrete_laplace_mechanism": "BNS-J-2.24.privacy.discrete",
    "exponential_mechanism": "BNS-J-2.25.privacy.scores",
    "first_below": "LICS20-SVT.privacy.first-below",
    "frequent_itemset": "CHS-4.1.privacy.printed",
    "frequent_itemset_by_exponential": "CHS-4.1.privacy.exponential-every-epsilon",
    "frequent_itemset_by_laplaces": "CHS-4.1.privacy.laplaces",
    "frequent_itemset_or_none": "CHS-4.1.privacy.or-none",
    "generic_learner": "BNS-J-KLNRS.privacy.point",
    "hardest_composition": "BNS-J-2.4.privacy.2-times-pure",
    "label_private_learner": "BNS-J-6.2.privacy.labels",
    "large_margin_mechanism": "CHS-Alg1.privacy.printed",
    "large_margin_of_levels": "CHS-4.1.privacy.printed",
    "leaky_randomized_response": "BNS-J-2.3.privacy.two-mechanisms",
    "learn_by_labels": "BNS-J-5.5.privacy.printed",
    "learn_by_large_margin": "CHS-4.2.privacy.printed",
    "laplace_mechanism": "BNS-J-2.24.privacy.printed",
    "learn_empirically": "BuNS-2.24.privacy.nine-rows",
    "learn_from_sanitized": "BNS-J-5.3.privacy.every-epsilon",
    "learn_many": "BuNS-3.7.privacy.every-epsilon",
    "learn_many_points": "BuNS-3.13.privacy.default",
    "learn_parities": "BuNS-3.12.privacy.default",
    "learn_points": "BNS-J-3.2.privacy.default",
    "learn_points_improperly": "BNS-J-BKN.privacy.every-epsilon",
    "learn_points_or_none": "BNS-J-3.2.privacy.or-none-default",
    "learn_rectangle": "BNS-J-3.22.privacy.one-axis",
    "learn_thresholds": "BNS-J-3.18.privacy.default",
    "learn_thresholds_extended_abstract": "BNS-X-Thm2.privacy.corrected",
    "learn_thresholds_by_search": "BNS-J-3.5.privacy.default",
    "max_of_laplaces": "CHS-2.2-MoL.privacy.printed",
    "max_of_laplaces_drawn": "CHS-2.2-MoL.privacy.drawn",
    "multiplicative_weights": "BuNS-2.19.privacy.every-epsilon",
    "numerical_svt": "LSL-Num.privacy.printed",
    "on_a_sample": "BuNS-2.25.privacy.exponential",
    "release_by_learning": "HRS-Fig2.privacy.every-epsilon",
    "maximise_quasi_concave_extended_abstract": "BNS-X-Lem2.privacy.corrected",
    "maximise_quasi_concave": "BNS-J-3.12.privacy.default",
    "sanitize_k_points": "BNS-J-4.7.privacy.printed",
    "sanitize_points": "BNS-J-4.6.privacy.printed",
    "sanitize_thresholds": "BNS-J-4.8.privacy.default",
    "sanitize_in_parts": "BNS-J-5.1.privacy.every-epsilon",
    "sanitize_labelled": "BNS-J-5.4.privacy.printed",
    "sanitize_two_parts": "BNS-J-4.16.privacy.two-parts",
    "semi_private_learner": "BNS-J-6.2.privacy.semi-private-every-epsilon",
    "small_database": "BNS-J-2.19.privacy.every-epsilon",
    "stable_histogram": "BuNS-2.20.privacy.stability",
    "svt1": "LSL-Alg1.privacy.printed",
    "svt2": "LSL-Alg2.privacy.default",
    "threshold_answers": "HRS-Fig1.privacy.every-epsilon",
}
"""The corrected default, and the claim that proves it."""

SIZES = {
    "learn_empirically": {"parameters"},  # those of the learner that it is given
    "on_a_sample": {"parameters"},  # those of the mechanism that it is given
    "release_by_learning": {"bound"},  # how many queries may be asked
    "maximise_quasi_concave": {"base"},
    "sanitize_thresholds": {"base", "calls"},
    "sanitize_labelled": {"most"},  # cuts a number off, so that there are finitely many outcomes
}
"""The arguments with a default that the claim may give all the same: sizes, and what is handed on."""

REFUTED_AS_PUBLISHED = {
    "choose_by_stability_journal": "BNS-J-2.26.privacy.printed",
    "frequent_itemset_that_occurs": "CHS-4.1.privacy.without-universe",
    "svt3": "LSL-Alg3.privacy.claimed",
    "svt4": "LSL-Alg4.privacy.claimed",
    "svt5": "LSL-Alg5.privacy.claimed",
    "svt6": "LSL-Alg6.privacy.claimed",
}
"""Published, refuted, and so named; the claim that refutes it."""

HELPERS = {
    "choose_by_stability_with": "the family of A_dist, of which the corrected one is proved and others are refuted",
    "items_to_keep": "the loop of the large margin mechanism alone, to look at; that is proved as a whole",
    "learn_low_weight_parities": "a learner for release_by_learning: of the database it sees what the oracle has answered",
    "learn_majority_of_parities": "a learner for release_by_learning: of the database it sees what the oracle has answered",
    "learn_polynomial_threshold": "a learner for release_by_learning: of the database it sees what the oracle has answered",
    "shuffled": "puts the rows in random order for a sanitizer, and is as private as that",
    "traced": "the attack on a learner that it is given, and as private as that",
    **dict.fromkeys(
        (
            "noisy_number",
            "number_of_rows",
            "on_each_row",
            "on_quality",
            "on_some_rows",
            "select_by_quality",
            "to_return",
        ),
        "it is a part of mechanisms, which has what it is given: tests/verifiers/all_sizes/compositions decides it",
    ),
}
"""No mechanism of its own, and why."""


def public_functions() -> dict[str, Any]:
    """What `dpverify.mechanisms` and its packages export: the functions, by name."""
    packages = [import_module(name) for name in (*FACES, *EXPORTING_PACKAGES) if name.startswith("dpverify.mechanisms")]
    members = {name: getattr(package, name) for package in packages for name in package.__all__}
    return {name: member for name, member in members.items() if inspect.isfunction(member)}


def functions_that_draw() -> dict[str, Mechanism]:
    """The public functions whose first parameter is `draw`."""
    found: dict[str, Mechanism] = {}
    for name, value in public_functions().items():
        if next(iter(inspect.signature(value).parameters), None) == "draw":
            found[name] = value
    return found


FUNCTIONS = functions_that_draw()


def given_by(claim: Claim) -> dict[str, Any]:
    """The parameters of a claim's mechanism; of one for every ε, those at ε = 1."""
    given = dict(claim.question.arguments)
    symbol = symbol_in(given)
    return given if symbol is None else DistributionSubstitution(symbol, exact(1))(given)


def test_every_function_that_draws_is_in_one_list() -> None:
    listed = [*PROVED_BY_DEFAULT, *REFUTED_AS_PUBLISHED, *HELPERS]
    assert sorted(listed) == sorted(FUNCTIONS)
    assert all(HELPERS.values())


def changed_arguments(claim: Claim, function: Any) -> list[set[str]]:
    """Of each call of the function in a run of the claim: the arguments that have a default, and not that value."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }
    calls: list[set[str]] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and place_of(frame.f_code) == place_of(function.__code__):
            calls.append({name for name, value in defaults.items() if not same(frame.f_locals[name], value)})

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        distribution(claim.mechanism, next(iter(claim.domain)), **given_by(claim))
    finally:
        sys.setprofile(before)
    return calls


def place_of(code: CodeType) -> tuple[str, int, str]:
    """Where code stands: what is compiled from its source stands there, too."""
    return code.co_filename, code.co_firstlineno, code.co_name


def same(value: Any, default: Any) -> bool:
    if isinstance(value, FunctionType) and isinstance(default, FunctionType):
        return place_of(value.__code__) == place_of(default.__code__)
    return value is default or (type(value) is type(default) and bool(value == default))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROVED_BY_DEFAULT)
def test_the_default_is_what_a_claim_proves(name: str) -> None:
    claim = BY_ID[PROVED_BY_DEFAULT[name]]
    assert claim.expected is Status.PROVED
    assert claim.depth != "full"
    calls = changed_arguments(claim, FUNCTIONS[name])
    assert any(changed <= SIZES.get(name, set()) for changed in calls), (name, calls)


def test_a_claim_of_the_printed_one_does_not_count() -> None:
    printed = BY_ID["BuNS-3.12.privacy.printed"]
    assert changed_arguments(printed, FUNCTIONS["learn_parities"])[0] == {"selection"}
    assert changed_arguments(printed, FUNCTIONS["learn_points"]) == []


@pytest.mark.parametrize("name", REFUTED_AS_PUBLISHED)
def test_what_is_published_and_wrong_has_a_claim_that_is_refuted(name: str) -> None:
    claim = BY_ID[REFUTED_AS_PUBLISHED[name]]
    assert claim.expected is Status.REFUTED
    assert changed_arguments(claim, FUNCTIONS[name])


def functions_in(value: Any, met: dict[int, Any]) -> dict[int, Any]:
    """By identity all that a function of the catalogue holds or names, and what is beside it in containers."""
    if id(value) in met:
        return met
    met[id(value)] = value
    parts: Iterable[Any] = ()
    if isinstance(value, partial):
        parts = (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, FunctionType) and value.__module__.startswith("dpverify.verifiers.catalogue"):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        parts = (*cells, *(value.__globals__.get(name) for name in value.__code__.co_names))
    elif isinstance(value, tuple | list | dict):
        parts = value.values() if isinstance(value, dict) else value
    for part in parts:
        functions_in(part, met)
    return met


def test_no_default_is_the_subject_of_a_refuted_claim() -> None:
    """Unless one of its kind is PROVED of it with other numbers, as of a corrected gap; noise is no subject."""
    values = [p.default for f in public_functions().values() for p in inspect.signature(f).parameters.values()]
    defaults = {id(value): value for value in values if inspect.isfunction(value) and not is_noise(value)}
    assert len(defaults) >= 5
    subjects: dict[tuple[type, bool], set[int]] = {}
    for claim in catalogue():
        held = functions_in([getattr(claim, "mechanism", None), getattr(claim, "parameters", None)], {})
        subjects.setdefault((type(claim), claim.expected is Status.REFUTED), set()).update(held)
    for (kind, is_refuted), refuted in subjects.items():
        only_refuted = refuted - subjects[kind, False] if is_refuted else set()
        assert not [defaults[each].__name__ for each in only_refuted & defaults.keys()], kind
    assert id(error_as_printed) in subjects[UtilityClaim, True] - subjects[UtilityClaim, False]


def is_noise(function: Any) -> bool:
    """True of what makes a law of noise."""
    return ".noise." in str(function.__module__)


def test_a_size_that_is_not_the_default_is_stated() -> None:
    assert "base case 4" in BY_ID["BNS-J-3.12.privacy.default"].statement
    assert "one call" in BY_ID["BNS-J-4.8.privacy.default"].statement
    assert "base case 8" in BY_ID["BNS-J-4.8.privacy.default"].statement
    assert BY_ID["BNS-J-3.12.privacy.default"].parameters["base"] == 4
    assert BY_ID["BNS-J-4.8.privacy.default"].parameters["base"] == 8


# What runs by default is claimed to be useful, too.

USEFUL_BY_DEFAULT = {
    "choose_by_stability": "BNS-J-3.18.utility.pac",
    "choose_by_stability_extended_abstract": "BNS-X-Prop2.utility.gap-corrected",
    "choosing_mechanism": "BNS-J-4.5.utility.choosing",
    "cut_off_histogram": "BuNS-2.20a.utility.cut-off-histogram",
    "direct_sum": "BuNS-3.2.utility.direct-sum",
    "exponential_mechanism": "BNS-J-2.25.utility.exponential",
    "frequent_itemset": "CHS-Cor1.utility.itemsets",
    "generic_learner": "BNS-J-KLNRS.utility.empirical",
    "label_private_learner": "BNS-J-6.2.utility.pac",
    "large_margin_mechanism": "CHS-Thm3.utility.large-margin",
    "learn_by_large_margin": "CHS-Cor2.utility.shells",
    "learn_empirically": "BuNS-2.24.utility.empirical",
    "learn_from_sanitized": "BNS-J-5.3.utility.empirical",
    "learn_many": "BuNS-3.7.utility.choice-of-labelings",
    "learn_many_points": "BuNS-3.13.utility.any-columns",
    "learn_parities": "BuNS-3.12.utility.any-columns",
    "learn_points": "BNS-J-3.2.utility.pac-corrected",
    "learn_points_improperly": "BNS-J-BKN.utility.on-the-sample",
    "learn_points_or_none": "BNS-J-3.2.utility.none-corrected",
    "learn_rectangle": "BNS-J-3.22.utility.whole",
    "learn_thresholds": "BNS-J-3.18.utility.pac",
    "learn_thresholds_by_search": "BNS-J-3.5.utility.search",
    "learn_thresholds_extended_abstract": "BNS-X-Thm2.utility.pac-with-b",
    "laplace_mechanism": "BNS-J-2.24.utility.tail",
    "max_of_laplaces": "CHS-2.2-MoL.utility.loss",
    "maximise_quasi_concave": "BNS-J-3.15.utility.promise",
    "maximise_quasi_concave_extended_abstract": "BNS-X-Lem3.utility.corrected",
    "multiplicative_weights": "BuNS-2.19.utility.fewer-rows",
    "release_by_learning": "HRS-4.5.utility.release",
    "sanitize_in_parts": "BNS-J-5.1.utility.parts",
    "sanitize_k_points": "BNS-J-4.7.utility.fewer-rows",
    "sanitize_labelled": "BNS-J-5.4.utility.rows",
    "sanitize_points": "BNS-J-4.6.utility.fewer-rows",
    "sanitize_thresholds": "BNS-J-4.13.utility.rows",
    "sanitize_two_parts": "BNS-J-4.16.utility.two-parts",
    "semi_private_learner": "BNS-J-6.2.utility.semi-private",
    "small_database": "BNS-J-2.19.utility.thresholds",
    "stable_histogram": "BuNS-2.20b.utility.stable-histogram",
}
"""The function, and the claim of how often it fails: of itself, or of a bound on its law with the same constants."""

PRIVACY_ALONE = {
    "choose_by_stability_discrete": "its threshold is the next whole one: no paper states a gap for it",
    "clamped_laplace_mechanism": "no paper's; what clamping loses depends on where one clamps",
    "composition": "what its parts are for, it does not know",
    "discrete_laplace_mechanism": "no paper's; its tail is that of a geometric law",
    "first_below": "Lyu, Su & Li state privacy alone",
    "frequent_itemset_by_exponential": "a baseline of Chaudhuri, Hsu & Song: shown in numbers, not stated",
    "frequent_itemset_by_laplaces": "a baseline of Chaudhuri, Hsu & Song: shown in numbers, not stated",
    "frequent_itemset_or_none": "the same choice as frequent_itemset, which may be none",
    "hardest_composition": "the worst of what is as private: of no use to anybody",
    "large_margin_of_levels": "the large margin mechanism, of which it is the second half",
    "leaky_randomized_response": "the worst of what is as private: of no use to anybody",
    "learn_by_labels": "as useful as the sanitizer that it is given: BNS-J-5.5.utility.pac",
    "max_of_laplaces_drawn": "has the law of max_of_laplaces",
    "numerical_svt": "Lyu, Su & Li state privacy alone",
    "on_a_sample": "as useful as what it is given on fewer rows",
    "svt1": "Lyu, Su & Li state privacy alone",
    "svt2": "Lyu, Su & Li state privacy alone",
    "threshold_answers": "what it answers is what a learner learns from: HRS-4.10.utility.two-queries",
}
"""What runs by default, and why no claim says how useful it is."""


def test_each_default_is_claimed_to_be_useful_or_there_is_a_reason() -> None:
    assert sorted([*USEFUL_BY_DEFAULT, *PRIVACY_ALONE]) == sorted(PROVED_BY_DEFAULT)
    claims = {claim.id: claim for claim in catalogue() if isinstance(claim, UtilityClaim | Calculation)}
    expected = {name: claims[of].verdict_expected for name, of in USEFUL_BY_DEFAULT.items()}
    assert {name for name, of in expected.items() if of not in (Status.PROVED, Status.FUZZED)} == set()


def test_the_default_of_rec_is_what_its_analysis_needs() -> None:
    """Step 10 as printed leaves B out, and is refuted: whoever runs Rec without a word does not run that."""
    for name in ("maximise_quasi_concave_extended_abstract", "learn_thresholds_extended_abstract"):
        assert inspect.signature(FUNCTIONS[name]).parameters["from_the_end_of_a"].default is False
    rows = tuple((x, int(x < 32)) for x in range(0, 64, 2)) * 4000
    given: dict[str, Any] = {"d": 6, "alpha": Fraction(1, 2), "epsilon": 1, "delta": Fraction(1, 10**6)}
    function = FUNCTIONS["learn_thresholds_extended_abstract"]
    learnt = [run(function, rows, seed=seed, **given) for seed in range(3)]
    assert all(isinstance(found, Threshold) for found in learnt), learnt


# Each branch of what runs by default has a probability of at least 1/100 on some database of the claim's domain.

BRANCHES: dict[tuple[str, ...], tuple[Mechanism, ...]] = {
    ("BNS-J-3.2.privacy.default",): (FUNCTIONS["learn_points"], FUNCTIONS["learn_points_or_none"]),
    ("BNS-J-3.2.privacy.or-none-default",): (FUNCTIONS["learn_points_or_none"],),
    ("BNS-J-3.5.privacy.default", "BNS-J-3.5.privacy.default-powers"): (FUNCTIONS["learn_thresholds_by_search"],),
    ("BNS-J-3.12.privacy.default",): (maximise_quasi_concave, _intervals),
    ("BNS-J-3.18.privacy.default",): (FUNCTIONS["learn_thresholds"],),
    ("BNS-J-4.8.privacy.default",): (FUNCTIONS["sanitize_thresholds"], dense_interval),
    ("BuNS-3.12.privacy.default",): (FUNCTIONS["learn_parities"],),
    ("BuNS-3.13.privacy.default",): (FUNCTIONS["learn_many_points"],),
}
OTHER_ARGUMENTS = (
    "quality if isinstance(quality, StepFunction)",  # a sequence in place of a step function
    "None if depth is None",
    "depth=None if n is None",
    "if calls is None",
    "if depth is None",
)
"""Lines of which one half is for arguments that are not those of the claim."""
REFUSALS = ("raise ", "assert ")
PASSIVE = (
    *("POP_TOP", "RESUME", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "CALL_INTRINSIC_1", "RERAISE"),
    "END_FOR",  # which a loop that ends leaps over
)
PUTS_BACK = ("SWAP", "POP_TOP", "STORE_FAST")
"""What stands before RERAISE, from Python 3.12 on, where a comprehension met an error, of which nobody takes notice."""
Step = tuple[CodeType, int]
"""An instruction of a function."""


def nested(code: CodeType) -> list[CodeType]:
    return [code, *(inner for part in code.co_consts if isinstance(part, CodeType) for inner in nested(part))]


def without_what_puts_back(code: CodeType) -> list[dis.Instruction]:
    kept: list[dis.Instruction] = []
    raising = False
    for step in reversed(list(dis.get_instructions(code))):
        raising = step.opname == "RERAISE" or (raising and step.opname in PUTS_BACK)
        if not raising:
            kept.append(step)
    return kept[::-1]


class Steps:
    """The instructions of some functions, and with which probability a mechanism executes each."""

    def __init__(self, functions: Iterable[Any]) -> None:
        self.codes = {code for function in functions for code in nested(function.__code__)}
        self.own = {function.__code__ for function in functions}
        self.reached: set[Step] = set()

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code not in self.codes:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            code, offset = frame.f_code, frame.f_lasti
            self.reached.add((code, offset))
            if code.co_code[offset] == dis.EXTENDED_ARG:  # with what it extends, which is no event
                self.reached.add((code, offset + 2))
        return self.trace

    def executed(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism that returns which instructions it has executed; of these functions, none is a part."""

        def watching(draw: Any) -> Callable[..., Any]:
            def watched(source: Any, *args: Any, **given: Any) -> Any:
                if getattr(source, "__code__", None) not in self.own:
                    return draw(source, *args, **given)
                outcome = source(watched, *args, **given)
                return draw(outcome) if isinstance(outcome, Distribution) else outcome

            return watched

        def steps(draw: Any, database: Any, **given: Any) -> frozenset[Step]:
            self.reached.clear()
            before = sys.gettrace()
            sys.settrace(self.trace)
            try:
                mechanism(watching(draw), database, **given)
            finally:
                sys.settrace(before)
            return frozenset(self.reached)

        return steps

    def probabilities(self, mechanism: Mechanism, database: Any, given: dict[str, Any]) -> dict[Step, Exact]:
        law = distribution(self.executed(mechanism), database, **given).probabilities
        reached = {step for steps in law for step in steps}
        return {step: total([ZERO, *(p for steps, p in law.items() if step in steps)]) for step in reached}

    def missed(self, enough: set[Step]) -> Iterator[tuple[str, str]]:
        """The lines, but for refusals, of which an instruction is not among those that are reached enough."""
        for code in self.codes:
            source = inspect.getsource(sys.modules[module_of(code)])
            lines, refusals = source.splitlines(), lines_of_refusals(source)
            for step in without_what_puts_back(code):
                number = step.positions.lineno if step.positions else None
                passive = step.opname in PASSIVE or "JUMP" in step.opname
                if not (passive or number in refusals or (code, step.offset) in enough):
                    yield code.co_name, lines[number - 1].strip() if number else ""


def lines_of_refusals(source: str) -> set[int]:
    """The lines of all statements that refuse."""
    lines = source.splitlines()
    return {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and lines[node.lineno - 1].strip().startswith(REFUSALS)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def module_of(code: CodeType) -> str:
    return next(name for name, module in sys.modules.items() if getattr(module, "__file__", None) == code.co_filename)


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("nothing_is_watched")  # for steps are noted
@pytest.mark.parametrize("ids", BRANCHES, ids=lambda ids: ids[0])
def test_each_branch_has_a_probability_of_a_hundredth(ids: tuple[str, ...]) -> None:
    steps = Steps(BRANCHES[ids])
    enough: set[Step] = set()

    def left() -> set[tuple[str, str]]:
        return {missed for missed in steps.missed(enough) if not any(half in missed[1] for half in OTHER_ARGUMENTS)}

    for claim in map(BY_ID.__getitem__, ids):
        for database in reversed(tuple(claim.domain)):  # from the end fewer are enough
            found = steps.probabilities(claim.mechanism, database, given_by(claim))
            enough |= {step for step, probability in found.items() if probability >= HUNDREDTH}
            if not left():
                return
    assert left() == set()


@pytest.mark.usefixtures("nothing_is_watched")
def test_a_branch_that_is_too_rare_is_found() -> None:
    """Where no two rows agree, a vector of parities is found with probability ½·e^(−…) < 1/100."""
    steps = Steps([FUNCTIONS["learn_parities"]])
    claim = BY_ID["BuNS-3.12.privacy.default"]
    given = {**given_by(claim), "delta": Fraction(1, 10**6)}
    found = steps.probabilities(claim.mechanism, ((1, 1), (1, 0), (1, 1), (1, 0)), given)
    missed = set(steps.missed({step for step, probability in found.items() if probability >= HUNDREDTH}))
    assert any("isinstance(chosen, tuple)" in line for _, line in missed)


def test_what_a_comprehension_does_with_an_error_is_no_branch() -> None:
    def doubled(values: list[int]) -> list[int]:
        return [2 * value for value in values]

    kept = [step.opname for code in nested(doubled.__code__) for step in without_what_puts_back(code)]
    assert {"BINARY_OP", "LIST_APPEND", "RETURN_VALUE"} <= set(kept)
    assert "RERAISE" not in kept
    assert kept[-1] in ("RETURN_VALUE", "RETURN_CONST")


def test_learn_thresholds_recurses() -> None:
    """RecConcave, at its printed base case 32, runs a second execution and A_dist on every database of the claim."""
    claim = BY_ID["BNS-J-3.18.privacy.default"]
    calls: list[Any] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and place_of(frame.f_code) == place_of(maximise_quasi_concave.__code__):
            calls.append((frame.f_locals["depth"], frame.f_locals["base"]))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        distribution(claim.mechanism, next(iter(claim.domain)), **given_by(claim))
    finally:
        sys.setprofile(before)
    assert {(2, 32), (1, 32)} <= set(calls)
