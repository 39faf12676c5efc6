"""Comparison of the catalogue at two commits, claim by claim and field by field: what is claimed, or what was decided.

`write FILE` writes every claim of the installed package as JSON, and decides nothing. `compare OLD NEW` compares two such
files, or two records `audit.json`, in which only the places of code may differ. It prints each difference, and fails
where there is one, or where nothing was compared. Functions stand as digests of the form that the gate uses, in which
names and places do not matter; of a step its formulas stand as expressions, however they are written in Python.

    .venv/bin/python tests/catalogue/compare_claims.py write NEW.json
    .venv/bin/python tests/catalogue/compare_claims.py compare OLD.json NEW.json
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, Final

_PLACES: Final = frozenset(
    ("location", "mechanism_location", "provenance", "reference", "made_at", "sources", "cached")
)
"""Fields that say where something stands, or when it was found."""

_LONGEST: Final = 300
"""Elements of a list, and characters of a form, that are written in full; of more there is a digest."""


def claims_as_data() -> dict[str, Any]:
    """Every claim of the catalogue by its id, with its kind and all of its fields but places."""
    from dpverify.verifiers.auditing.digests import function_form
    from dpverify.verifiers.catalogue import catalogue
    from dpverify.verifiers.locations import is_in_catalogue

    forms = function_form.Forms(is_in_catalogue)
    return {claim.id: _claim(claim, forms) for claim in catalogue()}


def _claim(claim: Any, forms: Any) -> dict[str, Any]:
    given = {one.name: getattr(claim, one.name) for one in fields(claim) if one.name not in _PLACES}
    if claim.kind == "step":
        broken = [{"change": one.change, **_formulas(claim.broken(one), forms)} for one in claim.mutants]
        data = {**given, **_formulas(claim, forms), "mutants": broken}
    else:
        data = given
    return {"kind": claim.kind, **{name: _data(value, forms) for name, value in data.items()}}


def _formulas(step: Any, forms: Any) -> dict[str, Any]:
    question = step.question
    return {
        "parameters": question.ranges_in_words,
        "given": [str(one) for one in question.given],
        "says": str(question.says),
        "tries": _data(question.tries, forms),
    }


def _data(value: Any, forms: Any) -> Any:
    """A value as JSON: texts and truth values as they are, numbers by their repr, code by the digest of its form."""
    if value is None or (isinstance(value, str | bool) and not isinstance(value, Enum)):
        return value
    if isinstance(value, type | FunctionType | MethodType | partial):
        return _short(forms.of(value))
    if isinstance(value, Mapping):
        return [[_data(key, forms), _data(part, forms)] for key, part in value.items()]
    if type(value) in (list, tuple) and len(value) <= _LONGEST:
        return [_data(part, forms) for part in value]
    if is_dataclass(value):
        return {"": type(value).__name__} | {one.name: _data(getattr(value, one.name), forms) for one in fields(value)}
    written = repr(value)
    return written if len(written) <= _LONGEST and " at 0x" not in written else _short(forms.of(value))


def _short(form: str) -> str:
    from dpverify.verifiers.auditing.digests.function_form import digest

    return form if len(form) < 100 and not form.startswith("code") else f"code {digest(form)}"


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Each difference of two values of JSON, with the way to it; places are not compared."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            if name not in _PLACES:
                yield from differences(old.get(name, "nothing"), new.get(name, "nothing"), f"{where} {name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (first, second) in enumerate(zip(old, new, strict=True)):
            yield from differences(first, second, f"{where}[{i}]")
    elif old != new or type(old) is not type(new):
        yield f"{where.strip()}:\n    - {json.dumps(old, ensure_ascii=False)}\n    + {json.dumps(new, ensure_ascii=False)}"


def read_claims(path: str) -> dict[str, Any]:
    """The claims of a file that `write` wrote, or of a record, by their ids."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    return {claim["id"]: claim for claim in data["claims"]} if isinstance(data.get("claims"), list) else data


def main(arguments: list[str]) -> int:
    """The exit code: 0 where all is equal, 1 where something differs or nothing was compared, 2 for bad arguments."""
    match arguments:
        case ["write", path]:
            claims = claims_as_data()
            Path(path).write_text(json.dumps(claims, ensure_ascii=False, indent=1), encoding="utf-8")
            print(f"{len(claims)} claims written to {path}")
            return 0 if claims else 1
        case ["compare", old, new]:
            first, second = read_claims(old), read_claims(new)
            found = list(differences(first, second))
            both = first.keys() & second.keys()
            order = "" if list(first) == list(second) else "; their order differs"
            print(*found, f"{len(both)} claims compared, {len(found)} differences{order}", sep="\n")
            return 1 if found or not both else 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
