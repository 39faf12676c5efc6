"""Laws that are computed a second time: what depends on more than the database and `draw` is found."""

from __future__ import annotations

import functools
import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.mechanisms import (
    Draw,
    MechanismError,
    a_dist,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
    exact,
    exp,
    laplace,
    log,
    rec_concave,
    sqrt,
    svt1,
    symbolic,
    truncated_discrete_laplace,
    uniform,
)
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.limits import Limits
from dpverify.mechanisms.laws.released import LatticeDistribution
from dpverify.verifiers import Multisets, Status, Tuples, check_privacy
from dpverify.verifiers.privacy.repetition import (
    Asked,
    Budget,
    Failure,
    Probabilities,
    Subject,
    arrived,
    budget,
    probabilities_of,
    repeated,
    sample,
    sent,
)
from dpverify.verifiers.privacy.tabulation import same_law

BITS = Tuples((0, 1), size=1)
PLENTY = Budget(10_000, 10_000)


def coin(draw: Draw, k: int) -> bool:
    return bool(draw(bernoulli(Fraction(k, 10))))


# What is kept, passed on unseen, or told by the hash seed. Each is made anew for each test, with fresh state.


def keeps_in_a_dict() -> Any:
    kept: dict[int, Any] = {}
    return lambda draw, rows: kept.setdefault(0, rows)


def keeps_in_an_attribute() -> Any:
    def mechanism(draw: Draw, rows: Any) -> Any:
        if not hasattr(mechanism, "first"):
            mechanism.first = rows  # type: ignore[attr-defined]
        return mechanism.first  # type: ignore[attr-defined]

    return mechanism


def keeps_in_a_cache() -> Any:
    @functools.lru_cache
    def seen() -> list[Any]:
        return []

    def mechanism(draw: Draw, rows: Any) -> Any:
        if not seen():
            seen().append(rows)
        return seen()[0]

    return mechanism


def keeps_in_a_default() -> Any:
    def mechanism(draw: Draw, rows: Any, kept: list[Any] = []) -> Any:  # noqa: B006  # on purpose
        kept.append(rows)
        return kept[0]

    return mechanism


def keeps_by_a_part_of_the_data() -> Any:
    kept: dict[Any, Any] = {}
    return lambda draw, rows: kept.setdefault(rows[:3], rows[-1])


def counts_its_calls() -> Any:
    calls = itertools.count()
    return lambda draw, rows: next(calls) > 0


def passes_on_through_a_list() -> Any:
    def part(draw: Draw, found: list[bool], k: int) -> None:
        found.append(coin(draw, k))

    def mechanism(draw: Draw, rows: Any) -> bool:
        found: list[bool] = []
        draw(part, found, 1 + 8 * rows[0])
        return found[0]

    return mechanism


class Remembering:
    def part(self, draw: Draw, k: int) -> None:
        self.value = coin(draw, k)

    def __call__(self, draw: Draw, rows: Any) -> bool:
        draw(self.part, 1 + 8 * rows[0])
        return self.value


def passes_on_through_a_variable() -> Any:
    def mechanism(draw: Draw, rows: Any) -> bool:
        value = False

        def part(draw: Draw) -> None:
            nonlocal value
            value = coin(draw, 1 + 8 * rows[0])

        draw(part)
        return value

    return mechanism


COUNTED: list[int] = []


def counted(draw: Draw) -> Any:
    """A law that is another one each time; it is remembered, where it is not inlined."""
    COUNTED.append(0)
    return uniform(range(1 + len(COUNTED)))


def draws_what_is_counted() -> Any:
    return lambda draw, rows: (draw(bernoulli("0.5")), draw(counted) < 2)


def is_lost_among_many_paths() -> Any:
    """Inlined as a whole it has 2^11 paths, and what is passed on shows where one kind is inlined alone."""

    def leak(draw: Draw, found: list[bool], k: int) -> None:
        found.append(coin(draw, k))

    def mechanism(draw: Draw, rows: Any) -> Any:
        found: list[bool] = []
        draw(leak, found, 1 + 8 * rows[0])
        return found[0], sum(draw(coin, 3) for _ in range(10)) >= 0

    return mechanism


def fails_where_it_is_called_first() -> Any:
    kept: list[Any] = []

    def mechanism(draw: Draw, rows: Any) -> Any:
        kept.append(rows)
        return 1 // (1 - kept[0][0])

    return mechanism


def keeps_a_probability_of_what_does_not_travel() -> Any:
    kept: dict[int, Fraction] = {}
    return lambda draw, rows: draw(bernoulli(kept.setdefault(0, Fraction(1 + rows[0], 5)))) and UNIQUE


UNSOUND: list[Callable[[], Any]] = [
    keeps_in_a_dict,
    keeps_in_an_attribute,
    keeps_in_a_cache,
    keeps_in_a_default,
    keeps_by_a_part_of_the_data,
    counts_its_calls,
    passes_on_through_a_list,
    Remembering,
    passes_on_through_a_variable,
    draws_what_is_counted,
    is_lost_among_many_paths,
    fails_where_it_is_called_first,
    keeps_a_probability_of_what_does_not_travel,
]


SIZES = {keeps_by_a_part_of_the_data: [4, 7], is_lost_among_many_paths: [1]}
"""Numbers of rows: of three it keeps all apart that a part of the data tells apart; and many paths take long."""


@pytest.mark.parametrize(("make", "size"), [(make, size) for make in UNSOUND for size in SIZES.get(make, [1, 4, 7])])
def test_what_passes_unseen_is_found(make: Callable[[], Any], size: int) -> None:
    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(make(), Tuples((0, 1), size=size), epsilon=0)


def test_without_the_repetition_the_scope_says_so() -> None:
    verdict = check_privacy(keeps_in_a_dict(), BITS, epsilon=0, recheck=False)
    assert verdict.status is Status.PROVED
    assert verdict.recheck == "none"
    assert "laws not repeated" in verdict.scope


def test_the_scope_says_who_repeated() -> None:
    verdict = check_privacy(lambda draw, rows: coin(draw, 1 + rows[0]), BITS, epsilon=1)
    assert verdict.recheck == "a forked process"
    assert "laws repeated in a forked process for 2 of them, the hash seed not varied" in verdict.scope


def test_a_symbolic_claim_is_repeated_at_a_number() -> None:
    def noisy(draw: Draw, rows: Any, *, epsilon: Any) -> bool:
        return bool(rows[0] + draw(discrete_laplace(1 / epsilon)) >= 1)

    assert check_privacy(noisy, BITS, epsilon=symbolic).recheck == "a forked process"
    kept: list[Any] = []

    def keeping(draw: Draw, rows: Any, *, epsilon: Any) -> bool:
        kept.append(rows[0])
        return bool(kept[0] + draw(discrete_laplace(1 / epsilon)) >= 1)

    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(keeping, BITS, epsilon=symbolic)


def test_every_database_is_run_with_a_number_for_a_symbolic_epsilon() -> None:
    """Only the 250th of 300 databases asks what type its ε has."""

    def peeks(draw: Draw, database: int, *, epsilon: Any) -> bool:
        scale = 1 / epsilon if database != 250 or not isinstance(epsilon, Fraction) else Fraction(1, 100)
        return bool(database % 2 + draw(discrete_laplace(scale)) >= 1)

    with pytest.raises(MechanismError, match="on 250 does otherwise for ε = "):
        check_privacy(peeks, range(300), lambda x: [x + 1], epsilon=symbolic)


# Inlined = nested


def pair(draw: Draw, k: int) -> tuple[bool, Any]:
    return draw(coin, k), draw(coin, k + 1)


def noisy_pair(draw: Draw, k: int) -> tuple[bool, Any]:
    noise = draw(discrete_laplace(2)) + k
    return bool(noise >= 1), clamp(draw(discrete_laplace(1)), 0, 2)


def released(draw: Draw, k: int) -> Any:
    noise = draw(discrete_laplace(1))
    return ("above", k + noise) if noise >= 1 else ("below", None)


def a_law(draw: Draw, k: int) -> Any:
    return uniform(range(k))


PARTS: list[Callable[..., Any]] = [coin, pair, noisy_pair, released, a_law]


def of_parts(draw: Draw, database: tuple[tuple[int, int], ...]) -> Any:
    found = []
    for which, k in database:
        value = draw(PARTS[which], k)
        if which == 3 and value[0] == "above":
            value = (value[0], bool(value[1] >= k + 2), value[1])
        found.append(value)
        if which == 0 and value:
            break
    return tuple(found)


def deeper(draw: Draw, database: tuple[tuple[int, int], ...]) -> Any:
    return draw(of_parts, database), draw(laplace(1)) >= len(database)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), max_size=2).map(tuple),
    st.sampled_from([of_parts, deeper]),
)
def test_inlined_is_nested(database: tuple[tuple[int, int], ...], mechanism: Callable[..., Any]) -> None:
    nested = Enumeration(Limits()).law(mechanism, (database,), {})
    ways: list[Callable[[Any], bool]] = [lambda _: True, lambda part: part is coin, lambda part: part is of_parts]
    for inlined in ways:
        assert same_law(nested, Enumeration(Limits(), inlined).law(mechanism, (database,), {}))


def test_inlining_a_recursion() -> None:
    asked = {"promise": 1, "epsilon": 2, "delta": Fraction(1, 10), "base": 2, "alpha": Fraction(1, 2)}
    quality = [0, 1, 3, 1, 0, 0, 0, 0, 0]
    names = set(rec_concave.__kwdefaults__ or {}) | set(rec_concave.__code__.co_varnames)
    given = {name: value for name, value in asked.items() if name in names}
    nested = Enumeration(Limits())
    law = nested.law(rec_concave, (tuple(quality),), given)
    inlined = Enumeration(Limits(), lambda _: True)
    assert same_law(law, inlined.law(rec_concave, (tuple(quality),), given))
    assert nested.parts


@pytest.mark.parametrize(("paths", "ways"), [(600, 1), (300, 2), (20, 2), (0, 1)])
def test_what_cannot_be_inlined_whole_is_inlined_kind_by_kind(paths: int, ways: int) -> None:
    """Eight coins and a law of two outcomes have 2^9 paths; the law alone has 2 · 9, since the coins are added up."""

    def many(draw: Draw, rows: Any) -> Any:
        return draw(adds_up), draw(a_law, 2)

    def adds_up(draw: Draw) -> int:
        return sum(draw(bernoulli("0.3")) for _ in range(8))

    subject = Subject(many, {}, [(0,)], Limits())
    (laws,) = repeated(subject, [Asked(0, None)], Budget(paths, paths))
    assert isinstance(laws, list)
    assert all(same_law(law, distribution(many, (0,))) for law in laws)
    assert len(laws) == ways


# Which are asked for


@given(st.integers(1, 5_000), st.integers(1, 10**6))
def test_the_sample(databases: int, paths: int) -> None:
    chosen = sample(databases, paths)
    assert chosen == sorted(set(chosen), reverse=True)
    assert chosen[-1] == 0
    assert set(chosen) <= set(range(databases))
    assert len(chosen) >= min(databases, 16)
    if databases <= 16 or paths <= 1_000:
        assert len(chosen) == databases
    assert budget(databases, paths).of_all >= 1_000


def test_a_large_sample_lies_irregularly() -> None:
    chosen = sample(4096, 10**6)
    steps = {a - b for a, b in itertools.pairwise(chosen)}
    assert len(steps) > 10
    assert len(chosen) == 128


# Laws on their way


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: int


class Unique:
    """Equal to itself alone."""


UNIQUE = Unique()


def released_and_plain(draw: Draw, rows: Any) -> Any:
    threshold, noise = draw(discrete_laplace(2)), draw(discrete_laplace(3))
    if noise >= threshold:
        return ("sum", rows[0] + noise)
    return None if draw(bernoulli(exp(-1) / 2)) else ("free", draw(truncated_discrete_laplace(1, 2)))


def many_kinds(draw: Draw, rows: Any) -> Any:
    return draw(uniform([1, Fraction(1, 3), "a", None, bool(rows), (Colour.RED, frozenset({"x", "y"})), Point(2)]))


TRAVELLERS: list[tuple[Callable[..., Any], Any, dict[str, Any]]] = [
    (released_and_plain, (0,), {}),
    (many_kinds, (), {}),
    (svt1, (0, 1, -1), {"epsilon": 1}),
    (svt1, (0, 1, -1), {"epsilon": log(2)}),
    (a_dist, (3, 0, 1), {"epsilon": sqrt(2), "delta": Fraction(1, 10)}),
]


@pytest.mark.parametrize(("mechanism", "database", "parameters"), TRAVELLERS)
def test_a_law_arrives_as_it_was_sent(mechanism: Any, database: Any, parameters: dict[str, Any]) -> None:
    law = distribution(mechanism, database, **parameters)
    answer = arrived(sent([law]))
    assert not isinstance(answer, Failure)
    (back,) = answer
    assert not isinstance(back, Probabilities)
    assert same_law(law, back)
    if not isinstance(law, LatticeDistribution):  # numbers are the same objects, and not merely equal
        assert all(law.probabilities[outcome] is p for outcome, p in back.probabilities.items())


def test_what_does_not_travel_is_compared_by_its_probabilities() -> None:
    def unsendable(draw: Draw, rows: Any) -> Any:
        return draw(bernoulli(Fraction(1 + rows[0], 5))) and UNIQUE

    law = distribution(unsendable, (0,))
    (back,) = arrived(sent([law]))
    assert back == probabilities_of(law) == Probabilities((exact("1/5"), exact("4/5")))
    assert check_privacy(unsendable, BITS, epsilon=1).status is Status.PROVED
    kept = itertools.count(2)
    with pytest.raises(MechanismError, match="not deterministic"):
        check_privacy(lambda draw, rows: draw(bernoulli(Fraction(1, next(kept)))) and UNIQUE, BITS, epsilon=9)


def test_a_tied_release_that_has_travelled_is_compared_by_its_density() -> None:
    def law_of(scale: int) -> Any:
        def mechanism(draw: Draw, rows: Any) -> Any:
            threshold, noise = draw(discrete_laplace(scale)), draw(discrete_laplace(3))
            return noise if noise >= threshold else None

        return distribution(mechanism, ())

    (back,) = arrived(sent([law_of(2)]))
    assert isinstance(back, LatticeDistribution)
    (there,) = arrived(sent([back]))
    assert isinstance(there, LatticeDistribution)
    for law in (law_of(2), back, there):
        assert same_law(law, back)
        assert back.released == law.released
        assert not same_law(law_of(4), law)
        assert back.released != law_of(4).released


def test_a_symbol_of_an_interval_does_not_travel() -> None:
    from dpverify.mechanisms.exact.symbolic_epsilon import number_of
    from dpverify.mechanisms.exact.symbols import Symbol

    assert pickle.loads(pickle.dumps(exp(-symbolic) + symbolic)) is exp(-symbolic) + symbolic
    inner = number_of(Symbol())
    for number in (inner, exp(-inner)):
        with pytest.raises(TypeError, match="belongs to one process"):
            pickle.dumps(number)


def test_same_law_looks_at_plain_outcomes_beside_released_ones() -> None:
    def law_of(k: int) -> Any:
        def mechanism(draw: Draw, rows: Any) -> Any:
            if draw(bernoulli("0.5")):
                return draw(discrete_laplace(1)), "noise"
            return draw(bernoulli(Fraction(k, 10)))

        return distribution(mechanism, ())

    assert same_law(law_of(3), law_of(3))
    assert not same_law(law_of(3), law_of(4))


def test_a_mechanism_that_ends_its_process_is_no_verdict() -> None:
    parent = os.getpid()

    def ends_elsewhere(draw: Draw, rows: Any) -> int:
        if os.getpid() != parent:
            os._exit(0)
        return 0

    with pytest.raises(MechanismError, match="in a forked process, which ended without an answer"):
        check_privacy(ends_elsewhere, BITS, epsilon=0)


def test_no_process_is_left_behind() -> None:
    check_privacy(lambda draw, rows: coin(draw, 1 + rows[0]), BITS, epsilon=1)
    with suppress(ChildProcessError):  # there is none at all
        assert os.waitpid(-1, os.WNOHANG) == (0, 0), "one has ended, and nobody waits for it"


# Another interpreter

LIBRARY = """
from fractions import Fraction
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim, Tuples

UNIVERSE = tuple("abcdefgh")

def most(draw, rows):
    return max(set(rows), key=rows.count)

def hashed(draw, rows):
    return hash("x" + rows[0]) % 2

def fair(draw, rows):
    return draw(bernoulli(Fraction(1 + UNIVERSE.index(rows[0]) // 4, 5)))

most_common = Claim(id="most", mechanism=most, domain=Tuples(UNIVERSE, size=2), neighbours=lambda rows: [rows[::-1]], epsilon=1)
hash_of_text = Claim(id="hashed", mechanism=hashed, domain=Tuples(UNIVERSE, size=1), epsilon=1, delta=1)
fair_one = Claim(id="fair", mechanism=fair, domain=Tuples(UNIVERSE, size=1), epsilon=1)
"""

CHECK = """
import sys
from pathlib import Path
from dpverify.mechanisms import InputError
from dpverify.verifiers.privacy import another_interpreter as other
from dpverify.verifiers.audit.claim_files import load_claims
from dpverify.verifiers.privacy.checker import decided

other.start()
path = Path(sys.argv[1])
for claim in load_claims(path):
    try:
        verdict = decided(claim.mechanism, claim.domain, claim.neighbours, epsilon=claim.epsilon, delta=claim.delta,
            parameters=None, limits=None, repeating=other.repeated_elsewhere(other.Reference(str(path), claim.id)))
        print(claim.id, verdict.status, verdict.recheck)
    except InputError as error:
        print(claim.id, "not deterministic" in str(error), "in another interpreter" in str(error))
"""


def run_check(folder: Path, seed: str) -> list[str]:
    (folder / "claims_of_text.py").write_text(LIBRARY)
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(folder / "claims_of_text.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("seed", ["1", "3"])
def test_what_depends_on_the_hash_seed_is_found(tmp_path: Path, seed: str) -> None:
    assert run_check(tmp_path, seed) == ["most True True", "hashed True True", "fair PROVED another interpreter"]


def test_orders_of_rows_are_still_tried() -> None:
    def first(draw: Draw, rows: Sequence[int]) -> int:
        return rows[0]

    with pytest.raises(MechanismError, match="depends on the order of the rows"):
        check_privacy(first, Multisets((0, 1), size=2), epsilon=1)


def test_a_class_that_is_not_found_where_it_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    law = distribution(lambda draw, rows: draw(bernoulli("0.25")) and Point(1), ())
    message = sent([law])
    monkeypatch.delattr(sys.modules[__name__], "Point")
    assert arrived(message) == [probabilities_of(law)]


OUTCOMES_OF_ITS_OWN = """
from dataclasses import dataclass
from fractions import Fraction
from dpverify.mechanisms import bernoulli
from dpverify.verifiers import Claim, Tuples

@dataclass(frozen=True)
class Found:
    value: int

def finds(draw, rows):
    return Found(draw(bernoulli(Fraction(1 + rows[0], 3))))

claim = Claim(id="NAME", mechanism=finds, domain=Tuples((0, 1), size=1), epsilon=1)
"""


def test_files_of_one_name_have_classes_of_their_own(tmp_path: Path) -> None:
    files = [tmp_path / name / "claims_same.py" for name in ("first", "second")]
    for file in files:
        file.parent.mkdir()
        file.write_text(OUTCOMES_OF_ITS_OWN.replace("NAME", file.parent.name), encoding="utf-8")
    code = "import sys; from dpverify.verifiers.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", "--verbose", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " ".join(done.stdout.split()).count("another interpreter") == 2


def test_a_temporary_folder_with_too_long_a_name_costs_the_other_interpreter_alone(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    file = tmp_path / "claims_alone.py"
    file.write_text(OUTCOMES_OF_ITS_OWN, encoding="utf-8")
    code = "import sys; from dpverify.verifiers.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", "--verbose", str(file)],
        env={**os.environ, "TMPDIR": str(long)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a forked process" in " ".join(done.stdout.split())
    assert not list(long.iterdir())
