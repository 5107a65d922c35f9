"""Runs a program file on the inputs of a reference file and compares what comes out.

    run_model.py MODEL REFERENCE TOLERANCE
    run_model.py --outputs MODEL REFERENCE    runs, and prints the bits of the outputs alone

The counterpart of consumers/app in Python, with its messages and exit codes: 0 the outputs match,
2 usage or reference file, 3 loading the program or finding its operators and delegates, 5 running
it, 6 the outputs differ.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import minirt

USAGE, LOAD, EXECUTE, MISMATCH = 2, 3, 5, 6


def tensors(words: Iterator[str], role: str) -> list[minirt.Tensor]:
    """What follows `role`: a count, and as many of rank, dimensions and values.

    Raises:
        ValueError, StopIteration, RuntimeError: the words say something else.
    """
    if next(words) != role:
        raise ValueError(role)
    found = []
    for _ in range(int(next(words))):
        shape = [int(next(words)) for _ in range(int(next(words)))]
        found.append(minirt.Tensor(shape, [float(next(words)) for _ in range(math.prod(shape))]))
    return found


def compare(outputs: list[minirt.Tensor], expected: list[minirt.Tensor], tolerance: float) -> int:
    """Prints the largest difference, or what does not match; gives the exit code."""
    if len(outputs) != len(expected):
        print(f"mismatch: {len(outputs)} outputs, expected {len(expected)}")
        return MISMATCH
    largest = 0.0
    for number, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        if got.shape != want.shape:
            print(f"mismatch: output {number} has another shape")
            return MISMATCH
        for place, (value, wanted) in enumerate(zip(got.values, want.values, strict=True)):
            # A NaN is no difference that could be compared, and must not pass for a small one.
            if not math.isfinite(value - wanted):
                print(f"mismatch: output {number} is not finite at {place}")
                return MISMATCH
            largest = max(largest, abs(value - wanted))
    print(f"maxdiff={largest:.3g}")
    if largest > tolerance:
        print(f"mismatch: more than {tolerance:.3g}")
        return MISMATCH
    return 0


def print_bits(outputs: list[minirt.Tensor], _expected: list[minirt.Tensor]) -> int:
    """A line for each output: its shape, then the bits of its floats, as consumers/app prints them."""
    for output in outputs:
        shape = "".join(f"{dimension} " for dimension in output.shape)
        words = (struct.unpack("=I", struct.pack("=f", value))[0] for value in output.values)
        print(f"{shape}:{''.join(f' {word:08x}' for word in words)}")
    return 0


def run(model: str, reference: str, use: Callable[[list[minirt.Tensor], list[minirt.Tensor]], int]) -> int:
    """Runs the model on the reference's inputs; gives the exit code of what is made of the outputs."""
    try:
        words = iter(Path(reference).read_text(encoding="ascii").split())
        inputs, expected = tensors(words, "inputs"), tensors(words, "outputs")
    except (OSError, ValueError, StopIteration, RuntimeError):
        print(f"cannot read the reference {reference}")
        return USAGE
    try:
        method = minirt.Method(model)
    except minirt.Error as error:
        print(f"load: {error}")
        return LOAD
    try:
        outputs = method.execute(inputs)
    except minirt.Error as error:
        print(f"execute: {error}")
        return EXECUTE
    return use(outputs, expected)


def main(arguments: list[str]) -> int:
    """Runs what the arguments say; gives the exit code."""
    if len(arguments) != 3:
        print("usage: run_model.py MODEL REFERENCE TOLERANCE | --outputs MODEL REFERENCE")
        return USAGE
    if arguments[0] == "--outputs":
        return run(arguments[1], arguments[2], print_bits)
    model, reference, tolerance = arguments
    names = minirt.backends()
    kernels = len(minirt.operators())
    print(f"backends={len(names)} [{','.join(names)}] kernels={kernels} threads={minirt.thread_count()}")
    return run(model, reference, lambda outputs, expected: compare(outputs, expected, float(tolerance)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
