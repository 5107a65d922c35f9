"""Random damage to a wheel: the command line ends with a documented code, soon, and writes only reports."""
