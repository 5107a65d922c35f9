"""The platform tag of a built wheel: measured from its symbols, never assumed from the image.

A row promises a policy (PEP 600).  A wheel that needs no more gets that policy's tag; one that
needs more keeps the honest, newer tag, and a check fails its row.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from orchestrator.build.repack import ZIP_EPOCH, rewrite_wheel
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.platform_tag import measure_tag, tag_glibc
from orchestrator.wheel.read import read_wheel


class TaggedWheel(NamedTuple):
    """A wheel under its final name.  `measured` is None where there is nothing to measure."""

    path: Path
    claimed: str
    measured: str | None


def measured_tag(wheel: Wheel, arch: str) -> str | None:
    """The oldest platform tag that the wheel's symbols allow on that processor; None without ELF files."""
    return measure_tag(wheel, arch) if wheel.libraries else None


def claimed_tag(measured: str, arch: str, ceiling: str) -> str:
    """The tag to claim: the row's, `ceiling` for `arch`, unless the wheel needs a newer one.

    `ceiling` has no processor, such as `manylinux_2_28`; `linux` is claimed whatever was measured (J4).
    """
    promised = f"{ceiling}_{arch}"
    if ceiling == "linux":
        return promised
    allowed, needed = tag_glibc(promised), tag_glibc(measured)
    if allowed is None:
        raise ValueError(f"'{ceiling}' is neither linux nor a manylinux policy")
    return promised if needed is not None and needed <= allowed else measured


def tag_wheel(
    path: Path, target: Path, *, arch: str, ceiling: str = "manylinux_2_28", source_date_epoch: int = ZIP_EPOCH
) -> TaggedWheel:
    """Measure the wheel and write it into the folder `target` under the tag that it may claim.

    A wheel without ELF files keeps its tags.  The new file is written by `rewrite_wheel`.

    Raises:
        WheelError: the wheel is damaged or unsafe to unpack.
        OSError: the new file cannot be written; nothing is left behind.
    """
    measured = measured_tag(read_wheel(path), arch)
    claim = None if measured is None else claimed_tag(measured, arch, ceiling)
    final = rewrite_wheel(path, target, platform_tag=claim, source_date_epoch=source_date_epoch)
    return TaggedWheel(final, final.stem.rpartition("-")[2], measured)
