"""The guard of a release matrix: it returns exactly the rows that the policy asks for, or refuses."""
