"""Runs a program file on the inputs of a reference file and compares what comes out.

    run_model.py MODEL.pte REFERENCE TOLERANCE
    run_model.py --outputs MODEL.pte REFERENCE     prints the bits of the outputs alone

The counterpart of consumer/main.cpp in Python, with its messages and exit codes: 0 the outputs match,
2 usage or reference file, 3 loading the program or its method, 5 running it, 6 the outputs differ.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import executorch.kernels.quantized  # noqa: F401  registers operators for quantized models
import torch
from executorch.runtime import Runtime, Verification

USAGE, LOAD, EXECUTE, MISMATCH = 2, 3, 5, 6
Use = Callable[[Sequence[torch.Tensor], Sequence[torch.Tensor]], int]


def tensors(words: Iterator[str], role: str) -> list[torch.Tensor]:
    """What follows `role`: a count, and as many of rank, sizes and values.

    Raises:
        ValueError, StopIteration: the words say something else.
    """
    if next(words) != role:
        raise ValueError(role)
    found = []
    for _ in range(int(next(words))):
        shape = [int(next(words)) for _ in range(int(next(words)))]
        values = [float(next(words)) for _ in range(math.prod(shape))]
        found.append(torch.tensor(values, dtype=torch.float32).reshape(shape))
    return found


def compare(outputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], tolerance: float) -> int:
    """Prints the largest difference, or what does not match; gives the exit code."""
    if [one.shape for one in outputs] != [one.shape for one in expected]:
        print("mismatch: the outputs have other shapes")
        return MISMATCH
    largest = 0.0
    for number, (got, wanted) in enumerate(zip(outputs, expected, strict=True)):
        difference = (got.double() - wanted.double()).abs()
        # A NaN is no difference that could be compared, and must not pass for a small one.
        if not bool(difference.isfinite().all()):
            print(f"mismatch: output {number} is not finite")
            return MISMATCH
        largest = max(largest, float(difference.max()))
    print(f"largest difference {largest:.3g}")
    if largest > tolerance:
        print(f"mismatch: more than {tolerance:.3g}")
        return MISMATCH
    return 0


def print_bits(outputs: Sequence[torch.Tensor], _expected: Sequence[torch.Tensor]) -> int:
    """A line for each output: its shape, then the bits of its floats, as consumer/main.cpp prints them."""
    for output in outputs:
        shape = "".join(f"{size} " for size in output.shape)
        bits = "".join(f" {word:08x}" for (word,) in struct.iter_unpack("=I", output.numpy().tobytes()))
        print(f"{shape}:{bits}")
    return 0


def run(model: str, reference: str, use: Use) -> int:
    """Runs the model on the reference's inputs; gives the exit code of what is made of the outputs."""
    try:
        words = iter(Path(reference).read_text(encoding="ascii").split())
        inputs, expected = tensors(words, "inputs"), tensors(words, "outputs")
    except (OSError, ValueError, StopIteration):
        print(f"cannot read the reference {reference}")
        return USAGE
    try:
        method = Runtime.get().load_program(model, verification=Verification.Minimal).load_method("forward")
    except RuntimeError as error:
        print(f"load: {error}")
        return LOAD
    if method is None:
        print("load: the program has no method 'forward'")
        return LOAD
    try:
        outputs = method.execute(inputs)
    except RuntimeError as error:
        print(f"execute: {error}")
        return EXECUTE
    return use(outputs, expected)


def main(arguments: list[str]) -> int:
    """Runs what the arguments say; gives the exit code."""
    if len(arguments) != 3:
        print("usage: run_model.py MODEL.pte REFERENCE TOLERANCE | --outputs MODEL.pte REFERENCE")
        return USAGE
    if arguments[0] == "--outputs":
        return run(arguments[1], arguments[2], print_bits)
    tolerance = float(arguments[2])
    print(f"backends={Runtime.get().backend_registry.registered_backend_names}")
    return run(arguments[0], arguments[1], lambda outputs, expected: compare(outputs, expected, tolerance))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
