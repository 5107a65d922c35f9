"""Distributions as they lie in a volume, each in a folder of its own."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.store.artefact import Artefact
from orchestrator.store.sites import requirements_of, sites
from orchestrator.store.store import Store

METADATA = "Metadata-Version: 2.1\nName: ant\nVersion: 1.0\nRequires-Dist: bee>=1\nRequires-Dist: cat; extra == 'pet'\n"
WHEEL = {
    "ant/__init__.py": "",
    "ant-1.0.data/purelib/ant/more.py": "more = 1\n",
    "ant-1.0.data/scripts/ant": "#!python\n",
    "ant-1.0.data/data/share/ant.1": "",
    "ant-1.0.dist-info/METADATA": METADATA,
}
SDIST = {
    "ant-1.0/PKG-INFO": METADATA,
    "ant-1.0/setup.py": "",
    "ant-1.0/src/ant/__init__.py": "",
    "ant-1.0/src/ant_tool.py": "",
    "ant-1.0/src/other/__init__.py": "",
    "ant-1.0/src/ant.egg-info/top_level.txt": "ant\nant_tool\n",
    "ant-1.0/src/ant.egg-info/PKG-INFO": METADATA,
}


def kept(store: Store, filename: str, data: bytes) -> Artefact:
    sha256 = hashlib.sha256(data).hexdigest()
    store.add_stream(io.BytesIO(data), filename, sha256=sha256)
    return Artefact(name="ant", version="1.0", filename=filename, sha256=sha256)


def wheel(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def sdist(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def names(store: Store, artefact: Artefact) -> set[str]:
    stream = sites(store, [artefact], lambda: [artefact]).tar()
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        return {member.name for member in archive if member.isfile()}


def test_a_wheel_lies_as_installed_without_what_nothing_imports(tmp_path: Path) -> None:
    store = Store(tmp_path)
    artefact = kept(store, "ant-1.0-py3-none-any.whl", wheel(WHEEL))
    assert names(store, artefact) == {"ant/ant/__init__.py", "ant/ant/more.py", "ant/ant-1.0.dist-info/METADATA"}
    assert requirements_of(store, artefact) == ("bee>=1", "cat; extra == 'pet'")


def test_a_source_distribution_of_python_alone_lies_as_installed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    artefact = kept(store, "ant-1.0.tar.gz", sdist(SDIST))
    found = names(store, artefact)
    assert {"ant/ant/__init__.py", "ant/ant_tool.py", "ant/ant.egg-info/PKG-INFO"} <= found
    assert not any("setup.py" in name or "other" in name for name in found)
    assert requirements_of(store, artefact) == ("bee>=1", "cat; extra == 'pet'")


@pytest.mark.parametrize(
    "files", [SDIST | {"ant-1.0/src/ant/fast.c": ""}, {name: SDIST[name] for name in list(SDIST)[:3]}]
)
def test_one_that_must_be_built_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    store = Store(tmp_path)
    artefact = kept(store, "ant-1.0.tar.gz", sdist(files))
    with pytest.raises(RecipeError) as caught:
        names(store, artefact)
    assert caught.value.message == "ant-1.0.tar.gz is a source distribution that must be built to be installed."
    assert "has a wheel" in caught.value.advice


def test_the_content_has_an_id_of_all_files(tmp_path: Path) -> None:
    store = Store(tmp_path)
    one = kept(store, "ant-1.0-py3-none-any.whl", wheel(WHEEL))
    other = kept(store, "ant-1.0.tar.gz", sdist(SDIST))
    ids = {sites(store, chosen, list).sha256 for chosen in ([one], [other], [one, other])}
    assert len(ids) == 3
    assert sites(store, [other, one], list).sha256 == sites(store, [one, other], list).sha256
