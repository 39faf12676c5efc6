"""Private learners.

It imports the topics before it. Begin with `points_learner.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
