"""What `--gpus` may say, and the request that it becomes."""

import pytest

from orchestrator.containers.gpus import device_request


@pytest.mark.parametrize(
    ("words", "count", "ids"),
    [
        ("all", -1, []),
        ("2", 2, []),
        ("device=0", 0, ["0"]),
        ("device=0,GPU-3a23c669-1f69", 0, ["0", "GPU-3a23c669-1f69"]),
    ],
)
def test_each_word_becomes_its_request(words: str, count: int, ids: list[str]) -> None:
    request = device_request(words)
    assert (request["Count"], request["DeviceIDs"]) == (count, ids)
    assert "compute" in request["Capabilities"][0]  # without it a container gets no libcuda


@pytest.mark.parametrize("words", ["", "0", "-1", "some", "device=", "device=0,", "devices=0", "all,2"])
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="names no GPUs: give all, how many, or device=0,1"):
        device_request(words)
