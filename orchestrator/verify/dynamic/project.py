"""CMake projects that use an installed package as a stranger would: generated, configured, built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.probe import Probe, Step

CONFIGURE_SECONDS = 120.0
BUILD_SECONDS = 600.0
INSTALL = "install"
"""Id of the probe that installs the wheel; every other stands on it."""

Variable = Literal["libraries", "include-dirs", "definitions", "cxx-standard"]
"""A variable of the route without targets, as the recipe calls it."""

OLD_STANDARD = 14
"""The C++ standard of a project that does not ask for the package's."""

FILE_API_QUERY = "build/.cmake/api/v1/query/codemodel-v2"
FILE_API_REPLY = "build/.cmake/api/v1/reply/*.json"


def head(context: Context, name: str) -> str:
    """The first lines of every project: the floor that the recipe promises, and C++."""
    return f"cmake_minimum_required(VERSION {context.package.floor})\nproject({name} LANGUAGES CXX)\n"


def configure(
    context: Context, *, before: tuple[str, ...] = (), options: tuple[str, ...] = (), own_python: bool = True
) -> Step:
    """Configure and generate the project of the probe's folder into its `build`.

    `before` are words of a program that runs CMake.  Without `own_python` CMake finds a Python by
    itself even where the package needs one that can import it.
    """
    python = own_python_options(context) if own_python and context.package.python else ()
    return Step(
        (
            *before,
            *("cmake", "-S", ".", "-B", "build", "-G", context.generator),
            *(f"-DCMAKE_PREFIX_PATH={context.prefixes}", "-DCMAKE_BUILD_TYPE=Release"),
            # Environments differ in CMake, not in the compiler: the same source is compiled once an image.
            "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
            *python,
            *options,
        ),
        CONFIGURE_SECONDS,
    )


def compile_and_link(before: tuple[str, ...] = ()) -> Step:
    """Build the project that was configured; `before` as there."""
    return Step((*before, "cmake", "--build", "build", "--parallel", "2"), BUILD_SECONDS)


def own_python(context: Context) -> str:
    """The Python of the virtual environment from which the wheel is installed."""
    return f"{context.places.installation}/venv/bin/python"


def own_python_options(context: Context) -> tuple[str, ...]:
    """Options that give CMake's modules FindPython and FindPython3 the package's own Python."""
    return tuple(f"-D{module}_EXECUTABLE={own_python(context)}" for module in ("Python", "Python3"))


def see_site(context: Context) -> Step:
    """Let that Python import what is installed: a .pth file (Python library, site) names the folder."""
    write = "import pathlib, sys, sysconfig; p = pathlib.Path(sysconfig.get_path('purelib'), 'installed.pth')"
    return Step((own_python(context), "-c", f"{write}; p.write_text(sys.argv[1])", context.places.site))


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


def consumer(
    context: Context, id_: str, components: Iterable[Component], route: Route, behind: tuple[str, ...] = ()
) -> Probe:
    """The recipe's consumer, built against those components by that route."""
    link = using(context, components, route)
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
        steps=(configure(context), compile_and_link()),
        after=(INSTALL,),
        behind=behind,
        collect=("build/app", FILE_API_REPLY),
    )


def using(context: Context, components: Iterable[Component], route: Route, program: str = "app") -> str:
    """The lines that find the package and link those components to a program of `@SOURCES@`."""
    chosen = tuple(components)
    if route == "targets":
        return _by_targets(context, chosen, program)
    return finding_by_variables(context) + by_variables(context, chosen, program)


def component_target(context: Context, component: Component) -> str | None:
    """The component's imported target: as declared, or its name in the package's namespace; None without one."""
    if component.target is False:
        return None
    return component.target or f"{context.package.package}::{component.name}"


def _by_targets(context: Context, components: tuple[Component, ...], program: str) -> str:
    names = "".join(f" {component.name}" for component in components)
    requested = f" COMPONENTS{names}" if context.package.components else ""
    targets = " ".join(filter(None, (component_target(context, component) for component in components)))
    return (
        f"find_package({context.package.package} REQUIRED{requested})\n"
        f"add_executable({program} @SOURCES@)\n"
        f"target_link_libraries({program} PRIVATE {targets})\n"
    )


def finding_by_variables(context: Context) -> str:
    """The lines that find the package for the route of variables.

    Where a variable gives the C++ standard the project asks for an older one by itself, as projects do that
    were there before the package: what the compiler takes by default would hide that the variable is needed.
    """
    pinned = f"set(CMAKE_CXX_STANDARD {OLD_STANDARD})\n" if context.variables.cxx_standard else ""
    return f"{pinned}find_package({context.package.package} REQUIRED)\n"


def by_variables(
    context: Context, components: Iterable[Component], program: str, *, without: Variable | None = None
) -> str:
    """The lines that make a program of `@SOURCES@` with what the variables hold, one of them left out."""
    variables = context.variables
    chosen = tuple(components)
    lines = [f"add_executable({program} @SOURCES@)"]
    if without != "libraries":
        lines.append(f"set(libraries ${{{variables.libraries}}})")
        left_out = [component for component in context.shipped if component not in chosen]
        lines += [f'list(FILTER libraries EXCLUDE REGEX "{entry_pattern(context, one)}")' for one in left_out]
        lines += [f"list(APPEND libraries ${{{one.variable}}})" for one in chosen if one.variable is not None]
    if without != "include-dirs":
        lines.append(f"target_include_directories({program} PRIVATE ${{{variables.include_dirs}}})")
    if without != "libraries":
        lines.append(f"target_link_libraries({program} PRIVATE ${{libraries}})")
    if variables.definitions and without != "definitions":
        lines.append(f"target_compile_definitions({program} PRIVATE ${{{variables.definitions}}})")
    if variables.cxx_standard and without != "cxx-standard":
        lines.append(
            f"set_target_properties({program} PROPERTIES CXX_STANDARD ${{{variables.cxx_standard}}} "
            "CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)"
        )
    return "\n".join(lines) + "\n"


def entry_pattern(context: Context, component: Component) -> str:
    """A regular expression for the component's entry in the list of libraries: CMake's, as inside quotes, and Python's.

    Entries are paths, targets, or linker options around a path.
    """
    file = component.library.replace(".", "[.]").replace("+", "[+]")
    target = component_target(context, component)
    return f'(/{file}([,\\" ]|$)' + (f"|^{target}$)" if target else ")")
