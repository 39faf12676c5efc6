"""Distributions by steps: a mechanism cut at program points, and states there that are merged where they are equal.

Begin with `steps.py`. It imports the language, and what a run knows of noise; `drawing` runs what lies between points.
A change keeps this: two states are one only if no code can tell them apart, now or later, and weights are exact.
"""
