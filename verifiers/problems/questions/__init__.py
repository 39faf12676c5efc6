"""Questions: domains of databases, what neighbour relations do to them, and the question itself.

It imports mechanisms alone. Begin with `question.py`, then `domains.py`. A change keeps texts of domains, from which
they are read again, and digests: `tests/verifiers/problems/questions`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
