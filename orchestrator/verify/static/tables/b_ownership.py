"""B: which library defines what."""

from __future__ import annotations

from orchestrator.verify.static import (
    b1_owned_once,
    b2_owner_present,
    b3_owner_defines,
    b4_complete,
    b6_readable,
    b7_extension_clean,
    b8_extension_needs,
    b9_extension_calls,
    b11_soname,
    b12_companions,
    b13_bundled_once,
    b16_no_duplicates,
)
from orchestrator.verify.static.tables.row import StaticCheck, has_libraries

CHECKS = (
    StaticCheck(
        id="B1",
        name="owned-once",
        asserts="Each owned symbol is defined once, by its owner; H7 answers for those of CUDA.",
        about="wheels whose recipe says what components own",
        fix="Link the owner instead of compiling or archiving its sources in again; of a library and its links, which "
        "archives make copies of, ship the one that is its SONAME, or list the others under [[tolerate]].",
        why="Two libraries that both carry the registry give one process two of them: what is registered in "
        "one is missing in the other. A count alone lets the symbol sit, once, in the wrong library.",
        source="ELF gABI, Dynamic Linking (shared object dependencies, symbol lookup)",
        applies=b1_owned_once.applies,
        check=b1_owned_once.check,
    ),
    StaticCheck(
        id="B2",
        name="owner-present",
        asserts="The library of every required component ships; H1 answers for those of CUDA.",
        about="wheels whose recipe declares components",
        fix="Build and install the component's library, or say in the recipe when it is required.",
        why="A folder fell out of the build, and a wheel without its library passed every check that looks only at "
        "what is there.",
        source="this project's catalogue",
        applies=b2_owner_present.applies,
        check=b2_owner_present.check,
    ),
    StaticCheck(
        id="B3",
        name="owner-defines",
        asserts="A component's library defines something of what it owns.",
        about="components that ship and own symbols",
        fix="Name in the recipe what the library exports, and see that it is not hidden or inline.",
        why="A symbol that was renamed or made inline has no definition left to count, so that the ownership "
        "check went on passing over nothing.",
        source="this project's catalogue",
        applies=b3_owner_defines.applies,
        check=b3_owner_defines.check,
    ),
    StaticCheck(
        id="B4",
        name="owner-complete",
        asserts="A component's library defines all that it owns.",
        about="components that ship and own symbols",
        fix="Find the source that is no longer compiled into the library.",
        why="The .cu files fell out of a target's sources; the library was still built, linked and shipped, "
        "without its device functions.",
        source="this project's catalogue",
        applies=b4_complete.applies,
        check=b4_complete.check,
    ),
    StaticCheck(
        id="B6",
        name="readable",
        asserts="Every ELF file can be read, and is what its name says.",
        about="wheels with ELF files, or files named like them",
        fix="Build the file again, and pack what the linker wrote; damaged or renamed files are not loaded.",
        why="A file that cannot be read has no symbols, which a check of symbols takes for 'defines nothing' "
        "and lets pass.",
        source="ELF gABI, ELF Header",
        applies=has_libraries,
        check=b6_readable.check,
    ),
    StaticCheck(
        id="B7",
        name="extension-clean",
        asserts="Extension modules define nothing of the SDK.",
        about="extension modules of a recipe with `[extension] defines-none`",
        fix="Link the module to the shared library, not to its archive or objects.",
        why="A module with the runtime linked in statically has its own registry: backends that C++ registers "
        "do not exist for Python. A list kept by hand knew 5 of 11 groups of symbols; this one is the recipe's.",
        source="this project's catalogue",
        applies=b7_extension_clean.applies,
        check=b7_extension_clean.check,
    ),
    StaticCheck(
        id="B8",
        name="extension-needs",
        asserts="Extension modules need the libraries that they used to contain.",
        about="extension modules of a recipe with `[extension] needs`",
        fix="Link the library with -Wl,--no-as-needed around it if only its registration is used.",
        why="The linker drops a library of which no symbol is used, and with it the constructors that register "
        "operators: nothing fails before a model misses one.",
        source="ld(1), --as-needed",
        applies=b8_extension_needs.applies,
        check=b8_extension_needs.check,
    ),
    StaticCheck(
        id="B9",
        name="extension-calls",
        asserts="What extension modules call is undefined in them.",
        about="extension modules of a recipe with `[extension] calls`",
        fix="Link the module to the library that owns the function.",
        why="A private copy with hidden visibility is in no table of exported symbols; only that the call is "
        "not undefined gives it away.",
        source="ELF gABI, Symbol Table (visibility)",
        applies=b9_extension_calls.applies,
        check=b9_extension_calls.check,
    ),
    StaticCheck(
        id="B11",
        name="soname-is-name",
        asserts="A component's SONAME is its file name, and no SONAME is a path.",
        about="components that ship, and libraries with a SONAME",
        fix="Set the SONAME with -Wl,-soname (CMake: OUTPUT_NAME, NO_SONAME off, no VERSION).",
        why="A program records the SONAME of what it links, not the file's name; recorded was a file that the "
        "wheel does not have, and the program did not start.",
        source="ELF gABI, Dynamic Section (DT_SONAME); ld.so(8)",
        applies=b11_soname.applies,
        check=b11_soname.check,
    ),
    StaticCheck(
        id="B12",
        name="companions",
        asserts="What accompanies a component's library ships if and only if the library does.",
        about="components of a recipe with `companions`",
        fix="Install the companion under the same condition as the library.",
        why="The stub that programs link for the CUDA delegate shipped in every wheel, those without the delegate too; "
        "programs linked, and did not start.",
        source="this project's catalogue",
        applies=b12_companions.applies,
        check=b12_companions.check,
    ),
    StaticCheck(
        id="B13",
        name="bundled-once",
        asserts="Bundled third-party code is defined once.",
        about="components that ship and bundle code",
        fix="Bundle it in one library and link the others to that one.",
        why="The wrapper of a thread pool was in one library, the pool behind it in two: two pools shared the "
        "processors in one process.",
        source="this project's catalogue",
        applies=b13_bundled_once.applies,
        check=b13_bundled_once.check,
    ),
    StaticCheck(
        id="B16",
        name="no-duplicates",
        asserts="No two libraries strongly define the same symbol.",
        about="wheels with a recipe and two libraries or more",
        fix="Hide the copy (-fvisibility=hidden, --exclude-libs), share it, or list it under [[tolerate]].",
        why="Published wheels hold duplicates that no list of owned symbols covers; which one is used depends "
        "on the order of loading, and each keeps its own state.",
        source="ELF gABI, Symbol Table (binding); ld.so(8)",
        applies=b16_no_duplicates.applies,
        check=b16_no_duplicates.check,
    ),
)
"""The strongest first."""
