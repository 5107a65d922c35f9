"""Where NVIDIA's published runtime wheels put each CUDA library.

Read from the wheels themselves: packages of CUDA 11 and 12 have one folder each and
`-cu11` or `-cu12` in their name; those of CUDA 13 share `nvidia/cu13/lib` and carry no suffix, but for a few that are
versioned apart from the toolkit.  What is published as `nvidia-cuda-runtime-cu13` and the like, and as
`nvidia-cudnn` and `nvidia-nccl` without suffix, are placeholders: they hold no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.wheel.names import without_hash

_LIBRARY = re.compile(r"lib(?P<stem>[A-Za-z_-]+)\.so\.(?P<major>\d+)")

_TOOLKIT = {
    "cudart": ("cuda_runtime", "nvidia-cuda-runtime"),
    "nvrtc": ("cuda_nvrtc", "nvidia-cuda-nvrtc"),
    "nvrtc-builtins": ("cuda_nvrtc", "nvidia-cuda-nvrtc"),
    "cupti": ("cuda_cupti", "nvidia-cuda-cupti"),
    "cublas": ("cublas", "nvidia-cublas"),
    "cublasLt": ("cublas", "nvidia-cublas"),
    "nvblas": ("cublas", "nvidia-cublas"),
    "cufft": ("cufft", "nvidia-cufft"),
    "cufftw": ("cufft", "nvidia-cufft"),
    "cufile": ("cufile", "nvidia-cufile"),
    "curand": ("curand", "nvidia-curand"),
    "cusolver": ("cusolver", "nvidia-cusolver"),
    "cusolverMg": ("cusolver", "nvidia-cusolver"),
    "cusparse": ("cusparse", "nvidia-cusparse"),
    "nvJitLink": ("nvjitlink", "nvidia-nvjitlink"),
    "nvToolsExt": ("nvtx", "nvidia-nvtx"),
    "npp": ("npp", "nvidia-npp"),
    "nvjpeg": ("nvjpeg", "nvidia-nvjpeg"),
}
_APART = {
    "cudnn": ("cudnn", "nvidia-cudnn"),
    "nccl": ("nccl", "nvidia-nccl"),
    "cusparseLt": ("cusparselt", "nvidia-cusparselt"),
    "nvshmem_host": ("nvshmem", "nvidia-nvshmem"),
}
_ONE_BEHIND = {"cufft", "cufftw"}
"""Libraries whose own major number is one less than the release's."""
_CUSOLVER = {"cusolver", "cusolverMg"}
"""One less too since CUDA 12; that of CUDA 11 has 11 as well."""
_OWN_NUMBERS = {"cusparse", "curand", "cufile", "nvToolsExt"}
"""Libraries whose major number does not tell the release."""

_CUDA_DRIVER = re.compile(r"lib(cuda|nvidia-ml|nvcuvid|nvidia-encode)\.so\.1")
_DRIVER_LOADERS = frozenset(("libOpenCL.so.1", "libze_loader.so.1", "libvulkan.so.1"))
"""Installed with a device's driver, to find it."""

_PART = re.compile(r"nvidia-cuda-|nvidia-(nvvm|nvfatbin|nvptxcompiler|nvml-dev|cudla)$")
"""Parts of the toolkit that bring no library that programs link."""
_NAMED = re.compile(rf"{_PART.pattern}|nvidia-.+-cu\d+$|cuda-toolkit$")
"""Those, and NVIDIA's distributions for one CUDA release."""

TOOLKIT = "cuda-toolkit"
"""A distribution of no files: each of its extras requires a part of the toolkit, in one release's version."""
_EXTRAS = {
    "cudart": "nvidia-cuda-runtime",
    "cupti": "nvidia-cuda-cupti",
    "nvrtc": "nvidia-cuda-nvrtc",
    **{part: f"nvidia-{part}" for part in ("cublas", "cufft", "cufile", "curand", "cusolver", "cusparse")},
    **{part: f"nvidia-{part}" for part in ("npp", "nvjitlink", "nvjpeg", "nvtx")},
}
"""Those that bring libraries; `all` brings every one."""

CUDA_RELEASES = (11, 12, 13)
_RELEASE_13_FOLDER = "nvidia/cu13/lib"
"""Shared by all distributions of CUDA 13."""


@dataclass(frozen=True)
class CudaLibrary:
    """A CUDA runtime library: folders below site-packages that may hold it, distributions that bring it.

    `releases` are the CUDA releases that it may be of, by their major numbers.
    """

    soname: str
    releases: tuple[int, ...]
    folders: tuple[str, ...]
    distributions: tuple[str, ...]

    @property
    def is_copy(self) -> bool:
        """Whether auditwheel gave it that name when it copied it into a wheel: no distribution brings it so."""
        return without_hash(self.soname) != self.soname

    def folders_of(self, release: int | None) -> tuple[str, ...]:
        """The folders that may hold it in one release; all of them if the release is not known."""
        if release is None or len(self.folders) < 2:
            return self.folders
        return tuple(folder for folder in self.folders if (folder == _RELEASE_13_FOLDER) == (release >= 13))


def is_cuda_driver(soname: str) -> bool:
    """Whether the library comes with NVIDIA's driver."""
    return _CUDA_DRIVER.fullmatch(soname) is not None


def is_driver(soname: str) -> bool:
    """Whether the library comes with some device's driver, which no wheel can bring."""
    return is_cuda_driver(soname) or soname in _DRIVER_LOADERS


def cuda_library(soname: str) -> CudaLibrary | None:
    """What is known of a CUDA runtime library by its SONAME, None for any other library.

    Releases for which nothing is published as wheels (10 and before) give empty folders.
    """
    match = _LIBRARY.match(without_hash(soname))
    if match is None:
        return None
    stem = re.sub(r"^npp[a-z]+$", "npp", match["stem"])
    family = re.sub(r"_(engines|ops|graph|heuristic|cnn|adv).*", "", stem) if stem.startswith("cudnn_") else stem
    if (apart := _APART.get(family)) is not None:
        folder, distribution = apart
        names = tuple(f"{distribution}-cu{release}" for release in CUDA_RELEASES)
        return CudaLibrary(soname, CUDA_RELEASES, (f"nvidia/{folder}/lib",), names)
    if (toolkit := _TOOLKIT.get(stem)) is None:
        return None
    folder, distribution = toolkit
    releases = _releases(stem, int(match["major"]))
    folders = (_RELEASE_13_FOLDER if release >= 13 else f"nvidia/{folder}/lib" for release in releases)
    names = tuple(distribution if release >= 13 else f"{distribution}-cu{release}" for release in releases)
    return CudaLibrary(soname, releases, tuple(dict.fromkeys(folders)), names)


def _releases(stem: str, major: int) -> tuple[int, ...]:
    if stem in _OWN_NUMBERS:
        return CUDA_RELEASES
    if stem in _CUSOLVER:
        return {11: (11, 12), 12: (13,)}.get(major, ())
    release = major + 1 if stem in _ONE_BEHIND else major
    return (release,) if release in CUDA_RELEASES else ()


def toolkit_brings(extras: Iterable[str], releases: Iterable[int]) -> frozenset[str]:
    """What `cuda-toolkit` with these extras requires, in a version of one of the CUDA releases."""
    chosen = {extra.lower() for extra in extras}
    parts = [name for extra, name in _EXTRAS.items() if extra in chosen or "all" in chosen]
    return frozenset(name if release >= 13 else f"{name}-cu{release}" for name in parts for release in releases)


def is_cuda_distribution(name: str) -> bool:
    """Whether a canonical distribution name is one of NVIDIA's CUDA wheels."""
    bases = {distribution for _, distribution in (*_TOOLKIT.values(), *_APART.values())}
    return name in bases or _NAMED.match(name) is not None


def is_placeholder(name: str) -> bool:
    """Whether the distribution of that canonical name was published without a file, to keep the name."""
    base = name.removesuffix("-cu13")
    if base == name:
        return name in {distribution for _, distribution in _APART.values()}
    return base in {distribution for _, distribution in _TOOLKIT.values()} or _PART.match(base) is not None
