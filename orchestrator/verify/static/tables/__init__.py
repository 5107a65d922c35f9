"""The rows of the static checks, one file a letter of the catalogue."""
