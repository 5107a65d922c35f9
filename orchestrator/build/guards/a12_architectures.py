"""A12: the row's architectures are set in the variable that the recipe names."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Equipped


def equipped(facts: Equipped) -> Answer | None:
    """The variable is read as a build would, and compared with the recipe."""
    plan = facts.asked.plan
    if plan is None:
        return None
    name = plan.variable or "build.arch-variable"
    value = facts.env.get(name)
    if not value:
        return Answer.fault(name, "the variable that should carry the architectures is not set")
    real, ptx = _read(value)
    variant = facts.asked.recipe.variants[facts.asked.row.variant]
    listed = variant.arch_on(facts.asked.row.arch)
    wanted = {one.replace(".", "") for one in listed}
    if real != wanted or ptx != {plan.newest}:
        return Answer.fault(name, f"does not carry what the recipe lists: {' '.join(listed)}", f"{name}={value}")
    return Answer(name, f"carries {len(wanted)} architectures for {facts.asked.row.arch}", (f"{name}={value}",))


def _read(value: str) -> tuple[set[str], set[str]]:
    """Machine code and PTX that a value asks for, in PyTorch's spelling or CMake's."""
    real, ptx = set(), set()
    for word in value.split(";"):
        name, _, kind = word.replace("+", "-").partition("-")
        digits = name.replace(".", "")
        if kind != "virtual":
            real.add(digits)
        # A bare number is PTX too for CMake; for PyTorch, whose numbers have a dot, it is not.
        if kind in ("PTX", "virtual") or (not kind and "." not in name):
            ptx.add(digits)
    return real, ptx
