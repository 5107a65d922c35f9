"""`reproduce`: from a report or a bundle, what failed is tried again with the same inputs."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.output import print_json, standard_output
from orchestrator.cli.run_context import new_run
from orchestrator.console import get_console
from orchestrator.errors import EXIT_PASS, FetchError, UsageError
from orchestrator.report.hidden import without_secrets
from orchestrator.report.literal import literal
from orchestrator.report.model import Note, RowReport, Verdict
from orchestrator.reproduce.bundle import open_bundle
from orchestrator.reproduce.choose import Chosen, choose
from orchestrator.reproduce.model import NOTE, Answer
from orchestrator.secrets import secrets
from orchestrator.store.git.mirrors import read_mirrors
from orchestrator.store.store import Store

_MOST_EVIDENCE = 12

SAID = {
    "same": "The failure came back the same.",
    "other": "It still does not pass, but not for the same reason.",
    "gone": "The failure is gone: it passes now.",
}


def run(options: argparse.Namespace) -> int:
    """Try one failure again and return the exit code: 0 if it is gone, else that of its kind."""
    engines = tuple(engine_addresses(options.engines))  # refuses wrong words before anything is read
    if options.shell and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--shell needs a terminal, and standard input or output is none.", advice="Leave it out.")
    bundle = open_bundle(Path(options.report))
    chosen = choose(bundle.report, row=options.row, check=options.check, environment=options.environment)
    _require_pinned(chosen.row, options.pinned)
    given = chosen.row.given
    if given is None:
        raise UsageError(f"The report does not say what {chosen.row.row} depended on.")
    # Imported here: what is refused must not wait for the engine's client and the checks to load.
    from orchestrator.cli.reproducing import Reproduction
    from orchestrator.cli.workshop import workshop
    from orchestrator.reproduce.compare import compare
    from orchestrator.reproduce.restore import Instead, Restoring

    mirrors = read_mirrors(options.mirrors, options.mirrors_file)
    source, wheel = (Path(word).resolve() if word else None for word in (options.source, options.wheel))
    if source is not None and not source.is_dir():
        raise UsageError(f"There is no folder '{options.source}'.", advice="--source names a checkout of the project.")
    store, run_ = Store.default(), new_run()
    with ExitStack() as stack:
        stack.callback(run_.remove_if_empty)
        folder = stack.enter_context(store.temporary("reproducing"))
        instead = Instead(recipe=options.recipe, source=source, wheel=wheel, mirrors=mirrors)
        again = Reproduction(
            chosen,
            Restoring(bundle, chosen.row, given, store, folder, instead, without=run_.outputs),
            store,
            run_,
            lambda: stack.enter_context(
                workshop(
                    run_,
                    store,
                    policy=given.policy,
                    keep=options.keep,
                    gpus=options.gpus,
                    engines=options.engines,
                    emulate=options.emulate or given.emulate,
                    mirrors=mirrors,
                    jobs=given.jobs,
                )
            ),
            closest=options.closest,
            shell=options.shell,
            from_step=options.from_step,
            gpus=options.gpus,
            engines=engines,
        )
        get_console().message(f"again: {_title(chosen)}")
        tried = again.tried()
    if options.shell:
        for one in again.differences:
            get_console().message(f"differs: {one.text()}")
        return EXIT_PASS
    report = without_secrets(tried.report, secrets())  # as that of then is
    now = again.now(report)
    outcome, details = compare(again.before, now)
    answer = Answer(
        outcome=outcome,
        row=chosen.row.row,
        check=chosen.check,
        environment=chosen.environment,
        details=details,
        before=again.before,
        now=now,
        differences=tuple(again.differences),
        report=str(run_.folder),
    )
    report = report.model_copy(update={"notes": (*report.notes, *_notes(answer))})
    code = EXIT_PASS if outcome == "gone" else tried.exit
    run_.finish([report], as_json=False, broken=code, quiet=True)
    if options.json:
        print_json(answer.model_dump(mode="json"))
    else:
        show(answer)
    return code


def show(answer: Answer) -> None:
    """Print the answer for people: what came of it, why, and with which other inputs."""
    with standard_output() as console:
        for line in _lines(answer):
            console.print(literal(line), soft_wrap=True)


def _lines(answer: Answer) -> list[str]:
    lines = [f"{answer.outcome}: {SAID[answer.outcome]}"]
    where = "the bundle" if answer.outcome == "gone" else "the new report"
    for one in answer.now if answer.outcome != "gone" else answer.before:
        if one.verdict is not Verdict.PASS:
            then = "then: " if answer.outcome == "gone" else ""
            lines.append(f"  {then}{one.id} {one.name}: {one.subject}: {one.reason}")
            said = [line for text in one.evidence for line in text.splitlines()]
            lines += [f"    {line}" for line in said[:_MOST_EVIDENCE]]
            if len(said) > _MOST_EVIDENCE:
                lines.append(f"    ... {len(said) - _MOST_EVIDENCE} more lines in {where}")
    lines += [f"  {line}" for line in answer.details]
    lines += [f"differs: {one.text()}" for one in answer.differences]
    return lines


def _notes(answer: Answer) -> tuple[Note, ...]:
    """The answer as the new report has it."""
    subject = answer.check if answer.environment is None else f"{answer.check} in {answer.environment}"
    texts = [f"{answer.outcome}: {SAID[answer.outcome]}", *answer.details]
    texts += [f"differs: {one.text()}" for one in answer.differences]
    return tuple(Note(id=NOTE, subject=subject, text=text) for text in texts)


def _title(chosen: Chosen) -> str:
    first = chosen.records[0]
    where = f" in {chosen.environment}" if chosen.environment else ""
    return f"{first.id} {first.name} of {chosen.row.row}{where}"


def _require_pinned(row: RowReport, pinned: str | None) -> None:
    """Refuse another bundle than the one that the command was printed for.

    Raises:
        FetchError: the row's inputs have another digest.
    """
    if pinned is not None and not row.pinned.startswith(pinned.lower()):
        raise FetchError(
            f"This is not the run that was meant: {row.row} had other inputs in it.",
            detail=f"expected: {pinned}…\nfound:    {row.pinned}",
            advice="Give the bundle, or the report, of the run that printed the command; or leave --pinned out.",
        )
