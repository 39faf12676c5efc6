"""The preparation of a question: databases, pairs, output distributions, and their recomputation.

It imports `questions/` and `neighbours/`. Begin with `experiment.py`; the recomputation is in `repetition.py`. A change
keeps what differs from run to run found: `tests/verifiers/problems/preparation`.
"""
