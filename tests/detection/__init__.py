"""Proof that each check can fail: faults that are planted one at a time, and the checks that must catch them."""
