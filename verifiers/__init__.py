"""Domains, neighbour relations, the privacy checker, claims and their audit.

Names resolve on first use, so that importing the package loads nothing heavy; `__init__.pyi` says where they live.
"""

from typing import Any

import lazy_loader

_found, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _found(name)
    except AttributeError:
        from dpverify.mechanisms.elsewhere import refuse_if_elsewhere  # loaded where something is wrong alone

        refuse_if_elsewhere(__name__, name)
        raise
