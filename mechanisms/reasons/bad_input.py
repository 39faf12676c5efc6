"""Reasons why an argument, an option or a file is refused: most are said of many arguments, each with its value."""

from typing import Final

from dpverify.mechanisms.reasons.reason import Reason, or_raise

# Values

WRONG: Final = Reason("wrong-value", "{0} is not {1}", "{2}")
NOT_WHOLE: Final = Reason("not-an-integer", "{0} is not a whole number{1}", "write an int{1}")
RANGE: Final = Reason("out-of-range", "{0} must be {1}", "choose such a value")
BEYOND: Final = Reason("too-large", "{0} is beyond {1}", "{2}")
MORE_THAN: Final = Reason("more-than-there-are", "{0} is more than {1}", "choose a smaller number")
LOW_HIGH: Final = Reason("low-above-high", "{0} has an empty range {1}", "give the lower end first")
END_OF_RANGE: Final = Reason(
    "end-of-range", "{0} {1}, which is not a rational number{2}", "write whole numbers or Fractions"
)
EXACT: Final = Reason(
    "not-an-exact-number",
    "{0} is not an exact number",
    'write an int, a Fraction, a decimal string such as "0.1", or exp, log and sqrt of these',
)
RATIONAL: Final = Reason("not-rational", "{0} is not rational", "write an int, a Fraction or a decimal string")
TEXT: Final = Reason("not-a-text", "{0} is not a text", "{1}")
NOT_PRINTABLE: Final = Reason(
    "not-printable", "{0} holds a character that no report or terminal can show", "leave it out"
)
NO_FUNCTION: Final = Reason("not-a-function", "{0} is not a function", "write the name of a function, without ()")
NO_ITERABLE: Final = Reason("not-an-iterable", "{0}={1} is no iterable", "write, for example, range({1})")
IS_EMPTY: Final = Reason("is-empty", "{0} is empty", "give at least one {1}")
TWICE: Final = Reason("holds-twice", "{0} holds {1} twice", "{2}")
NOT_ONE_EACH: Final = Reason("not-one-each", "{0} do not fit {1}", "give one for each")
NOT_HASHABLE: Final = Reason("not-hashable", "{0} cannot be hashed{1}", "{2}")
ROW: Final = Reason("row-of-another-form", "row {0}, {1}, is not {2}", "write {3}")
NONE_OF: Final = Reason("none-of-these", "{0} is none of {1}", "write one of these")
FORM: Final = Reason("of-another-form", "{0} is not of the form {1}", "write it in that form")
ARGUMENT: Final = Reason("wrong-argument", "{0} has a wrong argument", "give {1}")
DRAW_FROM: Final = Reason("nothing-to-draw-from", "draw({0})", "draw from a Distribution, a noise or a mechanism")
OPTION: Final = Reason("not-supported-option", "{0} does not take {1}", "leave that out")
EXCLUDE: Final = Reason("exclude-each-other", "{0} and {1} exclude each other", "leave out one of them")
ONE_OF: Final = Reason("either-or", "exactly one of {0} and {1} is needed", "give one of them")
NEEDS: Final = Reason("needs-more", "{0} needs {1}", "{2}")
SYMBOLIC: Final = Reason("symbolic-epsilon", "{0}, which is not decided for a symbolic ε", "give ε a value")
NO_NAME: Final = Reason(
    "no-such-thing", "{0} does not exist{1}", "give {2}", "dpverify audit --catalogue --coverage mylab"
)
GAVE: Final = Reason("function-returned", "{0} gave {1}, which is {2}", "{3}")
FAILED: Final = Reason("function-raised", "{0} raised {1}", "mend the function that raised this")
OWN_MISTAKE: Final = Reason("own-mistake", "{0}", "this is a mistake of dpverify, please report it")
MISSING_PACKAGE: Final = Reason("package-missing", "{0}: {1} is needed, and is not installed", "pip install {2}")

# Domains and neighbour relations

TOO_MANY: Final = Reason("too-many", "{0} has more than {1}", "choose a smaller one{2}")
NO_END: Final = Reason("domain-without-end", "{0} has no end", "give it to check_privacy, or take {1}")
WRONG_RELATION: Final = Reason(
    "other-neighbour-relation", "{0} has neighbours by {1}, and not by {2}", "take one of these neighbour relations"
)
NO_NEIGHBOURS: Final = Reason(
    "no-neighbours", "{0} has no pair of neighbours under {1}{2}", "choose a larger domain or another relation"
)
ENDLESS_RELATION: Final = Reason(
    "endless-relation",
    "the relation {0} on {1} has yielded more than {2:,} neighbours, and may not end",
    f"if it ends, {or_raise('databases')}",
)
NO_SYMMETRY: Final = Reason("not-a-symmetry", "{0} is no symmetry: {1}", "map databases and outcomes one to one")

# Claims, names and files

NO_SUCH_CLAIM: Final = Reason("no-such-claim", "{0} no claim {1}", "ask for {2}", "dpverify explain BNS-J-9.99")
LATER_DEPTH: Final = Reason(
    "left-to-a-later-depth", "{0} left to depth {1}, and not decided at this one", "give --depth {1} as well"
)
SEVERAL_CLAIMS: Final = Reason("several-claims", "{0} stands for {1} claims", "name one, for example {2}")
TWO_CLAIMS: Final = Reason("two-claims-with-one-id", "two claims have the id {0}: {1}", "give one of them another id")
CLAIM_NO_MECHANISM: Final = Reason(
    "claim-no-mechanism", "{0} is a claim, and no mechanism", "`dpverify audit {1}` decides it"
)
STRICT_CLAIM: Final = Reason(
    "claimed-at-a-value", "{0}: {1} is claimed at {2}, which --strict refuses", "claim what it keeps, or {3}"
)
NOT_STRICT: Final = Reason(
    "strict-with-a-journal",
    "--strict and --resume exclude each other: a journal is believed, and whoever can write to it can write verdicts",
    "leave out --resume, or --strict where you trust that file",
)
CALIBRATION: Final = Reason("grid-of-calibration", "{0}={1}, {2}", "extend the grid, or change the claim")
UNREADABLE: Final = Reason("unreadable-text", "{0}", "{1}")
BAD_NAME: Final = Reason("name-not-possible", "{0} {1}", "take another name, such as noisy_count")
FILE_FAILED: Final = Reason("file-raised", "{0}: it raised {1}", "mend that file or module")
NAMES_COLLIDE: Final = Reason(
    "two-files-of-one-name", "{0} imports {1}, and {2} is loaded by that name", "decide it by itself"
)
CANNOT_WRITE: Final = Reason("cannot-write", "cannot write {0}: {1}", "name another file, in a folder that exists")
COMMENT: Final = Reason("comment-not-read", "{0} {1}", "write `# dp: {2}`, with the reason")
OTHER_VERSION: Final = Reason(
    "other-version", "{0} cannot be read, where this one reads version {1}", "write it again by {2}"
)
NO_SOURCE: Final = Reason(
    "no-source", "{0} has no source that could be changed, as {1}", "write it as a function of a file"
)
NOT_PROVED: Final = Reason(
    "not-proved", "it is {0} on {1}, and mutants are made of what is PROVED", "mend it, or the claim ({2})"
)
PARTIAL_AUDIT: Final = Reason("partial-audit", "{0} is no baseline: {1} not decided, first {2}", "decide all claims")
MERGE_CONFLICT: Final = Reason(
    "merge-conflict",
    "a merge has left conflicts in it, the first in line {0}",
    "take either side (`git checkout --ours` or `--theirs`), and write it again by --update-baseline",
)
NOT_A_BASELINE: Final = Reason("not-a-baseline", " is no baseline of dpverify: it {0}", "{1}")
BASELINE_LINE: Final = Reason("line-of-baseline", "{0}: {1}", "restore the file as committed, and renew it by {2}")
JOURNAL: Final = Reason("not-a-journal", "--resume {0}: {1}", "name another file that can be written, or a new one")
STATUS_USED: Final = Reason("status-used", "{0} is {1}", "write {2}")

# Other processes, and samplers

CLUSTER: Final = Reason("cluster-not-ready", "{0}: {1}", "{2}")
NOT_SENT: Final = Reason("cannot-be-sent", "{0} cannot be sent to another process{1}", "{2}")
EXECUTOR: Final = Reason("executor-failed", "executor: {0}", "{1}")
PROCESS: Final = Reason("process-failed", "the process {0} {1}", "run that command by itself, and mend it")
SAMPLER: Final = Reason("sampler-not-independent", "{0} {1}", "{2}")
MODEL: Final = Reason("model-does-not-fit", "{0}", "{1}")
TRUTH_AND_NUMBERS: Final = Reason(
    "truth-values-and-numbers",
    "{0} gives truth values and numbers{1}, and True counts as 1",
    "return numbers alone, or texts",
)
TOO_FEW_DRAWS: Final = Reason("too-few-draws", "draws={0:,} could refute nothing at confidence {1}", "{2}")
RANGES: Final = Reason("range-of-a-step", "{0}", "{1}")
