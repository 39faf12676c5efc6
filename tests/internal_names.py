"""Names of this library's own classes in messages, which say nothing to those who do not know its code."""

import re
import sys
from dataclasses import is_dataclass

import dpverify.mechanisms
import dpverify.verifiers


def internal_names(message: str) -> set[str]:
    """The classes of dpverify that a message shows as Python does, Name(field=…), and that no user can write."""
    shown = set(re.findall(r"\b([A-Z]\w*)\((?=\w+=|\)|<|\()", message))
    public = {*dir(dpverify.mechanisms), *dir(dpverify.verifiers), "Fraction"}
    return {name for name in shown - public if name in _own_names()}


def _own_names() -> set[str]:
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("dpverify.")]
    kinds = (each for module in modules for each in list(vars(module).values()) if isinstance(each, type))
    return {kind.__name__ for kind in kinds if is_dataclass(kind) and kind.__module__.startswith("dpverify.")}
