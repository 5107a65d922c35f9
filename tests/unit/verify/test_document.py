"""The example below a heading."""

from __future__ import annotations

import textwrap

import pytest

from orchestrator.verify.document import Example, example_below

PAGE = textwrap.dedent("""\
    # Demo

    ```cpp
    int before;
    ```

    ## A program

    Text, and a shell's block first:

    ```sh
    # A program
    ```

    ### Details

    ~~~~ {.cpp}
    not told to be C++ by its first word
    ~~~~

    ```cpp
    #include <demo/demo.h>

    int main() {}
    ```

    ```cpp
    int second;
    ```

    ## Later

    ```cpp
    int later;
    ```
    """)


def test_the_first_block_of_the_section() -> None:
    assert example_below(PAGE, "## A program") == Example("#include <demo/demo.h>\n\nint main() {}\n", 22)
    assert example_below(PAGE, "# Demo").code == "int before;\n"
    assert example_below(PAGE, "## Later").code == "int later;\n"


@pytest.mark.parametrize("fence", ["```c++", "~~~CXX", "   ````cc extra words"])
def test_spellings_of_a_block(fence: str) -> None:
    closing = fence.strip()[0] * 5
    assert example_below(f"# Use\n{fence}\nint a;\n``\n{closing}\n", "# Use").code == "int a;\n``\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no line is the heading '## A program'"),
        ("# A program\n```cpp\nint a;\n```\n", "no line is the heading '## A program'"),
        ("```\n## A program\n```\n```cpp\nint a;\n```\n", "no line is the heading '## A program'"),
        ("## A program\n```sh\nmake\n```\n", "no C++ block stands below the heading '## A program'"),
        (
            "## A program\n# Next\n```cpp\nint other_section;\n```\n",
            "no C++ block stands below the heading '## A program'",
        ),
        ("## A program\n\n```cpp\nint a;\n", "the C++ block in line 4 has no end"),
    ],
)
def test_what_is_missing(text: str, problem: str) -> None:
    assert example_below(text, "## A program") == Example(problem=problem)
