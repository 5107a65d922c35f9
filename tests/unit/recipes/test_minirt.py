"""The recipe minirt agrees with itself: what its files say twice, they say alike."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from orchestrator.recipe.load import load_recipe
from orchestrator.store.locks import parse_lock

FOLDER = Path(__file__).parents[3] / "recipes" / "minirt"
SOURCE = FOLDER / "source"


def cmake_lists() -> str:
    return (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")


def test_static_version_is_the_recipe_s() -> None:
    recipe = load_recipe("minirt", FOLDER.parent)
    assert recipe.build
    assert (SOURCE / "VERSION").read_text(encoding="ascii").strip() == recipe.build.version


def test_components_are_those_that_cmake_builds_and_offers() -> None:
    declared = {component.name: component.library for component in load_recipe("minirt", FOLDER.parent).component}
    built = dict(re.findall(r"(?m)^ *minirt_component\(\s*(\w+)\s+LIBRARY (\w+)", cmake_lists()))
    assert declared == {name: f"lib{library}.so" for name, library in built.items()}
    package = (SOURCE / "cmake" / "minirt-config.cmake.in").read_text(encoding="utf-8")
    offered = re.search(r"set\(\s*_minirt_components\s([\w\s]+)\)", package)
    assert offered
    assert set(offered[1].split()) == set(declared)


def test_owned_symbols_are_declared_in_the_shipped_headers() -> None:
    headers = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "include").rglob("*.h"))
    for component in load_recipe("minirt", FOLDER.parent).component:
        assert component.owns
        for symbol in component.owns:
            assert re.search(rf"\b{symbol.rpartition('::')[2]}\(", headers), symbol


def test_lock_holds_every_build_requirement() -> None:
    lines = (FOLDER / "build.in").read_text(encoding="ascii").splitlines()
    wanted = {re.split(r"[^\w.-]", line)[0] for line in lines if line and not line.startswith("#")}
    assert "scikit-build-core" in wanted
    locked = {requirement.name for requirement in parse_lock(FOLDER / "build.lock")}
    assert wanted <= locked


def test_models_are_what_their_script_writes(tmp_path: Path) -> None:
    runpy.run_path(str(FOLDER / "models" / "make_models.py"))["main"](tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir())
    models = load_recipe("minirt", FOLDER.parent).model
    assert written == sorted(Path(name).name for model in models for name in (model.file, model.reference))
    for name in written:
        assert (tmp_path / name).read_bytes() == (FOLDER / "models" / name).read_bytes(), name


def test_only_the_delegated_models_hold_their_payload() -> None:
    delegated = {model.name: model.payload for model in load_recipe("minirt", FOLDER.parent).model if model.payload}
    holding = {
        path.stem: payload
        for path in (FOLDER / "models").glob("*.mrt")
        for payload in ("BlockedBackend", "CudaBackend")
        if payload.encode() in path.read_bytes()
    }
    assert holding == delegated == {"mlp_blocked": "BlockedBackend", "mlp_cuda": "CudaBackend"}


def test_documented_example_follows_its_heading() -> None:
    document = load_recipe("minirt", FOLDER.parent).document
    assert document
    text = (FOLDER / document.file).read_text(encoding="utf-8")
    section = text.split(f"\n{document.heading}\n")[1].split("\n## ")[0]
    assert section.count("```cpp\n") == 1
    assert "int main(" in section
    for component in document.components:
        assert f"minirt::{component}" in section


class TestVersion:
    # Run, not imported: an import would leave bytecode in the source of the build.
    provide = staticmethod(
        runpy.run_path(str(SOURCE / "packaging" / "version_from_environment.py"))["dynamic_metadata"]
    )

    def test_comes_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MINIRT_VERSION", "3.1.0.dev7+cpu")
        assert self.provide({}, {}) == {"version": "3.1.0.dev7+cpu"}

    def test_is_static_otherwise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MINIRT_VERSION", raising=False)
        assert self.provide({}, {}) == {"version": "1.2.0"}

    def test_takes_no_settings(self) -> None:
        with pytest.raises(ValueError, match="takes no settings, it was given colour"):
            self.provide({"colour": "red"}, {})


class TestRequirements:
    provide = staticmethod(
        runpy.run_path(str(SOURCE / "packaging" / "requires_from_environment.py"))["dynamic_metadata"]
    )

    def test_are_those_that_the_variants_promise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        variants = load_recipe("minirt", FOLDER.parent).variants
        assert len(variants) == 4
        for name, variant in variants.items():
            monkeypatch.delenv("MINIRT_CUDA_VERSION", raising=False)
            for key, value in variant.env.items():
                monkeypatch.setenv(key, value)
            assert self.provide({}, {}) == {"dependencies": list(variant.requires)}, name
            assert variant.config_settings["cmake.define.MINIRT_CUDA"] == ("ON" if variant.requires else "OFF")

    @pytest.mark.parametrize("version", ["13", "13.0.1", "11.8", "14.0", "13.0 ", "cu130"])
    def test_are_refused_for_what_is_no_runtime(self, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
        monkeypatch.setenv("MINIRT_CUDA_VERSION", version)
        with pytest.raises(ValueError, match=rf"MINIRT_CUDA_VERSION is '{re.escape(version)}': set it to a CUDA"):
            self.provide({}, {})

    def test_take_no_settings(self) -> None:
        with pytest.raises(ValueError, match="takes no settings, it was given colour"):
            self.provide({"colour": "red"}, {})
