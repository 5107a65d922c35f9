"""The example of a recipe's document: the first C++ block below its heading.

Documents are Markdown: headings are lines of `#`, blocks stand between fences (CommonMark, ATX headings and
fenced code blocks).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.verify.project_files import project_file
from orchestrator.verify.subject import StaticSubject

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`{]*)")
_END = re.compile(r" {0,3}(`+|~+)[ \t]*")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]|$)")
_CPP = frozenset({"cpp", "c++", "cc", "cxx"})


@dataclass(frozen=True)
class Example:
    """A block of C++ and the number of its first line; `problem` says why there is none."""

    code: str = ""
    line: int = 0
    problem: str = ""


def find_example(subject: StaticSubject) -> Example:
    """The example of the recipe's document, which it must name."""
    recipe = subject.recipe
    assert recipe is not None  # the checks of documents do not apply without
    assert recipe.document is not None
    try:
        text = project_file(subject, recipe, recipe.document.file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Example(problem="the document does not exist")
    except (OSError, UnicodeDecodeError) as error:
        return Example(problem=f"the document cannot be read: {error}")
    return example_below(text, recipe.document.heading)


def example_below(text: str, heading: str) -> Example:
    """The first C++ block below a heading, before the next heading of its level or a higher one."""
    wanted = heading.strip()
    level = 0
    """Of the heading, once it was met."""
    fence = ""
    language = ""
    block: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            if _closes(line, fence):
                if level and language in _CPP:
                    return Example("".join(f"{one}\n" for one in block), start)
                fence = ""
            else:
                block.append(line)
            continue
        opening = _FENCE.match(line)
        if opening:
            fence, language, block, start = opening["fence"], opening["language"].lower(), [], number + 1
            continue
        title = _HEADING.match(line)
        if level and title and len(title["level"]) <= level:
            break
        if not level and title and line.strip() == wanted:
            level = len(title["level"])
    if not level:
        return Example(problem=f"no line is the heading '{wanted}'")
    if fence and language in _CPP:
        return Example(problem=f"the C++ block in line {start} has no end")
    return Example(problem=f"no C++ block stands below the heading '{wanted}'")


def _closes(line: str, fence: str) -> bool:
    """Whether a line ends the block that a fence opened: the same sign, at least as often."""
    match = _END.fullmatch(line)
    return match is not None and match[1].startswith(fence)
