"""Noises as a mechanism sees them, and the probability of what is known of them: facts tie noises into trees.

It imports rooms of numbers, noise, and `functions/`. Begin with `noise_value.py`, then `noise_tree.py`; Gaussian noise
is in `certified_trees.py`.
"""
