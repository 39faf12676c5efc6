"""Deciding a claim on databases of every size: by theorems, and region by region.

It imports `charts/`. Begin with `verdicts.py`, then `decision.py`.
"""
