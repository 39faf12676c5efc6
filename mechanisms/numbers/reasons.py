"""The registry of reasons: why something is refused or UNDECIDED, each with an id, one sentence and what to write.

A message is `sentence: instead [id]`. The pages docs/errors.md and docs/undecided.md are made from these rows, whose
examples are run. A reason that is raised without a row is counted by a test, and that count may only fall.
"""

from typing import Final

from dpverify.mechanisms.reasons import bad_input, bad_mechanism, not_known
from dpverify.mechanisms.reasons.reason import Reason

FLOAT_USED: Final = Reason(
    "float-used",
    "{value} is a float, which is not exact",
    "write {number}",
    "def f(draw, rows):\n    import math\n\n    return sum(rows) + math.sin(1) + draw(laplace(1))",
)

FLOAT_ARGUMENT: Final = Reason(
    "float-argument",
    "{value} is a float, which is not exact",
    "write {number}",
    "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\nrun(f, (1, 2), epsilon=0.5)",
)

TEXT_IS_NO_NUMBER: Final = Reason(
    "text-is-no-number",
    "{value} is not a finite number",
    "{number}",
    "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n"
    'check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon="symbolic")',
)

TRUTH_VALUE: Final = Reason(
    "truth-value",
    "{value} is a truth value, where a number is needed",
    "write {number}",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(True))",
)

NUMBER_NOT_DRAWN: Final = Reason(
    "number-not-drawn",
    "a distribution is no number before something is drawn from it",
    "{call}",
    "def f(draw, rows):\n    return sum(rows) + laplace(1)",
)

CONDITION_NOT_DRAWN: Final = Reason(
    "condition-not-drawn",
    "a distribution is neither true nor false before something is drawn from it",
    "{call}",
    'def f(draw, rows):\n    return rows if bernoulli("0.5") else ()',
)

OTHER_RANDOMNESS: Final = Reason(
    "other-randomness",
    "chance came from {source}",
    "let all chance come from `draw`, for example draw(bernoulli(p)) or draw(uniform(range(6)))",
    "def f(draw, rows):\n    import os\n\n    return sum(rows) + os.urandom(1)[0]",
)

DRAW_IS_FIRST: Final = Reason(
    "draw-is-first",
    "{mechanism} takes {first} before draw",
    "write (draw, {first}, …)",
    "def f(rows, draw):\n    return sum(rows) + draw(laplace(1))",
)

METHOD_OF_A_CLASS: Final = Reason(
    "method-of-a-class",
    "{mechanism} takes self before draw",
    "give the method of an object, as in {method}",
    "class Counts:\n    def f(self, draw, rows):\n        return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(Counts.f, Tuples((0, 1), size=2), replace_one, epsilon=1)",
)

TEXT_AMONG_NUMBERS: Final = Reason(
    "text-among-numbers",
    "a text was used as a number, as a row of the domain or a parameter may be one",
    'take a domain of numbers, as in Tuples((0, 1), size=2), or count texts, as in rows.count("a")',
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    'check_privacy(f, Tuples(("a", "b"), size=2), replace_one, epsilon=1)',
)

EPSILON_IS_ZERO: Final = Reason(
    "epsilon-is-zero",
    "at ε = 0 there is no 1/ε",
    'claim an epsilon > 0, or give parameters={{"epsilon": …}}, and see whether neighbours have equal distributions',
    "def f(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=0)",
)

PARAMETER_NOT_PASSED: Final = Reason(
    "parameter-not-passed",
    "a claim gives {name} to the parameter of that name, and this wrapper does not name it",
    "{advice}",
    "def g(draw, rows, *, epsilon):\n    return sum(rows) + draw(laplace(1 / epsilon))\n\n\n"
    '@wraps(g)\ndef f(draw, rows, **more):\n    more.pop("log", None)\n    return g(draw, rows, **more)',
)

ERROR_ON_REAL_DATA: Final = Reason(
    "error-on-real-data",
    "{mechanism} raised {error}, whose text is not shown, as it may tell of the database",
    "run it on made-up data, or inside `with debugging():` of dpverify.mechanisms.drawing",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\nrun(f, (0.5, 1.5))",
)

RELATION_CALLED: Final = Reason(
    "relation-called",
    "{relation} is a neighbour relation, and no function that makes one",
    "write {relation}, without brackets",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one((0, 1)), epsilon=1)",
)

NO_FUNCTION_NAMED: Final = Reason(
    "no-function-named",
    "{reference} names no function",
    "write {advice}",
    "dpverify check mylib.py --domain '[(0,), (1,)]' --epsilon 1",
)

STATUS_UNKNOWN: Final = Reason(
    "status-unknown",
    "{claim}: expected={value} is no verdict",
    "write {known}",
    'Claim(id="a", mechanism=len, domain=(0, 1), neighbours=replace_one, epsilon=1, expected="REFUSED")',
)

CLAIM_ID: Final = Reason(
    "claim-id",
    "id={value} is not a name without spaces",
    "write letters, digits, dots and hyphens, such as mylib.most_common",
    'Claim(id="a b", mechanism=len, domain=(0, 1), epsilon=1)',
)

NOISE_AS_NUMBER: Final = Reason(
    "noise-as-number",
    "noise was {use}, where a plain number is needed",
    "move this step into draw.release(value, then=function), or add, scale, compare, round or clamp the noise",
    "def f(draw, rows):\n    noisy = sum(rows) + draw(discrete_laplace(1))\n    return int(noisy)",
)

NOISE_IN_TEXT: Final = Reason(
    "noise-in-text",
    "noise was turned into text, as a mechanism or the message of an error does (that of list.index)",
    "compare it, clamp it, or return it, and make a text from the result of `run`",
    'def f(draw, rows):\n    noisy = sum(rows) + draw(discrete_laplace(1))\n    return f"about {noisy}"',
)

TWO_KINDS_OF_OUTCOME: Final = Reason(
    "two-kinds-of-outcome",
    "a released number could come from two kinds of outcome, the numbers {kinds}",
    'tell them apart, for example by returning ("mean", noisy), or write clamp(n + noise, low, high), which gives a '
    "plain number, {or_release}",
    "def f(draw, rows):\n    noisy = sum(rows) + draw(discrete_laplace(1))\n    return noisy if rows[0] else 2 * noisy",
)

PARAMETER_KEPT: Final = Reason(
    "parameter-kept",
    "{mechanism} keeps {name} = {value}, where the claim has another one",
    "{advice}",
    "def f(draw, rows, *, epsilon=2):\n    return sum(rows) + draw(laplace(Fraction(1, epsilon)))\n\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=symbolic)",
)

NO_CLAIMS: Final = Reason(
    "no-claims",
    "{file} holds no claims",
    "assign a Claim(…), or a claim of another kind, to a name at module level",
    "dpverify audit mylib.py",
)

NO_SUCH_FILE: Final = Reason(
    "no-such-file",
    "{file} is not a file{near}",
    "write a path from the folder that you are in",
    "dpverify check nowhere.py:f --domain '[(0,), (1,)]' --epsilon 1",
)

NO_SUCH_NAME: Final = Reason(
    "no-such-name",
    "{file} has no {name}{near}",
    "write {known}",
    "dpverify check mylib.py:g --domain '[(0,), (1,)]' --epsilon 1",
)

ROWS_ASKED: Final = Reason(
    "rows-asked-outside-a-part",
    "what is around the parts of a mechanism asked its rows for {asked}",
    "hand them to a part, draw(part, rows, …), that says how private it is",
    "from dpverify.verifiers.all_sizes.compositions import EveryDatabase\n\n\n"
    "def f(draw, rows):\n    return len(rows) > 100\n\n\n"
    "check_privacy(f, EveryDatabase((0, 1)), replace_one, epsilon=1)",
)

ROW_BY_ROW: Final = Reason(
    "row-by-row",
    "a database of unknown size was {use}",
    "write rows.count(x), len(rows), Counter(rows) or sum(… for row in rows if …), or claim it on databases up to a "
    "size",
    "def f(draw, rows):\n    total = 0\n    for row in rows:\n"
    "        total += row\n    return total + draw(geometric(1))"
    "\n\n\ncheck_privacy(f, Histograms((0, 1)), replace_one, epsilon=1)",
)

RELEASED_IN_SEVERAL_WAYS: Final = Reason(
    "released-in-several-ways",
    "a number is released in several ways that the outcome does not tell apart, with Gaussian noise of several "
    "scales, rounded, or beside other kinds of noise",
    'return what tells the ways apart, as in ("one", number)',
    'def f(draw, rows):\n    sigma = 1 if draw(bernoulli("0.5")) else 2\n    return sum(rows) + draw(gaussian(sigma))'
    '\n\n\ncheck_privacy(f, Tuples((0, 1), size=1), replace_one, epsilon=1, delta="0.1")',
)

RETURNED_NOTHING: Final = Reason(
    "returned-nothing",
    "it returned None on every database",
    "write `return` before the value of the last line, or claim neighbours_agree=True",
    "def f(draw, rows):\n    sum(rows) + draw(laplace(1))",
)

NEIGHBOURS_AGREE: Final = Reason(
    "neighbours-agree",
    "all neighbours have one and the same output distribution",
    "return a value that depends on the database, choose a larger domain, or claim neighbours_agree=True",
    "def f(draw, rows):\n    return draw(laplace(1))",
)

NO_SUCH_ATTRIBUTE: Final = Reason(
    "no-such-attribute",
    "a verdict has no {name}{near}",
    "read .status, which is Status.PROVED, REFUTED, UNDECIDED or VACUOUS, or .epsilon, .delta, .witness, .reason",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=1).is_private",
)


UNIVERSE_NO_ITERABLE: Final = Reason(
    "universe-no-iterable",
    "universe={value} is no iterable of rows",
    "write, for example, range({value})",
    "Tuples(2, size=2)",
)

UNIVERSE_EMPTY: Final = Reason(
    "universe-empty", "universe is empty", "give at least one row that a database may hold", "Tuples((), size=2)"
)

UNIVERSE_NOT_HASHABLE: Final = Reason(
    "row-not-hashable", "universe holds a row that cannot be hashed ({error})", "{advice}", "Tuples([[0], [1]], size=2)"
)

UNIVERSE_REPEATS: Final = Reason(
    "row-twice", "universe holds a row twice", "give each row once", "Tuples((0, 0), size=2)"
)

SIZE_AND_SIZES: Final = Reason(
    "size-and-sizes",
    "a domain needs size or sizes, and not both",
    "give either size=n, for databases of exactly n rows, or sizes=range(…), for several sizes",
    "Tuples((0, 1))",
)

SIZES_NO_ITERABLE: Final = Reason(
    "sizes-no-iterable",
    "sizes={value} is no iterable of numbers",
    "write size={value}, or sizes=range(…)",
    "Tuples((0, 1), sizes=3)",
)

SIZES_EMPTY: Final = Reason(
    "sizes-empty", "sizes is empty", "give at least one number of rows", "Tuples((0, 1), sizes=())"
)

DOMAIN_NO_ITERABLE: Final = Reason(
    "domain-no-iterable",
    "domain={value} is not an iterable of databases",
    "give Tuples, Multisets, a list, …",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\ncheck_privacy(f, 5, replace_one, epsilon=1)",
)

DOMAIN_ITERATOR: Final = Reason(
    "domain-iterator",
    "domain is an iterator, which can be read only once",
    "give a list or another iterable",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, iter([(0,), (1,)]), replace_one, epsilon=1)",
)

DOMAIN_EMPTY: Final = Reason(
    "domain-empty",
    "domain={value} is empty",
    "give at least two databases that are neighbours",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\ncheck_privacy(f, [], replace_one, epsilon=1)",
)

DOMAIN_NOT_HASHABLE: Final = Reason(
    "database-not-hashable",
    "domain holds a database that cannot be hashed ({error})",
    "{advice}",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, [[0], [1]], replace_one, epsilon=1)",
)

EPSILON_NEGATIVE: Final = Reason(
    "epsilon-negative",
    "epsilon={value} is negative",
    "a privacy claim has epsilon ≥ 0",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=-1)",
)

EPSILON_TOO_LARGE: Final = Reason(
    "epsilon-too-large",
    "epsilon={value} is beyond {most}",
    "claim a smaller one",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=10**30)",
)

PARAMETERS_NO_MAPPING: Final = Reason(
    "parameters-no-mapping",
    "parameters={value} is not a mapping",
    "write parameters={{'name': value}}",
    "def f(draw, rows):\n    return sum(rows) + draw(laplace(1))\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=1, parameters=3)",
)

MECHANISM_NO_FUNCTION: Final = Reason(
    "mechanism-no-function",
    "mechanism={value} is not a function",
    "give mechanism(draw, database, **parameters), whose chance is drawn",
    "check_privacy(3, Tuples((0, 1), size=2), replace_one, epsilon=1)",
)


DELTA_SYMBOLIC_ALONE: Final = Reason(
    "delta-symbolic-alone",
    "epsilon={epsilon} is a number, and delta={delta} is not",
    "write epsilon=symbolic as well, or a number in the place of delta",
    "def f(draw, rows):\n    return sum(rows) + draw(discrete_laplace(1))\n\n\n"
    "check_privacy(f, Tuples((0, 1), size=2), replace_one, epsilon=1, delta=symbolic)",
)

NO_JSON_REPORT: Final = Reason(
    "no-json-report", "not an audit of dpverify ({why})", "write one with {renew}", "dpverify compare mylib.py mylib.py"
)

CANNOT_READ: Final = Reason(
    "cannot-read",
    "cannot read {file} ({why})",
    "write the path of a file that you may read, from the folder that you are in",
    "dpverify compare nowhere.json nowhere.json",
)

NO_SUCH_PARAMETER: Final = Reason(
    "no-such-parameter",
    "{called} has no parameter {name}{near}",
    "it takes {known}",
    "def f(draw, rows):\n    return draw(exponential({x: rows.count(x) for x in range(2)}, eps=1))",
)

PARAMETERS_MISSING: Final = Reason(
    "parameters-missing",
    "{called} needs {names}",
    "write {called}(…, {arguments})",
    "def g(draw, rows, *, least):\n    return max(sum(rows) + draw(discrete_laplace(1)), least)\n\n\n"
    "def f(draw, rows):\n    return draw(g, rows)",
)

DRAW_OF_NOTHING: Final = Reason(
    "draw-of-nothing",
    "{name} was called without a distribution to draw from",
    "write {name}(laplace(1)), or {name}(mechanism, rows) for a sub-mechanism",
    "def f(draw, rows):\n    return sum(rows) + draw()",
)

NO_SUCH_MODULE: Final = Reason(
    "no-such-module",
    "there is no module {name}{near}",
    "write the name of a module of this folder, or of a package that is installed",
    "dpverify check mylab:f --domain '[(0,), (1,)]' --epsilon 1",
)


def all_reasons() -> tuple[Reason, ...]:
    """All reasons: those with an example, in the order of this file, and the others."""
    rooms = (globals(), *(vars(room) for room in (bad_input, bad_mechanism, not_known)))
    return tuple(value for room in rooms for value in room.values() if isinstance(value, Reason))
