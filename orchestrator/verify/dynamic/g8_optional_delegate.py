"""G8: a delegate whose runtime is no requirement computes right where that runtime is installed."""

from __future__ import annotations

from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, unique
from orchestrator.verify.dynamic.python_models import Group, judge_runs, runs
from orchestrator.verify.dynamic.python_side import FOLDER, python, ready
from orchestrator.verify.outcome import Outcome

_IMPORT = "import importlib, sys; sys.path[:0] = sys.argv[2:]; importlib.import_module(sys.argv[1])"
_SECONDS = 120.0


def applies(context: Context) -> bool:
    """Where a model needs such a runtime, and a script can run it."""
    return context.recipe.python is not None and any(model.optional for model in context.recipe.model)


def probes(context: Context) -> tuple[Probe, ...]:
    """Import each runtime in a process of its own, and run its models."""
    found: list[Probe] = []
    for module, group in _groups(context).items():
        argv = (*python(context), "-c", _IMPORT, module, *group.sites, context.places.site)
        guard = Probe(_guard(module), {}, (Step(argv, _SECONDS),), after=ready(context))
        found += [*runs(context, group), guard]
    return unique(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not; not run where no runtime can be imported."""
    outcomes = []
    reasons = []
    groups = _groups(context)
    if not groups:
        return not_run("no model's components ship: see B2")
    for module, group in groups.items():
        step = only(answers, _guard(module))
        if step.ok:
            outcomes.append(judge_runs(context, answers, group, asker="G8"))
        else:
            last = step.output.strip().splitlines()[-1:] or [step.ending]
            reasons.append(f"{module} cannot be imported ({last[0]})")
    reasons += [one.not_run for one in outcomes if one.not_run]
    faults = tuple(fault for one in outcomes for fault in one.faults)
    if reasons and not faults:
        return not_run("; ".join(reasons))
    return Outcome(sum(one.inspected for one in outcomes), "models of optional delegates", faults)


def _groups(context: Context) -> dict[str, Group]:
    """The models by the module that they need."""
    beside = context.neighbours.optional if context.neighbours else ()
    sites = tuple(f"{FOLDER}/{name}" for name in beside)
    modules = dict.fromkeys(model.optional for model in context.optional_models if model.optional)
    return {
        module: Group(
            f"python-{module}", tuple(one for one in context.optional_models if one.optional == module), sites=sites
        )
        for module in modules
    }


def _guard(module: str) -> str:
    return f"python-{module}-import"
