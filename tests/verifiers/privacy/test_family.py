"""Families of claims as rows, and mechanisms that combinators break."""

from fractions import Fraction
from inspect import currentframe
from typing import Any

import pytest

from dpverify.mechanisms import InputError, bernoulli, exact, log
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.reports.record import Status
from dpverify.verifiers import Claim, Histograms, Tuples
from dpverify.verifiers.catalogue.families import AT_EACH, at_each_epsilon
from dpverify.verifiers.catalogue.mutants import broken, for_one_query
from dpverify.verifiers.catalogue.refuted import ONE_LESS
from dpverify.verifiers.privacy.family import Row, claims, family, rows_of

BITS = Tuples((0, 1), size=1)


def response(draw: Any, rows: Any) -> Any:
    return rows[0] if draw(bernoulli("3/4")) else 1 - rows[0]


def always_true(draw: Any, rows: Any, **_: Any) -> Any:
    return rows[0]


SHARED = Row("lib.{}-bits", "a response is {}").having(
    source="lib", mechanism=response, domain=BITS, epsilon=log(3), mutant=always_true
)


def test_a_family_is_the_claims_that_its_rows_spell_out() -> None:
    of_a_part = Row("few-{}", "{} on few").having(epsilon=1, refuted=ONE_LESS).run_with(first=1)
    found = family(
        SHARED.run_with(always=0),
        Row("all", "private"),
        *rows_of(of_a_part, Row("a", "so"), Row("b", "other").having(epsilon=2, refuted=None).run_with(always=2)),
    )
    same: dict[str, Any] = {"source": "lib", "mechanism": response, "domain": BITS, "mutant": always_true}
    assert found == (
        Claim(id="lib.all-bits", statement="a response is private", epsilon=log(3), parameters={"always": 0}, **same),
        Claim(
            id="lib.few-a-bits",
            statement="a response is so on few",
            epsilon=1,
            parameters={"always": 0, "first": 1},
            expected=Status.REFUTED,
            refutation=ONE_LESS,
            **same,
        ),
        Claim(
            id="lib.few-b-bits",
            statement="a response is other on few",
            epsilon=2,
            parameters={"always": 2, "first": 1},
            **same,
        ),
    )


def test_where_no_place_is_left_names_and_statements_go_on() -> None:
    (claim,) = family(Row("lib.").of(SHARED), Row("x", "1", {"epsilon": 1}).of(Row("-y", " at ")))
    assert (claim.id, claim.statement) == ("lib.lib.-bits-yx", "a response is  at 1")


def test_what_is_left_in_braces_is_left_out() -> None:
    (claim,) = claims(SHARED)
    assert (claim.id, claim.statement) == ("lib.-bits", "a response is ")
    (claim,) = family(Row().having(epsilon=1).of(SHARED), Row("x", "y"))
    assert (claim.id, claim.statement) == ("lib.x-bits", "a response is y")


@pytest.mark.parametrize(
    ("row", "scope"),
    [
        (SHARED, ""),
        (SHARED.having(all_sizes=Histograms((0, 1))), "all"),
        (SHARED.having(domain=Histograms((0, 1))), "all"),
        (SHARED.having(domain=Histograms((0, 1)), refuted=ONE_LESS), ""),
    ],
)
def test_a_claim_is_for_all_databases_where_its_row_has_such_a_domain(row: Row, scope: str) -> None:
    assert [claim.scope for claim in claims(row)] == [scope]


def test_a_row_with_several_epsilons_is_several_claims_in_their_order() -> None:
    found = claims(SHARED.having(epsilon=AT_EACH))
    assert [(claim.id, claim.epsilon) for claim in found] == [
        ("lib.-bits", exact(1)),
        ("lib.-ln2-bits", log(2)),
        ("lib.-3-bits", exact(3)),
    ]
    differing = at_each_epsilon(Row("x"), lambda epsilon: Row("y").having(delta=Fraction(1, 8), epsilon=2 * epsilon))
    assert [(row.name, row.fields["epsilon"]) for row in differing] == [
        ("xy", exact(2)),
        ("x-ln2y", 2 * log(2)),
        ("x-3y", exact(6)),
    ]


def test_a_claim_stands_where_its_row_is_written() -> None:
    line = currentframe().f_lineno  # type: ignore[union-attr]
    one = Row("a")
    other = Row("b")
    assert [claim.made_at[0] for claim in family(SHARED, one, other)] == [(__file__, line + 1), (__file__, line + 2)]


def test_a_bad_row_is_an_error_of_its_claim() -> None:
    with pytest.raises(InputError, match="two words"):
        claims(Row("two words").of(SHARED))


def noisy(draw: Any, rows: Any, *, epsilon: Any, scale: int = 1) -> Any:
    return epsilon * scale


def noisy_with_delta(draw: Any, rows: Any, *, epsilon: Any, delta: Any, bound: int = 1) -> Any:
    return epsilon, delta, bound


def test_a_broken_mechanism_runs_at_another_epsilon_with_other_arguments() -> None:
    assert broken(noisy, "name", "what.", epsilon_times=3)(None, (), epsilon=2) == 6
    assert broken(noisy, "name", "what.", scale=5)(None, (), epsilon=2, scale=7) == 10
    assert broken(noisy_with_delta, "name", "what.", epsilon_times=2)(None, (), epsilon=1, delta=3) == (2, 3, 1)
    assert for_one_query(noisy_with_delta)(None, (), epsilon=1, delta=3, bound=4) == (4, 3, 4)
    assert for_one_query(noisy_with_delta, "x", a_quarter=True)(None, (), epsilon=1, delta=3, bound=4)[0] == 16


def test_a_broken_mechanism_names_what_a_claim_gives_it() -> None:
    mutant = broken(noisy_with_delta, "name", "what.")
    assert (mutant.__qualname__, mutant.__doc__) == ("name", "Mutant: what.")
    asked = {"epsilon": Fraction(1), "delta": Fraction(1, 8)}
    assert parameters_for(mutant, asked, {}) == asked
    assert parameters_for(broken(noisy, "name", "what."), asked, {}) == {"epsilon": Fraction(1)}
    assert parameters_for(for_one_query(noisy_with_delta), asked, {"bound": 2}) == {**asked, "bound": 2}
