"""Lacks of a platform, and what is then not guarded: said once, and not found out by a command that hangs.

And how Python's garbage is collected, where claims are decided.
"""

import gc
import os
import signal
import sys
from collections.abc import Sequence


def shortfalls() -> Sequence[str]:
    """The guarantees that do not hold here, as sentences; none on Linux."""
    texts = []
    if not hasattr(os, "fork"):
        texts.append(
            f"without os.fork ({sys.platform}) all claims are decided one at a time in this process, which a mechanism "
            "may end, and distributions are recomputed in it, not by another interpreter; nothing is cached"
        )
    if not hasattr(signal, "setitimer"):
        texts.append(
            f"without timers ({sys.platform}) a mechanism that does not return is not interrupted: the limit of "
            "seconds is not kept, and --timeout only between claims; end it with Ctrl-C"
        )
    return texts


def collect_seldom() -> None:
    """Let the garbage collector look seldom, and mostly at what is new; a process that has it rarer keeps that.

    Distributions are many small objects that live long and hold no circles: it would go through them again and again,
    for nothing. What a mechanism makes may hold some, and is not to fill the memory before they are found.
    """
    gc.set_threshold(*map(max, gc.get_threshold(), (200_000, 20, 50)))
