"""Former names of fields: a record of the version before is read, says the same, and none of its names is left."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from tests.examples import in_one
from tests.reports.published import published

from dpverify.mechanisms import InputError
from dpverify.reports import former_fields
from dpverify.reports.audits.json_form import read_audit, to_json
from dpverify.reports.former_fields import by_names_now
from dpverify.reports.gates.comparison import difference, read_loosely
from dpverify.reports.kinds.lower_bound import LowerBoundResult
from dpverify.reports.kinds.step import StepResult
from dpverify.reports.privacy_record import PrivacyResult
from dpverify.reports.record import SCHEMA_VERSION
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers.command_line import main

VERSION_5: Final = (Path(__file__).parent / "version_5.json").read_text(encoding="utf-8")
"""A record that the last commit of version 5 wrote: some claims of the catalogue, and two that are in no file."""


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from names_in(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from names_in(one)


def test_a_record_of_version_5_is_read_by_the_names_now() -> None:
    record = read_audit(VERSION_5)
    plain = json.loads(to_json(record))
    published().validate(plain)
    assert plain["schema"] == SCHEMA_VERSION
    claims = {claim.id: claim for claim in record.claims}
    leaky, worst, swept, own = (
        claims[name]
        for name in ("BuNS-2.25.privacy.leaky", "BNS-J-2.26.privacy.printed-ln2", "LSL-Alg1.privacy.printed-ln2", "own")
    )
    assert isinstance(leaky, PrivacyResult) and isinstance(worst, PrivacyResult)
    assert isinstance(swept, PrivacyResult) and isinstance(own, PrivacyResult)
    assert (swept.headroom, leaky.loose, worst.tight_over_claimed) == ("1", True, "∞")
    assert leaky.loose_because.startswith("δ covers that one row")
    assert [one.multiplier for one in swept.noise_multipliers or []][:3] == ["2", "1", "3/4"]
    assert (leaky.scope.extent, leaky.scope.recomputation) == ("finite", "another interpreter")
    assert swept.tight_epsilon is not None and leaky.smallest_delta is not None
    assert worst.witness is not None and worst.witness.distributions is not None
    assert worst.worst is not None and worst.worst.realised_by is not None
    assert swept.sweep[0].result is not None and own.own_parameters == {"epsilon": "2"}
    bound, step, sampled = (claims[name] for name in ("CHS-Thm1.lower-bound.two-or-three", STEP, "sampled"))
    assert isinstance(bound, LowerBoundResult) and isinstance(step, StepResult) and isinstance(sampled, SampledResult)
    assert bound.rows[0].implied.exact == "1/2" and step.conditions == ["(1 + δ)·p < 1"] and sampled.claimed == "ε = 1"


STEP: Final = "BNS-J-2.6.step.above"


def test_both_readers_read_it_alike_and_a_comparison_finds_no_difference(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(VERSION_5, encoding="utf-8")
    new.write_text(to_json(read_audit(VERSION_5)), encoding="utf-8")
    assert difference(read_loosely(VERSION_5), read_loosely(new.read_bytes())).is_none
    for first, second in ((old, new), (new, old)):
        said = CliRunner().invoke(main, ["compare", str(first), str(second), "--identical", "--all"])
        assert said.exit_code == 0 and "claims: 9 the same, 0 changed" in said.stdout, said.output


@in_one("former", former_fields._OF_A_CLAIM)
def test_each_name_of_the_map_is_needed(former: str) -> None:
    """A record of version 5 has each of them, and without one of them it is not read."""
    without = {name: now for name, now in former_fields._OF_A_CLAIM.items() if name != former}
    with pytest.MonkeyPatch.context() as changed, pytest.raises(InputError, match="unknown field"):
        changed.setattr(former_fields, "_OF_A_CLAIM", without)
        read_audit(VERSION_5)


def test_a_record_of_now_has_no_former_name() -> None:
    """Also none that stands for something else in another kind of claims; what claims write by themselves stays."""
    with pytest.raises(InputError, match="unknown field"):
        read_audit(VERSION_5.replace('"schema":"5"', f'"schema":"{SCHEMA_VERSION}"'))
    claims = [{**claim, "question": {}} for claim in json.loads(to_json(read_audit(VERSION_5)))["claims"]]
    former = {"slack", "tightness", "weak", "weak_because", "exact_epsilon", "exact_delta", "noise_shares", "lifted"}
    assert not former & set(names_in(claims)) and former <= set(names_in(json.loads(VERSION_5)))


def test_names_are_followed_through_lists_and_what_has_not_their_form_stays() -> None:
    names = {"a.b": "c", "a": "d"}
    assert by_names_now({"a": [{"b": 1}, {"e": 2}, 3], "b": 4}, names) == {"d": [{"c": 1}, {"e": 2}, 3], "b": 4}
    assert by_names_now({"a": None}, names) == {"d": None} and by_names_now({}, names) == {}
    parameters = {"parameters": {"slack": "1", "kept": "2"}, "question": {"further": {"forced": "x", "given": "y"}}}
    assert former_fields.claim_now({"kind": "privacy", **parameters}) == {"kind": "privacy", **parameters}
    assert former_fields.claim_now({"kind": ["privacy"], "slack": 1}) == {"kind": ["privacy"], "headroom": 1}
