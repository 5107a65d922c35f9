"""H8: a CPU wheel holds no CUDA: no library, header, requirement, device code or function of a CUDA component."""

from __future__ import annotations

import re

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.nvidia import cuda_library, is_cuda_distribution, is_cuda_driver
from orchestrator.verify.static.ownership import cuda_components, definers
from orchestrator.verify.static.requirements import declared
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.names import plain_name

_TOOLKIT_HEADER = re.compile(
    r"(.*/)?(cuda(_runtime(_api)?|_fp16|_fp8|_bf16|_device_runtime_api|_profiler_api)|"
    r"cublas(_v2|Lt|_api)?|cudnn\w*|cufft|curand(_kernel)?|cusolver\w*|cusparse\w*|nccl|nvrtc|nvToolsExt)\.h|"
    r"(.*/)?include/cuda\.h"
)
"""`cuda.h` is told by its place too: projects call headers of their own so, below a folder of their name."""


def applies(subject: StaticSubject) -> bool:
    """A row of a recipe that is no CUDA train."""
    return subject.recipe is not None and not subject.row.is_cuda


def check(subject: StaticSubject) -> Outcome:
    """A builder that has a toolkit turns CUDA on by itself; users then download and load it in vain."""
    wheel = subject.wheel
    components = {plain_name(component.library) for component in cuda_components(subject)}
    faults = []
    for library in wheel.libraries:
        if plain_name(library.name) in components or cuda_library(library.name):
            faults.append(Fault(library.path, "a CUDA library in a CPU wheel"))
            continue
        if library.elf is None:
            continue
        needs = [name for name in library.elf.needed if plain_name(name) in components or _is_cuda(name)]
        if needs:
            faults.append(Fault(library.path, f"needs {', '.join(needs)} in a CPU wheel"))
        if library.elf.device_code:
            found = sorted({f"{entry.kind} {entry.arch}" for entry in library.elf.device_code})
            faults.append(Fault(library.path, "holds device code in a CPU wheel", tuple(found)))
    faults += _functions(subject)
    faults += [
        Fault(name, "a CUDA header in a CPU wheel")
        for name in sorted(wheel.names)
        if name.endswith(".cuh") or _TOOLKIT_HEADER.fullmatch(installed_path(name))
    ]
    for name, requirement in declared(subject).items():
        if is_cuda_distribution(name):
            faults.append(Fault(str(requirement), "a CUDA requirement of a CPU wheel"))
    return Outcome(len(wheel.members), "members", tuple(faults))


def _functions(subject: StaticSubject) -> list[Fault]:
    """Symbols of CUDA components that other libraries define."""
    return [
        Fault(definer.library.path, f"defines {name} of the component '{component.name}' in a CPU wheel")
        for component in cuda_components(subject)
        for name in component.owns
        for definer in definers(subject.wheel, name)
        if definer.library.name != component.library
    ]


def _is_cuda(soname: str) -> bool:
    return cuda_library(soname) is not None or is_cuda_driver(soname)
