"""What tests need to know of a page of Markdown (CommonMark): its code blocks, its headings, its links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = "```"


@dataclass(frozen=True)
class Block:
    """A fenced code block; `line` is that of its fence, counted from 1.

    The info string is its language and words for tests, such as `toml file=recipe.toml`, which no renderer shows.
    """

    language: str
    words: tuple[str, ...]
    text: str
    line: int

    def value(self, name: str) -> str | None:
        """What the info string gives by `name=…`."""
        return next((word.removeprefix(f"{name}=") for word in self.words if word.startswith(f"{name}=")), None)


def blocks(page: str) -> tuple[Block, ...]:
    """All code blocks, in their order."""
    found: list[Block] = []
    start = 0
    info: list[str] | None = None
    body: list[str] = []
    for number, line in enumerate(page.splitlines(keepends=True), start=1):
        if info is None:
            if line.startswith(_FENCE):
                start, info, body = number, line.strip().removeprefix(_FENCE).split(), []
        elif line.rstrip() == _FENCE:
            found.append(Block(info[0] if info else "", tuple(info[1:]), "".join(body), start))
            info = None
        else:
            body.append(line)
    assert info is None, f"the block that begins in line {start} has no end"
    return tuple(found)


def prose(page: str, *, spans: bool = False) -> str:
    """The page without its code blocks, and but for `spans` without its code spans."""
    outside: list[str] = []
    inside = False
    for line in page.splitlines():
        if line.startswith(_FENCE):
            inside = not inside
        elif not inside:
            outside.append(line)
    text = "\n".join(outside)
    return text if spans else re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)


def links(page: str) -> tuple[str, ...]:
    """Where the page's links lead, addresses as they are written."""
    return tuple(re.findall(r"\]\(([^)\s]+)\)", prose(page)))


def anchors(page: str) -> frozenset[str]:
    """What a link may name behind `#`: explicit ones, and those that GitHub makes of headings."""
    named = re.findall(r'<a id="([^"]+)">', page)
    return frozenset([*named, *_slugs(page)])


def _slugs(page: str) -> Iterator[str]:
    """GitHub's slug of each heading: lower case, spaces to hyphens, punctuation dropped, a number where it repeats."""
    seen: dict[str, int] = {}
    inside = False
    for line in page.splitlines():
        if line.startswith(_FENCE):
            inside = not inside
        heading = None if inside else re.match(r"#{1,6} (.+)", line)
        if heading is None:
            continue
        slug = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        yield f"{slug}-{count}" if count else slug


def section(page: str, heading: str) -> str:
    """What stands below a heading of the second level, up to the next one."""
    return re.split(r"(?m)^## ", page.partition(f"\n## {heading}\n")[2])[0]


def table(page: str, heading: str) -> list[list[str]]:
    """The body of the first table below a heading, by cells."""
    lines = section(page, heading).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    rows = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")])
    return rows
