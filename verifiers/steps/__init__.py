"""Deciding a step of a proof: an inequality for all parameters in ranges, by certified subdivision.

It imports mechanisms' numbers and claims. Begin with `claim.py`. A change keeps enclosures certified, and broken steps
refuted: `tests/verifiers/steps`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
