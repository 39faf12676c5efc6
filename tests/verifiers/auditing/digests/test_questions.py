"""The question of a claim: the same in all processes, another one for another claim; and when a domain holds another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.examples import in_one

from dpverify.mechanisms import exact, laplace, log
from dpverify.reports.record import DescribedPart, QuestionRecord
from dpverify.verifiers import (
    Case,
    Claim,
    Histograms,
    LabelledSamples,
    Multisets,
    ScoreSpace,
    Tuples,
    UtilityClaim,
    add_or_remove_one,
    change_one_label,
    replace_one,
    scores_linf,
)
from dpverify.verifiers.auditing.claim_files import load_claims
from dpverify.verifiers.auditing.digests.function_form import Forms
from dpverify.verifiers.auditing.digests.names import public_name
from dpverify.verifiers.auditing.digests.question import described_domain, question_of
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.commands.containing import pairs_compared
from dpverify.verifiers.problems.neighbours import bounded_growth, gaps_linf
from dpverify.verifiers.problems.questions import BoundedGrowth, OrMore, ScoreGaps
from dpverify.verifiers.problems.questions.moves import NeighbourRelation

ROOT = Path(__file__).parents[4]
PLAIN = Forms(lambda _: False)


def asked(domain: Any, relation: str = "replace_one") -> QuestionRecord:
    return QuestionRecord(
        depth="quick", domain=described_domain(domain, PLAIN), neighbour_relation=DescribedPart(relation, "")
    )


@in_one(
    "smaller, larger, relation",
    [
        (Tuples((0, 1), size=2), Tuples((0, 1), sizes=(1, 2, 3)), replace_one),
        (Tuples((0, 1), size=2), Tuples(range(3), size=2), replace_one),
        (Tuples((0, Fraction(1, 2)), size=2), Tuples((0, Fraction(1, 2), 1), size=2), replace_one),
        (Multisets("ab", sizes=range(3)), Multisets(("a", "b"), sizes=range(5)), add_or_remove_one),
        (LabelledSamples(range(2), size=2), LabelledSamples(range(3), size=2), change_one_label),
        (ScoreSpace(range(3), solutions=2), ScoreSpace(range(5), solutions=2), scores_linf),
        (ScoreGaps(2, solutions=3), ScoreGaps(3, solutions=3), gaps_linf),
        (BoundedGrowth(rows=2, solutions=2, growth=1), BoundedGrowth(rows=2, solutions=2, growth=2), bounded_growth),
        ([(0, 0), (0, 1)], Tuples((0, 1), size=2), replace_one),
    ],
)
def test_a_domain_holds_a_smaller_one_and_not_the_other_way_round(
    smaller: Any, larger: Any, relation: NeighbourRelation
) -> None:
    name = relation.__name__
    assert pairs_compared(asked(smaller, name), asked(larger, name)) == "all and more"
    assert pairs_compared(asked(larger, name), asked(smaller, name)) == "not shown"
    assert pairs_compared(asked(larger, name), asked(larger, name)) == "the same"


@in_one(
    "before, after",
    [
        (Tuples((0, 1), size=2), Tuples((0, Fraction(1, 2)), size=2)),
        (Tuples((0, 1), size=3), Tuples((0, 1), size=2)),
        (Multisets(range(3), size=2), Tuples(range(3), size=2)),  # neighbours of sorted rows are others there
        (Tuples(range(20), size=6), Tuples(range(21), size=6)),  # too many to be gone through
        (Histograms(range(2)), Histograms(range(2))),  # without end
        (Multisets(range(2), size=3), Histograms(range(2))),
    ],
)
def test_nothing_is_shown_of_other_domains(before: Any, after: Any) -> None:
    assert pairs_compared(asked(before), asked(after)) == "not shown"


def test_a_text_shows_nothing_unless_it_gives_what_the_digest_says() -> None:
    """Neither a lie about the databases, nor a relation of somebody's own, nor text that would have to be run."""
    small, large = asked(Tuples((0, 1), size=2)), asked(Tuples((0, 1), sizes=(1, 2, 3)))
    assert pairs_compared(small, large) == "all and more"
    assert small.domain is not None
    for text in ("Tuples((0, 1), size=1)", "__import__('os').getcwd()", "open('x')", "[x for x in ()]", "Tuples(", ""):
        lie = msgspec.structs.replace(small, domain=DescribedPart(text, small.domain.digest))
        assert pairs_compared(lie, large) == "not shown"
    for relation in (DescribedPart("replace_one", "r0"), DescribedPart("my_own", ""), None):
        own = msgspec.structs.replace(small, neighbour_relation=relation)
        assert pairs_compared(own, own) == "not shown"
    assert pairs_compared(small, asked(Tuples((0, 1), sizes=(1, 2, 3)), "add_or_remove_one")) == "not shown"


class Sized:
    """A domain of somebody's own."""

    def __init__(self, *databases: Any) -> None:
        self.databases = databases

    def __iter__(self) -> Any:
        return iter(self.databases)


@in_one(
    "one, other, same",
    [
        ([(0, 1), (1, 0)], [(1, 0), (0, 1)], True),
        ({(0, "a"), (1, "b")}, frozenset([(1, "b"), (0, "a")]), True),
        (Sized((0,), (1,)), Sized((1,), (0,)), True),
        (Sized((0,), (1,)), Sized((0,), (2,)), False),
        ([(0,), (1,)], [("0",), ("1",)], False),
        ([(0,), (1,)], [(0,), (True,), (2,)], False),
        (Tuples((0, 1), size=2), Tuples((0, 1), size=3), False),
    ],
)
def test_the_digest_of_a_domain_is_that_of_its_databases(one: Any, other: Any, same: bool) -> None:
    assert (described_domain(one, PLAIN).digest == described_domain(other, PLAIN).digest) is same


def noisy(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / epsilon))


def quieter(draw: Any, rows: Any, *, epsilon: Any) -> Any:
    return sum(rows) + draw(laplace(1 / (2 * epsilon)))


def other_first(rows: Any) -> Iterable[Any]:
    return [(1 - rows[0], *rows[1:])]


def other_last(rows: Any) -> Iterable[Any]:
    return [(*rows[:-1], 1 - rows[-1])]


def asks(claim: AnyClaim) -> QuestionRecord:
    """The question of a claim whose file of claims is this one."""
    claim.found_in(str(Path(__file__).resolve()))
    return question_of(claim)


CLAIM = Claim(id="a", mechanism=noisy, domain=Tuples((0, 1), size=2), epsilon=1, mutant=quieter)
USEFUL = UtilityClaim(
    id="u",
    mechanism=noisy,
    cases=[Case((0,), {"epsilon": 1})],
    succeeds=lambda case, outcome: outcome == 0,
    beta=lambda case: 1,
    mutant=quieter,
)


@in_one(
    "changed",
    [
        {"epsilon": 2},
        {"epsilon": log(2)},
        {"delta": "1/10"},
        {"parameters": {"epsilon": 2}},
        {"domain": Tuples((0, 1), size=3)},
        {"neighbours": add_or_remove_one},
        {"neighbours": other_first},
        {"mechanism": quieter},
        {"mechanism": partial(noisy)},
        {"mutant": noisy},
        {"mutant": None},
        {"depth": "report"},
        {"weak_because": "it is"},
        {"finite_because": "it is"},
        {"neighbours_agree": True},
        {"all_sizes": Histograms((0, 1))},
        {"scope": "all"},
        {"stronger": [Tuples((0, 1), size=3)]},
    ],
)
def test_each_field_of_a_claim_of_privacy_is_part_of_its_question(changed: dict[str, Any]) -> None:
    if changed.get("mechanism") is not None and isinstance(changed["mechanism"], partial):
        changed = {"mechanism": partial(noisy, epsilon=exact(2)), "parameters": {"epsilon": 1}}
    assert asks(replace(CLAIM, **changed)) != asks(CLAIM)
    assert asks(replace(CLAIM, limits=None, source="x", statement="y")) == asks(CLAIM)


def test_relations_of_ones_own_are_told_by_their_pairs() -> None:
    first, last = (asks(replace(CLAIM, neighbours=one)).neighbour_relation for one in (other_first, other_last))
    assert first is not None
    assert last is not None
    assert first.digest != last.digest
    again = asks(replace(CLAIM, neighbours=lambda rows: [(1 - rows[0], rows[1])])).neighbour_relation
    assert again is not None
    assert again.digest == first.digest, "however it is written"


@in_one(
    "changed",
    [
        {"cases": [Case((1,), {"epsilon": 1})]},
        {"cases": [Case((0,), {"epsilon": 2})]},
        {"cases": [Case((0,), {"epsilon": 1}, {"target": 3})]},
        {"succeeds": lambda case, outcome: True},
        {"beta": lambda case: 2},
        {"holds_for": lambda case: False},
        {"mutant": noisy},
        {"floor": 29},
    ],
)
def test_each_field_of_a_utility_claim_is_part_of_its_question(changed: dict[str, Any]) -> None:
    assert asks(replace(USEFUL, **changed)) != asks(USEFUL)


SERVICE = """
from dpverify.mechanisms import laplace

def total(draw, rows, *, epsilon):
    return sum(rows) + draw(laplace(1 / epsilon))

def bare(draw, rows, *, epsilon):
    return sum(rows)

def is_near(case, outcome):
    return abs(outcome) < 1
"""

HEAD = """
from dpverify.verifiers import Case, Claim, Tuples, UtilityClaim
import service
BITS = Tuples((0, 1), size=2)
"""


def questions(folder: Path, claims: str, library: str = SERVICE) -> dict[str, QuestionRecord]:
    """The questions of a file of claims beside a library, as they are now."""
    for name in ("service", "claims_service"):
        sys.modules.pop(name, None)
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "service.py").write_text(library)
    (folder / "claims_service.py").write_text(HEAD + claims)
    found = load_claims(folder / "claims_service.py")
    return {claim.id: question_of(claim) for claim in found}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in ("service", "claims_service"):
        sys.modules.pop(name, None)


PLAIN_CLAIM = 'a = Claim(id="a", mechanism={}, domain=BITS, epsilon=1, mutant=service.bare)\n'
ONE = PLAIN_CLAIM.format("service.total")

CHANGED = {
    "a wrapper that imports while it runs": (
        "def w(draw, rows):\n    import service as s\n    return s.total(draw, rows, epsilon=1)\n"
        + PLAIN_CLAIM.format("w"),
        "epsilon=1)\n",
        "epsilon=1 / 2)\n",
    ),
    "a wrapper that is an object": (
        "class W:\n    def __call__(self, draw, rows, *, epsilon):\n        return service.total(draw, rows, epsilon=epsilon)\n"
        + PLAIN_CLAIM.format("W()"),
        "epsilon=epsilon)",
        "epsilon=epsilon / 2)",
    ),
    "a helper of a wrapper": (
        "def half(x):\n    return x\ndef w(draw, rows, *, epsilon):\n    return service.total(draw, rows, epsilon=half(epsilon))\n"
        + PLAIN_CLAIM.format("w"),
        "    return x\n",
        "    return x / 2\n",
    ),
    "a decorator": (
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def inner(draw, rows, *, epsilon):\n"
        "        return f(draw, rows, epsilon=epsilon)\n    return inner\n" + PLAIN_CLAIM.format("d(service.total)"),
        "epsilon=epsilon)",
        "epsilon=epsilon / 2)",
    ),
    "the library is replaced in a function": (
        "def ready():\n    pass\ndone = ready()\n" + ONE,
        "    pass",
        "    service.laplace = lambda scale: 0",
    ),
    "an item of the library is replaced": ("done = 0\n" + ONE, "done = 0", "service.__dict__['laplace'] = 0"),
    "a claim that decides as it likes": ("class C(Claim):\n    pass\n" + ONE, "Claim(id", "C(id"),
    "a global of a mutant": (
        "N = 2\ndef m(draw, rows, *, epsilon):\n    return service.total(draw, rows, epsilon=N * epsilon)\n"
        + ONE.replace("service.bare", "m"),
        "N = 2",
        "N = 9",
    ),
    "what success is, in the library": (
        'a = UtilityClaim(id="a", mechanism=service.total, cases=[Case((0,), {"epsilon": 1})], succeeds=service.is_near,'
        " beta=lambda case: 1, mutant=service.bare)\n",
        "service.is_near",
        "service.is_far",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CHANGED)
def test_another_wrapper_is_another_question(name: str, folder: Path) -> None:
    text, before, after = CHANGED[name]
    assert before in text
    library = SERVICE + "\ndef is_far(case, outcome):\n    return True\n"
    assert questions(folder, text, library) == questions(folder, "# a comment\n" + text, library)
    assert questions(folder, text, library) != questions(folder, text.replace(before, after), library)


@pytest.mark.parametrize(
    ("claims", "library", "same"),
    [
        (ONE, SERVICE.replace("1 / epsilon", "2 / epsilon"), True),  # the code of the mechanism is no question
        (ONE, SERVICE.replace("return sum(rows)\n", "return rows\n"), False),  # that of its mutant is
        (ONE.replace("service.bare", "lambda draw, rows: service.bare(draw, rows, epsilon=1)"), SERVICE, True),
        (
            "from functools import partial\n" + ONE.replace("service.bare", "partial(service.total, epsilon=2)"),
            SERVICE.replace("1 / epsilon", "2 / epsilon"),
            True,
        ),
        (
            'a = UtilityClaim(id="a", mechanism=service.total, cases=[Case((0,), {"epsilon": 1})],'
            " succeeds=lambda case, outcome: service.is_near(case, outcome), beta=lambda case: 1, mutant=service.bare)\n",
            SERVICE.replace("< 1", "< 9"),
            False,
        ),
        (
            "def own(draw, rows, *, epsilon):\n    return rows\n" + PLAIN_CLAIM.format("own"),
            SERVICE.replace("1 / epsilon", "2 / epsilon"),
            True,
        ),
    ],
)
def test_what_of_a_library_is_part_of_a_question(claims: str, library: str, same: bool, folder: Path) -> None:
    assert (questions(folder, claims) == questions(folder, claims, library)) is same


def test_a_mechanism_in_the_file_of_claims_is_no_wrapper(folder: Path) -> None:
    own = "def own(draw, rows, *, epsilon):\n    return {}\n" + PLAIN_CLAIM.format("own")
    assert questions(folder, own.format("sum(rows)")) == questions(folder, own.format("len(rows)"))
    assert questions(folder, own.format("sum(rows)"))["a"].wrapper == ""
    assert questions(folder, own.format("service.total(draw, rows, epsilon=epsilon)"))["a"].wrapper != ""


def wrapper_of(folder: Path, files: dict[str, str], claims: str) -> QuestionRecord:
    """The question of the claim in a file of claims beside others."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("base", "top", "help", "claims_there")]:
        del sys.modules[name]
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (claim,) = load_claims(folder / claims)
    return question_of(claim)


BASE = "from dpverify.mechanisms import laplace\n\ndef noisy(draw, x, epsilon):\n    return x + draw(laplace(1 / epsilon))\n"
TOP = "from base import noisy\n\ndef total(draw, rows, *, epsilon):\n    return noisy(draw, sum(rows), epsilon)\n"
HELP = "import top\n\ndef asked(draw, rows, epsilon):\n    return top.total(draw, rows, epsilon=epsilon)\n"
DIRECT = (
    HEAD.replace("import service", "import top") + "a = Claim(id='a', mechanism=top.total, domain=BITS, epsilon=1)\n"
)
WRAPPED = HEAD.replace("import service", "import base") + (
    "def w(draw, rows, *, epsilon):\n    return base.noisy(draw, sum(rows), epsilon)\n"
    "a = Claim(id='a', mechanism=w, domain=BITS, epsilon=1)\n"
)


HELPED = WRAPPED.replace("base.noisy(draw, sum(rows), epsilon)", "help.asked(draw, rows, epsilon)")
HELPED = HELPED.replace("import base", "import help")


@pytest.mark.parametrize(
    ("claims", "changed", "before", "after", "same"),
    [
        (DIRECT, "top.py", "sum(rows), epsilon", "sum(rows), epsilon / 2", True),
        (DIRECT, "base.py", "1 / epsilon", "2 / epsilon", True),
        (WRAPPED, "base.py", "1 / epsilon", "2 / epsilon", True),
        (HELPED, "help.py", "epsilon=epsilon", "epsilon=epsilon / 2", False),
        (HELPED, "base.py", "1 / epsilon", "2 / epsilon", True),
    ],
    ids=["direct", "below it", "wrapped", "a helper that draws by the library", "the library below"],
)
def test_the_library_is_the_package_that_draws_in_the_end(
    claims: str, changed: str, before: str, after: str, same: bool, folder: Path
) -> None:
    files = {"base.py": BASE, "top.py": TOP, "help.py": HELP, "claims_there.py": claims}
    assert before in files[changed]
    sys.path.insert(0, str(folder / "one"))
    one = wrapper_of(folder / "one", files, "claims_there.py")
    sys.path.insert(0, str(folder / "two"))
    other = wrapper_of(folder / "two", {**files, changed: files[changed].replace(before, after)}, "claims_there.py")
    assert (one == other) is same


def test_claims_within_their_package_have_helpers_that_are_no_library(folder: Path) -> None:
    files = {
        "top/__init__.py": "",
        "top/core.py": BASE + "\ndef total(draw, rows, *, epsilon):\n    return noisy(draw, sum(rows), epsilon)\n",
        "top/tests/__init__.py": "",
        "top/tests/scales.py": "def share(epsilon):\n    return epsilon\n",
        "top/tests/claims_there.py": HEAD.replace(
            "import service", "from top import core\nfrom top.tests.scales import share"
        )
        + "def w(draw, rows, *, epsilon):\n    return core.total(draw, rows, epsilon=share(epsilon))\n"
        "a = Claim(id='a', mechanism=w, domain=BITS, epsilon=1)\n",
    }
    found = []
    for name, file, text in (
        ("one", "top/core.py", files["top/core.py"]),
        ("two", "top/core.py", files["top/core.py"].replace("1 / epsilon", "2 / epsilon")),
        ("three", "top/tests/scales.py", "def share(epsilon):\n    return epsilon / 2\n"),
    ):
        sys.path.insert(0, str(folder / name))
        found.append(wrapper_of(folder / name, {**files, file: text}, "top/tests/claims_there.py"))
    assert found[1] == found[0] != found[2]


def test_what_is_loaded_already_makes_no_difference(folder: Path) -> None:
    """A module that is imported by a function alone is loaded for its question."""
    text = HEAD.replace("import service", "import base") + (
        "def w(draw, rows, *, epsilon):\n    import help\n    return base.noisy(draw, sum(rows), help.share(epsilon))\n"
        "a = Claim(id='a', mechanism=w, domain=BITS, epsilon=1)\n"
    )
    files = {"base.py": BASE, "help.py": "def share(epsilon):\n    return epsilon\n", "claims_there.py": text}
    sys.path.insert(0, str(folder / "one"))
    before = wrapper_of(folder / "one", files, "claims_there.py")
    assert "help" in sys.modules
    (claim,) = load_claims(folder / "one" / "claims_there.py")
    assert question_of(claim) == before
    sys.path.insert(0, str(folder / "two"))
    assert (
        wrapper_of(folder / "two", {**files, "help.py": "def share(epsilon):\n    return 2\n"}, "claims_there.py")
        != before
    )


def test_a_library_has_public_names_wherever_its_files_stand() -> None:
    """dpverify's, an installed package's, and the standard library's, which is where it says."""
    assert public_name(laplace) == "dpverify.laplace"
    assert public_name(Tuples) == "dpverify.Tuples"
    assert public_name(msgspec.Struct) == "msgspec.Struct"
    assert public_name(pytest.Item) == "_pytest.Item"
    assert public_name(replace) == "dataclasses.replace"


SCRIPT = """
import msgspec
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.auditing.digests.question import question_of
for claim in [claim for claim in catalogue() if claim.depth == "quick"][::40]:
    print(claim.id, msgspec.json.encode(question_of(claim), order="sorted").decode())
"""


@pytest.mark.deep
def test_questions_are_the_same_in_another_process_with_another_hash_seed() -> None:
    """Of claims of all kinds that are quickly made."""
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    chosen = [claim for claim in catalogue() if claim.depth == "quick"][::40]
    here = [f"{claim.id} {msgspec.json.encode(question_of(claim), order='sorted').decode()}" for claim in chosen]
    assert done.stdout.splitlines() == here
    assert {claim.kind for claim in chosen} >= {"privacy", "utility", "step"}


def test_every_kind_of_claim_has_a_question_that_says_something() -> None:
    first = {claim.kind: claim for claim in reversed([claim for claim in catalogue() if claim.depth == "quick"])}
    assert first.keys() == {"privacy", "utility", "pac", "calculation", "structure", "step", "lower-bound"}
    for kind, claim in first.items():
        question = question_of(claim)
        assert question.domain or question.further, kind
        assert len(question.mutants) == len(claim.mutants), kind


def test_at_least_is_read_back() -> None:
    """A domain without end has a text and a digest of what it is made from."""
    assert (
        described_domain(Histograms(range(2), sizes=OrMore(2)), PLAIN).text
        == "Histograms(range(0, 2), sizes=OrMore(2))"
    )
