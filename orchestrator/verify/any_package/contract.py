"""A recipe for a wheel that has none: what containers are made of, and nothing that the wheel promises."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Images, Matrix, Project, Recipe, Variant
from orchestrator.recipe.sdk import CMakePackage, EnvironmentSpec
from orchestrator.recipe.source import Source
from orchestrator.verify.any_package.found import FoundPackage
from orchestrator.wheel.model import Wheel

OLD = "3.18.0"
"""Its users are those of long-lived systems: a package works there, or says which CMake it needs."""
PLAIN = "3.24.3"
NEW = "4.4.5"
LISTS_TARGETS = "3.21"
"""The oldest CMake that can say which targets a package made (CMake manual, IMPORTED_TARGETS)."""


def contract(wheel: Wheel, row: Row, packages: Sequence[FoundPackage], *, image: str, own_python: bool) -> Recipe:
    """The recipe; `own_python` says that the image's Python can import the installed wheel."""
    generators = {"Unix Makefiles": (OLD, PLAIN), "Ninja": (NEW,)}
    package = CMakePackage(
        package=packages[0].name,
        floor=OLD,
        targets_from=OLD,
        python=own_python,
        prefixes=tuple(dict.fromkeys(package.prefix or "." for package in packages)),
        environments=tuple(
            EnvironmentSpec.model_validate({"cmake": cmake, "generator": generator, "image": image})
            for generator, cmakes in generators.items()
            for cmake in cmakes
        ),
    )
    name = wheel.distribution or "unknown"
    return Recipe(
        project=Project(name=name, import_=name, source=Source(wheel=f"{name}=={wheel.version}")),
        variants={"any": Variant()},
        matrix=Matrix(python=(python_version(row.python),)),
        images=Images(test=image),
        cmake=package,
    )
