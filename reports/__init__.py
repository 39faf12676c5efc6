"""The audit record, and everything that renders or writes it.

It imports mechanisms' numbers alone. Begin with `record.py`, then with `formats/`. A change of the record is one of its
JSON schema, by `make schema`: `tests/reports`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
