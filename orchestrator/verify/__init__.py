"""Checks: static over the wheel, dynamic in fresh containers."""
