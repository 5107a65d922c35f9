"""The JSON Schema of what `diff --json` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestrator.diff.model import Diff

SCHEMA_FILE = Path(__file__).with_name("diff.schema.json")


def diff_schema() -> dict[str, Any]:
    """JSON Schema (2020-12)."""
    schema = Diff.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def diff_schema_text() -> str:
    """The content of the published schema file."""
    return json.dumps(diff_schema(), indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(diff_schema_text(), encoding="utf-8")
