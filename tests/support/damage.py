"""A store that a disk or a hand damaged."""

from orchestrator.store.store import Store


def truncate(store: Store, sha256: str) -> None:
    """Cut off the second half of a file of the store."""
    path = store.require(sha256, "what is to be damaged")
    path.chmod(0o644)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
