"""Output distributions and pairs that several processes, or machines, find and compare.

It imports `divergence/output_tables/` and `problems/preparation/`. Begin with `sharing.py`. A change keeps verdicts
equal for any number of processes: `tests/verifiers/divergence/parallel`.
"""
