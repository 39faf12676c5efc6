"""All ε at once: the cells and sets of them.

It imports mechanisms' numbers. Begin with `epsilon_sets.py`. A change keeps sets right at numbers within, between and
at their ends: `tests/verifiers/divergence/every_epsilon`.
"""
