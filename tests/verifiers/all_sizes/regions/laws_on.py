"""Laws of a mechanism on charts, where nothing is claimed of it."""

from collections.abc import Mapping
from typing import Any

from dpverify.mechanisms.functions.limits import Limits
from dpverify.verifiers.all_sizes.regions.distributions import DistributionsOnRegions
from dpverify.verifiers.all_sizes.regions.domains import Endless
from dpverify.verifiers.problems.questions.question import Question, no_neighbours


def laws_on(domain: Endless, mechanism: Any, parameters: Mapping[str, Any]) -> DistributionsOnRegions:
    """The laws of the mechanism on the charts of a domain."""
    return DistributionsOnRegions(Question(mechanism, (), no_neighbours, None, parameters, Limits()), domain)
