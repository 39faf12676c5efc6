"""Two SMT solvers behind one door: each is handed the same SMT-LIB 2 text, and answers it in text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final, Literal, TypeAlias

TermValue: TypeAlias = bool | Fraction
"""Of a term in a model; a whole number as a Fraction, too."""

RLIMIT: Final = 20_000_000
"""The work after which Z3 gives up, in units of its own: the same on every machine, unlike a time."""

CVC5_RLIMIT: Final = 2_000_000
"""The same for cvc5, in its units."""


@dataclass(frozen=True)
class SolverAnswer:
    """Answer of a solver: unsat, sat with the values of the terms that were asked for, or unknown with its reason."""

    verdict: Literal["unsat", "sat", "unknown"]
    reason: str = ""
    values: tuple[TermValue, ...] = ()


def script(logic: str, declarations: Sequence[str], assertions: Mapping[str, str], terms: Sequence[str] = ()) -> str:
    """A closed SMT-LIB 2 question: whether the assertions, by name, are satisfiable, and if so with what `terms`."""
    lines = [f"(set-logic {logic})", *declarations]
    for name, formula in assertions.items():
        lines += [f"; {name}", f"(assert {formula})"]
    lines.append("(check-sat)")
    if terms:
        lines.append(f"(get-value ({' '.join(terms)}))")
    return "\n".join([*lines, ""])


def ask_z3(text: str, rlimit: int = RLIMIT) -> SolverAnswer:
    """Z3's answer. Raises `ValueError` where it does not accept the text."""
    return _asked(_z3(rlimit), text)


def ask_cvc5(text: str, rlimit: int = CVC5_RLIMIT) -> SolverAnswer:
    """cvc5's answer. Raises `ValueError` where it does not accept the text."""
    _, say = _cvc5({"rlimit": str(rlimit), "produce-models": "true"})
    return _asked(say, text)


SOLVERS: Final[Mapping[str, Callable[[str], SolverAnswer]]] = {"z3": ask_z3, "cvc5": ask_cvc5}
"""The solvers, by name."""


@dataclass(frozen=True)
class Proof:
    """cvc5's proof that a question has no model, in its format CPC, which the checker Ethos reads.

    `trusted` of its `steps` apply a rule called TRUST, which no checker can check.
    """

    text: str
    steps: int
    trusted: int


@cache
def proof(text: str) -> Proof:
    """The proof that the text is unsatisfiable.

    Products are refuted by incremental linearisation: cylindrical coverings, cvc5's default, leave trusted steps.
    Raises `ValueError` where cvc5 does not accept the text, or does not refute it within `CVC5_RLIMIT`.
    """
    import cvc5

    solver, say = _cvc5(_PROVING)
    said = say(text)
    if not said.startswith("unsat"):
        raise ValueError(f"cvc5 does not refute: {said.strip()}")
    roots = list(solver.getProof())
    waiting, seen, trusted = list(roots), set(roots), 0
    while waiting:
        step = waiting.pop()
        trusted += "TRUST" in str(step.getRule())
        further = [child for child in step.getChildren() if child not in seen]
        seen.update(further)
        waiting += further
    printed = b"".join(solver.proofToString(root, cvc5.ProofFormat.CPC) for root in roots)
    return Proof(printed.decode(), len(seen), trusted)


_PROVING: Final = {
    "rlimit": str(CVC5_RLIMIT),
    "produce-proofs": "true",
    "proof-granularity": "dsl-rewrite",
    "nl-cov": "false",
    "nl-ext": "full",
}


def _asked(say: Callable[[str], str], text: str) -> SolverAnswer:
    """The answer of a solver to a text; `say` gives it one part after another, the second where it was not refused.

    Values are there after sat alone, and a reason after unknown: to ask for either elsewhere is an error.
    """
    end = text.index("(check-sat)") + len("(check-sat)")
    question = f"{text[:end]}\n"
    verdict = say(question).strip()
    if verdict == "unsat":
        return SolverAnswer("unsat")
    if verdict == "sat":
        return SolverAnswer("sat", values=_values(say(text[end:])) if "(get-value" in text else ())
    if not verdict.startswith("unknown"):
        raise ValueError(f"a solver does not accept a question: {verdict}\n{question}")
    reason = re.search(r":reason-unknown\s+\"?([^\")]*)", say("(get-info :reason-unknown)\n"))
    return SolverAnswer("unknown", reason[1].strip() if reason else "it does not say why")


def _z3(rlimit: int) -> Callable[[str], str]:
    """Z3, in a context of its own: what one question declares is unknown to the next."""
    import z3

    context = z3.Context()
    z3.Z3_eval_smtlib2_string(context.ref(), f"(set-option :rlimit {rlimit})\n")

    def say(text: str) -> str:
        try:
            return str(z3.Z3_eval_smtlib2_string(context.ref(), text))
        except z3.Z3Exception as error:
            raise ValueError(f"Z3 does not accept a question: {error}\n{text}") from error

    return say


def _cvc5(options: Mapping[str, str]) -> tuple[Any, Callable[[str], str]]:
    """cvc5, and what it says to one part of a text after another."""
    import cvc5

    solver = cvc5.Solver()
    for name, value in options.items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setIncrementalStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "lemma")

    def say(text: str) -> str:
        try:
            parser.appendIncrementalStringInput(text)
            return "".join(_invoked(solver, parser))
        except RuntimeError as error:
            raise ValueError(f"cvc5 does not accept a question: {error}\n{text}") from error

    return solver, say


def _invoked(solver: Any, parser: Any) -> Iterator[str]:
    while not (command := parser.nextCommand()).isNull():
        yield command.invoke(solver, parser.getSymbolManager())


def _values(said: str) -> tuple[TermValue, ...]:
    """The values of (get-value …), which prints ((term value) …)."""
    tree = _parsed(said[said.index("(") :])
    return tuple(_value(pair[1]) for pair in tree)


def _parsed(text: str) -> Any:
    """The first S-expression of a text, as nested lists of words."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
            if len(stack) == 1:
                return done
        else:
            stack[-1].append(word)
    raise ValueError(f"a solver's answer breaks off: {text.strip()}")


def _value(tree: Any) -> TermValue:
    if isinstance(tree, str):
        return tree == "true" if tree in ("true", "false") else Fraction(tree)
    if tree[0] == "-":
        return -Fraction(_value(tree[1]))
    if tree[0] == "/":
        return Fraction(_value(tree[1])) / Fraction(_value(tree[2]))
    raise ValueError(f"a solver's answer is no number: {tree}")
