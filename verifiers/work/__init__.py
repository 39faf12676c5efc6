"""Laws and pairs that several processes, or machines, find and compare.

It imports `tables/` and `experiments/`. Begin with `sharing.py`.
"""
