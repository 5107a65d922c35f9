"""CMake projects that use an installed package as a stranger would: generated, configured, built."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.probe import Probe, Step

CONFIGURE_SECONDS = 120.0
BUILD_SECONDS = 600.0
INSTALL = "install"
"""Id of the probe that installs the wheel; every other stands on it."""

FILE_API_QUERY = "build/.cmake/api/v1/query/codemodel-v2"
FILE_API_REPLY = "build/.cmake/api/v1/reply/*.json"


def head(context: Context, name: str) -> str:
    """The first lines of every project: the floor that the recipe promises, and C++."""
    return f"cmake_minimum_required(VERSION {context.package.floor})\nproject({name} LANGUAGES CXX)\n"


def configure(context: Context) -> Step:
    """Configure and generate the project of the probe's folder into its `build`."""
    return Step(
        (
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            "-G",
            context.generator,
            f"-DCMAKE_PREFIX_PATH={context.prefixes}",
            "-DCMAKE_BUILD_TYPE=Release",
        ),
        CONFIGURE_SECONDS,
    )


def configured(
    context: Context, id_: str, text: str, files: dict[str, str] | None = None, collect: tuple[str, ...] = ()
) -> Probe:
    """A project that is configured and no more; `text` follows its first lines."""
    return Probe(
        id=id_,
        files={"CMakeLists.txt": head(context, "asked") + text, **(files or {})},
        steps=(configure(context),),
        after=(INSTALL,),
        collect=collect,
    )


def consumer(context: Context, id_: str, components: Iterable[Component], route: Route) -> Probe:
    """The recipe's consumer, built against those components by that route."""
    chosen = tuple(components)
    link = _by_targets(context, chosen) if route == "targets" else _by_variables(context, chosen)
    files = {
        source: (context.recipe.folder / source).read_text(encoding="utf-8") for source in context.consumer.sources
    }
    return Probe(
        id=id_,
        files={
            "CMakeLists.txt": head(context, "consumer") + link.replace("@SOURCES@", " ".join(context.consumer.sources)),
            FILE_API_QUERY: "",
            **files,
        },
        steps=(configure(context), Step(("cmake", "--build", "build", "--parallel", "2"), BUILD_SECONDS)),
        after=(INSTALL,),
        collect=("build/app", FILE_API_REPLY),
    )


def component_target(context: Context, component: Component) -> str:
    """The component's imported target: as declared, or its name in the package's namespace."""
    return component.target or f"{context.package.package}::{component.name}"


def _by_targets(context: Context, components: tuple[Component, ...]) -> str:
    names = " ".join(component.name for component in components)
    targets = " ".join(component_target(context, component) for component in components)
    return (
        f"find_package({context.package.package} REQUIRED COMPONENTS {names})\n"
        "add_executable(app @SOURCES@)\n"
        f"target_link_libraries(app PRIVATE {targets})\n"
    )


def _by_variables(context: Context, components: tuple[Component, ...]) -> str:
    variables = context.variables
    lines = [
        f"find_package({context.package.package} REQUIRED)",
        "add_executable(app @SOURCES@)",
        f"set(libraries ${{{variables.libraries}}})",
    ]
    left_out = [component for component in context.shipped if component not in components]
    lines += [f'list(FILTER libraries EXCLUDE REGEX "{_pattern(context, component)}")' for component in left_out]
    lines += [
        f"list(APPEND libraries ${{{component.variable}}})"
        for component in components
        if component.variable is not None
    ]
    lines += [
        f"target_include_directories(app PRIVATE ${{{variables.include_dirs}}})",
        "target_link_libraries(app PRIVATE ${libraries})",
    ]
    if variables.definitions:
        lines.append(f"target_compile_definitions(app PRIVATE ${{{variables.definitions}}})")
    if variables.cxx_standard:
        lines.append(
            f"set_target_properties(app PROPERTIES CXX_STANDARD ${{{variables.cxx_standard}}} "
            "CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)"
        )
    return "\n".join(lines) + "\n"


def _pattern(context: Context, component: Component) -> str:
    """A CMake regular expression, as inside quotes, for the component's entry in the list of libraries.

    Entries are paths, targets, or linker options around a path.
    """
    file = component.library.replace(".", "[.]").replace("+", "[+]")
    return f'(/{file}([,\\" ]|$)|^{component_target(context, component)}$)'
