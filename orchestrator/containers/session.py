"""What every part of the engine's class shares: the client, the run, and the labels it writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import docker
import docker.errors

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.owner import LABEL_KIND, LABEL_OWNER, LABEL_ROW, LABEL_RUN, LABEL_STEP, Owner
from orchestrator.errors import EngineError


@dataclass(frozen=True, kw_only=True)
class Session:
    """One process's connection to an engine for one run."""

    api: docker.APIClient
    info: EngineInfo
    run: str
    owner: Owner
    closing: threading.Event = field(default_factory=threading.Event)
    runs: set[str] = field(init=False)
    """Processors whose programs are known to run on the engine: its own, and those that were seen to."""
    proving: threading.Lock = field(default_factory=threading.Lock)
    """Held while one is tried."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", {self.info.arch})

    def labels(self, kind: str, *, row: str = "", step: str = "") -> dict[str, str]:
        """Labels of something that must not outlive its owner."""
        return {**self.lasting_labels(kind, row=row, step=step), LABEL_OWNER: str(self.owner)}

    def lasting_labels(self, kind: str, *, row: str = "", step: str = "") -> dict[str, str]:
        """Labels of something that stays until it is pruned."""
        return {LABEL_KIND: kind, LABEL_RUN: self.run, LABEL_ROW: row, LABEL_STEP: step}

    def made_container(self, created: dict[str, Any]) -> str:
        """The id of a container that was just created; removes it if the run ended meanwhile.

        A thread may create something just after the end of the run has removed what there was.
        """
        container = str(created["Id"])
        if self.closing.is_set():
            self.remove_container(container)
            raise _run_is_over()
        return container

    def make_volume(self, name: str, labels: dict[str, str], options: dict[str, str] | None = None) -> None:
        """Make a volume; one of that name may exist already."""
        with engine_errors(f"making volume {name}"):
            self.api.create_volume(name, labels=labels, driver_opts=options)
        if self.closing.is_set() and LABEL_OWNER in labels:
            self.remove_volume(name)
            raise _run_is_over()

    def remove_container(self, container: str) -> None:
        """Kill and remove a container and its anonymous volumes; one that is gone already is fine."""
        with engine_errors(f"removing container {container[:12]}"), _gone_is_fine():
            self.api.remove_container(container, force=True, v=True)

    @contextmanager
    def removing(self, container: str) -> Iterator[None]:
        """Remove the container at the end; what ends it by an error is not hidden by the removal's own failure."""
        try:
            yield
        except BaseException:
            with suppress(EngineError):
                self.remove_container(container)
            raise
        self.remove_container(container)

    def remove_volume(self, volume: str) -> bool:
        """Remove a volume; False if a container uses it; one that is gone already is fine."""
        with engine_errors(f"removing volume {volume}"), _gone_is_fine():
            try:
                self.api.remove_volume(volume, force=True)
            except docker.errors.APIError as error:
                if error.status_code == 409:
                    return False
                raise
        return True


def _run_is_over() -> EngineError:
    return EngineError("The run ended while a step was starting.", advice="Repeat the command.")


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    try:
        yield
    except docker.errors.NotFound:
        pass
    except docker.errors.APIError as error:
        if "already in progress" not in str(error.explanation):
            raise
