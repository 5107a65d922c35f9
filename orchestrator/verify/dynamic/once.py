"""What does not differ between the generators of one CMake is asked with the first of them."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context


def once_a_cmake(context: Context) -> bool:
    """Whether the environment is the recipe's first with its CMake in its image: finding a package knows no generator.

    So is one that the recipe does not list.
    """
    test = context.recipe.images.test
    same = (
        one for one in context.package.environments if (one.cmake, one.image or test) == (context.cmake, context.image)
    )
    return next((one.generator for one in same), context.generator) == context.generator
