"""Claims by samples through the command line: a record, a page and a gate that hold how much would have been seen."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dpverify.verifiers import Claim, SampledClaim, Tuples
from dpverify.verifiers.auditing.cache.cache_keys import Surroundings
from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.claims import AS_USUAL
from dpverify.verifiers.command_line import main

CLAIMS = """
from dpverify.mechanisms import discrete_laplace, log
from dpverify.verifiers import Claim, SampledClaim, Status, Tuples

def told(rows, rng, size):
    return (rng.random(size) < (0.75 if rows[0] else 0.25)).astype(int)

def counted(rows, rng, size):
    p = 1 - 2.718281828459045 ** -0.5
    return sum(rows) + rng.geometric(p, size) - rng.geometric(p, size)

def model(draw, rows):
    return sum(rows) + draw(discrete_laplace(2))

private = SampledClaim(id="shop.told", sampler=told, epsilon=log(3), domain=Tuples((0, 1), size=1), draws=DRAWS)
leaky = SampledClaim(id="shop.leaky", sampler=told, epsilon=1 / 2, domain=Tuples((0, 1), size=1), draws=DRAWS,
                     confidence="0.99", expected=Status.REFUTED)
exact = Claim(id="shop.model", mechanism=model, domain=Tuples((0, 1), size=1), epsilon="0.5")
shipped = SampledClaim(id="shop.shipped", sampler=counted, model=exact, draws=DRAWS)
""".replace("1 / 2", '"0.5"')


pytestmark = pytest.mark.usefixtures("decided_here")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("claims_shop", None)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", *arguments, "--jobs", "1", "--no-recheck"])


def write(folder: Path, draws: int = 8_000, text: str = CLAIMS) -> None:
    file = folder / "claims_shop.py"
    file.write_text(text.replace("DRAWS", str(draws)), encoding="utf-8")
    sys.modules.pop(file.stem, None)
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


GATE = ("claims_shop.py", "--no-cache", "--baseline", "baseline.txt")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path)
    done = invoke(*GATE, "--update-baseline")
    assert done.exit_code == 0, done.output
    return tmp_path


def test_the_record_and_the_pages_say_what_was_seen_and_what_would_have_been(tmp_path: Path) -> None:
    write(tmp_path)
    reports = [f"--{name}={tmp_path / name}" for name in ("json", "html", "markdown", "sarif", "junit")]
    done = invoke("claims_shop.py", "--no-cache", *reports)
    assert done.exit_code == 0, done.output
    assert "model PROVED; library agrees to ± 0.0" in done.output
    assert "4 claims: 1 PROVED, 1 REFUTED, 2 INCONCLUSIVE; all as expected" in done.output
    record = {claim["id"]: claim for claim in json.loads((tmp_path / "json").read_text("utf-8"))["claims"]}
    private = record["shop.told"]
    assert (private["kind"], private["seed"], private["planned"]) == ("sampled", 0, 8_000)
    assert float(private["ruled_out"]) < 1.0987 < float(private["smallest"])
    markdown = (tmp_path / "markdown").read_text(encoding="utf-8")
    assert "has a probability of at most 0.012" in markdown.replace("\\n", " ")
    page = (tmp_path / "html").read_text(encoding="utf-8")
    assert "would have been refuted with probability" in page and "By samples" in page


def test_a_gate_decides_the_same_each_time(shop: Path) -> None:
    outputs = {invoke(*GATE).output for _ in range(2)}
    assert len(outputs) == 1
    assert "Gate passed" in outputs.pop()


def test_no_verdict_by_samples_is_kept_in_a_cache(tmp_path: Path) -> None:
    """The library may have changed, and no file of the project tells."""
    around = Surroundings(2**80, tmp_path)
    bits = Tuples((0, 1), size=1)
    exact = Claim(id="exact", mechanism=lambda draw, rows: 0, domain=bits, epsilon=1)
    sampled = SampledClaim(id="sampled", sampler=lambda rows, rng: 0, domain=bits, epsilon=1)
    for claim in (exact, sampled):
        claim.found_in("claims_shop.py")
    assert around.key(exact, AS_USUAL)
    with pytest.raises(NoKey, match="rests on more than files tell"):
        around.key(sampled, AS_USUAL)


def test_strict_asks_for_a_mutant_of_what_nothing_was_refuted_of(tmp_path: Path) -> None:
    write(tmp_path, 2_000, CLAIMS.partition("exact")[0])
    strict = invoke("claims_shop.py", "--no-cache", "--strict")
    assert strict.exit_code == 1
    assert strict.output.count("it has no mutant, which --strict asks for") == 1  # not of the one that is refuted
    with_mutant = CLAIMS.partition("leaky")[0].replace("id=", "mutant=lambda rows, rng: rows[0], id=")
    write(tmp_path, 2_000, with_mutant)
    assert invoke("claims_shop.py", "--no-cache", "--strict").exit_code == 0


GONE = """
from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines

gone = SampledClaim(id="shop.gone", sampler=JsonLines(("/nowhere/python",), seeded=True), epsilon=log(3),
                    domain=Tuples((0, 1), size=1), draws=DRAWS)
"""


def test_a_library_that_is_not_installed_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    """Its reason is printed; by name, with --strict, or where nothing else is decided, it is an error as ever."""
    write(tmp_path, 2_000, CLAIMS.partition("leaky")[0] + GONE)
    left = invoke("claims_shop.py", "--no-cache")
    assert left.exit_code == 0, left.output
    assert "NOT DECIDED  shop.gone" in left.output and "needs what is not installed: /nowhere/python" in left.output
    assert "shop.told" in left.output and "1 INCONCLUSIVE" in left.output
    for asked in (["claims_shop.py", "--strict"], ["claims_shop.py", "claims_shop.py::shop.gone"]):
        assert invoke(*asked, "--no-cache").exit_code == 2
    assert invoke("claims_shop.py::shop.gone", "--no-cache").exit_code == 2


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("draws=8000", "draws=7000", ("claimed draws: 8000 → 7000", "claimed smallest violation seen:")),
        ('confidence="0.99"', 'confidence="0.9"', ("claimed confidence: 99/100 → 9/10",)),
        ("epsilon=log(3)", "epsilon=log(4)", ("claimed ε: ",)),
        ("sampler=told, epsilon=log(3)", "sampler=told, low_bits=False, epsilon=log(3)", ("low_bits",)),
        ("sampler=counted", "sampler=told", ("mechanism: counted → told",)),
        ("epsilon=log(3), domain", "rarest='0.1', epsilon=log(3), domain", ("event of probability: ",)),
    ],
)
def test_who_looks_less_closely_is_stopped(shop: Path, before: str, after: str, said: Sequence[str]) -> None:
    text = CLAIMS.replace("DRAWS", "8000")
    assert before in text
    write(shop, text=text.replace(before, after))
    done = invoke(*GATE)
    assert done.exit_code != 0
    for each in said:
        assert each in done.output


def test_who_looks_more_closely_passes(shop: Path) -> None:
    write(shop, 9_000)
    done = invoke(*GATE)
    assert done.exit_code == 0, done.output
    assert "claimed draws: 8000 → 9000" in done.output
    assert "Gate passed" in done.output


@pytest.mark.deep
def test_an_interrupted_audit_says_what_was_learnt(tmp_path: Path) -> None:
    """The worker is asleep in its third block, of which nothing is known."""
    text = CLAIMS.partition("leaky")[0].replace("DRAWS", "50_000") + "\n"
    slow = "def told(rows, rng, size):\n    if size > 6_000:\n        import time\n        open('asleep', 'w').close()\n        time.sleep(60)\n"
    write(tmp_path, text=text.replace("def told(rows, rng, size):\n", slow))
    process = subprocess.Popen(
        [sys.executable, "-m", "dpverify", "audit", "claims_shop.py", "--no-cache"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not (tmp_path / "asleep").exists():
        assert process.poll() is None
        time.sleep(0.05)  # until another process has come so far
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "after 5,000 of 50,000 draws ε < 0.9" in said or "after 5,000 of 50,000 draws ε < 1.0" in said


def test_what_several_claims_may_err_with_together_is_the_last_line(tmp_path: Path) -> None:
    write(tmp_path)
    last = invoke("claims_shop.py").stdout.splitlines()[-1]
    assert last == "a false alarm anywhere, among 3 claims by samples: probability ≤ 0.012"
    assert "anywhere" not in invoke("claims_shop.py::shop.told", "claims_shop.py::shop.model").stdout
