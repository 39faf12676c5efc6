"""The page of the report on libraries: what `library_claims.py` finds of them, with the date and their versions."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.libraries.library_claims import EVERY

from dpverify.reports.formats.markdown import table_of_kind
from dpverify.reports.kinds.sampled import error_tables, found, witness
from dpverify.reports.record import Status
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers import SampledClaim, audit


def page(results: list[SampledResult], models: dict[str, str], today: str) -> str:
    """All of it, in Markdown."""
    versions = sorted({f"{name} {version}" for one in results for name, version in one.versions.items()})
    refuted = [one for one in results if one.verdict is Status.REFUTED]
    lines = [
        "# Libraries",
        "",
        f"Audited by samples on {today}, by `make libraries`: {', '.join(versions)}. A model is what a library documents,",
        "written as a mechanism and decided exactly; the library is drawn from as it is installed. REFUTED is at the",
        "confidence of its row; INCONCLUSIVE says to how much it agrees, and nothing of a library is proved.",
        "",
        "| library | model | found | verdict |",
        "| --- | --- | --- | --- |",
        *(f"| {one.mechanism} ({_own(one)}) | {models[one.model]} | {found(one)} | {one.verdict} |" for one in results),
        "",
    ]
    for one in refuted:
        lines += [f"What refutes {one.mechanism} ({_own(one)}):", "", "```", *witness(one), "```", ""]
    lines += [line for one in error_tables(results) for line in table_of_kind(one)]
    return "\n".join(lines).rstrip() + "\n"


def _own(one: SampledResult) -> str:
    name, version = next(iter(one.versions.items()))
    return f"{name} {version}"


def main(file: Path) -> None:
    """Write the page. What cannot be drawn from is an error that says so."""
    record = audit(EVERY, jobs=2)
    for row in record.not_decided:
        raise SystemExit(f"{row.id}: {row.reason}")
    claims = {claim.id: claim for claim in EVERY}
    results = [one for one in record.claims if isinstance(one, SampledResult)]
    models = {one.id: f"{one.verdict}, {claims[one.id].claimed}" for one in record.claims if one.kind == "privacy"}
    assert all(isinstance(claims[one.id], SampledClaim) for one in results)
    file.write_text(page(results, models, datetime.now(UTC).date().isoformat()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
