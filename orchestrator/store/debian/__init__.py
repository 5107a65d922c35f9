"""Packages of the Debian archive: their locks, what the archive has now, and their download into the store."""
