"""Small programs that use one component each: compiled against its header, linked to all that ships, run.

A program is linked so that it needs only libraries which answer something (ld(1), --as-needed): what
it needs then says which library has the implementation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from orchestrator.elf.read import read_elf
from orchestrator.recipe.sdk import Component, Use
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answer, Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.outcome import Outcome

COMPILE_SECONDS = 120.0
RUN_SECONDS = 60.0
PROGRAM = "program"
Kind = Literal["call", "object"]


@dataclass(frozen=True)
class Used:
    """One use of a shipped component, and the definitions that are taken from what it is compiled with."""

    component: Component
    kind: Kind
    use: Use
    switched: bool = True
    """Whether it is compiled with the use's definition."""

    @property
    def id(self) -> str:
        """The probe's id."""
        return f"{'' if self.switched else 'unswitched-'}{self.kind}-{self.component.name}"

    @property
    def function(self) -> str:
        """The function that holds the use."""
        name = "".join(letter if letter.isalnum() else "_" for letter in self.component.name)
        return f"{self.kind}_{name}"


def uses(context: Context, kind: Kind) -> tuple[Used, ...]:
    """The calls, or the objects, of the components that ship."""
    found = ((one, one.call if kind == "call" else one.make_object) for one in context.shipped)
    return tuple(Used(component, kind, use) for component, use in found if use)


def uses_probes(context: Context, used: Iterable[Used]) -> tuple[Probe, ...]:
    """What builds and runs a program for each."""
    return (install(context), *(_probe(context, one) for one in used))


def _probe(context: Context, used: Used) -> Probe:
    text = f"#include <{used.use.header}>\n\nint {used.function}() {{\n{used.use.code}\nreturn 0;\n}}\n"
    compiled = ("g++", "-c", "-w", *_flags(context, used), "use.cpp", "-o", "use.o")
    return Probe(
        id=used.id,
        files={"use.cpp": text, "main.cpp": _main([used])},
        steps=(Step(compiled, COMPILE_SECONDS), *linked_and_run(context, ("use.o",), "--as-needed")),
        after=(INSTALL,),
        collect=(PROGRAM,),
    )


def _flags(context: Context, used: Used) -> tuple[str, ...]:
    definition = used.use.definition
    if definition is None:
        return context.flags
    own = {f"-D{definition}"}
    others = tuple(flag for flag in context.flags if flag not in own and not flag.startswith(f"-D{definition}="))
    return (*others, *own) if used.switched else others


def _main(used: Iterable[Used]) -> str:
    """A program that exits 0 if each use gives 0."""
    functions = [one.function for one in used]
    declared = "".join(f"int {function}();\n" for function in functions)
    return f"{declared}\nint main() {{\n  return {' | '.join(f'{function}()' for function in functions)};\n}}\n"


def linked_and_run(context: Context, objects: tuple[str, ...], option: str) -> tuple[Step, Step]:
    """Link `main.cpp` and the objects to every component's library, the linker being told `option`, and run that."""
    paths = libraries(context)
    folders = dict.fromkeys(path.rpartition("/")[0] for path in paths)
    searched = tuple(f"-Wl,-rpath,{folder}" for folder in folders)
    link = ("g++", "main.cpp", *objects, f"-Wl,{option}", *paths, *searched, "-o", PROGRAM)
    return Step(link, COMPILE_SECONDS), Step((f"./{PROGRAM}",), RUN_SECONDS)


def libraries(context: Context) -> tuple[str, ...]:
    """The absolute paths of the components' libraries; of several files of one name the first."""
    owners = (context.subject.owners(component)[:1] for component in context.shipped)
    return tuple(context.installed_at(library) for found in owners for library in found)


def together(context: Context, id_: str, used: tuple[Used, ...]) -> Probe:
    """One program of all those uses, which needs every library whether it answers something or not."""
    objects = tuple(f"../{one.id}/use.o" for one in used)
    return Probe(
        id=id_,
        files={"main.cpp": _main(used)},
        steps=linked_and_run(context, objects, "--no-as-needed"),
        after=tuple(one.id for one in used),
        collect=(PROGRAM,),
    )


def needed(answer: Answer) -> frozenset[str]:
    """The libraries that the probe's program needs (DT_NEEDED); empty where there is no program."""
    data = answer.collected.get(PROGRAM)
    return frozenset(read_elf(data).needed) if data is not None else frozenset()


def how(answer: Answer) -> str:
    """How far a use came that did not end well."""
    stages = ("does not compile", "does not link", "does not run, or does not give 0")
    return next(stage for stage, step in zip(stages, answer.steps, strict=True) if not step.ok)


def lacks_what_it_needs(answer: Answer) -> bool:
    """Whether the program does not link because a library needs one that is not found (ld, -rpath-link)."""
    return any(
        ", needed by " in line and "not found" in line for step in answer.steps for line in step.stderr.splitlines()
    )


def unasked(context: Context, answers: Answers) -> Outcome | None:
    """Not run, because the wheel is not installed and nothing can be linked; None if it is."""
    reason = why_not_installed(answers)
    if reason is None:
        return None
    return not_run(WRONG_REQUIREMENTS if has_wrong_requirements(context) else f"{reason}: see D2")
