"""Sanitizers, and the concepts that they and the learners speak of.

It imports the topics before it. Begin with `points_sanitizer.py`. A change keeps the claims of
`verifiers/catalogue/sanitizers`, and the tests in `tests/mechanisms/sanitizers`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
