"""Sanitizers, and the concepts that they and the learners speak of."""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
