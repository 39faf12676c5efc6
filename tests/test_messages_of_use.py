"""What is said where dpverify is used otherwise than it is meant: what was done, and what to write instead."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.examples import in_one

from dpverify.mechanisms import (
    Draw,
    InputError,
    Limits,
    bernoulli,
    discrete_laplace,
    exp,
    exponential,
    laplace,
    run,
    uniform,
)
from dpverify.mechanisms.functions.containers import as_held
from dpverify.mechanisms.noise import discrete_uniform, truncated_discrete_laplace
from dpverify.verifiers import (
    Claim,
    LabelledSamples,
    Multisets,
    ScoreSpace,
    Status,
    Tuples,
    check_privacy,
    privacy_profile,
    replace_one,
)
from dpverify.verifiers.auditing.mutation.codes import is_mutable
from dpverify.verifiers.command_line import main
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS

pytestmark = pytest.mark.usefixtures("decided_here")

ONE = Tuples((0, 1), size=1)


class K:
    def method(self, draw: Draw, rows: Sequence[int]) -> Any:
        return draw(bernoulli("0.5"))


@dataclass
class Row:
    a: int


def coin(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli("0.5"))


def asserts(draw: Draw, rows: Sequence[int]) -> Any:
    if rows != (1,):
        raise AssertionError  # as a plain assert does, of which pytest would make a text


def scaled(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return rows[0] + draw(discrete_laplace(1 / epsilon))


def refused(mechanism: Any, domain: Any = ONE, **given: Any) -> str:
    with pytest.raises(InputError) as error:
        check_privacy(mechanism, domain, **{"epsilon": 1, **given})
    return str(error.value)


def test_rounding_by_numpy_is_rounding() -> None:
    def rounded(draw: Draw, rows: Sequence[int], by: Any) -> Any:
        return by(rows[0] + draw(laplace(1)))

    found = [
        check_privacy(rounded, ONE, epsilon=1, parameters={"by": by})
        for by in (lambda noisy: np.round(noisy, 2), lambda noisy: round(noisy, 2), np.round, round)
    ]
    assert [verdict.status.name for verdict in found] == ["PROVED"] * 4
    assert len({verdict.epsilon and verdict.epsilon.exact for verdict in found}) == 1
    drawn = run(rounded, (1,), seed=3, by=lambda noisy: np.round(noisy, 2))
    assert drawn == run(rounded, (1,), seed=3, by=lambda noisy: round(noisy, 2))
    assert (100 * drawn).denominator == 1


def takes_least(draw: Draw, rows: Any, *, least: int) -> Any:
    return draw(discrete_laplace(1)) + least


MISNAMED: Any = {"eps": 1}


def untyped(function: Any) -> Any:
    return function


@in_one(
    "called, said",
    [
        (lambda draw, rows: draw(), "draw was called without a distribution to draw from: write draw(laplace(1)), or "),
        (lambda draw, rows: draw(source=laplace(1)), "draw was called without a distribution to draw from: "),
        (
            lambda draw, rows: draw(exponential({0: 1, 1: 2}, **MISNAMED)),
            "exponential has no parameter eps (did you mean ",
        ),
        (lambda draw, rows: draw(takes_least, rows), "takes_least needs least: write takes_least(…, least=…)"),
        (lambda draw, rows: draw(takes_least, rows, least=1, most=2), "takes_least has no parameter most: it takes "),
        (lambda draw, rows: untyped(takes_least)(draw=draw), "takes_least needs rows: write takes_least(…, rows=…)"),
        (
            lambda draw, rows: untyped(K().method)(draw, rows, bound=1),
            "raised TypeError: K.method() got an unexpected keyword",
        ),
        (lambda draw, rows: draw(scaled, rows), "scaled needs epsilon: write scaled(…, epsilon=…)"),
    ],
)
def test_a_call_with_other_parameters_says_which_there_are(called: Callable[..., Any], said: str) -> None:
    message = refused(called)
    assert said in message
    assert re.search(r"\(.*test_messages_of_use\.py, line \d+\)$", message)


def test_a_method_of_a_class_is_to_be_one_of_an_object() -> None:
    assert (
        refused(K.method)
        == "K.method takes self before draw: give the method of an object, as in K(…).method [method-of-a-class]"
    )
    assert check_privacy(K().method, ONE, epsilon=1).status == "PROVED"


@in_one(
    "value, instead",
    [
        (Row(1), "write @dataclass(frozen=True) above class Row"),
        ((1, Row(1)), "write @dataclass(frozen=True) above class Row"),
        ({"a": 1}, "tuple(sorted(d.items())) in place of a dict d"),
        (np.array([1]), "tuple(a.tolist()) in place of an array a"),
        ([1], "tuples in place of lists"),
        ({1}, "frozensets in place of sets"),
        (bytearray(1), "tuples, or give its class a __hash__"),
    ],
)
def test_what_cannot_be_hashed_is_told_by_its_kind(value: Any, instead: str) -> None:
    """It was "use tuples in place of lists" of all."""
    assert instead in refused(coin, [(0,), value])
    if as_held(value) is value:  # lists, dicts and dataclasses can be outcomes
        assert instead in refused(lambda draw, rows: value)
    for made in (lambda: Tuples([0, value], size=1), lambda: uniform([0, value])):
        with pytest.raises(InputError) as error:
            made()
        assert instead in str(error.value)


@in_one("relation", RELATIONS.values())
def test_a_relation_that_is_called_says_how_it_is_given(relation: Any) -> None:
    with pytest.raises(InputError, match=f"{relation.__name__} is a neighbour relation.*, without brackets"):
        relation(ONE)
    assert set(replace_one((0,), ONE)) == {(1,)}


def test_symbolic_as_a_text_is_the_symbol_without_quotes() -> None:
    assert "write symbolic without quotes, which dpverify.mechanisms has" in refused(coin, epsilon="symbolic")
    with pytest.raises(InputError, match="write symbolic without quotes"):
        Claim(id="a", mechanism=coin, domain=ONE, epsilon="symbolic")


def test_an_assertion_has_no_text_to_show() -> None:
    line = asserts.__code__.co_firstlineno + 2
    assert refused(asserts) == f"asserts on (0,) raised AssertionError (tests/test_messages_of_use.py, line {line})"


def test_epsilon_0_is_said_where_a_scale_is_1_over_it() -> None:
    said = refused(scaled, epsilon=0)
    assert 'at ε = 0 there is no 1/ε: claim an epsilon > 0, or give parameters={"epsilon": …}' in said
    assert "at ε = 0" not in refused(lambda draw, rows: 1 // rows[0])
    assert check_privacy(coin, ONE, epsilon=0).status == "PROVED"
    assert check_privacy(scaled, ONE, epsilon=0, parameters={"epsilon": 1}).status == "REFUTED"


def test_an_object_that_is_no_mechanism_is_told_by_its_class() -> None:
    said = refused(np.random.default_rng(1))
    assert said.startswith("mechanism=an object of Generator is not a function: give mechanism(draw, database")
    assert "0x" not in said


def on_two_lattices(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    noisy = draw(discrete_laplace(2 / epsilon))
    if rows[0]:
        return noisy
    return 2 * noisy


def test_numbers_on_two_lattices_are_named_with_the_lines_where_they_are_returned() -> None:
    said = refused(on_two_lattices)
    first = on_two_lattices.__code__.co_firstlineno
    assert f"test_messages_of_use.py, lines {first + 3}, {first + 4})" in said
    assert "clamp(n + noise, low, high), which gives a plain number" in said


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_whole_numbers_of_numpy_are_whole_numbers(kind: Any) -> None:
    two, none = kind(2), kind(0)
    assert repr(Tuples((0, 1), size=two)) == "Tuples((0, 1), size=2)"
    assert list(Multisets((0, 1), sizes=[two])) == list(Multisets((0, 1), size=2))
    assert list(LabelledSamples(range(2), size=kind(1))) == list(LabelledSamples(range(2), size=1))
    assert list(ScoreSpace((none, two), solutions=two)) == list(ScoreSpace((0, 2), solutions=2))
    assert Limits(seconds=two, paths=kind(9)) == Limits(seconds=2, paths=9)
    assert type(Limits(seconds=two).seconds) is int
    assert truncated_discrete_laplace(1, two) == truncated_discrete_laplace(1, 2)
    assert discrete_uniform(none, two) == discrete_uniform(0, 2)
    assert run(lambda draw, x: draw(uniform(range(100))), 0, seed=two) == run(
        lambda draw, x: draw(uniform(range(100))), 0, seed=2
    )
    wrong: Any
    for wrong in (True, np.bool_(True), np.float64(2.0), 2.0):
        with pytest.raises(InputError, match="is not a whole number"):
            Tuples((0, 1), size=wrong)


def test_a_name_that_a_verdict_has_not_says_what_it_has() -> None:
    verdict = check_privacy(lambda draw, rows: rows, ONE, epsilon=1)
    for name, said in (("is_private", "read .status"), ("wittness", "(did you mean witness?)")):
        with pytest.raises(AttributeError, match=re.escape(said)):
            getattr(verdict, name)
    assert not hasattr(verdict, "__len__")


def test_a_number_of_a_verdict_is_a_text_without_brackets() -> None:
    verdict = check_privacy(lambda draw, rows: sum(rows) + draw(laplace(1)), ONE, epsilon=1)
    assert str(verdict.epsilon) == "1"
    assert repr(verdict.epsilon) == "<1>"


def test_a_verdict_is_expected_by_its_name() -> None:
    made = Claim(id="a", mechanism=laplace_sum, domain=ONE, neighbours=replace_one, epsilon=1, expected="REFUTED")  # type: ignore[arg-type]
    assert made.expected is Status.REFUTED
    with pytest.raises(InputError, match=r"expected='REFUSED' is no verdict.*\[status-unknown\]"):
        Claim(id="a", mechanism=laplace_sum, domain=ONE, neighbours=replace_one, epsilon=1, expected="REFUSED")  # type: ignore[arg-type]


def laplace_sum(draw: Draw, rows: Any) -> Any:
    return sum(rows) + draw(laplace(1))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["verify", "a.py"], "did you mean audit, of claims, or check, of a function?"),
        (["diff", "a", "b"], "did you mean compare?"),
        (["mutat"], "mutate"),
        (["audit", "--basline", "x"], "--baseline"),
    ],
)
def test_a_command_or_option_that_there_is_none_of_says_which_is_meant(typed: list[str], meant: str) -> None:
    done = CliRunner().invoke(main, typed)
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert meant in done.stderr
    assert "DPVERIFY_DEBUG=1" in CliRunner().invoke(main, ["--help"]).stdout


def test_files_of_installed_packages_are_not_mutated(tmp_path: Path) -> None:
    """Also those of `pip install --target`: 30 mutants were made of numpy, found by PYTHONPATH."""
    site, own = tmp_path / "deps", tmp_path / "deps" / "mine.py"
    for name in ("lib/core.py", "lib/sub/more.py", "single.py"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("")
    own.write_text("")
    for number, name in enumerate(("lib/core.py", "single.py", "lib/sub/more.py")):
        record = site / f"lib{number}-1.0.dist-info" / "RECORD"
        record.parent.mkdir()
        record.write_text(f'{name},sha256=0,0\nlib{number}-1.0.dist-info/RECORD,,\n"a,b.py",,\n')
    mechanism = str(tmp_path / "mechanism.py")
    for name in ("lib/core.py", "lib/sub/more.py", "single.py"):
        assert not is_mutable(str(site / name), mechanism)
        assert is_mutable(str(site / name), str(site / name))
    assert is_mutable(str(own), mechanism)
    assert is_mutable(str(tmp_path / "library.py"), mechanism)
    assert not is_mutable(np.__file__, mechanism)


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    from dpverify.mechanisms import exponential

    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))


def test_what_is_found_is_shown_in_a_line_decimals_first() -> None:
    """At a prompt they were thousands of characters of `exp(Fraction(5, 2))`."""
    domain = Multisets(range(3), size=4)
    verdict = check_privacy(most_common, domain, epsilon="0.5", parameters={"epsilon": 1})
    profile = privacy_profile(most_common, domain, parameters={"epsilon": 1})
    assert repr(verdict.witness) == (
        "<Witness (0, 0, 0, 1) against (0, 0, 0, 0), event {1}: 0.231224 - e^ε·0.106507 = 0.0556236 > δ = 0 at ε = 0.5; "
        "print shows it exactly>"
    )
    assert repr(verdict.epsilon) == "<0.775175982114 = 1 - ln(1 + e^(-1) + e^(-3/2)) + ln(1 + 2·e^(-2))>"
    assert repr(verdict.delta) == "<0.0556235760001; its form is .exact>"
    assert repr(profile) == "<PrivacyProfile δ(0) = 0.206213, δ(ε) = 0 from ε = 0.775176 on; 4 pieces>"
    assert repr(profile.pieces[0]) == "<δ(ε) = 0.577681 - 0.371468·e^ε for 0 ≤ ε ≤ 0.102374>"
    assert repr(profile.pieces[-1]) == "<δ(ε) = 0 for 0.775176 ≤ ε>"
    assert verdict.witness is not None and verdict.delta is not None and verdict.delta.exact is not None
    assert verdict.witness.difference == verdict.delta.exact  # nothing is lost: all of it is exact on demand
    assert "e^(-1)/(1 + e^(-1) + e^(-3/2)) = 0.231223897622" in str(verdict.witness)
    long = check_privacy(
        lambda draw, rows: rows, [(0,) * 200, (1,) * 200], lambda rows: [(1 - rows[0],) * 200], epsilon=1
    )
    assert len(repr(long.witness)) < 300
    real = privacy_profile(lambda draw, rows: rows[0] + draw(laplace(1)), ONE)
    assert repr(real) == "<PrivacyProfile of released real numbers: .delta(ε) and .epsilon(δ) find its points>"
    assert repr(check_privacy(coin, ONE, epsilon=exp(-1)).epsilon) == "<0>"
    third = check_privacy(lambda draw, rows: draw(bernoulli(Fraction(1 + rows[0], 3))), ONE, epsilon=0).delta
    assert repr(third) == "<0.333333333333 = 1/3>"
