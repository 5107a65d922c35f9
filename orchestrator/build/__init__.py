"""Building one wheel of one row in a container without a network."""
