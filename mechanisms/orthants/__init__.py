"""Signs of functions of unknown whole numbers, for all of them at once.

It imports `numbers/` and `signs/`. Begin with `orthants.py`, which has a worked example.
"""
