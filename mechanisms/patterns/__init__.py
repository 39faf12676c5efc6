"""Patterns on the trees of functions: the largest of several noisy numbers, and draws that are returned at once.

It imports noises, and output distributions. What is not recognised is run as it is written. Begin with `largest.py`. A
change keeps both at one output distribution, by `tests/mechanisms/contests`.
"""
