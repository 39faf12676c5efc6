"""The means to write mechanisms with: exact numbers, distributions and noise, and the two ways to run one.

The papers' algorithms are in the packages below: selection, recursion, sanitizers, learners, release. It imports
nothing above it. Begin with `docs/writing-mechanisms.md`, and with `packages.py`, which lists the packages. A change
keeps what users write, by `tests/test_public_names.py`: names, parameters, and what is returned.
"""

from dpverify.mechanisms import renames as renames  # which finds modules by their former names
from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
