"""What keeps something from run to run, or tells what is no function of content, is outside, with its line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.mechanisms.language import attacks_by_values, attacks_from_tables
from tests.mechanisms.language.attacks import HARMLESS, OUTSIDE, REFUSED

from dpverify.mechanisms.language.reader import read


@pytest.mark.parametrize(
    ("mechanism", "words"), OUTSIDE, ids=lambda each: each if isinstance(each, str) else each.__name__
)
def test_outside(mechanism: Any, words: str) -> None:
    outside = read(mechanism).outside
    found = [place for place in outside if place.construct.startswith(words)]
    assert found, [place.construct for place in outside]
    assert found[0].file == __file__.replace("test_attacks", "attacks")
    assert found[0].line >= min(place.line for place in outside)


@pytest.mark.parametrize("mechanism", [*HARMLESS, *REFUSED], ids=lambda each: each.__name__)
def test_only_values_tell_or_nothing_is_wrong(mechanism: Any) -> None:
    assert read(mechanism).outside == ()


def test_what_values_lead_to_ends_the_same_in_each_run_and_under_each_hash_seed() -> None:
    found = [ends_of(attacks_by_values.__file__, seed) for seed in ("1", "2")]
    for name, (_, how, _) in attacks_by_values.ATTACKS.items():
        ends = [end for runs in found for end in runs[name]]
        assert (name, how, ends) == (name, how, [ends[0]] * 4)
        assert ends[0][0] == how, name


def test_what_is_made_of_the_tables_ends_as_plain_python_or_is_refused() -> None:
    one, other = (ends_of(attacks_from_tables.__file__, seed) for seed in ("1", "2"))
    assert len(one) == len(attacks_from_tables.ROWS) >= 60
    for name, (how, _) in attacks_from_tables.ROWS.items():
        (end, *law), (again, *same_law) = one[name], other[name]
        assert (name, law) == (name, same_law)
        assert {end, again} <= ({"one", "plain"} if how == "one" else {how}), (name, end, again)


def ends_of(file: str, seed: str) -> dict[str, list[Any]]:
    """How the programs of a file end, run under a hash seed."""
    given = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, file], env=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]
