"""Reading a wheel over its zip, each member inflated once."""
