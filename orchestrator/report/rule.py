"""What a check says: in words whichever table it stands in, about what it finds, and in a report."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.console import visible
from orchestrator.report.model import CheckRecord, Note, Verdict


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, about one subject."""

    subject: str
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A check's id, its name and its texts.

    `asserts` is what holds where it passes, `fix` what to do where it fails, `why` what really goes wrong
    without it: whole sentences.  `about` names what it is asked of, `source` who makes the rule.
    """

    id: str
    name: str
    asserts: str
    about: str
    fix: str
    why: str
    source: str

    def record(
        self,
        verdict: Verdict,
        subject: str,
        reason: str,
        evidence: tuple[str, ...] = (),
        *,
        environment: str | None = None,
        seconds: float = 0.0,
    ) -> CheckRecord:
        """The check's verdict for a report; names in it cannot steer a terminal."""
        return CheckRecord(
            id=self.id,
            name=self.name,
            subject=visible(subject, one_line=True),
            environment=environment,
            verdict=verdict,
            reason=visible(reason, one_line=True),
            evidence=tuple(visible(line, one_line=True) for line in evidence),
            fix=self.fix if verdict is Verdict.FAIL else "",
            seconds=seconds,
        )

    def note(self, subject: str, text: str) -> Note:
        """An observation of the check without a verdict; likewise."""
        return Note(id=self.id, subject=visible(subject, one_line=True), text=visible(text, one_line=True))
