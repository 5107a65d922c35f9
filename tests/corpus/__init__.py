"""Published wheels of which it is known by hand what is wrong with them, and that the checks must agree."""
