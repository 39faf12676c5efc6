"""Each operator, where it applies and where it must not; and what no operator touches."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tests.examples import in_one

from dpverify.verifiers.auditing.mutation.codes import codes_by_place
from dpverify.verifiers.auditing.mutation.operators import OPERATORS, mutations
from dpverify.verifiers.auditing.mutation.places import functions_by_path

DRAWS = frozenset({"draw"})


def mutants(source: str, *operators: str) -> list[tuple[str, str]]:
    """What is made of a source by these operators, as it is shown."""
    running = frozenset(functions_by_path(ast.parse(source)))
    found = [each for each in mutations(source, "f.py", running, DRAWS) if not operators or each.operator in operators]
    for mutant in found:
        compile(mutant.of(source), "f.py", "exec")
        assert mutant.of(source) != source
    return [(mutant.operator, mutant.after) for mutant in found]


def of_body(body: Iterable[str], *operators: str) -> list[str]:
    source = "\n    ".join(("def f(draw, rows, *, epsilon=1, delta=0, sensitivity=1):", *body)) + "\n"
    return [after for _, after in mutants(source, *operators)]


APPLIES: list[tuple[str, list[str], list[str]]] = [
    ("noise dropped", ["x = draw(noise(2))"], ["x = noiseless(noise(2))"]),
    ("noise reused", ["x = draw(a)", "y = draw(b)"], ["y = x"]),
    (
        "noise reused",
        ["x = draw(a)", "return any((row > draw(b) for row in rows))"],
        ["return any((row > x for row in rows))"],
    ),
    (
        "noise drawn once for all",
        ["for row in rows:", "    if row > draw(noise(2)): return row"],
        ["drawn_once = draw(noise(2)) (further up); if row > drawn_once: return row"],
    ),
    (
        "noise drawn once for all",
        ["return [row + draw(a) for row in rows]"],
        ["drawn_once = draw(a) (further up); return [row + drawn_once for row in rows]"],
    ),
    (
        "noise drawn anew",
        ["rho = draw(a)", "return [row > rho for row in rows]"],
        ["return [row > draw(a) for row in rows]"],
    ),
    ("noise drawn anew", ["x = 1 + draw(a)", "return x, x"], ["return (1 + draw(a), x)", "return (x, 1 + draw(a))"]),
    ("budget spent twice", ["return g(self.eps, 3)"], ["return g(2 * self.eps, 3)"]),
    ("budget spent twice", ["x = 1 / del_"], ["x = 1 / (2 * del_)"]),
    ("budget not split", ["return g(epsilon / 2)"], ["return g(epsilon)"]),
    ("sensitivity halved", ["x = sensitivity / epsilon"], ["x = sensitivity / 2 / epsilon"]),
    ("sensitivity halved", ["x = 2 / epsilon"], ["x = 1 / epsilon"]),
    ("a tenth off", ["return g(epsilon)"], ["return g((epsilon * 9/10))", "return g((epsilon * 11/10))"]),
    ("a tenth off", ["x = 1 / self.scale"], ["x = 1 / (self.scale * 9/10)", "x = 1 / (self.scale * 11/10)"]),
    ("factor left out", ["x = 4 * c / eps"], ["x = 4 / eps"]),
    ("factor left out", ["x = a * b"], ["x = b", "x = a"]),
    ("threshold moved", ["return x > t"], ["return x > t + 1", "return x > t - 1"]),
    ("data in a threshold", ["return draw(a) >= t"], ["return draw(a) >= t + least(rows)"]),
    ("another comparison", ["return x >= t"], ["return x > t", "return x <= t"]),
    ("another comparison", ["return x == t"], ["return x != t"]),
    ("stop left out", ["for row in rows:", "    if row: break"], ["if row: pass"]),
    ("stop left out", ["while True:", "    if rows: return 1"], ["if rows: pass"]),
    ("stop one too late", ["for row in rows:", "    if sum(found) == count: break"], ["if sum(found) > count: break"]),
    ("early exit", ["return draw(a)"], ["return None if nothing(rows) else draw(a)"]),
    ("branch swapped", ["return 1 if rows else 2"], ["return 2 if rows else 1"]),
    ("branch swapped", ["if f(rows): x = 1", "else: x = 2"], ["if not f(rows):"]),
    ("off by one", ["x = 3"], ["x = 4", "x = 2"]),
    (
        "count off by one",
        ["g(rows, bound)", "x = range(self.count)"],
        ["x = range(self.count + 1)", "x = range(self.count - 1)"],
    ),
    ("off by one", ["x += 0"], ["x += 1"]),
    ("another sign", ["x = a + b"], ["x = a - b"]),
    ("another sign", ["x = a / epsilon"], ["x = a * epsilon"]),
    ("another extreme", ["return max(rows)"], ["return min(rows)"]),
    ("the rest of a slice", ["return rows[:k]"], ["return rows[k:]"]),
    ("the rest of a slice", ["return rows[1:k]"], ["return rows[k:1]"]),
    ("value for index", ["for i, row in enumerate(rows):", "    g(a[i])", "    x = i"], ["x = row"]),
    ("value for index", ["return [k for k, v in rows.items()]"], ["return [v for k, v in rows.items()]"]),
    (
        "data returned too",
        ["total = sum(rows)", "return draw(a)"],
        ["return (draw(a), rows)", "return (draw(a), total)"],
    ),
    ("data returned instead", ["return draw(a)"], ["return rows"]),
]

DOES_NOT_APPLY = [
    ("noise dropped", ["x = other(noise(2))"]),
    ("noise reused", ["x = draw(a)"]),
    ("noise drawn once for all", ["x = draw(a)"]),
    ("noise drawn anew", ["rho = draw(a)", "return rho"]),
    ("a tenth off", ["x = rows"]),
    ("factor left out", ["x = 2 / epsilon"]),
    ("data in a threshold", ["return x == t"]),
    ("stop one too late", ["if a == b: return 1", "return 2"]),
    ("early exit", ["x = draw(a)", "return"]),
    ("count off by one", ["x = rows"]),
    ("budget spent twice", ["x = rows"]),
    ("budget not split", ["return g(2 / epsilon)"]),
    ("sensitivity halved", ["return rows / epsilon"]),
    ("threshold moved", ["return x == t"]),
    ("another comparison", ["return a < b < c"]),
    ("stop left out", ["if rows: return 1", "return 2"]),
    ("branch swapped", ["if not rows: raise ValueError"]),
    ("off by one", ["return 3"]),
    ("another sign", ["x = rows + draw(a)"]),
    ("another extreme", ["return sum(rows)"]),
    ("the rest of a slice", ["return rows[k]"]),
    ("value for index", ["for i, row in pairs: x = i"]),
    ("data returned too", ["for row in rows: row"]),
    ("data returned instead", ["return rows"]),
]


@in_one("operator, body, found", APPLIES)
def test_an_operator_applies(operator: str, body: list[str], found: list[str]) -> None:
    assert of_body(body, operator) == found


@in_one("operator, body", DOES_NOT_APPLY)
def test_an_operator_does_not_apply(operator: str, body: list[str]) -> None:
    assert of_body(body, operator) == []


def test_every_operator_has_both_examples() -> None:
    assert {operator for operator, *_ in APPLIES} == OPERATORS.keys()
    assert {operator for operator, *_ in DOES_NOT_APPLY} == OPERATORS.keys()


def test_privacy_parameters_are_no_data() -> None:
    found = mutants("def f(draw, rows, epsilon, _delta):\n    return draw(a)\n", "data returned instead")
    assert found == [("data returned instead", "return rows")]


def test_noise_is_no_data() -> None:
    found = of_body(["noisy = sum(rows) + draw(a)", "return noisy > 1"], "data returned instead")
    assert "return rows" in found
    assert "return noisy" not in found


@in_one(
    "statement",
    [
        'raise ValueError(f"{len(rows) + 1} of {max(rows)}")',
        'if len(rows) > 3: raise ValueError("no")',
        "assert len(rows) > 3",
        '"""3 > 2."""',
        "checked(rows, 3)",
        "x: Annotated[int, 3 > 2]",
        "import a",
        'x = f"{1 + 2}"',
        "def inner(x=3 > 2): ...",
    ],
)
def test_texts_checks_defaults_and_annotations_are_left_alone(statement: str) -> None:
    assert mutants(f"def f(x: list[3] = 3 > 2) -> max(1, 2):\n    {statement}\n") == []


def test_only_functions_that_run_are_mutated() -> None:
    source = "def f(draw):\n    return (lambda: 1 + 2)() > 3\n\ndef g(draw):\n    return 4 > 5\n\nX = 6 > 7\n"
    lines = {(each.line, each.function) for each in mutations(source, "f.py", frozenset({(("f", 0),)}), DRAWS)}
    assert lines == {(2, "f")}
    inner = frozenset({(("f", 0), ("<lambda>", 0))})
    assert {each.function for each in mutations(source, "f.py", inner, DRAWS)} == {"f.<lambda>"}


def test_other_names_of_draw_are_those_that_were_seen() -> None:
    source = "def f(d, rows):\n    return d(noise)\n"
    (found,) = (
        each
        for each in mutations(source, "f.py", frozenset({(("f", 0),)}), frozenset({"d"}))
        if each.operator == "noise dropped"
    )
    assert found.after == "return noiseless(noise)"


def test_a_change_in_a_long_line_is_what_is_shown() -> None:
    ((_, after),) = mutants(f"def f(rows):\n    return g({'a, ' * 80}x > 1, {'b, ' * 80})\n", "threshold moved")[:1]
    assert "x > 1 + 1" in after
    assert len(after) < 200


SCOPES = """
def decorated(f=lambda: 1): return lambda: 0

class C:
    x = [lambda: 1 for _ in (lambda: 2,)]

    @decorated(lambda: 3)
    def method(self, g=lambda: 4):
        async def inner(): return {k: lambda: 5 for k in (lambda: 6)()}
        return (lambda: 7, [(lambda: 8) for _ in range(2)], inner)

def again(): return 1
def again(): return 2
"""


def test_functions_stand_where_their_code_stands() -> None:
    nodes, codes = functions_by_path(ast.parse(SCOPES)), codes_by_place(SCOPES, "f.py")
    assert nodes.keys() == codes.keys()
    for scope, node in nodes.items():
        if isinstance(node, ast.Lambda):
            assert ast.literal_eval(node.body) in codes[scope].co_consts
        else:
            assert codes[scope].co_name == node.name


def test_a_rank_stays_where_lines_move_and_differs_between_seeds() -> None:
    source = "def f(draw, rows):\n    return max(rows) > 3\n"
    running = frozenset({(("f", 0),)})
    first = list(mutations(source, "f.py", running, DRAWS))
    moved = list(mutations(f"import a\n\n\n{source}", "g.py", running, DRAWS))
    assert [each.rank(1) for each in first] == [each.rank(1) for each in moved]
    assert len({each.rank(seed) for each in first for seed in (1, 2)}) == 2 * len(first)
