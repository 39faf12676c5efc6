"""The pages of what is covered and of what does not hold as printed, as they follow from the claims and from the rows.

`python -m tests.catalogue.pages.coverage_table` writes them, and says which stated reasons and notes are no longer needed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from tests.catalogue.pages.coverage_rows import ASPECTS, LOWER_BOUND, PRIVACY, RUNS, STRUCTURE, UTILITY, Row
from tests.catalogue.pages.coverage_statements import BENT, OF_ANOTHER, SECTIONS
from tests.catalogue.pages.numbered_items import TITLES

from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.signs.symbolic_epsilon import symbol_in
from dpverify.reports.record import RefutationKind, Status
from dpverify.verifiers import Claim, UtilityClaim
from dpverify.verifiers.catalogue import catalogue, finite
from dpverify.verifiers.charts.domains import as_endless
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.questions.question import privacy_guarantee
from dpverify.verifiers.utility.pac import PacClaim

DOCS: Final = Path(__file__).parents[3] / "docs"
PAGE: Final = DOCS / "coverage.md"
REFUTED_PAGE: Final = DOCS / "not-as-printed.md"

ASPECT_OF: Final = {"privacy": PRIVACY, "utility": UTILITY, "pac": UTILITY, "lower-bound": LOWER_BOUND}
"""Which column a kind of claims is in; kinds that are not here, lemmas and steps of proofs, are of structure."""

FROM_BEST: Final = (Status.PROVED, Status.FUZZED, Status.INCONCLUSIVE, Status.REFUTED)

LINKS: Final = (
    "no claim",
    "refuted, and nothing stands beside it",
    "inconclusive",
    "refuted as printed",
    "a step refuted as printed",
    "bent",
    "no example",
    "inputs tried alone",
    "weak",
    "refuted to the letter alone",
    "finite",
    "one variant",
)
"""What can be weak about a row, the weakest first."""

IN_FULL: Final = "nothing"

REFUTED: Final = {
    RefutationKind.STATEMENT: "refuted as printed",
    RefutationKind.PROOF_STEP: "a step refuted as printed",
    RefutationKind.DEGENERATE: "refuted to the letter alone",
}
"""What is refuted of a paper, by the link; variants, what was filled in and constants of ours are not of a paper."""

NOBODY_USES: Final = 10
"""An ε above which a claim of privacy is bent."""

_TEXT: Final = """\
# What is covered

Every row of the catalogue, with what is claimed of it, what was found, and its weakest link. "as printed" says what the
paper's own constants and noise came to. Of several claims one stands here, the best: `dpverify list 'BNS-J-2.26*'` has
all of a row, and `dpverify explain ID` one in full.

- **Scope**: *all sizes* is for databases of every size, *every ε* for all ε > 0 at once, *every δ* for all 0 < δ < 1
  as well; other claims are finite, and say of what: a domain, or how many inputs. *Inputs tried* is no proof.
- What is PROVED counts where the row's own algorithm runs in the claim.
- **Weakest link**: the first of these that holds of something that the papers claim of the row, or of a step of its
  proof: {links}.
- *weak*: a quarter of the noise, or none, would do, or a quarter of ε and of δ, and the claim says why it is kept. Where
  it names the least constant that holds it is judged by that. *bent*: at parameters that nobody would use, or of less
  than the statement. *to the letter*: at parameters that nobody would use.

| | rows that claim it | with claims | PROVED | of these for all sizes | for every ε, on databases that end | on these, at some ε | for every δ as well | inputs or samples tried | refuted alone |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{aspects}

| weakest link | rows |
| --- | --- |
{weakest}

{sections}
[What does not hold as printed](not-as-printed.md) has each statement and step that is refuted, by paper.

`python -m tests.catalogue.pages.coverage_table` writes this page.
"""

_REFUTED_TEXT: Final = """\
# What does not hold as printed

Statements and steps of each paper that are refuted, with a witness and what mends it; claims of ours and variants that
nobody claims are left out. [Findings](findings.md) has them in words, [what is covered](coverage.md) what holds.

{refuted}
`python -m tests.catalogue.pages.coverage_table` writes this page.
"""


_UNESCAPED_BAR: Final = re.compile(r"(?<!\\)[|]")
_ESCAPED_BAR: Final = r"\\|"


class Link(NamedTuple):
    """What is weak about something that is claimed of a row."""

    name: str
    where: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.name}" + (f" ({self.detail})" if self.detail else "")


_OTHERS: Final = "Other papers"


def pages(claims: Sequence[AnyClaim]) -> dict[Path, str]:
    """The pages, as Markdown, from the claims of the catalogue."""
    of_title: dict[str, list[AnyClaim]] = {title: [] for title in (*TITLES.values(), _OTHERS)}
    for claim in claims:
        if any(_refuted_kinds([claim])):
            of_title[next((title for paper, title in TITLES.items() if claim.id.startswith(paper)), _OTHERS)].append(
                claim
            )
    refuted = "\n".join(f"## {title}\n\n{_not_as_printed(of, claims)}\n" for title, of in of_title.items() if of)
    return {PAGE: _covered(claims), REFUTED_PAGE: _REFUTED_TEXT.format(refuted=refuted)}


def _covered(claims: Sequence[AnyClaim]) -> str:
    of = claims_by_row(claims)
    rows = [row for rows in SECTIONS.values() for row in rows]
    weakest = Counter(next(iter(link.name for link in weakest_links(row, of[row.ids])), IN_FULL) for row in rows)
    return _TEXT.format(
        links=", ".join(LINKS),
        aspects="\n".join(_line((aspect, *_counts(aspect, rows, of))) for aspect in ASPECTS),
        weakest="\n".join(_line((name, weakest[name])) for name in (*LINKS, IN_FULL) if weakest[name]),
        sections="\n".join(_section(title, rows, of) for title, rows in SECTIONS.items()),
    )


def row_of(claim_id: str) -> str:
    """The row of a claim, the first part of its id."""
    return claim_id.rsplit(".", 2)[0]


def is_of(row: Row, claim_id: str) -> bool:
    """Whether a claim is one of a row: its id starts with one of the row's, and a letter or a word after a hyphen."""
    found = row_of(claim_id)
    return any(re.fullmatch(rf"{re.escape(name)}([a-z]|-.*)?", found) for name in row.ids)


def claims_by_row(claims: Iterable[AnyClaim]) -> Mapping[tuple[str, ...], Sequence[AnyClaim]]:
    """The claims of each row, by its ids; an exact id goes before one that a letter or a word follows."""
    rows = [row for rows in SECTIONS.values() for row in rows]
    exact = {name: row for row in rows for name in row.ids}
    found: dict[tuple[str, ...], list[AnyClaim]] = {row.ids: [] for row in rows}
    for claim in claims:
        row = (
            next((row for row in rows if any(fnmatchcase(claim.id, pattern) for pattern in row.also)), None)
            or exact.get(row_of(claim.id))
            or next((row for row in rows if is_of(row, claim.id)), None)
        )
        if row is not None:
            found[row.ids].append(claim)
    return found


def aspect_of(claim: AnyClaim) -> str:
    """The column of a claim."""
    return ASPECT_OF.get(claim.kind, STRUCTURE)


def weakest_links(row: Row, claims: Sequence[AnyClaim]) -> list[Link]:
    """The weakest links of a row, all of one name; none where all that it claims is proved for all sizes or every ε."""
    of = {aspect: [claim for claim in claims if aspect_of(claim) == aspect] for aspect in ASPECTS}
    found = [link for aspect in row.claims for link in _links(row, aspect, of[aspect])]
    # of what the row does not claim, such as steps of its proof, what is refuted counts
    found += [
        Link(REFUTED[kind], aspect)
        for aspect in ASPECTS
        if aspect not in row.claims
        for kind in sorted(set(_refuted_kinds(of[aspect])), key=str)
    ]
    if not row.shown_in and RUNS not in row.without:
        found.append(Link("no example", "runs"))
    first = min((LINKS.index(link.name) for link in found), default=len(LINKS))
    return [link for link in found if LINKS.index(link.name) == first]


def _links(row: Row, aspect: str, claims: Sequence[AnyClaim]) -> Iterator[Link]:
    """What is weak about one thing that is claimed of a row."""
    if not claims:
        yield Link("no claim", aspect, row.without.get(aspect, ""))
        return
    best = best_of(claims)
    verdict = best.verdict_expected
    if verdict is Status.REFUTED:
        yield Link("refuted, and nothing stands beside it", aspect)
    if verdict is Status.INCONCLUSIVE:
        yield Link("inconclusive", aspect)
    for kind in sorted(set(_refuted_kinds(claims)), key=str):
        yield Link(REFUTED[kind], aspect)
    if bent := bent_by(best):
        yield Link("bent", aspect, bent)
    if verdict is Status.FUZZED:
        yield Link("inputs tried alone", aspect)
    if _is_weak(best):
        yield Link("weak", aspect)
    if verdict is Status.PROVED and not _is_endless(best):
        yield Link("finite", aspect)
    if len(claims) == 1:
        yield Link("one variant", aspect)


def _is_weak(claim: AnyClaim) -> bool:
    """Whether a claim says why it is weak, or which other one is sharp."""
    return bool(getattr(claim, "weak_because", "") or getattr(claim, "sharp_in", ""))


def best_of(claims: Sequence[AnyClaim]) -> AnyClaim:
    """The one that says most: by its verdict, what is not bent or weak, and then by its variant and by its scope.

    What is as printed goes before what is corrected, unless the statement is refuted as printed, and both before others.
    """
    is_refuted = RefutationKind.STATEMENT in _refuted_kinds(claims)
    variants = ("corrected", "printed") if is_refuted else ("printed", "corrected")

    def rank(claim: AnyClaim) -> tuple[bool | int, ...]:
        variant = claim.id.rpartition(".")[2]
        return (
            FROM_BEST.index(claim.verdict_expected),
            _is_of_another(claim),
            bool(bent_by(claim)),
            _is_weak(claim),
            _is_of_one_row(claim),
            not variant.startswith(variants),
            not _is_endless(claim),
            not (_is_of_all_sizes(claim) and _is_of_every_epsilon(claim)),
            not _is_of_every_delta(claim),
            not variant.startswith(variants[0]),
        )

    return min(claims, key=rank)


def bent_by(claim: AnyClaim) -> str:
    """Why a claim says less than its row: what is noted of it, or an ε that nobody would use; empty where it does not."""
    said, why = BENT.get(claim.id, ("", ""))
    if why and said in claim.statement:
        return why
    if not isinstance(claim, Claim) or _is_of_every_epsilon(claim):
        return ""
    return claim.claimed if exact(claim.epsilon) > NOBODY_USES else ""


def scope_of(claim: AnyClaim) -> str:
    """Of what the claim is: all sizes, every ε, or which finite things."""
    if claim.verdict_expected is Status.REFUTED:
        return ""
    if isinstance(claim, Claim):
        parts = [
            "every ε and δ"
            if _is_of_every_delta(claim)
            else "every ε"
            if _is_of_every_epsilon(claim)
            else claim.claimed,
            "all sizes" if _is_of_all_sizes(claim) else _in_short(_shown_domain(claim)),
        ]
        return ", ".join(parts)
    if isinstance(claim, PacClaim):
        return f"samples of {len(claim.cases)} populations" if len(claim.cases) > 1 else "samples of one population"
    if isinstance(claim, UtilityClaim):
        return "inputs tried" if claim.cases is None else _number(claim.cases, "input")
    if isinstance(claim, LowerBound):
        return _number(claim.cases, "case")
    return claim.claimed.removeprefix("for ")


def _shown_domain(claim: Claim) -> str:
    domain = claim.domain
    return f"{len(domain)} databases" if isinstance(domain, list | tuple) else repr(domain)


def _in_short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _number(things: object, name: str) -> str:
    number = len(things) if hasattr(things, "__len__") else None
    return f"listed {name}s" if number is None else f"{number:,} {name}{'s' if number > 1 else ''}"


def _is_of_all_sizes(claim: AnyClaim) -> bool:
    if isinstance(claim, Claim):
        return claim.scope == "all" or claim.finite_because == finite.DOMINATING_PAIR
    return not isinstance(claim, UtilityClaim | PacClaim | LowerBound) and "all sizes" in claim.claimed


def _is_of_every_epsilon(claim: AnyClaim) -> bool:
    if not isinstance(claim, Claim):
        return False
    if claim.is_of_every_delta:
        return isinstance(claim.epsilon, Exact) and claim.epsilon.symbol is not None
    return symbol_in((*privacy_guarantee(claim.epsilon, claim.delta), dict(claim.parameters))) is not None


def _is_of_every_delta(claim: AnyClaim) -> bool:
    return isinstance(claim, Claim) and claim.is_of_every_delta


def _is_of_another(claim: AnyClaim) -> bool:
    """True of a claim in which the algorithm of its row does not run."""
    return any(fnmatchcase(claim.id, pattern) for pattern in OF_ANOTHER)


def _is_of_one_row(claim: AnyClaim) -> bool:
    """True of a claim of privacy on databases of which none has two rows."""
    if not isinstance(claim, Claim) or as_endless(claim.domain) is not None or _is_of_all_sizes(claim):
        return False
    some = [database for database in islice(claim.domain, _LOOKED_AT) if isinstance(database, tuple)]
    return bool(some) and max(map(len, some)) <= 1


_LOOKED_AT: Final = 200


def _is_endless(claim: AnyClaim) -> bool:
    return _is_of_all_sizes(claim) or _is_of_every_epsilon(claim)


def _refuted_kinds(claims: Iterable[AnyClaim]) -> Iterator[RefutationKind]:
    """What kinds of things of a paper are refuted: not variants, nor what was filled in, nor constants of ours."""
    return (
        claim.refutation.kind
        for claim in claims
        if claim.verdict_expected is Status.REFUTED
        and claim.refutation is not None
        and claim.refutation.kind in REFUTED
    )


def _counts(aspect: str, rows: Sequence[Row], of: Mapping[tuple[str, ...], Sequence[AnyClaim]]) -> tuple[int, ...]:
    claiming = [row for row in rows if aspect in row.claims]
    families = [[claim for claim in of[row.ids] if aspect_of(claim) == aspect] for row in claiming]
    best = [best_of(family) for family in families if family]
    tried = (Status.FUZZED, Status.INCONCLUSIVE)
    proved = [each for each in best if each.verdict_expected is Status.PROVED and not _is_of_another(each)]
    of_all = [each for each in proved if _is_of_all_sizes(each)]
    ending = [each for each in proved if each not in of_all]
    return (
        len(claiming),
        len(best),
        len(proved),
        len(of_all),
        sum(_is_of_every_epsilon(each) for each in ending),
        sum(not _is_of_every_epsilon(each) for each in ending),
        sum(_is_of_every_delta(each) for each in proved),
        sum(each.verdict_expected in tried for each in best),
        sum(each.verdict_expected is Status.REFUTED for each in best),
    )


def _section(title: str, rows: Sequence[Row], of: Mapping[tuple[str, ...], Sequence[AnyClaim]]) -> str:
    header = ("row", "privacy", "utility", "structure", "runs", "lower bound", "weakest link")
    lines = [header, ["---"] * len(header), *(_cells(row, of[row.ids]) for row in rows)]
    return "\n".join([f"## {title}", "", *map(_line, lines), ""])


def _cells(row: Row, claims: Sequence[AnyClaim]) -> list[str]:
    cell = {aspect: _cell(row, aspect, [claim for claim in claims if aspect_of(claim) == aspect]) for aspect in ASPECTS}
    links = "; ".join(map(str, weakest_links(row, claims))) or IN_FULL
    return [
        f"**{', '.join(row.ids)}** {row.what}",
        cell[PRIVACY],
        cell[UTILITY],
        cell[STRUCTURE],
        _runs(row),
        cell[LOWER_BOUND],
        links + (f". *{row.note}*" if row.note else ""),
    ]


def _cell(row: Row, aspect: str, claims: Sequence[AnyClaim]) -> str:
    """A family of claims: how many there are of which verdict, the best, and what became of what is printed."""
    if not claims:
        return f"none: {row.without[aspect]}" if aspect in row.claims and aspect in row.without else ""
    counted = Counter(claim.verdict_expected for claim in claims)
    best = best_of(claims)
    said = [f"{best.verdict_expected} `{best.id}`", *filter(None, [scope_of(best)])]
    if _is_weak(best):
        said.append("weak")
    parts = [", ".join(said)]
    if len(claims) > 1:
        parts.append("of " + ", ".join(f"{counted[status]} {status}" for status in FROM_BEST if counted[status]))
    if printed := _as_printed(claims):
        parts.append(printed)
    return "; ".join(parts)


def _as_printed(claims: Sequence[AnyClaim]) -> str:
    refuted = Counter(_refuted_kinds(claims))
    return "as printed refuted (" + ", ".join(f"{refuted[kind]} {kind}" for kind in refuted) + ")" if refuted else ""


def _runs(row: Row) -> str:
    functions = ", ".join(f"`{name}`" for name in row.runs)
    places = ", ".join(
        f"[{place.partition('#')[0]}]({'' if '.md' in place else 'examples/'}{place.partition('#')[0]})"
        for place in row.shown_in
    )
    if not places and RUNS in row.without:
        places = row.without[RUNS]
    return "; ".join(filter(None, (functions, places or "no example")))


def _not_as_printed(refuted: Iterable[AnyClaim], claims: Sequence[AnyClaim]) -> str:
    """The refuted ones, of each family one, with the witness that findings.md gives, and those of all that mend it."""
    witnesses = findings()
    families: dict[tuple[str, RefutationKind], list[AnyClaim]] = {}
    for claim in refuted:
        for kind in _refuted_kinds([claim]):
            families.setdefault((claim.id.rpartition(".")[0], kind), []).append(claim)
    header = ("what", "kind", "witness", "what mends it")
    lines = [header, ["---"] * len(header)]
    for (_, kind), members in sorted(
        families.items(), key=lambda found: (list(REFUTED).index(found[0][1]), found[0][0])
    ):
        named = [claim for claim in members if claim.id in witnesses] or members[:1]
        for claim in named:
            more = len(members) - len(named) if claim is named[0] else 0
            lines.append(
                [
                    f"`{claim.id}`{f' and {more} more' if more else ''}: {claim.statement}",
                    str(kind),
                    witnesses.get(claim.id, f"`dpverify explain {claim.id}`"),
                    _mending(claim, claims),
                ]
            )
    return "\n".join(map(_line, lines))


def _beside(refuted: AnyClaim, claims: Iterable[AnyClaim]) -> list[AnyClaim]:
    """The claims that stand in the place of a refuted one: corrected ones of its row and aspect, of the same thing first."""
    family, _, printed = refuted.id.rpartition(".")
    of_what = re.sub(r"-?\b(as-)?(printed|claimed|letter)\b-?", "", printed)
    corrected = [
        claim
        for claim in claims
        if claim.id.rpartition(".")[0] == family
        and "corrected" in claim.id.rpartition(".")[2]
        and claim.verdict_expected is not Status.REFUTED
    ]
    same = [claim for claim in corrected if of_what in claim.id.rpartition(".")[2]]
    return same or corrected


def _mending(claim: AnyClaim, claims: Iterable[AnyClaim]) -> str:
    why = claim.refutation.sentences if claim.refutation is not None else ""
    beside = _beside(claim, claims)
    stands = f"{best_of(beside).verdict_expected}: `{best_of(beside).id}`." if beside else ""
    return " ".join(filter(None, (why, stands))) or "nothing that is claimed: see findings"


def findings() -> dict[str, str]:
    """The witness that docs/findings.md gives for an id: the column of that name in the table that names it."""
    found: dict[str, str] = {}
    header: list[str] = []
    for line in (DOCS / "findings.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        if not cells or "witness" in cells:
            header = cells
        elif "witness" in header and len(cells) == len(header):
            witness = cells[header.index("witness")]
            found.update(dict.fromkeys(re.findall(r"`([A-Z][\w.-]+\.[\w-]+\.[\w-]+)`", cells[-1]), witness))
    return found


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_UNESCAPED_BAR.sub(_ESCAPED_BAR, str(cell)) for cell in cells)} |"


def left_over(claims: Sequence[AnyClaim]) -> list[str]:
    """Reasons and notes that nothing shows any longer, since there are claims."""
    of = claims_by_row(claims)
    bent = {claim.id for claim in claims if bent_by(claim)}
    found = [f"{name} is no claim, or no longer what is said to be bent" for name in BENT if name not in bent]
    for rows in SECTIONS.values():
        for row in rows:
            aspects = {aspect_of(claim) for claim in of[row.ids]}
            found += [
                f"{row.ids[0]}: it says why there is no claim of {each}" for each in row.without if each in aspects
            ]
    return found


if __name__ == "__main__":
    registered = catalogue()
    for file, text in pages(registered).items():
        file.write_text(text, encoding="utf-8")
    print("\n".join(left_over(registered)), file=sys.stderr)
