from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.images.definition import load_definitions
from orchestrator.images.imageset import ImageSet
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.store import Store

IMAGES = Path(__file__).parents[3] / "images"

GOOD = """
role = "test"
summary = "a test image"
python = "3.11"
[stand-in]
suite = "bookworm"
packages = ["g++"]
"""


def load(folder: Path, text: str) -> None:
    (folder / "some.toml").write_text(text)
    load_definitions(folder)


def test_own_definitions_are_valid() -> None:
    definitions = load_definitions(IMAGES)
    trains = {f"builder-cuda-{train}" for train in known_trains()}
    assert set(definitions) == {"builder", "builder-cross", "bookworm", "trixie", "forky", "runtime", *trains}
    assert list(definitions) == sorted(definitions)
    assert definitions["builder"].official["x86_64"].partition("@")[2].startswith("sha256:")
    layer = definitions["builder"].layer("3.13")
    assert layer is not None
    assert layer.tag == "cp313-cp313"
    assert definitions["bookworm"].layer("3.11") is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("packages =", "package =", "stand-in.package: Extra inputs are not permitted. Did you mean 'packages'?"),
        ('suite = "bookworm"', "", "stand-in.suite: Field required"),
        ('role = "test"', 'role = "tests"', "role: Input should be 'builder', 'test' or 'runtime'"),
        ('python = "3.11"', 'pyton = "3.11"', "Did you mean 'python'?"),
        ('"g++"', '"G++"', "stand-in.packages.0: String should match pattern"),
        ('"test"', '"test', "is not TOML"),
        (
            "[stand-in]",
            '[official]\nx86_64 = "example/image"\n[stand-in]',
            "official.x86_64: String should match",
        ),
        (
            'packages = ["g++"]',
            'packages = []\n[[stand-in.python]]\nversion = "3.11"\nsuite = "bookworm"\nsource = "python3.11"\n',
            "give 'python' or layers 'stand-in.python', not both",
        ),
        ('role = "test"', 'role = "test"\ntoolkit = "cuda"', "toolkit: String should match pattern"),
    ],
)
def test_malformed_definitions_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    load(tmp_path, GOOD)
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, GOOD.replace(old, new))
    assert "some.toml" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "reference", ["example/image:1.2", f"example/image@sha256:{'a' * 64}", "host.example:5000/image:1"]
)
def test_an_official_image_has_a_digest_or_a_tag(tmp_path: Path, reference: str) -> None:
    load(tmp_path, GOOD.replace("[stand-in]", f'[official]\nx86_64 = "{reference}"\n[stand-in]'))
    assert load_definitions(tmp_path)["some"].official == {"x86_64": reference}


SHARED = 'role = "test"\nsummary = "another"\n[stand-in]\nsame-as = "some"\n'


def test_a_stand_in_may_be_another_images(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(SHARED)
    (tmp_path / "some.toml").write_text(GOOD)
    other, some = load_definitions(tmp_path).values()
    assert (other.name, other.stand_in_of, other.summary) == ("other", "some", "another")
    assert other.stand_in == some.stand_in
    assert some.stand_in_of == "some"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"some"', '"smoe"', "'smoe' is no image with a stand-in of its own.\nDid you mean 'some'?"),
        ('"some"', '"other"', "'other' is no image with a stand-in of its own."),
        ('"some"', "3", "'3' is no image with a stand-in of its own."),
        ("same-as", 'suite = "bookworm"\nsame-as', "has no keys of its own"),
    ],
)
def test_a_wrong_share_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "other.toml").write_text(SHARED.replace(old, new))
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, GOOD)
    assert "other.toml: stand-in.same-as: " in str(caught.value)
    assert said in str(caught.value)


ON = """role = "builder"
summary = "on top"
processors = ["x86_64"]
[stand-in]
on = "some"
[stand-in.overlay]
packages = ["g++-aarch64-linux-gnu"]
"""


def test_an_image_may_lie_on_anothers_layers(tmp_path: Path) -> None:
    (tmp_path / "cross.toml").write_text(ON)
    (tmp_path / "some.toml").write_text(GOOD.replace("[stand-in]", '[cross]\naarch64 = "cross"\n[stand-in]'))
    (tmp_path / "shared.toml").write_text(SHARED)
    definitions = load_definitions(tmp_path)
    cross, some = definitions["cross"], definitions["some"]
    assert (cross.on, cross.stand_in_of, cross.processors) == ("some", "cross", ("x86_64",))
    assert cross.stand_in.packages == some.stand_in.packages
    assert (some.on, some.stand_in.overlay, some.processors) == ("some", None, ("x86_64", "aarch64"))
    assert definitions["shared"].cross == some.cross == {"aarch64": "cross"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('on = "some"', 'on = "smoe"', "stand-in.on: 'smoe' is no image with layers of its own.\nDid you mean 'some'?"),
        ('on = "some"', 'on = "cross"', "stand-in.on: 'cross' is no image with layers of its own."),
        ('on = "some"', 'on = "some"\nsuite = "trixie"', "is an overlay and nothing else"),
        ("[stand-in.overlay]\npackages", "other", "is an overlay and nothing else"),
        (
            "packages =",
            "package =",
            "stand-in.overlay.package: Extra inputs are not permitted. Did you mean 'packages'?",
        ),
        ('["g++-aarch64-linux-gnu"]', "[]", "stand-in.overlay.packages: Tuple should have at least 1 item"),
        ('["x86_64"]', '["x86"]', "processors.0: Input should be 'x86_64' or 'aarch64'"),
        (
            '["x86_64"]',
            '["x86_64"]\ncross = {aarch64 = "corss"}',
            "cross: there is no image 'corss'.\nDid you mean 'cross'?",
        ),
    ],
)
def test_a_wrong_overlay_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in ON
    (tmp_path / "cross.toml").write_text(ON.replace(old, new))
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, GOOD)
    assert "cross.toml" in str(caught.value)
    assert said in str(caught.value)


def test_a_fault_is_told_of_the_file_that_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(SHARED)
    with pytest.raises(RecipeError, match=r"some\.toml: not a valid image definition"):
        load(tmp_path, GOOD.replace('suite = "bookworm"', ""))


def test_an_unknown_image_gets_the_nearest_name(tmp_path: Path) -> None:
    images = ImageSet(IMAGES, Store(tmp_path), None, arch="x86_64")
    with pytest.raises(RecipeError, match="There is no image 'bokworm'") as caught:
        images.definition("bokworm")
    assert "Did you mean 'bookworm'?" in str(caught.value)


def test_an_unknown_interpreter_is_refused(tmp_path: Path) -> None:
    images = ImageSet(IMAGES, Store(tmp_path), None, arch="x86_64")
    with pytest.raises(RecipeError, match=r"Image 'builder' has no Python 3\.9 in its stand-in; it has 3\.11, 3\.13"):
        images.recipe("builder", "3.9")
    with pytest.raises(RecipeError, match=r"Image 'runtime' has no Python 3\.11 in its stand-in; it has none"):
        images.recipe("runtime", "3.11")


def test_an_unknown_processor_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="There are no images for the processor 'x86-64'") as caught:
        ImageSet(IMAGES, Store(tmp_path), None, arch="x86-64")
    assert "Did you mean 'x86_64'?" in str(caught.value)


def test_a_definition_that_is_no_text_is_refused(tmp_path: Path) -> None:
    load(tmp_path, f"# Größe{GOOD}")
    (tmp_path / "some.toml").write_bytes(f"# Größe{GOOD}".encode("latin-1"))
    with pytest.raises(RecipeError, match=r"some\.toml: cannot be read: 'utf-8' codec can't decode"):
        load_definitions(tmp_path)
