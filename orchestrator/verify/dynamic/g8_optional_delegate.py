"""G8: a delegate whose runtime is no requirement computes right where that runtime is installed."""

from __future__ import annotations

from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_installed, not_run
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, unique
from orchestrator.verify.dynamic.python_models import host_group, judge_runs, runs
from orchestrator.verify.dynamic.python_side import python, ready
from orchestrator.verify.outcome import Outcome

_IMPORT = "import importlib, sys; sys.path[:0] = sys.argv[2:]; importlib.import_module(sys.argv[1])"
_SECONDS = 120.0


def applies(context: Context) -> bool:
    """Where a model needs such a runtime, and a script can run it."""
    return context.recipe.python is not None and any(model.optional for model in context.recipe.model)


def probes(context: Context) -> tuple[Probe, ...]:
    """Import each runtime in a process of its own; the models run with all others."""
    group = host_group(context)
    guards = []
    for module in _modules(context):
        argv = (*python(context), "-c", _IMPORT, module, *group.sites, context.places.site)
        guards.append(Probe(_guard(module), {}, (Step(argv, _SECONDS),), after=ready(context)))
    return unique([*runs(context, group), *guards]) if guards else ()


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not; not run where a runtime cannot be imported."""
    modules = _modules(context)
    if not modules:
        return not_run("no model's components ship: see B2")
    missing = not_installed(context, answers, "G8")
    if missing is not None:
        return missing
    absent = {}
    for module in modules:
        step = only(answers, _guard(module))
        if not step.ok:
            last = step.output.strip().splitlines()[-1:] or [step.ending]
            absent[module] = f"{module} cannot be imported ({last[0]})"
    tried = tuple(model for model in context.optional_models if model.optional not in absent)
    outcome = judge_runs(context, answers, host_group(context), tried, asker="G8")
    if absent and not outcome.faults:
        return not_run("; ".join(absent.values()))
    return outcome


def _modules(context: Context) -> tuple[str, ...]:
    return tuple(dict.fromkeys(model.optional for model in context.optional_models if model.optional))


def _guard(module: str) -> str:
    return f"{module}-import"
