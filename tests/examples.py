"""How many examples Hypothesis tries where one of them takes long, and cases that are tried in one test."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import settings


def few(count: int, *, deep: int | None = None) -> settings:
    """So many examples in every run, and `deep` of them, or ten times as many, in a deep one."""
    is_deep = settings.default is not None and settings.default.max_examples > 1_000
    return settings(max_examples=(deep or 10 * count) if is_deep else count)


def in_one(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test of all cases, where `pytest.mark.parametrize` makes one of each: for those that take less than that costs.

    The first case that fails ends it, and is a note of the error.
    """
    parameters, all_cases = names.split(", "), list(cases)
    assert all_cases, "there are no cases"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def tried(**others: Any) -> None:
            for case in all_cases:
                values = case if len(parameters) > 1 else (case,)
                try:
                    test(**dict(zip(parameters, values, strict=True)), **others)
                except BaseException as error:  # pytest.fail raises one that is no Exception
                    error.add_note(f"{names}: {case!r}")
                    raise

        left = [each for name, each in inspect.signature(test).parameters.items() if name not in parameters]
        tried.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        tried.__name__, tried.__doc__, tried.__module__ = test.__name__, test.__doc__, test.__module__
        return tried

    return decorate
