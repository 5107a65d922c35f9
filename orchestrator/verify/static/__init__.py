"""Checks over the wheel alone, one small file each, named by catalogue id."""
