"""What a key is made of besides people's own files: the claim, how it is decided, dpverify, packages, the interpreter."""

from __future__ import annotations

import os
import platform
import py_compile
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms.functions.limits import Limits
from dpverify.verifiers import Claim
from dpverify.verifiers.auditing.cache import cache_keys
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings, distributions
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim, How
from dpverify.verifiers.locations import Reference
from dpverify.verifiers.processes.versions import PACKAGE, package_files

NEVER = 2**80


def constant(draw: object, rows: object) -> int:
    return 0


def copy_at(reference: Reference | None, **changed: Any) -> Claim:
    """A copy of the claim below, which stands elsewhere."""
    found = replace(CLAIM, **changed)
    found.stands_at(reference)
    return found


HERE = Reference("/claims_a.py", "a.b")
CLAIM = Claim(id="a.b", mechanism=constant, domain=[(0,), (1,)], epsilon=1)
CLAIM.stands_at(HERE)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small copy of the package, with an installed distribution beside it."""
    for name in ("mechanisms/a.py", "mechanisms/deep/er/b.py", "verifiers/c.py", "reports/d.py", "reports/page.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "site" / "other-1.0.dist-info").mkdir(parents=True)
    return tmp_path


def here(package: Path, started: int = NEVER) -> Surroundings:
    return Surroundings(started, package, (str(package / "site"),))


@pytest.mark.parametrize("name", ["mechanisms/a.py", "mechanisms/deep/er/b.py", "verifiers/c.py", "reports/d.py"])
def test_a_change_to_any_file_of_dpverify_gives_another_key(package: Path, name: str) -> None:
    before = here(package).digest
    (package / name).write_text("x = 2\n")
    changed = here(package).digest
    (package / name).rename(package / name.replace(".py", "_.py"))
    assert len({before, changed, here(package).digest}) == 3


def test_a_file_more_or_less_of_dpverify_gives_another_key(package: Path) -> None:
    before = here(package).digest
    (package / "mechanisms" / "new.py").touch()
    assert here(package).digest != before
    (package / "mechanisms" / "new.py").unlink()
    assert here(package).digest == before


def test_all_of_dpverify_is_hashed() -> None:
    names = {file.relative_to(PACKAGE).as_posix() for file in package_files(PACKAGE)}
    loaded = [module for name, module in sys.modules.items() if name.startswith("dpverify.")]
    files = {Path(file).resolve() for module in loaded if (file := getattr(module, "__file__", None))}
    assert {file.relative_to(PACKAGE).as_posix() for file in files} <= names
    assert {"mechanisms/__init__.py", "verifiers/command_line.py", "reports/kinds/privacy.py"} <= names
    assert len(files) > 50


@pytest.mark.parametrize("name", ["other-1.1.dist-info", "more-1.0.dist-info", "more.egg-info"])
def test_what_is_installed_is_part_of_the_key(package: Path, name: str) -> None:
    before = here(package).digest
    (package / "site" / name).mkdir()
    assert here(package).digest != before


def test_one_that_is_installed_anew_at_the_same_version_is_another_one(package: Path) -> None:
    before = here(package).digest
    record = package / "site" / "other-1.0.dist-info" / "RECORD"
    record.write_text("other.py,sha256=abc,10\n", encoding="utf-8")
    installed = here(package).digest
    record.write_text("other.py,sha256=abd,10\n", encoding="utf-8")
    assert len({before, installed, here(package).digest}) == 3


def test_distributions_are_all_those_on_the_path(package: Path) -> None:
    assert distributions([str(package / "site"), str(package / "none"), str(package / "site")]) == [
        ("other-1.0.dist-info", "")
    ]
    named = {name.partition("-")[0] for name, record in distributions(sys.path) if record}
    assert {"numpy", "python_flint", "msgspec", "hypothesis"} <= named


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(sys, "version", sys.version + "+"),
        lambda patch: patch.setattr(sys, "platform", "other"),
        lambda patch: patch.setattr(sys, "byteorder", "other"),
        lambda patch: patch.setattr(platform, "machine", lambda: "other"),
        lambda patch: patch.setattr(sys, "get_int_max_str_digits", lambda: 0),
        lambda patch: patch.setattr(cache_keys, "_FORM", "other"),
    ],
    ids=["version", "platform", "byte order", "machine", "digits", "form"],
)
def test_the_interpreter_is_part_of_the_key(
    package: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    before = here(package).digest
    change(monkeypatch)
    assert here(package).digest != before


def test_the_claim_and_how_it_is_decided_are_part_of_the_key(package: Path) -> None:
    claims: list[AnyClaim] = [
        CLAIM,
        copy_at(HERE, id="a.c"),
        copy_at(HERE, limits=Limits(paths=3)),
        copy_at(HERE, limits=Limits(paths=4)),
        copy_at(Reference("", "a.b")),
        copy_at(Reference("/elsewhere/claims_a.py", "a.b")),
        next(claim for claim in catalogue() if claim.kind == "structure"),
    ]
    hows = [How(), How(recheck=False), How(strict=True), How(search="deep"), How(depth="full")]
    found = here(package)
    assert len({found.key(claim, how) for claim in claims for how in hows}) == len(claims) * len(hows)
    assert found.key(CLAIM, How()) == here(package).key(copy_at(HERE), How())


def test_a_class_of_claims_of_its_own_has_no_key(package: Path) -> None:
    """It may decide as it likes."""

    class Other(Claim):
        pass

    other = Other(**{name: getattr(CLAIM, name) for name in ("id", "mechanism", "domain", "epsilon")})
    other.stands_at(HERE)
    with pytest.raises(NoKey, match="a class of claims of its own"):
        here(package).key(other, How())


@pytest.mark.parametrize("reference", [None, Reference(None, "module:constant")])
def test_a_claim_that_stands_nowhere_has_no_key(package: Path, reference: Reference | None) -> None:
    with pytest.raises(NoKey):
        here(package).key(copy_at(reference), How())


def test_a_file_that_changed_after_the_start_has_no_key(package: Path) -> None:
    file = package / "verifiers" / "c.py"
    for found in package_files(package):
        os.utime(found, ns=(10**18, 10**18))  # the time of its content, which can be set to anything
    changed = max(found.stat().st_ctime_ns for found in package_files(package))
    assert here(package, started=changed + 10**10).digest
    with pytest.raises(NoKey, match="has changed since it was loaded"):
        _ = here(package, started=changed).digest
    os.utime(file, ns=(changed + 10**12, changed + 10**12))
    with pytest.raises(NoKey, match=r"c\.py has changed since"):
        _ = here(package, started=changed + 10**10).digest


def test_a_link_that_was_made_after_the_start_has_no_key(package: Path) -> None:
    link = package / "link.py"
    link.symlink_to(PACKAGE / "verifiers" / "claims.py")  # which is older
    assert cache_keys.changed_at(link) >= link.lstat().st_ctime_ns


def test_a_clock_of_whole_seconds_is_not_trusted_with_the_rest(package: Path) -> None:
    file = package / "verifiers" / "c.py"
    second = (file.stat().st_ctime_ns // 10**9 + 10) * 10**9
    os.utime(file, ns=(second, second))
    with pytest.raises(NoKey):
        _ = here(package, started=second + 9 * 10**8).digest
    assert here(package, started=second + 2 * 10**9).digest


def compiled(file: Path, seconds: float) -> Path:
    """The compiled form of a file, written so many seconds after it."""
    written = Path(cache_from_source(str(file)))
    py_compile.compile(str(file))
    when = int(file.stat().st_mtime_ns + seconds * 10**9)
    os.utime(written, ns=(when, when))
    return written


def test_a_compiled_file_counts_where_python_may_take_it_for_that_of_a_later_text(package: Path) -> None:
    file, before = package / "mechanisms" / "a.py", here(package).digest
    kept = compiled(file, 0.5)
    found = here(package).digest
    assert found != before
    kept.write_bytes(kept.read_bytes() + b" ")
    os.utime(kept, ns=(file.stat().st_mtime_ns,) * 2)
    assert here(package).digest not in (found, before)
    compiled(file, 5)
    assert here(package).digest == before, "it was compiled from this text"


def test_a_compiled_file_counts_where_the_time_of_its_source_was_put_back(package: Path) -> None:
    """Python runs the one that is older than the text: when that was written nobody can put back."""
    file = package / "mechanisms" / "a.py"
    os.utime(file, (10**9, 10**9))
    kept = Path(str(py_compile.compile(str(file), doraise=True)))
    os.utime(kept, (10**9 + 5, 10**9 + 5))
    file.write_text("x = 2\n")
    os.utime(file, (10**9, 10**9))
    stale = here(package).digest
    kept.unlink()
    assert here(package).digest != stale


def test_a_compiled_file_that_is_never_checked_counts(package: Path) -> None:
    file, before = package / "mechanisms" / "a.py", here(package).digest
    py_compile.compile(str(file), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    when = file.stat().st_mtime_ns + 10**10
    os.utime(cache_from_source(str(file)), ns=(when, when))
    assert here(package).digest != before
