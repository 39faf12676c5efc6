"""Deciding privacy: domains, neighbours, laws on all databases, the inequality on all pairs. It knows no paper."""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
