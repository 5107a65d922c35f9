"""One CMake project that asks an installed package many questions.

Each question is a folder of its own, since imported targets and variables end with the folder, and
writes its answer to a file: nothing is read out of log lines.  What ends a configure with an error
is asked elsewhere, alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Answer, Answers, Probe
from orchestrator.verify.dynamic.project import INSTALL, component_target, configure, head
from orchestrator.verify.dynamic.versions import requests

QUESTIONS = "questions"
TARGETS = "targets"
VARIABLES = "variables"
ENTRY = "entry"
"""Key of an entry of the list of libraries."""
NO_SUCH_COMPONENT = "no_such_component"

IMPORTED_PROPERTIES = ("IMPORTED_LOCATION", "IMPORTED_IMPLIB", "IMPORTED_OBJECTS")
"""Those that a target may have for each configuration (CMake manual, IMPORTED_LOCATION_<CONFIG>)."""

CONFIGURATIONS = ("RELEASE", "RELWITHDEBINFO", "MINSIZEREL", "DEBUG", "NOCONFIG")
"""Those that are looked at even where a target does not list them (IMPORTED_CONFIGURATIONS)."""

PATH_PROPERTIES = (
    "INTERFACE_INCLUDE_DIRECTORIES",
    "INTERFACE_SYSTEM_INCLUDE_DIRECTORIES",
    "INTERFACE_LINK_DIRECTORIES",
    "INTERFACE_LINK_LIBRARIES",
    "INTERFACE_LINK_OPTIONS",
    "INTERFACE_SOURCES",
)
"""Target properties that hold paths of a package (CMake manual, cmake-properties)."""

FUNCTIONS = r"""
function(tell key value)
  file(APPEND "${CMAKE_SOURCE_DIR}/answers/${question}.txt" "${key}\t${value}\n")
endfunction()
function(tell_truth key)
  if(ARGN)
    tell("${key}" 1)
  else()
    tell("${key}" 0)
  endif()
endfunction()
function(tell_path key path)
  if(EXISTS "${path}")
    tell("${key}" "there\t${path}")
  else()
    tell("${key}" "absent\t${path}")
  endif()
endfunction()
# A target, and what it is another name of (CMake manual, ALIASED_TARGET).
function(tell_defined target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    tell(defined "${target}\t${aliased}")
  else()
    tell(defined "${target}")
  endif()
endfunction()
# Paths as they stand, and in options of the linker: behind -I or -L, between commas, colons and quotes.
function(tell_paths key)
  foreach(item IN LISTS ARGN)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item MATCHES "\\$<")
      continue()
    elseif(item MATCHES "^/" AND EXISTS "${item}")
      tell_path("${key}" "${item}")
      continue()
    endif()
    string(REGEX REPLACE "[,:\"]" ";" parts "${item}")
    foreach(part IN LISTS parts)
      if(part MATCHES "^/" AND NOT EXISTS "${part}")
        string(REGEX REPLACE " -.*$" "" part "${part}")
      elseif(part MATCHES "^-")
        string(REGEX REPLACE " +" ";" part "${part}")
        list(TRANSFORM part REPLACE "^-[IL]/" "/")
      endif()
      list(FILTER part INCLUDE REGEX "^/")
      foreach(path IN LISTS part)
        tell_path("${key}" "${path}")
      endforeach()
    endforeach()
  endforeach()
endfunction()
"""


def questions(context: Context) -> Probe:
    """The project with every question that no configure should stumble over."""
    asked = _questions(context)
    files = {f"{name}/CMakeLists.txt": text for name, text in asked.items()}
    folders = "".join(f"set(question {name})\nadd_subdirectory({name})\n" for name in asked)
    return Probe(
        id=QUESTIONS,
        files={"CMakeLists.txt": head(context, "questions") + FUNCTIONS + folders, "answers/.keep": "", **files},
        steps=(configure(context),),
        after=(INSTALL,),
        collect=("answers/*.txt",),
    )


def version_question(index: int) -> str:
    """The name of the question about the version request of that index."""
    return f"version_{index}"


def prefix_question(index: int) -> str:
    """The name of the question about the promised prefix of that index."""
    return f"prefix_{index}"


def _questions(context: Context) -> dict[str, str]:
    versions = requests(context.release) if once_a_cmake(context) else ()
    asked = {version_question(i): find(context, request.text) for i, request in enumerate(versions)}
    for index, prefix in enumerate(context.package.prefixes):
        found = find(context, "", prefix=f"{context.places.site}/{prefix}")
        asked[prefix_question(index)] = found + described(context)
    asked[TARGETS] = find(context, "") + _targets(context)
    if context.package.variables is not None:
        asked[VARIABLES] = find(context, "") + _variables(context) + listed(context)
    return asked


def listed(context: Context) -> str:
    """Lines that tell the entries of the list of libraries, where the package has one."""
    variables = context.package.variables
    if variables is None:
        return ""
    return f'foreach(item IN LISTS {variables.libraries})\n  tell({ENTRY} "${{item}}")\nendforeach()\n'


def find(context: Context, arguments: str, *, prefix: str = "") -> str:
    """Lines that ask for the package and tell whether it was found, in which version, and which were considered."""
    package = context.package.package
    return (
        f"unset({package}_DIR CACHE)\n"
        + (f'set(CMAKE_PREFIX_PATH "{prefix}")\n' if prefix else "")
        + f"find_package({package} {arguments} QUIET)\n"
        + f"tell_truth(found ${{{package}_FOUND}})\n"
        + f'tell(version "${{{package}_VERSION}}")\n'
        + f'tell(considered "${{{package}_CONSIDERED_VERSIONS}}")\n'
    )


def described(context: Context) -> str:
    """Lines that tell what a package that was found hands out: targets, and the paths of targets and variables."""
    return _targets(context) + _variables(context)


def _variables(context: Context) -> str:
    variables = context.package.variables
    if variables is None:
        return ""
    components = [component.variable for component in context.shipped if component.variable]
    libraries = [variables.libraries, *components]
    lines = [f"tell_paths(include ${{{variables.include_dirs}}})"]
    lines += [f"tell_paths(library ${{{name}}})" for name in libraries]
    return "\n".join(lines) + "\n"


def _targets(context: Context) -> str:
    lines = ["get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)"]
    lines += ["foreach(target IN LISTS imported)", '  tell(target "${target}")']
    lines += [
        f"  set(properties {' '.join((*IMPORTED_PROPERTIES, *PATH_PROPERTIES))})",
        "  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)",
        '  string(TOUPPER "${configurations}" configurations)',
        f"  list(APPEND configurations {' '.join(CONFIGURATIONS)})",
        "  list(REMOVE_DUPLICATES configurations)",
        "  foreach(configuration IN LISTS configurations)",
        *(f"    list(APPEND properties {name}_${{configuration}})" for name in IMPORTED_PROPERTIES),
        "  endforeach()",
        "  foreach(property IN LISTS properties)",
        "    get_target_property(value ${target} ${property})",
        "    if(value)",
        '      tell_paths("path\\t${target}\\t${property}" ${value})',
        "    endif()",
        "  endforeach()",
        "endforeach()",
    ]
    for component in context.recipe.component:
        target = component_target(context, component)
        if target is not None:
            lines += [f"if(TARGET {target})", f"  tell_defined({target})", "endif()"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Reply:
    """The lines that one question wrote: a key and its fields."""

    lines: tuple[tuple[str, ...], ...]

    def one(self, key: str) -> str:
        """The value told under that key, '' if none was."""
        return next((line[1] for line in self.lines if line[0] == key and len(line) > 1), "")

    def all(self, key: str) -> tuple[tuple[str, ...], ...]:
        """The fields of every line under that key."""
        return tuple(line[1:] for line in self.lines if line[0] == key)

    @property
    def found(self) -> bool:
        """Whether find_package found the package."""
        return self.one("found") == "1"


@dataclass(frozen=True)
class MissingPath:
    """A path that the package hands to its users and that does not exist."""

    owner: str
    role: str
    path: str


def replies(answers: Answers) -> Mapping[str, Reply]:
    """What each question wrote; a question after one that ended the configure is missing."""
    return read_replies(answers[QUESTIONS].collected)


def read_replies(collected: Mapping[str, bytes]) -> Mapping[str, Reply]:
    """What questions wrote, by their names."""
    found = {}
    for name, data in collected.items():
        text = data.decode("utf-8", "replace")
        lines = tuple(tuple(line.split("\t")) for line in text.splitlines())
        found[name.removeprefix("answers/").removesuffix(".txt")] = Reply(lines)
    return found


def configure_failed(answers: Answers) -> Answer | None:
    """The project's answer if its configure ended with an error."""
    answer = answers[QUESTIONS]
    return None if answer.ok else answer


def missing_paths(answers: Answers) -> tuple[tuple[MissingPath, ...], int]:
    """The paths of targets and variables that do not exist, and how many were looked at."""
    asked = replies(answers)
    missing: list[MissingPath] = []
    looked = 0
    if TARGETS in asked:
        for target, role, state, path in asked[TARGETS].all("path"):
            looked += 1
            if state == "absent":
                missing.append(MissingPath(target, role, path))
    if VARIABLES in asked:
        for role in ("include", "library"):
            for state, path in asked[VARIABLES].all(role):
                looked += 1
                if state == "absent":
                    missing.append(MissingPath("variables", role, path))
    return tuple(dict.fromkeys(missing)), looked
