"""Claims that a mechanism is private, as data that the command line, pytest and the report all read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from dpverify.mechanisms.functions.limits import checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism, name_of
from dpverify.mechanisms.functions.signatures import in_a_claim
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.numbers.roots.delta_symbol import holds_delta
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.kinds.privacy import for_all, in_short
from dpverify.reports.record import DEPTHS
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.claims import AnyClaim, Depth
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.privacy.expressions import as_domain, as_relation
from dpverify.verifiers.problems.neighbours.neighbours import replace_one
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import Question, privacy_guarantee
from dpverify.verifiers.profiles.least_share import LeastShare
from dpverify.verifiers.profiles.longer_inputs import LongerInputs


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement(AnyClaim):
    """The statement of a `Claim`, with everything that is asked of it."""

    mechanism: Mechanism
    domain: Domain | str
    neighbours: NeighbourRelation | str = replace_one
    epsilon: ExactLike
    delta: ExactLike = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mutant: Mechanism | None = None
    sweep: Mapping[int, Domain] | LongerInputs = field(default_factory=dict)
    neighbours_agree: bool = False
    weak_because: str = ""
    least: LeastShare | None = None
    stronger: Sequence[Domain | str | tuple[Domain, ExactLike] | tuple[Domain, ExactLike, ExactLike]] = ()
    all_sizes: Domain | str | None = None
    all_sizes_depth: Depth = "quick"
    scope: Literal["", "all"] = ""
    finite_because: str = ""

    kind: ClassVar[str] = "privacy"
    is_recomputed: ClassVar[bool] = True
    modules: ClassVar[Sequence[str]] = (  # what is loaded when it is first asked for
        *("numpy.random", "numpy.ma", "dpverify.verifiers.all_sizes.verdicts"),
        *("dpverify.verifiers.all_sizes.compositions.deciding", "dpverify.verifiers.deciding.all_epsilon"),
        "dpverify.verifiers.divergence.densities.curve",
    )

    @property
    def claimed(self) -> str:
        """The ε and δ."""
        question, every_delta = self.question, self.is_of_every_delta
        (epsilon, delta), kept = question.claim, question.contradictions
        if every_delta or symbol_in((epsilon, delta, dict(self.parameters))) is not None:
            return for_all(str(epsilon), str(delta), every_delta=every_delta, kept=kept)
        return in_short(enclosed(epsilon).quantity, enclosed(delta).quantity, kept)

    @property
    def is_of_every_delta(self) -> bool:
        """True of a claim for all 0 < δ < 1 at once."""
        return holds_delta((self.epsilon, self.delta, dict(self.parameters)))

    @property
    def question(self) -> Question:
        """The question on its domain. Raises `InputError` as `check_privacy` does of a claim."""
        claimed = privacy_guarantee(self.epsilon, self.delta, every_delta=True)
        limits = checked_limits(self.limits)
        asked = as_domain(self.domain), as_relation(self.neighbours)
        return Question(self.mechanism, *asked, claimed, self.parameters, limits)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The domains where the claim has to be PROVED: on its domain, and on those of `stronger`."""
        return (self.question, *(self._stronger(one) for one in self.stronger))

    def _stronger(self, one: Domain | tuple[Any, ...]) -> Question:
        domain, *other = one if isinstance(one, tuple) else (one,)
        claimed = privacy_guarantee(*(*other, *(self.epsilon, self.delta)[len(other) :]))
        return replace(self.question, domain=as_domain(domain), claimed=claimed)

    @property
    def mutants(self) -> tuple[Mechanism, ...]:
        """The mechanism broken on purpose, if there is one."""
        return () if self.mutant is None else (self.mutant,)

    def refuse_contradiction(self) -> None:
        """Raises `InputError`, naming both, where the mechanism keeps another ε or δ than is claimed."""
        for name in self.question.contradictions:
            raise InputError(bad_input.STRICT_CLAIM, self.id, name_of(self.mechanism), self.claimed, in_a_claim(name))

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            object.__setattr__(self, "domain", as_domain(self.domain))
            object.__setattr__(self, "neighbours", as_relation(self.neighbours))
            object.__setattr__(self, "all_sizes", None if self.all_sizes is None else as_domain(self.all_sizes))
        except InputError as error:
            raise InputError(f"{self.id}: {error}") from None
        self._refuse_what_is_no_function("mechanism", "neighbours", *(["mutant"] if self.mutant is not None else []))
        if not isinstance(self.neighbours_agree, bool):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: neighbours_agree={shown(self.neighbours_agree)}",
                "True or False",
                "write one of these",
            )
        if not isinstance(self.parameters, Mapping):
            raise InputError(reasons.PARAMETERS_NO_MAPPING.text(value=shown(self.parameters)))
        if not isinstance(self.sweep, Mapping | LongerInputs):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: sweep={shown(self.sweep)}",
                "a mapping of sizes to domains, or LongerInputs",
                "write {size: domain}",
            )
        if not isinstance(self.domain, Iterable):
            raise InputError(reasons.DOMAIN_NO_ITERABLE.text(value=shown(self.domain)))
        if self.least is not None and not isinstance(self.least, LeastShare):
            raise InputError(
                bad_input.WRONG, f"{self.id}: least={shown(self.least)}", "a LeastShare", "write LeastShare(…)"
            )
        self._check_epsilon()
        self._check_stronger()
        if self.all_sizes is not None and as_endless(self.all_sizes) is None:
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: all_sizes={shown(self.all_sizes)}",
                "a domain without end",
                "write Scores(solutions=…), Histograms(universe), ScoreGaps(solutions=…) or BoundedGrowth(…)",
            )
        if self.all_sizes_depth not in DEPTHS:
            raise InputError(
                bad_input.NONE_OF, f"{self.id}: all_sizes_depth={shown(self.all_sizes_depth)}", ", ".join(DEPTHS)
            )
        if self.scope not in ("", "all"):
            raise InputError(bad_input.NONE_OF, f"{self.id}: scope={shown(self.scope)}", '"all"')

    def _check_stronger(self) -> None:
        if isinstance(self.stronger, str) or not isinstance(self.stronger, Sequence):
            raise InputError(
                bad_input.WRONG, f"{self.id}: stronger={shown(self.stronger)}", "a list of domains", "write [domain, …]"
            )
        for given in self.stronger:
            parts = given if isinstance(given, tuple) else (given,)
            if not 0 < len(parts) <= 3 or not isinstance(parts[0], Iterable):
                raise InputError(
                    bad_input.WRONG,
                    f"{self.id}: stronger holds {shown(given)}, which",
                    "a domain",
                    "write a domain, (domain, epsilon) or (domain, epsilon, delta), and databases in a list",
                )
            try:
                self._stronger(given)
            except InputError as error:
                raise InputError(f"{self.id}: stronger: {error}") from None

    def _check_epsilon(self) -> None:
        if self.is_of_every_delta and (self.sweep or self.stronger):
            raise InputError(
                bad_input.EXCLUDE, f"{self.id}: a claim for every δ, which a theorem decides,", "sweep or stronger"
            )
        if self.sweep and symbol_in((self.epsilon, self.delta, dict(self.parameters))) is not None:
            raise InputError(bad_input.EXCLUDE, f"{self.id}: a sweep, which compares numbers,", "a claim for all ε")
        try:
            privacy_guarantee(self.epsilon, self.delta, every_delta=True)
        except InputError as error:
            raise InputError(f"{self.id}: {error}") from None
        if isinstance(self.sweep, Mapping) and not all(isinstance(size, int) for size in self.sweep):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: sweep={shown(self.sweep)}",
                "a mapping whose keys are sizes",
                "write {size: domain}",
            )
