"""Code in the language that is not decided where numbers or rows are not known: it catches errors, or has no guards.

A function in C may raise a TypeError for what stands for an unknown number, such as `deque((), n)`, or for rows that
hold nothing, such as `"a".startswith(rows)`, and asks nobody before. All else that is in the language asks.
"""

import ast
from collections.abc import Mapping
from typing import Any

from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.trusted import is_trusted_function
from dpverify.mechanisms.language.compiled import form_of


def not_followed(mechanism: Any, parameters: Mapping[str, Any]) -> str | None:
    """The reason why a mechanism may tell what is not known from what is, in words; None where there is none."""
    form = form_of(mechanism, parameters)
    if form is None:
        return f"{name_of(mechanism)} has no compiled form, in which questions for a type are refused"
    for function in form.reading.each:
        for node in () if is_trusted_function(function.function) else ast.walk(function.tree):
            if isinstance(node, ast.ExceptHandler):
                return f"{function.function.__qualname__} catches errors (line {node.lineno})"
    return None
