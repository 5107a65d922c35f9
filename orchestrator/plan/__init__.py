"""Rows: which wheels an invocation is about."""
