"""The page of the catalogue by scope, docs/all-sizes-catalogue.md, as it follows from the claims.

`python -m tests.catalogue.pages.scope_table` writes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from dpverify.reports.record import Status
from dpverify.verifiers import Claim
from dpverify.verifiers.catalogue import TOPICS, finite, modules_of
from dpverify.verifiers.catalogue.depths import TAKES_LONG
from dpverify.verifiers.claims import claims_in

PAGE: Final = Path(__file__).parents[3] / "docs" / "all-sizes-catalogue.md"

BY_A_THEOREM: Final = finite.DOMINATING_PAIR
"""Why a claim is of all sizes though its domain is finite."""

_TEXT: Final = """\
# The catalogue by scope

Of {claims} claims of privacy {refuted} are REFUTED: a witness is enough for these, whatever the domain. The other
{proved} are PROVED, nearly all of them on a finite domain, pair by pair. {regions} are PROVED for databases of every size as
well, region by region or by a theorem on the mechanism: see [all sizes](all-sizes.md) and [theorems](theorems.md). No
verdict on all sizes disagrees with the finite one; {deltas} of these are for every δ, and have no finite one. {theorem} more are about all sizes as they stand: composition is decided on the dominating pair, of which every pair
of neighbours of a private mechanism is a post-processing. Before there were domains without end, these were all.

{by_topic}

Of those decided there {quick} are decided in every audit, {report} in those that write a report, and {slow}, which take
longer, at depth full.

## Why the others are finite

{why}

`python -m tests.catalogue.pages.scope_table` writes this page.
"""


def page(claims: Mapping[str, Sequence[Claim]]) -> str:
    """The page, as Markdown, from the claims of each topic."""
    rows = [(topic, *_counts(_proved(claims[topic]))) for topic in claims]
    proved = [claim for topic in claims for claim in _proved(claims[topic])]
    total, before, regions, theorem, _ = _counts(proved)
    everything = sum(map(len, claims.values()))
    slow = sum(claim.all_sizes_depth == "full" for claim in _by_regions(proved))
    report = sum(claim.id in TAKES_LONG and claim.all_sizes_depth != "full" for claim in _by_regions(proved))
    return _TEXT.format(
        claims=everything,
        refuted=everything - total,
        proved=total,
        regions=regions,
        deltas=sum(claim.is_of_every_delta for claim in proved),
        theorem=before,
        quick=regions - slow - report,
        report=report,
        slow=slow,
        by_topic=_table(
            ("topic", "PROVED", "all sizes, before", "decided for all sizes", "as they stand", "finite"),
            [*rows, ("all", total, before, regions, theorem, total - regions - theorem)],
        ),
        why=_table(("because", "claims", "of"), _reasons({topic: _proved(of) for topic, of in claims.items()})),
    )


def claims_by_topic() -> dict[str, list[Claim]]:
    """The privacy claims of the catalogue, by the topics of their modules."""
    found: dict[str, list[Claim]] = {topic: [] for topic in TOPICS}
    for name in modules_of(["privacy"]):
        claims = claims_in(vars(import_module(name)))
        found[name.partition(".catalogue.")[2].partition(".")[0]] += [
            each for each in claims if isinstance(each, Claim)
        ]
    return found


def _proved(claims: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.verdict_expected is Status.PROVED]


def _by_regions(proved: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in proved if claim.all_sizes is not None or claim.is_of_every_delta]


def _counts(proved: Sequence[Claim]) -> tuple[int, int, int, int, int]:
    """How many there are; of all sizes before; now by regions, and by a theorem; and finite ones."""
    regions = len(_by_regions(proved))
    theorem = sum(claim.finite_because == BY_A_THEOREM for claim in proved)
    return len(proved), theorem, regions, theorem, len(proved) - regions - theorem


def _reasons(proved: Mapping[str, Sequence[Claim]]) -> list[tuple[object, ...]]:
    """Each reason, how many claims have it, and of which topics; the most frequent first."""
    of_topic = Counter(
        (claim.finite_because, topic)
        for topic, claims in proved.items()
        for claim in claims
        if claim.all_sizes is None and not claim.is_of_every_delta and claim.finite_because != BY_A_THEOREM
    )
    counts = Counter[str]()
    for (reason, _), count in of_topic.items():
        counts[reason] += count
    return [
        (reason, count, ", ".join(f"{topic} {of_topic[reason, topic]}" for topic in proved if of_topic[reason, topic]))
        for reason, count in sorted(counts.items(), key=lambda found: (-found[1], found[0]))
    ]


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(claims_by_topic()), encoding="utf-8")
