"""How many examples Hypothesis tries where one of them takes long."""

from __future__ import annotations

from hypothesis import settings


def few(count: int, *, deep: int | None = None) -> settings:
    """So many examples in every run, and `deep` of them, or ten times as many, in a deep one."""
    is_deep = settings.default is not None and settings.default.max_examples > 1_000
    return settings(max_examples=(deep or 10 * count) if is_deep else count)
