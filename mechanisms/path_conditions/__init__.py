"""Noises as a mechanism sees them, and the probability of path conditions on them, which tie noises into trees.

It imports `numbers/`, `noise/` and `functions/`. Begin with `noise_value.py`, then `noise_tree.py`; Gaussian noise
is in `certified_trees.py`.
"""
