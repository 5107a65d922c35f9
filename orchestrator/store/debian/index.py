"""What the Debian archive holds now: needed to refresh a lock and to explain a failed download.

A private apt root is made for one suite, so neither the machine's own apt configuration nor its
package state plays a part.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import FetchError, process_detail
from orchestrator.store.debian import mmdebstrap
from orchestrator.store.debian.lock import Package

MIRROR_VARIABLE = "WHEEL_ORCHESTRATOR_DEBIAN_MIRROR"
"""Environment variable with the address of a Debian mirror to use instead of the usual one."""

_INSTALLED = re.compile(r"^Inst (\S+?)(?::\S+)? \((\S+) ", re.MULTILINE)
_SOURCE_FILE = re.compile(r"^ ([0-9a-f]{64}) (\d+) (\S+)$", re.MULTILINE)


def mirror(suite: str) -> str:
    """The address of a suite's mirror: MIRROR_VARIABLE, or the one that mmdebstrap uses; asks no network.

    Raises:
        EngineError: mmdebstrap is missing or failed.
        FetchError: it knows no such suite.
    """
    named = os.environ.get(MIRROR_VARIABLE)
    if named:
        return named.rstrip("/")
    arguments = mmdebstrap.command(
        "/dev/null",
        suite,
        architecture="amd64",
        options=[
            "--variant=custom",
            "--format=null",
            "--skip=update,cleanup,check/signed-by",
            '--setup-hook=cat "$1/etc/apt/sources.list"',
        ],
        sources=[],
    )
    for line in mmdebstrap.capture(arguments, f"asking for the mirror of {suite}").splitlines():
        fields = re.sub(r"\[[^]]*\]", "", line).split()
        if fields[:1] == ["deb"] and fields[2] == suite:
            return fields[1].rstrip("/")
    raise FetchError(f"mmdebstrap knows no mirror of the suite '{suite}'.", advice=mmdebstrap.WAYS_OUT)


@dataclass(frozen=True)
class SuiteIndex:
    """The lists of one component of a suite; its updates are left out, so it changes at point releases only."""

    suite: str
    architecture: str
    root: Path

    def resolve(self, packages: Sequence[str], *, essential: bool = True) -> tuple[Package, ...]:
        """The essential packages if asked for, `packages`, and all that these depend on.

        Raises:
            FetchError: a package does not exist in the suite, or cannot be installed.
        """
        stanzas = dict(self._stanzas("Packages"))
        always = [name for (name, _), stanza in stanzas.items() if essential and _field(stanza, "Essential") == "yes"]
        command = ["apt-get", "--simulate", "--yes", "install", *sorted({*always, *packages})]
        done = subprocess.run(
            command,
            env={**os.environ, "APT_CONFIG": str(self.root / "apt.conf"), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise FetchError(
                f"The packages asked for cannot be installed together from {self.suite}.",
                detail=process_detail(command, done.returncode, done.stderr),
                advice="Correct 'packages' in the image's definition.",
            )
        chosen = sorted(set(_INSTALLED.findall(done.stdout)))
        return tuple(self._package(name, version, stanzas[name, version]) for name, version in chosen)

    def versions(self, name: str) -> tuple[str, ...]:
        """The versions of a binary or source package that the archive has now."""
        kinds = ("Packages", "Sources")
        return tuple(
            sorted({version for kind in kinds for (found, version), _ in self._stanzas(kind) if found == name})
        )

    def select(self, name: str) -> Package:
        """One package, without what it depends on.

        Raises:
            FetchError: the component has no such package.
        """
        for (found, version), stanza in self._stanzas("Packages"):
            if found == name:
                return self._package(name, version, stanza)
        raise FetchError(
            f"{self.suite} has no package '{name}' in this component.",
            advice="Correct 'suite', 'component' or 'packages' in the selection below images/debian.",
        )

    def source(self, name: str) -> Package:
        """The upstream archive of a source package.

        Raises:
            FetchError: the suite has no such source package.
        """
        for (found, version), stanza in self._stanzas("Sources"):
            if found != name:
                continue
            checksums = stanza.partition("Checksums-Sha256:")[2]
            for sha256, size, file in _SOURCE_FILE.findall(checksums):
                if re.search(r"\.orig\.tar\.\w+$", file):
                    return Package(name, version, sha256, int(size), f"{_field(stanza, 'Directory')}/{file}")
        raise FetchError(
            f"{self.suite} has no source package '{name}' with an upstream archive.",
            advice="Correct 'source' in the image's definition.",
        )

    def _package(self, name: str, version: str, stanza: str) -> Package:
        size, path = int(_field(stanza, "Size")), _field(stanza, "Filename")
        return Package(name, version, _field(stanza, "SHA256"), size, path)

    def _stanzas(self, kind: str) -> Iterator[tuple[tuple[str, str], str]]:
        for path in (self.root / "var/lib/apt/lists").glob(f"*_{kind}"):
            for stanza in path.read_text("utf-8").split("\n\n"):
                if name := _field(stanza, "Package"):
                    yield (name, _field(stanza, "Version")), stanza


def _field(stanza: str, key: str) -> str:
    match = re.search(rf"^{key}: (.*)$", stanza, re.MULTILINE)
    return match.group(1) if match else ""


@contextmanager
def suite_index(
    suite: str, architecture: str, *, component: str = "main", sources: bool = False
) -> Iterator[SuiteIndex]:
    """Fetch the signed lists of a suite's component into a private apt root that is gone afterwards.

    Raises:
        EngineError: mmdebstrap is missing or failed, for example without a network.
    """
    address = mirror(suite)
    with tempfile.TemporaryDirectory(prefix="orchestrator-apt-") as folder:
        root = Path(folder)
        # As another user inside a namespace, mmdebstrap hands files out through its own copy-out.
        lists = root / "var/lib/apt"
        for part in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/cache/apt/archives/partial", "var/lib/dpkg"):
            (root / part).mkdir(parents=True)
        lists.mkdir()
        kinds = ("deb", "deb-src") if sources else ("deb",)
        options = [
            "--variant=custom",
            "--format=null",
            "--skip=cleanup,check/qemu",  # nothing of the suite runs, so it may be another processor's
            f"--customize-hook=copy-out /var/lib/apt/lists {shlex.quote(str(lists))}",
        ]
        lines = [f"{kind} {address} {suite} {component}" for kind in kinds]
        arguments = mmdebstrap.command("/dev/null", suite, architecture=architecture, options=options, sources=lines)
        mmdebstrap.capture(arguments, f"fetching the package lists of {suite}")
        shutil.rmtree(lists / "lists/partial", ignore_errors=True)
        (lists / "lists/partial").mkdir()
        (root / "var/lib/dpkg/status").touch()
        # mmdebstrap has checked the signatures; apt need not find the keys again.
        trusted = [f"{kind} [trusted=yes] {address} {suite} {component}\n" for kind in kinds]
        (root / "etc/apt/sources.list").write_text("".join(trusted))
        (root / "apt.conf").write_text(
            f'Dir "{root}/";\nDir::State::status "{root}/var/lib/dpkg/status";\n'
            f'APT::Architecture "{architecture}";\nAPT::Architectures {{ "{architecture}"; }};\n'
            'APT::Install-Recommends "false";\n'
        )
        yield SuiteIndex(suite, architecture, root)
