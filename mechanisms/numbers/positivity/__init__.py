"""Signs of functions of unknown whole numbers, for all of them at once.

It imports `numbers/` and `numbers/roots/`. Begin with `affine_regions.py`, which has a worked example.
"""
