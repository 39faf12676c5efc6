"""The best private mechanism on a small domain: a linear program, solved exactly.

It imports `privacy/`, and the packages below it. Begin with `best.py`. A change keeps both sides of the certificate
exact: `tests/verifiers/optimal`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
