"""A workflow of GitHub Actions from a recipe and its policy."""
