"""Code that only compares noise, on all scores and rows: what is known of it, and that it is what it is taken for.

The oracles are the output distributions of the program as it is written, in all orders of comparisons.
"""

import importlib.util
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from dpverify.mechanisms import InputError, Limits, Undecided, discrete_laplace, exponential_noise, geometric, laplace
from dpverify.mechanisms.drawing.plain import PlainEnumerator
from dpverify.mechanisms.functions.mechanism import exact_parameters
from dpverify.mechanisms.numbers.roots.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import number_of
from dpverify.mechanisms.selection import exponential_mechanism, max_of_laplaces
from dpverify.verifiers import (
    Histograms,
    Scores,
    ScoreSpace,
    Status,
    add_or_remove_one,
    check_privacy,
    replace_one,
    scores_l1,
    scores_linf,
)
from dpverify.verifiers.all_sizes.comparison_theorem import as_the_librarys, compared_in, needed_by_moves
from dpverify.verifiers.all_sizes.noisy_max_theorem import KNOWN
from dpverify.verifiers.all_sizes.regions.question import all_scores
from dpverify.verifiers.all_sizes.theorems import settled
from dpverify.verifiers.problems.questions import OrMore
from dpverify.verifiers.problems.questions.moves import steps_of_one
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee

pytestmark = pytest.mark.usefixtures("decided_here")

HEAD: Final = """
from fractions import Fraction
import numpy as np
from dpverify.mechanisms import bernoulli, discrete_laplace, geometric, laplace
from dpverify.mechanisms import exponential_noise, gumbel, uniform_noise

TWO = 2
SCALE = laplace


def shifted(scale):
    return laplace(scale)

"""


def module(texts: Sequence[str], folder: Path, name: str) -> ModuleType:
    """A module of functions, in a file."""
    path = folder / f"{name}.py"
    path.write_text(HEAD + "\n\n".join(texts), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def asked(mechanism: Any, solutions: Any = 3, **parameters: Any) -> Any:
    """A question of a mechanism on all scores."""
    given = {"epsilon": 1, **parameters}
    return Question(mechanism, Scores(solutions=solutions), scores_linf, privacy_guarantee(1, 0), given, Limits())


def librarys(question: Any) -> Question | None:
    """The question of the library that it is known to be; None for another."""
    scores, compared = all_scores(question.domain, question.neighbours), compared_in(question, question.domain)
    return None if scores is None or compared is None else as_the_librarys(question, scores, compared)


LIST = """def {name}(draw, scores, *, epsilon):
    noisy = [{number} for {score} in {through}]
    {between}return {listed}.index({largest}({compared}))
"""
KEY = """def {name}(draw, scores, *, epsilon):
    {between}return {largest}(range({count}), key=lambda {place}: {item})
"""
APPEND = """def {name}(draw, scores, *, epsilon):
    noisy = []
    for {score} in {through}:
        noisy.append({number})
    {between}return {index}
"""
CHOSEN = """def {name}(draw, scores, *, epsilon):
    {between}noisy = {made}
    return {index}
"""
BEST = """def {name}(draw, scores, *, epsilon):
    {first}
    for {place}, {score} in enumerate({through}):
        y = {number}
        if {larger}:
            {kept}
    return best
"""
TEMPLATES: Final = (LIST, KEY, APPEND, CHOSEN, BEST)
USUAL: Final = {
    "made": "[score + draw(laplace(TWO / epsilon)) for score in scores]",
    "index": "noisy.index(max(noisy))",
    "first": "most = None",
    "larger": "most is None or y > most",
    "kept": "most, best = y, i",
    "number": "score + draw(laplace(TWO / epsilon))",
    "score": "score",
    "through": "scores",
    "between": "",
    "listed": "noisy",
    "largest": "max",
    "compared": "noisy",
    "count": "len(scores)",
    "place": "i",
    "item": "scores[i] + draw(laplace(TWO / epsilon))",
}
OTHERS: Final = {
    "made": (
        "np.array([score + draw(discrete_laplace(2)) for score in scores])",
        "[scores[i] + draw(geometric(2)) for i in range(len(scores))]",
        "[s + draw(discrete_laplace(2)) for i, s in enumerate(scores)]",
        "[scores[i] + draw(laplace(2)) for i, s in enumerate(scores)]",
        "[i + draw(laplace(2)) for i, s in enumerate(scores)]",
        "np.array([draw(laplace(2)) for score in scores])",
        "np.sort([score + draw(discrete_laplace(2)) for score in scores])",
        "[scores[i] + draw(laplace(2)) for i in range(len(scores) - 1)]",
        "[TWO + draw(laplace(2)) for TWO in scores]",
        "[score + draw(laplace(TWO)) for score in scores for TWO in (2,)]",
        "[scores[TWO] + draw(laplace(TWO + 1)) for TWO in range(len(scores))]",
    ),
    "index": (
        "np.argmax(noisy)",
        "noisy.argmax()",
        "np.array(noisy).argmax()",
        "int(np.array(noisy).argmax())",
        "max(range(len(noisy)), key=noisy.__getitem__)",
        "max(range(len(scores)), key=lambda i: noisy[i])",
        "max(enumerate(noisy), key=lambda pair: pair[1])[0]",
        "noisy.index(max(noisy))",
        "np.argmin(noisy)",
        "np.argmax(scores)",
        "np.argmax(noisy[::-1])",
        "np.max(noisy)",
        "min(range(len(noisy)), key=noisy.__getitem__)",
        "max(range(len(noisy)), key=lambda i: -noisy[i])",
        "max(range(len(noisy)), key=scores.__getitem__)",
        "max(enumerate(noisy), key=lambda pair: pair[0])[0]",
        "max(enumerate(noisy), key=lambda pair: pair[1])[1]",
        "max(enumerate(noisy, 1), key=lambda pair: pair[1])[0]",
        "max((x, i) for i, x in enumerate(noisy))[1]",
        "max(enumerate(scores), key=lambda pair: pair[1])[0]",
    ),
    "first": ("most, best = None, 0", "most = best = None", "best = 0", "most = 5", "most = None\n    best = 1"),
    "larger": (
        "most is None or most < y",
        "most is None or y >= most",
        "most is None or y < most",
        "most is None and y > most",
        "most is None or score > most",
        "y > 0",
    ),
    "kept": (
        "best = i\n            most = y",
        "most = y; best = i",
        "best = i",
        "most, best = y, y",
        "most, best = y, i + 1",
        "most, best = score, i",
        "most, best = y, i\n            break",
    ),
    "number": (
        "draw(laplace(2 / epsilon)) + score",
        "score + draw(discrete_laplace(Fraction(3, 2) / epsilon))",
        "score + draw(exponential_noise(2))",
        "score + draw(geometric(TWO * 2 - 1))",
        "score + draw(gumbel(2))",
        "score - draw(laplace(2))",
        "score - draw(discrete_laplace(3))",
        "score - draw(geometric(3))",
        "score - draw(exponential_noise(2))",
        "draw(laplace(2)) - score",
        "score + 2 * draw(laplace(1))",
        "score + draw(laplace(2)) + score",
        "score + draw(laplace(2 + score * score))",
        "score + draw(laplace(1 if score else 2))",
        "score + draw(shifted(2))",
        "score + draw(SCALE(2))",
        "score + draw(laplace(len(scores)))",
        "score * score + draw(laplace(2))",
        "score + draw(laplace(epsilon if epsilon else score))",
        "2 + draw(laplace(2))",
        "(score if score < 9 else 0) + draw(laplace(2))",
    ),
    "score": ("epsilon", "TWO", "noisy"),
    "through": ("scores[::-1]", "sorted(scores)", "scores if scores else (1,)", "scores if draw(bernoulli('0.5'))"),
    "between": ("scores = scores[1:]\n    ", "noisy[0] > 1000\n    ", '"""Not the first."""\n    ', "max = min\n    "),
    "listed": ("scores", "noisy[1:]"),
    "largest": ("min", "sorted"),
    "compared": ("noisy[::-1]", "scores", "noisy, key=abs", "noisy, default=2"),
    "count": ("2", "len(scores) - 1", "0, len(scores)", "len(scores[1:])"),
    "place": ("epsilon", "i, j=0", "scores", "*i"),
    "item": (
        "draw(laplace(2)) + scores[i]",
        "scores[i] + draw(laplace(2 + i))",
        "scores[0] + draw(laplace(2))",
        "scores[-i] + draw(laplace(2))",
        "scores[i - 1] + draw(laplace(2))",
        "i + draw(laplace(2))",
        "(scores[i] + draw(laplace(2)), i)",
        "scores[i] + draw(laplace(2)) if i < 5 else 0",
    ),
}


def program(source: random.Random, name: str) -> str:
    """A program, in a usual form but for one thing, or two."""
    chosen = dict(USUAL)
    template = source.choice(TEMPLATES)
    slots = [slot for slot in OTHERS if f"{{{slot}}}" in template]
    for slot in source.sample(slots, source.choice((0, 1, 1, 1, 2))):
        chosen[slot] = source.choice(OTHERS[slot])
    text = template.format(name=name, **chosen)
    try:
        compile(text, "<text>", "exec")
    except SyntaxError:
        return program(source, name)
    return text


def law(mechanism: Any, scores: tuple[int, ...], parameters: Any) -> Any:
    """The law as it is written; what was refused, where it is."""
    try:
        return PlainEnumerator(Limits()).distribution_as_compiled(mechanism, (scores,), exact_parameters(parameters))
    except (InputError, Undecided) as error:
        return type(error)


def in_order(found: Any) -> Any:
    """The probabilities by rising outcomes, which are the places, or others in their order."""
    return [found.probabilities[each] for each in sorted(found.probabilities)] if hasattr(found, "size") else found


VECTORS: Final = ((0, 0, 0), (0, 1, -7), (2, 0, 0), (-1, 4, 1), (1001, 1000, 1000), (9, 3, 9))


def wrongly_read(texts: Sequence[str], folder: Path, name: str) -> tuple[int, list[str]]:
    """How many programs are read, and those among them that are not what they are read as."""
    functions, read, wrong = module(texts, folder, name), 0, []
    for i, text in enumerate(texts):
        mechanism = getattr(functions, f"written_{i}")
        as_library = librarys(asked(mechanism))
        if as_library is None:
            continue
        read += 1
        for scores in VECTORS:
            expected = law(mechanism, scores, {"epsilon": 1})
            if in_order(expected) != in_order(law(as_library.mechanism, scores, as_library.arguments)):
                wrong.append(text)
                break
    return read, wrong


@pytest.mark.one_in(3)
@pytest.mark.parametrize("batch", range(3))
def test_random_programs_are_what_they_are_read_as(batch: int, tmp_path: Path) -> None:
    source = random.Random(f"written {batch}")
    texts = [program(source, f"written_{i}") for i in range(60)]
    read, wrong = wrongly_read(texts, tmp_path, f"written_{batch}")
    assert wrong == []
    assert 8 < read < 40


def test_noise_that_is_taken_away_is_read_where_it_is_its_own_mirror_image(tmp_path: Path) -> None:
    noises = ("laplace(2)", "discrete_laplace(2)", "geometric(2)", "exponential_noise(2)", "gumbel(2)")
    texts = [KEY.format(name=f"less_{i}", **USUAL | {"item": f"scores[i] - draw({n})"}) for i, n in enumerate(noises)]
    functions = module(texts, tmp_path, "less_the_noise")
    read = [librarys(asked(getattr(functions, f"less_{i}"))) is not None for i in range(len(noises))]
    assert read == [True, True, False, False, False]


FORMS: Final = (
    *(CHOSEN.format(name="{name}", **USUAL | {"made": made}) for made in (USUAL["made"], *OTHERS["made"][1:4])),
    LIST.format(name="{name}", **USUAL),
    KEY.format(name="{name}", **USUAL),
    APPEND.format(name="{name}", **USUAL),
    APPEND.format(name="{name}", **USUAL | {"number": "score + draw(shifted(len(scores)))"}),
    CHOSEN.format(name="{name}", **USUAL | {"index": OTHERS["index"][5]}),
)


def test_all_of_these_forms_are_read_and_take_the_first_of_equals(tmp_path: Path) -> None:
    texts = [
        text.format(name=f"written_{i}").replace("laplace(TWO", "discrete_laplace(TWO") for i, text in enumerate(FORMS)
    ]
    assert wrongly_read(texts, tmp_path, "forms") == (len(texts), [])


def test_the_last_of_equals_is_not_read_but_needs_no_more(tmp_path: Path) -> None:
    last = (
        BEST.format(name="written_0", **USUAL | {"larger": "most is None or y >= most"}),
        CHOSEN.format(name="written_1", **USUAL | {"index": "max((x, i) for i, x in enumerate(noisy))[1]"}),
    )
    texts = [text.replace("laplace(TWO / epsilon)", "discrete_laplace(2)") for text in last]
    assert wrongly_read(texts, tmp_path, "last") == (0, [])
    functions = module(texts, tmp_path, "last_needs")
    assert [needed(getattr(functions, f"written_{i}"), 3, {"epsilon": 1}) for i in range(2)] == [1, 1]


OTHER: Final = "OTHER = (5, 6, 7)\n\n"
NEAR: Final = (
    LIST.format(name="written", **USUAL | {"number": "epsilon + draw(laplace(2 / epsilon))", "score": "epsilon"}),
    LIST.format(name="written", **USUAL | {"number": "score + shifted(laplace(2))"}),
    LIST.format(name="written", **USUAL | {"number": "score + draw(laplace(2 if 2 * scores[0] + 1 > 0 else 3))"}),
    KEY.format(name="written", **USUAL | {"item": "OTHER[i] + draw(laplace(2))"}),
    KEY.format(name="written", **USUAL | {"item": "scores[epsilon] + draw(laplace(2))"}),
    KEY.format(name="written", **USUAL | {"item": "scores[i] + shifted(laplace(2))"}),
    "max = min\n\n\n" + LIST.format(name="written", **USUAL),
    "range = reversed\n\n\n" + KEY.format(name="written", **USUAL),
)


@pytest.mark.parametrize("number", range(len(NEAR)))
def test_what_is_nearly_so_is_not_read(number: int, tmp_path: Path) -> None:
    assert librarys(asked(module([OTHER + NEAR[number]], tmp_path, f"near_{number}").written)) is None


CASES: Final = ((scores_linf, 1, 0), (scores_linf, "0.9", 0), (scores_l1, "0.5", 0), (scores_l1, "0.4", "0.1"))


@pytest.mark.parametrize("template", [LIST, KEY])
@pytest.mark.parametrize(
    ("noise", "librarys_own", "cases", "theorem"),
    [("laplace", max_of_laplaces, CASES, "Theorem 2"), ("gumbel", exponential_mechanism, CASES[1:3], "Theorem 1")],
)
def test_all_scores_are_decided_as_of_the_librarys(
    template: str, noise: str, librarys_own: Any, cases: Any, theorem: str, tmp_path: Path
) -> None:
    text = template.format(name="written", **USUAL).replace("laplace", noise)
    written = module([text], tmp_path, "all_scores").written
    for relation, epsilon, delta in cases:
        given: Any = {"epsilon": epsilon, "delta": delta, "parameters": {"epsilon": 1}}
        found, expected = (check_privacy(m, Scores(solutions=3), relation, **given) for m in (written, librarys_own))
        assert found.status is expected.status
        for one, other in ((found.delta, expected.delta), (found.epsilon, expected.epsilon)):
            assert (one and (one.lower, one.upper)) == (other and (other.lower, other.upper))
        assert found.scope == expected.scope.partition("; also decided")[0]
        assert theorem in found.scope or found.status is Status.UNDECIDED
    every = check_privacy(written, Scores(solutions=OrMore(2)), scores_linf, epsilon=1)
    assert every.status is Status.UNDECIDED and "Scores(solutions=3)" in every.reason


ASKED: Final = (
    "if scores[0] > 10**6:\n        return 0\n    ",
    "if draw(bernoulli('1/2')):\n        return 0\n    ",
    "try:\n        if scores[0] > 7:\n            return 0\n    except Exception:\n        pass\n    ",
    "scores = [max(score, -5) for score in scores]\n    ",
    "scores = scores[::-1]\n    ",
    "scores = [2 * score for score in scores]\n    ",
    "scores = [scores[0] + draw(laplace(2)), *scores[1:]]\n    ",
    "return min(draw(inner, scores), 1)\n    ",
    "try:\n        return draw(inner, scores)\n    except TypeError:\n        pass\n    ",
    "return draw(inner, scores[:2])\n    ",
)
INNER: Final = LIST.format(name="inner", **USUAL).replace("*, epsilon", "epsilon=1")


@pytest.mark.parametrize("template", [LIST, KEY])
@pytest.mark.parametrize("number", range(len(ASKED)))
def test_what_asks_of_the_scores_or_returns_otherwise_is_not_known(number: int, template: str, tmp_path: Path) -> None:
    first, rest = template.format(name="written", **USUAL).split("\n    ", 1)
    text = f"{first}\n    {ASKED[number]}{rest}"
    assert librarys(asked(module([INNER, text], tmp_path, f"asked_{number}").written)) is None


# --- Moves of the noises: the bound beside the tight ε on some scores, and on some rows


def first_above(draw: Any, scores: Any) -> Any:
    threshold = draw(laplace(4))
    return next((i for i, score in enumerate(scores) if score + draw(laplace(8)) >= threshold), None)


def two_above(draw: Any, scores: Any) -> Any:
    threshold, answers = draw(discrete_laplace(4)), []
    for score in scores:
        answers.append(score + draw(discrete_laplace(8)) >= threshold)
        if answers.count(True) == TWO:
            break
    return tuple(answers)


def ranked(draw: Any, scores: Any) -> Any:
    noisy = [score + draw(discrete_laplace(2)) for score in scores]
    return tuple(sorted(range(len(scores)), key=lambda i: noisy[i]))


def largest_of_few(draw: Any, scores: Any) -> Any:
    noisy = [3 * score + draw(geometric(2)) for score in scores]
    return "high" if max(range(len(scores)), key=lambda i: noisy[i]) else "low"


def parity(draw: Any, scores: Any) -> Any:
    threshold = draw(laplace(4))
    return sum(score + draw(laplace(8)) >= threshold for score in scores) % TWO


def smallest(draw: Any, scores: Any) -> Any:
    noisy = [score + draw(exponential_noise(2)) for score in scores]
    return noisy.index(min(noisy))


def large_by_one_side(draw: Any, scores: Any) -> Any:
    return tuple([score + draw(exponential_noise(2)) > TWO for score in scores])


def large(draw: Any, scores: Any) -> Any:
    return tuple([score + 2 * draw(laplace(1)) > TWO for score in scores])


def halved(draw: Any, scores: Any) -> Any:
    noisy = [score * Fraction(1, 2) + draw(discrete_laplace(2)) for score in scores]
    return noisy.index(max(noisy))


def twice(draw: Any, scores: Any) -> Any:
    one, other = draw(laplace(2)), draw(laplace(2))
    return (scores[0] + one > other, 2 * scores[0] + one > other)


TWO: Final = 2
NEEDED: Final[dict[Any, Any]] = {
    first_above: Fraction(3, 8),
    two_above: Fraction(3, 8),
    ranked: 1,
    largest_of_few: 3,
    parity: Fraction(3, 8),
    smallest: 2,
    large_by_one_side: None,
    large: Fraction(3, 2),
    halved: None,
    twice: None,
}


def needed(mechanism: Any, solutions: int, parameters: Any = None) -> Any:
    """What moves prove; None where they prove nothing."""
    question: Any = replace(asked(mechanism, solutions), parameters=parameters or {})
    compared = compared_in(question, question.domain)
    return None if compared is None else needed_by_moves(question, question.domain, compared)


@pytest.mark.parametrize("mechanism", NEEDED, ids=lambda mechanism: mechanism.__name__)
def test_moves_prove_no_less_than_is_needed(mechanism: Any) -> None:
    assert needed(mechanism, 3) == NEEDED[mechanism]
    if NEEDED[mechanism] is not None:
        some = ScoreSpace(range(3), solutions=3)
        tight = check_privacy(mechanism, some, scores_linf, epsilon=9, recheck=False).epsilon
        assert tight is not None and tight.lower <= NEEDED[mechanism]


@pytest.mark.parametrize(
    ("name", "wrong", "mechanism"),
    [
        ("comparison_theorem._exclude", lambda one, other: True, parity),
        ("comparison_theorem._reduced", lambda order: tuple(order)[:1], first_above),
        ("comparison_theorem._BOTH_SIDES", KNOWN, large_by_one_side),
        ("comparison_theorem.floor", lambda number: number, halved),
        ("comparison_theorem.steps_of_all", steps_of_one, ranked),
        ("comparison_theorem.are_same", lambda one, other: True, twice),
        ("comparison_theorem._OrderPath._learn", lambda self, a, b, strict: None, ranked),
    ],
)
def test_each_clause_is_needed(name: str, wrong: Any, mechanism: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"dpverify.verifiers.all_sizes.{name}", wrong)
    assert needed(mechanism, 3) != NEEDED[mechanism]


@pytest.mark.parametrize("relation", [add_or_remove_one, replace_one])
def test_counted_rows_are_decided_by_how_far_counts_move(relation: Any) -> None:
    def most_often(draw: Any, rows: Any) -> Any:
        noisy = [rows.count(row) + draw(laplace(2)) for row in (0, 1, 2)]
        return noisy.index(max(noisy))

    tight = Fraction(1, 2) if relation is add_or_remove_one else 1
    found = check_privacy(most_often, Histograms((0, 1, 2)), relation, epsilon=tight)
    assert found.status is Status.PROVED and "Theorem 15" in found.scope
    assert (
        check_privacy(most_often, Histograms((0, 1, 2)), relation, epsilon=tight * Fraction(9, 10)).status
        is Status.REFUTED
    )


LEAK: Final = (
    "scores.index(max(scores)) if callable(getattr(epsilon, 'as_integer_ratio', None)) else noisy.index(max(noisy))"
)


@pytest.mark.parametrize(
    ("holds", "index", "scale"),
    [
        (True, "noisy.index(max(noisy))", "2 / epsilon"),
        (True, "sorted(range(3), key=lambda i: noisy[i])[:2]", "4 / epsilon"),
        (True, "[{'best': noisy.index(max(noisy))}]", "2 / epsilon"),
        (False, "noisy.index(max(noisy))", "1 / epsilon"),
        (False, "scores[noisy.index(max(noisy))]", "2 / epsilon"),
        (False, "[noisy.index(max(noisy)) > 0]", "2"),
        (False, LEAK, "2 / epsilon"),
    ],
)
def test_every_epsilon_is_settled_at_once(holds: bool, index: str, scale: str, tmp_path: Path) -> None:
    made = f"[score + draw(laplace({scale})) for score in scores]"
    text = CHOSEN.format(name="written", **USUAL | {"made": made, "index": index})
    epsilon = number_of(EpsilonSymbol(handed_out=True))
    of_one = asked(module([text], tmp_path, "every").written, epsilon=epsilon)
    question = replace(of_one, claimed=privacy_guarantee(epsilon, 0))
    found = settled(question, question.domain)
    assert (found is not None and found.pair is None) is holds
