"""Loops that keep the best of several noisy numbers so far, and nothing else of how they compare.

    for i, score in enumerate(scores):                          for i in range(1, len(noisy)):
        number = score + draw(…)                                    if noisy[i] > noisy[best]:
        if best is None or number > best:                               best = i
            best, place = number, i

Where a number is better than the best so far, variables are assigned from others, and nothing else is done. All of
them are assigned anew each time, and read nowhere in the loop but where the best so far is compared, or asked for
whether it is None. So what the loop leaves is said by the last number that took the place, which is the best of all.
The loop runs through an iterator, once in a call of its function, and no exception is handled in it.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from dpverify.mechanisms.instructions.by_code import by_code
from dpverify.mechanisms.instructions.contests import Asks, Choosing, Contest, ContestLoop, OneByOne
from dpverify.mechanisms.instructions.tails import SEEING_ALL, guarded


class _Loop(NamedTuple):
    """A loop as it is written, at its comparison."""

    region: range
    asks: Asks
    listed: tuple[str, ...]
    """Variables of which an item is taken to be compared, which are lists."""
    kept: tuple[str, ...]
    """Variables that are assigned where a number is better, and those that they are assigned from."""


def contest_of_loop(run: Choosing, frame: FrameType) -> Contest | None:
    """The contest that a loop is whose first comparison is made in this frame; None where it is none."""
    loop = loops_in(frame.f_code).get(frame.f_lasti)
    if loop is None or any(type(frame.f_locals.get(name)) not in (list, tuple) for name in loop.listed):
        return None
    return OneByOne(run, frame, loop.asks, None, loop=ContestLoop(loop.region, loop.kept))


@by_code
def loops_in(code: CodeType) -> Mapping[int, _Loop]:
    """Offset of the comparison → the loop that keeps the best so far by it."""
    return dict(_result(code))


def _result(code: CodeType) -> Iterator[tuple[int, _Loop]]:
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return
    if not SEEING_ALL.isdisjoint(code.co_names):
        return
    written = _Instructions(code)
    for place, one in enumerate(written.all):
        if one.opname == "COMPARE_OP":
            loop = written.loop_at(place)
            if loop is not None:
                yield one.offset, loop


class _Operand(NamedTuple):
    """A variable, or an item of one."""

    names: tuple[str, ...]
    """The variable; or a list, and the variable that is the index."""
    first: int
    """The place of its first instruction."""


_RELATIONS: Final[dict[str, Asks]] = {"<": Asks("<"), "<=": Asks("<="), ">": Asks(">"), ">=": Asks(">=")}


class _Step(NamedTuple):
    """An instruction, or one half of one that does two things."""

    offset: int
    opname: str
    arg: int | None
    argval: Any


def _steps(code: CodeType) -> Iterator[_Step]:
    for one in dis.get_instructions(code):
        halves = [f"{half}_FAST" for half in one.opname.split("_FAST")[:-1]] if type(one.argval) is tuple else []
        if len(halves) == len(one.argval if halves else ()) > 1:
            for name, about in zip(halves, one.argval, strict=True):
                yield _Step(one.offset, name.removeprefix("_"), one.arg, about)
        else:
            yield _Step(one.offset, one.opname, one.arg, one.argval)


class _Instructions:
    """The instructions of a code."""

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self.all = list(_steps(code))
        self._places = {one.offset: place for place, one in reversed(list(enumerate(self.all)))}

    def loop_at(self, place: int) -> _Loop | None:
        """The loop that is known by its comparison at a place; None for any other comparison."""
        asks = _RELATIONS.get(str(self.all[place].argval).removeprefix("bool(").removesuffix(")"))
        region = self._region(self.all[place].offset)
        right = self._operand(place - 1)
        left = None if right is None else self._operand(right.first - 1)
        if asks is None or region is None or left is None or right is None or place + 1 >= len(self.all):
            return None
        jump = self.all[place + 1]
        if not jump.opname.startswith("POP_JUMP") or not jump.opname.endswith(("_IF_FALSE", "_IF_TRUE")):
            return None
        ways = (self.all[place + 2].offset, int(jump.argval))
        if_true, if_false = ways if jump.opname.endswith("_IF_FALSE") else ways[::-1]
        for is_taken, start, other in ((True, if_true, if_false), (False, if_false, if_true)):
            kept = self._kept(start, self._leads_to(other))
            if kept is None:
                continue
            is_left, is_right = (not kept.keys().isdisjoint(one.names[-1:]) for one in (left, right))
            if is_left is is_right:
                return None
            best, new = (left, right) if is_left else (right, left)
            outside = {*best.names[:-1], *new.names}
            listed = tuple(one.names[0] for one in (best, new) if len(one.names) > 1)
            if outside & {*kept} or self._reads_more(region, kept, best, new) or self._are_stored(region, listed):
                return None
            return _Loop(region, asks._replace(best_first=is_left, is_taken=is_taken), listed, (*kept, *kept.values()))
        return None

    def _region(self, offset: int) -> range | None:
        """The innermost loop around an instruction, where it is in no other one and handles no exception."""
        around = [
            range(one.offset, int(one.argval))
            for one in self.all
            if one.opname == "FOR_ITER" and one.offset < offset < int(one.argval)
        ]
        if not around:
            return None
        region = max(around, key=lambda each: each.start)
        for one in self.all:
            if one.opname in _JUMPS:
                target = int(one.argval)
                is_left_and_entered = one.offset >= region.stop and target < region.stop
                if is_left_and_entered or (one.offset in region and target < region.start):
                    return None
        is_guarded = any(part.start < region.stop and region.start < part.stop for part in guarded(self._code))
        return None if is_guarded else region

    def _operand(self, place: int) -> _Operand | None:
        """The operand that ends at a place: a variable, or an item of one whose index is one."""
        names: list[str] = []
        is_item = place >= 0 and self.all[place].opname == "BINARY_SUBSCR"
        needed = 2 if is_item else 1
        place -= is_item
        while place >= 0 and len(names) < needed and self.all[place].opname == "LOAD_FAST":
            names.insert(0, str(self.all[place].argval))
            place -= 1
        return _Operand(tuple(names), place + 1) if len(names) == needed else None

    def _leads_to(self, offset: int) -> int:
        """The offset at which the code goes on from one, past what only goes elsewhere."""
        for _ in range(len(self.all)):
            one = self.all[self._places[offset]]
            if one.opname in _GOING_ON:
                offset = int(one.argval)
            elif one.opname == "NOP":
                offset = self.all[self._places[offset] + 1].offset
            else:
                break
        return offset

    def _kept(self, offset: int, end: int) -> dict[str, str] | None:
        """Variable → the variable that it is assigned from, where nothing else is done until the end; else None."""
        results: dict[str, str] = {}
        stack: list[str] = []
        place = self._places[offset]
        while place < len(self.all) and self._leads_to(self.all[place].offset) != end:
            one = self.all[place]
            place += 1
            if one.opname == "LOAD_FAST":
                stack.append(str(one.argval))
            elif one.opname == "COPY" and len(stack) >= (one.arg or 0) > 0:
                stack.append(stack[-(one.arg or 0)])
            elif one.opname == "SWAP" and len(stack) >= (one.arg or 0) > 0:
                stack[-1], stack[-(one.arg or 0)] = stack[-(one.arg or 0)], stack[-1]
            elif one.opname == "STORE_FAST" and stack:
                results[str(one.argval)] = stack.pop()
            elif one.opname != "NOP":
                return None
        is_so = bool(results) and not stack and results.keys().isdisjoint(results.values()) and place < len(self.all)
        return results if is_so else None

    def _reads_more(self, region: range, kept: Mapping[str, str], best: _Operand, new: _Operand) -> bool:
        """True where a variable that is kept is read, or assigned, elsewhere in the loop."""
        stored = reads = 0
        for place, one in enumerate(self.all):
            if one.offset not in region or one.opname not in _OF_VARIABLES or one.argval not in kept:
                continue
            if one.opname == "STORE_FAST":
                stored += 1
            elif one.opname != "LOAD_FAST":
                return True
            elif best.first <= place < best.first + len(best.names):
                reads += 1
            elif best.names != (one.argval,) or kept[one.argval] != new.names[-1] or not self._asks_for_none(place):
                return True
        return stored != len(kept) or reads != 1

    def _are_stored(self, region: range, names: Sequence[str]) -> bool:
        return any(
            one.offset in region and one.opname in _OF_VARIABLES and one.opname != "LOAD_FAST" and one.argval in names
            for one in self.all
        )

    def _asks_for_none(self, place: int) -> bool:
        """True where the variable that is read at a place is asked for whether it is None, and nothing else."""
        following = self.all[place + 1 : place + 3]
        if following and following[0].opname.startswith("POP_JUMP") and "NONE" in following[0].opname:
            return True
        is_none = [one.opname for one in following] == ["LOAD_CONST", "IS_OP"]
        return is_none and following[0].argval is None


_JUMPS: Final = frozenset(dis.opname[code] for code in (*dis.hasjrel, *dis.hasjabs))
_GOING_ON: Final = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_OF_VARIABLES: Final = frozenset(name for name in dis.opmap if "_FAST" in name)
