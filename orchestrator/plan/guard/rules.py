"""The table of what is asked of a release matrix and of the policy, by catalogue id."""

from __future__ import annotations

from orchestrator.report.rule import Rule

_SOURCE = "this project's catalogue"

POLICY_ROWS = Rule(
    id="A1",
    name="policy-rows",
    asserts="Only rows that the policy names are left; what it does not name is dropped, and said.",
    about="matrices that are filtered",
    fix="Add to policy.toml what shall be published.",
    why="A list of what to leave out let a row for a Python through that nobody had thought of.",
    source=_SOURCE,
)
COMPLETE = Rule(
    id="A2",
    name="complete",
    asserts="Every row that the policy names is there, once.",
    about="matrices that are filtered for a release",
    fix="Let the generator offer what is missing once, or take it out of policy.toml knowingly.",
    why="A generator stopped offering a combination: nine wheels came out instead of twelve, and all was green.",
    source=_SOURCE,
)
VARIANTS_THERE = Rule(
    id="A3",
    name="variants-there",
    asserts="No CUDA version of the policy is absent altogether.",
    about="matrices that are filtered for a release",
    fix="Let the generator offer that version, or take it out of policy.toml knowingly.",
    why="A version that was missing for every Python was read as trouble with the Pythons.",
    source=_SOURCE,
)
NOT_EMPTY = Rule(
    id="A4",
    name="not-empty",
    asserts="The matrix has rows, and some are the policy's.",
    about="matrices that are filtered",
    fix="Look at what the generator was asked for, and at --arch.",
    why="A workflow whose matrix was empty had no job, and was green.",
    source=_SOURCE,
)
READABLE = Rule(
    id="A5",
    name="matrix-readable",
    asserts='The matrix is JSON of the form {"include": [...]}, and each of its rows has the fields that name it.',
    about="matrices that are filtered",
    fix="Give what the generator printed, whole and unchanged.",
    why="Half of a matrix that could not be read whole was released as if it were all of it.",
    source="RFC 8259; GitHub Actions, workflow syntax: jobs.<job_id>.strategy.matrix.include",
)
ONE_FOR_PULL_REQUESTS = Rule(
    id="A6",
    name="one-row",
    asserts="A pull request gets exactly one row: the policy's, or the nearest that is no newer where there is one.",
    about="matrices that are filtered for a pull request",
    fix="Let the generator offer a row of the policy for the processor of its pull requests.",
    why="A choice of the newest CUDA took one that no machine could run; and when the wanted version fell off the "
    "list, every pull request broke.",
    source=_SOURCE,
)
REFUSED_FAMILIES = Rule(
    id="A7",
    name="refused-families",
    asserts="No row is of a family that the policy refuses.",
    about="matrices that are filtered, where the policy refuses families",
    fix="Do not ask the generator for this family, or publish it and take it out of policy.toml.",
    why="A family that is published nowhere was reported as a filter that left nothing.",
    source=_SOURCE,
)
POLICY_FITS = Rule(
    id="A8",
    name="policy-fits",
    asserts="The recipe has every row that its policy names, and the row of a pull request is one of a release.",
    about="recipes with a policy",
    fix="Correct policy.toml, or give the recipe the row.",
    why="A list that tests derived from the published one shrank with it: a CUDA version was removed, and fourteen "
    "tests stayed green.",
    source=_SOURCE,
)
NAMES_AGREE = Rule(
    id="A9",
    name="names-agree",
    asserts="All names of a row say the same of it: without CUDA, or with a CUDA version that can be read.",
    about="matrices that are filtered",
    fix="Correct the generator: gpu_arch_type, gpu_arch_version, desired_cuda and build_name must agree.",
    why="A CPU wheel was published in the index of a CUDA version; and digits alone made CUDA 13.2 of rocm13.2.",
    source=_SOURCE,
)
ALL_OR_NOTHING = Rule(
    id="A22",
    name="all-or-nothing",
    asserts="Whatever the matrix holds, the filter refuses it or returns the whole policy.",
    about="this project's filter",
    fix="Keep the matrix that the test shows, and correct the filter.",
    why="A damaged matrix became a release that lacked some of its wheels.",
    source=_SOURCE,
)

MATRIX_RULES = (
    POLICY_ROWS,
    COMPLETE,
    VARIANTS_THERE,
    NOT_EMPTY,
    READABLE,
    ONE_FOR_PULL_REQUESTS,
    REFUSED_FAMILIES,
    POLICY_FITS,
    NAMES_AGREE,
)
"""Asked of a given matrix, or of a policy.  `ALL_OR_NOTHING` is asked by tests, of matrices made at random."""
