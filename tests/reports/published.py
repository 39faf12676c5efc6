"""The published schema of an audit's JSON form."""

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[2] / "reports" / "audit.schema.json"


@cache
def published() -> Draft202012Validator:
    """What holds a text against the schema; that it is a schema is seen in `test_reports.py`."""
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
