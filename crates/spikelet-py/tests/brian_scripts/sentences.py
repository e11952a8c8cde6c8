"""Sentences of errors without what differs from run to run."""

from __future__ import annotations

import re


def reasons(text: str) -> list[str]:
    """The reasons of an error."""
    found = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    return found or [text]


def plain(sentence: str) -> str:
    """A sentence without its names and numbers."""
    sentence = re.sub(r"`[^`]*`", "`…`", sentence)
    sentence = re.sub(r"\b[a-z]_[a-z]\d+(_\w+)?\b", "…", sentence)
    return re.sub(r"\s+", " ", re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", sentence)).strip()
