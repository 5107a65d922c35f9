"""Guards: what keeps a row honest while it is built, each a small file and a row of the catalogue."""
