"""Checks that the processes of an executor help with: the same verdict, and one error before anything is computed."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.verifiers.divergence.parallel.sharing_cases import in_full, is_decided, said, said_alone, soon
from tests.verifiers.problems.questions.sharing_mechanisms import MECHANISMS, REFUSED, ROWS, most_common, no_end_once

from dpverify.mechanisms import Draw, InputError, Limits, bernoulli
from dpverify.verifiers import check_privacy
from dpverify.verifiers.divergence.parallel import executors, own_code, work_elsewhere
from dpverify.verifiers.divergence.parallel.executors import ExecutorHelpers
from dpverify.verifiers.divergence.parallel.work_elsewhere import AnswerElsewhere
from dpverify.verifiers.problems.questions import outside
from dpverify.verifiers.processes import versions
from dpverify.verifiers.processes.interpreters import done_in_a_fork

__all__ = ["soon"]


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as made:
        yield made


def helped(pool: Executor, mechanism: Any, domain: Any, **given: Any) -> Any:
    return said(mechanism, domain, ExecutorHelpers(pool, mechanism, {}), **given)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(("mechanism", "domain"), MECHANISMS[::5], ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_said_is_what_one_process_says(pool: Executor, mechanism: Any, domain: Any) -> None:
    limits = Limits(paths=500)
    alone = said(mechanism, domain, None, limits=limits)
    assert is_decided(alone) is (mechanism.__name__ not in REFUSED)
    assert helped(pool, mechanism, domain, limits=limits) == alone


@pytest.mark.usefixtures("soon")
def test_an_executor_is_an_argument_of_a_check(pool: Executor) -> None:
    assert in_full(check_privacy(most_common, ROWS, epsilon=1, executor=pool)) == said_alone(most_common, ROWS)


class Killing(Executor):
    """A pool of which a process is killed when so many blocks have been given out."""

    def __init__(self, pool: ProcessPoolExecutor, after: int) -> None:
        self.pool, self.after, self.given = pool, after, 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        if self.given == self.after:
            os.kill(next(iter(self.pool._processes)), signal.SIGKILL)
        return self.pool.submit(function, *args, **kwargs)


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("after", [2, 4])
def test_a_pool_that_loses_a_process_loses_nothing_else(after: int) -> None:
    with ProcessPoolExecutor(2) as pool:
        killing = Killing(pool, after)
        found = helped(killing, most_common, ROWS)
    assert killing.given >= after
    assert found == said_alone(most_common, ROWS)


class Forgetting(Executor):
    """A pool whose processes can compute nothing any more once so many blocks have been given out."""

    def __init__(self, pool: Executor, after: int) -> None:
        self.pool, self.after, self.given = pool, after, 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        if self.given < self.after:
            return self.pool.submit(function, *args, **kwargs)
        refusing: Future[Any] = Future()
        refusing.set_result(msgspec.msgpack.encode(AnswerElsewhere(refused="the mechanism is gone")))
        return refusing


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_process_that_can_compute_nothing_is_no_reason_to_compute_it_here(pool: Executor, after: int) -> None:
    forgetting = Forgetting(pool, after)
    with pytest.raises(InputError, match=r"^executor: the mechanism is gone$"):
        check_privacy(most_common, ROWS, epsilon=1, executor=forgetting)
    assert forgetting.given >= after


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_process_of_a_pool_ends_when_it_is_told_to(times: int) -> None:
    """While it waits for a process of its own, so often, or else afterwards; pools ask twice from Python 3.12 on."""
    with ProcessPoolExecutor(1) as pool:
        told = pool.submit(told_to_end, times)
        if not times:
            assert told.result() == "not told"
            next(iter(pool._processes.values())).terminate()
        with pytest.raises(BrokenExecutor):
            told = told if times else pool.submit(told_to_end, 0)
            assert told.result() == "it ends"


def waits_for_ever() -> bytes:
    signal.pause()
    return b""


def told_to_end(times: int) -> str:
    """What this process goes on with, told to end so many times while it waits for one that it has forked."""

    def told() -> None:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGTERM)

    try:
        done_in_a_fork(waits_for_ever if times else bytes, told)
    except BaseException as error:  # which a pool takes for the result
        return f"told, and went on with {error!r}"
    return "told, and went on" if times else "not told"


def over_a_generator() -> Any:
    coins = iter(range(3))

    def mechanism(draw: Draw, rows: Any) -> Any:
        return next(coins)

    return mechanism


@pytest.mark.parametrize("made", [lambda: lambda draw, rows: 0, over_a_generator])
def test_a_mechanism_that_cannot_be_sent_is_named(pool: Executor, made: Any) -> None:
    with pytest.raises(InputError, match=r"executor: .*(lambda|mechanism).* cannot be sent .*: define it at the top"):
        check_privacy(made(), ROWS, epsilon=1, executor=pool)


class Here:
    """A database that no pickle takes."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        raise TypeError("it stays here")


def number_of(draw: Draw, database: Here) -> Any:
    return draw(bernoulli("1/2")) + database.number // 8


@pytest.mark.usefixtures("soon")
def test_databases_that_cannot_be_sent_are_looked_at_here(pool: Executor) -> None:
    databases = [Here(number) for number in range(8)]
    given: dict[str, Any] = {"neighbours": lambda _: databases, "epsilon": 0, "recheck": False}
    assert helped(pool, number_of, databases, **given) == said(number_of, databases, None, **given)


def test_a_parameter_that_cannot_be_sent(pool: Executor) -> None:
    with pytest.raises(InputError, match=r"executor: .*with_quality, or one of its parameters, cannot be sent"):
        check_privacy(with_quality, ROWS, epsilon=1, parameters={"quality": lambda x: x}, executor=pool)


def with_quality(draw: Draw, rows: Any, *, quality: Any) -> Any:
    return draw(bernoulli("1/2"))


@pytest.mark.parametrize("executor", [3, "tcp://localhost:8786", print])
def test_what_is_no_executor(executor: Any) -> None:
    with pytest.raises(InputError, match="is not an executor"):
        check_privacy(most_common, ROWS, epsilon=1, executor=executor)


def test_an_executor_that_is_shut_down() -> None:
    with ProcessPoolExecutor(1) as pool:
        pass
    with pytest.raises(InputError, match="executor: it takes no work: cannot schedule new futures after shutdown"):
        check_privacy(most_common, ROWS, epsilon=1, executor=pool)


class Silent(Executor):
    """Takes work, and has nobody to do it."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()


def test_an_executor_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", 0.01)
    with pytest.raises(InputError, match=r"executor: nobody answers within 0\.01 s"):
        check_privacy(most_common, ROWS, epsilon=1, executor=Silent())


def test_a_pool_that_is_broken_from_the_start() -> None:
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os.getpid).result()
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        with pytest.raises(InputError, match="executor: its processes were ended: "):
            check_privacy(most_common, ROWS, epsilon=1, executor=pool)


def test_other_versions_are_named(pool: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        work_elsewhere, "versions", lambda: {**versions.versions(), "numpy": "1.0", "Python": "CPython 2.7"}
    )
    with pytest.raises(InputError, match=r"executor: .* runs Python .* and numpy .*: install the same on all machines"):
        check_privacy(most_common, ROWS, epsilon=1, executor=pool)


MECHANISM = "def constant(draw, rows):\n    return {}\n"


def test_another_file_of_the_mechanism_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was started before the file was changed runs what was there."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "of_the_users_own.py").write_text(MECHANISM.format(0))
    import of_the_users_own  # type: ignore[import-not-found]  # made just now

    try:
        with ProcessPoolExecutor(1) as pool:
            check_privacy(of_the_users_own.constant, ROWS, epsilon=1, executor=pool)
            monkeypatch.setattr(own_code, "_hashes", lambda files: {"of_the_users_own": "another"})
            with pytest.raises(InputError, match=r"the file of of_the_users_own on .* is not the one here: copy it"):
                check_privacy(of_the_users_own.constant, ROWS, epsilon=1, executor=pool)
    finally:
        del sys.modules["of_the_users_own"]


def test_a_package_that_is_installed_is_compared_where_something_of_it_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "installed_here.py").write_text(MECHANISM.format(0))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(own_code, "_installed", lambda: (str(tmp_path),))
    import installed_here  # type: ignore[import-not-found]  # made just now

    try:
        assert own_code.own_modules(["installed_here", "numpy", "json"]) == {"installed_here": installed_here.__file__}
        assert own_code.own_modules(["numpy", "json", "dpverify.mechanisms"]) == {}
    finally:
        del sys.modules["installed_here"]


def test_a_global_that_is_another_one_here_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be what its file says where output distributions are computed, which may be another mechanism."""
    (tmp_path / "with_a_global.py").write_text("FACTOR = (1, 'a')\n" + MECHANISM.format("FACTOR"))
    monkeypatch.syspath_prepend(str(tmp_path))
    import with_a_global  # type: ignore[import-not-found]  # made just now

    try:
        with ProcessPoolExecutor(1) as pool:  # forked now, with the global as it is
            check_privacy(with_a_global.constant, ROWS, epsilon=1, executor=pool)
            with_a_global.FACTOR = (2, "a")
            with pytest.raises(InputError, match="a global of with_a_global has another value here"):
                check_privacy(with_a_global.constant, ROWS, epsilon=1, executor=pool)
    finally:
        del sys.modules["with_a_global"]


def test_a_module_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_here.py").write_text(MECHANISM.format(0))
    with ThreadPoolExecutor(1) as pool:  # whose interpreters look where this one did when they were started
        check_privacy(most_common, ROWS, epsilon=1, executor=pool)
        monkeypatch.syspath_prepend(str(tmp_path))
        import only_here  # type: ignore[import-not-found]  # made just now

        try:
            with pytest.raises(InputError, match=r"cannot load the mechanism \(ModuleNotFoundError: .*only_here"):
                check_privacy(only_here.constant, ROWS, epsilon=1, executor=pool)
        finally:
            del sys.modules["only_here"]


@pytest.mark.usefixtures("soon", "hurried")
def test_threads_have_interpreters() -> None:
    """Blocks are found in the main threads of others, where a mechanism that does not return is stopped."""
    with ThreadPoolExecutor(2) as pool:
        assert helped(pool, most_common, ROWS) == said_alone(most_common, ROWS)
        text, *_ = helped(pool, no_end_once, ROWS, limits=Limits(seconds=1), recheck=False)
    assert text.startswith("UNDECIDED no_end_once")
    assert "no_end_once on (0, 2, 2, 2) was not known after 1 s of a processor" in " ".join(text.split())


def ends_its_process(draw: Draw, rows: Sequence[int]) -> Any:
    if rows.count(2) == 4 and os.getpid() != DRIVER:
        os._exit(3)
    return 0


DRIVER = os.getpid()


@pytest.mark.usefixtures("soon")
def test_a_mechanism_that_ends_its_process_costs_its_block(  # its code is outside, and decided as if it were not
    monkeypatch: pytest.MonkeyPatch, pool: Executor
) -> None:
    monkeypatch.setattr(outside, "outside_of", lambda *_: ())
    _, text = helped(pool, ends_its_process, ROWS, recheck=False)
    assert "was lost: the process that decided it ended with status 3" in text
    assert helped(pool, most_common, ROWS) == said_alone(most_common, ROWS)
