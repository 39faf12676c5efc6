"""The index of the largest of noisy scores, written by hand and returned: its law is known without all orders.

    noisy = [score + draw(laplace(1 / epsilon)) for score in scores]
    return noisy.index(max(noisy))

    return max(range(len(scores)), key=lambda i: scores[i] + draw(laplace(1 / epsilon)))

That it is so written is told by the instructions of the function that runs: `max` compares each number with the
largest so far, and whatever it finds is returned, so that the answers reach nothing else. Each comparison is answered
as if the first were the largest, which shows all differences of numbers; and 0 comes back. What the numbers are is
looked at then: each has a noise of its own, all of one law, of which nothing else is known. Where it is not so the
function is run anew, as it is written.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from math import floor
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.instructions.by_code import by_code
from dpverify.mechanisms.instructions.leads import probability_of_best
from dpverify.mechanisms.instructions.tails import guarded
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.errors import InputError, Undecided
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, negative
from dpverify.mechanisms.numbers.integers.whole_numbers import WholeNumber
from dpverify.mechanisms.numbers.roots.intervals import Intervals
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.path_conditions.expressions import Comparator
from dpverify.mechanisms.path_conditions.implied_conditions import Form
from dpverify.mechanisms.path_conditions.noise_value import NoiseValue
from dpverify.mechanisms.path_conditions.noise_variable import NoiseVariable
from dpverify.mechanisms.path_conditions.shared_noise import joint_probability


class _Asked(NamedTuple):
    """A call of `max` that is returned: what it goes through."""

    listed: str | None
    """The variable that is a list of numbers, whose index is returned."""
    counted: str | int | None
    """The number of numbers, or the variable that says so, or of which it is the length."""
    by_length: bool


class Argmax:
    """The comparisons of one call of `max`, from the first one on."""

    def __init__(self, offset: int, count: int) -> None:
        self._offset = offset
        self._others = count - 1
        self._differences: list[NoiseValue] = []
        self.is_lost = False
        """True where it is known to be no call whose law is known."""

    def takes(self, value: NoiseValue, relation: Comparator, offset: int) -> bool:
        """True where a comparison that the mechanism makes there is one of the call, which is then answered by no."""
        if offset != self._offset:
            return False
        self._differences.append(value)
        self.is_lost = self.is_lost or relation != ">"
        return True

    def law(self, outcome: Any, is_free: Callable[[NoiseVariable], bool]) -> Distribution[int] | None:
        """The law of the index, where 0 was returned of the run; None where it is not known, and it is lost.

        `is_free` says of a noise that nothing else is known of it.
        """
        law = self._law(outcome, is_free)
        self.is_lost = law is None
        return law

    def _law(self, outcome: Any, is_free: Callable[[NoiseVariable], bool]) -> Distribution[int] | None:
        if self.is_lost or len(self._differences) != self._others or type(outcome) is not int or outcome != 0:
            return None
        scores = [ZERO, *(value.shift for value in self._differences)]
        for sign in (1, -1):  # of score + noise, and of score - noise
            noises = self._noises(sign)
            if noises is None or len(set(noises)) < len(noises) or not all(map(is_free, noises)):
                continue
            if sign == 1 or noises[0].law.mirror_image() == noises[0].law:
                return _law(noises, scores)
        return None

    def _noises(self, sign: int) -> list[NoiseVariable] | None:
        """The noises of all numbers in order, each of which has the sign in its number; None where it is not so."""
        noises: list[NoiseVariable] = []
        for value in self._differences:
            parts = dict(value.parts)
            if any(map(_is_open, parts.values())) or sorted(parts.values()) != [-1, 1]:
                return None
            noise, first = sorted(parts, key=lambda variable: parts[variable], reverse=sign == 1)
            if not noises:
                noises.append(first)
            if first != noises[0]:
                return None
            noises.append(noise)
        return noises


def begun(value: NoiseValue, relation: Comparator, frame: FrameType) -> Argmax | None:
    """The call of `max` whose first comparison the mechanism makes in its frame; None where it is none."""
    asked = _calls(frame.f_code).get(frame.f_lasti) if relation == ">" and len(value.parts) == _TWO else None
    if asked is None or not all(_is_builtin(frame, name) for name in ("max", "range", "len")):
        return None
    count = _count(frame, asked)
    if count < _TWO:
        return None
    argmax = Argmax(frame.f_lasti, count)
    argmax.takes(value, relation, frame.f_lasti)
    return argmax


_TWO: Final = 2


def _is_builtin(frame: FrameType, name: str) -> bool:
    return name not in frame.f_globals and frame.f_builtins.get(name) is getattr(builtins, name)


def _count(frame: FrameType, asked: _Asked) -> int:
    """The number of numbers that are compared; 0 where that cannot be told."""
    if asked.listed is not None:
        values: Any = frame.f_locals.get(asked.listed)
        return len(values) if type(values) in (list, tuple) and set(map(type, values)) == {NoiseValue} else 0
    if isinstance(asked.counted, int):
        return asked.counted
    value: Any = None if asked.counted is None else frame.f_locals.get(asked.counted)
    if asked.by_length:
        return len(value) if type(value) in (list, tuple) else 0
    return int(value) if type(value) in (int, WholeNumber) else 0


def _law(noises: list[NoiseVariable], scores: list[Exact]) -> Distribution[int] | None:
    """The law of the index of the largest score with its noise; None where its closed form is not known."""
    law = noises[0].law
    if any(_is_open(getattr(n.law, f.name)) for n in noises for f in fields(n.law)):  # type: ignore[arg-type]  # each law is a dataclass
        return None  # before anything is compared
    if any(type(noise.law) is not type(law) or noise.law != law for noise in noises) or any(map(_is_open, scores)):
        return None
    if law.discrete and any(map(_is_broken, scores)):
        return None
    scale = law.exponential_scale
    if scale is not None and not law.discrete:
        return Distribution({i: exp(score / scale) for i, score in enumerate(scores)})
    if law.is_certified and not law.discrete:
        return Distribution({i: _probability_of_lead(noises, scores, i) for i in range(len(scores))})
    if law.is_certified or law.tail_scale is None:
        return None
    try:
        return Distribution({i: probability_of_best(law, scores, i) for i in range(len(scores))})
    except (InputError, Undecided):  # of some laws no closed form is known
        return None


def _probability_of_lead(noises: Sequence[NoiseVariable], scores: Sequence[Exact], best: int) -> Exact:
    """Pr[scores[best] with its noise is the largest] for continuous noise: as one fact for each other score."""
    facts: dict[Form, Intervals] = {}
    for other, (noise, score) in enumerate(zip(noises, scores, strict=True)):
        if other != best:
            facts[(noises[best], ONE), (noise, negative(ONE))] = ((score - scores[best], None),)
    return joint_probability(facts)


def _is_open(number: object) -> bool:
    """True where a number depends on a symbolic ε, or on unknown numbers."""
    return isinstance(number, Exact) and number.symbol is not None


def _is_broken(score: Exact) -> bool:
    return floor(score) != score


# --- What is written


@by_code
def _calls(code: CodeType) -> Mapping[int, _Asked]:
    """Offset of each call of `max` of which the index is returned → what it goes through."""
    return _result(code)


def has_some(code: CodeType) -> bool:
    """True where the index of a largest number is returned anywhere."""
    return bool(_calls(code))


class CodeWord(NamedTuple):
    """An instruction as the patterns below name it, with what it is about."""

    text: str
    about: Any
    offset: int
    is_target: bool
    """True where it is jumped to."""
    is_called: bool
    """True for a global variable that is called."""
    names: tuple[str, ...] | None
    """The names of the arguments of a call, where it says them."""
    effect: int | None
    """Growth of the stack, from the word before on, without such names; None for a jump."""


_INDEX: Final = ["V", ".index", "G:max", "V", "CALL:1", "CALL:1", "RETURN"]
_KEYED: Final = re.compile(
    r"G:max G:range (?:(?P<number>N)|(?P<variable>V)|G:len (?P<length>V) CALL:1) CALL:1 "
    r"(?:(?:V )+TUPLE )?CODE FUNCTION KEY CALL:2 RETURN$"
)
"""The two ends, in the instructions of Python 3.11 to 3.13."""


def _result(code: CodeType) -> Mapping[int, _Asked]:
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return {}
    words = words_of(code)
    parts = guarded(code)
    results: dict[int, _Asked] = {}
    for last, word in enumerate(words):
        if word.text == "RETURN":
            before = words[max(0, last - _LONGEST) : last + 1]
            for written in (_index(before), _keyed(before)):
                if written is not None and not any(written.call.offset in part for part in parts):
                    results[written.call.offset] = written.asked
    return results


class _Written(NamedTuple):
    call: CodeWord
    asked: _Asked


def _index(before: list[CodeWord]) -> _Written | None:
    words = before[-len(_INDEX) :]
    if [word.text for word in words] != _INDEX or words[0].about != words[3].about or _is_jumped_into(words):
        return None
    return _Written(words[4], _Asked(words[0].about, None, by_length=False))


def _keyed(before: list[CodeWord]) -> _Written | None:
    text = " ".join(word.text for word in before)
    match = _KEYED.search(text)
    if match is None:
        return None
    words = before[_place(text, match.start()) :]
    if _is_jumped_into(words):
        return None
    group = next(name for name, part in match.groupdict().items() if part)
    counted = before[_place(text, match.start(group))].about
    return _Written(words[-2], _Asked(None, counted, by_length=group == "length"))


def _place(text: str, start: int) -> int:
    return text[:start].count(" ")


def _is_jumped_into(words: list[CodeWord]) -> bool:
    return any(word.is_target for word in words[1:])


_LONGEST: Final = 60
"""Instructions: so many variables may be seen by the key."""


def words_of(code: CodeType) -> list[CodeWord]:
    """The instructions of a code that do something by themselves, in order."""
    words: list[CodeWord] = []
    effect: int | None = 0
    for one in dis.get_instructions(code):
        effect = None if effect is None or one.opcode in JUMPS else effect + _effect(one, code)
        names = _names(one, code)
        later = int(one.opname == "LOAD_FAST_LOAD_FAST")  # of its two words each puts one thing there
        for text, about in _named(one, code):
            is_called = one.opname == "LOAD_GLOBAL" and bool((one.arg or 0) & 1)
            own = None if effect is None else effect - later
            words.append(CodeWord(text, about, one.offset, one.is_jump_target, is_called, names, own))
            effect, later = later, 0
    return words


JUMPS: Final = frozenset((*dis.hasjrel, *dis.hasjabs))


def _effect(one: dis.Instruction, code: CodeType) -> int:
    if _names(one, code) is not None:
        return 0
    arg = one.arg if one.opcode >= dis.HAVE_ARGUMENT else None
    return dis.stack_effect(one.opcode, arg, jump=False) + (one.opname == "CALL_KW")


def _names(one: dis.Instruction, code: CodeType) -> tuple[str, ...] | None:
    if one.opname not in ("KW_NAMES", "LOAD_CONST"):
        return None
    constant = code.co_consts[one.arg or 0]
    is_of_names = type(constant) is tuple and bool(constant) and all(type(name) is str for name in constant)
    return constant if is_of_names else None


def _named(one: dis.Instruction, code: CodeType) -> list[tuple[str, Any]]:
    """Name of an instruction here: nothing for one without an effect by itself, "?" for all others."""
    name, about = one.opname, one.argval
    match name:
        case "PRECALL" | "SET_FUNCTION_ATTRIBUTE":
            return []
        case "LOAD_FAST" | "LOAD_DEREF" | "LOAD_CLOSURE":
            return [("V", about)]
        case "LOAD_FAST_LOAD_FAST":
            return [("V", part) for part in about]
        case "STORE_FAST_LOAD_FAST":
            return [("?", about), ("V", about[1])]
        case "LOAD_METHOD" | "LOAD_ATTR":
            return [(f".{about}", about)]
        case "LOAD_GLOBAL":
            return [(f"G:{about}", about)]
        case "CALL" | "CALL_KW":
            return [(f"CALL:{one.arg}", about)]
        case "BUILD_TUPLE":
            return [("TUPLE", about)]
        case "BINARY_SUBSCR":
            return [("ITEM", about)]
        case "MAKE_FUNCTION":
            return [("FUNCTION", about)]
        case "RETURN_VALUE":
            return [("RETURN", about)]
        case "KW_NAMES" | "LOAD_CONST":
            constant = code.co_consts[one.arg or 0]
            kind = "KEY" if constant == ("key",) else "CODE" if isinstance(constant, CodeType) else "?"
            kind = "TRUE" if constant is True else kind
            return [("N" if type(constant) is int else kind, constant)]
    return [("?", about)]
