"""A report of real size: two rows, sixty checks, five environments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from orchestrator.report.model import (
    CheckRecord,
    Given,
    ImageUse,
    LibraryFacts,
    Note,
    Pinned,
    RowReport,
    RunReport,
    SourcePin,
    StepRecord,
    Verdict,
    WheelFacts,
    row_verdict,
    run_verdict,
)
from orchestrator.report.reproduction import with_reproduction

ENVIRONMENTS = (
    "bookworm/cmake-3.24.3/make",
    "bookworm/cmake-3.24.3/ninja",
    "bookworm/cmake-4.4.5/make",
    "bookworm/cmake-4.4.5/ninja",
    "trixie/cmake-3.31.10/ninja",
)
LONG_PATH = "sdk/backends/" + "deeply/nested/folder/" * 5 + "libsdk_backend_with_a_long_name.so"
HOSTILE = "name\x1b[31m[bold]<b>`|\x00"

_STATIC = [f"B{n}" for n in range(1, 17)] + [f"C{n}" for n in (1, 2, 4, 5, 9)] + [f"J{n}" for n in (1, 5, 6, 7)]
_STATIC += [f"K{n}" for n in range(1, 13)] + ["H3", "H4", "H8"]
_DYNAMIC = [f"D{n}" for n in range(1, 17)] + ["E1", "E2", "G1", "G2", "G3", "G5"]


def sample_checks() -> list[CheckRecord]:
    """Mostly passes; failures that repeat over environments and over subjects; some not run."""
    checks = [
        CheckRecord(id=id_, name=f"rule-{id_.lower()}", subject="sdk/lib/libsdk.so", verdict=Verdict.PASS, reason="ok")
        for id_ in _STATIC
    ]
    checks += [
        CheckRecord(id=id_, name=f"rule-{id_.lower()}", subject="app", environment=e, verdict=Verdict.PASS, seconds=1.5)
        for id_ in _DYNAMIC
        for e in ENVIRONMENTS
    ]
    checks += [
        CheckRecord(
            id="C1",
            name="search-paths",
            subject=f"sdk/_ext{n}.so",
            verdict=Verdict.FAIL,
            reason="RUNPATH holds an absolute entry: '/builds/project/build/lib'",
            evidence=("RUNPATH: $ORIGIN/../lib:/builds/project/build/lib",),
            fix="Set BUILD_RPATH_USE_ORIGIN and INSTALL_RPATH to relative entries.",
        )
        for n in range(10)
    ]
    checks += [
        CheckRecord(
            id="D2",
            name="version-file",
            subject="find_package(sdk 2...<2.0)",
            environment=e,
            verdict=Verdict.FAIL,
            reason="a range that excludes the version was accepted",
            evidence=("CMake Warning at CMakeLists.txt:3 (find_package):",) * 14,
            fix="Write the version file with write_basic_package_version_file.",
        )
        for e in ENVIRONMENTS
    ]
    checks += [
        CheckRecord(
            id="E1",
            name="headers-alone",
            subject=LONG_PATH,
            environment=e,
            verdict=Verdict.FAIL,
            reason="does not compile alone",
            evidence=(f"{HOSTILE}: fatal error: re2/re2.h: No such file or directory",),
        )
        for e in ENVIRONMENTS[:2]
    ]
    checks.append(
        CheckRecord(
            id="K2",
            name="no-copies",
            subject="sdk/lib/libz.so",
            verdict=Verdict.FAIL,
            reason="a copy of libz.so.1",
            waived="needed by old loaders; until 2027-03-01",
        )
    )
    checks += [
        CheckRecord(
            id="H9", name="device-run", subject="app", environment=e, verdict=Verdict.NOT_RUN, reason="no device here"
        )
        for e in ENVIRONMENTS
    ]
    return checks


def sample_report() -> RunReport:
    """Two rows, one of which fails."""
    started = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
    digest = "sha256:" + "ab" * 32
    bad = tuple(sample_checks())
    good = tuple(check for check in bad if check.verdict is Verdict.PASS)
    rows = tuple(
        RowReport(
            row=f"sdk/cpu/x86_64/{python}",
            verdict=row_verdict(checks),
            wheel=WheelFacts(
                name=f"sdk-1.0+cpu-{python}-{python}-manylinux_2_28_x86_64.whl",
                sha256="cd" * 32,
                size=12_345_678,
                tag_claimed="manylinux_2_28_x86_64",
                tag_measured="manylinux_2_27_x86_64",
            ),
            images=(ImageUse(role="test", reference="bookworm:stand-in", digest=digest, origin="stand-in"),),
            toolchains=(Pinned(name="cmake", version="4.4.5", sha256="ef" * 32),),
            steps=(StepRecord(name="wheel", command="pip wheel .", seconds=61.0, exit=0),),
            checks=checks,
            notes=(Note(id="K12", subject="sdk/lib/libsdk.so", text="holds 1.2 MB of debug information"),),
        )
        for python, checks in (("cp311", bad), ("cp313", good))
    )
    return RunReport(
        run="20261130-040000-abcd",
        command="verify --recipe sdk dist/sdk.whl",
        started=started,
        finished=started + timedelta(seconds=83.25),
        verdict=run_verdict(rows),
        exit=1,
        tool="wheel-orchestrator 0.1.0",
        rows=rows,
    )


def whole_report(bundle: Path = Path("reports/20261130-040000-abcd/bundle.zip")) -> RunReport:
    """The same with all that a page shows: a composition, what was given, and commands that reproduce."""
    report = sample_report()
    given = Given(
        verb="build",
        code="12" * 32,
        recipe="sdk",
        revision="34" * 32,
        source=SourcePin(kind="git", name="https://example.org/sdk at 0123456789", sha256="56" * 32),
    )
    libraries = (
        LibraryFacts(
            path="sdk/lib/libsdk.so",
            sha256="78" * 32,
            size=1_234_567,
            machine="x86_64",
            soname="libsdk.so",
            needed=("libsdk_threads.so", "libstdc++.so.6", "libc.so.6"),
            search=("$ORIGIN",),
            search_kind="RUNPATH",
            owns=("sdk::register_backend", "sdk::run"),
            device_code=("sm_90", "compute_120"),
            exports=4321,
        ),
        LibraryFacts(
            path=LONG_PATH,
            sha256="9a" * 32,
            size=7_654_321,
            machine="x86_64",
            soname="libother.so.1",
            owns=tuple(f"sdk::function_{n}" for n in range(40)),
        ),
        LibraryFacts(path="sdk/lib/libhalf.so", sha256="bc" * 32, size=17, error="it ends within its first header"),
    )
    rows = tuple(row.model_copy(update={"given": given, "libraries": libraries}) for row in report.rows)
    return with_reproduction(report.model_copy(update={"rows": rows}), bundle)
