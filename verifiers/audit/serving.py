"""What runs in the other interpreter: it finds what it is asked about, and answers from a process of its own."""

from __future__ import annotations

import importlib
import os
import pickle
import select
import shutil
import signal
import socket
import sys
import sysconfig
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.laws.mechanism import Mechanism
from dpverify.verifiers.audit.claim_files import load_claims, load_file, load_object
from dpverify.verifiers.catalogue import privacy_claims
from dpverify.verifiers.privacy.another_interpreter import LOADED, Question
from dpverify.verifiers.privacy.case import parameters_for, privacy_guarantee
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.privacy.repetition import Subject, answer_and_end


def serve(listener: int, folder: str) -> None:
    """Answer questions that come through a listening socket, in a folder of its own, until the standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides what is interrupted
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that answer
    for module in Claim.modules:  # once, and not in every process that answers
        importlib.import_module(module)
    incoming = socket.socket(fileno=listener)
    while True:
        ready, _, _ = select.select([incoming.fileno(), 0], [], [])
        if 0 in ready:  # whoever started this one is gone
            shutil.rmtree(folder, ignore_errors=True)
            return
        channel, _ = incoming.accept()
        connection = Connection(channel.detach())
        try:
            _answer(connection)
        except Exception:  # whatever is wrong with one question: that it is not answered says so
            continue
        finally:
            connection.close()


def _answer(connection: Connection) -> None:
    question: Question = pickle.loads(connection.recv_bytes())
    known = set(sys.modules)
    try:
        subject = _subject(question)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection.send_bytes(LOADED)
            answer_and_end(connection, lambda: (subject, question.asked, question.budget))
    finally:
        _forget_modules_since(known)


def _forget_modules_since(known: set[str]) -> None:
    """Forget the modules of people's own that were imported: the next question may mean another of that name."""
    installed = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and not name.startswith("dpverify.") and not file.startswith(installed):
            del sys.modules[name]
    importlib.invalidate_caches()


def _subject(question: Question) -> Subject:
    os.chdir(question.folder)
    sys.path[:] = question.path
    sys.argv[:] = question.arguments  # a file of claims may read them
    mechanism, parameters = _found(question)
    return Subject(mechanism, parameters, pickle.loads(question.databases), question.limits)


def _found(question: Question) -> tuple[Mechanism, dict[str, Any]]:
    place, name = question.reference
    if place is None:
        mechanism = load_object(name)
        return mechanism, pickle.loads(question.parameters)
    if question.module is not None and place:
        load_file(Path(place), question.module)
    claims = load_claims(Path(place)) if place else privacy_claims()
    for claim in claims:
        if isinstance(claim, Claim) and claim.id == name:
            given = privacy_guarantee(claim.epsilon, claim.delta)._asdict()
            return claim.mechanism, parameters_for(claim.mechanism, given, claim.parameters)
    raise InputError(f"{place} has no claim {name}")
