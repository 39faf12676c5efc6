"""Deciding a claim for any number of rows: by theorems, and region by region.

It imports `all_sizes/regions/`. Begin with `verdicts.py`, then `decision.py`; theorems take constants from
`known_guarantees.py` alone. A change keeps wrong theorems refuted: `tests/verifiers/all_sizes`.
"""
