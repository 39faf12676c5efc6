"""Signs of functions of unknown integers, for all of them at once.

It imports `numbers/` and `numbers/roots/`. Begin with `affine_regions.py`, which has a worked example. A change keeps
answers right on all small points, by brute force in `tests/mechanisms/numbers/positivity`, or `Undecided`.
"""
