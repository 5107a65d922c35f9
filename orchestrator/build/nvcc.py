"""Reading nvcc's command lines: which files a command compiles, and for which GPUs.

Source: `nvcc --help` and NVIDIA's "CUDA Compiler Driver NVCC", command options.  Where the text leaves
room, nvcc 13.0 with --dryrun decided: -gencode adds up, the last -arch counts, each -code adds to it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

_ARCH = ("-arch", "--gpu-architecture")
_CODE = ("-code", "--gpu-code")
_GENERATE = ("-gencode", "--generate-code")
_LANGUAGE = ("-x", "--x")

_WITH_VALUE = frozenset(
    word
    for line in (
        "-o --output-file -include --pre-include -l --library -D --define-macro -U --undefine-macro -I",
        "--include-path -isystem --system-include -L --library-path -odir --output-directory -MF",
        "--dependency-output -MT --dependency-target-name -MQ -ccbin --compiler-bindir -arbin --archiver-binary",
        "-cudart --cudart -cudadevrt --cudadevrt -ldir --libdevice-directory -target-dir --target-directory",
        "-opt-info --optimization-info -O --optimize -Ofc --Ofast-compile -dopt --dopt",
        "-ftemplate-backtrace-limit --ftemplate-backtrace-limit -ftemplate-depth --ftemplate-depth -std --std",
        "-m --machine -Xcompiler --compiler-options -Xlinker --linker-options -Xarchive --archive-options",
        "-Xptxas --ptxas-options -Xnvlink --nvlink-options -Xcudafe -Xfatbin -t --threads -split-compile",
        "--split-compile -split-compile-extended --split-compile-extended -keep-dir --keep-dir -time --time",
        "-run-args --run-args -rdc --relocatable-device-code -e --entries -maxrregcount --maxrregcount -ftz",
        "--ftz -prec-div --prec-div -prec-sqrt --prec-sqrt -fmad --fmad -default-stream --default-stream",
        "-Werror --Werror -diag-error --diag-error -diag-suppress --diag-suppress -diag-warn --diag-warn",
        "-brief-diag --brief-diagnostics -frandom-seed --frandom-seed -compress-mode --compress-mode -sanitize",
        "--sanitize -jtd --jump-table-density -optf --options-file -fdevice-time-trace --fdevice-time-trace",
    )
    for word in line.split()
).union(_ARCH, _CODE, _GENERATE, _LANGUAGE)
"""Options whose value may be the next word."""

_NO_DEVICE_CODE = frozenset(
    word
    for line in (
        "-E --preprocess -M --generate-dependencies -MM --generate-nonsystem-dependencies -dlink --device-link",
        "-lib --lib -dryrun --dryrun -h --help -V --version -clean --clean-targets",
        "-code-ls --list-gpu-code -arch-ls --list-gpu-arch",
    )
    for word in line.split()
)
"""Options with which a command assembles nothing for a GPU from its sources."""

_DEVICE_SOURCES = frozenset({".cu", ".ptx", ".gpu"})


@dataclass(frozen=True)
class Targets:
    """What a command generates code for: names as device code bears them (`90`, `90a`), in its order.

    `real` is machine code, `ptx` text for the driver's compiler, `lto` code for the device linker; `chosen`
    holds words that leave the choice to nvcc (`native`, `all`, `all-major`), or that nobody knows.
    """

    real: tuple[str, ...] = ()
    ptx: tuple[str, ...] = ()
    lto: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.real or self.ptx or self.lto or self.chosen)


@dataclass(frozen=True)
class NvccCommand:
    """One call of nvcc: its working folder, and its words without the program itself."""

    folder: PurePosixPath
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The command as a shell would take it."""
        return shlex.join(["nvcc", *self.words])

    @cached_property
    def sources(self) -> tuple[PurePosixPath, ...]:
        """The files that it compiles for GPUs: none where it links, preprocesses, or lists dependencies."""
        if any(word in _NO_DEVICE_CODE for word, _ in self._options):
            return ()
        language = [value for word, value in self._options if word in _LANGUAGE and value]
        inputs = [PurePosixPath(value) for word, value in self._options if not word and value]
        if language and language[-1] == "cu":
            return tuple(inputs)
        return tuple(path for path in inputs if path.suffix in _DEVICE_SOURCES)

    @cached_property
    def targets(self) -> Targets:
        """What it generates code for; false without any option about it, when nvcc takes its default."""
        found: list[str] = []
        for value in self._values(_GENERATE):
            keys = dict(re.findall(r"(arch|code)=(\[[^]]*\]|\"[^\"]*\"|[^,]*)", value))
            found += _listed(keys.get("code") or keys.get("arch", value))
        archs, codes = self._values(_ARCH), [code for value in self._values(_CODE) for code in _listed(value)]
        if codes:
            found += codes
        elif archs:
            found.append(archs[-1])
            if archs[-1].startswith("sm_"):
                found.append(archs[-1].replace("sm_", "compute_"))  # the shorthand embeds PTX too
        return _targets(found)

    def _values(self, names: Sequence[str]) -> list[str]:
        return [value for word, value in self._options if word in names and value]

    @cached_property
    def _options(self) -> tuple[tuple[str, str], ...]:
        return tuple(_options(self.words))


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option with its value, or '' for none; an input has no option but a value."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in _WITH_VALUE:
            yield word, next(rest, "")
        elif equals and name in _WITH_VALUE:
            yield name, value
        elif word.startswith("-") and word != "-":
            yield word, ""
        else:
            yield "", word


def _listed(value: str) -> list[str]:
    return [part.strip() for part in value.strip("[]\"'").split(",") if part.strip()]


def _targets(names: Sequence[str]) -> Targets:
    kinds: dict[str, list[str]] = {"sm": [], "compute": [], "lto": [], "": []}
    for name in dict.fromkeys(names):
        match = re.fullmatch(r"(sm|compute|lto)_(\d+[af]?)", name)
        kinds[match[1] if match else ""].append(match[2] if match else name)
    return Targets(
        real=tuple(kinds["sm"]), ptx=tuple(kinds["compute"]), lto=tuple(kinds["lto"]), chosen=tuple(kinds[""])
    )
