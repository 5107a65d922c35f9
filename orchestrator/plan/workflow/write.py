"""The workflow: a guard, then one job a row that calls the same session as people do, then one that sums up.

Words that come from outside, such as a row's name, reach a shell by its environment only, never by being put into
its script (GitHub's documentation, security hardening).
"""

from __future__ import annotations

import json
import math
import re
import shlex
from typing import Any

import yaml
from packaging.version import Version

from orchestrator.errors import RecipeError, UsageError
from orchestrator.plan.guard.policy_fits import required_policy
from orchestrator.plan.workflow.pins import Pins
from orchestrator.plan.workflow.rows import MOST_JOBS, matrix_of
from orchestrator.recipe.model import Recipe

MOST_MINUTES = 360
"""How long GitHub lets a job run on its machines (usage limits)."""
CHECKS_MINUTES = 60
"""What fetching, images and checks may take beside the build."""

Steps = list[dict[str, Any]]


def workflow_yaml(recipe: Recipe, name: str, pins: Pins) -> str:
    """The workflow's file; `name` is what the sessions call the recipe.

    Raises:
        UsageError: the recipe builds nothing.
        RecipeError: it has no policy, one that does not fit, too many rows, or an action or runner is not known.
    """
    head = f"# Written by: nox -s matrix -- --recipe {shlex.quote(name)} --workflow FILE\n"
    text = yaml.dump(_workflow(recipe, name, pins), Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)
    for action, pin in pins.actions.items():
        text = re.sub(rf"(uses: {re.escape(action)}@{pin.commit})$", rf"\1 # {pin.version}", text, flags=re.MULTILINE)
    return head + text


def _workflow(recipe: Recipe, name: str, pins: Pins) -> dict[str, Any]:
    if recipe.build is None:
        raise UsageError(
            f"Recipe '{recipe.project.name}' only verifies a published wheel: there are no rows to build.",
            advice="Choose a recipe that has a [build] table.",
        )
    rows = required_policy(recipe).rows(recipe.project.name)
    if len(rows) > MOST_JOBS:
        raise RecipeError(
            f"The policy of recipe '{recipe.project.name}' has {len(rows)} rows; one matrix takes {MOST_JOBS}.",
            advice="Divide the recipe, each part with a policy of its own.",
        )
    nightly = recipe.build.version_variable is not None
    return {
        "name": f"wheels of {recipe.project.name}",
        "on": {
            "pull_request": None,
            "push": {"branches": ["main"]},
            "schedule": [{"cron": "17 2 * * *"}],
            "workflow_dispatch": None,
        },
        "permissions": {"contents": "read"},
        # A new push to a pull request ends the run of the one before. Other runs are alone in their group: GitHub
        # drops what waits in a group when more comes, and a night behind two pushes would vanish.
        "concurrency": {
            "group": "${{ github.workflow }}-${{ github.event_name == 'pull_request' && github.ref || github.run_id }}",
            "cancel-in-progress": True,
        },
        "jobs": {
            "guard": _guard(recipe, name, _one_a_line(matrix_of(rows, pins)), pins),
            "build": _build(recipe.build.minutes, name, pins, nightly=nightly),
            "complete": _complete(pins),
        },
    }


def _one_a_line(matrix: dict[str, list[dict[str, str]]]) -> str:
    rows = ",\n".join(json.dumps(row) for row in matrix["include"])
    return f'{{"include": [\n{rows}\n]}}'


def _guard(recipe: Recipe, name: str, rows: str, pins: Pins) -> dict[str, Any]:
    """The job that lets no row be forgotten: of a pull request it leaves one, of anything else all or none."""
    steps: Steps = [
        _checkout(pins),
        {
            "name": "Hold the rows against the policy",
            "id": "rows",
            "env": {"ROWS": rows, "ONLY": "${{ github.event_name == 'pull_request' && '--pull-request' || '' }}"},
            "run": "printf '%s' \"$ROWS\" | "
            f"./bootstrap matrix -- --recipe {shlex.quote(name)} --filter - --arch all --github-output $ONLY\n",
        },
    ]
    outputs = {"matrix": "${{ steps.rows.outputs.matrix }}"}
    if recipe.build and recipe.build.version_variable:
        base = Version(recipe.build.version).base_version
        steps.append(
            {
                "name": "Version of this night",
                "id": "night",
                "if": "github.event_name == 'schedule'",
                "run": f'printf \'version=%s\\n\' "{base}.dev$(date -u +%Y%m%d)" >> "$GITHUB_OUTPUT"\n',
            }
        )
        outputs["version"] = "${{ steps.night.outputs.version }}"
    return {"runs-on": pins.runner("x86_64"), "timeout-minutes": 15, "outputs": outputs, "steps": steps}


def _build(minutes: float, name: str, pins: Pins, *, nightly: bool) -> dict[str, Any]:
    env = {"ROW": "${{ matrix.row }}"}
    version = ""
    if nightly:
        env["VERSION"] = "${{ needs.guard.outputs.version }}"
        version = ' ${VERSION:+--version "$VERSION"}'
    steps: Steps = [
        _checkout(pins),
        {
            "name": "Build and verify",
            "env": env,
            "run": f"./bootstrap build -- --recipe {shlex.quote(name)} "
            f'--row "$ROW" --release --official-only{version}\n',
        },
        {
            "name": "Keep the report",
            "if": "always()",
            "uses": pins.action("actions/upload-artifact"),
            "with": {
                "name": "report-${{ matrix.artifact }}",
                "path": "reports\n!reports/latest\n!reports/latest/**\n!reports/**/*.whl\n",
                "if-no-files-found": "warn",
            },
        },
        {
            "name": "Keep the wheel",
            "uses": pins.action("actions/upload-artifact"),
            "with": {"name": "wheel-${{ matrix.artifact }}", "path": "dist/*.whl", "if-no-files-found": "error"},
        },
    ]
    return {
        "needs": "guard",
        "name": "${{ matrix.row }}",
        "runs-on": "${{ matrix.runner }}",
        "timeout-minutes": min(MOST_MINUTES, math.ceil(minutes) + CHECKS_MINUTES),
        "strategy": {"fail-fast": False, "matrix": "${{ fromJSON(needs.guard.outputs.matrix) }}"},
        "steps": steps,
    }


def _complete(pins: Pins) -> dict[str, Any]:
    """One name for branch protection to require: a job that was skipped counts as passed there."""
    return {
        "needs": ["guard", "build"],
        "if": "always()",
        "runs-on": pins.runner("x86_64"),
        "timeout-minutes": 5,
        "steps": [
            {
                "name": "Every row passed",
                "env": {"GUARD": "${{ needs.guard.result }}", "BUILD": "${{ needs.build.result }}"},
                "run": 'test "$GUARD" = success && test "$BUILD" = success\n',
            }
        ],
    }


def _checkout(pins: Pins) -> dict[str, Any]:
    return {"uses": pins.action("actions/checkout"), "with": {"persist-credentials": False}}


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, which people can read."""

    def represent_str(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _Dumper.represent_str)
