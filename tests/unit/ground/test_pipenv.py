from __future__ import annotations

import os

from orchestrator.ground.pipenv import isolated, local_wheels


def test_configuration_is_dropped_and_certificates_are_kept() -> None:
    environment = isolated(
        {
            "PIP_INDEX_URL": "http://elsewhere",
            "PIP_FIND_LINKS": "/wheels",
            "PIP_CONSTRAINT": "c.txt",
            "UV_INDEX_URL": "http://elsewhere",
            "PYTHONPATH": "/modules",
            "PIP_CERT": "/ca.pem",
            "SSL_CERT_FILE": "/ca.pem",
            "PATH": "/bin",
        }
    )
    assert environment["PIP_CERT"] == environment["SSL_CERT_FILE"] == "/ca.pem"
    assert environment["PATH"] == "/bin"
    assert environment["PIP_CONFIG_FILE"] == os.devnull
    assert not environment.keys() & {"PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT", "UV_INDEX_URL", "PYTHONPATH"}


def test_our_own_variable_names_the_index() -> None:
    environment = isolated({"WHEEL_ORCHESTRATOR_INDEX": "http://mirror/simple", "PIP_INDEX_URL": "http://elsewhere"})
    assert environment["PIP_INDEX_URL"] == environment["UV_DEFAULT_INDEX"] == "http://mirror/simple"


def test_certificates_that_one_variable_names_are_known_to_all_tools() -> None:
    environment = isolated({"SSL_CERT_FILE": "/ca.pem"})
    assert environment["PIP_CERT"] == environment["REQUESTS_CA_BUNDLE"] == environment["SSL_CERT_FILE"] == "/ca.pem"


def test_folders_of_wheels_are_named_to_both_tools_and_only_when_asked_for() -> None:
    environ = {"PIP_FIND_LINKS": "/wheels"}
    assert local_wheels(environ) == {"PIP_FIND_LINKS": "/wheels", "UV_FIND_LINKS": "/wheels"}
    assert not local_wheels({})
    assert "UV_FIND_LINKS" not in isolated(environ)
