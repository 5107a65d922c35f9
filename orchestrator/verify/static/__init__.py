"""Static checks, one file each."""
