"""Claims that a Dask cluster decides: each is sent by where it stands, and is loaded and decided there.

What its workers run is compared before anything is sent: versions, and the files of claims with all that they import,
which lie in the same folders there. Each is a part of one work, as blocks are that an executor does (`work_elsewhere`).
Whatever becomes of a worker costs what it was at, which the scheduler gives to another one.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import one_line
from dpverify.reports.audits.json_form import result_to_json
from dpverify.verifiers.auditing.attempts import attempted
from dpverify.verifiers.auditing.cache.cache_keys import files_of_the_library
from dpverify.verifiers.auditing.cache.verdict_cache import ELSEWHERE, WorkerResult
from dpverify.verifiers.auditing.claim_files import load_claims, load_file, load_object
from dpverify.verifiers.auditing.digests.question import decided_with_question
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim, How, with_limits
from dpverify.verifiers.divergence.parallel.own_code import hash_of, own_modules, pickled, unpickled
from dpverify.verifiers.divergence.parallel.work_elsewhere import answer_of, messages, packed_work, worked
from dpverify.verifiers.problems.preparation import another_interpreter
from dpverify.verifiers.processes.deadline import cpu_seconds
from dpverify.verifiers.processes.versions import differences, versions
from dpverify.verifiers.processes.workers import INTERRUPTED, Lost, OnTasks, interruptions, time_was_up
from dpverify.verifiers.processes.workplace import HERE, Workplace

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECTING: Final = 10
"""Seconds within which a scheduler answers."""

_LOOK: Final = 0.2
"""Seconds between two looks at what the cluster has found."""


class _SentClaim(NamedTuple):
    """A claim, on its way to those who have its file."""

    place: str | None
    """As a reference has it: the file of the claim, empty for the catalogue; None for a function."""
    name: str
    module: str | None
    """Name of its file here."""
    content: bytes
    """The limits of the claim, pickled; of a function that is checked the claim itself, with its mechanism by name."""


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


def claims_sent(claims: Sequence[AnyClaim], how: How) -> tuple[bytes, list[bytes]]:
    """The part that all share, and each on its way. Raises `InputError`, naming it, for one that cannot be sent."""
    places = {claim.reference.place for claim in claims if claim.reference is not None and claim.reference.place}
    modules = [name for name, one in list(sys.modules.items()) if getattr(one, "__file__", None) in places]
    loaded = [*own_modules(modules).values(), *files_of_the_library()]
    files = {file: hash_of(file) for file in sorted(places.union(loaded))}
    of_catalogue = any(claim.reference is not None and claim.reference.place == "" for claim in claims)
    work = _ClaimsElsewhere(str(Path.cwd()), tuple(sys.path), tuple(sys.argv), how, files, of_catalogue)
    packet = packed_work(pickle.dumps(work))
    return packet, messages(packet, [pickle.dumps(_sent(claim)) for claim in claims])


def _sent(claim: AnyClaim) -> _SentClaim:
    if claim.reference is None:
        raise InputError(
            bad_input.NOT_SENT, claim.id, "", "assign it, alone or in a list or dict, at the top of a file of claims"
        )
    place, name = claim.reference
    module = next((key for key, one in list(sys.modules.items()) if getattr(one, "__file__", None) == place), None)
    try:
        objects = {} if place is not None else {"mechanism": getattr(claim, "mechanism")}  # noqa: B009  # `check` makes claims of privacy
        content = pickled(claim, objects) if place is None else pickle.dumps(claim.limits)
    except Exception as error:  # pickle refuses in many ways
        raise InputError(
            bad_input.NOT_SENT, claim.id, f" ({one_line(str(error))})", "define what it needs in a module"
        ) from None
    return _SentClaim(place, name, module if place else None, content)


class ClusterRun:
    """Claims that a cluster decides: iterate over `outcomes`, and see then whether it was interrupted."""

    def __init__(
        self,
        client: Client,
        claims: tuple[bytes, Sequence[bytes]],
        order: Sequence[int],
        timeout: float | None,
        on_wait: OnTasks,
    ) -> None:
        """`claims` are as `claims_sent` has them."""
        self._client = client
        self._packet, self._claims = claims
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
                    futures[i] = self._client.submit(worked, self._claims[i], self._packet, pure=False, priority=-rank)
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
    answer = answer_of(future)
    reason = answer.refused or answer.lost
    return Lost(reason) if reason or answer.found is None else answer.found


# --- In a worker of a cluster


@dataclass(frozen=True)
class _ClaimsElsewhere:
    """Claims as work: each is a part, done in a process of its own, where what is people's own is loaded."""

    folder: str
    path: Sequence[str]
    arguments: Sequence[str]
    how: How
    files: Mapping[str, str]
    """People's own files that are loaded where it comes from, with the hashes of what is in them."""
    of_catalogue: bool

    def prepare(self) -> None:
        """Load and start what all claims take."""
        if self.of_catalogue:
            catalogue()
        if self.how.recheck:
            another_interpreter.start()

    def done(self, part: _SentClaim) -> bytes:
        """The finding on a claim, or why nothing."""
        try:
            claim = self._claim(part)
        except InputError as error:
            return msgspec.msgpack.encode((None, str(error)))
        return attempted(claim, partial(_decided_as, self.how), HERE)

    def _claim(self, sent: _SentClaim) -> AnyClaim:
        """The claim that is sent. Raises `InputError` where its files are not those of whoever sends it."""
        others = [file for file, digest in self.files.items() if hash_of(file) != digest]
        if others or not Path(self.folder).is_dir():
            raise InputError(
                bad_input.CLUSTER,
                platform.node(),
                f"it has not the same {', '.join(others) or self.folder}",
                "have the files of claims, and what they import, in the same folders on all machines",
            )
        os.chdir(self.folder)
        sys.path[:] = self.path
        sys.argv[:] = self.arguments  # a file of claims may read them
        if sent.place is None:
            claim: AnyClaim = unpickled(sent.content, {"mechanism": load_object(sent.name)})
            return claim
        if sent.place and sent.module is not None:
            load_file(Path(sent.place), sent.module)
        result = load_claims(Path(sent.place)) if sent.place else catalogue()
        claim = next(one for one in result if one.id == sent.name)
        limits = pickle.loads(sent.content)
        return claim if limits == claim.limits else with_limits(claim, limits)


def _decided_as(how: How, claim: AnyClaim, where: Workplace) -> bytes:
    before = cpu_seconds()
    result = result_to_json(decided_with_question(claim, replace(how, where=where))).encode()
    return msgspec.msgpack.encode(WorkerResult(result, ELSEWHERE, cpu_seconds() - before))
