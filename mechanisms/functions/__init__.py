"""A mechanism as a Python function: its name, place and parameters, what it may return, and how it fails.

It imports packages of numbers, and noise. Begin with `mechanism.py`. A change keeps equal outcomes of two types apart,
and messages that name the user's line: `tests/mechanisms/functions`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
