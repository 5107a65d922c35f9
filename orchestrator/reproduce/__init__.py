"""Trying again what failed: bundles, inputs by hash, what is rerun, and whether the failure came back."""
