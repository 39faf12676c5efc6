"""Claims of any kind: what they have in common, how they are found in a module, and how one is asked to be decided."""

from __future__ import annotations

import inspect
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias, TypedDict, Unpack

from dpverify.mechanisms.exported import advice_in_brackets, did_you_mean
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.places import is_kept_nowhere
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import repr_in_full, shown, writable
from dpverify.reports.kinds import kind_of, kinds
from dpverify.reports.record import DEPTHS, HELD_VERDICTS, ClaimResult
from dpverify.reports.record import OF_THE_STATEMENT as OF_THE_STATEMENT  # noqa: PLC0414  # all part of what this
from dpverify.reports.record import Boundary as Boundary  # noqa: PLC0414  # module offers
from dpverify.reports.record import Refutation as Refutation  # noqa: PLC0414
from dpverify.reports.record import RefutationKind as RefutationKind  # noqa: PLC0414
from dpverify.reports.record import Status as Status  # noqa: PLC0414
from dpverify.verifiers.locations import Reference, lines_now, seen_from_here
from dpverify.verifiers.processes.workplace import HERE, Workplace

Depth: TypeAlias = Literal["quick", "report", "full"]
"""Depth of a claim: decided in every audit, in those that write a report, or so long that it is left to full."""


class Why(TypedDict, total=False):
    """Sentences that say why a row is `refuted`, by the name of what is, as `RefutationKind` has it, and a boundary."""

    refuted: Refutation | None
    of_the_statement: str
    degenerate: str
    proof_step: str
    reconstruction: str
    our_constants: str
    variant: str
    boundary: Boundary | None


def refutation_of(**why: Unpack[Why]) -> Refutation | None:
    """The refutation that is given, or of which the reason is; None where neither is."""
    for name, sentences in why.items():
        if isinstance(sentences, str) and sentences:
            kind = RefutationKind["STATEMENT" if name == "of_the_statement" else name.upper()]
            return Refutation(kind, sentences, why.get("boundary"))
    return why.get("refuted")


def proved_unless(**why: Unpack[Why]) -> dict[str, Any]:
    """The fields of a claim that is to be PROVED, or REFUTED where a refutation, or the reason of one, is given."""
    refutation = refutation_of(**why)
    return {"expected": Status.PROVED if refutation is None else Status.REFUTED, "refutation": refutation}


def reaches(depth: str, left_to: str) -> bool:
    """True where an audit at a depth decides what is left to another."""
    order: tuple[str, ...] = DEPTHS
    return order.index(depth) >= order.index(left_to)


Search: TypeAlias = Literal["derandomized", "deep"]
"""The same inputs each time, for a gate; or many new ones, with past failures kept, for a nightly run."""


@dataclass(frozen=True)
class How:
    """The way in which claims are decided: each kind heeds what concerns it.

    `recheck`: laws are computed a second time. `strict`: a verdict that was not rechecked, is weak or has no mutant is
    not as expected. `search`: which inputs are tried where not all can be. `slack`: it is measured with how little of
    its noise a mechanism keeps its claim. `depth`: what a claim leaves to depth
    full is decided there alone. `reach`: it is recorded what of a mechanism no database runs; None leaves that to
    where it costs next to nothing, and to `strict`, of claims that are not the catalogue's. `lines`: it is recorded
    how often each line of a mechanism runs, and how likely.
    """

    recheck: bool = True
    strict: bool = False
    search: Search = "derandomized"
    slack: bool = False
    depth: Depth = "quick"
    reach: bool | None = None
    lines: bool = False
    where: Workplace = field(default=HERE, repr=False, compare=False)
    """Workplace, on which no result depends."""


AS_USUAL: Final = How()


class Explanation(NamedTuple):
    """All that is known of a claim: its result, and what there is to say besides, as titles with texts."""

    result: ClaimResult
    parts: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class AnyClaim(ABC):
    """A claim: something that is said, where it is said, what is known of it, and how it is decided.

    `expected` is the verdict that is known and pinned, None for what the kind has for it. `refutation` says, of a claim
    that is expected to be REFUTED, what it is that is refuted. A `depth` other than "quick" leaves the claim to audits
    at that depth. Raises `InputError` for a bad id, for texts that no report can hold, and for a refutation of a claim
    that is expected to hold.
    """

    id: str
    source: str = ""
    statement: str = ""
    expected: Status | None = Status.PROVED
    refutation: Refutation | None = None
    depth: Depth = "quick"
    limits: Limits | None = None
    reference: Reference | None = field(default=None, init=False, compare=False)
    """Place where another process finds it, which whoever loads it fills in; a changed copy stands nowhere."""
    made_at: Sequence[tuple[str, int]] = field(default=(), init=False, compare=False, repr=False)
    """The lines of files, innermost first, that made it when it was made."""

    kind: ClassVar[str]
    """The name of the kind, which a module of `dpverify.reports.kinds` has, too."""
    is_recomputed: ClassVar[bool] = False
    """True where laws are computed a second time, by another interpreter that finds the claim by its reference."""
    rests_on_files: ClassVar[bool] = True
    """True where files that are looked at tell all that its verdict rests on, so that a cache may keep it."""
    modules: ClassVar[Sequence[str]] = ()
    """Modules that take long to load: they are loaded once, before processes that decide are forked."""

    @property
    @abstractmethod
    def claimed(self) -> str:
        """The claim, in a few words."""

    @property
    def about(self) -> Sequence[Callable[..., Any]]:
        """The functions that it speaks of, its mechanism first; none where it speaks of none."""
        mechanism = getattr(self, "mechanism", None)
        return (mechanism,) if callable(mechanism) else ()

    @property
    def verdict_expected(self) -> Status:
        """The verdict that is expected; PROVED where nothing is said."""
        return self.expected or Status.PROVED

    def refuted_as(self, verdict: Status) -> Refutation | None:
        """The refutation as the record has it: the one that the claim declares, and nothing where it is not refuted."""
        return self.refutation if verdict is Status.REFUTED else None

    if TYPE_CHECKING:  # a field of some kinds, which an inherited property would be taken for the default of

        @property
        def mutants(self) -> Sequence[Any]:
            """Mechanisms broken on purpose, or false variants: they must be refuted, or the check would be no check."""

    @abstractmethod
    def decide(self, how: How = AS_USUAL) -> ClaimResult:
        """The finding on it. Raises `InputError`, naming the claim, where its input is bad."""

    @abstractmethod
    def explain(self, how: How = AS_USUAL) -> Explanation:
        """The finding on it, and all that there is to say of it. Raises as `decide` does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "made_at", lines_now())
        if not isinstance(self.id, str) or not self.id or any(character.isspace() for character in self.id):
            raise InputError(reasons.CLAIM_ID.text(value=shown(self.id)))
        if self.kind not in kinds():
            raise InputError(
                bad_input.NO_NAME,
                f"{self.id}: the kind {self.kind} of claims",
                "",
                "it a module of dpverify.reports.kinds",
            )
        if isinstance(self.expected, str) and self.expected in Status.__members__:
            object.__setattr__(self, "expected", Status[self.expected])
        if not isinstance(self.expected, Status | None):
            known = f"{', '.join(Status.__members__)} as a text, or one of Status, such as Status.PROVED"
            raise InputError(reasons.STATUS_UNKNOWN.text(claim=self.id, value=shown(self.expected), known=known))
        if not isinstance(self.refutation, Refutation | None):
            raise InputError(
                bad_input.WRONG,
                f"{self.id}: refutation={shown(self.refutation)}",
                "a Refutation",
                "write Refutation(…)",
            )
        if self.refutation is not None and self.verdict_expected is not Status.REFUTED:
            raise InputError(bad_input.EXCLUDE, f"{self.id}: refutation=", f"expected={self.verdict_expected}")
        if self.depth not in DEPTHS:
            raise InputError(bad_input.NONE_OF, f"{self.id}: depth={shown(self.depth)}", ", ".join(DEPTHS))
        if self.limits is not None and not isinstance(self.limits, Limits):
            raise InputError(
                bad_input.WRONG, f"{self.id}: limits={shown(self.limits)}", "Limits", "write Limits(paths=…)"
            )
        for name, text in (("id", self.id), ("source", self.source), ("statement", self.statement)):
            if not isinstance(text, str):
                raise InputError(bad_input.TEXT, f"{self.id}: {name}={shown(text)}", "write it in quotes")
            if writable(text) != text:
                raise InputError(bad_input.NOT_PRINTABLE, f"{name}={shown(text)}")
        if not self.id.isprintable():
            raise InputError(bad_input.NOT_PRINTABLE, f"id={shown(self.id)}")

    def found_in(self, place: str) -> None:
        """Note, once, the file that the claim was loaded from, empty for the catalogue."""
        self.stands_at(Reference(place, self.id))

    def at_depth(self, depth: Depth) -> Self:
        """The claim left to audits at another depth, which is written where this one is."""
        left = replace(self, depth=depth)
        object.__setattr__(left, "made_at", self.made_at)
        return left

    def stands_at(self, reference: Reference | None) -> None:
        """Note, once, where another process finds the claim."""
        if self.reference is None:
            object.__setattr__(self, "reference", reference)  # what is claimed stays as it is

    def _refuse_what_is_no_mutant(self, unchanged: Collection[str] = ()) -> None:
        """Raises `InputError` where a claim that is to hold has no `Broken` variants, or one changes no field."""
        if self.verdict_expected in HELD_VERDICTS and not self.mutants:
            raise InputError(
                bad_input.NEEDS,
                f"{self.id}: a claim that holds",
                "mutants, which must be refuted",
                "write mutants=(Broken(…), …)",
            )
        known = {each.name for each in fields(self) if each.init} - {"id", "mutants", "expected", *unchanged}
        may_change = ", ".join(sorted(known - _OF_ALL))
        for mutant in self.mutants:
            if not (isinstance(mutant, Broken) and isinstance(mutant.fields, Mapping)):
                form = f"write Broken(change='…', fields={{'name': …}}) with a name of {may_change}"
                raise InputError(bad_input.WRONG, f"{self.id}: {shown(mutant)}", "a mutant", form)
            for name in mutant.fields:
                if name not in known:
                    near = advice_in_brackets(did_you_mean(str(name), known))
                    named = f"{self.id}: the field {shown(name)} of the mutant {shown(mutant.change)}"
                    raise InputError(bad_input.NONE_OF, named, f"{may_change}{near}")

    def _refuse_what_is_no_function(self, *names: str) -> None:
        for name in names:
            if not callable(getattr(self, name)):
                raise InputError(bad_input.NO_FUNCTION, f"{self.id}: {name}={shown(getattr(self, name))}")


_OF_ALL: Final = frozenset(each.name for each in fields(AnyClaim))


@dataclass(frozen=True)
class Broken:
    """A claim broken on purpose, to be refuted: what was changed, in words, and the fields as they are then."""

    change: str
    fields: Mapping[str, Any]


def sources(functions: Iterable[Callable[..., Any]]) -> str:
    """The source of functions, as a part of an explanation."""
    return "\n" + "\n\n".join(textwrap.indent(_source(function), "    ") for function in functions)


def _source(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    if is_kept_nowhere(code):
        return repr_in_full(function)
    above = ""
    if code is not None and function.__doc__ is not None and function.__doc__ not in code.co_consts:
        above = f"# {function.__doc__}\n"  # of a function that another one made
    try:
        return above + textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        return repr_in_full(function)


def decided(claim: AnyClaim, how: How) -> ClaimResult:
    """The result of deciding a claim. Raises as its `decide` does, and `InputError` where that gives something else."""
    result: object = claim.decide(how)
    if not isinstance(result, ClaimResult) or (result.id, result.kind) != (claim.id, claim.kind):
        raise InputError(
            bad_input.GAVE, f"{claim.id}: decide()", shown(result), "no result of this claim", "return one"
        )
    return result


def with_limits(claim: AnyClaim, limits: Limits | None) -> AnyClaim:
    """The claim with other limits, which stands where it stands: its mechanism is the same."""
    copy = replace(claim, limits=limits)
    copy.stands_at(claim.reference)
    object.__setattr__(copy, "made_at", claim.made_at)
    return copy


def functions_of(claim: AnyClaim, *names: str) -> list[tuple[str, str]]:
    """The sources of functions that a claim holds under these names, as parts of an explanation."""
    return [(name, sources([getattr(claim, name)])) for name in names]


def explained(claim: AnyClaim, how: How, parts: Sequence[tuple[str, str]]) -> Explanation:
    """The finding on a claim, with parts of its own before all that a page says of it."""
    result = claim.decide(how)
    told = "".join(f"\n    {text}" for text in kind_of(result).background(result))
    return Explanation(result, [*parts, ("found", told)])


def claims_in(namespace: Mapping[str, Any]) -> list[AnyClaim]:
    """The claims of a module, in order, at module level and in its lists, tuples and dicts, also within one another.

    Raises `InputError` where two have one id.
    """
    claims: dict[str, AnyClaim] = {}
    for claim in _members(namespace.values()):
        if claims.setdefault(claim.id, claim) is not claim:
            raise InputError(two_of_one_id(claims[claim.id], claim))
    return list(claims.values())


def two_of_one_id(first: AnyClaim, second: AnyClaim) -> str:
    """The error of two claims that have one id, with the places where they are written."""
    places = [f"{seen_from_here(made[-1][0])}, line {made[-1][1]}" for made in (first.made_at, second.made_at) if made]
    where = " and ".join(dict.fromkeys(places))
    return bad_input.TWO_CLAIMS.text(first.id, where)


def _members(values: Iterable[Any], within: int = 3) -> Iterable[AnyClaim]:
    for value in values:
        if isinstance(value, AnyClaim):
            yield value
        elif isinstance(value, list | tuple | dict) and within:
            yield from _members(value.values() if isinstance(value, dict) else value, within - 1)
