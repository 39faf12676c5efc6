"""Deciding structure: lemmas as goals that two SMT solvers refute the negation of. It knows no paper.

It imports claims, and the solvers when they are asked. Begin with `lemma.py`. A change keeps hypotheses shown
satisfiable, and false variants refuted: `tests/verifiers/structure`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
