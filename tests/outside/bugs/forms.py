"""Published bugs as small programs: what a bug is, its buggy and its fixed forms, and what is known of each form.

Each program is written here from the text of a report or of a paper, on a domain small enough to decide it by hand: the
sizes, values and constants are chosen here, and no code is copied. What is decided is this model of the bug, not the
library.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

from dpverify.mechanisms import Exact
from dpverify.verifiers import Verdict, check_privacy, replace_one

Mechanism = Callable[..., Any]


class Form(NamedTuple):
    """A program with the claim that is made of it, the verdict on that, and the value that is known by other means."""

    mechanism: Mechanism
    domain: Any
    neighbours: Any
    epsilon: Any
    delta: Any
    parameters: Mapping[str, Any]
    is_buggy: bool
    status: str
    """The verdict that is printed: PROVED, REFUTED or UNDECIDED."""
    true: Exact | Fraction | int | str | None
    """The tight ε on this domain, or the smallest δ where δ > 0 is claimed; its digits as text; None for ∞."""
    known: str
    """How that is known without this library."""
    shown: str = ""
    """What the verdict prints where that is a bound or no value: "ε ≤ 1", or a part of the reason."""

    def decide(self) -> Verdict:
        """The verdict on the claim, with an independent recomputation of some output distributions."""
        return check_privacy(
            self.mechanism,
            self.domain,
            self.neighbours,
            epsilon=self.epsilon,
            delta=self.delta,
            parameters=self.parameters,
        )


class Bug(NamedTuple):
    """A published bug: where it is reported, what is wrong, and its programs, the buggy ones first."""

    name: str
    source: str
    """The repository and the number of the thread, or authors and year."""
    wrong: str
    claim: Mapping[str, Any]
    """The domain, the neighbour relation, ε, δ and the parameters of its forms, where a form has no others."""
    forms: list[Form]

    def buggy(self, true: Any, known: str, **others: Any) -> Callable[[Mechanism], Mechanism]:
        """The decorator that puts a mechanism into the list as a buggy form, which is to be refuted."""
        return partial(self._listed, true, known, {"status": "REFUTED", **others}, True)

    def fixed(self, true: Any, known: str, **others: Any) -> Callable[[Mechanism], Mechanism]:
        """The decorator that puts a mechanism into the list as a form that is right, which is to be proved."""
        return partial(self._listed, true, known, {"status": "PROVED", **others}, False)

    def _listed(
        self, true: Any, known: str, others: Mapping[str, Any], is_buggy: bool, mechanism: Mechanism
    ) -> Mechanism:
        given = {**self.claim, **others}
        self.forms.append(Form(mechanism, is_buggy=is_buggy, true=true, known=known, **given))
        return mechanism


BUGS: Final[list[Bug]] = []


def bug(
    name: str,
    source: str,
    wrong: str,
    domain: Any,
    neighbours: Any = replace_one,
    epsilon: Any = 1,
    delta: Any = 0,
    **parameters: Any,
) -> Bug:
    """A bug of the list, to which programs are added."""
    claim = {"domain": domain, "neighbours": neighbours, "epsilon": epsilon, "delta": delta, "parameters": parameters}
    BUGS.append(Bug(name, source, wrong, claim, []))
    return BUGS[-1]
