"""A20: the package under test is the installed one, and Python finds it in one place."""

from __future__ import annotations

from pathlib import Path

from orchestrator.verify.dynamic import c6_imports
from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_installed, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.python_side import link, python, ready
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

LOCATE = "locate_package"

_SCRIPT = Path(__file__).with_name("locate_package.py")


def probes(context: Context) -> tuple[Probe, ...]:
    """Look for the package and its distribution on the whole search path, without an import."""
    project = context.recipe.project
    argv = (*python(context), _SCRIPT.name, context.places.site, project.import_, project.name)
    asked = Probe(LOCATE, {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}, (Step(argv),), after=ready(context))
    return (install(context), *link(context), asked)


def judge(context: Context, answers: Answers) -> Outcome:
    """One folder holds it, the site folder; so does one distribution, and nobody else has files in it."""
    missing = not_installed(context, answers, "A20")
    if missing is not None:
        return missing
    step = only(answers, LOCATE)
    package = context.recipe.project.import_
    if not step.ok:
        return Outcome(1, "packages", (Fault(package, "looking for it ends badly", evidence(step)),))
    lines = [line.split("\t") for line in step.stdout.splitlines() if "\t" in line]
    said = {kind: [words[1] for words in lines if words[0] == kind] for kind in _KINDS}
    if not said["holds"] and not said["spec"]:
        if c6_imports.at_hand(context):
            return not_run(f"{package} is nowhere: see C6")
        return Outcome(1, "packages", (Fault(package, "is nowhere on the search path"),))
    faults = []
    site = context.places.site
    if said["holds"] != [site]:
        faults.append(Fault(package, "is not in the site folder alone", tuple(said["holds"]) or ("(nowhere)",)))
    elif not all(context.is_installed(one) for one in said["spec"]):
        faults.append(Fault(package, "is not what would be imported by its name", tuple(said["spec"])))
    if [one.rstrip("/") for one in said["distribution"]] != [site]:
        name = context.recipe.project.name
        faults.append(Fault(name, "is not one distribution, in the site folder", tuple(said["distribution"])))
    if said["foreign"]:
        faults.append(Fault(package, "another distribution has files in its folder", tuple(said["foreign"][:12])))
    return Outcome(len(lines), "places of the package", tuple(faults))


_KINDS = ("holds", "spec", "distribution", "foreign")
