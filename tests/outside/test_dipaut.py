"""The 46 automata of DiPAut bounded to streams of up to eight numbers, each with its published label.

A well-formed one is (weight·ε)-private on all that is tried here: that is no proof for streams of any length. Of an
ill-formed one the loss on a pair of streams grows with each round of a cycle by the same amount. Eight labels are
wrong: automata that read no input, which theirs calls not private, and which have one law whatever the stream is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import pytest
from tests.adversary.tally import deep
from tests.outside.dipaut import AUTOMATA, DRAWN, STUCK, Automaton, Run, Stream, read, state, translated

from dpverify.mechanisms import Limits, exp
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy

LONGEST: Final = 8
BITS: Final = 512

WRONGLY_LABELLED: Final = frozenset(
    {
        "leaking_cycle/example_4_non_input",
        "leaking_cycle/example_7_non_input",
        "leaking_pair/example_4_non_input",
        "leaking_pair/example_8_non_input",
        "leaking_pair/example_9_non_input",
        "leaking_pair/example_10_non_input",
        "leaking_pair/example_11_non_input",
        "leaking_pair/example_12_non_input",
    }
)
"""Published as not private. No state of theirs reads an input, so that all streams have one law: they are 0-private."""

WELL_FORMED: Final = [automaton for automaton in AUTOMATA if automaton.weight is not None]
ILL_FORMED: Final = [automaton for automaton in AUTOMATA if automaton.weight is None and automaton.reads]
NAMED: Final[Mapping[str, Automaton]] = MappingProxyType({automaton.name: automaton for automaton in AUTOMATA})

# --- Pairs of neighbouring streams: far up (+), far down (-), or the same twice (0) at each place

_STEPS: Final = MappingProxyType({"+": (40, 39), "-": (-40, -39), "0": (0, 0)})
PATTERNS: Final = ("++++++++", "--------", "+-------", "-+++++++", "-++++++-", "+------+", "+-+-+-+-", "-+-+-+-+")


def streams(pattern: str) -> Sequence[Stream]:
    return [tuple(_STEPS[step][side] for step in pattern) for side in (0, 1)]


def beside(one: Stream, other: Stream) -> bool:
    """Whether no entry differs by more than one."""
    return all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))


def decided(run: Run, domain: Sequence[Stream], claimed: Fraction) -> Verdict:
    """What is decided of a run on the streams of a domain at ε = 1, each against those beside it."""
    return check_privacy(
        run,
        domain,
        lambda one: [other for other in domain if other != one and beside(one, other)],
        epsilon=claimed,
        parameters={"epsilon": 1},
        recheck=False,
    )


# --- What there is
def test_there_are_as_many_as_theirs() -> None:
    assert len(NAMED) == len(AUTOMATA) == 46
    assert (len(WELL_FORMED), len(ILL_FORMED), len(WRONGLY_LABELLED)) == (19, 19, 8)


def test_the_wrong_labels_are_of_those_that_read_no_input() -> None:
    assert {each.name for each in AUTOMATA if each.weight is None and not each.reads} == WRONGLY_LABELLED


def test_a_text_of_theirs_is_read() -> None:
    text = (
        "(q1:non-input,1/3,10): x:= insample; output oinput; goto q2\n"
        "(q2,1/2,0): if (insample<= x) then y := insample; output obot; goto q2 "
        "elseif (insample >= x && insample < y) then  output insample; goto q3\n"
    )
    first, second = read(text)[1], read(text)[2]
    assert (first.rate, first.mean, first.reads, second.reads) == (Fraction(1, 3), 10, False, True)
    assert [(way.guard, way.output, way.goto, way.store) for way in (*first.branches, *second.branches)] == [
        ((), "input", 2, "x"),
        ((("<=", "x"),), "bot", 2, "y"),
        (((">=", "x"), ("<", "y")), DRAWN, 3, ""),
    ]


@pytest.mark.parametrize(("text", "said"), [("q1: output obot", "is no state"), ("(q1,1,0): halt", "is no statement")])
def test_a_text_that_is_no_automaton_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text)


def test_what_is_drawn_is_around_the_mean_and_the_input() -> None:
    one = Automaton("one", {1: state("1/2", f": {DRAWN} 2", mean=2), 2: state("1/3", f": {DRAWN} 3", reads=False)})
    found = dict(Enumeration(Limits()).law(cut(one), ((3,),), {"epsilon": Fraction(2)}).probabilities)
    assert found == {
        (below, after): (exp(-5) / 2 if below else 1 - exp(-5) / 2) / 2
        for below, after in product((False, True), repeat=2)
    }


def test_a_run_ends_where_it_can_not_go_on() -> None:
    kept = state("1/2", ": kept 2 x")
    for states, stream, expected in (
        ({1: kept}, (0, 0), {("kept",)}),
        ({1: kept, 2: kept}, (0,), {("kept",)}),
        ({1: replace(kept, reads=False), 2: replace(kept, reads=False)}, (0, 0, 0), {("kept", "kept", "kept")}),
        ({1: kept, 2: state("1/2", "<x : low 3")}, (0, 0), {("kept", "low"), (STUCK,)}),
    ):
        run = translated(Automaton("some", states))
        assert {*Enumeration(Limits()).law(run, (stream,), {"epsilon": 1}).probabilities} == expected


# --- Well-formed: no more than the weight
@pytest.mark.one_in(4)
@pytest.mark.parametrize("automaton", WELL_FORMED, ids=lambda each: each.name)
def test_a_well_formed_one_loses_no_more_than_its_weight(automaton: Automaton) -> None:
    assert automaton.weight is not None
    found = {
        (pattern, length): decided(translated(automaton), streams(pattern[:length]), automaton.weight).status
        for pattern in PATTERNS
        for length in (range(1, LONGEST + 1) if deep() else (2, 4))
    }
    assert set(found.values()) == {Status.PROVED}, found


@pytest.mark.deep
@pytest.mark.parametrize("automaton", WELL_FORMED, ids=lambda each: each.name)
def test_a_well_formed_one_loses_no_more_than_its_weight_on_all_pairs(automaton: Automaton) -> None:
    assert automaton.weight is not None
    for length in (1, 2, 3, 4):
        found = decided(translated(automaton), list(product((0, 1), repeat=length)), automaton.weight)
        assert found.status is Status.PROVED, found


def test_two_well_formed_ones_are_stuck_whatever_they_draw() -> None:
    """28_1 looks for a number below x2 and above x1 where x2 < x1; 28_3 does from its fifth step on."""
    found = {
        automaton.name
        for automaton in WELL_FORMED
        if {*Enumeration(Limits()).law(cut(automaton), ((0,) * 6,), {"epsilon": 1}).probabilities} == {(STUCK,)}
    }
    assert found == {"well_formed/example_28_1_1307", "well_formed/example_28_3_1307"}


def test_a_weight_is_reached() -> None:
    for name, pattern in (("well_formed/example_1", "-++-"), ("well_formed/example_2", "+--+")):
        run, weight = translated(NAMED[name]), Fraction(3, 2)
        assert decided(run, streams(pattern), weight).status is Status.PROVED
        assert decided(run, streams(pattern), weight - Fraction(1, 10**6)).status is Status.REFUTED


def test_where_a_run_is_stuck_tells_more_than_the_weight() -> None:
    found = {
        says_where: decided(
            translated(NAMED["well_formed/example_23"], says_where=says_where), streams("-+-+-+-+"), Fraction(5, 2)
        )
        for says_where in (False, True)
    }
    assert {says_where: verdict.status for says_where, verdict in found.items()} == {
        False: Status.PROVED,
        True: Status.REFUTED,
    }
    least = found[True].epsilon
    assert least is not None
    assert abs(least.lower - Fraction("2.72504")) < Fraction(1, 10**5)


# --- Ill-formed: the same amount more each round
class Growth(NamedTuple):
    """A pair of streams by rounds, and what each round adds to the loss at least."""

    before: str
    first: str
    between: str
    second: str
    added: Fraction

    def of(self, rounds: int) -> str:
        """The pattern of so many rounds: the first part of a round so often, then the second."""
        return self.before + self.first * rounds + self.between + self.second * rounds

    @property
    def rounds(self) -> Sequence[int]:
        """Three numbers of rounds, of which the last is of the longest pattern there is."""
        last = max(rounds for rounds in range(LONGEST) if len(self.of(rounds)) <= LONGEST)
        return range(last - 2, last + 1)


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
_LOW_THEN_HIGH: Final = Growth("", "-+", "", "", HALF)
_HIGH_THEN_LOW: Final = Growth("", "+-", "", "", HALF)
GROWTH: Final[Mapping[str, Growth]] = MappingProxyType(
    {
        "disclosing_cycle/example_13": Growth("0", "", "", "+", HALF),
        "leaking_cycle/example_15": _LOW_THEN_HIGH,
        "leaking_cycle/example_16": _LOW_THEN_HIGH,
        "leaking_cycle/example_17": _LOW_THEN_HIGH,
        "leaking_cycle/example_18": _LOW_THEN_HIGH,
        "leaking_cycle/example_28_4_1307": Growth("--", "+-", "", "", THIRD),
        "leaking_cycle/example_4": _HIGH_THEN_LOW,
        "leaking_cycle/example_7": _HIGH_THEN_LOW,
        "leaking_pair/example_4": _HIGH_THEN_LOW,
        "leaking_pair/example_8": Growth("0", "+", "-", "-", HALF),
        "leaking_pair/example_9": Growth("0", "-", "+", "+", HALF),
        "leaking_pair/example_10": Growth("0-", "+-", "", "", HALF),
        "leaking_pair/example_11": Growth("0", "-", "0", "+", Fraction(9, 20)),
        "leaking_pair/example_12": Growth("0", "-", "0", "+", Fraction(9, 20)),
        "privacy_violating_path/example_14": Growth("0+", "+0", "", "", HALF),
        "privacy_violating_path/example_17": _LOW_THEN_HIGH,
        "privacy_violating_path/example_21": Growth("00", "", "", "+", HALF),
        "privacy_violating_path/example_22": Growth("000", "", "", "+", HALF),
        "privacy_violating_path/example_24": Growth("0", "", "", "+", HALF),
    }
)


def loss(run: Run, pattern: str) -> Any:
    """The largest |ln| of the ratio of what a pattern's two streams give to a run that is not stuck, as a ball."""
    one, other = (
        dict(Enumeration(Limits()).law(run, (stream,), {"epsilon": Fraction(1)}).probabilities)
        for stream in streams(pattern)
    )
    assert one.keys() == other.keys()
    return max(
        abs(enclosure(p, BITS).log() - enclosure(other[outcome], BITS).log())
        for outcome, p in one.items()
        if outcome != (STUCK,)
    )


def cut(automaton: Automaton) -> Run:
    """It with the sign alone of each number given out. Whoever sees the number sees its sign: they lose no less."""
    return translated(automaton, lambda drawn: drawn < 0)


def test_each_ill_formed_one_has_its_streams() -> None:
    assert GROWTH.keys() == {automaton.name for automaton in ILL_FORMED}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("automaton", ILL_FORMED, ids=lambda each: each.name)
def test_an_ill_formed_one_loses_the_same_amount_more_each_round(automaton: Automaton) -> None:
    growth = GROWTH[automaton.name]
    assert 7 <= len(growth.of(growth.rounds[-1])) <= LONGEST
    losses = [loss(cut(automaton), growth.of(rounds)) for rounds in growth.rounds]
    for before, after in pairwise(losses):
        assert growth.added * Fraction(9, 10) < Fraction(str(float(after - before))) < growth.added * Fraction(11, 10)


@pytest.mark.one_in(len(ILL_FORMED))
@pytest.mark.parametrize("automaton", ILL_FORMED, ids=lambda each: each.name)
def test_an_ill_formed_one_is_refuted_as_written(automaton: Automaton) -> None:
    """Numbers are given out as they are drawn; ε is just below what the signs of them lose."""
    growth = GROWTH[automaton.name]
    pattern = growth.of(growth.rounds[-1])
    claimed = Fraction(str(float(loss(cut(automaton), pattern)))) - Fraction(1, 1000)
    assert claimed > 2 * growth.added
    assert decided(translated(automaton), streams(pattern), claimed).status is Status.REFUTED


@pytest.mark.one_in(len(WELL_FORMED))
@pytest.mark.parametrize("automaton", [*WELL_FORMED[1:], WELL_FORMED[0]], ids=lambda each: each.name)
def test_a_well_formed_one_does_not_on_the_same_streams(automaton: Automaton) -> None:
    assert automaton.weight is not None
    for pattern in sorted({growth.of(growth.rounds[-1]) for growth in GROWTH.values()}):
        found = decided(translated(automaton), streams(pattern), automaton.weight)
        assert found.status is Status.PROVED, f"{pattern}: {found}"


# --- The wrong labels
@pytest.mark.parametrize("name", sorted(WRONGLY_LABELLED))
def test_what_reads_no_input_is_private_at_zero(name: str) -> None:
    for length in range(1, LONGEST + 1) if deep() else (5,):
        assert decided(translated(NAMED[name]), streams("+" * length), Fraction(0)).status is Status.PROVED
    found = Enumeration(Limits()).law(translated(NAMED[name]), ((0,) * 5,), {"epsilon": Fraction(1)})
    assert len(found.probabilities) > 1


def test_what_has_one_beside_it_that_reads_input_is_refuted_at_zero() -> None:
    for name in WRONGLY_LABELLED:
        reading = NAMED[name.removesuffix("_non_input")]
        assert decided(translated(reading), streams("+-+-"), Fraction(0)).status is Status.REFUTED
