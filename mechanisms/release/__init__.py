"""Data release by learning thresholds, and frequent itemsets.

It imports the topics before it. Begin with `private_release.py`. A change keeps the claims of
`verifiers/catalogue/release`, and the tests in `tests/mechanisms/release`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
