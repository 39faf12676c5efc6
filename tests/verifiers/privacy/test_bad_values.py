"""Bad values of the API and of the command line's small language: one clear line each, whatever they are."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, Undecided, bernoulli, exp, log
from dpverify.verifiers import Case, Claim, Status, Tuples, UtilityClaim, check_privacy, check_utility
from dpverify.verifiers.privacy import expressions

HERE = r"\(tests/verifiers/privacy/test_bad_values\.py, line \d+\)"
DOMAIN = Tuples((0, 1), size=1)


def coin(draw: Draw, rows: Any) -> Any:
    return draw(bernoulli("0.5"))


class Unshowable:
    """What cannot be shown."""

    def __repr__(self) -> str:
        raise ValueError

    def __iter__(self) -> Iterator[Any]:
        return iter(())


@in_one(
    "named, words",
    [
        ({"epsilon": Fraction(1, 10**100000)}, "the length of epsilon is beyond 4,000 digits"),
        ({"epsilon": "1e-100000"}, "the length of epsilon is beyond 4,000 digits"),
        ({"epsilon": 10**100000}, "the length of epsilon is beyond 4,000 digits"),
        ({"epsilon": 1, "delta": Fraction(1, 10**100000)}, "the length of delta is beyond 4,000 digits"),
        ({"epsilon": "1" * 10**6}, "epsilon='111"),
        ({"epsilon": 1, "parameters": {1: 2}}, r"has the name 1, which is not a text: write \{'name'"),
        ({"epsilon": 1, "parameters": {"k": 2}}, "coin has no parameter k: it takes none"),
        ({"epsilon": 1, "parameters": {"k" * 10**6: 2}}, "coin has no parameter kkk"),
        ({"epsilon": 1, "parameters": Unshowable()}, "parameters=<Unshowable whose repr raises ValueError>"),
        ({"epsilon": 1, "limits": Unshowable()}, "limits=<Unshowable whose repr raises ValueError>"),
    ],
)
def test_bad_arguments_of_a_check(named: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        check_privacy(coin, DOMAIN, **named)
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize(
    "value",
    [Fraction(1, 10**5000), 10**5000, "1" * 10**5, [1] * 10**5, Unshowable()],
    ids=lambda value: type(value).__name__,
)
def test_parameters_that_are_long_or_cannot_be_shown_are_decided_with(value: Any) -> None:
    verdict = check_privacy(lambda draw, rows, *, k: draw(bernoulli("0.5")), DOMAIN, epsilon=1, parameters={"k": value})
    assert verdict.status in (Status.PROVED, Status.REFUTED)
    assert len(verdict.scope) < 1_000


@pytest.mark.parametrize("sweep", [{"a": DOMAIN, 2: DOMAIN}, {"a": DOMAIN}, {1.5: DOMAIN}])
def test_sizes_of_a_sweep_are_whole(sweep: Any) -> None:
    with pytest.raises(InputError, match=r"is not a mapping whose keys are sizes: write \{size"):
        Claim(id="a", mechanism=coin, domain=DOMAIN, epsilon=1, sweep=sweep)


class _Raising:
    """A domain that raises in one of its methods."""

    def __init__(self, where: str, error: BaseException) -> None:
        self.where, self.error = where, error

    def __iter__(self) -> Iterator[Any]:
        if self.where == "iter":
            raise self.error
        return iter([(0,), (1,)])

    def __len__(self) -> int:
        if self.where == "len":
            raise self.error
        return 2


class _Hash:
    def __hash__(self) -> int:
        raise ZeroDivisionError("hashed")


@in_one("where", ["iter", "len"])
@in_one("error", [ValueError("x"), SystemExit(0), GeneratorExit(), RecursionError("deep")])
def test_a_domain_that_raises_says_where(where: str, error: BaseException) -> None:
    with pytest.raises(InputError, match=rf"going through the domain .* raised {type(error).__name__}(: .*)? {HERE}"):
        check_privacy(coin, _Raising(where, error), epsilon=1)


def test_databases_that_cannot_be_compared_say_where() -> None:
    with pytest.raises(
        InputError, match=rf"comparing the databases of the domain raised ZeroDivisionError: hashed {HERE}"
    ):
        check_privacy(coin, [_Hash(), _Hash()], epsilon=1)


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (lambda database: [(1,)][database[0]], "IndexError: list index out of range"),
        (lambda database: dict[str, Any]()["x"], "KeyError: 'x'"),
        (lambda database: [[1]], "TypeError: unhashable type"),
        (lambda database: None, "TypeError: 'NoneType' object is not iterable"),
        (lambda database: (_ for _ in ()).throw(SystemExit(1)), "SystemExit: 1"),
    ],
)
def test_a_relation_that_raises_says_where(relation: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(
        InputError, match=rf"the relation <lambda> on \(\d,\) raised {words}.* {HERE}: write a function of"
    ):
        check_privacy(coin, DOMAIN, relation, epsilon=1)


@pytest.mark.parametrize("mechanism", [lambda rows, draw: 0, lambda rows: 0, lambda rows, epsilon: 0])
def test_a_mechanism_without_draw_is_refused_before_it_is_run(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="draw"):
        check_privacy(mechanism, DOMAIN, epsilon=1)


@pytest.mark.parametrize("name", ["succeeds", "beta", "holds_for"])
def test_functions_of_a_utility_claim_say_where_they_raise(name: str) -> None:
    def raises(*args: Any) -> Any:
        return dict[str, Any]()[name]

    functions: dict[str, Any] = {"succeeds": lambda case, outcome: True, "beta": lambda case: 0, name: raises}
    claim = UtilityClaim(
        id="u", source="", statement="", mechanism=coin, mutant=coin, cases=[Case((0,)), Case((1,))], **functions
    )
    with pytest.raises(InputError, match=rf"^u, on .*: {name} raised KeyError: '{name}' {HERE}: mend"):
        check_utility(claim)


DEEP = ["1+" * 5000 + "1", "-" * 5000 + "1", "(" * 300 + "1" + ")" * 300, "[" * 90 + "]" * 90, "1" + "()" * 3000]
NO_VALUE = [
    "1/0",
    "log(0)",
    "(1,)+1",
    "sqrt(1,2)",
    "exp('x')",
    "10**10**10",
    "9" * 5000,
    "1\0",
    "log(exp(exp(exp(exp(9)))))",
]
NO_DOMAIN = ["Tuples((0,1), length=3)", "range(0,1,0)", "Tuples((0,1), size=1/0)", "Tuples((0,1), 3)", "ScoreSpace(3)"]


@in_one("text", [*DEEP, *NO_VALUE, *NO_DOMAIN])
def test_text_without_a_value_is_one_short_line(text: str) -> None:
    for read in (
        lambda: expressions.exact_number(text, "epsilon"),
        lambda: expressions.domain(text) if text in (*DEEP, *NO_DOMAIN) else expressions.exact_number(text, "delta"),
        lambda: expressions.parsed_parameter(f"k={text}") if text not in ("(1,)", "") else None,
    ):
        try:
            read()
        except InputError as refused:
            assert len(str(refused)) < 1_000  # some of it is a parameter, or a domain
            assert len(str(refused).splitlines()) == 1
    with pytest.raises(InputError):
        expressions.exact_number(text, "epsilon")


@given(st.text("0123456789()+-*/.,e' [{=]}_abTuplesizrngxk\n", max_size=30))
def test_any_text_is_a_value_or_bad_input(text: str) -> None:
    for read in (lambda: expressions.exact_number(text, "epsilon"), lambda: expressions.parsed_parameter(f"k={text}")):
        try:
            read()
        except InputError as refused:
            assert len(str(refused)) <= 2_000


def test_what_cannot_be_decided_is_bad_input_on_the_command_line() -> None:
    with pytest.raises(Undecided):
        log(exp(exp(exp(exp(9)))))
    with pytest.raises(InputError, match=r"epsilon=log.*is not decided"):
        expressions.exact_number("log(exp(exp(exp(exp(9)))))", "epsilon")
