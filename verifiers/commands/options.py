"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.laws.limits import Limits
from dpverify.reports.rendering import FORMATS, Format
from dpverify.reports.writing import check_targets
from dpverify.verifiers.claims import AnyClaim, with_limits

Command = TypeVar("Command", bound=Callable[..., Any])

LIMITS: Final = tuple(field.name for field in fields(Limits))

FILE: Final = click.Path(path_type=Path)


def report_options(command: Command) -> Command:
    """The options that write reports, and limit the work."""
    command = limit_option(command)
    for form in reversed(FORMATS):
        command = click.option(
            f"--{form.name}", type=FILE, metavar="OUT", help=f"Write {form.what} to OUT (-: standard output)."
        )(command)
    return command


def outputs_of(given: dict[str, Any]) -> dict[Path, Format]:
    """Where reports are written to, and in which format: the options of formats are taken out of `given`.

    Raises `InputError` where two are to be written to one file.
    """
    asked = [(given.pop(form.name), form) for form in FORMATS]
    check_targets(path for path, _ in asked if path is not None)
    return {path: form for path, form in asked if path is not None}


def limit_option(command: Command) -> Command:
    """How far a check goes before it gives up."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=N",
        help=f"How far to go before giving up: {', '.join(LIMITS)}; as often as needed.",
    )(command)


def timeout_option(command: Command) -> Command:
    """How long deciding may take in all."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="S",
        help="Stop after S seconds: what was decided is reported, the rest is not decided (exit status 2).",
    )(command)


def recheck_option(command: Command) -> Command:
    """Whether laws are computed a second time."""
    return click.option(
        "--no-recheck",
        "recheck",
        flag_value=False,
        default=True,
        type=bool,
        help="Do not compute laws a second time; the record says so.",
    )(command)


def strict_option(command: Command) -> Command:
    """Whether what was not rechecked, or says little, is as expected."""
    return click.option(
        "--strict",
        is_flag=True,
        help="A privacy claim is not as expected whose laws were not computed a second time, that has no mutant, or "
        "that is weak: it holds with a quarter of its noise, or none (which takes --slack).",
    )(command)


def slack_option(command: Command) -> Command:
    """Whether it is measured how little of its noise a mechanism needs."""
    return click.option(
        "--slack",
        is_flag=True,
        help="Decide privacy claims with other shares of their noise, too, from twice of it to none; without it with "
        "half of it. Depth full does.",
    )(command)


def search_option(command: Command) -> Command:
    """Which inputs are tried where not all can be."""
    return click.option(
        "--profile",
        "search",
        type=click.Choice(["derandomized", "deep"]),
        default="derandomized",
        show_default=True,
        help="Of utility claims: the same inputs each time; or many new ones, with past failures kept.",
    )(command)


def jobs_option(command: Command) -> Command:
    """How many processes decide claims, and find laws of one that takes long."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=None,
        metavar="N",
        help="Use N processes, for as many claims at a time, or for the last ones (default: one a processor).",
    )(command)


def scheduler_option(command: Command) -> Command:
    """Which cluster decides claims."""
    return click.option(
        "--scheduler",
        default=None,
        metavar="ADDRESS",
        help="Decide claims on the Dask cluster whose scheduler is at ADDRESS, tcp://HOST:PORT; --jobs is not heeded.",
    )(command)


def limited(claims: Sequence[AnyClaim], limits: tuple[str, ...]) -> Sequence[AnyClaim]:
    """The claims, with what `--limit` gives in place of their own limits. Raises `InputError` for a bad one."""
    given = each_once(map(_limit, limits), "--limit")
    return [with_limits(claim, replace(claim.limits or Limits(), **given)) for claim in claims] if given else claims


def each_once(pairs: Iterable[tuple[str, Any]], option: str) -> dict[str, Any]:
    """The pairs of an option as a mapping. Raises `InputError` where a name was given twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{option} {name} was given twice")
        found[name] = value
    return found


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS or not number:
        raise InputError(f"--limit {text} is not of the form NAME=N, with NAME one of {', '.join(LIMITS)}")
    try:
        return name, int(number)
    except ValueError:
        raise InputError(f"--limit {text}: {number} is not a whole number") from None


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
