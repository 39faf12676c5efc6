"""The question of a claim: what is kept of it by a gate, so that it is seen when another question is asked."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import MadeOf, name_of
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.numbers.exact_numbers import Exact
from dpverify.mechanisms.numbers.shown import cut, one_line
from dpverify.mechanisms.packages import MEANS
from dpverify.reports.record import CALLS, ClaimResult, DescribedPart, QuestionRecord, storable
from dpverify.verifiers.all_sizes.regions.domains import as_endless
from dpverify.verifiers.auditing.digests.function_form import Forms, digest, state_of
from dpverify.verifiers.auditing.digests.library import may_change
from dpverify.verifiers.auditing.digests.names import functions_in, is_of_people, module_name_of, public_name
from dpverify.verifiers.auditing.digests.writes import setup_of
from dpverify.verifiers.claims import AnyClaim, How
from dpverify.verifiers.claims import decided as decided_alone
from dpverify.verifiers.line_coverage.accepted import accepted_lines
from dpverify.verifiers.locations import below_imports, inner_function, is_in_catalogue, project_of, with_language
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.problems.neighbours.neighbours import RELATIONS, neighbouring_pairs
from dpverify.verifiers.problems.questions.domains import BUILT_IN, Domain, LabelledSamples, Listed, listed_databases
from dpverify.verifiers.problems.questions.moves import NeighbourRelation
from dpverify.verifiers.readable import shown_parameter

if TYPE_CHECKING:  # each is loaded where there is such a claim
    from dpverify.verifiers.blackbox.claim import SampledClaim
    from dpverify.verifiers.blackbox.sampling.samplers import Sampler
    from dpverify.verifiers.steps.claim import Step

_OF_ALL: Final = frozenset(
    ("id", "source", "statement", "expected", "refutation", "depth", "limits", "reference", "made_at", "mechanism")
)
"""Fields of claims that are no part of a question, or are kept of all kinds alike."""

_OF_PRIVACY: Final = frozenset(("domain", "neighbours", "epsilon", "delta", "parameters", "mutant", "sweep"))
_MORE: Final = frozenset(("stronger", "all_sizes", "all_sizes_depth", "scope"))
"""Demands of a claim of privacy beside its domain."""

_OF_SAMPLES: Final = frozenset(
    ("sampler", "model", "epsilon", "delta", "domain", "neighbours", "pairs", "confidence", "draws", "rarest", "mutant")
) | {"patience"}
"""Fields of a claim by samples that are kept in a form of their own, or ask nothing."""

_MUTANTS: Final = frozenset(("mutant", "mutants"))
_LONGEST: Final = 100
"""Characters of what is written in full; of what is longer there is a digest."""


def decided_with_question(claim: AnyClaim, how: How) -> ClaimResult:
    """The result of deciding a claim, with its language, and its question. Raises as `claims.decided` does."""
    result = with_language(claim, decided_alone(claim, how))
    if claim.reference is None or claim.reference.place is None:
        return result
    return msgspec.structs.replace(result, question=question_of(claim))


def question_of(claim: AnyClaim) -> QuestionRecord:
    """The question of a claim, without deciding it. Raises as its domain and its relation do."""
    place = _place_of(claim)
    of_claims = _of_file(place)
    of_library = may_change(claim, of_claims, place)
    spoken_of = [code_of(inner_function(function)) for function in claim.about]

    def is_of_people_here(file: str) -> bool:
        return of_claims(file) or (bool(place) and is_of_people(file))

    def is_followed(file: str) -> bool:
        return is_of_people_here(file) and (of_claims(file) or not of_library(file))

    forms = Forms(is_of_people_here, named=spoken_of)
    asked = _asked(claim, forms)
    further = {**asked.pop("further"), **_sort_of(claim, forms), **(_accepted(claim) if place else {})}
    mechanism = next(iter(claim.about), None)
    called: set[str] = set()
    mutants = [_mutant(one, is_followed, spoken_of, called) for one in claim.mutants]
    wrapper = "" if mechanism is None else _wrapper(mechanism, is_followed, place, called)
    if called:
        further[CALLS] = ", ".join(sorted(called))
    return storable(
        QuestionRecord(
            depth=claim.depth,
            mechanism="" if mechanism is None else _called(mechanism, forms, of_claims),
            mechanism_file=_file_of_mechanism(mechanism, of_claims),
            mutants=mutants,
            wrapper=wrapper,
            setup=setup_of(place),
            further=further,
            **asked,
        )
    )


def _file_of_mechanism(mechanism: Any, of_claims: Callable[[str], bool]) -> str:
    """The file of a mechanism of people's own that stands in no file of claims, below where it is imported from."""
    inner = None if mechanism is None else inner_function(mechanism)
    file = "" if inner is None else _file_of(inner)
    return "" if not is_of_people(file) or of_claims(file) else below_imports(file, module_name_of(inner))


def _place_of(claim: AnyClaim) -> str:
    """The file of claims that a claim is written in; empty for the catalogue, whoever names the claim besides."""
    if claim.reference is None or not claim.reference.place or is_in_catalogue(next(iter(claim.made_at), ("", 0))[0]):
        return ""
    return claim.reference.place


# --- What each kind asks


def _asked(claim: AnyClaim, own: Forms) -> dict[str, Any]:
    if isinstance(claim, Claim):
        return _of_privacy(claim, own)
    if claim.kind == "step":
        return {"further": _of_step(cast("Step", claim), own)}
    if claim.kind == "sampled":
        return _of_samples(cast("SampledClaim", claim), own)
    given = {one.name: getattr(claim, one.name) for one in _changed_fields(claim)}
    numbers = {name: value for name, value in given.items() if isinstance(value, Fraction | Exact)}
    cases = given.get("cases")
    others = {name: value for name, value in given.items() if name not in (*numbers, *_MUTANTS, "cases", "learner")}
    results: dict[str, Any] = {
        "claimed": {name: str(value) for name, value in numbers.items()},
        "further": {name: _written(value, own) for name, value in others.items() if name not in _OF_ALL},
    }
    if isinstance(cases, Iterable):
        each = list(cases)
        results["domain"] = DescribedPart(f"{len(each):,} cases", own.digest(each))
    return results


def _accepted(claim: AnyClaim) -> dict[str, str]:
    """The reasons of comments in the mechanism, by what they accept."""
    return {f"{one.what} in {one.file}: {_short(one.text)}": _short(one.because) for one in accepted_lines(claim)}


def _sort_of(claim: AnyClaim, forms: Forms) -> dict[str, str]:
    """The class of a claim that is none of dpverify's own: it may decide as it likes."""
    own = type(claim).__module__.startswith("dpverify.")
    return {} if own else {"class": f"{type(claim).__qualname__} {forms.digest(type(claim))}"}


def _of_privacy(claim: Claim, own: Forms) -> dict[str, Any]:
    (epsilon, delta), given = claim.question.claim, claim.question.all_arguments
    of_kind = [one for one in _changed_fields(claim) if one.name not in _OF_PRIVACY | _OF_ALL]
    return {
        "claimed": {"epsilon": str(epsilon), "delta": str(delta)},
        "parameters": {name: _written(value, own) for name, value in given.items()},
        "domain": described_domain(claim.domain, own, claim.limits),
        "neighbour_relation": _described_relation(claim, own),
        "more": {one.name: _written(getattr(claim, one.name), own) for one in of_kind if one.name in _MORE},
        "further": {one.name: _written(getattr(claim, one.name), own) for one in of_kind if one.name not in _MORE},
    }


def _of_samples(claim: SampledClaim, own: Forms) -> dict[str, Any]:
    """The claim, and how much would have been seen; of a model all that its own claim asks."""
    from dpverify.verifiers.blackbox.sampling.samplers import NumpyFunction, Unseeded, as_sampler

    smallest = claim.smallest
    numbers = {
        "confidence": str(1 - claim.error),
        "draws": str(claim.draws),
        "smallest violation seen": "" if smallest is None else str(smallest),
    }
    sampler = as_sampler(claim.sampler)
    told = {
        one.name: getattr(claim, one.name) for one in _changed_fields(claim) if one.name not in _OF_SAMPLES | _OF_ALL
    }
    further = {name: _written(value, own) for name, value in told.items()}
    if not isinstance(sampler, NumpyFunction | Unseeded):
        further["sampler"] = _described_sampler(sampler, own, claim)
    if claim.model is not None:
        of_model = _of_privacy(claim.model, own)
        of_model["claimed"] |= numbers
        of_model["further"] |= {**further, "model": _called(claim.model.mechanism, own, lambda _: False)}
        return of_model
    epsilon, delta = claim.asked_of_privacy
    asked: dict[str, Any] = {
        "claimed": {"epsilon": str(epsilon), "delta": str(delta), **numbers},
        "further": {**further, "event of probability": str(claim.share)},
    }
    if claim.pairs is None:
        asked["domain"] = _sampled_domain(claim.domain, own)
        known = any(claim.neighbours is one for one in RELATIONS.values())
        digest = "" if known else own.digest(claim.neighbours)
        asked["neighbour_relation"] = DescribedPart(name_of(claim.neighbours), digest)
    elif isinstance(claim.pairs, Claim):
        further["pairs"] = f"the worst of {claim.pairs.id} {own.digest(claim.pairs)}"
    else:
        asked["domain"] = DescribedPart(f"{len(claim.pairs):,} pairs", own.digest(list(claim.pairs)))
    return asked


def _described_sampler(sampler: Sampler, own: Forms, claim: SampledClaim) -> str:
    """A sampler, of which a command is told without where this machine has its files."""
    from dpverify.verifiers.blackbox.sampling.json_lines import JsonLines

    if not isinstance(sampler, JsonLines):
        return _written(sampler, own)
    root = project_of(next(iter(claim.made_at), ("", 0))[0])
    parts = []
    for part in sampler.command:
        path = Path(part)
        if path.is_absolute():
            inside = root is not None and path.is_relative_to(root)
            parts.append(path.relative_to(root).as_posix() if inside and root is not None else path.name)
        else:
            parts.append(part)
    return _short(" ".join([*parts, *(["seeded"] if sampler.seeded else [])]))


def _sampled_domain(domain: Any, own: Forms) -> DescribedPart:
    return DescribedPart(_text_of(domain), "") if hasattr(domain, "example") else described_domain(domain, own)


def _of_step(claim: Step, own: Forms) -> dict[str, str]:
    """Ranges, hypotheses and what is said, as formulas: how they are written in Python says no more."""
    question = claim.question
    told = {
        "for all": ", ".join(question.ranges_in_words),
        "given": "; ".join(map(str, question.given)),
        "says": str(question.says),
        "tries": own.digest(claim.tries) if claim.tries else "",
        "mends": claim.mends,
        "boxes": "" if claim.boxes == type(claim).boxes else str(claim.boxes),
    }
    return {name: _short(text) for name, text in told.items() if text}


def _changed_fields(claim: AnyClaim) -> list[Field[Any]]:
    """The fields of a claim that say something: not those that are what they are where nothing is said."""
    return [one for one in fields(claim) if one.init and not _is_default(one, getattr(claim, one.name))]


def _is_default(one: Field[Any], value: Any) -> bool:
    if one.default is not MISSING:
        return value is one.default or (isinstance(value, str | int) and value == one.default)
    if one.default_factory is not MISSING:
        return isinstance(value, Mapping) and not value
    return False


# --- Values, domains and relations


def _written(value: Any, own: Forms) -> str:
    """A value as a person reads it where that is all of it, and else what it is called and a digest."""
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, bool | int | Fraction | Exact | None):
        return _short(shown_parameter(value))
    if inspect.isfunction(value) or inspect.ismethod(value) or isinstance(value, functools.partial):
        form = own.of(value)
        name = form.removeprefix("function:").removesuffix("()")
        return name if form == f"function:{name}()" else f"{name_of(value)} {digest(form)}"
    said = one_line(repr(value)) if type(value).__module__.startswith(("dpverify.", "builtins")) else ""
    if said and len(said) <= _LONGEST and " at 0x" not in said and not list(functions_in(value)):
        return said
    return f"{type(value).__name__} {own.digest(value)}"


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= 4 * _LONGEST else f"{cut(text, _LONGEST)} {digest(text)}"


def described_domain(domain: Domain, own: Forms, limits: Limits | None = None) -> DescribedPart:
    """A domain by its text and a digest of its databases: of a built-in one, of what it is made from."""
    if as_endless(domain) is not None or type(domain) in (*BUILT_IN, LabelledSamples):
        return DescribedPart(_text_of(domain), own.digest(domain))
    databases = listed_databases(domain, checked_limits(limits).databases)
    text = _text_of(domain if not isinstance(domain, Sequence | set | frozenset) else Listed(databases, domain))
    return DescribedPart(text, digest_of_all(map(own.of, databases)))


def _text_of(value: Any) -> str:
    said = one_line(repr(value))
    return type(value).__name__ if " at 0x" in said else _short(said)


def _described_relation(claim: Claim, own: Forms) -> DescribedPart:
    """A relation by its name, and for one that is not built in a digest of the pairs that it makes of the domain."""
    relation = claim.question.neighbours
    name = name_of(relation)
    if any(relation is one for one in RELATIONS.values()):
        return DescribedPart(name, "")
    if as_endless(claim.domain) is not None:
        return DescribedPart(name, own.digest(relation))
    pairs = neighbour_pairs(claim.domain, relation, claim.limits)
    return DescribedPart(name, digest_of_all(f"{own.of(left)}→{own.of(right)}" for left, right in pairs))


def digest_of_all(texts: Iterable[str]) -> str:
    """A digest of many texts, in whatever order: they may be more than can be held."""
    total = sum(int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()) for text in texts)
    return digest(f"{total:x}")


def neighbour_pairs(
    domain: Domain, relation: NeighbourRelation, limits: Limits | None = None
) -> Iterator[tuple[Hashable, Hashable]]:
    """The ordered pairs of neighbours of a domain. Raises `InputError` where they are none, or beyond the limits."""
    given = checked_limits(limits)
    databases = listed_databases(domain, given.databases)
    space = domain if isinstance(domain, BUILT_IN) else Listed(databases, domain)
    pairs = neighbouring_pairs(databases, space, relation, given)
    for block in pairs.blocks():
        sides = pairs.of(block)
        yield from (
            (databases[i], databases[j]) for i, j in zip(sides.left.tolist(), sides.right.tolist(), strict=True)
        )


# --- Mechanisms, mutants and wrappers


def _of_file(place: str) -> Callable[[str], bool]:
    """True where a file is one of claims: that of the claim, another claims_*.py, or one of the catalogue."""
    if not place:
        return is_in_catalogue
    return lambda file: os.path.realpath(file) == place or Path(file).name.startswith("claims_")


def is_own_file(file: str) -> bool:
    """True where a file is one of dpverify's own."""
    return project_of(file) == project_of(__file__) and not is_in_catalogue(file)


def _file_of(function: Any) -> str:
    code = code_of(inner_function(function))
    return "" if code is None else code.co_filename


def _called(mechanism: Any, forms: Forms, of_file: Callable[[str], bool]) -> str:
    """The full name of a mechanism, with what it is made with; without a module where the file of claims has it."""
    inner = mechanism
    held = []
    for _ in range(_DEEPEST):
        if isinstance(inner, functools.partial):
            held += [*map(_shown_in(forms), inner.args)]
            held += [f"{name}={_shown_in(forms)(value)}" for name, value in inner.keywords.items()]
            inner = inner.func
        elif isinstance(inner, MadeOf):
            held.append(f"{type(inner).__name__} {forms.digest(inner)}")
            inner = inner.functions[0]
        else:
            break
    if not inspect.isroutine(inner) and not inspect.isclass(inner):
        held.append(forms.digest(state_of(inner)))
        inner = type(inner)
    code = getattr(inner, "__code__", None)
    name = code.co_qualname if code is not None else str(getattr(inner, "__qualname__", name_of(mechanism)))
    if code is None or not of_file(code.co_filename):
        own = code is not None and is_of_people(code.co_filename)
        name = f"{module_name_of(inner)}.{name}" if own else public_name(inner)
        values = [value for value in _cells(inner) if not inspect.isfunction(value)]
        held += [forms.digest(value) for value in values]
    wrapped = getattr(inner, "__wrapped__", None)
    held += [] if wrapped is None else [_called(wrapped, forms, of_file)]
    return f"{name}({', '.join(held)})" if held else name


_DEEPEST: Final = 20


def _cells(function: Any) -> list[Any]:
    cells = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:
            continue
    return cells


def _shown_in(forms: Forms) -> Callable[[Any], str]:
    return functools.partial(_written, own=forms)


def _wrapper(mechanism: Any, is_followed: Callable[[str], bool], place: str, called: set[str]) -> str:
    """A digest of what stands between a claim and a library's function; empty where the mechanism is all there is.

    A mechanism that reaches no library is written in the file itself, and its code is no part of the question.
    """
    forms = Forms(is_followed)
    written = forms.of(mechanism)
    if not forms.goes_into_code:
        return ""
    if not any(_is_library(module, place) for module in forms.reached):
        return ""
    called |= forms.named
    return digest(written)


_OWN_MEANS: Final = tuple(f"dpverify.mechanisms.{room}." for room in MEANS)


def _is_library(module: str, place: str) -> bool:
    """True if a module may hold mechanisms: not what they are written with, numbers and their distributions."""
    root = module.partition(".")[0]
    if root == "dpverify":
        return not place and module.startswith("dpverify.mechanisms.") and not module.startswith(_OWN_MEANS)
    return root not in sys.stdlib_module_names and root not in ("numpy", "builtins", "", "__main__")


def _mutant(
    mutant: Any, is_followed: Callable[[str], bool], spoken_of: Collection[CodeType | None], called: set[str]
) -> DescribedPart:
    """A mutant: its name, and a digest of its code and of all of people's own that it reaches.

    What it calls of the library is told by name, and so is the mechanism itself where a mutant is made of it. `called`
    is given what is told by name, with its module.
    """
    codes = {code_of(inner_function(function)) for function in functions_in(mutant)} - set(spoken_of)
    besides = {code for code in codes if code is not None and not is_own_file(code.co_filename)}
    forms = Forms(is_followed, besides, spoken_of)
    change = getattr(mutant, "change", None)
    result = DescribedPart(_short(change) if isinstance(change, str) else name_of(mutant), forms.digest(mutant))
    called |= forms.named
    return result
