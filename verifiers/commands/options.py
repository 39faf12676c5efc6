"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from dpverify.mechanisms.exported import advice_in_brackets, did_you_mean
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.formats.rendering import FORMATS, Format
from dpverify.reports.record import DEPTHS
from dpverify.reports.writing import check_targets

if TYPE_CHECKING:
    from dpverify.verifiers.claims import AnyClaim

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


limit_option: Final = click.option(
    "--limit", "limits", multiple=True, metavar="NAME=N", help=f"Change a limit: {', '.join(LIMITS)} (repeatable)."
)

timeout_option: Final = click.option(
    "--timeout", callback=seconds, metavar="SECONDS", help="Stop after this time, and report what is decided by then."
)

recheck_option: Final = click.option(
    "--no-recheck",
    "recheck",
    flag_value=False,
    default=True,
    type=bool,
    help="Do not compute output distributions a second time.",
)

strict_option: Final = click.option(
    "--strict",
    is_flag=True,
    help="Fail where a PROVED privacy claim is not recomputed, is loose, has no mutant, or leaves lines unreached.",
)

reach_option: Final = click.option(
    "--reach/--no-reach",
    default=None,
    help="Name the lines that no database runs, and other inputs that are read (default: where that is cheap).",
)

lines_option: Final = click.option("--lines", is_flag=True, help="Record how often each line of a mechanism runs.")

slack_option: Final = click.option(
    "--slack", is_flag=True, help="Decide privacy claims also with more and with less noise."
)

search_option: Final = word_option(
    "profile", "search", ("derandomized", "deep"), "Try utility claims on the same inputs each time, or many new ones."
)

depth_option: Final = word_option(
    "depth", "depth", DEPTHS, "Decide quick claims only, those of reports as well, or all."
)

jobs_option: Final = click.option(
    "--jobs",
    callback=whole_option(1),
    default=None,
    metavar="N",
    help="Use N processes (default: one for each processor).",
)

scheduler_option: Final = click.option(
    "--scheduler",
    default=None,
    metavar="ADDRESS",
    help="Decide claims on the Dask cluster at ADDRESS, such as tcp://host:8786.",
)


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


def limited(claims: Sequence[AnyClaim], limits: tuple[str, ...]) -> Sequence[AnyClaim]:
    """The claims, with what `--limit` gives in place of their own limits. Raises `InputError` for a bad one."""
    from dpverify.verifiers.claims import with_limits

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
