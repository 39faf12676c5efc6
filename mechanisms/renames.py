"""Names that modules, functions and classes of this library had before: digests and imports of modules stay valid.

A gate keeps digests of code in which such names stand. It writes the first name that a thing had, so that a digest
changes with the code alone. Code that imports a module by a former name gets the module. A pickle of a class that has
another name now is read no more.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

FORMER_MODULES: Final[Mapping[str, str]] = {
    "mechanisms.drawing.keeping": "mechanisms.drawing.caching",
    "mechanisms.drawing.law_so_far": "mechanisms.drawing.distribution_so_far",
    "mechanisms.forests": "mechanisms.path_conditions",
    "mechanisms.forests.circles": "mechanisms.path_conditions.cycles",
    "mechanisms.forests.implied_facts": "mechanisms.path_conditions.implied_conditions",
    "mechanisms.forests.tied_facts": "mechanisms.path_conditions.tied_conditions",
    "mechanisms.laws": "mechanisms.outputs",
    "mechanisms.orthants": "mechanisms.numbers.positivity",
    "mechanisms.orthants.orthant_bounds": "mechanisms.numbers.positivity.bounds",
    "mechanisms.orthants.orthant_constants": "mechanisms.numbers.positivity.constants",
    "mechanisms.orthants.orthant_decision": "mechanisms.numbers.positivity.positivity",
    "mechanisms.orthants.orthant_points": "mechanisms.numbers.positivity.points",
    "mechanisms.orthants.orthant_polynomials": "mechanisms.numbers.positivity.polynomials",
    "mechanisms.orthants.orthant_rays": "mechanisms.numbers.positivity.rays",
    "mechanisms.orthants.orthants": "mechanisms.numbers.positivity.affine_regions",
    "mechanisms.rooms": "mechanisms.packages",
    "mechanisms.signs": "mechanisms.numbers.roots",
    "mechanisms.unknowns": "mechanisms.numbers.integers",
    "verifiers.charts": "verifiers.all_sizes.regions",
    "verifiers.composites": "verifiers.all_sizes.compositions",
    "verifiers.contract": "verifiers.auditing.digests",
    "verifiers.densities": "verifiers.divergence.densities",
    "verifiers.densities.strata": "verifiers.divergence.densities.mixture_components",
    "verifiers.every_epsilon": "verifiers.divergence.every_epsilon",
    "verifiers.experiments": "verifiers.problems.preparation",
    "verifiers.finite": "verifiers.divergence.finite",
    "verifiers.kept": "verifiers.auditing.cache",
    "verifiers.kept.kept_parts": "verifiers.auditing.cache.cached_parts",
    "verifiers.mutation": "verifiers.auditing.mutation",
    "verifiers.pairs": "verifiers.problems.neighbours",
    "verifiers.profiles.noise_shares": "verifiers.profiles.noise_multipliers",
    "verifiers.profiles.weakness": "verifiers.profiles.looseness",
    "verifiers.questions": "verifiers.problems.questions",
    "verifiers.reach": "verifiers.line_coverage",
    "verifiers.reach.found": "verifiers.line_coverage.results",
    "verifiers.reach.ran": "verifiers.line_coverage.executed",
    "verifiers.sampled": "verifiers.blackbox",
    "verifiers.sampled.kept_counts": "verifiers.blackbox.stored_counts",
    "verifiers.sampling": "verifiers.blackbox.sampling",
    "verifiers.sampling.law_cells": "verifiers.blackbox.sampling.distribution_cells",
    "verifiers.tables": "verifiers.divergence.output_tables",
    "verifiers.tables.apart": "verifiers.divergence.output_tables.independent_parts",
    "verifiers.tables.law_arrays": "verifiers.divergence.output_tables.distribution_arrays",
    "verifiers.tables.law_table": "verifiers.divergence.output_tables.distribution_table",
    "verifiers.verdicts.compared_laws": "verifiers.verdicts.compared_distributions",
    "verifiers.verdicts.witness_laws": "verifiers.verdicts.witness_distributions",
    "verifiers.work": "verifiers.divergence.parallel",
    "verifiers.work.law_packets": "verifiers.divergence.parallel.distribution_packets",
}
"""Former name → name of modules and packages below `dpverify`, which those of packages within it begin with."""

_PAIRS: Final = """
Arm StarLeaf; ArmOfStar LeafOfStarGraph; Chart AffineRegion; Circle ConditionCycle; DrawnLaws DrawnDistributions; Fact
PathCondition; FoundOfAll ResultOfAll; GivenUp Abandoned; KeptLaws CachedDistributions; KeptPart CachedResult; KeptParts
CachedParts; KeptSampler StoredSampler; LawArray DistributionArray; LawCells DistributionCells; LawFactor
ComponentFactor; LawOnChart DistributionOnRegion; LawPair DistributionPair; LawSoFar DistributionSoFar; LawSubstitution
DistributionSubstitution; LawTable DistributionTable; LawWeights ComponentWeights; LawsOfBlocks DistributionsOfBlocks;
LawsOnCharts DistributionsOnRegions; NoiseShare NoiseMultiplier; OnStratum OnComponent; OrthantPiece PositivityPiece;
ScoredLaw ScoredDistribution; ScoredLaws ScoredDistributions; Stratum MixtureComponent; TiedFacts TiedConditions;
TimeOfLaws TimeOfDistributions; Told DescribedPart; WhichLaw DistributionRequest; WitnessLaws WitnessDistributions;
as_law_array as_distribution_array; asked_of_names claims_of_names; asked_of_user question_of_user; asked_provenance
command_provenance; baseline_asked baseline_of_command; claim_apart claim_in_a_process; domain_told described_domain;
done_apart done_in_a_process; drawn_laws drawn_distributions; held_laws held_distributions; inlined_law
inlined_distribution; is_one_law is_one_distribution; is_weak is_loose; is_weak_in_use is_loose_in_use; kept_apart
split_parts; kept_part cached_result; kept_sampler stored_sampler; key_of_law key_of_distribution; law_factor
component_factor; law_if_accepted distribution_if_accepted; law_of_states distribution_of_states; laws_to_compare
distributions_to_compare; laws_together distributions_together; may_be_kept may_be_cached; noise_told noise_in_words;
orthants_of affine_regions_of; outcomes_of_laws outcomes_of_distributions; packed_laws packed_distributions;
probability_of_circle probability_of_cycle; refuse_circle refuse_cycle; repaired_law repaired_distribution; room_of
package_of; same_law same_distribution; shared_fact shared_condition; shares_told multipliers_in_words; sign_on_orthant
sign_on_naturals; slack_of headroom_of; slack_of_noise headroom_of_noise; star_of star_graph_of; strata_of
mixture_components_of; strength_told strength_in_words; sums_apart separate_sums; timed_apart timed_in_a_process;
whole_orthant all_naturals; whole_part_on_orthant integer_part_on_naturals; with_each_share with_each_multiplier;
work_apart work_in_a_process
"""

FORMER_NAMES: Final[Mapping[str, str]] = {
    former: now for former, _, now in (pair.partition(" ") for pair in " ".join(_PAIRS.split()).split("; ") if pair)
}
"""Former name → name of functions and classes."""


def first_name(name: str) -> str:
    """The first name of a function or class, by its name now, which may go on with a dot."""
    head, dot, rest = name.partition(".")
    return f"{_FIRST_NAMES.get(head, head)}{dot}{rest}"


def first_module(name: str) -> str:
    """The first name of a module of this library, by its name now; of others the name."""
    return _moved(name, _FIRST_MODULES)


def module_now(name: str) -> str:
    """The name of a module of this library now, by that or a former name; of others the name."""
    return _moved(name, FORMER_MODULES)


def _moved(name: str, moves: Mapping[str, str]) -> str:
    package, _, inner = name.partition(".")
    if package != "dpverify":
        return name
    parts = inner.split(".")
    for count in range(len(parts), 0, -1):
        target = moves.get(".".join(parts[:count]))
        if target is not None:
            return ".".join((package, target, *parts[count:]))
    return name


_FIRST_NAMES: Final = {now: former for former, now in FORMER_NAMES.items()}
_FIRST_MODULES: Final = {now: former for former, now in FORMER_MODULES.items()}


class FormerNames:
    """Finder of modules by their former names: it gives the module itself, which is loaded once."""

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The specification of a module that has another name now; None for all others."""
        return None if module_now(fullname) == fullname else ModuleSpec(fullname, self)  # type: ignore[arg-type]  # a loader by its methods

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the name now, whose own specification is kept in `spec`, as Python puts this one there."""
        module = import_module(module_now(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is executed: the module was, and has its own specification again."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, FormerNames())
