"""Containers over the Docker API: hardened, labelled, leased, reaped."""
