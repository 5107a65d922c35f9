"""Where NVIDIA's published runtime wheels put each CUDA library.

Read from the wheels themselves: packages of CUDA 11 and 12 have one folder each and
`-cu11` or `-cu12` in their name; those of CUDA 13 share `nvidia/cu13/lib` and carry no suffix, but for a few that are
versioned apart from the toolkit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_ONE_BEHIND = {"cufft", "cufftw", "cusolver", "cusolverMg"}
"""Libraries whose own major number is one less than the release's."""
_OWN_NUMBERS = {"cusparse", "curand", "cufile", "nvToolsExt"}
"""Libraries whose major number does not tell the release."""

_CUDA_DRIVER = re.compile(r"lib(cuda|nvidia-ml|nvcuvid|nvidia-encode)\.so\.1")
_DRIVER_LOADERS = frozenset(("libOpenCL.so.1", "libze_loader.so.1", "libvulkan.so.1"))
"""Installed with a device's driver, to find it."""

_NAMED = re.compile(r"nvidia-cuda-|nvidia-.+-cu\d+$|nvidia-nvvm$|cuda-toolkit$")
"""Parts of the toolkit, and NVIDIA's distributions for one CUDA release."""

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
    match = _LIBRARY.match(soname)
    if match is None:
        return None
    stem = re.sub(r"^npp[a-z]+$", "npp", match["stem"])
    family = re.sub(r"_(engines|ops|graph|heuristic|cnn|adv).*", "", stem) if stem.startswith("cudnn_") else stem
    if (apart := _APART.get(family)) is not None:
        folder, distribution = apart
        names = tuple(f"{distribution}-cu{release}" for release in CUDA_RELEASES)
        return CudaLibrary(soname, CUDA_RELEASES, (f"nvidia/{folder}/lib",), (*names, distribution))
    if (toolkit := _TOOLKIT.get(stem)) is None:
        return None
    folder, distribution = toolkit
    releases = _releases(stem, int(match["major"]))
    folders = (_RELEASE_13_FOLDER if release >= 13 else f"nvidia/{folder}/lib" for release in releases)
    bare = (distribution,) if 13 in releases else ()
    named = tuple(f"{distribution}-cu{release}" for release in releases)
    # CUDA 13's packages carry no suffix; a few of the same name with one are published too.
    names = (*bare, *named) if releases == (13,) else (*named, *bare)
    return CudaLibrary(soname, releases, tuple(dict.fromkeys(folders)), names)


def _releases(stem: str, major: int) -> tuple[int, ...]:
    if stem in _OWN_NUMBERS:
        return CUDA_RELEASES
    release = major + 1 if stem in _ONE_BEHIND else major
    return (release,) if release in CUDA_RELEASES else ()


def is_cuda_distribution(name: str) -> bool:
    """Whether a canonical distribution name is one of NVIDIA's CUDA wheels."""
    bases = {distribution for _, distribution in (*_TOOLKIT.values(), *_APART.values())}
    return name in bases or _NAMED.match(name) is not None
