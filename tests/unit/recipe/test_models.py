"""Models that could be taken for each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.recipe.consumer import Model, require_own_names
from orchestrator.verify.dynamic import g1_models, g5_backends
from orchestrator.verify.dynamic.probe import unique
from tests.support.answers import RECIPE, make_context


def models(*names: str) -> list[dict[str, object]]:
    return [{**RECIPE["model"][0], "name": name} for name in names]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("mlp", "mlp"), "model 'mlp' is declared twice"),
        (("registry",), "a model cannot be called 'registry'"),
        (("threads",), "a model cannot be called 'threads'"),
        (("mlp-wrong", "mlp"), "a model cannot be called 'mlp-wrong': so is a run of the model 'mlp' called"),
        (("mlp", "mlp-outputs"), "a model cannot be called 'mlp-outputs'"),
    ],
)
def test_names_by_which_runs_are_confused_are_refused(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        require_own_names(map(Model.model_validate, models(*names)))
    with pytest.raises(ValueError, match=said):
        make_context(tmp_path, changes={"model": models(*names)})


def test_other_names_give_each_run_its_own(tmp_path: Path) -> None:
    context = make_context(tmp_path, changes={"model": models("mlp", "quantized-wrong", "registry-2", "mlp.nan")})
    assert unique([*g1_models.probes(context), *g5_backends.probes(context)])
