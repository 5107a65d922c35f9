#!/usr/bin/env python3
"""Writes the models of the minirt recipe and their reference outputs, the same bytes every time.

References are computed here in double precision from the definitions of the operators
(source/docs/format.md), with none of minirt's code, so that they check it.

A reference file holds `inputs N {rank dimensions... values...} outputs M {rank dimensions... values...}`.
"""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Matrix = list[list[float]]

INPUT, CONSTANT, COMPUTED = 0, 1, 2
FLOAT32, INT8 = 0, 1


def float32(value: float) -> float:
    """The nearest number that a 32-bit float holds."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def name(text: str) -> bytes:
    """A name field: length in one byte, then ASCII."""
    return struct.pack("<B", len(text)) + text.encode("ascii")


def u32s(values: Sequence[int]) -> bytes:
    """A counted list of unsigned 32-bit numbers."""
    return struct.pack(f"<I{len(values)}I", len(values), *values)


def floats(values: Sequence[float]) -> bytes:
    """32-bit floats without a count."""
    return struct.pack(f"<{len(values)}f", *values)


def flat(matrix: Matrix) -> list[float]:
    """The values of a matrix in row-major order."""
    return [value for row in matrix for value in row]


@dataclass
class ProgramWriter:
    """Collects the parts of one program file."""

    values: list[bytes] = field(default_factory=list)
    delegates: list[bytes] = field(default_factory=list)
    instructions: list[bytes] = field(default_factory=list)

    def value(self, kind: int, dtype: int, shape: Sequence[int], data: bytes = b"") -> int:
        """Adds a value and gives its index."""
        self.values.append(struct.pack(f"<3B{len(shape)}I", kind, dtype, len(shape), *shape) + data)
        return len(self.values) - 1

    def constant(self, shape: Sequence[int], data: Sequence[float]) -> int:
        """Adds a float constant."""
        return self.value(CONSTANT, FLOAT32, shape, floats(data))

    def call(
        self,
        operator: str,
        inputs: Sequence[int],
        shape: Sequence[int],
        dtype: int = FLOAT32,
        attributes: Sequence[float] = (),
    ) -> int:
        """Adds an operator and the value that it computes."""
        output = self.value(COMPUTED, dtype, shape)
        called = struct.pack("<B", 0) + name(operator) + u32s(inputs) + u32s([output])
        self.instructions.append(called + struct.pack("<I", len(attributes)) + floats(attributes))
        return output

    def delegate(self, backend: str, blob: bytes, inputs: Sequence[int], shape: Sequence[int]) -> int:
        """Adds a delegate with its blob and the value that it computes."""
        output = self.value(COMPUTED, FLOAT32, shape)
        self.delegates.append(name(backend) + struct.pack("<I", len(blob)) + blob)
        index = len(self.delegates) - 1
        self.instructions.append(struct.pack("<BI", 1, index) + u32s(inputs) + u32s([output]) + struct.pack("<I", 0))
        return output

    def file(self, outputs: Sequence[int]) -> bytes:
        """The program file."""
        tables = (self.values, self.delegates, self.instructions)
        body = b"".join(struct.pack("<I", len(table)) + b"".join(table) for table in tables)
        return b"MRTP" + struct.pack("<I", 1) + body + u32s(outputs)


class Numbers:
    """Repeatable random numbers that 32-bit floats hold exactly."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def matrix(self, rows: int, columns: int, span: float = 1.0) -> Matrix:
        """Numbers between -span and span."""
        return [[float32(self._random.uniform(-span, span)) for _ in range(columns)] for _ in range(rows)]


def matmul(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product."""
    return [
        [math.fsum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a
    ]


def add_row(a: Matrix, row: Sequence[float]) -> Matrix:
    """Adds one row to each row."""
    return [[x + y for x, y in zip(values, row, strict=True)] for values in a]


def each(function: Callable[[float], float], a: Matrix) -> Matrix:
    """Applies a function to each value."""
    return [[function(value) for value in row] for row in a]


def relu(a: Matrix) -> Matrix:
    """max(x, 0)"""
    return each(lambda value: max(value, 0.0), a)


def softmax(a: Matrix) -> Matrix:
    """Along each row."""
    powers = each(math.exp, a)
    return [[value / math.fsum(row) for value in row] for row in powers]


def clamp8(value: float) -> int:
    """Rounds half to even and clamps to 8 bits."""
    return max(-128, min(127, round(value)))


def transposed(a: Matrix) -> Matrix:
    """Rows become columns."""
    return [list(column) for column in zip(*a, strict=True)]


def mlp() -> tuple[bytes, Matrix, Matrix]:
    """Float operators: softmax(relu(x W1 + b1) * gain W2 + b2)."""
    numbers = Numbers(1)
    x, w1, b1, gain = (numbers.matrix(*size) for size in ((5, 16), (16, 24), (1, 24), (1, 24)))
    w2, b2 = numbers.matrix(24, 6), numbers.matrix(1, 6)
    program = ProgramWriter()
    source = program.value(INPUT, FLOAT32, (5, 16))
    hidden = program.call("matmul", [source, program.constant((16, 24), flat(w1))], (5, 24))
    hidden = program.call("add", [hidden, program.constant((24,), b1[0])], (5, 24))
    hidden = program.call("relu", [hidden], (5, 24))
    hidden = program.call("mul", [hidden, program.constant((24,), gain[0])], (5, 24))
    logits = program.call("matmul", [hidden, program.constant((24, 6), flat(w2))], (5, 6))
    logits = program.call("add", [logits, program.constant((6,), b2[0])], (5, 6))
    result = program.call("softmax", [logits], (5, 6))
    scaled = [[value * g for value, g in zip(row, gain[0], strict=True)] for row in relu(add_row(matmul(x, w1), b1[0]))]
    return program.file([result]), x, softmax(add_row(matmul(scaled, w2), b2[0]))


def mlp_blocked() -> tuple[bytes, Matrix, Matrix]:
    """One delegate: relu(x W1 + b1) W2 + b2, larger than a block in each direction."""
    numbers = Numbers(2)
    x, w1, b1 = numbers.matrix(70, 80), numbers.matrix(80, 96, 0.2), numbers.matrix(1, 96)
    w2, b2 = numbers.matrix(96, 10, 0.2), numbers.matrix(1, 10)
    blob = struct.pack("<I", 2)
    for weight, bias, activation in ((w1, b1, 1), (w2, b2, 0)):
        blob += struct.pack("<3I", len(weight), len(bias[0]), activation) + floats(flat(weight)) + floats(bias[0])
    program = ProgramWriter()
    source = program.value(INPUT, FLOAT32, (70, 80))
    result = program.delegate("BlockedBackend", blob, [source], (70, 10))
    return program.file([result]), x, add_row(matmul(relu(add_row(matmul(x, w1), b1[0])), w2), b2[0])


def mlp_cuda() -> tuple[bytes, Matrix, Matrix]:
    """One delegate: relu(relu(x W1 + b1) W2 + b2) W3 + b3, whose sizes are no multiples of a tile."""
    numbers = Numbers(4)
    sizes = (37, 50, 33, 7)
    x = numbers.matrix(41, sizes[0])
    blob = struct.pack("<I", len(sizes) - 1)
    current = x
    for inputs, outputs in itertools.pairwise(sizes):
        weight, bias = numbers.matrix(inputs, outputs, 0.3), numbers.matrix(1, outputs)
        last = outputs == sizes[-1]
        blob += struct.pack("<3I", inputs, outputs, 0 if last else 1) + floats(flat(weight)) + floats(bias[0])
        current = add_row(matmul(current, weight), bias[0])
        current = current if last else relu(current)
    program = ProgramWriter()
    source = program.value(INPUT, FLOAT32, (len(x), sizes[0]))
    result = program.delegate("CudaBackend", blob, [source], (len(x), sizes[-1]))
    return program.file([result]), x, current


def mlp_q8() -> tuple[bytes, Matrix, Matrix]:
    """8-bit operators: two quantized linear layers with a relu by clamping, then a float softmax."""
    numbers = Numbers(3)
    x, w1, b1 = numbers.matrix(4, 16), numbers.matrix(12, 16), numbers.matrix(1, 12, 0.5)
    w2, b2 = numbers.matrix(5, 12), numbers.matrix(1, 5, 0.5)
    weight_step = float32(1 / 127)
    # Scale and zero point of the input, of what is between the layers, and of the result.
    steps = [(float32(1 / 127), 0), (float32(6 / 255), -128), (float32(14 / 255), 3)]
    q1, q2 = (each(lambda value: clamp8(value / weight_step), weight) for weight in (w1, w2))

    program = ProgramWriter()
    source = program.value(INPUT, FLOAT32, (4, 16))
    value = program.call("quantize", [source], (4, 16), INT8, steps[0])
    current = each(lambda number: clamp8(number / steps[0][0] + steps[0][1]), x)
    for weight, bias, before, after in ((q1, b1[0], steps[0], steps[1]), (q2, b2[0], steps[1], steps[2])):
        shape = (len(weight), len(weight[0]))
        packed = program.value(CONSTANT, INT8, shape, struct.pack(f"<{shape[0] * shape[1]}b", *map(int, flat(weight))))
        inputs = [value, packed, program.constant((len(bias),), bias)]
        value = program.call("linear_q8", inputs, (4, len(bias)), INT8, (*before, weight_step, *after))
        sums = matmul([[q - before[1] for q in row] for row in current], transposed(weight))
        step_of_sum = before[0] * weight_step
        current = [
            [clamp8((total * step_of_sum + b) / after[0] + after[1]) for total, b in zip(row, bias, strict=True)]
            for row in sums
        ]
    value = program.call("dequantize", [value], (4, 5), FLOAT32, steps[2])
    result = program.call("softmax", [value], (4, 5))
    return program.file([result]), x, softmax(each(lambda q: (q - steps[2][1]) * steps[2][0], current))


def reference(x: Matrix, result: Matrix) -> str:
    """The text of a reference file."""
    parts = []
    for role, matrix in (("inputs", x), ("outputs", result)):
        numbers = " ".join(repr(float32(value)) for value in flat(matrix))
        parts.append(f"{role} 1 2 {len(matrix)} {len(matrix[0])} {numbers}")
    return "\n".join(parts) + "\n"


def main(folder: Path) -> None:
    """Writes every model into the folder."""
    for make in (mlp, mlp_blocked, mlp_cuda, mlp_q8):
        program, x, result = make()
        (folder / f"{make.__name__}.mrt").write_bytes(program)
        (folder / f"{make.__name__}.txt").write_text(reference(x, result), encoding="ascii")


if __name__ == "__main__":
    main(Path(__file__).parent)
