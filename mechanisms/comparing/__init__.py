"""The comparisons that a path of a mechanism makes, and their joint probability; the call and the trail that it is on.

It imports `numbers/`, `noise/`, `functions/` and `path_conditions/`. Begin with `comparisons.py`, which has a worked
example.
"""
