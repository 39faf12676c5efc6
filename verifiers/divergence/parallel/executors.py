"""Helpers that an executor of `concurrent.futures` gives work to: a pool of processes, or a cluster of machines.

A mechanism is sent by its name, in a module that the others import: whether they find the same there is asked before
anything is computed. Wherever a part arrives, it is done in a process that is forked for it.
"""

import os
import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, bad_input
from dpverify.mechanisms.numbers.shown import one_line, shown
from dpverify.verifiers.divergence.parallel.own_code import own_in
from dpverify.verifiers.divergence.parallel.sharing import DistributionsOfBlocks, ForkedHelpers
from dpverify.verifiers.divergence.parallel.work_elsewhere import (
    AnswerElsewhere,
    answer_now,
    answers_by,
    packed_work,
)
from dpverify.verifiers.problems.preparation.repetition import can_fork
from dpverify.verifiers.processes.workers import IdleProcesses
from dpverify.verifiers.processes.workplace import Answers, Work

PROCESSES: Final = 64
"""For so many blocks are made: how many processes an executor has, it does not say."""

_PATIENCE: Final = 60.0
"""Seconds within which somebody answers, who may have to start and import first."""


class ExecutorHelpers:
    """The processes of an executor.

    Raises `InputError`, before anything is computed, where they cannot help: the mechanism or its parameters cannot be
    sent, or are not found there, other versions run there, or the executor takes nothing.
    """

    processes = most = PROCESSES

    def __init__(self, executor: Executor, mechanism: Mechanism, parameters: Mapping[str, Any]) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise InputError(
                bad_input.WRONG,
                f"executor={shown(executor)}",
                "an executor",
                "write a concurrent.futures.ProcessPoolExecutor, or Client(…).get_executor() of dask.distributed",
            )
        self._executor = executor
        try:
            answer = answer_now(executor, _of_own(mechanism, (mechanism, dict(parameters))), _PATIENCE)
        except TimeoutError:
            raise InputError(
                bad_input.EXECUTOR, f"nobody answers within {_PATIENCE:g} s", "start workers for it"
            ) from None
        except BrokenExecutor as error:
            raise InputError(
                bad_input.EXECUTOR, f"its processes were ended: {one_line(str(error))}", "start them again"
            ) from None
        if answer.refused or answer.lost:
            raise InputError(f"executor: {answer.refused or answer.lost}")

    def worked(self, work: Work, parts: Sequence[Any]) -> Answers:
        """See `Helpers`. Where a pool breaks, since one of its processes was ended, others are forked here instead.

        Raises `MechanismError` for a block whose process was lost again and again, and `InputError` as `__init__`.
        """
        laws = work if isinstance(work, DistributionsOfBlocks) else None
        content = _of_numbers(work) if laws is None else _of_own(laws.question.mechanism, laws)
        done = 0
        try:
            for result in _result(self._executor, work, parts, content):
                done += 1
                yield result
        except BrokenExecutor:
            if can_fork():
                yield from _forked_helpers().worked(work, parts[done:])
            else:
                yield from (None for _ in parts[done:])


def _of_own(mechanism: Mechanism, content: object) -> bytes:
    """People's own objects, ready to be sent. Raises `InputError`, naming the mechanism, where they cannot be."""
    try:
        written = pickle.dumps(content)
    except Exception as error:  # pickle refuses in many ways
        raise InputError(
            bad_input.NOT_SENT,
            f"executor: {name_of(mechanism)}, or one of its parameters,",
            f" ({one_line(str(error))})",
            "define it at the top of a module, and give it what it needs as parameters that can be pickled",
        ) from None
    return packed_work(written, own_in(written))


def _of_numbers(work: Work) -> bytes | None:
    """Work that holds nothing of people's own, ready to be sent; None where it cannot be."""
    try:
        return packed_work(pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
    except Exception:  # pickle refuses in many ways
        return None


def _result(executor: Executor, work: Work, parts: Sequence[Any], content: bytes | None) -> Answers:
    """The answers of others of the parts; nothing of what cannot be sent."""
    try:
        sent = None if content is None else [pickle.dumps(part) for part in parts]
    except Exception:  # pickle refuses in many ways
        sent = None
    if content is None or sent is None:
        yield from (None for _ in parts)
        return
    with closing(answers_by(executor, content, sent)) as given:
        for part, answer in zip(parts, given, strict=True):
            yield _given_by(answer, work, part)


def _given_by(answer: AnswerElsewhere, work: Work, part: Any) -> bytes | None:
    """The answer on a part; None where it is to be found here. Raises `InputError` where nothing can be, there."""
    if answer.refused:
        raise InputError(f"executor: {answer.refused}")
    if answer.lost and isinstance(work, DistributionsOfBlocks):
        databases = part.databases
        raise MechanismError(
            bad_input.EXECUTOR,
            f"the process for {name_of(work.question.mechanism)} on {shown(databases[0])} was lost: {answer.lost}",
            "give its machine more memory, if it needs more",
        )
    return answer.found


def _forked_helpers() -> ForkedHelpers:
    """Processes that are forked here, in place of a pool that is broken."""
    idle = IdleProcesses()
    idle.share = max(2, os.cpu_count() or 1)
    return ForkedHelpers(idle, idle.share)
