"""Pairs of finite laws: the worst δ, the largest ratio, and who violates a claim.

It imports tables, and knows no noise. Begin with `hockey_stick.py`, then `scanned.py`.
"""
