"""References that are wrong on purpose: a consumer that accepts one compares nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

from orchestrator.recipe.consumer import Model
from orchestrator.verify.outcome import Remark

_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


def without_control(folder: Path, models: Iterable[Model]) -> tuple[Remark, ...]:
    """Notes about models whose reference cannot be made wrong: no control shows that programs compare with it."""
    return tuple(
        Remark(model.name, f"{model.reference} is no text with numbers: no run shows that a wrong output is refused")
        for model in models
        if not doctored((folder / model.reference).read_bytes(), model.tolerance)
    )


def doctored(reference: bytes, tolerance: float) -> dict[str, str]:
    """The reference with its last number changed: `wrong` by far more than the tolerance, and `nan`.

    Empty for a file that is not text or holds no number: what the last number of a text is, is an
    expected output in every format whose outputs stand last.
    """
    try:
        text = reference.decode("ascii")
    except UnicodeDecodeError:
        return {}
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return {}
    last = numbers[-1]
    value = float(last.group())
    off = value + math.copysign(max(1.0, 1000 * tolerance, abs(value)), value)
    whole = last.group().lstrip("+-").isdigit()  # who reads whole numbers would not read another
    return {
        kind: text[: last.start()] + new + text[last.end() :]
        for kind, new in (("wrong", str(math.ceil(off)) if whole else repr(off)), ("nan", "nan"))
    }
