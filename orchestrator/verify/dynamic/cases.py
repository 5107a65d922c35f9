"""Questions that each need a run of CMake of their own, asked one after another over one build folder.

The compiler is looked for once: what follows configures in a tenth of the time.  Every question
starts without what earlier ones put into CMake's cache, or into the environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import BUILD_SECONDS, CONFIGURE_SECONDS, INSTALL, configure, head
from orchestrator.verify.dynamic.questions import FUNCTIONS, Reply, read_replies
from orchestrator.verify.dynamic.texts import evidence

CASES = "cases"
"""Id of the probe."""

_FORGET = """
set(own_path "$ENV{PATH}")
get_cmake_property(entries CACHE_VARIABLES)
if(NOT DEFINED own_entries)
  set(own_entries "${entries}" CACHE INTERNAL "of no package")
endif()
macro(forget)
  set(ENV{PATH} "${own_path}")
  unset(ENV{CMAKE_PREFIX_PATH})
  get_cmake_property(entries CACHE_VARIABLES)
  foreach(entry IN LISTS entries)
    if(NOT entry IN_LIST own_entries AND NOT entry MATCHES "^(CMAKE_|own_entries$)")
      unset(${entry} CACHE)
    endif()
  endforeach()
endmacro()
include("cases/${CASE}.cmake")
"""

_NONE = "none"
RUN_SECONDS = 60.0


@dataclass(frozen=True)
class Question:
    """Lines of a folder of its own; its answers are named by the case and it."""

    name: str
    text: str


@dataclass(frozen=True)
class Case:
    """Questions of one run of CMake: the first that ends it leaves the others unasked.

    `target` is what is then built, nothing if empty, and `runs` what is run in the probe's folder then.
    """

    name: str
    questions: tuple[Question, ...]
    target: str = ""
    runs: tuple[tuple[str, ...], ...] = ()

    def steps(self) -> tuple[Step, ...]:
        """Its steps in the probe: no other case has the same commands, so that evidence tells whose step it shows."""
        found = [Step(("cmake", "-S", ".", "-B", "build", f"-DCASE={self.name}"), CONFIGURE_SECONDS, always=True)]
        if self.target:
            found.append(Step(("cmake", "--build", "build", "--target", self.target), BUILD_SECONDS, always=True))
        found += [Step(argv, RUN_SECONDS, always=True) for argv in self.runs]
        return tuple(found)


@dataclass(frozen=True)
class Prepared:
    """What questions need beside the package: files of the probe, and steps that run before any question."""

    files: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class CaseAnswer:
    """How a case ended, and what its questions told."""

    name: str
    steps: tuple[StepAnswer, ...]
    replies: Mapping[str, Reply]
    shown: tuple[str, ...]
    """The lines that find packages."""

    @property
    def configure(self) -> StepAnswer:
        """CMake's run."""
        return self.steps[0]

    def ended_by(self, question: str) -> bool:
        """Whether a question ended the run: it told nothing, or CMake tells an error in its folder.

        After message(SEND_ERROR), and most errors of commands, CMake goes on, tells more, and fails at its end.
        """
        if question not in self.replies:
            return True
        output = "" if self.configure.ok else self.configure.output
        errors = (part for part in re.split(r"(?m)^(?=CMake )", output) if part.startswith("CMake Error"))
        return any(f"cases/{self.name}/{question}/CMakeLists.txt" in error for error in errors)

    @property
    def evidence(self) -> tuple[str, ...]:
        """What was asked, and how the first step ended that failed; CMake's run if none did."""
        failed = next((step for step in self.steps if not step.ok), self.configure)
        return (*self.shown, *evidence(failed))


def probe(context: Context, cases: Iterable[Case], prepared: Iterable[Prepared]) -> Probe:
    """The probe that asks all cases."""
    asked = tuple(cases)
    before = tuple(prepared)
    files = {
        "CMakeLists.txt": head(context, "cases") + FUNCTIONS + _FORGET,
        "main.cpp": "int main() { return 0; }\n",
        "answers/.keep": "",
        f"cases/{_NONE}.cmake": "",
    }
    for one in before:
        files |= one.files
    for case in asked:
        lines = [
            f"set(question {case.name}-{one.name})\nforget()\nadd_subdirectory(cases/{case.name}/{one.name})\n"
            for one in case.questions
        ]
        files[f"cases/{case.name}.cmake"] = "".join(lines)
        files |= {f"cases/{case.name}/{one.name}/CMakeLists.txt": one.text for one in case.questions}
    return Probe(
        id=CASES,
        files=files,
        steps=(
            *(step for one in before for step in one.steps),
            configure(context, options=(f"-DCASE={_NONE}",)),
            *(step for case in asked for step in case.steps()),
        ),
        after=(INSTALL,),
        collect=("answers/*.txt",),
    )


def case_answer(answers: Answers, case: Case) -> CaseAnswer:
    """The answer of one case."""
    answer = answers[CASES]
    steps = case.steps()
    start = next(place for place, step in enumerate(answer.steps) if step.argv == steps[0].argv)
    told = read_replies(answer.collected)
    replies = {one.name: told[name] for one in case.questions if (name := f"{case.name}-{one.name}") in told}
    lines = [line for one in case.questions for line in one.text.splitlines() if line.startswith("find_package(")]
    shown = tuple(f"CMakeLists.txt: {line}" for line in dict.fromkeys(lines))
    return CaseAnswer(case.name, answer.steps[start : start + len(steps)], replies, shown)
