"""The command `dpverify lemmas`: decide structural lemmas, and write their questions and proofs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpverify.mechanisms.exact.errors import InputError
from dpverify.mechanisms.exact.shown import one_line
from dpverify.reports.lemma_record import LemmaResult, lemma_lines, lemmas_json, lemmas_markdown
from dpverify.reports.record import NotDecided, Status
from dpverify.reports.summary import headline_of
from dpverify.reports.table import row_lines
from dpverify.reports.writing import check_targets, write_reports
from dpverify.verifiers.audit.attempts import Attempts
from dpverify.verifiers.audit.deciding import INTERRUPTED_STATUS, exit_status
from dpverify.verifiers.audit.selection import selected_lemmas
from dpverify.verifiers.command_errors import say_what_is_not_decided

if TYPE_CHECKING:
    from dpverify.verifiers.structure.lemma import Lemma

_PATH = click.Path(path_type=Path)


@click.command("lemmas", short_help="Decide structural lemmas with two SMT solvers.")
@click.argument("names", metavar="[IDS | FILES]...", nargs=-1)
@click.option("-v", "--verbose", is_flag=True, help="Say of every lemma what it states, and show its examples.")
@click.option("--json", type=_PATH, metavar="OUT", help="Write JSON to OUT (-: standard output).")
@click.option("--markdown", type=_PATH, metavar="OUT", help="Write Markdown to OUT (-: standard output).")
@click.option("--smt2", type=_PATH, metavar="FOLDER", help="Write all questions as SMT-LIB 2 into FOLDER.")
@click.option("--proofs", type=_PATH, metavar="FOLDER", help="Write the proofs of cvc5 into FOLDER, in its format CPC.")
@click.pass_context
def lemmas_command(
    context: click.Context,
    names: tuple[str, ...],
    verbose: bool,
    json: Path | None,
    markdown: Path | None,
    smt2: Path | None,
    proofs: Path | None,
) -> None:
    """Decide structural lemmas with Z3 and cvc5, and replay their examples on the functions that run.

    All of them, or ids, patterns such as 'BNS-J-3.*', and files that hold lemmas. A lemma is PROVED or REFUTED where
    both solvers agree, and UNDECIDED, with the reason, where one of them gives up.
    """
    from dpverify.verifiers.structure.lemma import check_lemma

    chosen = selected_lemmas(names)
    check_targets([path for path in (json, markdown) if path is not None])
    for folder in (smt2, proofs):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise InputError(f"cannot write into {folder}: it is no folder")
    width = max(len(lemma.id) for lemma in chosen)
    to_stdout = Path("-") in (json, markdown)
    import cvc5  # noqa: F401  # once, and not in each worker anew
    import z3  # noqa: F401

    found = Attempts(chosen, check_lemma, LemmaResult, _row)
    for row in found:
        lines = row_lines(row) if isinstance(row, NotDecided) else lemma_lines(row, width, verbose=verbose)
        click.echo("\n".join(lines), err=to_stdout)
    rows = found.not_decided
    click.echo(f"\n{headline_of(found.results, 'lemma', len(rows))}", err=to_stdout)
    texts = {json: lemmas_json(found.results, rows), markdown: lemmas_markdown(found.results, rows)}
    write_reports({path: text for path, text in texts.items() if path is not None})
    if smt2 is not None:
        _write_into(smt2, [lemma.questions for lemma in chosen])
    if proofs is not None:
        proved = {result.id for result in found.results if result.verdict is Status.PROVED}
        _write_into(proofs, [lemma.proofs for lemma in chosen if lemma.id in proved])
    say_what_is_not_decided(rows, len(chosen), found.interrupted)
    context.exit(INTERRUPTED_STATUS if found.interrupted else exit_status(found.results, len(rows)))


def _row(lemma: Lemma, reason: str) -> NotDecided:
    return NotDecided(lemma.id, "lemma", lemma.source, lemma.expected, one_line(reason))


def _write_into(folder: Path, files: Iterable[dict[str, str]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from None
    write_reports({folder / name: text for group in files for name, text in group.items()})
