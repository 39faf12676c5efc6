"""The entry points of privacy: checking, claims, calibrating, the result that is recorded, and its explanation.

It imports every package of privacy. Begin with `checker.py`, then `claim.py`. A change keeps what users write, and the
verdicts of `tests/verifiers/privacy`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
