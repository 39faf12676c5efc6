"""Names that fields of records and baselines had in the version before: such a file is read by the names now.

Names that claims write, such as parameters and fields of `further`, are none of these, and stay.
"""

from collections.abc import Mapping
from typing import Any, Final

FORMER_VERSION: Final = "5"
"""The version of records that is read as well: what it says under a former name is what is said under the name now."""

_OF_A_CLAIM: Final = {
    "slack": "headroom",
    "tightness": "tight_over_claimed",
    "weak": "loose",
    "weak_because": "loose_because",
    "exact_epsilon": "tight_epsilon",
    "exact_delta": "smallest_delta",
    "noise_shares.share": "multiplier",
    "noise_shares": "noise_multipliers",
    "scope.reach": "extent",
    "scope.recheck": "recomputation",
    "question.relation": "neighbour_relation",
    "sweep.found": "result",
    "witness.lifted": "realised_by",
    "witness.laws": "distributions",
    "worst.lifted": "realised_by",
    "worst.laws": "distributions",
    "rows.forced": "implied",
    "given": "conditions",
    "asks": "claimed",
}


def claim_now(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a claim with the names of its fields now."""
    kept = "counts_file" if claim.get("kind") == "sampled" else "own_parameters"
    return by_names_now(claim, {**_OF_A_CLAIM, "kept": kept})


def by_names_now(plain: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Plain data with other names of fields: `names` has former ones, below others and through lists, by dots."""
    result = dict(plain)
    for path, now in names.items():
        result = _renamed(result, path.split("."), now)
    return result


def _renamed(value: Any, path: list[str], now: str) -> Any:
    if isinstance(value, list):
        return [_renamed(one, path, now) for one in value]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    first, *rest = path
    if rest:
        return {**value, first: _renamed(value[first], rest, now)}
    return {now if name == first else name: one for name, one in value.items()}
