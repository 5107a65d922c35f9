"""The result of planting faults, for people."""

from __future__ import annotations

from orchestrator.report.model import Verdict
from tests.detection.detect import Detection


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
        verdict = "caught" if one.caught else "WRONG"
        print(f"{verdict}  {one.fault.name:{width}}  {','.join(one.fault.owners)}")
        for line in one.wrong:
            print("    " + line.replace("\n", "\n        "))
        if verbose:
            for owner in one.fault.owners:
                for text in one.checks[owner].texts if owner in one.checks else ():
                    print(f"    {owner}: " + text.replace("\n", "\n        "))
    caught = sum(one.caught for one in found.outcomes)
    print(f"{caught} of {len(found.outcomes)} faults caught by their checks alone, in {found.batches} batches")
    return 0 if caught == len(found.outcomes) and not unclean and not found.broken else 1
