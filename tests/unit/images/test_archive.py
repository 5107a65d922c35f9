import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from orchestrator.errors import RecipeError, UsageError
from orchestrator.images.archive import image_config, image_id, save_stream
from orchestrator.images.layers import Layer, LayerWriter, find_layer, keep_layer, write_normal_tar
from orchestrator.images.manage import import_image
from orchestrator.store.store import Store
from tests.support.damage import truncate

KEY = "tiny/amd64/rootfs/0"


def source_tar(*, mtime: int = 5, owner: int = 1000, order: int = 1) -> tarfile.TarFile:
    members: list[tuple[str, bytes | None, str, int]] = [
        ("out", None, "", 0o700),
        ("out/bin", None, "", 0o700),
        ("out/bin/python3.11", b"program", "", 0o700),
        ("out/bin/python", None, "python3.11", 0o777),
        ("out/note", b"text", "", 0o600),
        ("elsewhere", b"not ours", "", 0o600),
    ]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content, link, mode in members[::order]:
            info = tarfile.TarInfo(name)
            info.mode, info.mtime, info.uid, info.linkname = mode, mtime, owner, link
            info.type = tarfile.SYMTYPE if link else tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            info.size = len(content or b"")
            archive.addfile(info, io.BytesIO(content or b""))
    buffer.seek(0)
    return tarfile.open(fileobj=buffer)


def make_layer(store: Store, source: tarfile.TarFile) -> Layer:
    with store.temporary("packing") as folder:
        writer = LayerWriter(folder / "layer")
        write_normal_tar(source, writer, strip="out", below=PurePosixPath("opt/tiny"))
        return keep_layer(store, KEY, folder / "layer", *writer.finish())


def make_config(layer: Layer, architecture: str = "amd64") -> bytes:
    return image_config([layer], name="tiny", keys=[KEY], architecture=architecture, environment={"PATH": "/bin"})


def make_stream(store: Store) -> bytes:
    layer = make_layer(store, source_tar())
    with save_stream(store, make_config(layer), [layer], "wheel-orchestrator/tiny:1") as stream:
        return stream.read()


def test_the_same_content_gives_the_same_layer_whatever_its_times_owners_and_order(tmp_path: Path) -> None:
    one = make_layer(Store(tmp_path / "one"), source_tar())
    two = make_layer(Store(tmp_path / "two"), source_tar(mtime=99, owner=0, order=-1))
    assert one == two
    assert image_id(make_config(one)) == image_id(make_config(two))
    assert image_id(make_config(one)) != image_id(make_config(one, "arm64"))


def test_a_layer_holds_its_folder_only_with_roots_files(tmp_path: Path) -> None:
    store = Store(tmp_path)
    layer = make_layer(store, source_tar())
    blob = store.blob(layer.blob)
    assert blob is not None
    with tarfile.open(blob) as archive:
        found = {member.name: (member.mode, member.uid, member.mtime) for member in archive.getmembers()}
        assert archive.getmember("opt/tiny/bin/python").linkname == "python3.11"
    epoch = 1_700_000_000
    assert found == {
        "opt": (0o755, 0, epoch),
        "opt/tiny": (0o755, 0, epoch),
        "opt/tiny/bin": (0o755, 0, epoch),
        "opt/tiny/bin/python": (0o777, 0, epoch),
        "opt/tiny/bin/python3.11": (0o755, 0, epoch),
        "opt/tiny/note": (0o644, 0, epoch),
    }


def test_a_saved_image_names_its_parts_by_content(tmp_path: Path) -> None:
    data = make_stream(Store(tmp_path))
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        (entry,) = json.loads(read(archive, "manifest.json"))
        config = read(archive, entry["Config"])
        with tarfile.open(fileobj=io.BytesIO(read(archive, entry["Layers"][0]))) as layer:
            assert "opt/tiny/note" in layer.getnames()
    assert entry["RepoTags"] == ["wheel-orchestrator/tiny:1"]
    assert entry["Config"] == f"{hashlib.sha256(config).hexdigest()}.json"
    parsed = json.loads(config)
    assert parsed["architecture"] == "amd64"
    assert parsed["created"] == "2023-11-14T22:13:20Z"
    assert parsed["config"]["Labels"]["io.wheel-orchestrator.kind"] == "image"


def test_an_exported_image_is_found_in_another_store_after_its_import(tmp_path: Path) -> None:
    path = tmp_path / "tiny.tar"
    path.write_bytes(make_stream(Store(tmp_path / "one")))
    other = Store(tmp_path / "two")
    saved = import_image(other, None, path)
    assert saved.name == "tiny"
    assert find_layer(other, KEY) == find_layer(Store(tmp_path / "one"), KEY)


def test_a_damaged_layer_is_made_anew_by_who_reads_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    make_stream(store)
    layer = find_layer(store, KEY)
    assert layer is not None
    assert find_layer(store, KEY, verify=True) == layer
    truncate(store, layer.blob)
    assert find_layer(store, KEY) == layer
    assert find_layer(store, KEY, verify=True) is None


def read(archive: tarfile.TarFile, name: str) -> bytes:
    stream = archive.extractfile(name)
    assert stream is not None
    return stream.read()


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=target, mode="w") as new:
        for member in old.getmembers():
            content = change(member.name, read(old, member.name))
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target.getvalue()


def swap(part: str, old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: repacked(data, lambda name, content: content.replace(old, new) if part in name else content)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda _data: b"no tar at all", "it is not a tar archive, or it is truncated"),
        (lambda data: data[: len(data) // 2], "cannot be imported"),
        (swap(".json", b'kind":"image"', b'kind":"other"'), "it was not made by this tool"),
        (swap(".json", b"/bin", b"/evil"), "its configuration does not have the id that names it"),
        (lambda data: repacked(data, lambda name, old: b"" if "layer" in name else old), "has other content"),
        (lambda data: repacked(data, lambda name, old: old[:-9] if "layer" in name else old), "is truncated"),
        (lambda data: repacked(data, lambda name, old: b"[]" if "manifest" in name else old), "not a docker-save file"),
    ],
)
def test_damaged_files_are_not_imported(tmp_path: Path, damage: Callable[[bytes], bytes], said: str) -> None:
    path = tmp_path / "tiny.tar"
    path.write_bytes(damage(make_stream(Store(tmp_path / "one"))))
    other = Store(tmp_path / "two")
    with pytest.raises(RecipeError, match=said):
        import_image(other, None, path)
    assert find_layer(other, KEY) is None


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        import_image(Store(tmp_path), None, tmp_path / "none.tar")
