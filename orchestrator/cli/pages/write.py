"""All pages of `docs/` that are made of the code, but those of tests: `python -m orchestrator.cli.pages.write`."""

from __future__ import annotations

from orchestrator.cli.checks_page import checks_page
from orchestrator.cli.pages.exit_codes import exit_codes_page
from orchestrator.cli.pages.recipe import policy_page, recipe_page
from orchestrator.ground.sessions import ROOT

DOCS = ROOT / "docs"


def pages() -> dict[str, str]:
    """Each page by its file's name."""
    return {
        "checks.md": checks_page(),
        "exit-codes.md": exit_codes_page(),
        "policy.md": policy_page(),
        "recipe.md": recipe_page(ROOT / "recipes"),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
