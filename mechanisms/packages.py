"""The packages of mechanisms: the means that mechanisms are written with, and the topics of the papers' algorithms."""

from typing import Final

MEANS: Final = (
    "reasons",
    "numbers",
    "noise",
    "functions",
    "path_conditions",
    "comparing",
    "outputs",
    "finer_releases",
    "patterns",
    "program_states",
    "drawing",
)
"""Numbers, noise, laws, and what `draw` does: they hold no mechanism that somebody claims anything of."""

COUNTING: Final = "counting"
"""Counts and qualities, which the topics compute with: they are part of what is claimed."""

TOPICS: Final = ("selection", "recursion", "sanitizers", "learners", "release")
"""The papers' algorithms, each topic above the one before."""
