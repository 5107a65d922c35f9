"""What a report says of an image that took part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from orchestrator.report.model import ImageUse

if TYPE_CHECKING:  # who reads reports has no engine
    from orchestrator.images.imageset import ReadyImage

Role = Literal["builder", "test", "runtime"]


def image_use(role: Role, image: ReadyImage) -> ImageUse:
    """The report's line about an image: enough to have the same again."""
    return ImageUse(
        role=role,
        reference=image.reference,
        digest=image.digest,
        origin=image.origin,
        name=image.name,
        python=image.python,
        arch=image.arch,
    )
