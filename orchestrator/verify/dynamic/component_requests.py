"""Requests for components, required and optional, and names of targets: what is asked, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.cases import Case, Question
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.project import component_target
from orchestrator.verify.dynamic.questions import NO_SUCH_COMPONENT, TARGETS, find, replies

NOR_THIS = "nor_this_component"
ABSENT = "absent"
"""Name of the requests for a component that only other wheels of the recipe ship."""


@dataclass(frozen=True)
class Required:
    """Components that are required together: the configure must fail and name one of those that are missing."""

    name: str
    components: tuple[str, ...]
    missing: tuple[str, ...]
    why: str

    @property
    def text(self) -> str:
        """As it is written in find_package."""
        return f"REQUIRED COMPONENTS {' '.join(self.components)}"

    def case(self, context: Context) -> Case:
        """The run of CMake that must fail."""
        line = f"find_package({context.package.package} {self.text})\n"
        return Case(f"required-{self.name}", (Question("asked", line),))


@dataclass(frozen=True)
class Optional:
    """A request that is not REQUIRED: whether the package must be found, and which components."""

    name: str
    text: str
    found: bool
    components: Mapping[str, bool]

    def question(self, context: Context) -> Question:
        """Lines that ask, and tell what was found."""
        package = context.package.package
        told = "".join(f"tell_truth({name} ${{{package}_{name}_FOUND}})\n" for name in self.components)
        return Question(self.name, find(context, self.text) + told)


@dataclass(frozen=True)
class Undefined:
    """A target that must not exist: linking it must fail to generate, and name it."""

    target: str
    why: str


def required(context: Context) -> tuple[Required, ...]:
    """Required requests that no package of this wheel can satisfy."""
    runtime = context.runtime.name
    found = [
        Required("bogus", (NO_SUCH_COMPONENT,), (NO_SUCH_COMPONENT,), "a component that does not exist"),
        Required("several", (NO_SUCH_COMPONENT, NOR_THIS), (NO_SUCH_COMPONENT, NOR_THIS), "several that do not exist"),
        Required("alike", (f"{runtime}_typo",), (f"{runtime}_typo",), "a name that begins as a component's"),
    ]
    if context.has_targets:
        pair = (runtime, NO_SUCH_COMPONENT)
        found.append(Required("beside", pair, (NO_SUCH_COMPONENT,), "one that does not exist beside one that does"))
    if absent := _not_shipped(context):
        found.append(Required(ABSENT, (absent.name,), (absent.name,), "a component that this wheel does not ship"))
    return tuple(found)


def optional(context: Context) -> tuple[Optional, ...]:
    """Requests that must not end the configure."""
    runtime, bogus = context.runtime.name, NO_SUCH_COMPONENT
    found = [
        Optional("optional", f"OPTIONAL_COMPONENTS {bogus}", True, {bogus: False}),
        Optional("several", f"OPTIONAL_COMPONENTS {bogus} {NOR_THIS}", True, {bogus: False, NOR_THIS: False}),
        Optional("plain", f"COMPONENTS {bogus}", False, {bogus: False}),
    ]
    if context.has_targets:
        both = {runtime: True, bogus: False}
        found += [
            Optional("beside", f"COMPONENTS {runtime} OPTIONAL_COMPONENTS {bogus}", True, both),
            Optional("required", f"REQUIRED COMPONENTS {runtime} OPTIONAL_COMPONENTS {bogus}", True, both),
        ]
    if absent := _not_shipped(context):
        found.append(Optional(ABSENT, f"OPTIONAL_COMPONENTS {absent.name}", True, {absent.name: False}))
    return tuple(found)


def optional_case(context: Context) -> Case:
    """One run of CMake for all of them."""
    return Case("optional", tuple(one.question(context) for one in optional(context)))


def undefined(context: Context) -> tuple[Undefined, ...]:
    """Targets that no wheel of this row has."""
    own = component_target(context, context.runtime)
    space = own.partition("::")[0] if own else context.package.package
    found = [
        Undefined(f"{own or space + '::'}_typo", "a target that does not exist"),
        Undefined(f"{space}::{NO_SUCH_COMPONENT}", "a target of no component"),
    ]
    absent = _not_shipped(context)
    if absent and (target := component_target(context, absent)):
        found.append(Undefined(target, "a target of a component that this wheel does not ship"))
    return tuple(found)


def undefined_case(context: Context) -> Case:
    """Programs that link them: the run fails when it generates, for each."""
    lines = [f"find_package({context.package.package} REQUIRED)"]
    for place, one in enumerate(undefined(context)):
        lines.append(f"add_executable(undefined_{place} ${{CMAKE_SOURCE_DIR}}/main.cpp)")
        lines.append(f"target_link_libraries(undefined_{place} PRIVATE {one.target})")
    return Case("undefined", (Question("asked", "\n".join(lines) + "\n"),))


def is_d5s(context: Context, answers: Answers, name: str) -> bool:
    """Whether a request is for a component whose target exists without its library: D5 says so."""
    defined = {fields[0] for fields in replies(answers)[TARGETS].all("defined")}
    absent = _not_shipped(context)
    return name == ABSENT and absent is not None and component_target(context, absent) in defined


def _not_shipped(context: Context) -> Component | None:
    """A component of the recipe that this wheel does not ship, and that has a target elsewhere."""
    absent = (one for one in context.recipe.component if one not in context.shipped and one.target is not False)
    return next(absent, None)
