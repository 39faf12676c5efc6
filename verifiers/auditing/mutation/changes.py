"""Changes that an operator makes at a place: texts in the place of nodes, and a line before a statement."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from dpverify.verifiers.auditing.mutation.mutation import LONGEST_SHOWN, Edit, around_the_change, edited, on_one_line
from dpverify.verifiers.auditing.mutation.places import NamedSyntax, SyntaxPlace, Text


@dataclass(frozen=True)
class TextChange:
    """A node with the text in its place, and a line that is written before a statement, if there is one."""

    node: ast.expr | ast.stmt
    new: str
    line_before: tuple[ast.stmt, str] | None = None


_ADDED: Final = 40
"""Characters by which a change may make a statement longer: where it would not fit, its condition is not shown."""

Operator: TypeAlias = Callable[[SyntaxPlace], Iterator[TextChange]]


def edits_of(change: TextChange, text: Text) -> tuple[Edit, ...] | None:
    """The edits that make a change; None where a line before has no place."""
    new = f"({change.new})" if isinstance(change.node, ast.expr) else change.new
    edits = [Edit(*text.span(change.node), new)]
    if change.line_before is not None:
        statement, line = change.line_before
        indentation = text.indentation(statement)
        if indentation is None:
            return None
        place = text.span(statement)[0]
        edits.append(Edit(place, place, f"{line}\n{indentation}"))
    return tuple(edits)


def statement_change(place: SyntaxPlace, change: TextChange, edits: tuple[Edit, ...]) -> tuple[str, str]:
    """The statement that changes, as it is and as it will be, each on one line."""
    statement = _told_of(place)
    start, end = place.text.span(statement)
    within = [edit for edit in edits if start <= edit.start < edit.end <= end]
    indentation, before = place.text.indentation(statement) or "", place.text.segment(statement)
    after = on_one_line(indentation + edited(before, within, start))
    before, after = around_the_change(on_one_line(indentation + before), after)
    return before, after if change.line_before is None else f"{change.line_before[1]} (further up); {after}"


def _told_of(place: SyntaxPlace) -> ast.stmt:
    """The statement that a reader has to see: of the only one that a condition is of, the condition, too."""
    statement = place.statement
    above = (*place.above, place.node)
    parent = above[above.index(statement) - 1]
    if isinstance(parent, ast.If) and parent.body == [statement] and not isinstance(statement, NamedSyntax):
        return statement if parent.orelse or len(ast.unparse(parent)) > LONGEST_SHOWN - _ADDED else parent
    return statement
