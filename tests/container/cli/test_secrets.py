"""What a build is given in secret is in nothing that its run writes or prints."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.command import Ended, run
from tests.support.gits import Repository
from tests.support.tiny import BAD, tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

DEPLOY = "deploy/value+of 'this' recipe"
HERE = "value-of-this-process"
MIRROR = "mirror-p4ssw0rd"
CLEAR = "clear-value-that-is-no-secret"

_TELL = """
import base64, json, os, sys, time, urllib.parse
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    value = os.environ["DEPLOY_TOKEN"]
    for piece in (value[:9], value[9:] + " was cut in two"):
        sys.stdout.write(piece)
        sys.stdout.flush()
        time.sleep(0.3)
    print()
    print("percent", urllib.parse.quote(value, safe=""))
    print("json", json.dumps({"token": value}))
    print("header", base64.b64encode(f"x-token:{value}".encode()).decode())
    print("error: fatal error: here:", Path("here").read_text(), file=sys.stderr)
    print("mirror https://me:%s@git.invalid/owner/a" % Path("mirror").read_text(), file=sys.stderr)
    print("clear", os.environ["CLEAR"], flush=True)
    return compile_wheel(wheel_directory)
"""


def members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All files below a folder by their names, those of archives too."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        yield str(path.relative_to(folder)), path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path.name}!{name}", archive.read(name)) for name in archive.namelist())


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A build that tells all it knows, and fails."""
    folder = tmp_path_factory.mktemp("secrets")
    recipe = tiny_recipe(folder, BAD)
    backend = recipe / "source" / "backend.py"
    head = "def build_wheel(wheel_directory, config_settings=None, metadata_directory=None)"
    backend.write_text(backend.read_text().replace(head, "def compile_wheel(wheel_directory)") + _TELL)
    (recipe / "source" / "here").write_text(HERE)
    (recipe / "source" / "mirror").write_text(MIRROR)
    file = recipe / "recipe.toml"
    env = f'minutes = 2\nenv = {{ DEPLOY_TOKEN = {json.dumps(DEPLOY)}, CLEAR = "{CLEAR}" }}'
    file.write_text(file.read_text().replace("minutes = 2", env))
    Repository(folder / "a.git")
    mirror = f"https://me:{MIRROR}@git.invalid/owner/a={folder / 'a.git'}"
    words = ["build", "--stand-in", "--recipe", "tiny", "--mirror", mirror]
    return folder, run(*words, cwd=folder, env={"MY_TOKEN": HERE}).require(7)


def test_the_build_told_them(ended: tuple[Path, Ended]) -> None:
    """Without this the next test would pass for a build that printed nothing."""
    folder, done = ended
    (log,) = (path for path in folder.glob("reports/*/tiny/*/*/*/build.log") if "latest" not in path.parts)
    lines = [line.strip() for line in log.read_text().splitlines()]
    for line in (
        "[hidden] was cut in two",
        "percent [hidden]",
        'json {"token": "[hidden]"}',
        "error: fatal error: here: [hidden]",
        "mirror https://[hidden]@git.invalid/owner/a",
        f"clear {CLEAR}",
    ):
        assert line in lines
    assert "fatal error: here: [hidden]" in done.err
    assert "--mirror https://[hidden]@" in (folder / "reports" / "latest" / "report.json").read_text()


def test_nothing_that_was_written_or_printed_holds_one(ended: tuple[Path, Ended]) -> None:
    folder, done = ended
    found = [*members(folder / "reports"), ("standard output", done.out.encode()), ("errors", done.err.encode())]
    names = {name for name, _ in found}
    assert any(name.endswith("bundle.zip") for name in names)
    assert any(name.startswith("bundle.zip!logs/") for name in names)
    words = [HERE, MIRROR, DEPLOY, quote(DEPLOY, safe=""), json.dumps(DEPLOY)[1:-1]]
    words += [base64.b64encode(f"x-token:{DEPLOY}".encode()).decode()[12:40]]
    held = [(name, word) for name, data in found for word in words if word.encode() in data]
    assert held == []


def test_a_bundle_names_what_it_leaves_out(ended: tuple[Path, Ended]) -> None:
    folder, _ = ended
    with zipfile.ZipFile(folder / "reports" / "latest" / "bundle.zip") as bundle:
        listed = json.loads(bundle.read("bundle.json"))
        names = bundle.namelist()
    left = {one["name"]: one["why"] for one in listed["left_out"]}
    assert "recipe/recipe.toml" not in names
    (why,) = (why for name, why in left.items() if name.endswith("recipe.toml"))
    assert "DEPLOY_TOKEN" in why
    assert "recipe/build.lock" in names
