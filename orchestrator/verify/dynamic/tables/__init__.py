"""The rows of the dynamic checks, one file a letter of the catalogue."""
