"""Claims that a Dask cluster decides: each is sent by where it stands, and is loaded and decided there.

What its workers run is compared before anything is sent: versions, and the files of claims with all that they import,
which lie in the same folders there. A claim that takes long has its blocks given out to other workers (`executors`).
Whatever becomes of a worker costs what it was at, which the scheduler gives to another one.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.audits.json_form import result_to_json
from dpverify.verifiers.auditing.attempts import attempted
from dpverify.verifiers.auditing.cache.cache_keys import files_of_the_library
from dpverify.verifiers.auditing.cache.durations import cpu_seconds
from dpverify.verifiers.auditing.cache.verdict_cache import ELSEWHERE, WorkerResult
from dpverify.verifiers.auditing.claim_files import load_claims, load_file, load_object
from dpverify.verifiers.auditing.digests.question import decided_with_question
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim, How, with_limits
from dpverify.verifiers.divergence.parallel.executors import AskingHelpers
from dpverify.verifiers.divergence.parallel.own_code import hash_of, own_modules, pickled, unpickled
from dpverify.verifiers.divergence.parallel.work_elsewhere import AnswerElsewhere, worked
from dpverify.verifiers.problems.preparation import another_interpreter
from dpverify.verifiers.processes.interpreters import AskOthers, Prepared, done_in_a_process
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import INTERRUPTED, Lost, OnTasks, interruptions, time_was_up
from dpverify.verifiers.processes.workplace import Workplace

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECTING: Final = 10
"""Seconds within which a scheduler answers."""

_LOOK: Final = 0.2
"""Seconds between two looks at what the cluster has found."""


class _Sent(msgspec.Struct, frozen=True):
    """All that it takes to decide a claim elsewhere."""

    folder: str
    path: list[str]
    arguments: list[str]
    place: str | None
    """As a reference has it: the file of the claim, empty for the catalogue; None for a function."""
    name: str
    module: str | None
    """Name of its file here."""
    claim: bytes
    """The limits of the claim, pickled; of a function that is checked the claim itself, with its mechanism by name."""
    how: bytes
    versions: Mapping[str, str]
    files: Mapping[str, str]
    """People's own files that are loaded here, with the hashes of what is in them."""


_SENT: Final = msgspec.msgpack.Decoder(_Sent)
_ANSWERS: Final = msgspec.msgpack.Decoder(AnswerElsewhere)


# --- Whoever sends


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A cluster whose workers run what runs here.

    Raises `InputError`, saying what to do, where nothing answers at the address, where there are no workers, and where
    one of them has not dpverify, or another version.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise InputError(bad_input.MISSING_PACKAGE, "--scheduler", "distributed", "'dpverify[distributed]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is said once, here
    with ExitStack() as open_while:
        try:
            client = open_while.enter_context(Client(address, timeout=_CONNECTING, set_as_default=False))
        except (OSError, TimeoutError, ValueError, TypeError, ImportError) as error:
            raise InputError(
                bad_input.CLUSTER,
                f"--scheduler {address}",
                f"no scheduler answers there ({one_line(str(error)) or type(error).__name__})",
                "start one with `dask scheduler`, and workers with `dask worker ADDRESS`, where the address is tcp://HOST:PORT",
            ) from None
        _refuse_workers(client, address)
        yield client


def _refuse_workers(client: Client, address: str) -> None:
    """Raises `InputError` where there are no workers, or where one runs something else."""
    result: Mapping[str, Any] = client.run(versions, on_error="return")
    if not result:
        raise InputError(
            bad_input.CLUSTER, f"--scheduler {address}", "it has no workers", f"start some with `dask worker {address}`"
        )
    wrong = [f"{worker}: {reason}" for worker, told in sorted(result.items()) if (reason := _reason(told))]
    if wrong:
        raise InputError(
            bad_input.CLUSTER,
            f"--scheduler {address}",
            f"workers would not compute the same: {'; '.join(wrong)}",
            "install the same dpverify, Python and packages on all of them, and start them again",
        )


def _reason(told: object) -> str:
    if isinstance(told, Mapping):
        return " and ".join(differences(told))
    return f"it cannot load dpverify ({type(told).__name__}: {one_line(str(told))})"


def claims_sent(claims: Sequence[AnyClaim], how: How) -> list[bytes]:
    """The claims on their way. Raises `InputError`, naming it, for one that cannot be sent."""
    places = {claim.reference.place for claim in claims if claim.reference is not None and claim.reference.place}
    modules = [name for name, one in list(sys.modules.items()) if getattr(one, "__file__", None) in places]
    loaded = [*own_modules(modules).values(), *files_of_the_library()]
    files = {file: hash_of(file) for file in sorted(places.union(loaded))}
    return [msgspec.msgpack.encode(_sent(claim, how, files)) for claim in claims]


def _sent(claim: AnyClaim, how: How, files: Mapping[str, str]) -> _Sent:
    if claim.reference is None:
        raise InputError(
            bad_input.NOT_SENT, claim.id, "", "assign it, alone or in a list or dict, at the top of a file of claims"
        )
    place, name = claim.reference
    module = next((key for key, one in list(sys.modules.items()) if getattr(one, "__file__", None) == place), None)
    try:
        content = pickled(claim, objects_in(claim)) if place is None else pickle.dumps(claim.limits)
    except Exception as error:  # pickle refuses in many ways
        raise InputError(
            bad_input.NOT_SENT, claim.id, f" ({one_line(str(error))})", "define what it needs in a module"
        ) from None
    return _Sent(
        str(Path.cwd()),
        list(sys.path),
        list(sys.argv),
        place,
        name,
        module if place else None,
        content,
        pickle.dumps(how),
        versions(),
        files,
    )


def objects_in(claim: AnyClaim) -> dict[str, object]:
    """Parts of a claim that are not sent, since they are found where the claim stands."""
    names = ("mechanism",) if claim.reference is None or claim.reference.place is None else ("mechanism", "mutant")
    return {name: value for name in names if (value := getattr(claim, name, None)) is not None}


class ClusterRun:
    """Claims that a cluster decides: iterate over `outcomes`, and see then whether it was interrupted."""

    def __init__(
        self, client: Client, claims: Sequence[bytes], order: Sequence[int], timeout: float | None, on_wait: OnTasks
    ) -> None:
        self._client = client
        self._claims = claims
        self._order = order
        self._timeout = timeout
        self._on_wait = on_wait
        self.interrupted = False

    def outcomes(self) -> Iterator[bytes | Lost]:
        """As of a `Run`: what is found of the claims, in their order."""
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        futures: dict[int, Future] = {}
        try:
            with interruptions() as came:
                for rank, i in enumerate(self._order):
                    futures[i] = self._client.submit(decided_there, self._claims[i], pure=False, priority=-rank)
                for i in range(len(self._claims)):
                    while not (futures[i].done() or came() or _is_over(deadline)):
                        self._on_wait({i: None}, sum(future.done() for future in futures.values()))
                        time.sleep(_LOOK)
                    self.interrupted = came() != 0
                    if futures[i].done():
                        yield _outcome(futures[i])
                    else:
                        yield Lost(INTERRUPTED if self.interrupted else time_was_up(self._timeout or 0))
        finally:
            self._client.cancel(list(futures.values()))


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _outcome(future: Future) -> bytes | Lost:
    try:
        answer = _ANSWERS.decode(future.result())
    except Exception as error:  # a cluster says in many ways that its workers were lost
        return Lost(f"the workers that decided it were lost: {type(error).__name__}: {one_line(str(error))}")
    reason = answer.refused or answer.lost
    return Lost(reason) if reason or answer.found is None else answer.found


# --- In a worker of a cluster


def decided_there(message: bytes) -> bytes:
    """The answer of a worker that is sent a claim, in a thread: another interpreter decides it."""
    content = _SENT.decode(message)
    others = differences(content.versions)
    if others:
        refused = f"{platform.node()} runs {' and '.join(others)}: install the same on all machines"
        return msgspec.msgpack.encode(AnswerElsewhere(refused=refused))
    outcome = done_in_a_process(f"{__name__}:{claim_in_a_process.__name__}", message, _answered_elsewhere)
    return msgspec.msgpack.encode(
        AnswerElsewhere(lost=outcome.reason) if isinstance(outcome, Lost) else AnswerElsewhere(found=outcome)
    )


def _answered_elsewhere(messages: Sequence[bytes], common: bytes) -> Generator[bytes, None, None]:
    """The answers of other workers; this one may be given something else to do meanwhile."""
    from distributed import worker_client

    with worker_client() as client:
        held = client.scatter(common, hash=False)  # which each worker that needs it is given once, by one that has it
        futures = client.map(worked, messages, packet=held, pure=False, priority=1)
        for future in futures:
            try:
                yield future.result()
            except Exception as error:  # as of a claim
                yield msgspec.msgpack.encode(AnswerElsewhere(lost=one_line(f"{type(error).__name__}: {error}")))


def claim_in_a_process(message: bytes) -> Prepared:
    """A claim that is ready to be decided, in a process of its own, where what is people's own is loaded."""
    content = _SENT.decode(message)
    how: How = pickle.loads(content.how)
    if content.place == "":
        catalogue()
    if how.recheck:
        another_interpreter.start()
    return lambda ask: _decided(message, content, how, ask)


def _decided(message: bytes, asked: _Sent, how: How, ask: AskOthers) -> bytes:
    try:
        claim = _claim(asked)
    except InputError as error:
        return msgspec.msgpack.encode((None, str(error)))
    helpers = AskingHelpers(ask, (f"{__name__}:{objects_of.__name__}", message), objects_in(claim))
    return attempted(claim, partial(_decided_as, how), Workplace(helpers))


def _decided_as(how: How, claim: AnyClaim, where: Workplace) -> bytes:
    before = cpu_seconds()
    result = result_to_json(decided_with_question(claim, replace(how, where=where))).encode()
    return msgspec.msgpack.encode(WorkerResult(result, ELSEWHERE, cpu_seconds() - before))


def objects_of(message: bytes) -> dict[str, object]:
    """The objects that are found of a claim that is sent, under the names of `objects_in`."""
    return objects_in(_claim(_SENT.decode(message)))


def _claim(asked: _Sent) -> AnyClaim:
    """The claim that is sent. Raises `InputError` where its files are not those of whoever sends it."""
    others = [file for file, digest in asked.files.items() if hash_of(file) != digest]
    if others or not Path(asked.folder).is_dir():
        raise InputError(
            bad_input.CLUSTER,
            platform.node(),
            f"it has not the same {', '.join(others) or asked.folder}",
            "have the files of claims, and what they import, in the same folders on all machines",
        )
    os.chdir(asked.folder)
    sys.path[:] = asked.path
    sys.argv[:] = asked.arguments  # a file of claims may read them
    if asked.place is None:
        claim: AnyClaim = unpickled(asked.claim, {"mechanism": load_object(asked.name)})
        return claim
    if asked.place and asked.module is not None:
        load_file(Path(asked.place), asked.module)
    result = load_claims(Path(asked.place)) if asked.place else catalogue()
    claim = next(one for one in result if one.id == asked.name)
    limits = pickle.loads(asked.claim)
    return claim if limits == claim.limits else with_limits(claim, limits)
