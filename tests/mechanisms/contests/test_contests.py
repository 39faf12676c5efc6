"""The best of several noisy numbers: a path for each, in the forms in which people write it.

The oracle is the enumeration of the program as it is written, in all orders of comparisons.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import operator
import random
import sys
import weakref
from fractions import Fraction
from heapq import nsmallest
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pytest
from tests.adversary.tally import deep
from tests.examples import in_one
from tests.mechanisms.drawing.laws_as_written import (
    are_the_same,
    as_python_has_it,
    differs_as_written,
    made_of_text,
    runs_and_law,
)

from dpverify.mechanisms import bernoulli, discrete_laplace, exponential_noise, geometric, gumbel, laplace, log
from dpverify.mechanisms.patterns.leads import _OneLaw
from dpverify.mechanisms.selection.noisy_max import noisy_max

USED: Final = (weakref, sys, bernoulli, geometric, log, np, itemgetter, Fraction, heapq, nsmallest)
"""What the texts below name."""

FORMS: Final = (
    "best = noisy.index(max(noisy))",
    "best = noisy.index(min(noisy))",
    "best = np.argmax(noisy)",
    "best = int(np.argmin(noisy))",
    "best = np.array(noisy).argmax()",
    "array = np.array(noisy)\n    best = int(array.argmin())",
    "best = max(range(len(noisy)), key=noisy.__getitem__)",
    "best = min(range(len(scores)), key=lambda i: noisy[i])",
    "best = max(range(1, 4), key=lambda i: noisy[i - 1])",
    "best = max(range(len(scores)), key=lambda i: scores[i] + draw({law}))",
    "best = max(enumerate(noisy), key=lambda pair: pair[1])[0]",
    "best = min(enumerate(noisy), key=itemgetter(1))[0]",
    "best = max(zip(noisy, NAMES))[1]",
    "best = min(zip(noisy, NAMES, scores))[1]",
    "best = max(pairs)[1]",
    "best = max(names, key=lambda name: held[name])",
    "best = max(held, key=held.get)",
    "best = min(held.items(), key=lambda pair: pair[1])[0]",
    "best = sorted(range(len(scores)), key=lambda i: noisy[i])[-1]",
    "best = sorted(range(len(scores)), key=noisy.__getitem__, reverse=True)[0]",
    "best = sorted(held, key=held.get)[0]",
    "best = noisy.index(sorted(noisy)[-1])",
    "best = best_of(noisy)",
    "most = best = None\n    for i, number in enumerate(noisy):\n"
    "        if most is None or number > most:\n            most, best = number, i",
    "most, best = noisy[0], 0\n    for i, number in enumerate(noisy):\n"
    "        if most <= number:\n            most = number\n            best = i",
    "most = None\n    for i, score in enumerate(scores):\n        number = score - draw({law})\n"
    "        if most is not None and number >= most:\n            continue\n        best, most = i, number",
    "best = 0\n    for i in range(1, len(noisy)):\n        if noisy[i] > noisy[best]:\n            best = i",
    "best, i = 0, 1\n    while i < len(noisy):\n        if noisy[best] >= noisy[i]:\n            best = i\n        i += 1",
)

FEW: Final = (
    "best = tuple(sorted(range(len(scores)), key=noisy.__getitem__, reverse=True)[:2])",
    "best = tuple(sorted(sorted(range(len(scores)), key=noisy.__getitem__)[-2:]))",
    "best = tuple([name for _, name in sorted(pairs, reverse=True)[-2:]])",
    "best = sorted(range(len(scores)), key=lambda i: -noisy[i])[1]",
    "best = tuple(heapq.nlargest(2, names, key=held.get))",
    "best = tuple([name for _, name in nsmallest(2, pairs)])",
    "best = tuple([int(i) for i in np.argsort(noisy)[::-1][:2]])",
    "order = np.argsort(noisy)\n    best = order[1], order[0]",
)
"""Forms that take two of several numbers."""

NEARLY: Final = (
    "most, second, third = noisy\n    best = 0\n    if second > most:\n        best, most = 1, second\n"
    "    if third > most:\n        best, most = 2, third",
    "best = max([*noisy, noisy[0] + 1], key=seen)",
    "best = max([*noisy, 1], key=seen)",
    "best = len([1 for i in range(1, len(noisy)) if noisy[i] > noisy[i - 1]])",
    *FEW,
    "order = np.argsort(noisy)\n    order[0] += 7\n    best = tuple(order[:2])",
    "best = max(range(len(scores)), key=lambda i: (noisy[i], i != 1))",
    "best = max(range(len(scores)), key=lambda i: noisy[i // 2])",
    "best = max(range(len(scores)), key=lambda i: noisy[i] if noisy[0] > noisy[1] else noisy[-i])",
    "most = best = None\n    steps = 0\n    for i, number in enumerate(noisy):\n"
    "        if most is None or number > most:\n            most, best = number, i\n            steps += 1\n    best = steps",
    "most = noisy[0]\n    best = 0\n    for i, number in enumerate(noisy):\n"
    "        if number > most:\n            most = number\n        else:\n            best = i",
    "most = noisy[0]\n    best = 0\n    for i, number in enumerate(noisy):\n"
    "        if number > most:\n            most, best = number, i\n        if best == 1:\n            break",
    "most, best = noisy[0], 0\n    for i, number in enumerate(noisy):\n"
    "        if number > most:\n            before, most, best = best, number, i",
    "most, best, last = noisy[0], 0, 0\n    for i, number in enumerate(noisy):\n"
    "        last = best\n        if number > most:\n            most, best = number, i\n    best = last, best",
    "best, i = 0, 1\n    while i < len(noisy) and best < 2:\n        if noisy[i] > noisy[best]:\n            best = i\n        i += 1",
    "best = 0\n    for i in range(3):\n        if noisy[i] > noisy[best]:\n            best = i\n        noisy[i] = noisy[i - 1]",
    "best, most, seen = 0, noisy[0], []\n    for i, number in enumerate(noisy):\n        if number > most:\n"
    "            best, most = i, number\n        if i == 1:\n            seen.append(best)\n    best = best, *seen",
    "best, most = 0, noisy[0]\n    try:\n        for i, number in enumerate((*noisy, 1 / 0 if scores[0] else 1)):\n"
    "            if number >= most:\n                best, most = i, number\n            [][i - 1 if i < 2 else 0]\n"
    "    except IndexError:\n        best = best, i",
    "best, most = 0, noisy[0]\n    for i, number in enumerate(noisy):\n        if i:\n            if most >= number:\n"
    "                continue\n            best, most = i, number\n        best += 3",
    "most, best = noisy[0], 0\n    for _ in range(2):\n        for i, number in enumerate(noisy):\n"
    "            if number > most:\n                most, best = number, i",
    "most, best = Fraction(1, 3), 5\n    for i, number in enumerate(noisy):\n"
    "        if number > most:\n            most, best = number, i",
    "most, best = noisy[0], 0\n    for i, number in enumerate(noisy):\n"
    "        if number > 1 and number > most:\n            most, best = number, i",
    "most, best = noisy[0], 0\n    for i, number in enumerate([*noisy, noisy[-1] + 1]):\n"
    "        if number > most:\n            most, best = number, i",
    *(
        "array = noisy = np.array(noisy)\n    best = 0\n"
        f"    for i in range(1, 3):\n        if noisy[i] > noisy[best]:\n            best = i\n        {change}"
        for change in ("noisy = scores", "noisy, array = -noisy, noisy", "array *= -1")
    ),
    "best = max(Own(number, i) for i, number in enumerate(noisy)).place",
    "log = []\n    def key(i):\n        return noisy[i] if i != 1 else Logged(log)\n"
    "    best = (max(range(len(scores)), key=key), len(log))",
    "best = max(range(len(scores)), key=lambda i: max(noisy[i:]))",
    "best = noisy.index(max(noisy)), max(range(len(noisy)), key=noisy.__getitem__)",
    "best = [max(noisy[:i]) > noisy[-1] for i in range(1, len(noisy))][-1]",
)

BEFORE: Final = (
    "common = draw(laplace(3))",
    "noisy[0] > noisy[-1]",
    "noisy[0] > 1",
    "noisy = noisy[::-1]",
    "noisy[0] = noisy[0] + noisy[1]",
    "noisy.append(noisy[0])",
    "scores = (1, 1, 0) if draw(bernoulli('0.5')) else scores",
)
AFTER: Final = (
    "return best, noisy[0] > noisy[1]",
    "return best, noisy[1] > 0",
    "return best if noisy[0] > 0 else 7",
    "return best, noisy.index(max(noisy)) == best",
    "return NAMES[best] if isinstance(best, int) else best",
    "rest = [number for i, number in enumerate(noisy) if i != best]\n    return best, np.argmax(rest)",
    "noisy = [score + draw(laplace(1)) for score in scores]\n    return best, np.argmax(noisy)",
)
LAWS: Final = ("laplace(1)", "laplace(2)", "discrete_laplace(1)", "gumbel(1)", "exponential_noise(1)", "geometric(2)")
NUMBERS: Final = (
    "score + draw({law})",
    "score - draw({law})",
    "2 * score + 2 * draw({law})",
    "score + draw({law}) + common",
    "score + draw(laplace(1 + i))",
    "score + draw({law}) if i else score",
    "score + (common if i == 1 else draw({law}))",
)
NAMES: Final = ("b", "a", "a", "c", "d")


class Own:
    """A number with an order of its own."""

    def __init__(self, number: Any, place: int) -> None:
        self.number = number
        self.place = place

    def __gt__(self, other: Own) -> bool:
        return bool(self.number > other.number)


class Logged:
    """Is larger than nothing, and notes what it is compared with."""

    def __init__(self, log: list[Any]) -> None:
        self._log = log

    def __gt__(self, other: object) -> bool:
        self._log.append(other)
        return False

    def __lt__(self, other: object) -> bool:
        return True


def best_of(numbers: list[Any]) -> int:
    """The place of the largest."""
    return max(range(len(numbers)), key=lambda i: numbers[i])


def seen(number: Any) -> Any:
    """The number itself."""
    return number


def program(source: random.Random, forms: tuple[str, ...] = FORMS, *, is_plain: bool = False) -> str:
    """The text of a mechanism."""
    law = source.choice(LAWS)
    number = NUMBERS[0] if is_plain or source.random() < 0.5 else source.choice(NUMBERS)
    before = [] if is_plain or source.random() < 0.6 else [source.choice(BEFORE)]
    last = "return best" if is_plain or source.random() < 0.5 else source.choice(AFTER)
    lines = [
        f"common = draw({law})" if "common" in number else "pass",
        f"noisy = [{number} for i, score in enumerate(scores)]",
        *before,
        "held = dict(enumerate(noisy))",
        "names = list(held)",
        "pairs = list(zip(noisy, NAMES))",
        source.choice(forms),
        last,
    ]
    return "def mechanism(draw, scores):\n" + "".join(f"    {line}\n" for line in lines).replace("{law}", law)


def compiled(text: str) -> Any:
    """The mechanism of a text."""
    return made_of_text(text, globals())


SCORES: Final = ((0, 1, 1),)


def differing(text: str) -> bool:
    """True where a program has another law than as it is written; one that is refused so may have one."""
    mechanism = compiled(text)
    for scores in SCORES:
        _, found = runs_and_law(mechanism, scores)
        _, expected = as_python_has_it(mechanism, scores)
        if not isinstance(expected, type) and not are_the_same(found, expected):
            return True
    return False


def written(form: str, law: str, last: str = "return best") -> str:
    """The text of a mechanism that has a form, and nothing else."""
    lines = (
        "noisy = [score + draw({law}) for i, score in enumerate(scores)]",
        "held = dict(enumerate(noisy))",
        "names = list(held)",
        "pairs = list(zip(noisy, NAMES))",
        form,
        last,
    )
    return "def mechanism(draw, scores):\n" + "".join(f"    {line}\n" for line in lines).replace("{law}", law)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("law", ["laplace(2)", "discrete_laplace(1)"])
def test_each_number_or_pair_of_the_best_has_a_path(law: str) -> None:
    for form in (*FORMS, *FEW):
        scores = (0, 1, 1) if form in FORMS else (0, 1, 1, 0)
        runs, found = runs_and_law(compiled(written(form, law)), scores)
        as_it_is, expected = as_python_has_it(compiled(written(form, law)), scores)
        has_ties = law == "discrete_laplace(1)" and form == FORMS[21]  # the last of equals, and then the first
        assert (runs, form) == ((6 if has_ties else 3) if form in FORMS else 12, form)
        assert as_it_is > runs
        assert are_the_same(found, expected)


@pytest.mark.parametrize("noise", [laplace, exponential_noise, gumbel, discrete_laplace])
def test_eight_scores_have_the_law_of_the_librarys(noise: Any) -> None:
    scores = (3, 1, 2, 1, 0, 3, 2, 2)
    runs, law = runs_and_law(compiled(written("best = int(np.argmax(noisy))", f"{noise.__name__}(2)")), scores)
    assert runs == len(scores)
    if noise is not gumbel:
        assert are_the_same(law, noisy_max(scores, noise(2)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("batch", range(4))
def test_random_programs_have_the_law_that_is_written(batch: int) -> None:
    source = random.Random(f"contests {batch}")
    texts = [program(source, FORMS if i % 2 else NEARLY) for i in range(120 if deep() else 12)]
    assert [text for text in texts if differing(text)] == []


@pytest.mark.parametrize("law", ["laplace(1)", "geometric(2)"])
def test_what_is_nearly_so_has_the_law_that_is_written(law: str) -> None:
    assert [form for form in NEARLY if differing(written(form, law))] == []


SEEING: Final = (
    "def numbers():\n        for i, number in enumerate(noisy):\n"
    "            yield i, number, sys._getframe(1).f_locals['best']\n"
    "    most, best, seen = noisy[0], 0, 0\n    for i, number, place in numbers():\n        seen += place\n"
    "        if number > most:\n            most, best = number, i\n    best = best, seen",
    "known = []\n    def key(i):\n        lost = [one() is None for one in known]\n"
    "        number = scores[i] + 10 * sum(lost) + draw({law})\n        known.append(weakref.ref(number))\n"
    "        return number\n    best = max(range(len(scores)), key=key)",
    "known = []\n    def key(i):\n        lost = [one() is None for one in known]\n"
    "        number = scores[i] + 10 * lost[:1].count(True) + draw({law})\n"
    "        known.append(weakref.ref(number))\n        return number\n"
    "    return max(range(len(scores)), key=lambda i: key(i))",
    "class Ends:\n        def __init__(self, i):\n            self.i = i\n        def __del__(self):\n"
    "            ended.append(self.i)\n    ended = []\n"
    "    best = max(range(len(scores)), key=lambda i: (noisy[i] + len(ended), Ends(i)))",
    "class Ends:\n        def __del__(self):\n            ended.append(1)\n    ended = []\n"
    "    most, best, end = noisy[0], 0, Ends()\n    for i, number in enumerate(noisy):\n        new = Ends()\n"
    "        if number > most:\n            most, best, end = number, i, new\n    best = best, len(ended)",
)


@pytest.mark.parametrize("form", SEEING)
def test_code_that_sees_what_a_call_does_not_return_is_run_as_it_is_written(form: str) -> None:
    text = written(form, "laplace(1)")
    _, found = runs_and_law(compiled(text), (0, 1, 1))
    assert are_the_same(as_python_has_it(compiled(text), (0, 1, 1))[1], found)


# --- Calls that are no contest, or more than one
def champion(draw: Any, rows: Any) -> Any:
    noisy = [row + draw(laplace(1)) for row in (6 * rows[0], 0, 40)]
    best, bests = 0, []
    for group in ((0, 1), (2,)):
        names = [best, *group]
        best = max(names, key=lambda i: noisy[i])
        bests.append(best)
    return tuple(bests)


def shrinking(draw: Any, rows: Any) -> Any:
    noisy = [row + draw(laplace(1)) for row in (6 * rows[0], 0, 0, 40, 0)]
    names, best = [0, 1, 2, 3, 4], []

    def key(i: int) -> Any:
        if i == 2:
            del names[3:]
        return noisy[i]

    for _ in range(2):
        best.append(max(names, key=key))
        names[:] = (best[-1], 3, 4)
    return tuple(best)


def first_rise(draw: Any, rows: Any) -> Any:
    noisy = [row + draw(laplace(1)) for row in (40, 20 + 10 * rows[0], 20, 0)]
    falls = map(operator.is_, noisy, itertools.accumulate(noisy, min))
    places = range(4)
    return min(places, key=functools.partial(next, falls))


def by_address(draw: Any, rows: Any) -> Any:
    noisy = [row + draw(laplace(1)) for row in (0, 6 * rows[0], 40)]
    names = []

    def key(pair: Any) -> Any:
        names.append(id(pair))
        return pair[1]

    max(enumerate(noisy), key=key)
    return names[2] == names[0]


@in_one("mechanism", (champion, shrinking, first_rise, by_address))
def test_a_call_that_is_no_contest_of_its_own_is_run_as_it_is_written(mechanism: Any) -> None:
    """One that is made again, in a loop, one whose key compares in C, and one that sees which things are held."""
    for _ in range(4):  # Python makes a call by another instruction when it has made it often
        assert not differs_as_written(mechanism, ((0,), (1,)))


@pytest.mark.parametrize(
    ("where", "replacement", "form"),
    [
        ("patterns.leads.Lead.answers", lambda self: iter(()), FORMS[18]),
        (
            "patterns.leads._of_one_law",
            lambda lead: _OneLaw(laplace(3), [number.shift for number in lead.numbers]),
            FORMS[6],
        ),
        ("drawing.runs.MechanismRun._learn_leads", lambda self: None, FORMS[18]),
        ("patterns.largest._BETTER", dict.fromkeys(itertools.product((True, False), repeat=2), ">="), FORMS[2]),
        ("patterns.largest._best_of", lambda keys, **_: [0] if type(keys[0]) is tuple else (), FORMS[14]),
        ("patterns.leads.pairwise", lambda order: (), FEW[0]),
        ("patterns.best_so_far._heads", lambda node: (), FORMS[24]),
        ("patterns.best_so_far.FLIPPED", dict.fromkeys(("<", "<=", ">", ">="), ">"), FORMS[24]),
    ],
)
def test_a_mistake_is_seen(where: str, replacement: Any, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"dpverify.mechanisms.{where}", replacement)
    assert differing(written(form, "discrete_laplace(1)"))
