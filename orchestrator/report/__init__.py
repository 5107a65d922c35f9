"""Report records and their renderers."""
