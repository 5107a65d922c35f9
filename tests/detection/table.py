"""The result of planting faults, for people."""

from __future__ import annotations

from orchestrator.report.model import Verdict
from tests.detection.detect import Detection
from tests.detection.fault import Harmless


def show(found: Detection, *, verbose: bool = False) -> int:
    """Print one line a fault and all that is wrong; the exit code: 0 if every fault was caught and no wheel wrongly."""
    unclean = 0
    for ground, checks in found.clean.items():
        failing = {id_: seen for id_, seen in checks.items() if seen.verdict is Verdict.FAIL}
        passing = sum(seen.verdict is Verdict.PASS for seen in checks.values())
        print(f"clean: {ground}: {passing} checks pass, {len(failing)} fail")
        for id_, seen in failing.items():
            print(f"    {id_}: {seen.texts[0]}")
        unclean += bool(failing)
    for ground, why in found.broken.items():
        print(f"clean: {ground}: {why}")
    width = max(len(one.fault.name) for one in found.outcomes)
    for one in found.outcomes:
        verdict = "WRONG " if not one.caught else "quiet " if isinstance(one.fault, Harmless) else "caught"
        print(f"{verdict}  {one.fault.name:{width}}  {','.join(one.fault.owners)}".rstrip())
        for line in one.wrong:
            print("    " + line.replace("\n", "\n        "))
        if verbose:
            for owner in one.fault.owners:
                for text in one.checks[owner].texts if owner in one.checks else ():
                    print(f"    {owner}: " + text.replace("\n", "\n        "))
    quiet = [one.caught for one in found.outcomes if isinstance(one.fault, Harmless)]
    caught = [one.caught for one in found.outcomes if not isinstance(one.fault, Harmless)]
    told = f", {sum(quiet)} of {len(quiet)} harmless edits change nothing" if quiet else ""
    print(f"{sum(caught)} of {len(caught)} faults caught by their checks alone{told}, in {found.batches} batches")
    return 0 if all(quiet) and all(caught) and not unclean and not found.broken else 1
