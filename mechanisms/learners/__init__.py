"""Private learners.

It imports the topics before it. Begin with `points_learner.py`. A change keeps the claims of
`verifiers/catalogue/learners` as they are, and the tests in `tests/mechanisms/learners` by plain fractions.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
