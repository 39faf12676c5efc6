"""Questions: domains of databases, what relations do to them, and the question that both are part of.

It imports mechanisms alone. Begin with `question.py`, then `domains.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
