"""A21, I2, I3: workflows and documents of a project that lies in a recipe's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.report.model import Verdict
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.run_static import run_check
from orchestrator.verify.static.workflows import WorkflowError, read_triggers
from orchestrator.verify.subject import StaticSubject
from tests.support.judge import RECIPE, Judge

WORKFLOW = "source/.github/workflows/wheel.yml"
PAGE = "source/docs/cpp.md"
FILES = {
    WORKFLOW: "on:\n  push:\n    paths: ['src/**', 'CMakeLists.txt', 'docs/*.md']\n  pull_request:\njobs: {}\n",
    PAGE: "# Use\n```cpp\nint main() {}\n```\n",
    "source/docs/other.md": "other\n",
    "source/src/a.cpp": "",
    "source/src/deep/b.h": "",
    "source/CMakeLists.txt": "",
}
CHANGES: dict[str, Any] = {
    "workflow": [{"file": WORKFLOW, "covers": ["CMakeLists.txt", "src"]}],
    "document": {"file": PAGE, "heading": "# Use"},
}


TYPES = "on: {pull_request: {types: [synchronize, labeled]}}\n"
BOMB = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)), "on: *a11", ""]
)
"""Aliases of lists of aliases: written out it would be 9 to the 11th words."""


class Project:
    """A recipe's folder whose files tests change."""

    def __init__(self, judge: Judge, folder: Path) -> None:
        self._judge, self._folder = judge, folder

    def subject(self, files: Mapping[str, str | None] | None = None, recipe: Any = CHANGES) -> StaticSubject:
        subject = self._judge.subject(recipe=RECIPE | recipe)
        for name, text in {**FILES, **(files or {})}.items():
            path = self._folder / "recipe" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)
        assert subject.recipe is not None
        placed = subject.recipe.model_copy(update={"folder": self._folder / "recipe"})
        return StaticSubject(subject.wheel, subject.row, placed)

    def said(self, check: str, *args: Any, **kwargs: Any) -> list[str]:
        return said(check, self.subject(*args, **kwargs))


def said(check: str, subject: StaticSubject) -> list[str]:
    """Each record of a check as `verdict subject: reason`; `pass` alone where it passes."""
    records, _ = run_check(next(row for row in STATIC_CHECKS if row.id == check), subject)
    return [
        "pass" if one.verdict is Verdict.PASS else f"{one.verdict.value} {one.subject}: {one.reason}" for one in records
    ]


@pytest.fixture
def project(judge: Judge, tmp_path: Path) -> Project:
    return Project(judge, tmp_path)


@pytest.mark.parametrize("check", ["A21", "I2", "I3"])
def test_a_right_project_passes_and_others_are_not_asked(project: Project, check: str) -> None:
    assert project.said(check) == ["pass"]
    assert project.said(check, recipe={}) == []


def filtered(*rules: str, key: str = "paths") -> dict[str, str | None]:
    lines = "".join(f"      - '{rule}'\n" for rule in rules)
    return {WORKFLOW: f"on:\n  pull_request:\n    {key}:\n{lines}"}


def test_a21_a_tree_that_starts_nothing(project: Project) -> None:
    files = filtered("src/*", "CMakeLists.txt", "docs/**")
    reason = "a change of src/deep/b.h does not start it by pull_request"
    assert project.said("A21", files) == [f"fail {WORKFLOW}: {reason}"]
    records, _ = run_check(next(row for row in STATIC_CHECKS if row.id == "A21"), project.subject(files))
    assert records[0].evidence == ("src/deep/b.h", *(f"on.pull_request.paths: {one}" for one in files_rules()))


def files_rules() -> tuple[str, ...]:
    return ("src/*", "CMakeLists.txt", "docs/**")


def test_a21_the_order_of_rules_counts(project: Project) -> None:
    assert project.said("A21", filtered("!src/deep/**", "src/**", "CMakeLists.txt")) == ["pass"]
    taken = project.said("A21", filtered("src/**", "CMakeLists.txt", "!src/deep/**"))
    assert taken == [f"fail {WORKFLOW}: a change of src/deep/b.h does not start it by pull_request"]
    ignored = project.said("A21", filtered("**.h", key="paths-ignore"))
    assert ignored == taken
    assert project.said("A21", filtered("**.h", "!src/**", key="paths-ignore")) == ["pass"]


def test_a21_each_event_is_asked(project: Project) -> None:
    text = "on:\n  push: {paths: ['**']}\n  pull_request: {paths: [CMakeLists.txt]}\n"
    reason = "a change of src/a.cpp, and of 1 more files in 'src', does not start it by pull_request"
    assert project.said("A21", {WORKFLOW: text}) == [f"fail {WORKFLOW}: {reason}"]


def test_a21_what_must_be_covered_is_there(project: Project) -> None:
    recipe = CHANGES | {"workflow": [{"file": WORKFLOW, "covers": ["src", "include"]}]}
    reason = "must cover 'include', which its repository does not have"
    assert project.said("A21", recipe=recipe) == [f"fail {WORKFLOW}: {reason}"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "does not exist"),
        ("on: [", "is not YAML"),
        ("jobs: {}\n", "has no table 'on': nothing starts it"),
        ("on: workflow_dispatch\n", "no change starts it"),
        ("on:\n  push: {tags: ['v*']}\n", "no change starts it"),
        ("on:\n  push: {paths: [a], paths-ignore: [b]}\n", "on.push has both paths and paths-ignore"),
        ("on: push\nenv: {a: b, a: c}\n", "has the key 'a' twice in one table, which GitHub refuses"),
        ("on:\n  push: {path: [src]}\n", "on.push has 'path', which GitHub does not know and refuses"),
        ("on:\n  pull_request: {types: [closed, labeled]}\n", "no change starts it"),
        ("[" * 20000, "is nested too deeply to be read"),
        (BOMB, "no change starts it"),
        ("on:\n  push: {paths: {a: b}}\n", "on.push.paths is no list of patterns"),
        ("on:\n  push: {paths: ['src/[z-a]*']}\n", "on.push.paths has 'src/[z-a]*', which is no pattern"),
    ],
)
def test_a21_owns_a_workflow_that_cannot_be_judged(project: Project, text: str | None, reason: str) -> None:
    (line,) = project.said("A21", {WORKFLOW: text})
    assert line.startswith(f"fail {WORKFLOW}: {reason}")
    assert project.said("I2", {WORKFLOW: text})[0].endswith("no workflow that holds the document can be read: see A21")


def test_a21_a_workflow_where_github_does_not_look(project: Project) -> None:
    recipe = CHANGES | {"workflow": [{"file": "source/ci/wheel.yml", "covers": ["src"]}]}
    (line,) = project.said("A21", {"source/ci/wheel.yml": FILES[WORKFLOW]}, recipe=recipe)
    assert line.endswith("is no .yml file of a folder .github/workflows: GitHub does not look there")


@pytest.mark.parametrize("text", ["on: push\n", "on: [push, pull_request]\n", "'on':\n  push:\n", TYPES])
def test_without_filters_every_change_starts_it(project: Project, text: str) -> None:
    assert project.said("A21", {WORKFLOW: text}) == project.said("I2", {WORKFLOW: text}) == ["pass"]


def test_events_of_changes_only() -> None:
    found = read_triggers("on:\n  schedule: [{cron: '1 2 3 4 5'}]\n  push: {branches: [main], tags: [v1]}\n")
    assert [trigger.event for trigger in found] == ["push"]
    with pytest.raises(WorkflowError, match="no change starts it"):
        read_triggers("on: {schedule: [], workflow_call: {}}\n")


def test_i2_the_document_alone_starts_nothing(project: Project) -> None:
    files = filtered("src/**", "CMakeLists.txt", "docs/other.md")
    assert project.said("I2", files) == [
        f"fail docs/cpp.md: a change of docs/cpp.md does not start {WORKFLOW} by pull_request"
    ]
    assert project.said("A21", files) == ["pass"]


def test_a21_leaves_the_document_to_i2(project: Project) -> None:
    recipe = CHANGES | {"workflow": [{"file": WORKFLOW, "covers": ["docs", "src"]}]}
    assert project.said("A21", filtered("src/**", "docs/other.md"), recipe=recipe) == ["pass"]


def test_i2_is_not_asked_of_a_document_elsewhere(project: Project) -> None:
    recipe = CHANGES | {"document": {"file": "docs/cpp.md", "heading": "# Use"}}
    assert project.said("I2", {"docs/cpp.md": FILES[PAGE]}, recipe=recipe) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "the document does not exist"),
        ("# Other\n", "no line is the heading '# Use'"),
        ("# Use\n", "no C++ block stands below the heading '# Use'"),
    ],
)
def test_i3_what_is_missing_fails(project: Project, text: str | None, reason: str) -> None:
    assert project.said("I3", {PAGE: text}) == [f"fail {PAGE}: {reason}"]
    asked = project.said("I2", {PAGE: text, **filtered("src/**", "CMakeLists.txt", "docs/**")})
    assert asked == (["pass"] if text else [f"not-run {project.subject().wheel.filename}: {reason}: see I3"])


def test_another_checkout_is_judged_instead_of_the_recipes_source(project: Project, tmp_path: Path) -> None:
    subject = project.subject({PAGE: None, WORKFLOW: None})
    checkout = tmp_path / "checkout"
    for name, text in FILES.items():
        path = checkout / Path(name).relative_to("source")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    elsewhere = StaticSubject(subject.wheel, subject.row, subject.recipe, source=checkout)
    for check in ("A21", "I2", "I3"):
        assert said(check, elsewhere) == ["pass"]
        assert said(check, subject) != ["pass"]
