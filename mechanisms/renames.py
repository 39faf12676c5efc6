"""Names that modules of this library had before: code that imports a module by a former name gets the module."""

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
    "mechanisms.numbers.given_numbers": "mechanisms.numbers.plain_numbers",
    "mechanisms.numbers.remembered": "mechanisms.numbers.cached_results",
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
    "verifiers.all_sizes.regions.laws": "verifiers.all_sizes.regions.distributions",
    "verifiers.all_sizes.regions.tried": "verifiers.all_sizes.regions.spot_check",
    "verifiers.auditing.mutation.fates": "verifiers.auditing.mutation.statuses",
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
    "verifiers.utility.asking": "verifiers.utility.compiled_functions",
    "verifiers.verdicts.compared_laws": "verifiers.verdicts.compared_distributions",
    "verifiers.verdicts.witness_laws": "verifiers.verdicts.witness_distributions",
    "verifiers.work": "verifiers.divergence.parallel",
    "verifiers.work.law_packets": "verifiers.divergence.parallel.distribution_packets",
}
"""Former name → name of modules and packages below `dpverify`, which those of packages within it begin with."""


def module_now(name: str) -> str:
    """The name of a module of this library now, by that or a former name; of others the name."""
    package, _, inner = name.partition(".")
    if package != "dpverify":
        return name
    parts = inner.split(".")
    for count in range(len(parts), 0, -1):
        target = FORMER_MODULES.get(".".join(parts[:count]))
        if target is not None:
            return ".".join((package, target, *parts[count:]))
    return name


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
