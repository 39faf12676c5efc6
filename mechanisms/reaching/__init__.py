"""The reach of code beside its arguments, and whether anything passes by another way than by return.

It imports `outputs/`, and those below. Begin with `returns.py`; what code reaches is walked through in `reach.py`.
"""
