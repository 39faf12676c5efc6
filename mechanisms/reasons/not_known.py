"""Reasons of UNDECIDED, and of what is not decided so far: why neither a proof nor a counterexample was found."""

from typing import Final

from dpverify.mechanisms.reasons.reason import Reason, or_raise

# Limits

ENDLESS_PATH: Final = Reason(
    "endless-path",
    "has made {0:,} choices on one path without returning, and may not end",
    f"{{1}}; or, if all paths have an end, {or_raise('draws')}",
)
NEVER_ENDS: Final = Reason(
    "never-ends",
    "does not end with probability 1, as nothing leads out of some of {0:,} states that recur",
    "let each loop come to an end with probability 1",
)
ENDLESS_RECURSION: Final = Reason(
    "endless-recursion",
    "calls itself again and again until Python allows no more, and may not end",
    "write a loop in its place, or draw.until(mechanism, accepted)",
)
TOO_MANY_OUTCOMES: Final = Reason(
    "too-many-outcomes", "has more than {0:,} outcomes{1}", f"return less, or {or_raise('outcomes')}"
)
TOO_MANY_PATHS: Final = Reason(
    "too-many-paths",
    "has more than {0:,} paths{1}",
    "return the last Distribution instead of drawing from it, draw from sub-mechanisms with draw(mechanism, …), "
    f"{{2}}, or {or_raise('paths')}",
)
TOO_WIDE: Final = Reason(
    "range-too-wide",
    "{0} [{1}, {2}], which leaves {3:,} numbers to explore",
    f"choose a smaller range, or {or_raise('paths')}",
)
TOO_MANY_DRAWN: Final = Reason(
    "distribution-too-large",
    "draws from a distribution of {0:,} outcomes, which are too many to enumerate (limit {1:,})",
    f"use a smaller domain, or {or_raise('outcomes')}",
)
TOO_MANY_PART_WAYS: Final = Reason(
    "too-many-part-ways",
    "independent parts with continuous noise, or with tails of several rates, come about in {0:,} ways together",
    f"return fewer of them, or {or_raise('outcomes')}",
)
TOO_MANY_KINDS: Final = Reason(
    "too-many-kinds-of-outcome",
    "an outcome with independent parts may come from several kinds of outcome, which have {0:,} together",
    f'tell them apart, for example by returning ("bits", parts), or {or_raise("outcomes")}',
)
TOO_MANY_CELLS: Final = Reason(
    "too-many-cells",
    "the released noise makes {0:,} {1} to compare",
    "release fewer noisy numbers at once, with scales whose ratios are further apart, use a smaller domain, or {2}",
)
TOO_MANY_LOSSES: Final = Reason(
    "too-many-losses",
    "the independent parts of one outcome have more than {0:,} different privacy losses together",
    "return parts that have one output distribution on equal items, or fewer of them",
)
PARTS_TOGETHER: Final = Reason(
    "parts-together",
    "{0} independent parts come about in {1} ways that the outcome does not tell apart, with {2:,} outcomes, more "
    "than {3:,}",
    "return what tells the ways apart, such as a hidden coin",
)
NOT_MULTIPLIED_OUT: Final = Reason(
    "not-written-out", "a number is too long to be written out: {0}", "use simpler numbers, or a smaller domain"
)

TIME_UP: Final = Reason("time-up", "{0} was not known after {1}{2}", f"{{3}}{or_raise('seconds')}")

# Signs

SIGN_UNKNOWN: Final = Reason(
    "sign-unknown",
    "{0}",
    "write equal numbers alike, keep roots and logarithms out of exponents, or claim a slightly larger ε",
)
TWO_EPSILONS: Final = Reason(
    "two-symbolic-epsilons", "two symbolic ε stand in one number", "hand a mechanism what depends on ε as a parameter"
)
NEEDS_EPSILON: Final = Reason("needs-an-epsilon", "{0}, which is not decided for a symbolic ε", "give ε a value")
NEEDS_DELTA: Final = Reason("needs-a-delta", "{0}, which is not decided for every δ", "give δ a value")
DENSITIES_TOUCH: Final = Reason(
    "densities-touch",
    "the order of two densities is not decided, as they {0}",
    "claim a slightly larger ε, or use one kind of noise",
)
RATIO_NOT_CLOSED: Final = Reason(
    "ratio-without-closed-form",
    "the largest ratio of two densities {0}",
    "give ε a value, claim a slightly larger ε, or use one kind of noise",
)
BOUNDS_ONLY: Final = Reason(
    "bounds-only",
    "the optimum is known between two bounds only, as the program is too large, or e^ε not known to be rational",
    "read at_least and at_most, ask for fewer databases or outcomes, or for e^ε that is rational",
)

# Any number of rows

ANSWER_CHANGES: Final = Reason(
    "answer-changes",
    "a comparison of unknown numbers is not decided: {0}",
    "use larger rates, fewer comparisons, or claim it on a finite domain",
)
TOO_MANY_REGIONS: Final = Reason(
    "too-many-regions", "there are more than {0:,} regions to decide, and the next is {1}", "compare less, or {2}"
)
ONE_REGION: Final = Reason("on-one-region", "{0} on {1}", "claim it on a finite domain")
NOISY_OR_NOT: Final = Reason(
    "noisy-or-not",
    "an outcome may come about in two ways, with released noise and without, on {0}",
    'tell them apart, for example by returning ("noisy", number)',
)
SHIFT_ONLY: Final = Reason(
    "shifted-noise-only",
    "noise is released that neighbours do not only shift, or that an outcome without it may equal",
    "claim δ = 0, or claim it on a finite domain",
)
BY_TURNS: Final = Reason("probabilities-by-turns", "{0} exceed each other by turns", "{1}")
THEOREM_OPEN: Final = Reason("left-open-by-theorem", "{0}", "{1}")
SEVERAL_SIZES_WAYS: Final = Reason(
    "released-for-any-scores",
    "{0}, which is not decided for scores of any magnitude",
    "claim it on a finite domain, or return {1}",
)
NOT_FOR_ANY_SIZE: Final = Reason(
    "not-for-any-size",
    "{0}, which is not decided for databases of any number of rows",
    "{1}, or claim it on a finite domain",
)

# Composition

PRIVACY_UNKNOWN: Final = Reason(
    "privacy-of-part-unknown",
    "it is not known how private {0} is",
    "draw from a sub-mechanism that docs/composites.md lists, or from one of yours that has an epsilon",
)
SENSITIVITY_UNKNOWN: Final = Reason(
    "sensitivity-unknown", "it is not known that {0}", "use a utility function that docs/composites.md lists"
)
NOT_ROWS: Final = Reason("not-an-argument-of-parts", "{0} is not {1}", "{2}")
PART_NOT_DECIDED: Final = Reason(
    "part-not-decided", "sub-mechanism {0} is {1} {2}{3}", "change it, or the ε that it is called with"
)
PART_RETURNS: Final = Reason(
    "part-returns",
    "{0} may return {1}, and it is not known what may be asked of that without looking at it",
    "return a number, a text, None, True, False, a member of an Enum or a tuple",
)
ROWS_SEEN: Final = Reason(
    "rows-seen-outside-a-part",
    "rows, or released numbers, may be seen outside of sub-mechanisms: {0}",
    "hand rows to sub-mechanisms, return what these have released, and ask nothing more of either",
)
TOO_MANY_CHOICES: Final = Reason(
    "too-many-choices", "a path {0}", "draw fewer times, from smaller sub-mechanisms, or bound each loop by a number"
)
CONTRADICTION: Final = Reason(
    "parts-contradict",
    "its parts and the whole contradict each other: {0}",
    "mend the guarantee of a part that is wrong, or report this as a mistake of dpverify",
)
CLAIM_DIFFERENTLY: Final = Reason("other-domain-needed", "{0}", "{1}")

# Released numbers

TIED: Final = Reason(
    "tied-numbers",
    "several released numbers are tied to each other{0}",
    "return one of them, or draw noise for each of them",
)
NO_CLOSED_FORM: Final = Reason(
    "no-closed-form",
    "{0}, whose output distribution has no known closed form",
    "call check_privacy, which decides the noises before they are computed with, return the noises, or clamp them",
)
OUTSIDE: Final = Reason(
    "outside-language",
    "code outside the language of mechanisms is run, and not read, which shows nothing for all sizes, ε or δ ({0})",
    "write it in the language, or claim numbers on a domain that ends",
)
NOT_APART: Final = Reason(
    "not-told-apart",
    "{0} numbers, or parts, are released together in several ways that the outcome does not distinguish",
    "return what tells the ways apart, or one number, or hand the noisy numbers to draw.release(noise, then=function)",
)
OTHER_SUMS: Final = Reason(
    "sums-of-other-noises",
    "continuous numbers are released as sums of noises that differ between paths or databases",
    "return the same sums on all of them, or draw noise for each number",
)
SEVERAL_RATES: Final = Reason(
    "several-rates",
    "{0} whose probabilities fall off at several rates, as noise of several scales",
    "clamp it, or use noise of one scale",
)
MIXED_KINDS: Final = Reason(
    "gaussian-beside-other-noise",
    "{0}, which is not decided",
    "use one kind of noise, return what tells the ways apart, or clamp and round after the release",
)
PART_IN_SEVERAL_WAYS: Final = Reason(
    "part-in-several-ways",
    "an independent part with continuous noise comes about in several ways that the outcome does not tell apart",
    "return what tells the ways apart, such as a hidden coin",
)
NO_CURVE: Final = Reason(
    "no-curve", "{0} is not computed where {1}", "return one number, with noise of one kind and one scale"
)
SEVERAL_IN_A_PART: Final = Reason(
    "several-in-a-part",
    "an independent part has several continuous numbers, or one with Gaussian noise, on some paths and none on others",
    "return such numbers as parts of their own",
)
LEAST_EPSILON: Final = Reason(
    "epsilon-beyond-bound", "the smallest ε for δ = {0} is beyond {1}, or there is none", "ask for a larger δ"
)
EVENT_TOO_LARGE: Final = Reason(
    "event-too-large",
    "so many integers are needed to violate the claim that they are not listed",
    "claim a larger δ, or use noise of a smaller scale",
)
TAILS_BY_TURNS: Final = Reason(
    "tails-by-turns",
    "two output distributions exceed each other by turns in the tails of {0}",
    "clamp all released numbers but one",
)
SEVERAL_GAUSSIANS: Final = Reason(
    "several-gaussian-numbers",
    "several numbers with Gaussian noise are released together, and {0}",
    "release continuous numbers of one scale each, or one number, and clamp after all of the release",
)
ONE_KIND_OF_GAUSSIAN: Final = Reason(
    "discrete-gaussian-of-two-kinds",
    "integers with Gaussian noise are released, of one kind on one database, and of another one elsewhere",
    "use discrete Gaussian noise of one scale",
)
NEEDS_MORE_BEFORE: Final = Reason(
    "needs-more-before-post-processing",
    "before post-processing {0}, an upper bound, as what is returned may need less and has no closed form",
    "claim that ε, return the noisy numbers, or clamp them",
)
SEES_DATABASE: Final = Reason(
    "post-processing-sees-database",
    "what is released is post-processed by a function that sees the database: {0}",
    "let that function see what is released alone",
)
RELEASED_OTHERWISE: Final = Reason(
    "released-otherwise", "what is released differs: {0}", "return numbers of one form on all databases"
)
PARTS_NEED_MORE: Final = Reason(
    "parts-need-more",
    "its parts may need (ε, δ) = {0} together, on the worst of {1}: {2}",
    "claim that ε and δ, or give each part less of them",
)
NO_INDUCTION: Final = Reason(
    "no-induction",
    "it is not decided for every depth: {0}",
    "let it draw from itself with depth=depth - 1 and its own other arguments, and claim a + b·symbolic_depth",
)
ROUNDS_OF_NOISE: Final = Reason(
    "rounds-of-noise",
    "draw.until draws what has noise in it, beside what is computed from noise",
    "return the noise unmodified, rounded or clamped",
)
POINT_MASS: Final = "a point mass"
"""The words of a verdict for noise of scale 0."""
NEEDS_NUMBERS: Final = Reason(
    "needs-numbers", "what is decided before post-processing needs numbers", "give ε a value, and use a finite domain"
)
