"""What the store remembers of an environment: verdicts, and what later environments take from it."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from orchestrator.report.model import CheckRecord, ImageUse, Note, Pinned, StepRecord
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.fileapi import CompileFlags
from orchestrator.verify.dynamic.findings import DynamicResult

KIND = "environment-verdicts"


@dataclass
class Made:
    """What consumers of an environment gave, for those that are asked after it.

    `flags` is how they compile; `program` the consumer that must run elsewhere, `running` the names of the
    models that it ran; `outputs` what it printed of each model's outputs.
    """

    flags: CompileFlags | None = None
    program: bytes | None = None
    running: tuple[str, ...] = ()
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Memory:
    """Verdicts by all that they depend on.

    `key` is a SHA-256 over what every environment shares: the wheel, its row, the recipe and the
    version of the checks.  Where `fresh`, nothing is recalled; all is remembered.  `holds` says whether the
    key is still that of what is read: what was made meanwhile is not remembered where it is not.
    """

    store: Store
    key: str
    fresh: bool = False
    holds: Callable[[], bool] = lambda: True

    def of(self, name: str, parts: Mapping[str, Any]) -> str:
        """The key of an environment: `parts` are what is its own, such as the digest of its image."""
        material = json.dumps({"key": self.key, "name": name, **parts}, sort_keys=True)
        return hashlib.sha256(material.encode()).hexdigest()

    def recall(self, key: str) -> tuple[DynamicResult, Made] | None:
        """What is remembered under that key, whole, or None; a record of another form counts as none."""
        value = None if self.fresh else self.store.get_ref(KIND, key)
        try:
            return None if value is None else self._read(value)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None

    def _read(self, value: Mapping[str, Any]) -> tuple[DynamicResult, Made] | None:
        made = value["made"]
        program = None
        if made["program"] is not None:
            blob = self.store.blob(made["program"], verify=True)
            if blob is None:
                return None
            program = blob.read_bytes()
        flags = made["flags"] and CompileFlags(
            tuple(made["flags"]["includes"]), tuple(made["flags"]["defines"]), made["flags"]["standard"]
        )
        result = DynamicResult(
            checks=tuple(map(CheckRecord.model_validate, value["checks"])),
            notes=tuple(map(Note.model_validate, value["notes"])),
            images=tuple(map(ImageUse.model_validate, value["images"])),
            toolchains=tuple(map(Pinned.model_validate, value["toolchains"])),
            inputs=tuple(map(Pinned.model_validate, value["inputs"])),
            steps=tuple(map(StepRecord.model_validate, value["steps"])),
        )
        return result, Made(flags, program, tuple(made["running"]), dict(made["outputs"]))

    def remember(self, key: str, result: DynamicResult, made: Made) -> None:
        """Keep what an environment answered, if the key still holds.

        Raises:
            FetchError: the store cannot be written.
        """
        if not self.holds():
            return
        program = made.program
        parts = {name: [one.model_dump(mode="json") for one in getattr(result, name)] for name in _PARTS}
        value = {
            **parts,
            "made": {
                "flags": asdict(made.flags) if made.flags else None,
                "program": None if program is None else self.store.add_stream(io.BytesIO(program), "a consumer"),
                "running": made.running,
                "outputs": made.outputs,
            },
        }
        self.store.put_ref(KIND, key, value)


_PARTS = ("checks", "notes", "images", "toolchains", "inputs", "steps")
