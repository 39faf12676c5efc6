"""Verdicts: status, counterexample, profile, and how they are written down.

It imports experiments, tables and densities. Begin with `verdict.py`, then `witness.py`. A change keeps counterexamples
minimal, and their line of Python running: `tests/verifiers/verdicts`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
