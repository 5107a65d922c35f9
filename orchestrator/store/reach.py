"""Whether what is fetched from answers: one short question each, only when a person asks for it."""

from __future__ import annotations

import os

import requests
from pypi_simple import PYPI_SIMPLE_ENDPOINT
from requests.adapters import HTTPAdapter

from orchestrator.ground.pipenv import isolated
from orchestrator.store.sdist import index_session

SECONDS = 5.0


def index_address() -> str:
    """The package index that is asked."""
    return isolated(os.environ).get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)


def says(address: str) -> str | None:
    """Why an address does not answer as it should, None if it does; certificates and proxies are this network's."""
    try:
        with index_session(isolated(os.environ)) as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter())  # asked once
            answer = session.head(address, timeout=SECONDS, allow_redirects=True)
    except requests.exceptions.SSLError:
        return "its certificate is not trusted: set PIP_CERT and SSL_CERT_FILE to this network's certificates"
    except requests.Timeout:
        return f"no answer within {SECONDS:g} s"
    except (requests.RequestException, ValueError) as error:
        cause: BaseException = error
        while cause.__cause__ or cause.__context__:
            cause = cause.__cause__ or cause.__context__ or cause
        return str(cause) or type(cause).__name__
    return None if answer.ok else f"it answers {answer.status_code} {answer.reason}"
