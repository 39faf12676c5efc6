"""All published bugs by kind, how many there are, and what of a verdict is compared with what is known.

`python -m tests.outside.bugs.listed` prints how many there are.
"""

from collections import Counter
from types import ModuleType
from typing import Final

from tests.outside.bugs import arithmetic, budget, choices, sums, training, users, votes
from tests.outside.bugs.forms import BUGS, Bug, Form

from dpverify.mechanisms import exact
from dpverify.verifiers import Verdict
from dpverify.verifiers.divergence.output_tables.enclosed import Enclosed

KINDS: Final[dict[str, ModuleType]] = {
    "Counts, sums and means": sums,
    "Users, keys and thresholds": users,
    "Votes and credit": votes,
    "Choices, and answers from one person": choices,
    "Training": training,
    "Budgets": budget,
    "Arithmetic, as models on integers": arithmetic,
}

NO_VALUE: Final = "no more"
"""What is said for a claim that is proved for any number of rows, without its tight ε or δ."""


def of_kind(module: ModuleType) -> list[Bug]:
    """The bugs whose programs are in the module."""
    return [each for each in BUGS if each.forms[0].mechanism.__module__ == module.__name__]


def outcome(form: Form, verdict: Verdict) -> tuple[str, Enclosed | None]:
    """The tight ε, or the smallest δ where δ > 0 is claimed, after "=", "≤", "≥" or `NO_VALUE`; None for ∞."""
    value = verdict.delta if exact(form.delta) != 0 else verdict.epsilon
    if verdict.basis.for_all_sizes:
        return (NO_VALUE, value) if verdict.witness is None else ("=" if value is None else "≥", value)
    return "≤" if verdict.basis.is_upper_bound else "=", value


def count() -> str:
    """A sentence that says how many bugs, and how many programs of which kind, there are."""
    published = sum(any(form.is_buggy for form in each.forms) for each in BUGS)
    kinds = Counter(form.is_buggy for each in BUGS for form in each.forms)
    statuses = Counter(form.status for each in BUGS for form in each.forms if form.is_buggy)
    said = ", ".join(f"{n} {status}" for status, n in statuses.most_common())
    return (
        f"{published} published bugs, rewritten as small programs: {kinds[True]} buggy forms ({said}) "
        f"and {kinds[False]} that are right"
    )


if __name__ == "__main__":
    print(count())
