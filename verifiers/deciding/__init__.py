"""Deciding a claim on the databases of an experiment: at one ε, at all, or before post-processing.

It imports verdicts, and the packages below them. Begin with `deciding.py`, then `one_epsilon.py`. A change keeps
verdicts equal to brute force: `tests/verifiers/deciding`, `tests/adversary`, `make mutants`.
"""
