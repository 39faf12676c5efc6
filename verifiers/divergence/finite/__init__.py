"""Pairs of finite output distributions: the worst δ, the largest ratio, and who violates a claim.

It imports tables, and knows no noise. Begin with `hockey_stick.py`, then `scanned.py`. A change lets no float decide,
and keeps the bound that lets one propose: `tests/verifiers/divergence/finite`.
"""
