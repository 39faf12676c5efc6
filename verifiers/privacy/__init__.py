"""The doors of privacy: checking, claims, calibrating, the result that is written down, and its explanation.

It imports every package of privacy. Begin with `checker.py`, then `claim.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
