"""What every part of the engine's class shares: the client, the run, and the labels it writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import docker
import docker.errors

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.owner import LABEL_KIND, LABEL_OWNER, LABEL_ROW, LABEL_RUN, LABEL_STEP, Owner


@dataclass(frozen=True, kw_only=True)
class Session:
    """One process's connection to an engine for one run."""

    api: docker.APIClient
    info: EngineInfo
    run: str
    owner: Owner

    def labels(self, kind: str, *, row: str = "", step: str = "") -> dict[str, str]:
        """Labels of something that must not outlive its owner."""
        return {**self.lasting_labels(kind, row=row, step=step), LABEL_OWNER: str(self.owner)}

    def lasting_labels(self, kind: str, *, row: str = "", step: str = "") -> dict[str, str]:
        """Labels of something that stays until it is pruned."""
        return {LABEL_KIND: kind, LABEL_RUN: self.run, LABEL_ROW: row, LABEL_STEP: step}

    def remove_container(self, container: str) -> None:
        """Kill and remove a container and its anonymous volumes; one that is gone already is fine."""
        with engine_errors(f"removing container {container[:12]}"), _gone_is_fine():
            self.api.remove_container(container, force=True, v=True)

    def remove_volume(self, volume: str) -> None:
        """Remove a volume; one that is gone already is fine."""
        with engine_errors(f"removing volume {volume}"), _gone_is_fine():
            self.api.remove_volume(volume, force=True)


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    try:
        yield
    except docker.errors.NotFound:
        pass
    except docker.errors.APIError as error:
        if "already in progress" not in str(error.explanation):
            raise
