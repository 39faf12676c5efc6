"""Hypothesis profiles: the gate runs the same examples every time, `--hypothesis-profile=deep` looks for new ones.

No test takes a verdict from a cache, or leaves one there, unless it makes its own.
"""

import gc
import os

from hypothesis import settings

os.environ["CI"] = "1"

settings.register_profile("gate", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("gate")


def pytest_collection_finish() -> None:
    """What has been loaded by now stays: the garbage collector need not go through it again and again."""
    gc.collect()
    gc.freeze()
