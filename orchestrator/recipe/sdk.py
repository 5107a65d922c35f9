"""What a recipe says of the C++ SDK in its wheels: components, CMake package, headers, example."""

from __future__ import annotations

from typing import Literal, Self

from packaging.version import Version
from pydantic import Field, model_validator

from orchestrator.recipe.part import (
    CMakeVersion,
    FileName,
    Flag,
    Generator,
    Name,
    Part,
    Reason,
    RelativePath,
    TargetName,
    Text,
)


class Use(Part):
    """A use of a component: statements of a `main`, compiled against its header (E3, E4, G9)."""

    header: str = Field(description="As in #include <…>.")
    code: str = Field(min_length=1, description="C++ statements; a program of them links the component and exits 0.")
    definition: str | None = Field(
        default=None, description="Preprocessor definition without which the header has an inline fallback."
    )


class Component(Part):
    """One shared library of the SDK, the symbols it owns and what it registers."""

    name: Name = Field(description="What other tables call it; with a CMake package, its name for COMPONENTS.")
    library: FileName = Field(description="File name of the library, equal to its SONAME.")
    target: TargetName | Literal[False] | None = Field(
        default=None,
        description="CMake target, namespaced; PACKAGE::NAME if absent, false where the package has none for it.",
    )
    owns: tuple[Text, ...] = Field(default=(), description="Demangled names of strong symbols defined only here.")
    owns_all: tuple[str, ...] = Field(
        default=(),
        description="Globs over demangled names: each strong symbol of the library that matches must be in owns (B15).",
    )
    bundles: tuple[Text, ...] = Field(
        default=(), description="C symbols of bundled third-party code defined only here."
    )
    required: Literal["always", "linux", "linux-x86_64", "cuda", "never"] = Field(
        default="always", description="Rows that must ship it: cuda means those of CUDA variants; never, that it may."
    )
    device_code: Flag = Field(
        default=False, description="Whether the library holds CUDA device code, for each architecture (H3, H4)."
    )
    registers: tuple[Text, ...] = Field(default=(), description="Backends that loading the library adds.")
    headers: tuple[RelativePath, ...] = Field(
        default=(), description="Globs over member paths of its own headers, which ship if and only if it does (E6)."
    )
    companions: tuple[RelativePath, ...] = Field(
        default=(), description="Globs over other members that ship if and only if it does (B12)."
    )
    variable: str | None = Field(
        default=None, description="CMake variable that holds this library where the list of libraries leaves it out."
    )
    retained: Flag = Field(
        default=False, description="Whether a consumer that calls nothing of it needs it all the same (D8)."
    )
    call: Use | None = Field(default=None, description="One call of a function that the library holds (E3, E4).")
    make_object: Use | None = Field(default=None, description="Makes an object of the component's (G9).")

    def required_on(self, *, arch: str, cuda: bool) -> bool:
        """Whether a row on this processor must ship the component."""
        match self.required:
            case "always" | "linux":
                return True
            case "linux-x86_64":
                return arch == "x86_64"
            case "cuda":
                return cuda
            case _:
                return False


class Tolerated(Part):
    """Symbols that one more library may define, with the reason (B5, B16)."""

    library: str = Field(description="Glob over member paths.")
    symbols: tuple[str, ...] = Field(min_length=1, description="Globs over demangled names.")
    reason: Reason = Field(description="Why that does no harm.")


class Extension(Part):
    """What Python extension modules may contain and must call."""

    modules: tuple[str, ...] = Field(min_length=1, description="Globs over member paths.")
    defines_none: Flag = Field(
        default=True, description="Whether no module may define what a component owns or bundles (B7)."
    )
    calls: tuple[str, ...] = Field(default=(), description="Demangled names that must be undefined in each module.")
    needs: tuple[str, ...] = Field(default=(), description="Components whose libraries each module must need.")


class Unresolved(Part):
    """A library that the loader need not find when only this wheel is installed."""

    library: str = Field(description="Glob over NEEDED names.")
    subjects: str = Field(default="*", description="Glob over member paths.")
    reason: Reason = Field(description="Who brings it.")


class Lack(Part):
    """How far a consumer comes that is not given one of the variables, and what is said there."""

    stage: Literal["compile", "link", "run"] = Field(
        description="Where it fails; 'run' where it is built, and says so when it is asked for its registry."
    )
    says: str = Field(min_length=1, description="Text that the compiler, the linker or the program prints.")


class Lacks(Part):
    """The same for each variable (D7)."""

    libraries: Lack = Field(
        default=Lack(stage="link", says="undefined reference"), description="Without the libraries."
    )
    include_dirs: Lack = Field(
        default=Lack(stage="compile", says="No such file or directory"), description="Without the include folders."
    )
    definitions: Lack = Field(
        default=Lack(stage="compile", says="error"), description="Without the preprocessor definitions."
    )
    cxx_standard: Lack = Field(default=Lack(stage="compile", says="error"), description="Without the C++ standard.")


class Variables(Part):
    """Names of the variables of the route without targets."""

    libraries: str = Field(description="Variable of what is linked.")
    include_dirs: str = Field(description="Variable of the include folders.")
    definitions: str | None = Field(default=None, description="Variable of the preprocessor definitions.")
    cxx_standard: str | None = Field(default=None, description="Variable of the C++ standard, such as 17.")
    without: Lacks = Field(default=Lacks(), description="What becomes of a consumer that leaves one of them out (D7).")


class EnvironmentSpec(Part):
    """An environment in which a consumer is tried."""

    cmake: CMakeVersion = Field(description="One that `images/toolchains` has a lock of.")
    generator: Generator = Field(description="What runs the compilers.")
    image: str | None = Field(
        default=None, description="Image of `images/`; if absent the test image, or with `python` the one that has it."
    )


class CMakePackage(Part):
    """The CMake package contract."""

    package: Name = Field(description="Name for find_package.")
    floor: CMakeVersion = Field(description="Oldest CMake that the package supports.")
    floor_tried: CMakeVersion | None = Field(
        default=None, description="Locked CMake at the floor, with which the package must configure (D19)."
    )
    below_floor: CMakeVersion | None = Field(
        default=None, description="Locked CMake below the floor, which the package must refuse by naming it (D19)."
    )
    targets_from: CMakeVersion = Field(description="Oldest CMake that gets imported targets.")
    relocatable_targets: Flag = Field(
        default=True, description="Whether programs that link the targets must survive being copied away."
    )
    relocatable_variables: Flag = Field(
        default=False, description="Whether programs of the variables route must survive being copied away."
    )
    versions: Flag = Field(
        default=True, description="Whether the package answers version requests; without it each must be refused."
    )
    components: Flag = Field(default=True, description="Whether find_package takes COMPONENTS.")
    python: Flag = Field(
        default=False, description="Whether configuring needs a Python that can import the installed package."
    )
    variables: Variables | None = Field(default=None, description="The route without targets, if there is one.")
    prefixes: tuple[RelativePath, ...] = Field(
        min_length=1, description="Folders of the wheel, each of which works in CMAKE_PREFIX_PATH."
    )
    environments: tuple[EnvironmentSpec, ...] = Field(min_length=1, description="Where consumers are tried.")

    @model_validator(mode="after")
    def _tries_the_floor(self) -> Self:
        """What is tried must be able to show whether the floor is true."""
        floor = Version(self.floor)
        for one in self.environments:
            if Version(one.cmake) < floor:
                raise ValueError(f"an environment's CMake, {one.cmake}, is older than the floor, {self.floor}")
        if self.below_floor is not None and Version(self.below_floor) >= floor:
            raise ValueError(f"below-floor, {self.below_floor}, is not older than the floor, {self.floor}")
        if self.floor_tried is not None:
            if Version(self.floor_tried) < floor:
                raise ValueError(f"floor-tried, {self.floor_tried}, is older than the floor, {self.floor}")
            oldest = min((one.cmake for one in self.environments), key=Version)
            if Version(self.floor_tried) > Version(oldest):
                raise ValueError(f"floor-tried, {self.floor_tried}, is newer than an environment's CMake, {oldest}")
        return self


class HeaderExemption(Part):
    """A header that need not compile alone; one that does is stale and fails."""

    path: str = Field(description="Path below the header root; a trailing /** takes the whole folder.")
    reason: Reason = Field(description="Why it cannot.")


class Headers(Part):
    """Rules for the shipped headers."""

    root: RelativePath = Field(description="Folder in the wheel that holds them.")
    forbid: tuple[str, ...] = Field(
        default=(),
        description="Globs over paths below the root that must not ship; nor does any folder test* (E5).",
    )
    exempt: tuple[HeaderExemption, ...] = Field(default=(), description="Those that need not compile alone (E2).")


class Document(Part):
    """A document whose first C++ block after a heading is a working example."""

    file: RelativePath = Field(description="The page, of Markdown.")
    heading: str = Field(description="The whole line, with its `#`.")
    components: tuple[str, ...] = Field(default=(), description="Components that the example links.")
    run: tuple[str, ...] | None = Field(
        default=None, description="Arguments with which the built example exits 0; {model} is the first model's file."
    )
