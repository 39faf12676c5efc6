"""Laws that several processes find: what comes of it is what one process finds, whatever becomes of the others."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import Draw, bernoulli, clamp, discrete_laplace, exponential, laplace, uniform
from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.laws.enumerator import Enumeration
from dpverify.mechanisms.laws.limits import Limits
from dpverify.verifiers import Multisets, Tuples, Verdict, check_privacy
from dpverify.verifiers.privacy import sharing, tabulation
from dpverify.verifiers.privacy.domains import Domain
from dpverify.verifiers.privacy.repetition import Subject, sample
from dpverify.verifiers.privacy.sharing import Answers, Block, ForkedHelpers, Helpers, found_of, helped_by
from dpverify.verifiers.processes.workers import IdleProcesses

ROWS = Multisets(range(3), size=4)
WORDS = Tuples((0, 1), size=4)
SHORT = Tuples((0, 1), size=3)

Mechanism = Callable[..., Any]


def most_common(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return draw(exponential({x: rows.count(x) for x in range(3)}, epsilon))


def noisy(draw: Draw, count: int, *, epsilon: Any) -> Any:
    return clamp(count + draw(discrete_laplace(1 / epsilon)), 0, 1)


def coin(draw: Draw, p: Any) -> Any:
    return draw(bernoulli(p))


def composed(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """Parts with parts, of which many databases have the same."""
    first = draw(most_common, tuple(sorted(rows))[:2], epsilon=epsilon / 2)
    return first, draw(noisy, min(rows), epsilon=epsilon / 2), draw(coin, "1/3") or draw(coin, "1/5")


def kept_part(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    """A part that is made anew for each database, and has one key."""
    least = min(rows)

    def part(draw: Draw) -> Any:
        return least, draw(bernoulli("1/4")), draw(bernoulli("1/4"))

    return draw(part)


def whole_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return "count", rows.count(0) + draw(discrete_laplace(1 / epsilon))


def compared_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    first, second = (count + draw(discrete_laplace(2 / epsilon)) for count in (rows[0], 0))
    return max(first, second)


def real_noise(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return rows.count(0) + draw(laplace(1 / epsilon))


def unequal(draw: Draw, rows: Sequence[int], *, epsilon: Any) -> Any:
    return draw(bernoulli("1/2")) if rows[0] else 1


class Own:
    """Equal to itself alone."""


NOBODY = Own()


def of_its_own(draw: Draw, rows: Sequence[int]) -> Any:
    return NOBODY if draw(bernoulli("1/2")) else rows.count(0)


def lookalikes(draw: Draw, rows: Sequence[int]) -> Any:
    return 1 if rows.count(2) > 1 else True


def first_row(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0]


def late_order(draw: Draw, rows: Sequence[int]) -> Any:
    return rows[0] if rows.count(2) == 3 else 0


def late_error(draw: Draw, rows: Sequence[int]) -> Any:
    if rows.count(2) > 1:
        raise RuntimeError(f"no {rows}")
    return 0


def late_chance(draw: Draw, rows: Sequence[int]) -> Any:
    return random.random() < 0.5 if rows.count(2) > 1 else False


GENERATOR = random.Random(1)


def late_generator(draw: Draw, rows: Sequence[int]) -> Any:
    return GENERATOR.random() < 2 if rows.count(2) > 1 else True


def late_paths(draw: Draw, rows: Sequence[int]) -> Any:
    return sum(draw(uniform(range(9))) for _ in range(3 * rows.count(2)))


def late_end(draw: Draw, rows: Sequence[int]) -> Any:
    while rows.count(2) > 2:
        pass
    return 0


class InThisProcess:
    """Helpers that are none: blocks are found here, the last first."""

    processes = most = 3

    def found(self, subject: Subject, domain: Domain, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
        found = [found_of(subject, domain, block) for block in reversed(blocks)]
        yield from reversed(found)


class Nobody(InThisProcess):
    """Helpers that lose every other block."""

    def found(self, subject: Subject, domain: Domain, blocks: Sequence[Block], enumeration: Enumeration) -> Answers:
        for i, block in enumerate(blocks):
            yield found_of(subject, domain, block) if i % 2 else None


def forked() -> Helpers:
    idle = IdleProcesses()
    idle.share = 3
    return ForkedHelpers(idle, 3)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are shared out after two databases, in blocks of few."""
    monkeypatch.setattr(sharing, "_is_worth_it", lambda helpers, begun, count, done: done >= 2)
    monkeypatch.setattr(sharing, "_cut", lambda positions, *_: _of_three(positions))


def _of_three(positions: range) -> list[range]:
    return [positions[i : i + 3] for i in range(0, len(positions), 3)]


def said(mechanism: Mechanism, domain: Domain, helpers: Helpers | None, **given: Any) -> Any:
    """All that there is to say of a check: of a verdict, or of why there is none."""
    with helped_by(helpers) if helpers else nullcontext():
        try:
            verdict = check_privacy(mechanism, domain, **{"epsilon": 1, **given})
        except InputError as error:
            return type(error), str(error)
    return _in_full(verdict)


def _in_full(verdict: Verdict) -> Any:
    found = (verdict.epsilon, verdict.delta)
    numbers = [number and number.quantity for number in found]
    return str(verdict), verdict.scope, verdict.reason, verdict.pairs, numbers, verdict.worst, verdict.has_scaled


MECHANISMS: Sequence[tuple[Mechanism, Domain]] = [
    (most_common, ROWS),
    (composed, ROWS),
    (kept_part, ROWS),
    (whole_noise, WORDS),
    (compared_noise, SHORT),
    (real_noise, WORDS),
    (unequal, WORDS),
    (of_its_own, ROWS),
    (lookalikes, ROWS),
    (first_row, ROWS),
    (late_order, ROWS),
    (late_error, ROWS),
    (late_chance, ROWS),
    (late_generator, ROWS),
    (late_paths, ROWS),
]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("helpers", [InThisProcess, Nobody, forked])
@pytest.mark.parametrize(("mechanism", "domain"), MECHANISMS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_said_is_what_one_process_says(mechanism: Mechanism, domain: Domain, helpers: Any) -> None:
    limits = Limits(paths=500)
    assert said(mechanism, domain, helpers(), limits=limits) == said(mechanism, domain, None, limits=limits)


@pytest.mark.usefixtures("soon")
def test_a_database_that_takes_too_long_is_named() -> None:
    limits = Limits(seconds=1)
    _, text = said(late_end, ROWS, forked(), limits=limits, recheck=False)
    assert "late_end on (0, 2, 2, 2) was not known after 1 s" in text
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("helpers", [InThisProcess, Nobody, forked])
@pytest.mark.parametrize("mechanism", [most_common, composed, kept_part])
def test_paths_are_counted_as_by_one_process(
    mechanism: Mechanism, helpers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On them depends of how many databases the laws are computed a second time, and how much is spent on it."""
    counted: list[int] = []

    def noted(databases: int, paths: int) -> list[int]:
        counted.append(paths)
        return sample(databases, paths)

    monkeypatch.setattr(tabulation, "sample", noted)
    said(mechanism, ROWS, None)
    said(mechanism, ROWS, helpers())
    alone, helped = counted
    assert alone == helped > 15


def dies_once(folder: Path, draw: Draw, rows: Sequence[int]) -> Any:
    """Killed from outside, as it were, when a helper first comes to some databases."""
    marker = folder / "".join(map(str, rows))
    if os.getppid() == int((folder / "caller").read_text()) and rows.count(2) == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(exponential({x: rows.count(x) for x in range(3)}, 1))


@pytest.mark.usefixtures("soon")
def test_a_helper_that_is_killed_costs_its_block_alone(tmp_path: Path) -> None:
    (tmp_path / "caller").write_text("0")
    alone = said(partial(dies_once, tmp_path), ROWS, None, recheck=False)
    (tmp_path / "caller").write_text(str(os.getpid()))
    assert said(partial(dies_once, tmp_path), ROWS, forked(), recheck=False) == alone
    assert len(list(tmp_path.glob("*2*"))) >= 2


def test_what_is_short_is_not_shared_out() -> None:
    class Refusing(InThisProcess):
        def found(self, *_: Any) -> Answers:
            raise AssertionError("nobody is to be asked")
            yield

    assert said(most_common, ROWS, Refusing()) == said(most_common, ROWS, None)


@pytest.mark.parametrize(("each", "processes"), [(0.001, 2), (0.001, 16), (0.3, 2), (3.0, 4), (100.0, 4), (0.0, 2)])
def test_blocks_hold_every_position_once(each: float, processes: int) -> None:
    positions = range(7, 10_007) if each < 1 else range(7, 107)
    blocks = sharing._cut(positions, each, processes)
    assert [i for block in blocks for i in block] == list(positions)
    if each:
        assert all(len(block) * each <= 60 or len(block) == 1 for block in blocks)
        assert all(len(block) * each >= 0.7 or block is blocks[-1] for block in blocks)
