"""The VC dimension of a finite concept class, exactly, with a shattered set; its dichotomies, and how they grow.

Source: Beimel, Nissim & Stemmer, journal version, Section 2.2.2. A class is kept by what it says of finitely many
points: one whole number for each behaviour, with a bit for each point. A set of points cuts the concepts into cells,
one for each labelling, and is shattered where no cell is empty.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.integers.parameters import whole


@dataclass(frozen=True)
class Behaviours:
    """The labels that the concepts of a class give to the points: bit i of a behaviour is the label of points[i].

    The behaviours are distinct and rise; two concepts that agree on all points are one.
    """

    points: tuple[Any, ...]
    behaviours: tuple[int, ...]

    @cached_property
    def columns(self) -> Mapping[Any, int]:
        """Point → a number whose bit c says whether behaviour c labels it 1."""
        return {
            point: sum((behaviour >> i & 1) << c for c, behaviour in enumerate(self.behaviours))
            for i, point in enumerate(self.points)
        }


@dataclass(frozen=True)
class Dimension:
    """VC(C) = `vc`: `shattered` is a set of that many points, and no larger one of the class is shattered.

    `looked_at` counts the sets that were cut into cells until none was left that could be larger.
    """

    vc: int
    shattered: tuple[Any, ...]
    looked_at: int


def behaviours(concepts: Iterable[Callable[[Any], int]], points: Iterable[Hashable]) -> Behaviours:
    """The labels that the concepts give to the points.

    Raises `InputError` without a concept, for a point that is given twice, and for a label that is not 0 or 1.
    """
    domain = tuple(points)
    if len(set(domain)) != len(domain):
        raise InputError(bad_input.TWICE, "points", "a point", "give each once")
    found = set()
    for concept in concepts:
        labels = [concept(x) for x in domain]
        if any(label not in (0, 1) for label in labels):
            raise InputError(bad_input.WRONG, f"a label of {concept!r}", "0 or 1", "label each point 0 or 1")
        found.add(sum(int(label) << i for i, label in enumerate(labels)))
    if not found:
        raise InputError(bad_input.IS_EMPTY, "concepts", "concept")
    return Behaviours(domain, tuple(sorted(found)))


def dichotomies(concepts: Behaviours, some: Sequence[Hashable]) -> frozenset[tuple[int, ...]]:
    """Π_C(B) = {(c(b_1), …, c(b_ℓ)) : c ∈ C}, the projection of C on B = `some`. Definition 2.9.

    Raises `InputError` where B holds what is no point of the class.
    """
    columns = [_column(concepts, point) for point in some]
    return frozenset(tuple(column >> c & 1 for column in columns) for c in range(len(concepts.behaviours)))


def is_shattered(concepts: Behaviours, some: Sequence[Hashable]) -> bool:
    """True where Π_C(B) = {0, 1}^|B|. Definition 2.10. Raises `InputError` as `dichotomies` does."""
    cells = _all_of(concepts)
    for point in some:
        cells = list(_cut(cells, _column(concepts, point)))
    return all(cells)


def growth(concepts: Behaviours, size: int) -> int:
    """The growth function: the most dichotomies that any `size` points have. Every such set is gone through.

    Raises `InputError` unless 0 ≤ size ≤ the number of points.
    """
    if whole(size, "size", 0) > len(concepts.points):
        raise InputError(bad_input.MORE_THAN, f"size={size}", f"the {len(concepts.points)} points there are")
    most = 0
    masks = [1 << i for i in range(len(concepts.points))]
    for chosen in combinations(masks, size):
        kept = sum(chosen)
        most = max(most, len({behaviour & kept for behaviour in concepts.behaviours}))
    return most


def vc_dimension(concepts: Behaviours) -> Dimension:
    """VC(C), the size of the largest shattered set, with one. Definition 2.11.

    Sets grow by one point at a time, since every part of a shattered set is shattered: a point that does not extend a
    set extends none of its supersets. To reach `best` + 1 points each cell must hold 2^(points to come) concepts yet.
    """
    most = len(concepts.behaviours).bit_length() - 1  # VC(C) ≤ log₂|C|
    # points that are labelled alike, or always otherwise, are not shattered together; one of them stands for all
    everything = (1 << len(concepts.behaviours)) - 1
    first_with: dict[int, Any] = {}
    for point, column in concepts.columns.items():
        first_with.setdefault(min(column, everything ^ column), point)
    search = _Search(most, [(point, column) for column, point in first_with.items()])
    search.extend((), _all_of(concepts), search.points)
    return Dimension(len(search.best), search.best, search.looked_at)


class _Search:
    """The search for a larger shattered set, depth first; `best` is the largest so far."""

    def __init__(self, most: int, points: Sequence[tuple[Any, int]]) -> None:
        self.most, self.points = most, points
        self.best: tuple[Any, ...] = ()
        self.looked_at = 0

    def extend(self, chosen: tuple[Any, ...], cells: Sequence[int], further: Sequence[tuple[Any, int]]) -> None:
        """Look at all sets of `chosen`, which is shattered, and some of `further`."""
        if len(chosen) > len(self.best):
            self.best = chosen
        extending = []
        for point, column in further:
            to_come = len(self.best) - len(chosen)  # after this point, to a set that is larger than the best
            self.looked_at += 1
            new = _shattering(cells, column, 1 << max(to_come, 0))
            if new is not None:
                extending.append((point, column, new))
        for i, (point, _, new) in enumerate(extending):
            if len(self.best) == self.most or len(chosen) + len(extending) - i <= len(self.best):
                return
            self.extend((*chosen, point), new, [(p, column) for p, column, _ in extending[i + 1 :]])


def _shattering(cells: Sequence[int], column: int, least: int) -> list[int] | None:
    """The cells, cut by a point, if each half holds at least `least` concepts."""
    found = []
    for half in _cut(cells, column):
        if half.bit_count() < least:
            return None
        found.append(half)
    return found


def _cut(cells: Iterable[int], column: int) -> Iterator[int]:
    for cell in cells:
        ones = cell & column
        yield ones
        yield cell ^ ones


def _all_of(concepts: Behaviours) -> list[int]:
    return [(1 << len(concepts.behaviours)) - 1]


def _column(concepts: Behaviours, point: Hashable) -> int:
    if point not in concepts.columns:
        raise InputError(bad_input.WRONG, f"{point!r}", "a point of the class", "give one of its points")
    return concepts.columns[point]


def labelled_behaviours(concepts: Behaviours) -> Behaviours:
    """C^label over the points x∘σ, as pairs (x, σ): c^label(x∘σ) = σ ⊕ c(x). Section 5.1."""
    size = len(concepts.points)
    flipped = (1 << size) - 1
    points = tuple((x, sigma) for sigma in (0, 1) for x in concepts.points)
    return Behaviours(points, tuple(sorted(b | (b ^ flipped) << size for b in concepts.behaviours)))
