"""Private selection: exponential, noisy max, stability, choosing, large margin, sparse vector; and composition.

It imports `counting/`, and the packages below it. Begin with `exponential_mechanism.py`. A change keeps the claims of
`verifiers/catalogue/selection`, and the guarantees in `verifiers/all_sizes/known_guarantees.py`.
"""

from dpverify.mechanisms.exported import exported

__getattr__, __dir__, __all__ = exported(__name__, __file__)
