"""Independent parts, put in the places that stand for them: one template, and the releases in its slots, in order.

The parts are independent of each other and of all around them, so that their releases stand side by side.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.outputs.normal_releases import NormalRelease
from dpverify.mechanisms.outputs.released import AnyRelease, Releases
from dpverify.mechanisms.outputs.released_parts import PART_SLOT, PartSlot, parts_in
from dpverify.mechanisms.outputs.released_reals import (
    Frame,
    LinearForm,
    RealRelease,
    RealSlot,
    Tie,
    plain_frame,
    the_frame,
)
from dpverify.mechanisms.outputs.templates import Slot, frame_in, slots_of
from dpverify.mechanisms.outputs.tied_reals import TiedReal


class Filling(NamedTuple):
    """A template and the releases in its slots, which take the place of one slot of a part."""

    template: Hashable
    releases: Releases


def spliced(template: Hashable, releases: Releases, fillings: Sequence[Filling | None]) -> tuple[Hashable, Releases]:
    """The template with each slot of a part filled, or left as it is for None; and all releases, in order.

    `releases` end with those of the slots that are left.
    """
    if all(filling and filling.template is PART_SLOT for filling in fillings) and not releases:  # as of most lists
        return template, tuple([filling.releases[0] for filling in fillings if filling])
    splicing = _Splicing(fillings)
    return splicing.finished(splicing.filled(template, _Piece(template, releases, fillings.count(None))))


class _Piece:
    """A template whose slots are gone through, and its releases by their kinds."""

    def __init__(self, template: Hashable, releases: Releases, parts: int) -> None:
        count = len(slots_of(template))
        self.whole: Iterator[Any] = iter(releases[:count])
        self.real = releases[count : len(releases) - parts]
        self.parts: Iterator[Any] = iter(releases[len(releases) - parts :])
        self.frame = frame_in(template)
        self.places: dict[int, int] = {}
        """New places of its real numbers, by their old ones."""


@dataclass(frozen=True)
class _Place:
    """The place where a real number comes to stand."""

    place: int


class _Splicing:
    """All pieces, the first of which has the places for the others."""

    def __init__(self, fillings: Sequence[Filling | None]) -> None:
        self._fillings = iter(fillings)
        self._pieces: list[_Piece] = []
        self._whole: list[AnyRelease] = []
        self._parts: list[Any] = []
        self._reals = 0

    def filled(self, template: Any, piece: _Piece) -> Any:
        """The template with its slots filled, and a `_Place` for each real number."""
        is_outer = not self._pieces
        self._pieces.append(piece)
        return self._of(template, piece, is_outer=is_outer)

    def _of(self, template: Any, piece: _Piece, *, is_outer: bool) -> Any:
        if isinstance(template, Slot):
            self._whole.append(next(piece.whole))
            return template
        if isinstance(template, RealSlot):
            place = piece.places[template.place] = self._reals
            self._reals += 1
            return _Place(place)
        if isinstance(template, PartSlot):
            filling = next(self._fillings) if is_outer else None
            if filling is None:
                self._parts.append(next(piece.parts))
                return template
            if not filling.releases:  # a plain outcome, as it is
                return filling.template
            return self.filled(filling.template, _Piece(*filling, parts_in(filling.template)))
        if isinstance(template, tuple):
            return tuple([self._of(part, piece, is_outer=is_outer) for part in template])
        return template

    def finished(self, filled: Any) -> tuple[Hashable, Releases]:
        """The template and its releases, the real numbers of all pieces in one frame."""
        pieces = [piece for piece in self._pieces if piece.frame is not None]
        if not pieces:
            return filled, (*self._whole, *self._parts)
        coordinates = sorted(
            (coordinate for piece in pieces for coordinate in self._coordinates(piece)), key=_first_number
        )
        frame = self._frame(pieces, coordinates)
        return _with_slots(filled, frame), (*self._whole, *_renumbered(coordinates), *self._parts)

    def _coordinates(self, piece: _Piece) -> Iterator[_Coordinate]:
        assert piece.frame is not None, "it has real numbers"
        for row, release in zip(piece.frame.rows, piece.real, strict=True):
            assert isinstance(release, RealRelease | NormalRelease | TiedReal), "neither whole nor a part"
            yield _Coordinate(self._moved(row, piece), release, id(piece))

    def _moved(self, row: LinearForm, piece: _Piece) -> LinearForm:
        numbers: list[Fraction | Exact] = [Fraction(0)] * self._reals
        for place, c in enumerate(row):
            numbers[piece.places[place]] = c
        return tuple(numbers)

    def _frame(self, pieces: Sequence[_Piece], coordinates: Sequence[_Coordinate]) -> Frame:
        frames = [piece.frame for piece in pieces if piece.frame is not None]
        if all(frame.is_plain for frame in frames):
            return plain_frame(self._reals)
        ties = sorted(
            (
                Tie(piece.places[tie.place], self._moved(tie.row, piece), tie.offset)
                for piece, frame in zip(pieces, frames, strict=True)
                for tie in frame.ties
            ),
            key=lambda tie: tie.place,
        )
        return the_frame(tuple(coordinate.row for coordinate in coordinates), tuple(ties))


class _Coordinate(NamedTuple):
    """One coordinate of a frame, its release, and which piece it comes from."""

    row: LinearForm
    release: RealRelease | NormalRelease | TiedReal
    piece: int


def _first_number(coordinate: _Coordinate) -> int:
    return next(i for i, c in enumerate(coordinate.row) if c != 0)


def _renumbered(coordinates: Sequence[_Coordinate]) -> Iterator[RealRelease | NormalRelease | TiedReal]:
    """The releases; groups of tied numbers have the number of their first coordinate."""
    numbers: dict[tuple[int, int], int] = {}
    for i, (_, release, piece) in enumerate(coordinates):
        if isinstance(release, TiedReal):
            yield TiedReal(release.group, release.place, numbers.setdefault((piece, release.number), i))
        else:
            yield release


def _with_slots(filled: Any, frame: Frame) -> Any:
    if isinstance(filled, _Place):
        return RealSlot(frame, filled.place)
    return tuple(_with_slots(part, frame) for part in filled) if isinstance(filled, tuple) else filled
