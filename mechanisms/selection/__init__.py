"""Private selection: exponential, noisy max, stability, choosing, large margin, sparse vector; and composition."""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
