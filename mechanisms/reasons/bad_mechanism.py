"""Reasons why a mechanism is refused: how it uses noise, what it returns, and what it reaches besides its arguments."""

from typing import Final

from dpverify.mechanisms.reasons.reason import Reason

_RELEASE: Final = "or hand the noisy numbers to draw.release(noise, then=function)"

# What is returned

RETURNED: Final = Reason("returned-outcome", "returned {0}", "return {1}")
RETURNED_BY: Final = Reason("returned-by", "{0} returns {1}", "return {2}")
RETURNED_TWICE: Final = Reason("returned-twice", "returned one noise twice, {0}", "return {1} once")
RETURNED_BESIDE: Final = Reason(
    "returned-beside-noise",
    "returned {0} beside noise that it was compared with, or added to, or that was compared with the same noise",
    "return one of them, clamp the others, draw noise again, or use laplace",
)
RETURNED_TIED: Final = Reason(
    "returned-tied",
    "returned several continuous numbers that are tied to each other by {0}, as they share or compare noise",
    "return one of them, draw noise for each, or compare all with one noise that is not returned",
)
LOOKALIKE: Final = Reason(
    "equal-and-not-the-same",
    "returned {0}, and {1} before, which are equal and not the same, and so one outcome",
    "return one of them for both, or make them differ",
)
NO_ORDER: Final = Reason(
    "no-order",
    "{0} stands in {1} that is put in order, and has no fixed place in an order",
    "return numbers, texts, and tuples and frozen dataclasses of them",
)
LABEL: Final = Reason(
    "label-not-separable",
    "returned {0}",
    "let labels be texts, return them in tuples or frozensets, clamp noise, and return nothing that equals a label",
)

# Noise

MIXED_NOISE: Final = Reason("discrete-and-continuous", "discrete and continuous noise were {0}: {1}", "{2}")
MULTIPLE_OF_DISCRETE: Final = Reason(
    "multiple-of-discrete-noise",
    "discrete noise was {0}: {1}",
    "use sums and differences of discrete noises, or clamp one of them",
)
SEVERAL_NOISES: Final = Reason(
    "several-noises-in-a-number",
    "{0} involves {1} noises at once: {2}",
    "clamp discrete noise first, which makes it a plain number, or use one noise in each number",
)
ROUND_FIRST: Final = Reason("round-first", "{0} was {1} after {2}", f"do so first, and compare the result, {_RELEASE}")
ROUNDED_DIGITS: Final = Reason(
    "rounded-to-digits", "noise was rounded to {0} digits, which is not a whole number", "round(noise, 2), for example"
)
ROUNDED_HALFWAY: Final = Reason(
    "rounded-halfway",
    "noise was rounded that may lie halfway between two numbers, where Python takes the even one",
    "write `math.floor(noise + Fraction(1, 2))`, which takes the greater",
)
ROUNDED_STEPS: Final = Reason(
    "rounded-steps",
    "discrete noise times {0} was rounded, whose probabilities have no one formula",
    "round to multiples of a whole number of its steps",
)
NOT_REFLECTED: Final = Reason(
    "not-reflected", "{0} was reflected (fold), and {1}", "reflect laplace noise and known numbers, or clamp"
)
RELEASED_ALREADY: Final = Reason(
    "released-already", "{0}: noise is released, and what follows must not depend on its value", "{1}"
)
NO_TRUTH_VALUE: Final = Reason(
    "noise-as-condition", "noise has no truth value", "compare it, for example `noise >= threshold`"
)
NOISE_HASHED: Final = Reason(
    "noise-hashed",
    "noise cannot be hashed, as a key or in a frozen dataclass",
    "return it on its own, in a tuple, a list or a dict, or compare it: what follows must not depend on its value",
)
NOISE_DIVIDED: Final = Reason(
    "noise-divided-by-zero", "noise was divided by 0: {0}", "divide by a number that is not 0"
)
COMPUTED_WITH: Final = Reason(
    "computed-with-no-number", "noise was {2} {0}, which is not a number{1}", "compute with ints and Fractions"
)
ROUNDED_BY_NUMPY: Final = Reason(
    "rounded-by-numpy",
    "noise was {0} {1}, a float, as numpy rounds an array",
    "round each number by itself, by round(noise, {2}), or write {3}",
)
NO_SHARE: Final = Reason(
    "no-share-of-noise", "what was computed from noise, {0}, has no share of that noise", "return the noise itself"
)
NOISE_USE: Final = Reason("use-of-noise", "{0} was {1}", "{2}, or use laplace or exponential_noise")
NOT_INTEGRATED: Final = Reason(
    "not-integrated",
    "a probability is not computed: {0}",
    "compare two noisy numbers at a time, of one kind and similar scales, or use laplace",
)
GAUSSIAN_SYMBOLIC: Final = Reason(
    "gaussian-with-unknowns",
    "Gaussian noise {0}, and is decided for one ε and on databases that are listed",
    "give ε a value, or use laplace",
)
CIRCLE: Final = Reason(
    "comparisons-in-a-circle",
    "the comparisons tie noises in circles: {0}, which takes more than {1:,} cases",
    "make fewer comparisons, or of fewer noises",
)
IN_A_CIRCLE: Final = Reason(
    "comparisons-not-a-tree",
    "the comparisons tie the noises in a circle: {0}",
    "compare each noise with others in the shape of a tree, such as one noisy threshold with many noisy values, "
    f"{_RELEASE}",
)
UNLIKE_TAILS: Final = Reason(
    "steps-of-another-width",
    "noise whose density falls in steps is released with steps of one width or height, and of another one elsewhere",
    "use one scale on all paths and databases, or laplace",
)
EQUALS_NOTHING: Final = Reason(
    "compared-before-drawn", "a distribution equals no outcome before something is drawn from it", "{0}"
)
DRAWN_FROM_DISTRIBUTION: Final = Reason(
    "drawn-from-infinite",
    "something is drawn from a distribution with infinitely many outcomes, or with parts",
    "draw from the mechanism itself",
)
NOT_LISTED: Final = Reason("not-listed", "{0}", "ask for the probability of {1}")
PROBABILITY_UNKNOWN: Final = Reason("probability-unknown", "the probability of {0} is not known", "bound one of {1}")

# draw, its parts and its loops

OF_ANOTHER_CALL: Final = Reason(
    "draw-of-another-call",
    "a draw, or noise, of one mechanism was used in another one, or after its call",
    "give a sub-mechanism what it needs as arguments, let it use its own draw, and return what it has drawn",
)
PART_USED: Final = Reason(
    "part-used",
    "{0}, and a part of draw.each can only be returned, in tuples, at most once",
    "draw what is looked at by itself, with draw(mechanism, item)",
)
RELEASE_USED: Final = Reason(
    "release-used",
    "what draw.release gave was {0}, and it can only be returned, alone or in tuples",
    "compute in `then` what is to be computed from it: what follows must not depend on its value",
)
NEVER_ACCEPTED: Final = Reason(
    "never-accepted", "draw.until: no outcome of a round is ever accepted, so that it would not end", "accept one"
)
NOT_DETERMINISTIC: Final = Reason(
    "not-deterministic",
    "{0} is not deterministic: {1}",
    "let all chance come from `draw`, store nothing between calls, return what a sub-mechanism has drawn, and do not "
    "depend on the order of a set",
)
NO_SECOND_TIME: Final = Reason(
    "no-second-time",
    "the output distribution of {0} was to be computed a second time, in {1}, which {2}",
    "run it again, with more time or memory",
)
NO_MECHANISM: Final = Reason(
    "not-a-mechanism",
    "{0}({1}) does not take {2}",
    "write draw and a database first, as in def mechanism(draw, rows, *, epsilon)",
)
DATABASE_AMONG_PARAMETERS: Final = Reason(
    "database-among-parameters", "{0} takes its database as {1}, which is among the parameters", "leave it out of them"
)
OTHERWISE: Final = Reason("depends-on-more", "{0} depends on more than its arguments say: it {1}", "{2}")

# Unknown numbers, and counts

UNKNOWN_NUMBER: Final = Reason("unknown-number", "an unknown number {0}", "{1}; or claim it on databases up to a size")
SYMBOL_USED: Final = Reason("symbol-used", "{0} was {1}", "compare it instead")
NO_PLAIN_NUMBER: Final = Reason("no-plain-number", "{0} is no plain number", "add, multiply, compare it, or round it")
OF_A_FLOAT: Final = Reason(
    "text-of-exact-number",
    "{0} was asked of a number that source has as a float, and that is exact here",
    'give it a format, such as f"{{x:.3f}}", or return the number',
)
OUTSIDE_OF_NUMPY: Final = Reason("outside-the-language", "{0} is outside the language", "{1}")
FIXED_SEED: Final = Reason(
    "fixed-seed", "{0} fixes a seed: the noise is the same in each run, and hides nothing", "leave the seed out"
)
KIND_ASKED: Final = Reason(
    "identity-of-unknown",
    "{0} was asked of what stands for a noise, an unknown number, an ε or a database",
    "let nothing depend on the type of a number; or claim it on databases up to a size",
)
SUCCEEDS_SEES_NOISE: Final = Reason(
    "succeeds-sees-noise",
    "{0}: where infinitely many outcomes are released, `succeeds` sees noise in place of a number",
    "let it add, subtract and compare what was released",
)
ASKED_DRAWS: Final = Reason(
    "predicate-draws",
    "it draws chance, and what says whether a case succeeds, or how often, draws no noise",
    "let the mechanism draw it, and return it",
)
SUCCEEDS_TAKES: Final = Reason(
    "succeeds-takes",
    "returned {0}, and beside noise `succeeds` takes plain values, tuples, lists and dicts alone",
    "return one of these",
)

# What a mechanism reaches

REACHES: Final = Reason("reaches-more", "reaches {0}", "{1}")
CHANGES: Final = Reason("changes-more", "changed {0}", "{1}")
TEXT_WITH_ADDRESS: Final = Reason(
    "text-of-an-object",
    "took the text of {0}, which may hold an address, or an order of hashing",
    "write the numbers and texts that it holds",
)
SEES: Final = Reason(
    "then-sees",
    "then={0} {1}",
    "let `then` see what is released, and what it needs as numbers, texts and tuples, the same for all databases",
)
WRITES_OUTSIDE: Final = Reason(
    "writes-outside",
    "writes outside by {0}, where a later run, or what is applied to what it releases, could read it",
    "let it return the result, and write that afterwards",
)
EXITED: Final = Reason("exit-called", "{0}", "let the file end without leaving the process")
