"""The long description for a package index: the README, whose links to files of the repository become their names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LongDescription(MetadataHookInterface):
    """The hook that hatchling calls when it builds a wheel or an sdist."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the text to the metadata."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_relative_links(text)}


def without_relative_links(text: str) -> str:
    """Markdown in which a link to a file is its words and the file's name, once where these are the same."""
    return re.sub(r"\[([^]]+)\]\((?!https?:)([^)]+)\)", _named, text)


def _named(link: re.Match[str]) -> str:
    words, file = link[1], link[2]
    return f"`{file}`" if words.strip("`") == file else f"{words} (`{file}`)"
