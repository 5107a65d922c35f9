import pytest

from orchestrator.build.failure import build_failure, compiler_lines, no_interpreter

LOG = """\
[1/9] Building CXX object tensor.cpp.o
FAILED: tensor.cpp.o
/work/source/src/tensor.cpp:12:5: error: 'foo' was not declared in this scope
   12 |     foo();
      |     ^~~
ninja: build stopped: subcommand failed.
"""


def test_the_compilers_lines_are_found_with_their_context() -> None:
    assert compiler_lines(LOG) == (
        "/work/source/src/tensor.cpp:12:5: error: 'foo' was not declared in this scope",
        "   12 |     foo();",
        "      |     ^~~",
    )
    assert compiler_lines("all is well\nno errors: none\n") == ()


def test_linker_and_cmake_lines_are_found() -> None:
    assert compiler_lines("/usr/bin/ld: x.o: undefined reference to `f'\n")
    assert compiler_lines("CMake Error at CMakeLists.txt:3 (find_package):\n")


@pytest.mark.parametrize(
    "line",
    [
        "nvcc fatal   : Unsupported gpu architecture 'compute_999'",
        "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)",
        "ptxas fatal   : Unresolved extern function 'foo'",
        "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)",
        "ptxas /tmp/tmpxft_1-6_k.ptx, line 38; error   : Module-scoped variables in .local state space",
        "nvlink error   : Undefined reference to 'foo' in 'a.o'",
        "nvlink fatal   : elfLink linker library load error",
        "  fatbinary fatal   : Could not open input file 'k.cubin'",
        "cicc error   : unsupported option",
        "cudafe++ fatal   : cannot open",
    ],
)
def test_lines_of_nvidias_tools_are_found(line: str) -> None:
    assert compiler_lines(f"[3/9] Building CUDA object k.cu.o\n{line}\n")[0] == line


@pytest.mark.parametrize(
    "line",
    [
        "ptxas info    : Compiling entry function 'k' for 'sm_90'",
        "ptxas warning : Stack size for entry function 'k' cannot be statically determined",
        "nvcc warning : Support for offline compilation for architectures prior to 'compute_75' will be removed",
        "nvlink warning : Skipping incompatible 'libm.a'",
        "nvcc -DWITH_error -c fatal.cu",
        "my ptxas fatal   : is not the tool's own line",
    ],
)
def test_what_nvidias_tools_merely_mention_is_not_an_error(line: str) -> None:
    assert compiler_lines(line) == ()


def test_a_failure_shows_lines_command_status_and_log() -> None:
    error = build_failure("Building minirt/cpu", ["pip", "wheel", "a b"], 1, LOG, log="reports/x/build.log")
    assert "Building minirt/cpu failed with exit status 1." in str(error)
    assert "'foo' was not declared" in str(error).split("command:")[0]
    assert "command: pip wheel 'a b'" in str(error)
    assert "Whole log: reports/x/build.log" in str(error)
    assert error.exit_code == 7


def test_deadline_memory_and_disk_have_words_of_their_own() -> None:
    def text(output: str = "", minutes: float | None = None, memory: str | None = None) -> str:
        return str(build_failure("B", ["x"], 137, output, log="l", timed_out_minutes=minutes, out_of_memory=memory))

    assert "did not end within 5 minutes" in text(minutes=5)
    assert "did not end within 0.1 minutes" in text(minutes=0.1)
    assert "ran out of memory: it may use 200M." in text(memory="200M")
    assert "build.memory" in text(memory="200M")
    assert "disk full" in text("cc1plus: No space left on device")


def test_what_strangers_forget_is_said() -> None:
    def advice(output: str) -> str:
        return build_failure("B", ["x"], 1, output, log="l").advice

    backend = "Traceback\nModuleNotFoundError: No module named 'scikit_build_core'\n"
    assert "no module 'scikit_build_core'" in advice(backend)
    assert "nox -s locks -- RECIPE-FOLDER" in advice(backend)
    assert "no module 'cython'" in advice("  ModuleNotFoundError: No module named 'cython'\n")
    assert "name 'cmake' and 'ninja'" in advice("x.CMakeNotFoundError: Could not find CMake with version >=3.26\n")
    assert "Builds have no network" in advice("fatal: unable to access: Could not resolve host: example.org\n")
    # It stands in reports too, where the lines come after it or in another place.
    assert advice("error: x\n").startswith("Correct what the build's own lines name.")


def test_the_end_of_a_backends_traceback_is_shown_and_pips_echo_of_it_is_not() -> None:
    log = """\
    raise CMakeNotFoundError(msg)
  scikit_build_core.errors.CMakeNotFoundError: Could not find CMake
  error: subprocess-exited-with-error
error: metadata-generation-failed
"""
    assert compiler_lines(log)[0] == "  scikit_build_core.errors.CMakeNotFoundError: Could not find CMake"
    assert compiler_lines("error: subprocess-exited-with-error\nerror: metadata-generation-failed\n") == ()


def test_an_image_without_the_interpreter_is_named_with_what_to_do() -> None:
    said = "lease: 3: exec: /opt/python/cp311-cp311/bin/python: not found\n"
    error = no_interpreter("a/cpu/x86_64/cp311", "bookworm:1", "/opt/python/cp311-cp311/bin/python", said)
    assert error.message == (
        "The builder image bookworm:1 cannot run /opt/python/cp311-cp311/bin/python, the interpreter of "
        "a/cpu/x86_64/cp311."
    )
    assert error.detail == said.strip()
    assert "images.builder" in error.advice
    assert error.exit_code == 7
