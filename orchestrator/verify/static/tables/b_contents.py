"""B: which files ship, and whose symbols meet."""

from __future__ import annotations

from orchestrator.verify.static import (
    b5_tolerated_narrowly,
    b10_library_names,
    b14_members,
    b15_sentinels,
    b17_peers,
)
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS: tuple[StaticCheck, ...] = (
    StaticCheck(
        id="B5",
        name="tolerated-narrowly",
        asserts="A tolerated second copy is of one component, still there, and in no library that programs link.",
        about="libraries that ship and have a `[[tolerate]]` in the recipe",
        fix="Name the symbols of one component alone, and drop what no library needs any more.",
        why="A leave for one copy was written as a leave for the whole namespace: when the registry itself was "
        "linked in a second time, the checks for that had been switched off.",
        source="this project's catalogue",
        applies=b5_tolerated_narrowly.applies,
        check=b5_tolerated_narrowly.check,
    ),
    StaticCheck(
        id="B10",
        name="library-names",
        asserts="The SDK's library folders hold the components' libraries, by their whole names, and no others.",
        about="wheels of a recipe with `[libraries]`",
        fix="Empty the staging folder before the build installs into it, or list the library under libraries.others; "
        "of a folder that holds none, correct libraries.folders.",
        why="A staging folder that an earlier build had filled was packed as it was: three libraries of another "
        "version shipped, and nothing looked for what nobody had asked for.",
        source="this project's catalogue",
        applies=b10_library_names.applies,
        check=b10_library_names.check,
    ),
    StaticCheck(
        id="B14",
        name="members",
        asserts="What must ship does, and what must not ship does not.",
        about="wheels of a recipe with `[[member]]`",
        fix="Correct what the build installs; see the reason that the recipe gives.",
        why="The libraries of a vendor's SDK, which may not be passed on and are larger than the wheel, lay in the "
        "folder that was packed; and the module that uses them had been left out in their place.",
        source="this project's catalogue",
        applies=b14_members.applies,
        check=b14_members.check,
    ),
    StaticCheck(
        id="B15",
        name="sentinels",
        asserts="What a component owns is named by strong symbols, and completely under `owns-all`.",
        about="components that ship and own symbols",
        fix="Name symbols that one source defines, not inline or template ones; add to owns what the reason names.",
        why="A weak definition is made wherever a header is used, so that it tells nothing of where the code is; "
        "and of a family of functions of which a sample was watched, the others were defined three times.",
        source="ELF gABI, Symbol Table (binding); Itanium C++ ABI, 5.2 (vague linkage)",
        applies=b15_sentinels.applies,
        check=b15_sentinels.check,
    ),
    StaticCheck(
        id="B17",
        name="peers",
        asserts="No symbol is exported here and by a package of the same process, except known ones.",
        about="wheels of a recipe with `[[peer]]`",
        fix="Hide the bundled code (-fvisibility=hidden, --exclude-libs, a version script) or rename its symbols; "
        "what does no harm goes into the recipe: peer.known, with peer.reason.",
        why="Two packages bundle the same C library in different versions and export it: the loader binds every call "
        "to whichever was loaded first, so that importing one before the other crashes.",
        source="ELF gABI, Dynamic Linking (symbol lookup); ld.so(8)",
        applies=b17_peers.applies,
        check=b17_peers.check,
    ),
)
"""The strongest first."""
