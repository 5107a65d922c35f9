"""What is asked of a CMake package of which nothing is known but where it lies."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import Version

from orchestrator.verify.any_package.contract import LISTS_TARGETS, NEW
from orchestrator.verify.any_package.found import FoundPackage
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.k8_foreign_python import disable_python, hide_python, without_python
from orchestrator.verify.dynamic.probe import Probe, Step
from orchestrator.verify.dynamic.project import INSTALL, configure
from orchestrator.verify.dynamic.questions import FUNCTIONS, described

HINTED, DEBIAN, RHEL = "hinted", "debian", "rhel"
"""Questions: the package by its own folder, and by its prefix as CMake of each family searches that."""

BOGUS = "bogus"
"""Question: the package with a component that does not exist."""

LINKED = "linked"
"""Question: which targets a project links, and which it cannot."""

OWN, FOREIGN, NONE = "own", "foreign", "none"
"""Projects that link whatever the package offers, by the Python that CMake finds."""

PACKAGE_SECONDS = 90.0
"""Deadline of a configure: it takes a second or two, on a very busy machine some twenty."""

DATA = "data"
"""Id of the probe after which the wheel is whole."""

_UNPACK = """
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for member in wheel.infolist():
        top, _, rest = member.filename.partition(".data/data/")
        if rest and "/" not in top and not member.is_dir():
            place = pathlib.Path(sys.argv[2], rest)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(wheel.read(member))
"""

_FAMILIES = {
    DEBIAN: "set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS FALSE)\n",
    RHEL: 'set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS TRUE)\nset(CMAKE_LIBRARY_ARCHITECTURE "")\n',
}
"""What CMake itself sets on systems of a family (its module Platform/Linux), said to CMake on any."""


def lists_targets(context: Context) -> bool:
    """Whether this CMake can say which targets a package made."""
    return context.cmake is not None and Version(context.cmake) >= Version(LISTS_TARGETS)


def data(context: Context) -> Probe:
    """Unpack what the wheel installs below the prefix of an installation: pip's --target leaves some of it out."""
    wheel = f"{context.places.file}/{context.subject.wheel.filename}"
    return Probe(DATA, {}, (Step(("python3", "-c", _UNPACK, wheel, context.places.site)),), after=(INSTALL,))


def asks_bogus(context: Context) -> bool:
    """Whether that is asked there: what a package does with components is the same everywhere."""
    return context.cmake == NEW


def finding(context: Context, package: FoundPackage) -> Probe:
    """Find the package by each question, and list the paths that it hands out."""
    folders = {HINTED: _hint(context, package) + _find(package) + described(context) + _variables(package)}
    for family, lines in _FAMILIES.items():
        prefix = f"set(CMAKE_PREFIX_PATH {quoted(_place(context, package.prefix))})\n"
        folders[family] = lines + prefix + f"unset({package.name}_DIR CACHE)\n" + _find(package)
    text = "".join(f"set(question {name})\nadd_subdirectory({name})\n" for name in folders)
    return Probe(
        id=f"{package.id}-finding",
        files={
            "CMakeLists.txt": _head(context) + FUNCTIONS + text,
            "answers/.keep": "",
            **{f"{name}/CMakeLists.txt": lines for name, lines in folders.items()},
        },
        steps=(_configure(context),),
        after=(INSTALL, DATA),
        collect=("answers/*.txt",),
    )


_LINK = """
add_executable(app main.cpp)
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS imported)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC|SHARED|INTERFACE|UNKNOWN|OBJECT)_LIBRARY$")
    continue()
  endif()
  get_target_property(items ${target} INTERFACE_LINK_LIBRARIES)
  set(lacks)
  foreach(item IN LISTS items)
    string(REGEX REPLACE "^[$]<LINK_ONLY:([^$>]+)>$" "\\\\1" item "${item}")
    if(item MATCHES "^[A-Za-z0-9_.+-]+::[A-Za-z0-9_.:+-]+$" AND NOT TARGET ${item})
      list(APPEND lacks ${item})
    endif()
  endforeach()
  if(lacks)
    tell(unlinkable "${target}\t${lacks}")
  else()
    tell(linked "${target}")
    target_link_libraries(app PRIVATE ${target})
  endif()
endforeach()
"""


def bogus(context: Context, package: FoundPackage) -> Probe:
    """Ask for a component that does not exist; alone, for some packages end the configure then."""
    lines = _head(context) + FUNCTIONS + f"set(question {BOGUS})\n" + _hint(context, package)
    return Probe(
        id=f"{package.id}-bogus",
        files={"CMakeLists.txt": lines + _find(package, "COMPONENTS no_such_component "), "answers/.keep": ""},
        steps=(_configure(context),),
        after=(INSTALL, DATA, finding(context, package).id),
        collect=("answers/*.txt",),
    )


def linking(context: Context, package: FoundPackage, python: str) -> Probe:
    """Configure and generate a project that links every target of the package; nothing is compiled.

    A target that links one that nobody defined cannot be linked by anybody, and is told apart: some packages
    describe libraries so that only they themselves load.
    """
    id_ = f"{package.id}-{python}"
    find = _hint(context, package) + f"find_package({package.name} CONFIG REQUIRED)\n"
    steps: tuple[Step, ...] = (_configure(context, own_python=python == OWN),)
    if python == NONE:
        before, options = without_python(context, id_), disable_python()
        steps = (hide_python(), _configure(context, before=before, options=options, own_python=False))
    files = {
        "CMakeLists.txt": _head(context) + FUNCTIONS + f"set(question {LINKED})\n" + find + _LINK,
        "main.cpp": "int main() { return 0; }\n",
        "answers/.keep": "",
    }
    after = (INSTALL, DATA, finding(context, package).id)
    return Probe(id=id_, files=files, steps=steps, after=after, collect=("answers/*.txt",))


def package_probes(context: Context, package: FoundPackage) -> tuple[Probe, ...]:
    """All that is asked of a package there: one that ends a configure, or never does, is asked nothing more."""
    links = pythons(context) if lists_targets(context) else ()
    return (
        finding(context, package),
        *((bogus(context, package),) if asks_bogus(context) else ()),
        *(linking(context, package, python) for python in links),
    )


def pythons(context: Context) -> tuple[str, ...]:
    """The Pythons with which a project is generated; the package's own where the image's can import it."""
    return (OWN, FOREIGN, NONE) if context.package.python else (FOREIGN, NONE)


def quoted(text: str) -> str:
    """CMake's bracket argument (cmake-language(7)), in which nothing is evaluated: the shortest that holds the text."""
    marks = "="
    while f"]{marks}]" in f"{text}]":
        marks += "="
    return f"[{marks}[{text}]{marks}]"


def _configure(
    context: Context, *, before: tuple[str, ...] = (), options: tuple[str, ...] = (), own_python: bool = True
) -> Step:
    """A configure with a deadline for packages of which nothing is known."""
    step = configure(context, before=before, options=options, own_python=own_python)
    return replace(step, seconds=PACKAGE_SECONDS)


def _head(context: Context) -> str:
    """The first lines of a project written today: with the policies of the CMake that runs.

    By an older policy (CMP0111) a target without its library generates, and fails when it is linked.
    """
    return f"cmake_minimum_required(VERSION {context.cmake})\nproject(asked LANGUAGES C CXX)\n"


def _place(context: Context, path: str) -> str:
    return f"{context.places.site}/{path}".rstrip("/")


def _hint(context: Context, package: FoundPackage) -> str:
    return f"set({package.name}_DIR {quoted(_place(context, package.folder))})\n"


def _find(package: FoundPackage, asked: str = "") -> str:
    return (
        f"find_package({package.name} {asked}CONFIG QUIET)\n"
        f"tell_truth(found ${{{package.name}_FOUND}})\n"
        f'string(REPLACE "\\n" " " message "${{{package.name}_NOT_FOUND_MESSAGE}}")\n'
        'tell(message "${message}")\n'
    )


def _variables(package: FoundPackage) -> str:
    """Lines that tell the paths in variables of the names that packages commonly set."""
    names = dict.fromkeys((package.name, package.name.upper()))
    return "".join(
        f'tell_paths("path\\t{name}_{kind}\\tthe variable" ${{{name}_{kind}}})\n'
        for name in names
        for kind in ("INCLUDE_DIRS", "INCLUDE_DIR", "LIBRARIES", "LIBRARY_DIRS")
    )
