"""The hockey-stick divergence between output distributions: finite ones, densities, and for every ε.

It imports `problems/`, and the packages below it. Begin with `divergence/finite/hockey_stick.py`. A change keeps each
way to compute it equal to the sum over outcomes: `tests/verifiers/divergence`, `make mutants`.
"""
