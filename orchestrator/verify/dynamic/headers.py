"""The header sweep: every shipped header is compiled alone, exempt ones too."""

from __future__ import annotations

from orchestrator.recipe.sdk import HeaderExemption, Headers
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe, Step

SUFFIXES = (".h", ".hpp", ".hh", ".hxx")
COMPILE_SECONDS = 120.0

CONTROL = "header_control"
TOOLKIT = "header_toolkit"


def shipped_headers(context: Context) -> tuple[str, ...]:
    """Paths below the header root, sorted."""
    rules = rules_of(context)
    prefix = f"{rules.root}/"
    names = sorted(context.subject.wheel.names)
    return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix) and name.endswith(SUFFIXES))


def rules_of(context: Context) -> Headers:
    """The recipe's rules for headers.

    Raises:
        ValueError: the recipe has none.
    """
    if context.recipe.headers is None:
        raise ValueError("the recipe declares no headers")
    return context.recipe.headers


def covers(exemption: HeaderExemption, header: str) -> bool:
    """Whether the exemption is about that header: itself, or its folder where it ends with `/**`."""
    if exemption.path.endswith("/**"):
        return header.startswith(exemption.path.removesuffix("**"))
    return header == exemption.path


def exemption_of(context: Context, header: str) -> HeaderExemption | None:
    """The first exemption about that header."""
    return next((one for one in rules_of(context).exempt if covers(one, header)), None)


def header_probe_id(index: int) -> str:
    """The id of the probe that compiles the header of that index."""
    return f"header_{index:05}"


def sweep(context: Context) -> tuple[Probe, ...]:
    """One probe a header, with the flags that consumers were given, and two controls.

    The first control is a header that is nowhere: a compiler that accepts it judges nothing.  The
    second is the CUDA toolkit's: an image that has it would hide a header that wrongly needs it.
    """
    asked = {header_probe_id(index): header for index, header in enumerate(shipped_headers(context))}
    asked |= {CONTROL: "no/such/header.h", TOOLKIT: "cuda_runtime.h"}
    return tuple(_compile(context, id_, header) for id_, header in asked.items())


def proves_nothing(answers: Answers) -> str | None:
    """Why the sweep says nothing of any header, by its controls; None if it does."""
    for id_ in (CONTROL, TOOLKIT):
        step = answers[id_].steps[0]
        if not step.ran:
            return f"the compiler does not run: {step.ending}"
        if step.ok or "No such file or directory" not in step.output:
            toolkit = id_ == TOOLKIT
            what = "the CUDA toolkit is on the include path" if toolkit else "a header that does not exist compiles"
            return f"{what}: the sweep would prove nothing"
    return None


def _compile(context: Context, id_: str, header: str) -> Probe:
    argv = ("g++", "-fsyntax-only", "-w", *context.flags, "alone.cpp")
    return Probe(id_, {"alone.cpp": f"#include <{header}>\n"}, (Step(argv, COMPILE_SECONDS),))
