"""Text on a terminal that is taken literally, whatever it holds: names in a wheel and outputs are not ours."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from orchestrator.console import visible

Part = str | tuple[str, str]
"""Text, or text and its style."""


def literal(*parts: Part) -> Text:
    """Parts beside each other: no markup, nothing that steers a terminal, long words folded."""
    text = Text(overflow="fold")
    for part in parts:
        content, style = (part, "") if isinstance(part, str) else part
        text.append(visible(content), style=style or None)
    return text


def indent(what: RenderableType, columns: int = 2) -> Padding:
    """Moved to the right, its folded lines too."""
    return Padding(what, (0, 0, 0, columns), expand=False)
