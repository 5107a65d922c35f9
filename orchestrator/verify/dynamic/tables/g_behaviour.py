"""G: what components do beside running models."""

from __future__ import annotations

from orchestrator.verify.dynamic import g7_backend_names, g9_objects, g11_threads, g12_duplicate
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="G7",
        name="backends-by-name",
        asserts="Every backend that the row's components register is there under the name that the recipe gives it.",
        about="consumers of components that register backends",
        fix="Register the backend under the name that exported programs hold, or correct `registers` in the recipe.",
        why="Programs name their backend. A registration that the linker dropped, or that another one replaced, "
        "leaves a count that may still be right, and a model that does not load.",
        source="this project's catalogue",
        scope="environment",
        judge=g7_backend_names.judge,
        probes=g7_backend_names.probes,
        applies=g7_backend_names.applies,
    ),
    DynamicCheck(
        id="G9",
        name="objects-constructible",
        asserts="An object of each such component can be made in C++, by its library, and the program ends with 0.",
        about="components with `make-object` in the recipe",
        fix="Export the class: its constructor, destructor and what its virtual table names.",
        why="A profiler's library exported a helper and nothing of the class: that the library is there, and that the "
        "helper links, says nothing about the object that users need.",
        source="Itanium C++ ABI, virtual tables and key functions",
        scope="image",
        judge=g9_objects.judge,
        probes=g9_objects.probes,
        applies=g9_objects.applies,
    ),
    DynamicCheck(
        id="G11",
        name="one-thread-pool",
        asserts="A parallel loop is shared by more than one thread, and no thread of the process is of another pool.",
        about="recipes with [threads], on more than one processor",
        fix="Link every library to the one pool's library, and start threads nowhere else; see that its number of "
        "threads follows from the processors.",
        why="A delegate that brings its own pool doubles the threads, which then wait for each other; a loop that "
        "fell back to one thread gives right numbers late.",
        source="proc(5), /proc/self/task",
        scope="environment",
        judge=g11_threads.judge,
        probes=g11_threads.probes,
        applies=g11_threads.applies,
    ),
    DynamicCheck(
        id="G12",
        name="duplicate-registration-aborts",
        asserts="Registering an operator a second time aborts the process and names the operator.",
        about="consumers with `duplicate` in the recipe",
        fix="Refuse a name that is there already: print it, then abort().",
        why="Two libraries that carry one operator both load; if the second registration is taken, or ignored, "
        "which of the two computes depends on the order of loading.",
        source="POSIX.1-2017, abort()",
        scope="environment",
        judge=g12_duplicate.judge,
        probes=g12_duplicate.probes,
        applies=g12_duplicate.applies,
    ),
)
"""The strongest first."""
