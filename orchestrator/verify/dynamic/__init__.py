"""Dynamic checks: probes run in batches inside fresh containers."""
