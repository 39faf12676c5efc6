"""Noise as a mechanism sees it, and the probability of path conditions, which tie noises into trees.

It imports `numbers/`, `noise/` and `functions/`. Begin with `noise_value.py`, then `noise_tree.py`; Gaussian noise is
in `certified_trees.py`. A change keeps probabilities equal to sums by hand, in `tests/mechanisms/path_conditions`.
"""
