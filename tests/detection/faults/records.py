"""Faults of the CPU wheel in its tags, versions, RECORD and names of members."""

from __future__ import annotations

from tests.detection.edits import table
from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import (
    METADATA,
    PROFILER,
    clash,
    doubled,
    elf,
    folder_entry,
    lists_absent,
    other_processor,
    platform,
    replaced,
    unlisted,
    unsafe_name,
    wrong_hash,
)

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="library for another processor",
        owners=("J1",),
        says="is built for aarch64, the wheel is tagged manylinux_2_28_x86_64",
        edit=elf(PROFILER, lambda data: elf_edit.machine(data, elf_edit.EM_AARCH64)),
    ),
    Fault(
        name="tag of another processor",
        owners=("J1",),
        says="is tagged for aarch64, its row for x86_64",
        edit=other_processor,
    ),
    Fault(
        name="tag of another Python",
        owners=("J8",),
        says="is tagged cp313-cp313, its row is for cp311",
        edit=lambda draft: draft.retag("cp313-cp313-manylinux_2_28_x86_64"),
    ),
    Fault(
        name="tag of the stable ABI without a word of the recipe",
        owners=("J8",),
        says="its recipe names no matrix.stable-abi",
        edit=lambda draft: draft.retag("cp311-abi3-manylinux_2_28_x86_64"),
    ),
    Fault(
        name="tag of one Python where the recipe says stable ABI",
        owners=("J8",),
        says="its recipe says that one wheel serves all from Python 3.11 on: cp311-abi3",
        recipe=table("matrix", stable_abi="3.11"),
    ),
    Fault(
        name="tag of an older system",
        owners=("J5",),
        says="promised to run on manylinux_2_5_x86_64",
        edit=platform("manylinux_2_5_x86_64"),
    ),
    Fault(
        name="tag of any system",
        unasked=("J1", "J4", "J8"),
        owners=("K4",),
        says="an ELF file in a wheel tagged 'any'",
        edit=lambda draft: draft.retag("py3-none-any"),
    ),
    Fault(
        name="WHEEL has another tag",
        owners=("J7",),
        says="its Tag lines are not the file name's tags",
        edit=lambda draft: draft.tag_lines("cp312-cp312-linux_x86_64"),
    ),
    Fault(
        name="wrong hash in RECORD",
        owners=("J7",),
        says="its content has another hash than RECORD says",
        edit=wrong_hash,
    ),
    Fault(name="file that RECORD lacks", owners=("J7",), says="in the archive and not listed in RECORD", edit=unlisted),
    Fault(
        name="RECORD lists an absent file",
        owners=("J7",),
        says="listed in RECORD and not in the archive",
        edit=lists_absent,
    ),
    Fault(
        name="METADATA has another version",
        owners=("J6",),
        says="says version 9.1.2.0+cpu, the file name says 1.2.0+cpu",
        edit=replaced(METADATA, "\nVersion: ", "\nVersion: 9."),
    ),
    Fault(
        name="version.py has another version",
        owners=("J6",),
        says="says version 9.1.2.0+cpu, the file name says 1.2.0+cpu",
        edit=replaced("minirt/version.py", '__version__ = "', '__version__ = "9.'),
    ),
    Fault(name="folder entry", owners=("K11",), says="a folder entry in .dist-info", edit=folder_entry),
    Fault(name="name twice", owners=("K11",), says="2 members have this name", edit=doubled),
    Fault(name="names that differ in case", owners=("K11",), says="differs from another name only in case", edit=clash),
    Fault(
        name="name that climbs", owners=("K11",), says="the name climbs out of its folder with '..'", edit=unsafe_name
    ),
)
"""Faults of the CPU wheel in its tags, versions, RECORD and names of members."""
