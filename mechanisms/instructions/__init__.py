"""Patterns in the bytecode of a mechanism: noise that is returned at once, and the best of several.

It imports noises, and output distributions. What is not recognised is run as it is written. Begin with `contests.py`. A
change keeps both at one output distribution, by `tests/mechanisms/contests`.
"""
