"""Data release by learning thresholds, and frequent itemsets.

It imports the topics before it. Begin with `private_release.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
