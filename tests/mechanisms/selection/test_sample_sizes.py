"""Sample sizes by one function: every formula is found by its algorithm, and what is asked wrongly says what there is."""

import inspect
import re
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from tests.examples import in_one

from dpverify.mechanisms import InputError, decimal, sample_size
from dpverify.mechanisms.counting.sample_sizes import ROWS, formulas, sized
from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.learners import learn_parities, learn_points, learn_points_or_none
from dpverify.mechanisms.learners.points_learner import rows_for_points
from dpverify.mechanisms.sanitizers import sanitize_in_parts
from dpverify.mechanisms.selection import choose_by_stability, choose_by_stability_journal, choosing_mechanism
from dpverify.mechanisms.selection.stability import gap_needed

ALL = sorted(
    [(algorithm, name, formula) for algorithm, named in formulas().items() for name, formula in named.items()],
    key=lambda one: (one[0].__module__, one[0].__name__, one[1]),
)  # and not in the order in which modules were loaded
GIVEN: dict[str, Any] = {"alpha": "0.1", "beta": "0.1", "epsilon": 1, "delta": "1e-6"}
OLD_PREFIXES = (
    *("rows_for_", "rows_of_", "rows_needed", "examples_for_", "examples_of_", "samples_of_", "subsamples_for_"),
    *("queries_of_sieve", "size_for_", "size_of_", "parts_needed", "parts_of_", "copies_", "gap_needed", "promise_of_"),
)
"""Those of names that said a sample size each, when there were 76 of them."""


def plain(formula: Any) -> Any:
    return formula.func if isinstance(formula, partial) else formula


def test_there_are_formulas_of_all_topics() -> None:
    topics = {plain(formula).__module__.split(".")[2] for _, _, formula in ALL}
    assert topics == {"selection", "sanitizers", "learners", "release"}
    assert len(ALL) > 45


@in_one("algorithm, name, formula", ALL)
def test_a_formula_stands_in_the_file_of_its_algorithm(algorithm: Any, name: str, formula: Any) -> None:
    """So that whoever has the algorithm has loaded it, and whoever changes one sees the other."""
    assert plain(formula).__module__ == algorithm.__module__
    assert plain(formula).__doc__
    if name == ROWS:
        assert inspect.signature(formula, eval_str=True).return_annotation is int


def test_it_is_the_formula() -> None:
    assert sample_size(learn_points, **GIVEN) == rows_for_points(**GIVEN) == 1401
    assert sample_size(learn_points_or_none, **GIVEN) == 1401
    assert sample_size(sanitize_in_parts, "parts", beta="0.1") == 415
    asked = {name: GIVEN[name] for name in ("beta", "epsilon", "delta")}
    for selection, gap in ((choose_by_stability, "31.46"), (choose_by_stability_journal, "16.12")):
        assert sample_size(selection, "gap", **asked) == gap_needed(**asked, selection=selection)
        assert decimal(sample_size(selection, "gap", **asked), 4) == gap


def test_an_algorithm_may_have_several() -> None:
    printed = sample_size(choosing_mechanism, growth=1, **GIVEN)
    assert printed != sample_size(choosing_mechanism, "rows of the extended abstract", growth=1, **GIVEN)


@in_one(
    "asked, given, said",
    [
        (
            (learn_points,),
            {"alpha": 1},
            "missing a required argument: 'beta'; write sample_size(learn_points, alpha=…, beta=…, epsilon=…, delta=…)",
        ),
        (
            (learn_points,),
            {**GIVEN, "d": 3},
            "got an unexpected keyword argument 'd'; write sample_size(learn_points, alpha=…, beta=…, epsilon=…, delta=…)",
        ),
        ((learn_points,), {**GIVEN, "epsilon": -1}, "epsilon"),
        (
            (learn_parities,),
            GIVEN,
            "'rows' of learn_parities is none of these:\n"
            '  sample_size(learn_parities, "subsamples", beta=…, epsilon=…, delta=…)',
        ),
        ((learn_points, "gap"), GIVEN, "'gap' of learn_points is none of these:"),
        ((len,), GIVEN, "the sample size of len is none of BonehShaw, Tardos, choose_by_stability,"),
        ((3,), {}, "the sample size of 3 is none of "),
        (([],), {}, "the sample size of [] is none of "),
    ],
)
def test_what_is_asked_wrongly_says_what_there_is(asked: Any, given: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        sample_size(*asked, **given)
    assert said in str(error.value)


def test_two_formulas_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="learn_points has two formulas for rows"):
        sized(learn_points)(lambda: 1)
    assert sample_size(learn_points, **GIVEN) == 1401


def test_no_sample_size_has_an_exported_name_of_its_own() -> None:
    names = [name for package in (*FACES, *EXPORTING_PACKAGES) for name in import_module(package).__all__]
    assert [name for name in names if name.startswith(OLD_PREFIXES)] == []


def test_every_formula_is_asked_for_as_the_text_says() -> None:
    for algorithm, name, formula in ALL:
        with pytest.raises(InputError) as error:
            sample_size(algorithm, "nothing of the kind")
        calls = re.findall(r"sample_size\(.*\)", str(error.value))
        assert calls, name_of(algorithm)
        wanted = next(call for call in calls if (f'"{name}"' in call if name != ROWS else '"' not in call))
        needed = [one.name for one in inspect.signature(formula).parameters.values() if one.default is one.empty]
        assert re.findall(r"(\w+)=…", wanted) == needed
