"""What a build runs in and with: environment variables, the recipe's over our fixed ones, and pip's commands."""

from __future__ import annotations

from orchestrator.build import recorder
from orchestrator.build.cuda_build import CudaBuild
from orchestrator.build.inputs import BuildInputs
from orchestrator.build.source import EPOCH
from orchestrator.containers.model import HOME, WORK
from orchestrator.errors import RecipeError
from orchestrator.recipe.model import Recipe

CACHE = "/cache"
"""Where the compiler cache's volume is mounted."""

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def build_environment(inputs: BuildInputs, *, jobs: int, compiler_cache: bool) -> dict[str, str]:
    """Environment variables of the build.

    SOURCE_DATE_EPOCH is fixed (reproducible-builds.org), so that two builds give the same bytes.

    Raises:
        RecipeError: the recipe sets a variable that is ours.
    """
    variant = inputs.recipe.variants[inputs.row.variant]
    ours = {
        "HOME": HOME,
        "PATH": f"{WORK}/env/bin:{SYSTEM_PATH}",
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": str(EPOCH),
        "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INDEX": "1",
    }
    if compiler_cache:
        ours |= {
            "CCACHE_DIR": CACHE,
            "CCACHE_BASEDIR": WORK,
            "CMAKE_C_COMPILER_LAUNCHER": "ccache",
            "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        }
    if inputs.cuda:
        ours |= cuda_environment(inputs.cuda, path=ours["PATH"])
    if inputs.build.version_variable:
        ours[inputs.build.version_variable] = inputs.version
    theirs = {**inputs.build.env, **variant.env}
    for name in theirs:
        if inputs.cross and name in inputs.cross.environment:
            raise RecipeError(
                f"Recipe '{inputs.recipe.project.name}' sets {name}, and so does every build for another processor: "
                f"{inputs.row.id} is built by compilers of {inputs.cross.host}.",
                advice="Remove it from build.env and from the variant's env, or build the row on an engine of its "
                f"processor: --engine {inputs.row.arch}=ADDRESS.",
            )
        if name in ours and name != "CMAKE_BUILD_PARALLEL_LEVEL":
            raise RecipeError(
                f"Recipe '{inputs.recipe.project.name}' sets {name}, which every build sets itself.",
                advice="Remove it from build.env and from the variant's env.",
            )
    return {**ours, **theirs}


def cuda_environment(cuda: CudaBuild, *, path: str) -> dict[str, str]:
    """What makes builds find the row's toolkit and architectures, and pass each call of nvcc to the recorder.

    CMake reads CUDACXX, CUDAToolkit_ROOT and CMAKE_CUDA_COMPILER_LAUNCHER (CMake manual, cmake-env-variables);
    PyTorch's extensions CUDA_HOME and PYTORCH_NVCC (torch.utils.cpp_extension); others find nvcc on `path`.
    """
    ours = {
        "CUDACXX": f"{cuda.root}/bin/nvcc",
        "CUDA_HOME": cuda.root,
        "CUDA_PATH": cuda.root,
        "CUDAToolkit_ROOT": cuda.root,
        "PATH": f"{recorder.NVCC_FOLDER}:{cuda.root}/bin:{path}",
        "CMAKE_CUDA_COMPILER_LAUNCHER": recorder.LAUNCHER,
        "PYTORCH_NVCC": recorder.NVCC,
    }
    if cuda.plan.variable:
        ours[cuda.plan.variable] = cuda.plan.value
    return ours


def wheel_command(inputs: BuildInputs, interpreter: str) -> list[str]:
    """The PEP 517 build: pip's wheel command in the build environment, which brings all it needs.

    pip builds in place, so that the source's path is the same each time.
    """
    variant = inputs.recipe.variants[inputs.row.variant]
    settings = {**inputs.build.config_settings, **variant.config_settings}
    options = [f"--config-settings={key}={value}" for key, value in sorted(settings.items())]
    return [
        *pip(interpreter),
        "wheel",
        "--verbose",
        "--no-build-isolation",
        "--no-deps",
        f"--wheel-dir={WORK}/out",
        *options,
        f"{WORK}/{source_folder(inputs.recipe)}",
    ]


def source_folder(recipe: Recipe) -> str:
    """The source's folder on the work volume; its own name is the recipe's choice, since some builds ask for one."""
    name = recipe.project.checkout
    return f"source/{name}" if name else "source"


def install_command(interpreter: str) -> list[str]:
    """Installs the locked build dependencies from the wheelhouse alone, every hash checked."""
    return [
        *pip(interpreter),
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--require-hashes",
        f"--find-links={WORK}/wheelhouse",
        f"--requirement={WORK}/lock/build.lock",
    ]


def pip(interpreter: str) -> list[str]:
    """The interpreter's own pip, working on the build environment."""
    return [interpreter, "-m", "pip", f"--python={WORK}/env/bin/python"]


def interpreter_path(tag: str) -> str:
    """Where builder images keep the interpreter of a tag: the manylinux images' layout."""
    return f"/opt/python/{tag}-{tag}/bin/python"
