"""Hypothesis profiles: the gate runs the same examples every time, `--hypothesis-profile=deep` looks for new ones."""

from hypothesis import settings

settings.register_profile("gate", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("gate")
