"""A sampler in a process of its own: what it is asked, and what becomes of one that fails."""

import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dpverify.mechanisms import InputError, log
from dpverify.verifiers import SampledClaim, Status, Tuples, check_sampled
from dpverify.verifiers.auditing.digests.question import question_of
from dpverify.verifiers.blackbox.sampling import json_lines
from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines
from dpverify.verifiers.blackbox.sampling.libraries import DiffPrivLib, OpenDP

ANSWERING = """
import json, random, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "hello" in asked:
        said = {"sampler": "other language", "versions": {"it": "1.2"}}
    else:
        rng = random.Random(asked["seed"])
        p = 0.75 if asked["rows"][0] else 0.25
        said = {"outcomes": [["yes", 1] if rng.random() < p else ["no", 0] for _ in range(asked["size"])]}
    print(json.dumps(said), flush=True)
"""


def lines(code: str, **changed: Any) -> JsonLines:
    return JsonLines((sys.executable, "-c", code), seeded=True, **changed)


def claim(sampler: Any) -> SampledClaim:
    return SampledClaim(id="it", sampler=sampler, epsilon=log(3), domain=Tuples((0, 1), size=1), draws=5_000)


def test_a_process_is_a_sampler_and_its_lists_are_tuples() -> None:
    found = check_sampled(claim(lines(ANSWERING)))
    assert found.verdict is Status.INCONCLUSIVE
    assert (found.mechanism, found.versions) == ("other language", {"it": "1.2"})
    assert found.tests[0].event in ("outcome in {('yes', 1)}", "outcome in {('no', 0)}")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.stdin.readline(); print('no json', flush=True)", "a line that is no JSON object: no json"),
        ("pass", "ended when it was asked for its name|ended when it was asked for 64 draws"),
        (
            'import sys\nfor line in sys.stdin: print(\'{"error": "no such column"}\', flush=True)',
            "says: no such column",
        ),
        ("import sys\nfor line in sys.stdin: print('{}', flush=True)", '"outcomes", which is no list'),
    ],
)
def test_a_process_that_fails_is_told_of(code: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"it: .*({said})"):
        check_sampled(claim(lines(code)))


def test_a_process_that_does_not_answer_or_start_is_told_of() -> None:
    with pytest.raises(InputError, match=r"gave no answer within 0\.2 s"):
        check_sampled(claim(lines("import sys; sys.stdin.read()", patience=0.2)))
    with pytest.raises(
        InputError, match=r"needs what is not installed: /nowhere/python does not start: no such file /nowhere/python"
    ):
        check_sampled(claim(JsonLines(("/nowhere/python",), seeded=True)))


def test_a_library_that_is_not_installed_is_told_of_as_such() -> None:

    with pytest.raises(
        InputError, match=r"it: needs what is not installed: No module named 'no_such_library', for the"
    ):
        check_sampled(claim(lambda rows, rng: import_module("no_such_library").draw(rows)))


def test_counts_that_are_kept_decide_where_the_library_is_not_installed(tmp_path: Path) -> None:
    """The same, and never another question; without counts it is said what is missing."""
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    sampler = JsonLines((str(python), "-c", ANSWERING.replace('asked["seed"]', "")), seeded=False)
    given = {**vars_of(claim(lines(ANSWERING))), "sampler": sampler}
    asked = SampledClaim(**{**given, "counts": str(tmp_path / "counts.json")})
    here = check_sampled(asked)
    python.unlink()
    json_lines.end_processes()
    gone = check_sampled(asked)
    assert (gone.verdict, gone.tests, gone.versions) == (here.verdict, here.tests, {"it": "1.2"})
    assert gone.mechanism == "other language" and gone.counts_file
    assert (
        gone.reason == f"decided by the counts that are kept, as it needs what is not installed: {python} does not "
        f"start: no such file {python}"
    )
    other = SampledClaim(**{**vars_of(asked), "draws": 6_000})
    with pytest.raises(InputError, match=r"not installed.*the counts that are kept answer another question"):
        check_sampled(other)
    with pytest.raises(InputError, match="not installed"):
        check_sampled(SampledClaim(**{**vars_of(asked), "counts": str(tmp_path / "none.json")}))


def test_a_question_tells_a_command_without_where_this_machine_has_it() -> None:
    root = Path(__file__).parents[3]
    sampler = JsonLines((str(root / ".venv-x" / "python"), "/usr/share/that.py", "int"), seeded=False)
    question = question_of(
        SampledClaim(**{**vars_of(claim(lines(ANSWERING))), "sampler": sampler, "counts": "it.json"})
    )
    assert question.further["sampler"] == ".venv-x/python that.py int"


def vars_of(claim: SampledClaim) -> dict[str, Any]:
    return {one.name: getattr(claim, one.name) for one in fields(claim) if one.init}


def test_adapters_import_their_library_when_they_are_used() -> None:
    def make_measurement() -> Any:
        return lambda rows: rows[0]

    def make_mechanism(seed: int) -> Any:
        import random

        rng = random.Random(seed)

        class Mechanism:
            def randomise(self, rows: tuple[int, ...]) -> bool:
                return rng.random() < (0.75 if rows[0] else 0.25)

        return Mechanism()

    assert OpenDP(make_measurement).draw((7,), 2, 0) == [7, 7]
    assert not OpenDP(make_measurement).seeded
    found = check_sampled(claim(DiffPrivLib(make_mechanism)))
    assert found.verdict is Status.INCONCLUSIVE and "diffprivlib" in found.versions
    assert not {"opendp", "diffprivlib"} & set(sys.modules)
