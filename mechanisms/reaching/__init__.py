"""Side effects: what the code of a mechanism reaches besides its arguments and what it returns.

It imports `outputs/`, and those below. Begin with `returns.py`; what code reaches is walked through in `reach.py`. A
change refuses all programs in `tests/mechanisms/reaching`, and none of the harmless ones there.
"""
