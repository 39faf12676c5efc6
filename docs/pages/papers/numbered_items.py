"""The numbered items of the five papers, and why some of them have no row of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

ITEMS: Final[Mapping[str, Mapping[str, str]]] = {
    "BNS-X": {
        "Theorem": "1 2 3 4 5 6 7",
        "Lemma": "1 2 3 4",
        "Proposition": "1 2",
        "Definition": "1 2 3 4 5 6 7 8 9 10 11 12 13",
        "Remark": "1 2 3",
    },
    "BNS-J": {
        "Theorem": "2.3 2.4 2.5 2.12 2.13 2.14 2.19 2.20 2.21 2.24 3.15 3.18 3.21 3.22 4.6 4.7 4.13 4.16 5.5 5.9 5.10 6.2",
        "Lemma": "3.2 3.12 3.14 4.4 4.5 4.8 4.12 4.15 5.1 5.3 5.4 5.7",
        "Claim": "3.13 4.9 4.10 4.11 5.2",
        "Proposition": "2.25 2.26",
        "Definition": "2.1 2.2 2.6 2.7 2.8 2.9 2.10 2.11 2.15 2.16 2.17 2.22 2.23 3.1 3.4 3.6 3.7 3.20 4.1 4.2 4.14 6.1",
        "Remark": "2.18 3.3 3.5 3.9 3.16 3.17 3.19 5.6 5.8",
        "Fact": "1 2 3",
        "Observation": "3.10 3.11",
        "Example": "3.8 4.3 6.3",
        "Figure": "1 2 3 4 5 6 7 8 9 10 11 12 13",
    },
    "BuNS": {
        "Theorem": "1.1 2.7 2.8 2.11 2.16 2.18 2.19 2.22 2.23 2.24 3.1 3.12 3.13 4.3 4.7 5.1 5.4",
        "Lemma": "2.25 3.6 3.7 4.5 5.3",
        "Corollary": "2.12 3.3 3.4 3.9 3.10 4.6 4.10",
        "Proposition": "2.20 2.21 3.8 3.11 4.9 4.11",
        "Definition": "2.1 2.2 2.3 2.4 2.5 2.6 2.9 2.10 2.13 2.14 2.15 2.17 4.1 4.2",
        "Remark": "4.4 4.8 5.2",
        "Observation": "3.2",
        "Example": "3.5",
        "Algorithm": "1 2 3 4 5",
    },
    "HRS": {
        "Theorem": "1.1 1.2 1.4 1.5 1.6 3.9 4.10 5.1 5.10 6.1 6.2 6.3 6.4",
        "Lemma": "4.1 4.2 4.3 4.4 4.5 4.7 4.8 5.3 5.7 5.8 5.9",
        "Claim": "4.6 4.9 5.4",
        "Corollary": "1.3 5.5",
        "Definition": "2.1 3.1 3.2 3.3 3.5 3.6 3.8 5.2 5.6",
        "Remark": "3.4 3.7 3.10",
        "Figure": "1 2",
    },
    "CHS": {
        "Theorem": "1 2 3",
        "Corollary": "1 2",
        "Proposition": "1",
        "Definition": "1 2",
        "Remark": "1",
        "Algorithm": "1",
        "Condition": "1",
    },
}
"""Paper → kind of item → its numbers, as they stand in the texts."""

TITLES: Final = {
    "BNS-X": "Beimel, Nissim & Stemmer, the extended abstract",
    "BNS-J": "Beimel, Nissim & Stemmer, the journal version",
    "BuNS": "Bun, Nissim & Stemmer",
    "HRS": "Hardt, Rothblum & Servedio",
    "CHS": "Chaudhuri, Hsu & Song",
}

SHORT: Final = {
    "Theorem": "Thm",
    "Lemma": "Lem",
    "Corollary": "Cor",
    "Proposition": "Prop",
    "Remark": "Rem",
    "Algorithm": "Alg",
    "Figure": "Fig",
}
"""How an id begins after its paper, where numbers are of each kind apart; elsewhere an id has the number alone."""

PLACED: Final = {
    "BNS-J Fact 1": "BNS-J-4.4",
    "BNS-J Fact 2": "BNS-J-4.4",
    "BNS-J Fact 3": "BNS-J-4.4",
    "BNS-J Figure 5": "BNS-J-3.12",
    "BNS-J Figure 8": "BNS-J-4.4",
    "BNS-J Figure 9": "BNS-J-4.6",
    "BNS-J Figure 10": "BNS-J-4.7",
    "BNS-J Figure 11": "BNS-J-4.8",
    "BNS-J Figure 12": "BNS-J-5.4",
    "BuNS Theorem 3.1": "BuNS-3.7",
    "BuNS Theorem 1.1": "BuNS-3.7",
    "BuNS Algorithm 1": "BuNS-2.20",
    "BuNS Algorithm 2": "BuNS-3.7",
    "BuNS Algorithm 3": "BuNS-3.11",
    "BuNS Algorithm 4": "BuNS-3.12",
    "BuNS Algorithm 5": "BuNS-3.13",
    "BuNS Theorem 2.7": "BNS-J-2.13",
    "BuNS Theorem 2.8": "BNS-J-2.14",
    "CHS Condition 1": "CHS-Thm1",
}
"""Items that stand in the row of another one: figures and facts with the lemma that is about them."""

WITHOUT: Final = {
    "BNS-X Remark 2": "on running time; RecConcave runs on 2^1024 points (docs/performance.md)",
    "BNS-X Remark 3": "on running time",
    "BNS-J Figure 1": "a drawing",
    "BNS-J Figure 2": "a drawing",
    "BNS-J Figure 3": "a drawing",
    "BNS-J Figure 4": "a drawing",
    "BNS-J Figure 6": "a drawing",
    "BNS-J Figure 7": "a drawing",
    "HRS Remark 3.4": "says which parameter is fixed, and claims nothing",
    "HRS Remark 3.7": "says which access a learner has, and claims nothing",
}
"""Items of which nothing is claimed, and why; a definition needs no reason."""

NEEDS_NONE: Final = "a definition: what is claimed uses it"


class Item(NamedTuple):
    """A numbered item of a paper."""

    paper: str
    kind: str
    number: str

    def __str__(self) -> str:
        return f"{self.paper} {self.kind} {self.number}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of rows that are its own."""
        short = f"{self.paper}-{SHORT.get(self.kind, self.kind)}{self.number}"
        own = (short,) if self.paper in ("BNS-X", "CHS") or self.kind == "Figure" else (f"{self.paper}-{self.number}",)
        placed = PLACED.get(str(self))
        return own if placed is None else (*own, placed)


def items() -> Iterator[Item]:
    """All of them, by paper and kind, in their order."""
    for paper, kinds in ITEMS.items():
        for kind, numbers in kinds.items():
            yield from (Item(paper, kind, number) for number in numbers.split())
