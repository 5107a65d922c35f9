"""G: programs that run."""

from __future__ import annotations

from orchestrator.verify.dynamic import (
    g1_models,
    g2_runtime_alone,
    g3_delegate,
    g4_same_outputs,
    g5_backends,
    g6_python_models,
    g8_optional_delegate,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="G1",
        name="models-run",
        asserts="Every model runs in C++ and matches its reference; wrong and non-finite numbers are rejected.",
        about="models of consumers",
        fix="Read what the compiler, the linker or the program says in the evidence; 'reproduce' with --shell opens "
        "the container just before it. Where it needs more than its deadline or its memory, set consumer.seconds "
        "or consumer.memory; where components are refused, set cmake.components = false in the recipe if the package "
        "has none.",
        why="A comparison by fmax drops NaN and calls it equal; wrong numbers leave no error behind, so that "
        "each model has a tolerance of its own.",
        source="IEEE 754-2008, maxNum",
        scope="environment",
        judge=g1_models.judge,
        probes=g1_models.probes,
        applies=g1_models.applies,
    ),
    DynamicCheck(
        id="G2",
        name="runtime-has-no-operators",
        asserts="With the runtime alone a model loads, and then misses its operators.",
        about="models whose operators are components, and the consumer of the runtime alone",
        fix="Keep operator libraries out of the runtime library and out of what its target links.",
        why="Kernels crept back into the runtime, and whoever linked it carried them along; a run that must "
        "fail, with the operator named, shows it.",
        source="this project's catalogue",
        scope="environment",
        judge=g2_runtime_alone.judge,
        probes=g2_runtime_alone.probes,
        applies=g2_runtime_alone.applies,
    ),
    DynamicCheck(
        id="G3",
        name="delegate-needed",
        asserts="A delegated model works with its component and fails without it; the program holds the payload.",
        about="models that are delegated to a backend",
        fix="Register the backend in its component only, retained by its target; export the model with the delegate.",
        why="A model that falls back to plain operators gives right numbers without its delegate, and a run "
        "that fails for another reason passes as the counter-test.",
        source="this project's catalogue",
        scope="environment",
        judge=g3_delegate.judge,
        probes=g3_delegate.probes,
        applies=g3_delegate.applies,
    ),
    DynamicCheck(
        id="G5",
        name="backends-add-up",
        asserts="Linking everything adds exactly the backends that the shipped components register.",
        about="consumers of components that register backends",
        fix="List the component on every route, and keep its registration from being dropped by the linker.",
        why="With a registry in each component the numbers do not add up: what one registers, the program does "
        "not see.",
        source="this project's catalogue",
        scope="environment",
        judge=g5_backends.judge,
        probes=g5_backends.probes,
        applies=g5_backends.applies,
    ),
    DynamicCheck(
        id="G6",
        name="python-models-run",
        asserts="Every model that needs no GPU runs in Python and matches its reference; wrong numbers are rejected.",
        about="recipes with a [python] script",
        fix="Run the script by hand with the installed wheel (see the evidence) and compare the outputs.",
        why="The script was tried on a GPU alone: on every other row a Python package that computed nothing right "
        "passed, since only C++ was run.",
        source="this project's catalogue",
        scope="python",
        judge=g6_python_models.judge,
        probes=g6_python_models.probes,
        applies=g6_python_models.applies,
        package=False,
    ),
    DynamicCheck(
        id="G4",
        name="same-outputs",
        asserts="A model's file holds the operators that it is said to, and C++ and Python print the same outputs of "
        "it, bit for bit.",
        about="models that say which operators they hold; programs that print outputs",
        fix="Export the model as it is meant to be, quantized say; see which library each side takes operators from.",
        why="An export that was not quantized passes a quantized model's loose tolerance; and where Python carries "
        "kernels of its own, both sides are near the reference and not the same.",
        source="this project's catalogue",
        scope="python",
        judge=g4_same_outputs.judge,
        probes=g4_same_outputs.probes,
        applies=g4_same_outputs.applies,
        package=False,
    ),
    DynamicCheck(
        id="G8",
        name="optional-delegate-runs",
        asserts="A model for a delegate whose runtime is no requirement runs and matches where that is installed.",
        about="models that name the module of such a runtime",
        fix="Run the script by hand beside the runtime (see the evidence).",
        why="A delegate that registers without its runtime passes every other check, and computes wrong, or fails to "
        "find the runtime, at its first user.",
        source="this project's catalogue",
        scope="python",
        judge=g8_optional_delegate.judge,
        probes=g8_optional_delegate.probes,
        applies=g8_optional_delegate.applies,
        package=False,
    ),
)
"""The strongest first."""
