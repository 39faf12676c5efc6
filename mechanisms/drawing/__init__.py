"""The two ways to run a mechanism: the enumerator, on all its paths, and the sampler, on one.

It imports output distributions, comparisons and what code reaches. Begin with `enumerator.py`. A change keeps the
sampler and the enumerator at one output distribution, and refuses the programs in
`tests/mechanisms/drawing/ways_out.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
