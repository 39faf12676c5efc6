"""Deciding a claim on databases of every size: by theorems, and region by region.

It imports `all_sizes/regions/`. Begin with `verdicts.py`, then `decision.py`.
"""
