"""A CUDA toolkit of small files, laid out and locked as the real ones are."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.store.debian.lock import Package, format_lock
from orchestrator.store.store import Store
from tests.support.index import Index

NEWER = {"nvidia-cuda-nvcc": "13.0.88", "nvidia-cuda-crt": "13.0.88", "nvidia-nvvm": "13.0.88",
         "nvidia-cuda-runtime": "13.0.96", "nvidia-cuda-cccl": "13.0.85"}  # fmt: skip
OLDER = {"nvidia-cuda-nvcc-cu12": "12.6.85", "nvidia-cuda-runtime-cu12": "12.6.77", "nvidia-cuda-cccl-cu12": "12.6.77"}
FILES = {
    "nvidia-cuda-nvcc": {"nvidia/cu13/bin/nvcc": b"nvcc", "nvidia/cu13/bin/nvcc.profile": b"profile"},
    "nvidia-cuda-runtime": {"nvidia/cu13/lib/libcudart.so.13": b"runtime", "nvidia/cu13/include/cuda.h": b"cuda"},
    "nvidia-cuda-nvcc-cu12": {"nvidia/cuda_nvcc/bin/ptxas": b"ptxas", "nvidia/cuda_nvcc/__init__.py": b""},
    "nvidia-cuda-runtime-cu12": {
        "nvidia/cuda_runtime/lib/libcudart.so.12": b"runtime",
        "nvidia/cuda_runtime/include/__init__.py": b"",
    },
}
FRONT_END = {
    "usr/lib/nvidia-cuda-toolkit/bin/nvcc": b"nvcc",
    "usr/lib/nvidia-cuda-toolkit/bin/cicc": b"cicc",
    "usr/lib/nvidia-cuda-toolkit/bin/crt/link.stub": b"link",
    "usr/lib/nvidia-cuda-toolkit/bin/crt/prelink.stub": b"prelink",
    "usr/bin/cudafe++": b"cudafe++",
    "usr/bin/fatbinary": b"fatbinary",
    "usr/bin/nvlink": b"nvlink",
    "usr/bin/ptxas": b"another ptxas",
}


def wheel(name: str, version: str, files: Mapping[str, bytes]) -> bytes:
    """A wheel with these files; what lies in a folder `bin` is executable."""
    about = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in {**files, **metadata}.items():
            info = zipfile.ZipInfo(path)  # of a fixed time: the same wheel has the same bytes
            info.external_attr = (0o100744 if path.endswith(("nvcc", "ptxas")) else 0o100664) << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def debian_package(folder: Path, files: Mapping[str, bytes], version: str = "12.4.131~12.4.1-2") -> Path:
    """A Debian package with these files, executable where they are programs."""
    tree = folder / "tree"
    for name, data in files.items():
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o644 if name.endswith(".stub") else 0o755)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "control").write_text(
        f"Package: nvidia-cuda-toolkit\nVersion: {version}\nArchitecture: amd64\n"
        "Maintainer: Nobody <nobody@example.org>\nDescription: small\n"
    )
    path = folder / "package.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, path], check=True, capture_output=True)
    shutil.rmtree(tree)
    return path


def lock(
    folder: Path,
    train: str,
    versions: Mapping[str, str],
    index: Index | None = None,
    *,
    other: str | None = None,
    more: Mapping[str, bytes] | None = None,
) -> Path:
    """The folder of locks, with one of these parts; their wheels are published if an index is given.

    With `other`, a processor, the runtime has a wheel for that one too, which holds `more` besides.
    """
    locks = folder / "toolchains"
    locks.mkdir(exist_ok=True)
    lines = []
    for name, version in versions.items():
        files = {"x86_64": FILES.get(name, {})}
        if other and "runtime" in name:
            files[other] = {**_of(other, FILES[name]), **(more or {})}
        hashes = []
        for arch, content in files.items():
            data = wheel(name, version, content)
            hashes.append(f"--hash=sha256:{hashlib.sha256(data).hexdigest()}")
            if index:
                index.publish(name, f"{name.replace('-', '_')}-{version}-py3-none-manylinux2014_{arch}.whl", data)
        lines.append(f"{name}=={version} {' '.join(hashes)}\n")
    (locks / f"cuda-{train}.lock").write_text("".join(lines))
    return locks


def _of(arch: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files, of which libraries differ by processor."""
    return {path: data + f" of {arch}".encode() if "/lib/" in path else data for path, data in files.items()}


def debian_lock(folder: Path, train: str, version: str = "12.4.131~12.4.1-2", store: Store | None = None) -> None:
    """The Debian lock of a train's front end; the package is put into the store if one is given."""
    debian = folder / "debian"
    debian.mkdir(exist_ok=True)
    sha256, size = "a" * 64, 1
    if store:
        path = debian_package(folder, FRONT_END, version)
        sha256, size = store.add_file(path), path.stat().st_size
    package = Package("nvidia-cuda-toolkit", version, sha256, size, f"pool/nvidia-cuda-toolkit_{version}_amd64.deb")
    (debian / f"cuda-{train}.amd64.lock").write_text(format_lock([package]))
    (debian / f"cuda-{train}.toml").write_text(
        'suite = "trixie"\ncomponent = "non-free"\npackages = ["nvidia-cuda-toolkit"]\n'
    )
