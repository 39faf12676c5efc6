"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import click

from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.formats.rendering import FORMATS, Format
from dpverify.reports.record import DEPTHS
from dpverify.reports.writing import check_targets
from dpverify.verifiers.claims import AnyClaim, Search, with_limits
from dpverify.verifiers.readable import advice_in_brackets, did_you_mean

Command = TypeVar("Command", bound=Callable[..., Any])

LIMITS: Final = tuple(field.name for field in fields(Limits))

FILE: Final = click.Path(path_type=Path)


def word_option(name: str, into: str, words: Sequence[str], said: str) -> Callable[[Command], Command]:
    """An option that is one of a few words, the first unless it is given; of a mistyped one it says what is near."""

    def one_of(_: click.Context, __: click.Parameter, value: str) -> str:
        if value not in words:
            raise click.BadParameter(f"{one_line(value)} is none of {', '.join(words)}{did_you_mean(value, words)}")
        return value

    def completed(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
        return [word for word in words if word.startswith(begun)]

    return click.option(
        f"--{name}",
        into,
        callback=one_of,
        shell_complete=completed,
        default=words[0],
        show_default=True,
        metavar=f"[{'|'.join(words)}]",
        help=said,
    )


def whole_option(least: int | None = None) -> Callable[[click.Context, click.Parameter, str | int | None], int | None]:
    """A parser of whole numbers, of `least` or more where that is said."""

    def number(_: click.Context, __: click.Parameter, value: str | int | None) -> int | None:
        if value is None:
            return None
        try:
            result = int(value)
        except ValueError:
            result = None
        if result is None or (least is not None and result < least):
            which = "" if least is None else f" from {least} on"
            raise click.BadParameter(f"{one_line(str(value))} is no whole number{which}")
        return result

    return number


def seconds(_: click.Context, __: click.Parameter, value: str | float | None) -> float | None:
    """A parser of a time, which is more than none."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise click.BadParameter(f"{one_line(str(value))} is no time: give seconds, more than 0, such as 60 or 0.5")
    return number


def report_options(command: Command) -> Command:
    """The options that write reports, and limit the work."""
    command = limit_option(command)
    for form in reversed(FORMATS):
        command = click.option(f"--{form.name}", type=FILE, metavar="FILE", help=f"Write {form.what} to FILE.")(command)
    said = "Give reports this title (default: the name of the project, or of the folder)."
    return click.option("--title", metavar="TEXT", help=said)(command)


def outputs_of(given: dict[str, Any]) -> dict[Path, Format]:
    """The files that reports are written to, with their formats: the options of formats are taken out of `given`.

    Raises `InputError` where two are to be written to one file.
    """
    asked = [(given.pop(form.name), form) for form in FORMATS]
    check_targets(path for path, _ in asked if path is not None)
    return {path: form for path, form in asked if path is not None}


def limit_option(command: Command) -> Command:
    """The option that says how far a check goes before it gives up."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=N",
        help=f"Change a limit: {', '.join(LIMITS)} (repeatable).",
    )(command)


def timeout_option(command: Command) -> Command:
    """The option that says how long deciding may take in all."""
    return click.option(
        "--timeout",
        callback=seconds,
        metavar="SECONDS",
        help="Stop after this time, and report what is decided by then.",
    )(command)


def recheck_option(command: Command) -> Command:
    """True where laws are computed a second time."""
    return click.option(
        "--no-recheck",
        "recheck",
        flag_value=False,
        default=True,
        type=bool,
        help="Do not compute output distributions a second time.",
    )(command)


def strict_option(command: Command) -> Command:
    """True where what was not rechecked, or says little, is as expected."""
    return click.option(
        "--strict",
        is_flag=True,
        help="Fail where a PROVED privacy claim is not recomputed, is loose, has no mutant, or leaves lines unreached.",
    )(command)


def reach_option(command: Command) -> Command:
    """True where it is recorded what of a mechanism no database runs."""
    return click.option(
        "--reach/--no-reach",
        default=None,
        help="Name the lines that no database runs, and other inputs that are read (default: where that is cheap).",
    )(command)


def lines_option(command: Command) -> Command:
    """True where it is recorded how often each line of a mechanism runs."""
    return click.option(
        "--lines",
        is_flag=True,
        help="Record how often each line of a mechanism runs.",
    )(command)


def slack_option(command: Command) -> Command:
    """True where it is measured how little of its noise a mechanism needs."""
    return click.option(
        "--slack",
        is_flag=True,
        help="Decide privacy claims also with more and with less noise.",
    )(command)


def search_option(command: Command) -> Command:
    """Inputs that are tried where not all can be."""
    said = "Try utility claims on the same inputs each time, or on many new ones."
    return word_option("profile", "search", get_args(Search), said)(command)


def depth_option(command: Command) -> Command:
    """Claims that are decided of those that take long."""
    said = "Decide quick claims only, those of reports as well, or all."
    return word_option("depth", "depth", DEPTHS, said)(command)


def jobs_option(command: Command) -> Command:
    """The option for the number of processes that decide claims, and find laws of one that takes long."""
    return click.option(
        "--jobs",
        callback=whole_option(1),
        default=None,
        metavar="N",
        help="Use N processes (default: one for each processor).",
    )(command)


def scheduler_option(command: Command) -> Command:
    """Cluster that decides claims."""
    return click.option(
        "--scheduler",
        default=None,
        metavar="ADDRESS",
        help="Decide claims on the Dask cluster at ADDRESS, such as tcp://host:8786.",
    )(command)


def limited(claims: Sequence[AnyClaim], limits: tuple[str, ...]) -> Sequence[AnyClaim]:
    """The claims, with what `--limit` gives in place of their own limits. Raises `InputError` for a bad one."""
    given = each_once(map(_limit, limits), "--limit")
    return [with_limits(claim, replace(claim.limits or Limits(), **given)) for claim in claims] if given else claims


def each_once(pairs: Iterable[tuple[str, Any]], option: str) -> dict[str, Any]:
    """The pairs of an option as a mapping. Raises `InputError` where a name was given twice."""
    results: dict[str, Any] = {}
    for name, value in pairs:
        if name in results:
            raise InputError(bad_input.TWICE, "the command", f"{option} {name}", "give it once")
        results[name] = value
    return results


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in LIMITS or not number:
        raise InputError(
            bad_input.FORM,
            f"--limit {text}{'' if name in LIMITS else advice_in_brackets(did_you_mean(name, LIMITS))}",
            f"NAME=N, with NAME one of {', '.join(LIMITS)}",
        )
    try:
        return name, int(number)
    except ValueError:
        raise InputError(bad_input.NOT_WHOLE, f"--limit {text}: {number}", "") from None


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
