"""Claims of the means that all topics choose with: the exponential mechanism, noise, stability, composition.

What holds a margin, or splits a budget, stands here too; `noise/` and `stability/` are its larger pieces.

It imports its topic alone. Begin with `exponential_mechanism_privacy.py`.
"""
