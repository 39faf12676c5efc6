"""The claim of a sampler that cannot be looked into: that it is private, or that it draws what a model says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, inf
from typing import Any, ClassVar

from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.integers.parameters import open_unit, positive, rational_parameter, whole
from dpverify.mechanisms.numbers.shown import shown
from dpverify.reports.kinds.privacy import in_short
from dpverify.reports.record import Status
from dpverify.verifiers.blackbox.agreement import MOST_DATABASES, error_of_each
from dpverify.verifiers.blackbox.privacy_audit import AuditDesign
from dpverify.verifiers.blackbox.sampling.features import OwnFeature
from dpverify.verifiers.blackbox.sampling.power import least_refuted_epsilon, smallest_shift
from dpverify.verifiers.blackbox.sampling.samplers import PATIENCE, Given, NumpyFunction, Sampler, Unseeded, as_sampler
from dpverify.verifiers.claims import AnyClaim
from dpverify.verifiers.divergence.output_tables.enclosed import enclosed
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.neighbours.neighbours import replace_one
from dpverify.verifiers.problems.questions.domains import Domain
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.problems.questions.question import privacy_guarantee


@dataclass(frozen=True, kw_only=True)
class SampledStatement(AnyClaim):
    """The statement of a `SampledClaim`, with everything that is asked of it."""

    sampler: Given
    model: Claim | None = None
    epsilon: ExactLike | None = None
    delta: ExactLike = 0
    domain: Domain | Any | None = None
    neighbours: NeighbourRelation = replace_one
    pairs: Sequence[tuple[Any, Any]] | Claim | None = None
    databases: Sequence[Any] | None = None
    outcome: Callable[[Any], Any] | None = None
    features: Mapping[str, OwnFeature] = field(default_factory=dict)
    low_bits: bool = True
    confidence: ExactLike = Fraction(999, 1000)
    draws: int = 100_000
    seed: int = 0
    rarest: ExactLike | None = None
    counts: str = ""
    patience: float = PATIENCE
    mutant: Given | None = None
    expected: Status | None = Status.INCONCLUSIVE

    kind: ClassVar[str] = "sampled"
    rests_on_files: ClassVar[bool] = False  # a library, or another program, may have changed
    modules: ClassVar[Sequence[str]] = ("numpy.random",)

    @property
    def claimed(self) -> str:
        """The ε and δ, or the model."""
        if self.model is not None:
            return f"as {self.model.id}"
        epsilon, delta = self.asked_of_privacy
        return in_short(enclosed(epsilon).quantity, enclosed(delta).quantity)

    @property
    def about(self) -> tuple[Callable[..., Any], ...]:
        """The function that draws, where there is one."""
        return tuple(_function_of(self.sampler))

    @property
    def mutants(self) -> tuple[Callable[..., Any], ...]:
        """The function of the sampler that is broken on purpose, or that sampler."""
        return () if self.mutant is None else (*_function_of(self.mutant),) or (self.mutant,)  # type: ignore[return-value]

    @property
    def asked_of_privacy(self) -> tuple[Exact, Exact]:
        """The claimed ε and δ."""
        assert self.epsilon is not None
        return privacy_guarantee(self.epsilon, self.delta)

    @property
    def error(self) -> Fraction:
        """1 − confidence."""
        return 1 - rational_parameter(exact(self.confidence), "confidence")

    @property
    def asked(self) -> AuditDesign:
        """The question to the counts of an audit of (ε,δ)."""
        return AuditDesign(*self.asked_of_privacy, self.draws, self.error, self.low_bits)

    @property
    def share(self) -> Fraction:
        """The probability on the right of the event that the smallest violation is told of."""
        if self.rarest is not None:
            return bounds(open_unit(self.rarest, "rarest"))[0]
        epsilon = bounds(self.asked_of_privacy[0])[1]
        return Fraction(1, 100 if epsilon < Fraction(3, 2) else 4 * ceil(8 ** float(epsilon)))

    @property
    def smallest(self) -> Fraction | None:
        """The smallest violation that would have been seen, an ε; of a model a shift. None where none would."""
        if self.model is not None:
            return smallest_shift(self.draws, error_of_each(self.error, _databases_at_most(self)))
        asked = self.asked
        return least_refuted_epsilon(self.draws, asked.epsilon, asked.delta, self.share, asked.each)

    def __post_init__(self) -> None:
        if self.expected is None:
            object.__setattr__(self, "expected", Status.INCONCLUSIVE if self.refutation is None else Status.REFUTED)
        super().__post_init__()
        try:
            self._check()
        except InputError as error:
            raise InputError(f"{self.id}: {str(error).removeprefix(f'{self.id}: ')}") from None

    def _check(self) -> None:
        if self.expected is Status.PROVED:
            raise InputError(
                bad_input.NONE_OF,
                "expected, of a claim about samples, which prove nothing,",
                "Status.INCONCLUSIVE, Status.REFUTED",
            )
        sampler = as_sampler(self.sampler)
        if self.mutant is not None:
            as_sampler(self.mutant)
        object.__setattr__(self, "draws", whole(self.draws, "draws", 1))
        object.__setattr__(self, "seed", whole(self.seed, "seed", 0))
        if not isinstance(self.patience, int | float) or not 0 < self.patience < inf:
            raise InputError(bad_input.RANGE, f"patience={shown(self.patience)}", "a number of seconds > 0")
        rational_parameter(open_unit(self.confidence, "confidence"), "confidence")
        if not isinstance(self.features, Mapping) or not all(callable(one) for one in self.features.values()):
            raise InputError(
                bad_input.WRONG,
                f"features={shown(self.features)}",
                "a mapping of names to functions of outcomes",
                "write {'name': function}",
            )
        if not sampler.seeded and not self.counts:
            raise InputError(
                bad_input.NEEDS,
                f"the sampler {sampler.name}, which has no seed,",
                "a file for its counts",
                'write counts="NAME.json", and commit that file',
            )
        if (self.model is None) == (self.epsilon is None):
            raise InputError(bad_input.ONE_OF, "model=, a claim of an exact mechanism,", "epsilon=")
        if self.model is None:
            self._check_privacy()
        else:
            self._check_model(self.model)
        if self.smallest is None:
            raise InputError(
                bad_input.TOO_FEW_DRAWS, self.draws, decimal_of_fraction(1 - self.error), self._what_could_be_seen()
            )

    def _what_could_be_seen(self) -> str:
        if self.model is not None:
            return "not even a cell of probability ½ that never occurs: give more draws"
        text = f"not even an event of probability {decimal_of_fraction(self.share)} that became certain"
        return f"{text}: give more draws, or rarest= a larger probability where no event is that rare"

    def _check_privacy(self) -> None:
        epsilon, delta = self.asked_of_privacy
        if not delta < 1:
            raise InputError(bad_input.RANGE, f"delta={self.delta}", "less than 1, so that a mechanism can fail it")
        if (self.domain is None) == (self.pairs is None):
            raise InputError(bad_input.ONE_OF, "domain=, with neighbours=,", "pairs=[(left, right), …]")
        if self.databases is not None or self.outcome is not None:
            raise InputError(bad_input.EXCLUDE, "databases= or outcome=, which are for a model,", "epsilon=")
        if not callable(self.neighbours):
            raise InputError(bad_input.NO_FUNCTION, f"neighbours={shown(self.neighbours)}")
        positive(epsilon + 1, "epsilon")

    def _check_model(self, model: Claim) -> None:
        if not isinstance(model, Claim):
            raise InputError(
                bad_input.WRONG, f"model={shown(model)}", "a Claim", "write Claim(…), which is decided, too"
            )
        if self.domain is not None or self.pairs is not None or self.features:
            raise InputError(bad_input.EXCLUDE, "domain=, pairs= or features=, which are for epsilon=,", "model=")
        if self.databases is not None and not self.databases:
            raise InputError(bad_input.IS_EMPTY, "databases", "database that the model takes")


def _databases_at_most(claim: SampledStatement) -> int:
    return MOST_DATABASES if claim.databases is None else len(claim.databases)


def _function_of(given: Given) -> list[Callable[..., Any]]:
    sampler: Sampler = as_sampler(given)
    return [sampler.function] if isinstance(sampler, NumpyFunction | Unseeded) else []
