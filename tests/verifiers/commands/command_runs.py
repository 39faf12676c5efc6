"""A library with claims, as commands find them, and how a command is run."""

import sys

from click.testing import CliRunner, Result

from dpverify.verifiers.command_line import main

MYLIB = """
import os
import signal
from fractions import Fraction
from dpverify.mechanisms import exponential, bernoulli, sqrt
from dpverify.verifiers import Claim, Multisets, Status, Tuples

def most_common(draw, rows, *, epsilon, half=True):
    counts = {x: rows.count(x) for x in range(3)}
    return draw(exponential(counts, epsilon if half else 2 * epsilon))

def by_method(draw, rows, *, method, epsilon):
    return method(draw, rows, epsilon=epsilon)

def answer(draw, rows):
    return sum(rows)

def hidden(draw, database):
    return bernoulli((sqrt(7 + 4 * sqrt(3)) if database else 2 + sqrt(3)) / 8)

def flip(database):
    return [1 - database]

def forgets(draw, rows):
    draw(bernoulli(Fraction(1, 2)))

def exits(draw, rows):
    os._exit(0)

def interrupts(draw, rows):
    raise KeyboardInterrupt

def stubborn(draw, rows):
    while True:
        try:
            signal.pause()
        except:  # also what is to interrupt it
            continue

def deaf(draw, rows):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    stubborn(draw, rows)

class Unshowable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

def unshowable(draw, rows):
    raise Unshowable

NUMBERS = [0, 1]
SIX = Multisets(range(3), size=6)
"""


CLAIMS = """
from mylib import *
one = Claim(id="mine.one", mechanism=most_common, domain=SIX, epsilon=1)
two = Claim(id="mine.two", mechanism=answer, domain=Tuples((0, 1), size=2), epsilon=1, expected=Status.REFUTED, statement="a known leak")
late = Claim(id="mine.late", mechanism=most_common, domain=SIX, epsilon=1, depth="full")
"""


def forget_modules(*others: str) -> None:
    for name in [name for name in sys.modules if name.startswith(("mylib", "claims_", *others))]:
        del sys.modules[name]


def dpverify(*arguments: str) -> Result:
    forget_modules()
    return CliRunner().invoke(main, arguments)


SIX = ("--domain", "Multisets(range(3), size=6)")


ONE = ("--domain", "Tuples((0, 1), size=1)", "--epsilon", "1")
