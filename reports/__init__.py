"""The audit record, and everything that renders or writes it.

It imports mechanisms' numbers alone. Begin with `record.py`, then with `formats/`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
