"""The path conditions that a run of a mechanism meets, and their joint probability.

It imports `numbers/`, `noise/`, `functions/` and `path_conditions/`. Begin with `comparisons.py`, which has a worked
example. A change keeps output distributions equal to those by brute force, in `tests/mechanisms/comparing`.
"""
