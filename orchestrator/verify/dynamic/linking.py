"""Programs that call nothing, linked with every component: what the linker keeps of them, and how paths are written."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.fileapi import link_line
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import (
    BUILD_SECONDS,
    FILE_API_QUERY,
    FILE_API_REPLY,
    INSTALL,
    compile_and_link,
    configure,
    head,
    using,
)

LINKING = "linking"
ORIGIN = "$ORIGIN"
LAST = "liblast.so"
"""A library of no package, of which nothing is called: programs link it behind all else."""

_TOKEN = f"""add_executable(origin main.cpp)
target_link_options(origin PRIVATE "LINKER:-rpath,{ORIGIN}/token")
"""
"""A program of no package: how this CMake and generator write the loader's token in an option for the linker."""

_LAST = """add_library(last SHARED last.cpp)
set_target_properties(last PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
"""

_BOTH = f"""set_target_properties(idle_@ROUTE@ PROPERTIES LINK_FLAGS -Wl,--as-needed)
add_executable(full_@ROUTE@ @SOURCES@)
get_target_property(linked idle_@ROUTE@ LINK_LIBRARIES)
target_link_libraries(full_@ROUTE@ PRIVATE ${{linked}})
set_target_properties(full_@ROUTE@ PROPERTIES LINK_FLAGS "-Wl,--no-as-needed -Wl,--disable-new-dtags")
set(CMAKE_CXX_STANDARD_LIBRARIES "${{CMAKE_CXX_STANDARD_LIBRARIES}} \\"${{CMAKE_BINARY_DIR}}/{LAST}\\"")
add_dependencies(idle_@ROUTE@ last)
add_dependencies(full_@ROUTE@ last)
"""
"""The same twice, since compilers of distributions differ in what they ask of the linker by themselves: `idle` keeps
of what it is given only what something is called of, or what is retained; `full` keeps all, and its search path is
DT_RPATH unless the package asks for the other.  CMake puts what is in CMAKE_CXX_STANDARD_LIBRARIES behind what
targets bring along.
"""


def routes(context: Context) -> tuple[Route, ...]:
    """The routes by which a consumer links here."""
    return ("targets", "variables") if context.has_targets and context.package.variables else (context.route,)


def linking(context: Context) -> Probe:
    """One project: a program without a package, and for each route two with every component that call nothing.

    The first is built even where the others do not link.
    """
    added = "".join(f"add_subdirectory({route})\n" for route in routes(context))
    first = Step(("cmake", "--build", "build", "--target", "origin"), BUILD_SECONDS)
    programs = (f"build/{route}/{kind}_{route}" for route in routes(context) for kind in ("idle", "full"))
    return Probe(
        id=LINKING,
        files={
            "CMakeLists.txt": head(context, "linking") + _TOKEN + _LAST + added,
            FILE_API_QUERY: "",
            "main.cpp": "int main() { return 0; }\n",
            "last.cpp": "int last() { return 0; }\n",
            **{f"{route}/CMakeLists.txt": _folder(context, route) for route in routes(context)},
        },
        steps=(configure(context), first, compile_and_link()),
        after=(INSTALL,),
        collect=("build/origin", *programs, FILE_API_REPLY),
    )


def _folder(context: Context, route: Route) -> str:
    text = using(context, context.shipped, route, f"idle_{route}") + _BOTH.replace("@ROUTE@", route)
    return text.replace("@SOURCES@", "../main.cpp")


def idle(answers: Answers, route: Route) -> Elf:
    """The program that keeps what must be kept, by that route; it must have been built."""
    return read_elf(answers[LINKING].collected[f"build/{route}/idle_{route}"])


def full(answers: Answers, route: Route) -> Elf:
    """The program that keeps all it is given, by that route; it must have been built."""
    return read_elf(answers[LINKING].collected[f"build/{route}/full_{route}"])


def state_left(answers: Answers, route: Route) -> str | None:
    """What is wrong with how the linker treats what stands behind the package; None if as before it.

    `full` must keep the last library, and `idle` must not, as they were told at their beginning.
    """
    if LAST in idle(answers, route).needed:
        return "an option that retains libraries is not taken back: it retains whatever is linked after it"
    if LAST not in full(answers, route).needed:
        return "an option leaves --as-needed behind, which the program did not ask for: what is linked after it is lost"
    return None


def retaining(answers: Answers, route: Route) -> tuple[str, ...]:
    """Evidence of that: the options of the link line that tell the linker which libraries to keep."""
    line = link_line(answers[LINKING].collected, f"idle_{route}") or ()
    found = [part for part in line if "as-needed" in part or "-state" in part]
    return tuple(dict.fromkeys(f"link line: {part}" for part in found if part.strip() != "-Wl,--as-needed"))


def token_written(answers: Answers) -> str | None:
    """How $ORIGIN was written into the program without a package; None if that was not asked for, or not built."""
    program = answers[LINKING].collected.get("build/origin") if LINKING in answers else None
    if program is None:
        return None
    entries = [entry for entry in read_elf(program).search_path if entry.endswith("/token")]
    return entries[0].removesuffix("/token") if entries else ""


def written(context: Context, answers: Answers) -> str:
    """The same, for people."""
    token = token_written(answers)
    with_what = f"CMake {context.cmake} with {context.generator}"
    return f"{with_what}: no program was built" if token is None else f"{with_what} writes $ORIGIN as '{token}'"
