"""The claim of a sampler that cannot be looked into, as a user writes it, and how it is decided."""

from dataclasses import dataclass

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.reports.sampled_record import SampledResult
from dpverify.verifiers.blackbox.result import sampled_result
from dpverify.verifiers.blackbox.statement import SampledStatement
from dpverify.verifiers.claims import AS_USUAL, Explanation, How, explained, functions_of


@dataclass(frozen=True, kw_only=True)
class SampledClaim(SampledStatement):
    """The claim that what `sampler` draws is (ε,δ)-private, or that it has the distribution of a `model`.

    It is REFUTED, which is done of what is true with probability at most 1 − `confidence`, or INCONCLUSIVE, which says
    what `draws` draws of each database have ruled out and what they would have seen; never PROVED. `sampler` is a
    function of (rows, rng) or (rows, rng, size), or a sampler of `dpverify.verifiers.blackbox`. Either `epsilon` is
    given, with a `domain` and a relation, or with `pairs`: a list of them, or a claim of a model, whose worst pair is
    taken; a domain may be a Hypothesis strategy. Or `model` is: a claim of an exact mechanism, which is decided as
    well, with the `databases` that are drawn from (by default some of its domain's); `outcome` makes of what the
    library returns what the model does. `features` are further things to look at, by name: functions of an array of
    outcomes; `low_bits=False` takes floats for the reals that they stand for. `rarest` is the probability of the event
    that the smallest violation is told of. The counts of a sampler without a seed are kept in the file `counts`, beside
    the file of claims. A sampler that takes more than `patience` seconds for 10,000 draws, or for fewer, is taken for
    endless. `expected` is INCONCLUSIVE where nothing is said. `mutant` is the sampler broken on purpose, which must be
    refuted. Raises `InputError` for what is out of range, and for draws that could see nothing.

    >>> def sampler(rows, rng, size):
    ...     return sum(rows) + rng.geometric(0.5, size) - rng.geometric(0.5, size)
    >>> claim = SampledClaim(id="lib.sampler", sampler=sampler, domain=Tuples((0, 1), size=1), epsilon=1, draws=1000)
    >>> audit([claim]).claims[0].verdict
    <Status.INCONCLUSIVE: 'INCONCLUSIVE'>
    """

    def decide(self, how: How = AS_USUAL) -> SampledResult:
        """The record of what was found. Raises `InputError`, naming the claim, where the sampler or a domain is bad."""
        return check_sampled(self, how)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return explained(self, how, functions_of(self, "sampler") if callable(self.sampler) else [])


def check_sampled(claim: SampledClaim, how: How = AS_USUAL) -> SampledResult:
    """The evidence of the draws of a claim's sampler, and those of its mutant.

    The draws are the same each time, but with the search "deep", which takes another seed. Ctrl-C stops it, and what
    was learnt by then is in the result. Raises `InputError`, naming the claim, where the sampler fails.

    >>> def sampler(rows, rng, size):
    ...     return sum(rows) + rng.geometric(0.5, size) - rng.geometric(0.5, size)
    >>> domain = Tuples((0, 1), size=1)
    >>> drawn = SampledClaim(id="lib.sampler", sampler=sampler, domain=domain, epsilon="1/10", draws=5000)
    >>> check_sampled(drawn).verdict
    <Status.REFUTED: 'REFUTED'>
    """
    try:
        return sampled_result(claim, how)
    except InputError as error:
        raise InputError(f"{claim.id}: {str(error).removeprefix(f'{claim.id}: ')}") from error
