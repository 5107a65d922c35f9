"""Recipes: one project each, its pins, variants, components and promises."""
