"""Templates of random programs: `<int>` is filled with an expression of ints, `<int:v>` with a variable, `#x` is a new name."""

from __future__ import annotations

from typing import Final

IMPORTS: Final = """
import bisect, functools, heapq, itertools, operator
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import astuple, dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import NamedTuple
from dpverify.mechanisms import Distribution, bernoulli, uniform
"""

# Templates are parted by semicolons
# fmt: off
DEFINITIONS: Final = {
    "bit": ("""
BIT = bernoulli(Fraction(1, 3))
THREE = uniform((0, 1, 2))
NAMED = Distribution({'a': 1, 'b': 2})
""", {
        "int": 'draw(BIT); draw(THREE); draw(BIT)',
        "str": 'draw(NAMED)',
    }),
    "part": ("""
def flipped(draw, row, other=1):
    return (row + other * draw(bernoulli(Fraction(1, 4)))) % 3
def asked(draw, query):
    return query(1) + draw(bernoulli(Fraction(1, 2)))
def noisy(draw, rows, queries=()):
    return tuple(draw(asked, each) for each in queries)
""", {
        "int": 'draw(flipped, <int>); draw(flipped, <int>, other=<int>); draw(asked, <query>); sum(draw(noisy, rows, queries=(<query>, <query>)))',
        "list": '[*draw.each(flipped, <list>[:2])]; [draw(flipped, each) for each in <list>[:2]]',
    }),
    "frozen": ("""
@dataclass(frozen=True)
class At:
    number: int
    more: tuple = ()
    def __call__(self, value):
        return int(value >= self.number)
    def up(self, by=1):
        return At(self.number + by, self.more)
    @property
    def size(self):
        return self.number + len(self.more)
AT = At(1)
OTHER = At(1)
BY_AT = {At(0): 2, At(1): 3}
ATS = (At(0), At(1), At(1))
WITH = functools.partial(At(2), 1)
""", {
        "query": 'At(<int>); AT; OTHER; <query> if <bool> else AT; AT.up(); ATS[<place>]',
        "int": 'BY_AT.get(AT, 0); {AT: 1}.get(OTHER, 0); AT.up(<int>).number; ATS.index(At(1)); WITH(); At(<int>, (1,)).size; replace(AT, number=<int>).number; astuple(At(<int>))[0]',
        "bool": 'AT == OTHER; At(<int>) == AT; AT in ATS; OTHER in BY_AT; AT in {OTHER}; type(AT) is At; isinstance(<query>, At)',
        "key": 'At(<int>); OTHER',
    }),
    "checked": ("""
@dataclass(frozen=True)
class Checked:
    low: int
    values: list = field(default_factory=list)
    def __post_init__(self):
        if self.low > 2:
            raise ValueError('low')
        self.values.append(self.low)
    def __call__(self, value):
        return value + len(self.values)
""", {
        "query": 'Checked(<int> % 3); Checked(low=1, values=[<int>])',
        "int": 'Checked(<int> % 3).values[-1]; len(replace(Checked(1), low=2).values); Checked(<int> % 3)(<int>)',
        "bool": 'Checked(1) == Checked(1); Checked(1) == Checked(<int> % 3)',
    }),
    "box": ("""
class Box:
    start = 1
    kinds = ['a', 'b']
    def __init__(self, x=0):
        self.x = x
        self.seen = []
    def put(self, x):
        self.seen.append(x)
        self.x += x
        return self
    def __call__(self, value):
        self.seen.append(value)
        return len(self.seen)
    def __len__(self):
        return len(self.seen)
    @classmethod
    def of(cls, x):
        return cls(x + cls.start)
    @staticmethod
    def twice(x):
        return 2 * x
class Sub(Box):
    start = 2
    def put(self, x):
        super().put(x)
        return super().put(1)
""", {
        "box": 'Box(<int>); Sub(); Box.of(<int>); Sub.of(1); <box>.put(<int>)',
        "query": 'Box(); Sub(<int>)',
        "int": '<box>.x; len(<box>); <box>(<int>); Box.twice(<int>); <box>.start; sum(<box>.put(1).seen); len(Box.kinds)',
        "bool": "isinstance(<box>, Sub); hasattr(<box>, 'seen')",
        "str": 'Box.kinds[<place>]',
    }),
    "pair": ("""
class Pair(NamedTuple):
    left: int
    right: int = 1
    @property
    def both(self):
        return self.left + self.right
Two = namedtuple('Two', 'a b')
PAIRS = [Pair(0), Pair(1, 2), Pair(1, 2)]
""", {
        "int": 'Pair(<int>).both; PAIRS.count(Pair(1, 2)); Pair(<int>, <int>).left; PAIRS[<place>].right; Two(<int>, 1).a',
        "bool": 'Pair(1, <int>) == (1, 2); Pair(1, 2) in PAIRS; max(PAIRS) == Pair(1, 2)',
        "key": 'Pair(<int>)',
    }),
    "colour": ("""
class Colour(Enum):
    RED = 1
    BLUE = 2
    def other(self):
        return Colour.BLUE if self is Colour.RED else Colour.RED
WEIGHTS = {Colour.RED: 1, Colour.BLUE: 5}
""", {
        "int": 'WEIGHTS[Colour.RED.other()]; Colour(<int> % 2 + 1).value; len(Colour); WEIGHTS.get(Colour.BLUE, <int>)',
        "bool": "Colour(1) is Colour.RED; Colour.RED in WEIGHTS; Colour['BLUE'] == Colour.BLUE.other()",
        "str": 'Colour(<int> % 2 + 1).name',
        "key": 'Colour.RED; Colour(<int> % 2 + 1)',
    }),
    "outside": ("""
NUMBERS = [2, 0, 1]
TABLE = {'a': 1, 'b': [2, 3]}
WORDS = ('a', 'b', 'a')
LETTERS = frozenset({'a', 'c'})
SEEN = {1, 2}
TALLY = Counter('aab')
DEFAULTS = defaultdict(list, {1: [1]})
QUEUE = deque([1, 2, 3])
ORDER = OrderedDict([('b', 1), ('a', 2)])
NESTED = ([1, 2], {'x': (3,)})
TAKE = operator.itemgetter(0)
KIND = str
""", {
        "list": "NUMBERS; NUMBERS[1:]; [*NUMBERS]; TABLE['b']; NESTED[0]; list(QUEUE); DEFAULTS.get(1, []); sorted(SEEN); [*ORDER.values()]",
        "int": "NUMBERS[<place>]; TABLE.get(<str>, 0) if <str> != 'b' else 7; TALLY['a']; TAKE(NUMBERS); len(LETTERS | <set>); NESTED[1]['x'][0]; NUMBERS.index(1)",
        "bool": "<str> in LETTERS; <int> in SEEN; type(LETTERS) is frozenset; type(SEEN) is set; any(t is str for t in map(type, [<str>, <int>])); type(<str>) is KIND; isinstance(<str>, KIND); isinstance(NUMBERS, list); SEEN == {2, 1}; LETTERS <= {'a', 'b', 'c'}",
        "str": "WORDS[<place>]; TALLY.most_common(1)[0][0]; ''.join(ORDER)",
        "set": 'set(NUMBERS); SEEN | <set>; set(WORDS); {*LETTERS}',
        "key": 'frozenset(NUMBERS); LETTERS; str(<int>)',
    }),
    "closure": ("""
def adding(n, seen=[5]):
    table = {'n': n}
    def add(x, by=(1, 2)):
        return x + table['n'] + len(seen) + by[0]
    return add
def counting():
    n = 0
    def count(step=1):
        nonlocal n
        n += step
        return n
    return count
ADD = adding(2)
ADD_THREE = functools.partial(operator.add, 3)
LAMBDAS = [lambda x: x, lambda x, k=2: x * k]
""", {
        "query": 'adding(<int>); ADD; ADD_THREE; LAMBDAS[<place> % 2]; lambda x: x + <int>; functools.partial(max, <int>)',
        "int": 'ADD(<int>); counting()(<int>); functools.reduce(operator.add, <list>, <int>)',
        "bool": 'ADD is ADD; ADD in LAMBDAS; LAMBDAS[0] in LAMBDAS',
    }),
    "cached": ("""
@functools.cache
def squared(x):
    return x * x
@functools.lru_cache(maxsize=2)
def typed(x):
    return type(x) is bool
class Lazy:
    def __init__(self, x):
        self.x = x
    @functools.cached_property
    def double(self):
        return [self.x, self.x]
""", {
        "int": 'squared(<int>); sum(Lazy(<int>).double)',
        "bool": 'typed(<bool>); typed(<int>); typed(1) < typed(True)',
        "list": 'Lazy(<int>).double',
    }),
    "equal": ("""
class Modulo:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return self.n % 3 == other.n % 3
    def __hash__(self):
        return self.n % 3
    def __lt__(self, other):
        return self.n % 3 < other.n % 3
    def __repr__(self):
        return 'Modulo'
    def __add__(self, other):
        return self.n + other.n
MODULOS = [Modulo(1), Modulo(4), Modulo(2)]
BY_MODULO = {Modulo(1): 'a'}
""", {
        "bool": 'Modulo(<int>) == Modulo(1); Modulo(<int>) in MODULOS; Modulo(4) in BY_MODULO; Modulo(<int>) < Modulo(<int>)',
        "int": 'Modulo(<int>) + Modulo(1); min(MODULOS).n; len({Modulo(<int>), Modulo(1)}); len(dict.fromkeys(MODULOS)); sorted(MODULOS)[0].n',
        "str": "BY_MODULO.get(Modulo(<int>), 'z')",
        "key": 'Modulo(<int>)',
    }),
}
"""By name: the source, and what it adds to the templates of expressions."""

EXPRESSIONS: Final = {
    "int": '0; 1; 2; len(rows); rows[0]; rows[-1]; <int> + <int>; <int> - 1; <int> * 2; <int> % 3; -<int>; max(<int>, <int>); abs(<int>); sum(<list>); len(<set>); <dict>.get(<key>, 0); <int> if <bool> else <int>; <query>(<int>); len(<list>); int(<int> / 2); len(<str>); (<int>, <int>)[<bool>]; max(<list>, key=<query>, default=0); sum(map(<query>, <list>)); <list>.count(<int>); next(iter(<list>), 9); bisect.bisect_left(sorted(<list>), <int>); (lambda a, b=<int>: a - b)(<int>); sum(<dict>.values()); min(<int>, 2)',
    "bool": 'True; <int> > <int>; <int> == <int>; not <bool>; <bool> and <bool>; <bool> or <bool>; <int> in <list>; <int> in <set>; <key> in <dict>; <str> == <str>; any(x > 1 for x in <list>); <list> == <list>; <set> == <set>; <int> / 2 >= 1; <query> in [<query>]; isinstance(<list>, list); type(<set>) is set; isinstance(<set>, set); 0 <= <int> < 3; callable(<query>); <set> <= <set>',
    "str": "'a'; 'b'; str(<int>); f'{<int:v>}-{<str:v>!r:>3}'; f'{<list:v>}{<bool:v>}'; <str> + <str>; <str>.upper(); '-'.join(map(str, <list>)); '%s' % <int>; '{}'.format(<int>); repr(<list>); <str>[:1]; type(<int>).__name__",
    "list": '[]; [<int>, <int>]; list(rows); [<int>] + <list>; sorted(<list>); sorted(<list>, key=<query>); [x + 1 for x in <list>]; [<query>(x) for x in <list> if x > 0]; list(map(<query>, <list>)); <list>[:2]; <list>[::-1]; sorted(<set>, key=str)[:0]; list(filter(<query>, <list>)); [a + b for a, b in zip(<list>, <list>)]; heapq.nlargest(2, <list>); list(itertools.accumulate(<list>)); [k for k, g in itertools.groupby(sorted(<list>))]; [*{*<list>}][:0]; sorted({*<list>}); list(itertools.chain(<list>, <list>)); [i for i, x in enumerate(<list>)]',
    "set": 'set(); {<int>, <int>}; set(<list>); <set> | {<int>}; <set> - {<int>}; <set> & <set>; {x % 2 for x in <list>}; <set> ^ <set>; <set>.union(<list>); set(<dict>.keys()) - {<key>}',
    "dict": '{}; {<key>: <int>}; {x: x + 1 for x in <list>}; dict.fromkeys(<list>, <int>); dict(enumerate(<list>)); Counter(<list>); <dict> | {<key>: 1}; {<key>: 0, **<dict>}',
    "query": 'abs; (lambda x: x % 2); (lambda x, k=<int>: x - k); functools.partial(pow, 2); int; bool',
    "key": '<int>; <str>; (<int>, <str>); frozenset({<int>}); <bool>; None; tuple(<list>)',
    "place": '0; 1; 2; (<int> % 3)',
    "box": 'None',
}
# fmt: on
STATEMENTS: Final = [
    "<list:v>.append(<int>)",
    "<list:v> += [<int>]",
    "<list:v>.sort(key=<query>)",
    "<list:v>.extend(<list>)",
    "<list:v>[:0] = [<int>]",
    "<list:v>.insert(0, <int>)",
    "<set:v>.add(<int>)",
    "<set:v> |= {<int>}",
    "<set:v>.discard(<int>)",
    "<dict:v>[<key>] = <int>",
    "<dict:v>.update({<key>: 1})",
    "<dict:v>.pop(<key>, None)",
    "<dict:v>.setdefault(<key>, <int>)",
    "<int:v> += <int>",
    "<str:v> += <str>",
    "heapq.heapify(<list:v>)",
    "heapq.heappush(<list:v>, <int>)",
    "assert <list> is not None",
    "bisect.insort(<list:v>, <int>)",
]
BLOCKS: Final = [
    "if <bool>:\n    <body>\nelse:\n    <body>",
    "for #x in <list>[:2]:\n    <body #x>",
    "for #x in [*<list>]:\n    if #x > 1:\n        continue\n    <body #x>\n    break",
    "#n = 0\nwhile #n < 2 and <bool>:\n    #n += 1\n    <body>",
    "#n = 0\ntry:\n    #n = [<int>][<place>]\n    <body>\nexcept IndexError:\n    <body #n>",
    "#n = 0\ntry:\n    #n = {<key>: <int>}[<key>]\nexcept (KeyError, ZeroDivisionError):\n    <body>\nfinally:\n    #n += 1",
    "#n = 1\ntry:\n    if <bool>:\n        raise ValueError('no')\n    <body>\nexcept ValueError:\n    #n = 0\n    <body #n>",
    "match (<int>, <bool>):\n    case (0, True):\n        <body>\n    case (#x, _):\n        <body #x>",
    "match <list>:\n    case [#x, *_] if #x > 0:\n        <body #x>\n    case _:\n        <body>",
    "def #f(a, b=<int>):\n    <body a>\n    return a + b + <int>",
    "def #f(*args, by=<list>):\n    return sum(args) + sum(by)",
    "#s = <list>\ndef #f(a):\n    if len(#s) < 4:\n        #s.append(a)\n    return len(#s)",
]
OF_SETS: Final = "tuple(<set>)"
"""What is returned of a set where its order matters, which plain Python does not know."""
RETURNED: Final = {"int": "<int>", "bool": "<bool>", "str": "<str>", "list": "tuple(<list>)", "set": "tuple(sorted(map(str, <set>)))", "dict": "tuple(sorted(<dict>.values()))"}  # fmt: skip
