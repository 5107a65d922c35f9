"""An environment for pip and uv in which nothing but our own arguments decides what is fetched.

A user's or a machine's configuration may name other indexes, local folders or constraints; with
those the same lock could give other files, or none.  Only what is needed to reach the default
index is kept: certificates, proxies and the time-out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_KEPT = {"PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_DEFAULT_TIMEOUT"}
_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_DROPPED_ALWAYS = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "CONDA_PREFIX"}

LOCAL_WHEELS = "PIP_FIND_LINKS"
"""Names folders of wheels (pip, `--find-links`), such as CPU builds of torch, which the index does not have."""

INDEX_VARIABLE = "WHEEL_ORCHESTRATOR_INDEX"
"""Names the package index (PEP 503) to ask instead of pip's default one."""


def isolated(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without the configuration of pip and uv."""
    kept = {
        key: value
        for key, value in environ.items()
        if key not in _DROPPED_ALWAYS and not key.startswith("UV_") and (key in _KEPT or not key.startswith("PIP_"))
    }
    # pip reads no configuration file at all when this names the null device.
    kept["PIP_CONFIG_FILE"] = os.devnull
    kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    kept["PIP_NO_INPUT"] = "1"
    kept["PYTHONNOUSERSITE"] = "1"
    kept["UV_NO_CONFIG"] = "1"
    # One bundle for all: pip, its library and uv each read another of these.  pip's own bundle
    # lacks what a network's administrator added to the system's.
    named = next((kept[name] for name in _CERTIFICATES if kept.get(name)), "")
    if not named and Path(_SYSTEM_CERTIFICATES).exists():
        named = _SYSTEM_CERTIFICATES
    if named:
        for name in _CERTIFICATES:
            kept.setdefault(name, named)
    if environ.get(INDEX_VARIABLE):
        kept["PIP_INDEX_URL"] = kept["UV_DEFAULT_INDEX"] = environ[INDEX_VARIABLE]
    return kept


def local_wheels(environ: Mapping[str, str]) -> dict[str, str]:
    """The folders of wheels that a machine has beside its index, for pip and for uv.

    For the making of locks, and for what their hashes decide: no file but a locked one is installed from there.
    """
    named = environ.get(LOCAL_WHEELS)
    return {LOCAL_WHEELS: named, "UV_FIND_LINKS": named} if named else {}
