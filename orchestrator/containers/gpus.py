"""GPUs for containers, asked for in the words of docker's `--gpus`."""

from __future__ import annotations

import re
from typing import Any


def device_request(gpus: str) -> dict[str, Any]:
    """The request for a container's GPUs (Docker Engine API, `HostConfig.DeviceRequests`).

    `gpus` is `all`, how many, or `device=` with indexes or UUIDs, separated by commas.

    Raises:
        ValueError: it is none of these.
    """
    request: dict[str, Any] = {"Driver": "", "Count": 0, "DeviceIDs": [], "Options": {}}
    # Of the driver's parts, libcuda and nvidia-smi: what an image gets that asks for nothing depends on the toolkit.
    request["Capabilities"] = [["gpu", "compute", "utility"]]
    if gpus == "all":
        return request | {"Count": -1}
    if re.fullmatch(r"[1-9]\d*", gpus):
        return request | {"Count": int(gpus)}
    name, _, devices = gpus.partition("=")
    if name == "device" and re.fullmatch(r"[\w:-]+(,[\w:-]+)*", devices):
        return request | {"DeviceIDs": devices.split(",")}
    raise ValueError(f"'{gpus}' names no GPUs: give all, how many, or device=0,1 (indexes or UUIDs)")
