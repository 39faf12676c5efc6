"""Mechanisms as discrete distributions, the exact numbers to state them in, and the two ways to run them.

Names resolve on first use, so that importing the package loads nothing heavy; `__init__.pyi` says where they live.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
