"""What `draw` means: distributions, noise, the enumerator that runs a mechanism on all paths, and the sampler."""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
