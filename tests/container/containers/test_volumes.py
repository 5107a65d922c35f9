"""What goes into volumes, what comes out, and what stays."""

import io
import secrets
import subprocess
import sys
import tarfile
import textwrap
from collections.abc import Iterator

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits, Volume
from orchestrator.tarstream import TarMember, TarStream, tar_of

pytestmark = pytest.mark.container

SHORT = Limits(seconds=30)


@pytest.fixture
def content_id(engine: Engine) -> Iterator[str]:
    """A content id that nothing else uses; its volume is removed at the end."""
    identity = secrets.token_hex(32)
    yield identity
    for name in engine.lasting_volumes():
        if identity[:32] in name:
            engine.remove_volume(Volume(name=name, kind="toolchain"))


def test_a_tree_comes_out_as_it_went_in(engine: Engine, work: Volume) -> None:
    members = [TarMember.of_bytes("a/b", b"x" * 3_000_000), TarMember.of_bytes("c", b"y", mode=0o755)]
    engine.put(work, io.BufferedReader(TarStream(members)), subpath="in/deep")
    with engine.get(work, "in/deep") as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        found = {}
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            found[member.name] = (member.uid, member.mode & 0o777, len(content.read()) if content else None)
    assert found == {
        "deep": (1000, 0o755, None),
        "deep/a": (1000, 0o755, None),
        "deep/a/b": (1000, 0o644, 3_000_000),
        "deep/c": (1000, 0o755, 1),
    }
    assert engine.read(work, "in/deep/c") == b"y"


def test_a_stream_left_halfway_leaves_no_helper(engine: Engine, work: Volume) -> None:
    engine.put(work, tar_of({"big": b"x" * 20_000_000}))
    with engine.get(work, "big") as stream:
        assert len(stream.read(1000)) == 1000
    assert not engine._session.api.containers(all=True, filters={"label": f"io.wheel-orchestrator.run={engine.run_id}"})


def test_what_is_not_there_is_named(engine: Engine, work: Volume) -> None:
    with pytest.raises(FileNotFoundError, match="out/wheel"):
        engine.get(work, "out/wheel")
    with pytest.raises(FileNotFoundError, match="home is no regular file"):
        engine.read(work, "home")


def test_unsafe_archives_change_nothing(engine: Engine, work: Volume) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../../etc/evil"))
    with pytest.raises(ValueError, match=r"'\.\./\.\./etc/evil' leads outside"):
        engine.put(work, buffer.getvalue())
    with pytest.raises(tarfile.ReadError):
        engine.put(work, b"no archive at all")


def test_a_toolchain_is_filled_once_and_read_only(
    engine: Engine, runtime_image: str, work: Volume, content_id: str
) -> None:
    fills: list[bool] = []

    def fill() -> bytes:
        fills.append(True)
        return tar_of({"bin/tool": b"#!/bin/sh\necho tool ran\n"}, mode=0o755)

    first = engine.toolchain_volume("tool", content_id, fill)
    with Engine.connect() as another:
        assert another.toolchain_volume("tool", content_id, fill) == first
    assert len(fills) == 1
    assert engine.lasting_volumes()[first.name] == "toolchain"
    result = engine.run(
        image=runtime_image, command=["/bin/sh", "-c", "/tool/bin/tool; echo x > /tool/bin/tool; stat -c %u /tool/bin"],
        row="r", step="s", work=work, mounts={"/tool": first}, limits=SHORT,
    )  # fmt: skip
    assert "tool ran" in result.output_tail
    assert result.output_tail.endswith("\n0")
    as_root = engine.run(
        image=runtime_image, command=["touch", "/tool/x"], row="r", step="s", work=work, mounts={"/tool": first},
        user="0:0", limits=SHORT,
    )  # fmt: skip
    assert "Read-only file system" in as_root.output_tail


def test_a_toolchain_whose_filling_was_cut_off_is_filled_anew(engine: Engine, content_id: str) -> None:
    def broken() -> Iterator[bytes]:
        yield tar_of({"bin/old": b"old" * 1000})[:2048]
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="the disk went away"):
        engine.toolchain_volume("tool", content_id, broken)
    volume = engine.toolchain_volume("tool", content_id, lambda: tar_of({"bin/new": b"new"}))
    assert engine.read(volume, "bin/new") == b"new"
    with pytest.raises(FileNotFoundError):
        engine.read(volume, "bin/old")


def test_several_processes_fill_a_toolchain_once(engine: Engine, content_id: str) -> None:
    script = textwrap.dedent("""
        import sys, time
        from orchestrator.containers.engine import Engine
        from orchestrator.tarstream import tar_of

        def fill():
            print("filled")
            time.sleep(0.5)
            return tar_of({"a": b"content"})

        with Engine.connect() as engine:
            volume = engine.toolchain_volume("tool", sys.argv[1], fill)
            assert engine.read(volume, "a") == b"content"
    """)
    children = [
        subprocess.Popen([sys.executable, "-c", script, content_id], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    printed = [child.communicate(timeout=60)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert "".join(printed).count("filled") == 1


def test_a_cache_is_writable_and_outlives_the_run(runtime_image: str) -> None:
    name = f"test-{secrets.token_hex(4)}"
    try:
        for expected in ("", "1"):
            with Engine.connect() as engine:
                result = engine.run(
                    image=runtime_image, command=["/bin/sh", "-c", "cat /cache/n 2>/dev/null; printf 1 >> /cache/n"],
                    row="r", step="s", work=engine.volume("w", row="r"), mounts={"/cache": engine.cache_volume(name)},
                    limits=SHORT,
                )  # fmt: skip
                assert (result.exit, result.output_tail) == (0, expected)
    finally:
        with Engine.connect() as engine:
            engine.remove_volume(engine.cache_volume(name))
