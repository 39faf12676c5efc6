"""Commands with many options: `--help` shows those that most people need, and `--help-all` shows all of them."""

from collections.abc import Collection
from typing import Any, Final

import click

_ALL: Final = "dpverify.all_options"


class ShortHelp(click.Command):
    """A command of which `--help` shows the options in `common`, and `--help-all` shows every option."""

    def __init__(self, *args: Any, common: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._common = {*common, "help_all"}
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show all options and exit.",
            )
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [one for one in self.params if isinstance(one, click.Option)]
        shown = [one for one in options if ctx.meta.get(_ALL) or one.name in self._common]
        with_help = [*shown, *([found] if (found := self.get_help_option(ctx)) is not None else [])]
        with formatter.section("Options"):
            formatter.write_dl([record for one in with_help if (record := one.get_help_record(ctx)) is not None])


def _show_all(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
