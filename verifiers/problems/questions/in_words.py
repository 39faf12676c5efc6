"""Domains in a few words, as they follow "PROVED for": "n = 4, rows from {0, 1}", "all scores, 3 candidates"."""

from collections.abc import Hashable, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from dpverify.verifiers.readable import readable


@runtime_checkable
class InWords(Protocol):
    """A domain that says in a few words which databases it holds."""

    @property
    def in_words(self) -> str:
        """The words that follow "PROVED for"."""


def domain_in_words(domain: object, databases: int) -> str:
    """A domain of so many databases in a few words; one of the user's own by their number."""
    is_ours = (
        type(domain).__module__.partition(".")[0] == "dpverify"
    )  # a class derived from one of ours may hold others
    return domain.in_words if is_ours and isinstance(domain, InWords) else f"these {databases:,} databases"


_FEW: Final = 8
_LONGEST: Final = 30
"""Values, and characters of them, up to which a set is written out."""


def values_in_words(values: Sequence[Hashable]) -> str:
    """A set of values: "{0, 1}", or "12 values"."""
    text = f"{{{', '.join(map(readable, values))}}}" if len(values) <= _FEW else ""
    return text if 0 < len(text) <= _LONGEST else f"{len(values):,} value{'' if len(values) == 1 else 's'}"


def sizes_in_words(sizes: Sequence[int]) -> str:
    """Numbers of rows, in rising order: "n = 4", "n ≤ 6" from 0 on, "1 ≤ n ≤ 6", "n = 2, 4, 8"."""
    low, high = sizes[0], sizes[-1]
    if low == high:
        return f"n = {low:,}"
    if len(sizes) == high - low + 1:
        return f"{f'{low:,} ≤ ' if low else ''}n ≤ {high:,}"
    return f"n = {', '.join(map(str, sizes))}" if len(sizes) <= _FEW else f"{len(sizes):,} sizes n ≤ {high:,}"


def every_size_in_words(least: int, first: int = 0) -> str:
    """Every number of rows from `least` on, where there are none below `first`."""
    return "every n" if least <= first else f"every n ≥ {least:,}"


def candidates_in_words(number: Any) -> str:
    """So many candidates; `number` may be an `OrMore`."""
    least = getattr(number, "least", None)
    if least is not None:
        return f"{least:,} or more candidates" if least > 1 else "any number of candidates"
    return f"{number:,} candidate{'' if number == 1 else 's'}"


def scores_in_words(scores: Sequence[int]) -> str:
    """Whole scores, in rising order: "scores 0 to 4", or a set of them."""
    low, high = scores[0], scores[-1]
    if low < high and len(scores) == high - low + 1:
        return f"scores {low:,} to {high:,}"
    return f"scores from {values_in_words(scores)}"
