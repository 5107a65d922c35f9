"""H10: the installed runtime wheels have each needed CUDA library where it is looked for."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.needs import cuda_release, external_cuda

INSTALLED = "installed"
_SCRIPT = Path(__file__).with_name("list_site.py")


def applies(context: Context) -> bool:
    """On CUDA rows whose libraries need CUDA libraries that the wheel does not bring."""
    return context.subject.row.is_cuda and bool(external_cuda(context.subject))


def probes(context: Context) -> tuple[Probe, ...]:
    """List what is installed."""
    step = Step(("python3", "-I", _SCRIPT.name, context.places.site))
    return (
        install(context),
        Probe(INSTALLED, {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}, (step,), after=(INSTALL,)),
    )


def judge(context: Context, answers: Answers) -> Outcome:
    """Each must lie in the table's folder for the row's train, brought by a distribution that the table names."""
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see {'D2' if context.recipe.cmake else 'C10'}")
    step = only(answers, INSTALLED)
    if not step.ok:
        return Outcome(1, "installations", (Fault("site", "cannot be listed", evidence(step)),))
    owners: dict[PurePosixPath, tuple[str, str]] = {}
    for line in step.stdout.splitlines():
        name, version, file = line.split("\t")
        owners[PurePosixPath(file)] = (name, version)
    release = cuda_release(context.subject)
    needed = {cuda.soname: cuda for _, _, cuda in external_cuda(context.subject)}
    faults = []
    shown = []
    for soname, cuda in needed.items():
        there = [path for path in owners if path.name == soname]
        folders = cuda.folders_of(release)
        right = [path for path in there if str(path.parent) in folders]
        if not right:
            where = " or ".join(folders) or "any folder of this train"
            reason = f"is not installed in {where}, where wheels of this train have it"
            seen = tuple(f"installed: {path}" for path in there) or ("installed nowhere",)
            faults.append(Fault(soname, reason, seen))
            continue
        for path in right:
            name, version = owners[path]
            shown.append(f"{path} of {name} {version}")
            if canonicalize_name(name) not in cuda.distributions:
                reason = f"is brought by {name}, which is not one of {', '.join(cuda.distributions)}"
                faults.append(Fault(soname, reason, (str(path),)))
    if faults and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    return Outcome(len(needed), "CUDA libraries", tuple(faults), evidence=tuple(shown))
