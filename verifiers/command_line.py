"""The command line: `dpverify new`, `list`, `audit`, `check`, `explain`, `compare`, `mutate`, `lint`, and shorthands.

Results go to standard output or files; progress and colour go to standard error, and only on a terminal. Exit status 0:
every claim as expected, or, with a baseline, nothing worse; 1: some claim is not, or something is worse; 2: bad usage
or input, or some claim was not decided; 3: nothing worse than a claim left undecided; 74: standard output is closed;
130: interrupted, with what was decided reported; 141: whoever reads standard output is gone.
"""

import click

from dpverify.verifiers.commands.errors import Commands, ListedCommand
from dpverify.verifiers.commands.version import show_version


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version, the commit of a checkout and Python's version, and exit.",
)
def main() -> None:
    """Verify differential privacy: exact verdicts on every pair of neighbours of a domain.

    Begin with `dpverify new NAME`. Without a name, `audit` and `list` take the claims in the claims_*.py below this
    folder, and run these files.

    \b
    Exit status: 0  every claim came out as expected; or, with a baseline,
                    nothing is worse
                 1  some claim did not, or its mutant was not refuted; or worse
                 2  bad usage or input, or some claim was not decided: its
                    mechanism raised, ended its process or did not return,
                    or the time was up
                 3  nothing worse than a claim left undecided
                74  standard output is closed
               130  interrupted (Ctrl-C or SIGTERM); what was decided is reported
               141  who reads standard output is gone, such as `head`

    DPVERIFY_DEBUG=1 shows where an internal error comes from. Claims are decided in child processes, so that a
    mechanism cannot cost another claim its verdict (on Windows: in the same process).
    """


for listed in (
    ("new", "starting", "Write a first mechanism with a claim, a mutant and a test."),
    ("list", "explaining", "List claims: ids, expected verdicts, statements."),
    ("audit", "auditing", "Decide claims, print a table, write reports."),
    ("check", "checking", "Decide whether one mechanism is private."),
    ("explain", "explaining", "Say all about one claim."),
    ("compare", "comparing", "Say what a JSON report says otherwise than an earlier one, and fail where worse."),
    ("mutate", "mutating", "Break mechanisms, and see whether their claims notice."),
    ("lint", "linting", "List what of mechanisms is outside the language."),
    ("utility", "auditing", "Decide utility claims: `audit --kind utility,pac`."),
    ("lemmas", "auditing", "Decide structural lemmas: `audit --kind structure`."),
):
    main.add_command(ListedCommand(*listed))

if __name__ == "__main__":  # python -m dpverify.verifiers.command_line, which would else end with 0 and say nothing
    main()
