"""Domains, neighbour relations, the privacy checker, claims and their audit.

Names resolve on first use, so that importing the package loads nothing heavy; `__init__.pyi` says where they live.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
