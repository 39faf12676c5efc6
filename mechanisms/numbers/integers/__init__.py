"""Integers as mechanisms are given them: with exact quotients, unknown ones, and checks of parameters.

It imports `numbers/` alone. Begin with `whole_numbers.py`. A change keeps to the closed list of what an unknown number
does, in `unknown_numbers.py`, and to Python's results for known ones: `tests/mechanisms/numbers/integers`.
"""
