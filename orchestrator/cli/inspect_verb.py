"""`inspect`: any wheel without a recipe; without an engine too, unless its CMake packages are to be tried."""

from __future__ import annotations

import argparse

from orchestrator.cli.bundling import bundle_asked
from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.given import given_of, judged
from orchestrator.cli.inspecting import judge_any, try_in_containers
from orchestrator.cli.run_context import new_run
from orchestrator.cli.wheel_argument import as_published, find_wheel, row_of
from orchestrator.console import get_console
from orchestrator.plan.select import interpreter_tag
from orchestrator.processor import native_arch
from orchestrator.wheel.read import read_wheel


def run(options: argparse.Namespace) -> int:
    """Judge one wheel and return the exit code."""
    engine_addresses(options.engines)  # refuses wrong words before anything is fetched
    arch = options.arch or native_arch()
    published = as_published(options.wheel)
    path = find_wheel(options.wheel, python=interpreter_tag(options.python), arch=arch)
    run_ = new_run()
    wheel = read_wheel(path)
    row = row_of(wheel, arch=arch, python=interpreter_tag(options.python))
    with get_console().row(row.id):
        report = judge_any(wheel, row)
        if options.probe:
            # Imported here: an inspection without containers must not wait for the engine's client to load.
            from orchestrator.cli.workshop import workshop
            from orchestrator.store.store import Store

            with workshop(
                run_, Store.default(), policy=options.policy, keep=options.keep, gpus=None, engines=options.engines
            ) as shop:
                report = try_in_containers(shop, wheel, row, report, run_.row_folder(row.id))
    given = judged(given_of("inspect", options, run_), wheel, run_, published=options.wheel if published else "")
    report = report.model_copy(update={"given": given})
    return run_.finish([report], as_json=options.json, bundle=bundle_asked(options))
