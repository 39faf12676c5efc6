"""What compares random programs fails where nothing is left to compare: if all is refused, or nothing decided."""

import ast
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import pytest
from tests.adversary import (
    test_classes,
    test_continuous,
    test_every_epsilon,
    test_impure,
    test_laws,
    test_lookalikes,
    test_memo,
    test_saturated,
    test_traps,
    test_whole_gaussians,
)
from tests.adversary.classes import CLASSES
from tests.adversary.tally import HERE, REASONS, Empty, Tally, deep

from dpverify.mechanisms import InputError, Undecided, laplace
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.verifiers import check_privacy
from dpverify.verifiers.problems.preparation.experiment import PairCount
from dpverify.verifiers.verdicts import verdict

Check = Callable[[pytest.MonkeyPatch], object]


def _of_laws() -> Iterator[tuple[str, Check]]:
    """Checks of files that compare laws, or verdicts, each with a tally of its own."""
    styles: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "laws": (partial(test_laws.test_laws_are_those_of_brute_force, batch=0), tuple(test_laws.STYLES)),
        "inlined": (test_laws.test_a_part_is_its_law, tuple(test_laws.STYLES)),
        "runs": (test_laws.test_runs_are_as_frequent_as_the_law_says, tuple(test_laws.STYLES)),
    }
    for name, (test, each) in styles.items():
        for style in each:
            yield f"{name} {style}", lambda _, test=test, style=style: test(style, tally=Tally())  # type: ignore[misc]
    yield "sums", lambda _: test_laws.test_sums_of_noises_are_convolved(Tally())
    yield "lookalikes", lambda _: test_lookalikes.test_a_law_tells_equal_outcomes_apart_or_is_refused(False, Tally())
    yield "inlined", lambda _: test_lookalikes.test_a_law_tells_equal_outcomes_apart_or_is_refused(True, Tally())
    yield "their runs", lambda _: test_lookalikes.test_the_sampler_shows_what_the_law_tells_apart(Tally())
    yield "memo", lambda _: test_memo.test_most_parts_are_compared_and_not_refused(Tally())
    yield (
        "memo, random",
        lambda patch: test_memo.test_random_programs_have_one_law_with_the_memo_and_without(patch, Tally()),
    )


def _of_verdicts() -> Iterator[tuple[str, Check]]:
    for style in test_laws.EXACT:
        yield (
            f"claims {style}",
            lambda _, style=style: test_laws.test_verdicts_are_those_of_the_definition(  # type: ignore[misc]
                style, Tally()
            ),
        )
    for style in test_laws.INEXACT:
        yield (
            f"bounds {style}",
            lambda _, style=style: test_laws.test_verdicts_lie_within_what_is_missing(  # type: ignore[misc]
                style, Tally()
            ),
        )
    for style in test_every_epsilon.STYLES:
        yield (
            f"every ε, {style}",
            lambda _, style=style: (  # type: ignore[misc]
                test_every_epsilon.test_a_claim_fails_at_the_epsilon_that_brute_force_says(style, "", Tally())
            ),
        )
    yield "continuous", lambda _: test_continuous.test_continuous_noise_is_integrated("", Tally())
    yield "whole Gaussians", lambda _: test_whole_gaussians.test_mixtures_of_whole_gaussians_are_summed(Tally())
    yield "lookalikes", lambda _: test_lookalikes.test_a_verdict_tells_equal_outcomes_apart_or_is_refused(Tally())
    yield "saturated", lambda _: test_saturated.test_ties_are_proved_and_what_lies_below_is_refuted(0, Tally())
    yield "released", lambda _: test_saturated.test_released_noise_meets_its_claim_with_equality(Tally())
    yield (
        "natural functions",
        lambda _: test_traps.test_what_people_write_is_proved_for_all_sizes(laplace, "a count", Tally()),
    )
    for name in CLASSES:
        yield name, lambda _, name=name: test_classes.decide(name, 0, 1, Tally())  # type: ignore[misc]


LAWS, VERDICTS = dict(_of_laws()), dict(_of_verdicts())


def fails(check: Check, patch: pytest.MonkeyPatch) -> bool:
    """Whether a check fails, and so sees that nothing was compared; no error of another kind is meant by that."""
    try:
        check(patch)
    except (AssertionError, InputError, Undecided):
        return True
    return False


@pytest.fixture(autouse=True)
def _one_program_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is demanded is in proportion to the programs, of which one is enough here: the same in deep runs."""
    monkeypatch.setenv("ADVERSARY_SEED", "gate")
    comparing = (test_laws, test_continuous, test_every_epsilon, test_lookalikes, test_memo, test_saturated)
    for module in (*comparing, test_whole_gaussians):
        monkeypatch.setattr(module, "programs", lambda few: 1)


def test_they_pass_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one program, too, so that it is the refusals that fail."""
    failing = [name for name, check in {**LAWS, **VERDICTS}.items() if name in AT_ONCE and fails(check, monkeypatch)]
    assert not failing


AT_ONCE = (
    "laws finite",
    "laws lumped",
    "inlined finite",
    "runs finite",
    "sums",
    "memo",
    "claims finite",
    "gumbel",
)
"""Those of which one program is always enough."""

SOME_VERDICTS = {name: check for name, check in VERDICTS.items() if deep() or name not in CLASSES or name in AT_ONCE}
"""Of the classes, which are all tried in one way, some."""


@pytest.mark.parametrize("words", sorted({*REASONS, "anything else"}))
def test_they_fail_where_the_enumerator_refuses_everything(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> NoReturn:
        raise InputError(words)

    monkeypatch.setattr(Enumeration, "law", refuses)
    monkeypatch.setattr(Enumeration, "law_of_part", refuses)
    # one reason in full, of the others a check each
    checks = LAWS if words == "noises at once" else {name: LAWS[name] for name in ("laws finite", "laws pairs", "sums")}
    assert not [name for name, check in checks.items() if not fails(check, monkeypatch)]


def _everywhere(patch: pytest.MonkeyPatch, new: Callable[..., Any]) -> None:
    """In the place of `check_privacy` in all of these tests."""
    real = check_privacy
    for name, module in sys.modules.items():
        if name.startswith("tests.adversary") and vars(module).get("check_privacy") is real:
            patch.setattr(module, "check_privacy", new)


def test_they_fail_where_the_checker_refuses_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> NoReturn:
        raise InputError("circle")

    _everywhere(monkeypatch, refuses)
    assert not [name for name, check in SOME_VERDICTS.items() if not fails(check, monkeypatch)]


def test_they_fail_where_the_checker_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = verdict.Undecided(
        reason="noises at once", scope="", pairs=PairCount(0, 0, 0), basis=verdict.VerdictBasis(experiment=None)
    )
    _everywhere(monkeypatch, lambda *_, **__: nothing)
    assert not [name for name, check in SOME_VERDICTS.items() if not fails(check, monkeypatch)]


def test_what_refuses_all_that_is_impure_for_another_reason_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> NoReturn:
        raise InputError("noises at once")

    _everywhere(monkeypatch, refuses)
    with pytest.raises(AssertionError, match="noises at once"):
        test_impure.test_what_changes_between_enumerations_is_refused(test_impure.plain_outcome, Tally())
    with pytest.raises(AssertionError):
        name = next(iter(test_lookalikes.OBJECTS))
        test_lookalikes.test_objects_that_are_equal_and_look_different_are_refused_or_told_apart(
            "at the top", name, Tally()
        )


@pytest.mark.parametrize(
    ("counts", "fine"),
    [
        ({"laws": 10}, True),
        ({"laws": 9}, False),
        ({"laws": 10, "refused: circle": 12}, True),
        ({"laws": 10, "refused: circle": 13}, False),
        ({"laws": 10, "a class: refused: circle": 13}, False),
        ({"laws": 10, "refused: another": 1}, False),
    ],
)
def test_what_is_demanded(counts: dict[str, int], fine: bool) -> None:
    tally = Tally()
    tally.counts.update(counts)
    try:
        tally.demand({"laws": 10}, {"circle": 0.5}, of=20)
    except Empty:
        assert not fine
    else:
        assert fine


def test_every_file_that_compares_is_asked() -> None:
    """Those left out have assertions of their own for each case, and no way to pass without them."""
    asked = {"classes", "continuous", "every_epsilon", "impure", "laws", "lookalikes", "memo", "saturated", "traps"}
    asked |= {"whole_gaussians"}
    others = {"faults", "kept_seeds", "mutants", "not_empty", "plain"}
    here = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    assert here == asked | others


ORACLES = sorted(path.stem for path in (HERE / "oracles").glob("*.py"))


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_shares_nothing_with_what_decides(name: str) -> None:
    """It imports the standard library, and other oracles."""
    tree = ast.parse((HERE / "oracles" / f"{name}.py").read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    ours = {f"tests.adversary.oracles.{other}" for other in ORACLES}
    assert len(ours) == 10
    assert modules
    assert all(module in ours or module.partition(".")[0] in sys.stdlib_module_names for module in modules), modules
