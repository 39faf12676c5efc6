"""The decision on a claim: verdict, witness, profile, and how they are written down.

It imports experiments, tables and densities. Begin with `verdict.py`, then `witness.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
